# ===- explain_keys.py - The keys of an explanation -------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Checks the keys of each file of `onnx-compile explain --json`, and sums it up."""

import json
import pathlib
import sys

KEYS = {
    "": "schema model target device node summary inputs outputs rewrites algorithms layouts fused_with not_fused kernel_count kernels"
    " runtime_calls host_operations functions",
    "rewrites": "pass pattern from into nodes",
    "not_fused": "pass reason producer consumer",
    "algorithms": "choice reason",
    "layouts": "choice reason",
    "fused_with": "name op",
    "inputs": "name type",
    "kernels": "name nodes operands operations multiply_adds bytes_read bytes_written intensity dynamic cycles lanes"
    " scalar_parts recipes steps loops",
    "operands": "name type source constant packed_bytes packed_loops",
    "recipes": "kernel candidates taken others",
    "taken": "kind choices cycles",
    "functions": "name assembly",
}


def check(name, value):
    if isinstance(value, dict):
        assert name not in KEYS or set(value) == set(KEYS[name].split()), (name, list(value))
        for key, inner in value.items():
            check(key, inner)
    elif isinstance(value, list):
        for inner in value:
            check(name, inner)


for path in sys.argv[1:]:
    facts = json.loads(pathlib.Path(path).read_text())
    check("", facts)
    print(
        facts["schema"], facts["node"]["name"], facts["node"]["op"], len(facts["kernels"]), "kernels,",
        len(facts["not_fused"]), "not fused" + (", with assembly" if facts["functions"] else ""),
    )
