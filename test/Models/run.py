#!/usr/bin/env python3
# ===- run.py - Real models against stored outputs -------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Compiles and runs the models of a folder with a manifest (a checkout's
# ../shared/models) and compares with the outputs stored beside them.
# ===------------------------------------------------------------------------===//
"""Runs real models and compares with their stored outputs; skips with a message where they are absent."""

import argparse
import json
import os
import pathlib
import re
import sys
import tempfile

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import numpy as np
import onnx

from Harness import BUILD, ROOT, artefact, emulated, expectations, isolation, shapes, values

HERE = pathlib.Path(__file__).resolve().parent
HEADER = "Models that do not work yet: name  stage: reason. A listed model that passes fails the run."


def tolerance(expected, noise):
    """(rtol, atol): a ten-thousandth of the largest value, and never less than twice what two builds of the
    reference differ by; float16 results may differ in the last bits of intermediate values."""
    largest = float(np.abs(expected[np.isfinite(expected)]).max(initial=0)) if expected.size else 0.0
    if expected.dtype == np.float16:
        return 1e-2, max(4e-3 * largest, 2 * noise)
    return 1e-3, max(1e-4 * largest, 2 * noise)


def from_json(value):
    """A value of a stored JSON vector: array, list (sequence) or dict (map)."""
    if not isinstance(value, dict):
        return np.array(value)
    if "sequence" in value:
        return [from_json(v) for v in value["sequence"]]
    if "map" in value:
        return {key: from_json(v) for key, v in value["map"]}
    data = [float("nan") if v == "nan" and value["dtype"] != "string" else v for v in value["data"]]
    dtype = object if value["dtype"] == "string" else np.dtype(value["dtype"])
    return np.array(data, dtype).reshape(value["shape"])


def read_vector(path):
    """Returns ({input name: value}, {output name: value})."""
    if path.suffix == ".json":
        stored = json.loads(path.read_text())
        return tuple({n: from_json(v) for n, v in stored[k].items()} for k in ("inputs", "outputs"))
    stored = np.load(path)
    return tuple({str(n): stored[f"{k}_{i}"] for i, n in enumerate(stored[f"{k}_names"])} for k in ("in", "out"))


def compare(name, actual, expected, noise):
    """Raises AssertionError where a value differs from the stored one."""
    if isinstance(expected, list):
        assert len(actual) == len(expected), f"{name} has {len(actual)} elements, expected {len(expected)}"
        for i, (a, e) in enumerate(zip(actual, expected)):
            compare(f"{name}[{i}]", a, e, noise)
    elif isinstance(expected, dict):
        assert list(actual) == list(expected), f"{name} has keys {list(actual)}, expected {list(expected)}"
        for key in expected:
            compare(f"{name}[{key}]", np.asarray(actual[key], np.float64), expected[key].astype(np.float64), noise)
    else:
        actual = np.asarray(actual)
        assert actual.shape == expected.shape, f"{name} has shape {actual.shape}, expected {expected.shape}"
        assert actual.dtype == expected.dtype, f"{name} has type {actual.dtype}, expected {expected.dtype}"
        if expected.dtype.kind == "f":
            rtol, atol = tolerance(expected, noise)
            np.testing.assert_allclose(actual, expected, rtol, atol, err_msg=name)
        else:
            np.testing.assert_array_equal(actual, expected, err_msg=name)


class Check:
    """The job: compiles one model, runs it on its vector, compares."""

    def __init__(self, arguments):
        self.folder, self.level, self.keep = arguments.folder, arguments.O, arguments.keep
        self.mode = arguments.mode
        self.triple, self.target = arguments.triple, artefact.target_of(arguments)

    def __call__(self, entry, reporter):
        reporter.stage("load")
        path = self.folder / entry["file"]
        model = onnx.load(path)
        inputs, expected = read_vector(self.folder / entry["vector"]["file"])
        ordered = [inputs[i.name] for i in values.graph_inputs(model)]
        with tempfile.TemporaryDirectory(prefix="onnxc-") as scratch:
            library = pathlib.Path(self.keep or scratch) / (entry["name"] + ".so")
            library.parent.mkdir(parents=True, exist_ok=True)
            if self.mode != "declared":
                path = library.with_suffix(".onnx")
                shapes.forget_model_shapes(model, keep_ranks=self.mode == "dynamic")
                onnx.save(model, path)
            reporter.stage("compile")
            artefact.compile_model(path, library, O=self.level, **self.target)
            reporter.stage("run")
            outputs = artefact.load_session(library, self.triple).run(ordered)
        reporter.stage("mismatch")
        for info, actual in zip(model.graph.output, outputs, strict=True):
            if info.name in expected:
                compare(info.name, actual, expected[info.name], entry["vector"]["max_abs_diff_vs_optimised_ort"] or 0)


def describe(outcome):
    """One line that says where and why a model failed."""
    message = outcome.message
    if outcome.stage == "mismatch":
        lines = [" ".join(l.split()) for l in message.splitlines() if l.strip()]
        message = "; ".join(l for l in lines if "Mismatched" in l or "Max " in l) or lines[0]
    return f"{outcome.stage}{'' if outcome.status == 'failed' else ' ' + outcome.status}: " + (
        isolation.first_line(message)[:200]
    )


def run_models(entries, arguments):
    check, records = Check(arguments), {}
    runs = isolation.run_isolated(entries, check, arguments.jobs, arguments.timeout, arguments.memory << 30)
    for entry, outcome in runs:
        passed = outcome.status == "passed"
        records[entry["name"]] = {"status": outcome.status, "reason": "" if passed else describe(outcome),
                                  "seconds": round(outcome.seconds, 2), "peak_mb": round(outcome.peak_mb)}  # fmt: skip
        text = f"{outcome.seconds:6.2f} s {outcome.peak_mb:6.0f} MiB"
        print(f"{outcome.status:8} {entry['name']:24} {text}  {records[entry['name']]['reason']}", flush=True)
    return records


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT.parent / "shared" / "models")
    parser.add_argument("--filter", default="", help="only models whose name matches this regular expression")
    parser.add_argument("--count", type=int, help="only so many models, those with the smallest files")
    parser.add_argument("--mode", choices=["declared", "dynamic", "unranked"], default="declared", help="what inputs say of their shapes")
    parser.add_argument("--update", action="store_true", help="rewrite the list of models that do not work")
    parser.add_argument("--keep", help="keep the compiled models in this folder")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=isolation.SECONDS, help="seconds per model")
    parser.add_argument("--memory", type=int, default=16, help="address space per model in GiB")
    parser.add_argument("-O", type=int, default=3, help="optimisation level of the compiler")
    artefact.add_target_options(parser)
    artefact.add_device_option(parser)
    arguments = parser.parse_args()
    artefact.use_device(arguments)
    manifest = arguments.folder / "manifest.json"
    if not manifest.exists():
        print(f"SKIPPED: no models at {arguments.folder}\n0 passed, 0 failed")
        return 0
    entries = [e for e in json.loads(manifest.read_text())["models"] if re.search(arguments.filter, e["name"])]
    entries = sorted(entries, key=lambda e: (arguments.folder / e["file"]).stat().st_size)[: arguments.count]
    if arguments.triple:
        emulated.prepare(arguments.triple)
    records = run_models(entries, arguments)
    name = arguments.triple or ("device" if arguments.device else arguments.mode)
    report = BUILD / "conformance" / ("models.json" if name == "declared" else f"models-{name}.json")
    report.parent.mkdir(parents=True, exist_ok=True)
    report.write_text(json.dumps(records, indent=1, sort_keys=True))
    known = expectations.read(HERE / "expectations.txt")
    if arguments.update:
        known = {k: v for k, v in known.items() if k not in records}
        known |= {n: r["reason"] for n, r in records.items() if r["status"] != "passed"}
        expectations.write(HERE / "expectations.txt", HEADER, known)
    results = {name: record["status"] == "passed" for name, record in records.items()}
    passed, expected, failed, surprising = expectations.judge(results, known)
    for name in failed:
        print(f"FAILED {name}: {records[name]['reason']}")
    for name in surprising:
        print(f"FAILED {name}: passes but is listed in expectations.txt ({known[name]})")
    print(f"{len(expected)} expected failures\n{len(passed)} passed, {len(failed) + len(surprising)} failed")
    return 1 if failed or surprising else 0


if __name__ == "__main__":
    sys.exit(main())
