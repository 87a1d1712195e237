# ===- ptxas_facts.py - Facts on kernels by ptxas -------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Assembles the kernels of models: ptxas_facts.py PTXAS ONNX-COMPILE DEVICE MODEL...

Prints for each model the number of its kernels, and the bytes that ptxas spills and the registers
that it takes at most.
"""

import pathlib
import re
import subprocess
import sys

ptxas, compiler, device, *models = sys.argv[1:]
for model in models:
    command = [compiler, model, f"--device={device}", "--emit=ptx", "-o", "-"]
    ptx = subprocess.run(command, check=True, capture_output=True).stdout
    arch = device.partition(":")[2]
    assemble = [ptxas, "-v", f"-arch={arch}", "-o", "/dev/null", "-"]
    run = subprocess.run(assemble, input=ptx, capture_output=True)
    text = run.stderr.decode()
    if run.returncode:
        sys.exit(f"{model}: {text}")
    spills = sum(map(int, re.findall(r"(\d+) bytes spill", text)))
    registers = max(map(int, re.findall(r"Used (\d+) registers", text)))
    kernels = len(re.findall(r"Used \d+ registers", text))
    print(f"{pathlib.Path(model).stem}: {kernels} kernels, {spills} bytes of spills, {registers} registers at most")
