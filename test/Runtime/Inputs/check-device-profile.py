# ===- check-device-profile.py - Times of launches of a GPU -----------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Reads the report of `onnx-run profile --json` and the trace of the model of device-profile.py."""

import json
import math
import sys

report, trace = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:])
rows = {row["function"]: row for row in report["launches"]}
times = {"kernel_MatMul_0": (1, 1), "kernel_Softmax_0": (1, 1), "kernel_Tanh_0": (3, 24)}
for function, (calls, microseconds) in times.items():
    row = rows[function]
    assert row["on_device"] and row["calls"] == calls, row
    assert math.isclose(row["milliseconds"], microseconds / 1000, rel_tol=1e-6), row
    assert row["thread_milliseconds"] == [0], row
assert not rows["onnxc_call_poll"]["on_device"], rows
assert math.isclose(report["device_times"]["launches"], 0.026, rel_tol=1e-6), report["device_times"]
(act,) = [node for node in report["nodes"] if node["name"] == "act"]
assert math.isclose(act["milliseconds"], 0.024, rel_tol=1e-6), act

# By an A100: 108 multiprocessors of 1.41 GHz, 64 multiply-adds on f32 and 13.4 bytes of memory in a cycle.
peaks = report["device_roofline"]
assert math.isclose(peaks["gops_by_type"]["f32"], 2 * 64 * 108 * 1.41), peaks
assert math.isclose(peaks["gbytes_per_second"], 13.4 * 108 * 1.41), peaks
product = rows["kernel_MatMul_0"]
assert product["operations"] == 2 * 64 * 32 * 16, product
rates = peaks["gops_by_type"]["f32"], peaks["gbytes_per_second"]
roofline = max(product["operations"] / rates[0], product["bytes"] / rates[1]) * 1e-9
assert math.isclose(product["roofline_share"], roofline / 1e-6, rel_tol=1e-6), product

# The launches in their order, one after the other from the first one on.
events = [event for event in trace["traceEvents"] if event["ph"] == "X" and event["tid"] == 1]
assert [event["name"] for event in events] == ["product (MatMul)", "soft (Softmax)", *3 * ["act (Tanh)"]], events
assert [round(event["dur"]) for event in events] == [1, 1, 8, 8, 8], events
assert [round(event["ts"]) for event in events] == [0, 1, 2, 10, 18], events
(name,) = [event for event in trace["traceEvents"] if event["ph"] == "M"]
assert name["args"]["name"] == "device" and name["tid"] == 1, name
host = [event for event in trace["traceEvents"] if event["tid"] == 0]
assert host and all(0 <= event["ts"] < 6e7 for event in host), host
