# ===- device-runs.py - Models on the simulated device ---------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Runs models on the simulated device, beside those for processors: device-runs.py SIMULATOR DIGITS.

In a folder with the models of device_models.py.
"""

import os
import pathlib
import re
import subprocess
import sys

SIMULATOR, DIGITS = sys.argv[1:]
SEEDS = (1, 2, 3)


def compile_model(model, output, *options):
    subprocess.run(["onnx-compile", "-q", model, "-o", output, *options], check=True)


def run(model, *options, library_path=SIMULATOR, **environment):
    """The finished run of onnx-run on a random input, which is always the same."""
    return subprocess.run(
        ["onnx-run", model, "--seed=1", "--quiet", *options],
        env={**os.environ, "LD_LIBRARY_PATH": library_path, "ONNXC_SIMULATOR_COUNTERS": "1", **environment},
        capture_output=True,
        text=True,
    )


def last_line(process):
    return process.stderr.strip().splitlines()[-1] if process.stderr.strip() else "no message"


def judge(model, name, **environment):
    """Whether the outputs are those of the model for processors."""
    outputs = [f"--expect={path.stem}=@{path}" for path in pathlib.Path(f"{name}-expected").iterdir()]
    process = run(model, *outputs, "--atol=1e-5", "--rtol=1e-4", **environment)
    return process, "right" if process.returncode == 0 else process.stderr + process.stdout


def compare(name, model, *options):
    compile_model(model, f"{name}-host.so", *options)
    compile_model(model, f"{name}.so", "--device=cuda:simulator", *options)
    run(f"{name}-host.so", f"--save={name}-expected")
    for seed in SEEDS:
        process, verdict = judge(f"./{name}.so", name, ONNXC_SIMULATOR_SEED=str(seed))
        if verdict != "right":
            break
    counts = re.sub(r"allocations \d+, ", "", last_line(process).removeprefix("simulator: "))
    print(f"{name}: {verdict}; {counts}")


for name in ("chain", "softmax", "product", "convolutions", "branch", "loop", "scan"):
    compare(name, f"{name}.onnx")
compare("digits", DIGITS, "--shape=image:1x1x8x8")

sectors, requests = map(
    int,
    re.search(
        r"sectors (\d+) of (\d+) requests", run("./chain.so", ONNXC_SIMULATOR_COUNTERS="sectors").stderr
    ).groups(),
)
print(f"chain: {sectors / requests:g} sectors a request")

# The last call is the one that no longer fails.
wrong, call = [], 0
while (process := run("./product.so", ONNXC_SIMULATOR_FAIL_AT=str(call))).returncode != 0:
    if process.returncode != 1 or not re.search(r"\bcu[A-Z]\w+: CUDA_ERROR_LAUNCH_FAILED", process.stderr):
        wrong.append(f"{call}: status {process.returncode}, {process.stderr}")
    call += 1
print("failures:", "\n".join(wrong) or "each is an error that names its function" if call > 15 else f"only {call}")

no_driver = pathlib.Path("no-driver")
no_driver.mkdir()
(no_driver / "libcuda.so.1").touch()
print("cuda:", last_line(run("./product.so", library_path=str(no_driver.resolve()))))
compile_model("product.onnx", "either.so", "--device=cuda,cpu")
print("cuda,cpu:", judge("./either.so", "product", library_path=str(no_driver.resolve()))[1])
