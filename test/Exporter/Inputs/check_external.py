# ===- check_external.py - A model with its data beside it -----------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Loads a model with its data file as the onnx package does and compares it with one that has them inside."""

import sys

import onnx
from onnx import numpy_helper

whole, parts = sys.argv[1:]
onnx.checker.check_model(parts, full_check=True)
bare = onnx.load(parts, load_external_data=False).graph.initializer
outside = [t for t in bare if t.data_location == onnx.TensorProto.EXTERNAL]
assert outside and all(not t.raw_data for t in outside), "no weights are outside"
assert {e.value for t in outside for e in t.external_data if e.key == "location"} == {"parts.onnx.data"}
models = [onnx.load(path) for path in (whole, parts)]
first, second = ({t.name: numpy_helper.to_array(t) for t in m.graph.initializer} for m in models)
assert first.keys() == second.keys()
assert all((first[name] == second[name]).all() and first[name].dtype == second[name].dtype for name in first)
assert list(models[0].graph.node) == list(models[1].graph.node)
