# ===- check-launches.py - Times of launches have to add up -----------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Reads the report of `onnx-run profile --json` of a model compiled with --profile, and the trace."""

import json
import math
import sys

report = json.load(sys.stdin)
launches = report["launches"]
threads = report["thread_times"]
assert len(threads) == report["threads"], threads
for number, times in enumerate(threads):
    in_launches = sum(launch["thread_milliseconds"][number] for launch in launches)
    assert math.isclose(in_launches, times["launches"], abs_tol=1e-9), (number, in_launches, times)
for launch in launches:
    assert math.isclose(launch["milliseconds"], max(launch["thread_milliseconds"])), launch
    assert launch["calls"] == 1 and launch["nodes"], launch
# The first thread takes part in all of them, within the time of the run.
assert 0 < threads[0]["launches"] + threads[0]["waiting"] < 1.01 * report["milliseconds"], threads

fused = {"conv1", "relu1"}
(launch,) = [la for la in launches if {node["name"] for node in la["nodes"]} == fused]
assert launch["function"].startswith("kernel_Conv_Relu"), launch
for node in report["nodes"]:
    if node["name"] == "relu1":
        assert node["op"] == "Relu" and node["launches"] == [launch["launch"]], node
        assert math.isclose(node["milliseconds"], launch["milliseconds"]), node

events = json.load(open(sys.argv[1], encoding="utf-8"))["traceEvents"]
assert all(event["ts"] >= 0 and event["dur"] >= 0 for event in events), events
names = {event["name"] for event in events if event["tid"] == 0}
assert "conv1 (Conv), relu1 (Relu)" in names and len(names) >= 6, names
