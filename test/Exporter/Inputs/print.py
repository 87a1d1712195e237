# ===- print.py - A model as text ------------------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Prints a model in the text form of the onnx library, after checking it fully."""

import sys

import onnx

model = onnx.load(sys.argv[1])
onnx.checker.check_model(model, full_check=True)
print(onnx.printer.to_text(model))
