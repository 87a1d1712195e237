# ===- check-load.py - The parts of a load report have to agree -------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Reads the report of `onnx-run bench --json`, and the files of --csv and --svg."""

import collections
import csv
import json
import math
import sys
import xml.etree.ElementTree

report = json.load(sys.stdin)
times = report["milliseconds"]
order = ["min", "p50", "p90", "p99", "max"]
assert [times[name] for name in order] == sorted(times[name] for name in order), times
assert times["min"] <= times["mean"] <= times["max"], times
assert sum(report["caller_iterations"]) == report["iterations"], report
assert len(report["caller_iterations"]) == report["callers"], report
assert report["peak_rss_bytes"] > report["context_bytes"], report
assert set(report["energy"]) in ({"missing"}, {"joules", "joules_per_run"}), report

with open(sys.argv[1], encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
assert len(rows) == report["iterations"], rows
counts = collections.Counter(int(row["caller"]) for row in rows)
assert [counts[caller] for caller in range(report["callers"])] == report["caller_iterations"], counts
latencies = sorted(float(row["latency_seconds"]) for row in rows)
assert math.isclose(latencies[0] * 1e3, times["min"], abs_tol=2e-6), (latencies[0], times)
assert math.isclose(latencies[-1] * 1e3, times["max"], abs_tol=2e-6), (latencies[-1], times)
due = [float(row["due_seconds"]) for row in rows]
end = max(at + float(row["latency_seconds"]) for at, row in zip(due, rows))
assert math.isclose(report["runs_per_second"], len(rows) / end, rel_tol=1e-3), report
assert due == sorted(due) and due[0] >= 0, due
if report.get("arrivals") == "fixed":
    assert all(math.isclose(at, i / report["due_per_second"], abs_tol=2e-9) for i, at in enumerate(due)), due
if report.get("due_per_second") == 1e9:
    # All are due at once, so the last has waited for all others.
    assert float(rows[-1]["latency_seconds"]) > 0.9 * end, rows[-1]
if "cold_start" in report:
    steps = report["cold_start"]
    assert steps["total"]["min"] >= sum(steps[name]["min"] for name in ("load", "context", "first_run")) - 1e-9, steps
    assert all(steps[name]["min"] <= steps[name]["median"] <= steps[name]["max"] for name in ("load", "total")), steps

svg = xml.etree.ElementTree.parse(sys.argv[2]).getroot()
dots = [element for element in svg.iter() if element.tag.endswith("circle")]
lines = [element for element in svg.iter() if element.tag.endswith("polyline")]
assert len(dots) == min(len(rows), 2000) and len(lines) == 1, (len(dots), len(lines))
