#!/usr/bin/env python3
# ===- run.py - Every operator with every element type ----------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# A small node for each operator and each type that its schema allows, one type
# constraint varied after the other. The nodes of an operator are compiled as
# one model; if it fails, each as a model of its own.
# ===------------------------------------------------------------------------===//
"""Compiles and runs every operator with every element type that its schema allows.

  run.py                                the suite
  run.py --operator Cast                one operator
  run.py --mode dynamic                 with every size unknown until the run
  run.py --mode unranked --share 9      with no shape at all, every ninth case
  run.py --mode constant --share 2      with constants for operands, every second case
  run.py --device                       for a GPU, on the simulated one; with any mode
Results are written to build/operator-types.json.
"""

import argparse
import collections
import json
import os
import pathlib
import sys
import tempfile
import zlib

os.environ.setdefault("OM_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import numpy as np
import onnx
import references
import schemas
import table

from Harness import BUILD, artefact, expectations, isolation

EXPLAINED = pathlib.Path(__file__).with_name("explained.txt")
# Nodes that are compiled together; of unknown rank each may be there several times.
TOGETHER = {"unranked": 12}


class Case:
    """An operator with a type for each constraint."""

    def __init__(self, signature, row, types):
        self.signature, self.row, self.types = signature, row, types
        said = ",".join(f"{n}={k.replace('tensor(', '').replace(')', '').replace('(', '.')}" for n, k in types.items())
        self.name = f"{signature.key}[{said.replace(' ', '')}]"

    def make(self, types=None):
        """The node, in other types if told."""
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        return self.row.make(table.Maker(self.signature, types or self.types, rng))


def all_cases(pattern):
    """(cases, operators without a row)"""
    cases, missing = [], []
    for signature in schemas.all_signatures():
        if pattern and signature.key not in pattern:
            continue
        row = table.row_of(signature)
        if row is None:
            missing.append(signature.key)
            continue
        cases += [Case(signature, row, types) for types in table.combinations(signature, row)]
    return cases, missing


def compute(pairs, mode, reporter=None):
    """Compiles nodes [(signature, node)] as one model; returns the outputs of each."""
    protos, inputs, outputs = [], [], []
    for i, (signature, node) in enumerate(pairs):
        proto, operands = references.make_node(signature, node, f"c{i}_")
        protos.append(proto)
        inputs += operands
        outputs += proto.output
    if mode == "constant":
        inputs = [(n, o._replace(structural=o.kind.startswith("tensor"))) for n, o in inputs]
    model = references.make_model(protos, inputs, outputs, unknown=mode == "dynamic", ranked=mode != "unranked")
    with tempfile.TemporaryDirectory(prefix="onnxc-") as scratch:
        path, library = pathlib.Path(scratch, "model.onnx"), pathlib.Path(scratch, "model.so")
        onnx.save(model, path)
        if reporter:
            reporter.stage("compile")
        artefact.compile_model(path, library)
        if reporter:
            reporter.stage("run")
        results = artefact.load_session(library).run(list(references.feeds(inputs).values()))
    ends = np.cumsum([0] + [len(p.output) for p in protos])
    return [results[a:b] for a, b in zip(ends, ends[1:])]


def ours(signature, node):
    return compute([(signature, node)], "static")[0]


class Job:
    """Compiles, runs and judges some cases in a child process."""

    def __init__(self, mode):
        self.mode = mode

    def __call__(self, cases, reporter):
        reporter.stage("make")
        nodes = [case.make() for case in cases]
        results = compute([(c.signature, n) for c, n in zip(cases, nodes)], self.mode, reporter)
        reporter.stage("judge")
        return [references.judge(c, n, r, ours) for c, n, r in zip(cases, nodes, results)]


def batches(cases, together):
    """Cases of one operator, some at a time."""
    groups = collections.defaultdict(list)
    for case in cases:
        groups[case.signature.key].append(case)
    for group in groups.values():
        yield from (group[i : i + together] for i in range(0, len(group), together))


def run_all(cases, arguments):
    """Returns {case name: (status, message)}; status is passed, refused, wrong or crashed."""
    results, again, job = {}, [], Job(arguments.mode)

    def take(batch, outcome, alone):
        if outcome.status == "passed":
            for case, (wrong, agreed) in zip(batch, outcome.value):
                results[case.name] = ("wrong", wrong) if wrong else ("passed", agreed)
        elif alone:
            status = "refused" if outcome.status == "failed" else "crashed"
            results[batch[0].name] = (status, f"{outcome.stage}: {' '.join(outcome.message.split())[:300]}")
        else:
            again.extend([case] for case in batch)

    for batch, outcome in isolation.run_isolated(list(batches(cases, TOGETHER.get(arguments.mode, 48))), job, arguments.jobs, memory=16 << 30):
        take(batch, outcome, len(batch) == 1)
    for batch, outcome in isolation.run_isolated(again, job, arguments.jobs, memory=16 << 30):
        take(batch, outcome, True)
    return results


def save_report(cases, results, missing):
    """Writes which types of which constraint work, for utils/coverage.py."""
    operators = collections.defaultdict(dict)
    for case in cases:
        status, message = results[case.name]
        operators[case.signature.key][case.name] = {"types": case.types, "status": status, "message": message}
    path = BUILD / "operator-types.json"
    path.write_text(json.dumps({"operators": operators, "without row": missing}, indent=1, sort_keys=True))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--operator", action="append", help="only this operator, with its domain; may be repeated")
    parser.add_argument("--mode", choices=["static", "dynamic", "unranked", "constant"], default="static")
    parser.add_argument("--share", type=int, default=1, metavar="N", help="every Nth case only")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("-v", "--verbose", action="store_true", help="say who agrees with each result")
    artefact.add_device_option(parser)
    arguments = parser.parse_args()
    artefact.use_device(arguments)
    cases, missing = all_cases(arguments.operator)
    cases = cases[:: arguments.share]
    results = run_all(cases, arguments)
    if not (arguments.operator or arguments.device) and arguments.mode == "static" and arguments.share == 1:
        save_report(cases, results, missing)
    expected = expectations.read(EXPLAINED)
    verdicts = {name: status == "passed" for name, (status, _) in results.items()} | dict.fromkeys(missing, False)
    passed, known, failed, surprising = expectations.judge(verdicts, expected)
    for name in sorted(failed):
        status, message = results.get(name, ("missing", "the operator has no row in rows/"))
        print(f"FAILED {name}: {status}: {message[:400]}", flush=True)
    for name in surprising:
        print(f"FAILED {name}: passes but is listed in explained.txt")
    if arguments.verbose:
        for name, (status, message) in sorted(results.items()):
            print(f"{status:8} {name} {message[:200]}")
    counts = collections.Counter(message for status, message in results.values() if status == "passed")
    print(f"{len(known)} explained; agreed with: {', '.join(f'{n} {c}' for n, c in counts.most_common())}")
    print(f"{len(passed)} passed, {len(failed) + len(surprising)} failed")
    return 1 if failed or surprising else 0


if __name__ == "__main__":
    sys.exit(main())
