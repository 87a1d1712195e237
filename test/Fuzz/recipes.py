#!/usr/bin/env python3
# ===- recipes.py - Random recipes change no results -----------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Compiles small models with random legal recipes, and with those that the compiler
# chooses, and compares with the empty recipe: equal bits where every reduction keeps
# its order, else within tolerance.
# ===------------------------------------------------------------------------===//
"""Checks that recipes never change results.

  recipes.py                      a run of random legal recipes, seeded
  recipes.py --seed 7 --count 20
  recipes.py --only gemm:123      one draw, verbosely: model name and draw number
  recipes.py --device             for a GPU, on the simulated one
The models and the recipes that failed are kept in build/recipe-failures.
"""

import argparse
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
from kernels import read_kernels
from recipe_edits import keeps_order, random_recipe, without

from Harness import BUILD, artefact, isolation

FAILURES = BUILD / "recipe-failures"
ENTRY = re.compile(r'^kernel "((?:[^"\\]|\\.)*)" ([0-9a-f]+) \[(.*?)\n?\]$', re.M | re.S)
# Each step that is refused takes a compilation. Of more kernels than MANY_KERNELS a draw has FEW_KERNELS, and the others
# have the empty recipe.
MANY_KERNELS, FEW_KERNELS = 4, 2
REFUSED = re.compile(r"\.recipes:(\d+):.* recipe step (\d+) '[^']*': .")
# A device packs constants alone.
NOT_PACKED = re.compile(r"packs operand (\d+) in each run, which no device does")
STEPS = ("block fuse order fuse_outer parallel grid map compute_at hoist unroll register_tile vectorize dot mma wgmma pack cache pipeline split_reduction").split()
# Few draws have accesses that these are legal for.
ACCESSES = ("prefetch", "transpose", "interleave", "early_exit", "skip_masked", "tail=[")
# What runs the recipes with products of warpgroups and with clusters, which other devices compute otherwise.
WARPGROUPS = "cuda:simulator:sm_90a"
# Relative, and as a part of the largest value.
TOLERANCES = {np.dtype(np.float16): (1e-2, 1e-2), np.dtype(np.float32): (1e-4, 1e-5), np.dtype(np.float64): (1e-10, 1e-12)}


def read_entries(text):
    """[(key, hash)] of a recipe file."""
    return [(m[1], m[2]) for m in ENTRY.finditer(text)]


def write_entries(path, entries, recipes):
    """A recipe file with these steps for each kernel, a line for each."""
    lines = [f'kernel "{k}" {h} [{", ".join(map(str, steps))}]\n' for (k, h), steps in zip(entries, recipes)]
    path.write_text("".join(lines))


class Model:
    """A small model with its inputs, its kernels and its results under the empty recipe."""

    def __init__(self, name, folder):
        self.name, self.path = name, FAILURES / f"{name}.onnx"
        model, self.inputs = graphs.GRAPHS[name]()
        onnx.save(model, self.path)
        recipes, empty, listing = (folder / f"{name}{s}" for s in (".recipes", ".empty", ".mlir"))
        artefact.compile_model(self.path, folder / f"{name}.chosen.so", emit_recipes=recipes)
        chosen = artefact.load_session(folder / f"{name}.chosen.so").run(self.inputs)
        self.entries = read_entries(recipes.read_text())
        write_entries(empty, self.entries, [[]] * len(self.entries))
        artefact.compile_model(self.path, listing, emit="krnl", recipes=empty)
        self.kernels = read_kernels(listing.read_text())
        assert len(self.kernels) == len(self.entries), f"{name}: {len(self.entries)} recipes, {len(self.kernels)} kernels"
        artefact.compile_model(self.path, folder / f"{name}.so", recipes=empty)
        self.expected = artefact.load_session(folder / f"{name}.so").run(self.inputs)
        compare(chosen, self.expected, False)
        # How long rows are divided depends on the device, and recipes are of one division.
        self.has_groups = False
        if "device" in artefact.ALWAYS:
            artefact.compile_model(self.path, folder / f"{name}.groups.so", emit_recipes=recipes, device=WARPGROUPS)
            self.has_groups = read_entries(recipes.read_text()) == self.entries
            artefact.compile_model(self.path, folder / f"{name}.cpu.so", device="cpu")
            compare(artefact.load_session(folder / f"{name}.cpu.so").run(self.inputs), self.expected, False)


def draw_legal(model, number, seed, recipes, library):
    """Draws recipes and takes out the steps that the compiler refuses; returns (steps by kernel, refusals).

    A refusal names the line in the file and the step; one that does not is a failure.
    """
    rng, refusals = np.random.default_rng([seed, number, sorted(graphs.GRAPHS).index(model.name)]), 0
    drawn = [[] for _ in model.kernels]
    numbers = range(len(drawn))
    for at in numbers if len(drawn) <= MANY_KERNELS else sorted(rng.choice(numbers, FEW_KERNELS, replace=False)):
        drawn[at] = random_recipe(model.kernels[at], rng, "device" in artefact.ALWAYS)
    while True:
        write_entries(recipes, model.entries, drawn)
        of_groups = any(step.kind == "wgmma" or step.tail.startswith("cluster") for steps in drawn for step in steps)
        device = {"device": WARPGROUPS} if model.has_groups and of_groups else {}
        try:
            artefact.compile_model(model.path, library, recipes=recipes, **device)
            return drawn, refusals
        except isolation.StageError as error:
            refused, packed = REFUSED.search(str(error)), NOT_PACKED.search(str(error))
            if refused:
                kernel = int(refused[1]) - 1
                drawn[kernel] = without(drawn[kernel], int(refused[2]) - 1)
            elif packed:
                drawn = [[s for s in steps if (s.kind, s.number) != ("pack", int(packed[1]))] for steps in drawn]
            else:
                raise
            refusals += 1


class Check:
    """The job: one legal recipe of one model, compared with the empty one."""

    def __init__(self, seed):
        self.seed = seed

    def __call__(self, draw, reporter):
        model, number = draw
        # Where the compiler reads it from; what crashes leaves it there.
        kept = FAILURES / f"{model.name}-{number}.recipes"
        with tempfile.TemporaryDirectory(prefix="onnxc-") as scratch:
            library = pathlib.Path(scratch) / "drawn.so"
            drawn, refusals = draw_legal(model, number, self.seed, kept, library)
            text = kept.read_text()
            keeps = all(keeps_order(kernel, steps) for kernel, steps in zip(model.kernels, drawn))
            reporter.stage("run")
            outputs = artefact.load_session(library).run(model.inputs)
            reporter.stage("compare")
            compare(outputs, model.expected, keeps)
            kept.unlink()
        return {"keeps": keeps, "refusals": refusals, "steps": text}


def compare(outputs, expected, keeps):
    for actual, reference in zip(outputs, expected, strict=True):
        assert actual.shape == reference.shape, f"shape {actual.shape}, expected {reference.shape}"
        if keeps or reference.dtype not in TOLERANCES:
            same = actual.tobytes() == reference.tobytes()
            worst = 0 if same else np.abs(actual.astype(float) - reference).max()
            assert same, f"bits differ although every reduction keeps its order (by at most {worst:.3g})"
        else:
            relative, scaled = TOLERANCES[reference.dtype]
            scale = float(np.abs(reference).max())
            np.testing.assert_allclose(actual, reference, relative, scaled * scale)


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


def count_steps(texts):
    """How often each step, and each form of it, is in the recipes."""
    text = "".join(texts)
    counts = {step: len(re.findall(rf"\b{step}\(", text)) for step in STEPS}
    counts |= {form: text.count(form) for form in ("tail=peel", "tail=pad", "in=shared")}
    counts |= {step: text.count(step) for step in ACCESSES}
    counts["limited to an op"] = len(re.findall(r"\d: [a-z]", text))
    return counts


def report(results, broken):
    """Prints failures and sums; returns (number of failures, counts of steps)."""
    for name, message in broken.items():
        print(f"FAILED {name}: {message}")
    failed = {k: o for k, o in results.items() if o.status != "passed"}
    for (name, number), outcome in sorted(failed.items()):
        message = " ".join(outcome.message.split())[:300]
        print(f"FAILED {name}:{number} {outcome.status} in {outcome.stage}: {message}")
    drawn = [o.value for o in results.values() if o.status == "passed"]
    counts = count_steps(d["steps"] for d in drawn)
    print(f"{len(drawn)} legal recipes: {sum(d['keeps'] for d in drawn)} bit-equal, the others within tolerance; "
          f"{sum(d['refusals'] for d in drawn)} steps refused by the verifier")  # fmt: skip
    print("steps: " + ", ".join(f"{s} {n}" for s, n in counts.items()))
    return len(failed) + len(broken), len(drawn), counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=20260101)
    parser.add_argument("--count", type=int, default=266)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", help="MODEL:NUMBER, one draw of a run with this seed")
    artefact.add_device_option(parser)
    arguments = parser.parse_args()
    artefact.use_device(arguments)
    shutil.rmtree(FAILURES, ignore_errors=True)
    FAILURES.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="onnxc-recipes-") as scratch:
        names = [arguments.only.split(":")[0]] if arguments.only else sorted(graphs.GRAPHS)
        models, broken = load_models(names, pathlib.Path(scratch))
        draws = [(models[i % len(models)], i // len(models)) for i in range(arguments.count)]
        if arguments.only:
            draws = [(models[0], int(arguments.only.split(":")[1]))]
        runs = isolation.run_isolated(draws, Check(arguments.seed), arguments.jobs)
        results = {(model.name, number): outcome for (model, number), outcome in runs}
    if arguments.only:
        print("".join(o.value["steps"] for o in results.values() if o.value))
    failed, passed, counts = report(results, broken)
    # A run that no longer draws a step says nothing about it.
    counts = {step: count for step, count in counts.items() if step not in ACCESSES}
    rare = [step for step, count in counts.items() if count < 5 and arguments.count >= 200 and not arguments.only]
    for step in rare:
        print(f"FAILED: only {counts[step]} of '{step}' were legal")
    print(f"{passed} passed, {failed + len(rare)} failed")
    return 1 if failed or rare else 0


if __name__ == "__main__":
    sys.exit(main())
