# ===- folded-nodes.py - Nodes that others take the place of ----------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Writes a model with a normalisation that becomes part of a convolution, and a MatMul and an Add."""

import sys

from onnx import parser, save

save(
    parser.parse_model("""<ir_version: 8, opset_import: ["" : 21]>
    folded (float[1, 2, 4, 4] x) => (float[8, 4] y)
    <float[2, 2, 1, 1] w = {1, 2, 3, 4}, float[2] s = {1, 2}, float[4] b = {1, 2, 3, 4},
     float[4, 4] m = {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8},
     int64[2] shape = {8, 4}> {
      [conv] a = Conv(x, w)
      [norm] n = BatchNormalization(a, s, s, s, s)
      [skip] d = Identity(n)
      [flat] f = Reshape(d, shape)
      [product] p = MatMul(f, m)
      [sum] y = Add(p, b)
    }"""),
    sys.argv[1],
)
