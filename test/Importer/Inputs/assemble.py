# ===- assemble.py - Models from ONNX's text form --------------*- Python -*-===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
#   assemble.py MODEL.txt MODEL.onnx
#
# Lines of the text that start with // are left out, so that a test can hold
# what it expects beside the model. Nothing is checked.
# ===------------------------------------------------------------------------===//
import pathlib
import sys

import onnx.parser

lines = pathlib.Path(sys.argv[1]).read_text().splitlines()
text = "\n".join(line for line in lines if not line.lstrip().startswith("//"))
model = onnx.parser.parse_model(text)
pathlib.Path(sys.argv[2]).write_bytes(model.SerializeToString())
