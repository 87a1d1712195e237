# ===- metadata.py - A model with metadata ---------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""metadata.py write FILE, or compare FILE FILE: the same documents and properties."""

import sys

from onnx import helper, load, parser, save


def facts(path):
    model = load(path)
    return model.doc_string, model.graph.doc_string, {p.key: p.value for p in model.metadata_props}


if sys.argv[1] == "write":
    model = parser.parse_model('<ir_version: 10, opset_import: ["" : 21]> g (float[5] x) => (float[5] y) { y = Abs(x) }')
    model.doc_string, model.graph.doc_string = "Finds numbers.", "One node."
    helper.set_model_props(model, {"license": "MIT", "stride": "32"})
    save(model, sys.argv[2])
else:
    first, second = map(facts, sys.argv[2:])
    assert first == second and all(first), (first, second)
