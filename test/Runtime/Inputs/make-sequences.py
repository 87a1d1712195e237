# ===- make-sequences.py - A model of a sequence and its data set ------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Writes sequence.onnx, sequence/input_0.pb and digits.so.pb, which is no sequence.

Usage: make-sequences.py FOLDER
"""

import pathlib
import sys

import numpy as np
import onnx
from onnx import numpy_helper, parser

folder = pathlib.Path(sys.argv[1])
model = parser.parse_model(
    '<ir_version: 10, opset_import: ["" : 21]> '
    "m (seq(float[2]) s) => (float[n] y) { y = ConcatFromSequence <axis = 0> (s) }"
)
onnx.save(model, folder / "sequence.onnx")
(folder / "sequence").mkdir()
values = numpy_helper.from_list([np.float32([1, 2]), np.float32([3, 4])], "s")
(folder / "sequence" / "input_0.pb").write_bytes(values.SerializeToString())
(folder / "digits.so.pb").write_bytes(b"\xff" * 9)
