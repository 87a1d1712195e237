#!/usr/bin/env python3
# ===- models.py - Random models against two other implementations ---------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Draws valid graphs of 1 to 60 nodes, compiles them with known or unknown sizes
# or with constants for inputs, and compares with the reference implementation of
# the onnx package. Where results differ, onnxruntime is asked too: a model fails
# if nobody agrees with us.
# ===------------------------------------------------------------------------===//
"""Checks that random models compute what the reference implementation does.

  models.py                       a run of random models, seeded
  models.py --seed 7 --count 2000
  models.py --only 123            one model, verbosely: its number
  models.py --operator Resize     models of one node, of that operator
  models.py --device              for a GPU, on the simulated one
Models that fail are kept in build/model-failures, cut down to the first value that is wrong.
"""

import argparse
import functools
import os
import pathlib
import re
import sys
import tempfile

os.environ.setdefault("OM_NUM_THREADS", "2")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "Operators"))

import numpy as np
import onnx
import onnxruntime  # noqa: F401, loaded here once for all children
from templates import NUMBERS, TEMPLATES

from Harness import BUILD, artefact, isolation

from any_operator import OPERATORS, any_operator
from control_flow import branch, container_loop, loop, scan
from draw import NEWEST, Draw, attempt, differs, run_peer
from dressing import MODES
from older_forms import OLDEST
from options import draw_options

FAILURES = BUILD / "model-failures"
# Not every graph can be compiled without the ranks of its inputs: an error that names the node and says so is no failure.
REFUSAL = re.compile(r"""("\w*n\d+"|node '\w*n\d+).*(needs to know the rank|the rank has to be)""")
TEMPLATES += [any_operator] * 60 + [branch, loop, scan] * 3 + [container_loop] * 2


def draw_model(seed, operators=()):
    """A model of any nodes, or of one node of one of these operators."""
    rng = np.random.default_rng(seed)
    is_old = rng.random() < 0.2
    draw = Draw(rng, opset=int(rng.integers(OLDEST, NEWEST)) if is_old else NEWEST)
    for _ in range(draw.integer(1, 3)):
        shape = draw.shape(draw.one([0, 1, 2, 2, 3, 3, 4, 4, 5, 6]))
        dtype = draw.one([np.float32, np.float32, np.float32, *NUMBERS, np.bool_])
        draw.input(draw.numbers(shape, dtype))
    if operators:
        draw.grow([functools.partial(any_operator, choices=operators)], 1)
    else:
        draw.grow(TEMPLATES, draw.one([1, 2, 3, 5, 8, 13, 20, 30] * 3 + [60]))
    return draw


def made_values(draw):
    names = {n for p, _ in draw.nodes for n in p.output}
    return [v for v in [*draw.values, *draw.containers, *draw.judged] if v.name in names]


def drawn_outputs(draw):
    """What nobody reads, and some of what is read."""
    return [v for v in made_values(draw) if not v.is_read or draw.chance(0.05)]


def run_ours(model, inputs, options, reporter):
    with tempfile.TemporaryDirectory(prefix="onnxc-") as scratch:
        path, library = pathlib.Path(scratch, "model.onnx"), pathlib.Path(scratch, "model.so")
        onnx.save(model, path)
        reporter.stage("compile")
        artefact.compile_model(path, library, **options)
        reporter.stage("run")
        return artefact.load_session(library).run(inputs)


def peer_agrees(draw, model, value, ours):
    """True if onnxruntime computes what we do."""
    theirs = attempt(run_peer, model, {v.name: v.array for v in draw.inputs}, [value.name])
    return theirs is not None and differs(ours, value, theirs[0]) is None


def first_wrong(draw, mode, number, options, reporter):
    """The first value of the graph that is wrong when it is the only output."""
    order = {n: i for i, (p, _) in enumerate(draw.nodes) for n in p.output}
    for value in sorted(made_values(draw), key=lambda v: order[v.name]):
        model, inputs = draw.model([value], mode, number)
        (ours,) = run_ours(model, inputs, options, reporter)
        reporter.stage("mismatch")
        problem = differs(ours, value)
        if problem and not peer_agrees(draw, model, value, ours):
            maker = next(p for p, _ in draw.nodes if value.name in p.output)
            return model, f"{maker.op_type} gives {problem}{told(options)}"
    return None, None


def told(options):
    return "".join(f" {n}={v}" for n, v in options.items())


def is_refusal(mode, error):
    return mode == "unranked" and REFUSAL.search(" ".join(str(error).split()))


def check(number, reporter, operators=()):
    reporter.stage("draw")
    draw = draw_model(number, operators)
    outputs = drawn_outputs(draw)
    if not outputs:
        return 0
    mode, options = draw.one(MODES), draw_options(number)
    model, inputs = draw.model(outputs, mode, number)
    FAILURES.mkdir(parents=True, exist_ok=True)
    kept = FAILURES / f"{number}.onnx"
    onnx.save(model, kept)
    try:
        results = run_ours(model, inputs, options, reporter)
    except (isolation.StageError, artefact.RunError, ValueError) as error:
        if not is_refusal(mode, error):
            raise
        kept.unlink()
        return "refused"
    reporter.stage("mismatch")
    problems = [p for p in map(differs, results, outputs) if p]
    if problems:
        smaller, problem = first_wrong(draw, mode, number, options, reporter)
        reporter.stage("mismatch")
        if problem:
            onnx.save(smaller, kept)
            raise AssertionError(problem)
        wrong = [i for i, v in enumerate(outputs) if differs(results[i], v)]
        if not all(peer_agrees(draw, model, outputs[i], results[i]) for i in wrong):
            raise AssertionError(f"only together: {problems[0]}{told(options)}")
    kept.unlink()
    return [p.op_type for p, _ in draw.nodes]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", type=int, help="number of one model")
    parser.add_argument("--operator", action="append", help="only nodes of this operator, with its domain; may be repeated")
    artefact.add_device_option(parser)
    arguments = parser.parse_args()
    artefact.use_device(arguments)
    operators = [drawn for drawn in OPERATORS if drawn[0].key in (arguments.operator or ())]
    if arguments.operator and not operators:
        parser.error("no such operator is drawn")
    job = functools.partial(check, operators=operators)
    numbers = [arguments.only] if arguments.only is not None else range(arguments.seed, arguments.seed + arguments.count)
    passed = failed = refused = undrawn = nodes = 0
    kinds = set()
    for number, outcome in isolation.run_isolated(numbers, job, arguments.jobs, memory=16 << 30):
        if outcome.value == "refused":
            refused, passed = refused + 1, passed + 1
        elif (outcome.status, outcome.stage) == ("crashed", "draw"):  # our compiler has not seen it
            undrawn += 1
        elif outcome.status == "passed":
            passed, nodes = passed + 1, nodes + len(outcome.value or [])
            kinds |= set(outcome.value or [])
        else:
            failed += 1
            print(f"FAILED {number}: {outcome.stage} {outcome.status}: {' '.join(outcome.message.split())[:300]}", flush=True)
    print(f"{nodes} nodes of {len(kinds)} operators; {refused} models of unknown ranks refused, onnxruntime crashed on {undrawn}")
    failed += undrawn > len(numbers) // 20 + 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
