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
assert 0 < threads[0]["launches"] + threads[0]["waiting"] < 1.01 * report["observed_milliseconds"], threads
assert 16 <= report["observed_runs"] <= report["iterations"] == 200, report

fused = {"conv1", "relu1"}
(launch,) = [la for la in launches if {node["name"] for node in la["nodes"]} == fused]
assert launch["function"].startswith("kernel_Conv_Relu"), launch
for node in report["nodes"]:
    if node["name"] == "relu1":
        assert node["op"] == "Relu" and node["launches"] == [launch["launch"]], node
        assert math.isclose(node["milliseconds"], launch["milliseconds"]), node

# 64 images of 8x8 in 8 channels, of 3x3 multiply-adds, a bias and a maximum.
outputs = 64 * 8 * 8 * 8
assert launch["operations"] == outputs * (2 * 9 + 2), launch
assert 4 * outputs <= launch["bytes"] <= 4 * (outputs + 64 * 10 * 10 + 8 * 10), launch
for row in report["launches"]:
    seconds = row["milliseconds"] * 1e-3
    assert row["gflops"] == 0 or math.isclose(row["gflops"] * 1e9 * seconds, row["operations"]), row
    assert math.isclose(row["gbytes_per_second"] * 1e9 * seconds, row["bytes"]), row
    assert row["roofline_share"] > 0, row
roofline = report["roofline"]
rates = [row["gbytes_per_second"] for row in roofline["bandwidths"]]
assert roofline["gflops"] > 0 and rates[-1] > 0 and rates == sorted(rates, reverse=True), roofline

events = json.load(open(sys.argv[1], encoding="utf-8"))["traceEvents"]
# In microseconds from the beginning of the run, which takes no minute.
assert all(0 <= event["ts"] < 6e7 and 0 <= event["dur"] < 6e7 for event in events), events
names = {event["name"] for event in events if event["tid"] == 0}
assert "conv1 (Conv), relu1 (Relu)" in names and len(names) >= 6, names
