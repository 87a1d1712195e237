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

import numpy as np
import onnx_compile
from onnx import numpy_helper

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


def information(model, **environment):
    """What onnx-run says about a model."""
    environment = {**os.environ, "LD_LIBRARY_PATH": SIMULATOR, **environment}
    return subprocess.run(["onnx-run", "info", model], env=environment, capture_output=True, text=True, check=True).stdout


def last_line(process):
    return process.stderr.strip().splitlines()[-1] if process.stderr.strip() else "no message"


def expectations(name):
    """Compares the outputs with those of the model for processors."""
    return [f"--expect={path.stem}=@{path}" for path in pathlib.Path(f"{name}-expected").iterdir()]


def judge(model, *options, **environment):
    tolerances = [] if any("tol=" in option for option in options) else ["--atol=1e-5", "--rtol=1e-4"]
    process = run(model, *options, *tolerances, **environment)
    return process, "right" if process.returncode == 0 else process.stderr + process.stdout


def compile_both(name, model, *options):
    compile_model(model, f"{name}-host.so", *options)
    compile_model(model, f"{name}.so", "--device=cuda:simulator", *options)


def report(name, *options):
    for seed in SEEDS:
        process, verdict = judge(f"./{name}.so", *options, ONNXC_SIMULATOR_SEED=str(seed))
        if verdict != "right":
            break
    counts = re.sub(r"allocations \d+, ", "", last_line(process).removeprefix("simulator: "))
    print(f"{name}: {verdict}; {counts}")


def compare(name, model, *options, device=(), tolerances=()):
    compile_model(model, f"{name}-host.so", *options)
    compile_model(model, f"{name}.so", "--device=cuda:simulator", *options, *device)
    run(f"{name}-host.so", f"--save={name}-expected")
    report(name, *expectations(name), *tolerances)


def compare_sizes(name, *shapes):
    """One session runs inputs of these shapes in turn."""
    compile_both(name, f"{name}.onnx")
    host, random = onnx_compile.ExecutionSession(f"{name}-host.so"), np.random.default_rng(1)
    for number, shape in enumerate(shapes):
        folder = pathlib.Path(f"{name}-{number}")
        folder.mkdir()
        x = random.standard_normal(shape, np.float32)
        for file, values in (("input_0", x), ("output_0", *host.run(x))):
            (folder / f"{file}.pb").write_bytes(numpy_helper.from_array(values).SerializeToString())
    report(name, *(f"--data-set={name}-{number}" for number in range(len(shapes))))


MODELS = "chain softmax norm warps short long image border concatenation squares types product gemm gemm_transposed"
MODELS += " parts parts_odd factor convolution convolutions towers branch loop scan"
MATRICES = "f16 f16_transposed bf16 bf16_transposed s8 u8"
for name in [*MODELS.split(), *(f"matrices_{name}" for name in MATRICES.split())]:
    compare(name, f"{name}.onnx")
for name in ("matrices_tf32", "matrices_tf32_transposed"):
    compare(name, f"{name}.onnx", device=["--tf32"], tolerances=["--atol=1e-5", "--rtol=1e-3"])
for name in ("attention_f32", "attention_parts_f32"):
    compare(name, f"{name}.onnx")
for name in ("attention_f16", "attention_parts_f16"):
    compare(name, f"{name}.onnx", tolerances=["--atol=2e-3", "--rtol=1e-2"])
compare("digits", DIGITS, "--shape=image:1x1x8x8")
compare_sizes("batch", (5, 24), (33, 24), (0, 24), (1, 24))
compare_sizes("sequence", (2, 3, 16), (2, 40, 16), (2, 3, 16))
compare_sizes("rows", (5, 24), (0, 24), (40, 24))
compare_sizes("grown", (7, 3), (2, 50))

for name in ("chain", "norm", "long", "squares", "gemm", "gemm_transposed", "matrices_s8"):
    counts = run(f"./{name}.so", ONNXC_SIMULATOR_COUNTERS="sectors").stderr
    pattern = r"sectors (\d+) of (\d+) requests, steps (\d+) of (\d+) requests to shared memory"
    sectors, requests, steps, shared = map(int, re.search(pattern, counts).groups())
    print(f"{name}: {sectors / requests:g} sectors a request, {steps - shared} conflicts of {shared}")

# The last call is the one that no longer fails.
wrong, call = [], 0
while (process := run("./product.so", ONNXC_SIMULATOR_FAIL_AT=str(call))).returncode != 0:
    if process.returncode != 1 or not re.search(r"\bcu[A-Z]\w+: CUDA_ERROR_LAUNCH_FAILED", process.stderr):
        wrong.append(f"{call}: status {process.returncode}, {process.stderr}")
    call += 1
print("failures:", "\n".join(wrong) or "each is an error that names its function" if call > 15 else f"only {call}")

# A device that both levels are for takes the last one.
compile_model("product.onnx", "levels.so", "--device=cuda:simulator:sm_90a,sm_80")
for forced in ("", "sm_80"):
    verdict = judge("./levels.so", *expectations("product"), OM_CPU=forced)[1]
    info = information("./levels.so", OM_CPU=forced)
    level = re.search(r"(\S+) .runs here", info)[1]
    print(f"levels{forced and ' ' + forced}: {verdict}, {level}")
print(re.search("device_images: .*", info)[0])

# Weights that only one of the levels has lie between those of the others.
for name in ("product", "gemm"):
    compile_model(f"{name}.onnx", "mixed.so", "--device=cuda:simulator:sm_80,sm_90a,cpu", "--cpu=generic")
    print(f"mixed {name}:", *(judge("./mixed.so", *expectations(name), OM_CPU=level)[1] for level in ("", "sm_80", "x86-64")))

no_driver = pathlib.Path("no-driver")
no_driver.mkdir()
(no_driver / "libcuda.so.1").touch()
print("cuda:", last_line(run("./product.so", library_path=str(no_driver.resolve()))))
compile_model("product.onnx", "either.so", "--device=cuda,cpu")
print("cuda,cpu:", judge("./either.so", *expectations("product"), library_path=str(no_driver.resolve()))[1])
