# ===- round_trip.py - Recipes written and read again change nothing -------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""round_trip.py FOLDER MODELS: for each model, the recipes that --recipes takes and the kernels
with them are those of --emit-recipes. Models that do not compile are listed, and are no failure here."""

import pathlib
import subprocess
import sys

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
first, second, listing = (folder / name for name in ("first.recipes", "second.recipes", "model.mlir"))


def kernels(model, *options):
    """The printed kernels, or None where the model is refused."""
    done = subprocess.run(["onnx-compile", model, "--emit=krnl", "-o", listing, *options], capture_output=True, text=True)
    return listing.read_text() if done.returncode == 0 else None


for model in sys.argv[2:]:
    name = pathlib.Path(model).stem
    chosen = kernels(model, f"--emit-recipes={first}")
    if chosen is None:
        print(f"{name}: refused")
        continue
    read = kernels(model, f"--recipes={first}", f"--emit-recipes={second}")
    same = read == chosen and first.read_text() == second.read_text()
    print(f"{name}: {'equal' if same else 'DIFFERENT'}")
