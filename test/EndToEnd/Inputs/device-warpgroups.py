# ===- device-warpgroups.py - Models on a simulated sm_90a -----------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Runs models on a simulated sm_90a, beside those for processors: device-warpgroups.py SIMULATOR.

In a folder with the models of device_models.py. Those of warpgroups have the recipes of warpgroup_recipes.py.
"""

import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from Harness import simulated

SIMULATOR = sys.argv[1]
RECIPES = pathlib.Path(__file__).parents[2] / "Target" / "Inputs" / "warpgroup_recipes.py"
WARPGROUPS = [
    f"warpgroups_{form}"
    for form in ("f16", "f16_across", "bf16", "bf16_across", "tf32", "tf32_across", "s8", "u8", "ragged")
]
BOXES = [*WARPGROUPS[:4], "warpgroups_tails"]


for name, *way in (
    *((name,) for name in WARPGROUPS),
    *((name, way) for way in ("tma", "cluster", "producer") for name in BOXES),
    *((name,) for name in ("matrices_f16", "matrices_s8", "gemm")),
):
    compiler = ["onnx-compile", "-q", f"{name}.onnx", "-o"]
    recipes = []
    if name in WARPGROUPS + BOXES:
        subprocess.run([sys.executable, RECIPES, f"{name}.onnx", f"{name}.recipes", *way], check=True)
        recipes = [f"--recipes={name}.recipes"]
    rounds = "tf32" in name
    device = ["--device=cuda:simulator:sm_90a", *["--tf32"] * rounds]
    subprocess.run([*compiler, "device.so", *device, *recipes], check=True)
    options = simulated.expectations(SIMULATOR, name)
    for seed in ("1", "2", "3"):
        process = simulated.run(
            *(SIMULATOR, "./device.so", *options, "--atol=1e-5", f"--rtol={1e-3 if rounds else 1e-4}"),
            ONNXC_SIMULATOR_SEED=seed,
            ONNXC_SIMULATOR_COUNTERS="sectors",
        )
        if process.returncode != 0:
            print(f"{' '.join((name, *way))}: {process.stderr}{process.stdout}")
            break
    else:
        steps, shared = map(int, re.search(r"steps (\d+) of (\d+) requests", process.stderr).groups())
        conflicts = f", {steps - shared} conflicts of {shared}" * (name in WARPGROUPS + BOXES)
        print(f"{' '.join((name, *way))}: right{conflicts}")
