# ===- check-profile.py - What a profile as JSON has to say -----------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Reads the report of `onnx-run profile --json` and checks that its parts agree."""

import json
import math
import sys

report = json.load(sys.stdin)
functions = report["functions"]
assert report["schema"] == 1 and report["threads"] == 1 and report["samples"] > 0, report
assert math.isclose(sum(f["share"] for f in functions), 1), functions
assert math.isclose(sum(f["milliseconds"] for f in functions), report["milliseconds"]), report
assert [f["share"] for f in functions] == sorted((f["share"] for f in functions), reverse=True)
kernels = [f for f in functions if f["part"] == "kernel"]
assert math.isclose(sum(f["share"] for f in kernels), report["shares"]["kernel"])
# A network of convolutions spends its time in kernels, whatever the machine.
assert report["shares"]["kernel"] > 0.3, report["shares"]
assert all(f["name"].startswith("kernel_") for f in kernels), kernels
