# ===- cross_models.py - Models with forms of other processors -------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Writes a product of bytes and a sum of half precision into the folder of the first argument."""

import sys

from onnx import parser, save

MODELS = {
    "bytes": "(int8[64, 64] a, int8[64, 64] b) => (int32[64, 64] y) { y = MatMulInteger(a, b) }",
    "half": "(float16[64, 64] a, float16[64, 64] b) => (float16[64, 64] y) { y = Add(a, b) }",
}
for name, graph in MODELS.items():
    save(parser.parse_model(f'<ir_version: 10, opset_import: ["" : 21]> {name} {graph}'), f"{sys.argv[1]}/{name}.onnx")
