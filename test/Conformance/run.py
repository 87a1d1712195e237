#!/usr/bin/env python3
# ===- run.py - ONNX's backend suite against compiled code -----------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Compiles each case to native code, runs it and compares by the suite's own
# rules; expectations.txt lists the known failures and may only shrink.
# ===------------------------------------------------------------------------===//
"""Runs ONNX's backend test suite on compiled models.

  run.py                          all cases, as declared
  run.py --mode dynamic           every dimension unknown
  run.py --mode unranked          inputs without a shape
  run.py --mode exported          simplified, written to .onnx and read again
  run.py --device                 for a GPU, on the simulated one; with any mode
  run.py --filter 'softmax'       cases whose name matches a regular expression
  run.py --operator Conv          cases that use an operator
  run.py --cases FOLDER           the cases of a folder, with no expectations
  run.py --every 40               one case in 40, chosen by its name
  run.py --triple aarch64-linux-gnu --cpu cortex-a76
                                  cases of tensors for another machine, under QEMU
  run.py --failed-only            cases that failed in the run before
  run.py --update                 rewrite this mode's lines of expectations.txt
"""

import argparse
import collections
import json
import os
import pathlib
import re
import sys
import tempfile
import time
import zlib

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OM_NUM_THREADS", "1")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import cases as suite
import modes
import onnx

from Harness import BUILD, artefact, emulated, expectations, isolation, judging, values

EXPECTATIONS = pathlib.Path(__file__).resolve().parent / "expectations.txt"
HEADER = """Known failures of ONNX's backend suite: mode/case  stage: reason.
A listed case that passes fails the run: remove its line (run.py --update writes the list)."""


class Suite:
    """The job function: compiles, runs and compares one case in a child process."""

    def __init__(self, arguments):
        self.mode, self.level, self.keep = arguments.mode, arguments.O, arguments.keep
        self.triple, self.target = arguments.triple, artefact.target_of(arguments)

    def __call__(self, case, reporter):
        reporter.stage("load")
        model = onnx.load(case.path / "model.onnx")
        data_sets = sorted(case.path.glob("test_data_set_*"))
        with tempfile.TemporaryDirectory(prefix="onnxc-") as scratch:
            folder = pathlib.Path(scratch)
            if self.keep:
                folder = self.keep / self.mode / case.name
                folder.mkdir(parents=True, exist_ok=True)
            for data_set in data_sets:
                self.check(case, model, data_set, folder, reporter)

    def check(self, case, model, data_set, folder, reporter):
        inputs, expected = values.read_data_set(data_set, model)
        judge = judging.rule_of(model, inputs)
        inputs = modes.apply_mode(self.mode, model, inputs)
        source, library = folder / "model.onnx", folder / "model.so"
        onnx.save(model, source)
        if self.mode == "exported":
            reporter.stage("export")
            source = artefact.compile_model(source, folder / "exported.onnx", emit="model")
        reporter.stage("compile")
        artefact.compile_model(source, library, O=self.level, **self.target)
        reporter.stage("run")
        session = artefact.load_session(library, self.triple)
        if judge:
            reporter.stage("mismatch")
            return judge(lambda: session.run(inputs), expected)
        outputs = session.run(inputs)
        reporter.stage("mismatch")
        values.assert_similar(expected, outputs, case.rtol, case.atol)


def mismatch_line(message):
    """One line of numpy's many about arrays that differ."""
    lines = [" ".join(l.split()) for l in message.splitlines() if l.strip()]
    chosen = [l for l in lines if re.search(r"Mismatched elements|Max absolute|incorrect shape|mismatch|ACTUAL|DESIRED", l)]
    return "; ".join(chosen[:3]) or (lines[0] if lines else "")


def run_cases(selected, arguments):
    """Runs the cases with a progress line; returns {case name: record}."""
    records, started = {}, time.monotonic()
    job = Suite(arguments)
    artefact.warm_up()
    for case, outcome in isolation.run_isolated(selected, job, arguments.jobs, arguments.timeout, arguments.memory << 30):
        message = outcome.message
        if outcome.stage == "mismatch" and outcome.status == "failed":
            message = mismatch_line(message)
        records[case.name] = {
            "kind": case.kind, "status": outcome.status, "stage": outcome.stage,
            "message": isolation.first_line(message), "operators": case.operators, "types": case.types,
            "seconds": round(outcome.seconds, 3), "cpu": round(outcome.cpu_seconds, 3), "peak_mb": round(outcome.peak_mb),
        }  # fmt: skip
        if arguments.verbose:
            print(f"{outcome.status:8} {case.name} {outcome.stage if outcome.status != 'passed' else ''} {message[:300]}")
        elif len(records) % 200 == 0:
            failed = sum(r["status"] != "passed" for r in records.values())
            print(f"  {len(records)}/{len(selected)} cases, {failed} not passing, {time.monotonic() - started:.0f} s", flush=True)
        if arguments.stop and outcome.status != "passed":
            break
    return records


REFUSAL = r"^.* error: (?:'\S+' op )?(.*?)(?:, which a device .*|: compile the model .*)?$"


def reason_of(record):
    if record["stage"] == "refused":
        # Without the place, and the advice.
        return "refused: " + re.sub(REFUSAL, r"\1", record["message"])[:120]
    what = record["stage"] if record["status"] == "failed" else f"{record['stage']} {record['status']}"
    return f"{what}: {record['message']}"[:160]


def print_reasons(records, limit):
    """The table by which failures are sorted out: cause, number of cases, an example."""
    groups = collections.defaultdict(list)
    for name, record in records.items():
        if record["status"] != "passed":
            stage = record["stage"] + ("" if record["status"] == "failed" else " " + record["status"])
            message = record["message"]
            if record["stage"] == "mismatch":
                message = "wrong shape" if "shape" in message else "wrong values"
            groups[stage, expectations.generalise(message)].append(name)
    if groups:
        print(f"\n{'cases':>5}  {'stage':16} reason (example)")
    for (stage, reason), names in sorted(groups.items(), key=lambda item: -len(item[1]))[:limit]:
        print(f"{len(names):5}  {stage:16} {reason} ({names[0]})")


def print_operators(records, everything):
    """Passed of all cases by operator, the first operator of a node case being the one under test."""
    table = collections.defaultdict(lambda: [0, 0])
    for name, record in records.items():
        if record["kind"] == "node":
            label = "(function bodies)" if "_expanded" in name else (record["operators"] or ["-"])[0]
            table[label][0] += record["status"] == "passed"
            table[label][1] += 1
    incomplete = {k: v for k, v in table.items() if everything or v[0] < v[1]}
    print(f"\noperators: {len(table)}, complete: {sum(p == n for p, n in table.values())}")
    row = [f"{name} {passed}/{count}" for name, (passed, count) in sorted(incomplete.items())]
    for start in range(0, len(row), 5):
        print("  " + "   ".join(f"{cell:28}" for cell in row[start : start + 5]).rstrip())
    for kind in sorted({r["kind"] for r in records.values()}):
        of_kind = [r for r in records.values() if r["kind"] == kind]
        print(f"{kind}: {sum(r['status'] == 'passed' for r in of_kind)} of {len(of_kind)}")


def update_expectations(mode, records, complete):
    """Replaces this mode's lines: of all its cases after a complete run, else of the cases that ran."""
    lines = expectations.read(EXPECTATIONS)
    kept = {k: v for k, v in lines.items() if not k.startswith(mode + "/")}
    if not complete:
        kept |= {k: v for k, v in lines.items() if k.startswith(mode + "/") and k.split("/", 1)[1] not in records}
    kept |= {f"{mode}/{n}": reason_of(r) for n, r in records.items() if r["status"] != "passed"}
    expectations.write(EXPECTATIONS, HEADER, kept)


def save_report(mode, records, complete):
    """Writes build/conformance/MODE.json, merging a partial run into the one before."""
    path = BUILD / "conformance" / f"{mode}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    merged = {} if complete or not path.exists() else json.loads(path.read_text())
    merged.update(records)
    path.write_text(json.dumps(merged, indent=1, sort_keys=True))
    return path


# Operators whose artefacts need a library that is not installed for other machines.
WITH_LIBRARIES = {"ImageDecoder", "RegexFullMatch"}


def can_be_emulated(case):
    if WITH_LIBRARIES & set(case.operators):
        return False
    graph = onnx.load(case.path / "model.onnx").graph
    return all(value.type.HasField("tensor_type") for value in [*graph.input, *graph.output])


def select(all_cases, arguments):
    selected = all_cases
    if arguments.kind:
        selected = [c for c in selected if c.kind == arguments.kind]
    if arguments.filter:
        selected = [c for c in selected if re.search(arguments.filter, c.name)]
    if arguments.every > 1:
        selected = [c for c in selected if zlib.crc32(c.name.encode()) % arguments.every == 0]
    if arguments.triple:
        selected = [c for c in selected if can_be_emulated(c)]
    if arguments.operator:
        selected = [c for c in selected if arguments.operator in c.operators]
    path = BUILD / "conformance" / f"{label_of(arguments)}.json"
    if arguments.failed_only and path.exists():
        before = json.loads(path.read_text())
        selected = [c for c in selected if before.get(c.name, {"status": "new"})["status"] != "passed"]
    return selected


def label_of(arguments):
    """The name of this way to run in reports and expectations."""
    if not arguments.device:
        return arguments.mode
    return "device" if arguments.mode == "static" else f"device-{arguments.mode}"


def parse_arguments(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mode", choices=modes.MODES, default="static")
    parser.add_argument("--cases", type=pathlib.Path, help="a folder of cases instead of the suite's")
    parser.add_argument("--kind", choices=["node", "light", *suite.STORED_KINDS])
    parser.add_argument("--filter", help="regular expression on the case name")
    parser.add_argument("--operator", help="only cases whose main graph uses this operator")
    parser.add_argument("--every", type=int, default=1, help="one case in so many, the same ones each time")
    parser.add_argument("--failed-only", action="store_true", help="only cases that did not pass last time")
    parser.add_argument("--update", action="store_true", help="rewrite the expectations of the cases run")
    parser.add_argument("--stop", action="store_true", help="stop at the first failure")
    parser.add_argument("--keep", type=pathlib.Path, help="keep model.onnx and model.so of each case in this folder")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=isolation.SECONDS, help="seconds per case")
    parser.add_argument("--memory", type=int, default=12, help="address space per case in GiB")
    parser.add_argument("-O", type=int, default=1, help="optimisation level of the compiler")
    parser.add_argument("--reasons", type=int, default=40, help="rows of the table of reasons")
    parser.add_argument("-v", "--verbose", action="store_true")
    artefact.add_target_options(parser)
    artefact.add_device_option(parser)
    return parser.parse_args(words)


def main():
    arguments = parse_arguments()
    if arguments.triple:
        emulated.prepare(arguments.triple)
    artefact.use_device(arguments)
    label, started = label_of(arguments), time.monotonic()
    all_cases = suite.cases_of_folder(arguments.cases) if arguments.cases else suite.load_cases()
    selected = select(all_cases, arguments)
    if arguments.device:
        # Whole networks take minutes on the simulated device.
        all_cases = [c for c in all_cases if c.kind != "light"]
        selected = [c for c in selected if c.kind != "light"]
    complete = len(selected) == len(all_cases)
    print(f"conformance, {label} mode: {len(selected)} of {len(all_cases)} cases", flush=True)
    records = run_cases(selected, arguments)
    name = arguments.triple or ("folder" if arguments.cases else label)
    report = save_report(name, records, complete)
    print_reasons(records, arguments.reasons)
    print_operators(records, not complete)
    if arguments.update and not arguments.cases:
        update_expectations(label, records, complete)
    expected = {} if arguments.cases else expectations.read(EXPECTATIONS)
    results = {f"{label}/{n}": r["status"] == "passed" for n, r in records.items()}
    passed, known, failed, surprising = expectations.judge(results, expected)
    # A refusal that has become a wrong result is not a known failure.
    changed = [k for k in known if expected[k].split(": ")[0] != reason_of(records[k.split("/", 1)[1]]).split(": ")[0]]
    known, failed = [k for k in known if k not in changed], failed + changed
    refused = sum(r["stage"] == "refused" for r in records.values())
    for key in failed:
        print(f"FAILED {key}: {reason_of(records[key.split('/', 1)[1]])}")
    for key in surprising:
        print(f"FAILED {key}: passes but is listed in expectations.txt ({expected[key]})")
    gone = [k for k in expected if complete and k.startswith(label + "/") and k not in results]
    for key in gone:
        print(f"FAILED {key}: listed in expectations.txt but no such case")
    cpu = sum(r["cpu"] for r in records.values()) / max(1, len(records))
    print(f"\n{report}: {time.monotonic() - started:.0f} s, {cpu * 1000:.0f} ms CPU a case")
    print(f"{len(known)} expected failures" + (f", {refused} of them refused by the compiler" if refused else ""))
    bad = len(failed) + len(surprising) + len(gone)
    print(f"{len(passed)} passed, {bad} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
