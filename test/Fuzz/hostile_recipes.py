# ===- hostile_recipes.py - Damaged recipe files ----------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Damages the recipes that the compiler writes of a model and gives them back."""

import functools
import tempfile

import graphs
import onnx
from mutations import change_text, damaged, one

from Harness import artefact

NAMES = sorted(graphs.GRAPHS)


@functools.cache
def written(name):
    """(bytes of a model, the recipes the compiler chooses for it)"""
    model, _ = graphs.GRAPHS[name]()
    with tempfile.TemporaryDirectory(prefix="onnxc-") as scratch:
        artefact.compile_model(save(model, f"{scratch}/m.onnx"), f"{scratch}/m.so", emit_recipes=f"{scratch}/m.recipes")
        with open(f"{scratch}/m.recipes") as file:
            return model, file.read()


def save(model, path):
    onnx.save(model, path)
    return path


def check(rng, folder):
    model, text = written(one(rng, NAMES))
    recipes = folder / "damaged.recipes"
    for _ in range(int(rng.integers(1, 5))):
        text = change_text(rng, text)
    data = text.encode()
    recipes.write_bytes(damaged(rng, data) if rng.random() < 0.2 else data)
    path = save(model, folder / "whole.onnx")
    status, messages = artefact.try_compile(path, folder / "whole.so", recipes=recipes)
    assert status in (0, 1), f"status {status}: {messages}"
    assert status == 0 or f"{recipes.name}:" in messages, f"a message without the file: {messages}"
    return "recipe taken" if status == 0 else "recipe refused"
