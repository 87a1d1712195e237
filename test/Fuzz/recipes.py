#!/usr/bin/env python3
# ===- recipes.py - Random recipes change no results -----------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Compiles small models with random legal recipes and compares with the empty
# recipe: equal bits where every reduction keeps its order, else within tolerance.
# ===------------------------------------------------------------------------===//
"""Checks that recipes never change results.

  recipes.py                      200 random legal recipes per run, seeded
  recipes.py --seed 7 --count 20
  recipes.py --only gemm:123      one draw, verbosely: model name and draw number
The models and the recipes that failed are kept in build/recipe-failures.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

os.environ.setdefault("OM_NUM_THREADS", "2")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import graphs
import numpy as np
import onnx
from recipe_edits import Kernel, Op, random_recipe

from Harness import BUILD, artefact, isolation

FAILURES = BUILD / "recipe-failures"
ENTRY = re.compile(r'^kernel "((?:[^"\\]|\\.)*)" ([0-9a-f]+) \[(.*?)\n?\]$', re.M | re.S)
KERNEL = re.compile(r'krnl\.kernel "(.*?)" loops \[(.*?)\].*?^\s*krnl\.yield', re.M | re.S)
TRIES = 60


def read_entries(text):
    """[(key, hash)] of a recipe file."""
    return [(m[1], m[2]) for m in ENTRY.finditer(text)]


def write_entries(path, entries, recipes):
    """A recipe file with these steps for each kernel."""
    lines = [f'kernel "{key}" {digest} [{", ".join(steps)}]\n' for (key, digest), steps in zip(entries, recipes)]
    path.write_text("".join(lines))


def read_ops(body):
    """The structured ops of a kernel's body: iterator kinds where printed, else by the op's name."""
    pattern = r"(linalg\.\w+)(?P<attributes>[^\n]*?krnl\.axes = \[(?P<axes>[^\]]*)\])"
    for match in re.finditer(pattern, body):
        axes = tuple(re.findall(r'"([^"]+)"', match["axes"]))
        kinds = re.search(r"iterator_types = \[([^\]]*)\]", match["attributes"])
        if kinds:
            kinds = re.findall(r'"(\w+)"', kinds[1])
        else:
            kinds = ["parallel"] * (len(axes) - 1) + ["reduction" if "matmul" in match[1] else "parallel"]
        yield Op(axes, frozenset(a for a, k in zip(axes, kinds) if k == "reduction"))


def read_kernels(text):
    """The kernels of a module printed by --emit=krnl, in order."""
    kernels = []
    for match in KERNEL.finditer(text):
        sizes = dict(re.findall(r'"?([\w.]+)"? = (\d+|\?)', match[2]))
        axes = {name: None if size == "?" else int(size) for name, size in sizes.items()}
        kernels.append(Kernel(match[1], axes, list(read_ops(match[0]))))
    return kernels


class Model:
    """A small model with its inputs, its kernels and its results under the empty recipe."""

    def __init__(self, name, folder):
        self.name, self.path = name, FAILURES / f"{name}.onnx"
        model, self.inputs = graphs.GRAPHS[name]()
        onnx.save(model, self.path)
        recipes, empty, listing = (folder / f"{name}{s}" for s in (".recipes", ".empty", ".mlir"))
        artefact.compile_model(self.path, folder / f"{name}.so", emit_recipes=recipes)
        self.entries = read_entries(recipes.read_text())
        write_entries(empty, self.entries, [[]] * len(self.entries))
        # Without -O1 kernels with empty recipes would be merged, and have lost their own loops.
        artefact.compile_model(self.path, listing, O=1, emit="krnl", recipes=empty)
        self.kernels = read_kernels(listing.read_text())
        assert len(self.kernels) == len(self.entries), f"{name}: {len(self.entries)} recipes, {len(self.kernels)} kernels"
        artefact.compile_model(self.path, folder / f"{name}.so", recipes=empty)
        self.expected = artefact.load_session(folder / f"{name}.so").run(self.inputs)


def draw_legal(model, number, seed, folder):
    """Draws recipes until the compiler takes them; returns (library, text, keeps order, refusals).

    A refusal names the line in the file, so only that kernel's recipe is drawn again.
    """
    rng = np.random.default_rng([seed, number, sorted(graphs.GRAPHS).index(model.name)])
    recipes, library, refusals = folder / "drawn.recipes", folder / "drawn.so", 0
    drawn = [random_recipe(kernel, rng) for kernel in model.kernels]
    while refusals < TRIES:
        write_entries(recipes, model.entries, [steps for steps, _ in drawn])
        try:
            artefact.compile_model(model.path, library, recipes=recipes)
            return library, recipes.read_text(), all(keeps for _, keeps in drawn), refusals
        except isolation.StageError as error:
            refused = re.search(r"drawn\.recipes:(\d+):", str(error))
            if not refused:
                raise
            line = int(refused[1]) - 1
            drawn[line] = random_recipe(model.kernels[line], rng)
            refusals += 1
    raise AssertionError(f"no legal recipe in {TRIES} draws")


class Check:
    """The job: one legal recipe of one model, compared with the empty one."""

    def __init__(self, seed):
        self.seed = seed

    def __call__(self, draw, reporter):
        model, number = draw
        with tempfile.TemporaryDirectory(prefix="onnxc-") as scratch:
            library, steps, keeps, refusals = draw_legal(model, number, self.seed, pathlib.Path(scratch))
            kept = FAILURES / f"{model.name}-{number}.recipes"
            kept.write_text(steps)  # before the run, which may crash
            reporter.stage("run")
            outputs = artefact.load_session(library).run(model.inputs)
            reporter.stage("compare")
            compare(outputs, model.expected, keeps)
            kept.unlink()
        return {"keeps": keeps, "refusals": refusals, "steps": steps}


def compare(outputs, expected, keeps):
    for actual, reference in zip(outputs, expected, strict=True):
        assert actual.shape == reference.shape, f"shape {actual.shape}, expected {reference.shape}"
        if keeps:
            same = actual.tobytes() == reference.tobytes()
            worst = 0 if same else np.abs(actual.astype(float) - reference).max()
            assert same, f"bits differ although every reduction keeps its order (by at most {worst:.3g})"
        else:
            scale = float(np.abs(reference).max())
            np.testing.assert_allclose(actual, reference, 1e-4, 1e-5 * scale)


def load_models(names, folder):
    """Returns the models, and what went wrong with those that the empty recipe cannot compile.

    In children: a process that has compiled has threads, and could not fork any more.
    """
    models, broken = [], {}
    for name, outcome in isolation.run_isolated(names, lambda n, _: Model(n, folder)):
        if outcome.status == "passed":
            models.append(outcome.value)
        else:
            broken[name] = f"{outcome.stage} {outcome.message}"
    return sorted(models, key=lambda m: m.name), broken


def report(results, broken):
    """Prints failures and sums; returns the number of failures."""
    for name, message in broken.items():
        print(f"FAILED {name}: {message}")
    failed = {k: o for k, o in results.items() if o.status != "passed"}
    for (name, number), outcome in sorted(failed.items()):
        message = " ".join(outcome.message.split())[:300]
        print(f"FAILED {name}:{number} {outcome.status} in {outcome.stage}: {message}")
    drawn = [o.value for o in results.values() if o.status == "passed"]
    steps = re.findall(r"\b([a-z_]+)\(", "".join(d["steps"] for d in drawn))
    counts = {s: steps.count(s) for s in sorted(set(steps))}
    print(f"{len(drawn)} legal recipes: {sum(d['keeps'] for d in drawn)} bit-equal, the others within tolerance; "
          f"{sum(d['refusals'] for d in drawn)} draws refused by the verifier")  # fmt: skip
    print("steps: " + ", ".join(f"{s} {n}" for s, n in counts.items()))
    count = len(failed) + len(broken)
    print(f"{len(drawn)} passed, {count} failed")
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=20260101)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", help="MODEL:NUMBER, one draw of a run with this seed")
    arguments = parser.parse_args()
    shutil.rmtree(FAILURES, ignore_errors=True)
    FAILURES.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="onnxc-recipes-") as scratch:
        names = [arguments.only.split(":")[0]] if arguments.only else sorted(graphs.GRAPHS)
        models, broken = load_models(names, pathlib.Path(scratch))
        draws = [(models[i % len(models)], i // len(models)) for i in range(arguments.count)]
        if arguments.only:
            draws = [(models[0], int(arguments.only.split(":")[1]))]
        runs = isolation.run_isolated(draws, Check(arguments.seed), arguments.jobs, 60)
        results = {(model.name, number): outcome for (model, number), outcome in runs}
    if arguments.only:
        print("".join(o.value["steps"] for o in results.values() if o.value))
    return 1 if report(results, broken) else 0


if __name__ == "__main__":
    sys.exit(main())
