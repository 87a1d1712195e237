# ===- report_times.py - Times of a report are those of its profile --------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""report_times.py PROFILE.json REPORT.json: each launch counts for one node, with its rates."""

import json
import math
import sys

profile, report = (json.load(open(name)) for name in sys.argv[1:])
assert report["milliseconds"] == profile["milliseconds"], report["milliseconds"]
layers = [layer for layer in report["layers"] if "milliseconds" in layer]
launches = sum(row["milliseconds"] for row in profile["launches"])
assert math.isclose(sum(layer["milliseconds"] for layer in layers), launches), (layers, launches)
(conv,) = [layer for layer in layers if layer["name"] == "conv1"]
rows = [row for row in profile["launches"] if "conv1" in {node["name"] for node in row["nodes"]}]
time = sum(row["milliseconds"] for row in rows)
operations = sum(row["operations"] for row in rows)
assert math.isclose(conv["milliseconds"], time), (conv, rows)
assert math.isclose(conv["gflops"], operations / time * 1e-6, rel_tol=1e-6), (conv, rows)
assert conv["roofline_share"] > 0, conv
