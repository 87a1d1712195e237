#!/usr/bin/env python3
# ===- mutants.py - Damaged models, recipes and values ----------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Changes small valid files at random. The compiler must take them or refuse them
# with a message that names the file: no crash, no endless loop, no internal
# error, no memory out of proportion. What it takes is run, which may fail, too.
# ===------------------------------------------------------------------------===//
"""Checks that no damaged file does harm.

  mutants.py                           a run of random damage, seeded
  mutants.py --kind model --seed 7 --count 5000
  mutants.py --kind recipe --only 123  one of them
  ONNXC_BUILD=build/sanitize mutants.py  with instrumented tools: what the sanitizers report is harm
Files that do harm are kept in build/mutant-failures, in a folder each.
"""

import argparse
import os
import pathlib
import shutil
import sys

os.environ.setdefault("OM_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "Operators"))

import numpy as np

from Harness import BUILD, isolation

import hostile_models
import hostile_recipes
import hostile_values

FAILURES = BUILD / "mutant-failures"
# The name of a kind of file: a function of a random generator and a folder that writes a damaged
# file and has it read; it returns what became of it, or raises an AssertionError.
KINDS = {"model": hostile_models.check, "recipe": hostile_recipes.check, "value": hostile_values.check}
# Of a hundred files.
SHARES = {"model": 80, "recipe": 12, "value": 8}
TOGETHER = 20
# For all of them, and of address space: what takes longer or more is out of proportion to some hundred bytes.
SECONDS = 300
MEMORY = 8 << 30


def kind_of(number):
    """The kind of a file in a run of all kinds."""
    place = number % 100
    for kind, share in SHARES.items():
        if place < share:
            return kind
        place -= share
    raise AssertionError("the shares do not make a hundred")


class Job:
    """Some files in a child process, one after the other; says which is being read."""

    def __init__(self, kind):
        self.kind = kind

    def __call__(self, numbers, reporter):
        fates = []
        for number in numbers:
            folder = FAILURES / str(number)
            folder.mkdir(parents=True)
            reporter.stage(number)
            kind = self.kind or kind_of(number)
            try:
                fates.append(KINDS[kind](np.random.default_rng([number, list(KINDS).index(kind)]), folder))
            except isolation.StageError as error:  # its stage is not the number
                raise AssertionError(str(error)) from None
            shutil.rmtree(folder)
        return fates


def run_all(numbers, arguments):
    """Yields (number, fate, None) of those that did no harm, and (number, None, harm)."""
    waiting = [numbers[i : i + TOGETHER] for i in range(0, len(numbers), TOGETHER)]
    while waiting:
        rest = []
        for batch, outcome in isolation.run_isolated(waiting, Job(arguments.kind), arguments.jobs, SECONDS, MEMORY):
            if outcome.status == "passed":
                yield from ((n, fate, None) for n, fate in zip(batch, outcome.value))
                continue
            # The files before it did no harm, those after it are still to be read.
            at = batch.index(outcome.stage)
            yield from ((n, "harmless", None) for n in batch[:at])
            yield batch[at], None, f"{outcome.status}: {' '.join(outcome.message.split())[:300]}"
            if batch[at + 1 :]:
                rest.append(batch[at + 1 :])
        waiting = rest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kind", choices=list(KINDS))
    parser.add_argument("--only", type=int, help="number of one file")
    arguments = parser.parse_args()
    numbers = [arguments.only] if arguments.only is not None else list(range(arguments.seed, arguments.seed + arguments.count))
    shutil.rmtree(FAILURES, ignore_errors=True)
    FAILURES.mkdir(parents=True)
    fates, failed = {}, 0
    for number, fate, harm in run_all(numbers, arguments):
        if harm:
            failed += 1
            print(f"FAILED {number}: {harm}", flush=True)
        else:
            fates[fate] = fates.get(fate, 0) + 1
    print(", ".join(f"{count} {fate}" for fate, count in sorted(fates.items())))
    print(f"{sum(fates.values())} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
