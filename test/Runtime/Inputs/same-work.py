# ===- same-work.py - Work of launches of dynamic and known sizes -----------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Compares the operations and bytes of nodes in two reports of `onnx-run profile --json`."""

import json
import math
import sys

dynamic, static = ({node["name"]: node for node in json.load(open(name))["nodes"]} for name in sys.argv[1:])
assert dynamic.keys() == static.keys() and len(static) >= 8, (dynamic.keys(), static.keys())
for name, node in static.items():
    assert dynamic[name]["operations"] == node["operations"], (dynamic[name], node)
    assert dynamic[name]["roofline_share"] > 0, dynamic[name]
    # Known sizes have fewer kernels, which read and write what is between them.
    assert math.isclose(dynamic[name]["bytes"], node["bytes"], rel_tol=0.3), (dynamic[name], node)
