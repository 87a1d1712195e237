# ===- facts.py - Facts on the kernels of a GPU, which a file keeps --------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Compares the kernels of golden_kernels.py with those of ../facts.txt: facts.py [NAME...] [--update].

Of each kernel:

    memory     sectors of 32 bytes in a request of a warp to device memory, and conflicts of banks of
               shared memory, as the simulated device counts them in a few blocks
    code       what ptxas says that it takes, and how often it has the instructions of interest

The last are compared where ptxas and nvdisasm are those of the file. No kernel may keep registers in
memory but those named below. The tools are those in PATH, else those of the build.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import golden_kernels
import onnx

FACTS = pathlib.Path(__file__).parents[1] / "facts.txt"
BUILD = pathlib.Path(os.environ.get("ONNXC_BUILD", FACTS.parents[2] / "build"))
TOOLS = (BUILD / "bin", *(BUILD / "venv").glob("lib/python*/site-packages/nvidia/cu*/bin"))
GPU = "sm_90a"
BLOCKS = 2
# Models with a kernel that keeps registers in memory: a row of a padded tensor is one long chain of branches.
SPILLING = {"resnet50_stem"}
# Instructions that the kinds of kernels are known by; what begins so is counted together.
INSTRUCTIONS = (
    *("HGMMA", "IGMMA", "HMMA", "IMMA", "IDP", "FFMA", "HFMA2", "DFMA", "MUFU", "SHFL", "BAR"),
    *("UTMALDG", "LDGSTS", "LDG.E.128", "LDG.E.64", "LDG", "STG.E.128", "STG.E.64", "STG"),
    *("LDSM", "LDS.128", "LDS", "STS.128", "STS", "LDL", "STL"),
)


def output(*command, **environment):
    run = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: {run.stderr.strip() or run.stdout.strip()}")
    return run


def toolkit():
    """The versions of ptxas and nvdisasm; empty without one of them."""
    versions = []
    for name in ("ptxas", "nvdisasm"):
        if not (program := shutil.which(name)):
            return ""
        release = re.search(r"\bV([\d.]+)", output(program, "--version").stdout)
        versions.append(f"{name} {release[1]}")
    return ", ".join(versions)


def instructions(sass):
    """How many instructions each kernel has: all, and by kind."""
    counts, kernel = {}, None
    for line in sass.splitlines():
        if section := re.match(r"\s*\.section\s+\.text\.([^,]+)", line):
            kernel = counts.setdefault(section[1], collections.Counter())
        elif kernel is not None and (
            found := re.match(r"\s*/\*[0-9a-f]+\*/\s+(?:\{\s*)?(?:@!?\w+\s+)?([A-Z][\w.]*)", line)
        ):
            if found[1] == "NOP":
                continue
            kernel["all"] += 1
            kind = next((known for known in INSTRUCTIONS if found[1].startswith(known)), None)
            if kind:
                kernel[kind] += 1
    return counts


# What a multiprocessor of sm_80 and sm_90 has (CUDA C++ Programming Guide, Technical Specifications).
THREADS, REGISTERS, MOST_BLOCKS, SHARED = 2048, 64 << 10, 32, 228 << 10


def occupancy(threads, registers, shared):
    """The share of its threads that a multiprocessor runs at once."""
    warps = -(-threads // 32)
    of_registers = REGISTERS // (warps * -(-registers * 32 // 256) * 256)
    blocks = min(MOST_BLOCKS, THREADS // (32 * warps), of_registers, SHARED // (shared + 1024))
    return blocks * warps * 32 / THREADS


def code_facts(ptx, folder):
    """What ptxas says of each kernel, and the instructions that nvdisasm shows."""
    cubin = f"{folder}/cubin"
    messages = output("ptxas", "-v", f"-arch={GPU}", ptx, "-o", cubin).stderr
    counts = instructions(output("nvdisasm", "-c", cubin).stdout)
    threads = dict(re.findall(r"\.entry (\w+)\(.*?\.reqntid (\d+)", pathlib.Path(ptx).read_text(), re.DOTALL))
    facts = {}
    for part in messages.split("Compiling entry function '")[1:]:
        name = part.partition("'")[0]
        numbers = {
            unit: sum(map(int, re.findall(rf"(\d+)(?: bytes)? {unit}", part)))
            for unit in ("registers", "stack", "spill", "smem")
        }
        share = occupancy(int(threads[name]), numbers["registers"], numbers["smem"])
        kinds = ", ".join(f"{counts[name][kind]} {kind}" for kind in INSTRUCTIONS if counts[name][kind])
        facts[name] = (
            f"{threads[name]} threads, {numbers['registers']} registers, {numbers['spill']} spilled, "
            f"{numbers['stack']} stack, {numbers['smem']} shared, occupancy {100 * share:.0f} %; "
            f"{counts[name]['all']} instructions: {kinds}"
        )
    return facts


def ratio(count, whole):
    return f"{count / whole:.3g}" if whole else "0"


def facts_of(name, simulator, has_toolkit):
    """The lines of a model, without its name, by kernel and kind."""
    facts = collections.defaultdict(dict)
    with tempfile.TemporaryDirectory() as folder:
        model, artefact = f"{folder}/{name}.onnx", f"{folder}/{name}.so"
        onnx.save(golden_kernels.GOLDEN[name](), model)
        compiler = ["onnx-compile", "-q", "--cpu=x86-64-v3", model]
        output(*compiler, "--device=cuda:simulator", "-o", artefact)
        output(*compiler, f"--device=cuda:{GPU}", "--emit=ptx", "-o", f"{folder}/ptx")
        code = code_facts(f"{folder}/ptx", folder) if has_toolkit else {}
        run = output(
            *("onnx-run", artefact, "--seed=1", "--quiet"),
            LD_LIBRARY_PATH=simulator,
            ONNXC_SIMULATOR_COUNTERS="kernels",
            ONNXC_SIMULATOR_BLOCKS=str(BLOCKS),
        )
    pattern = r"simulator: (\w+): sectors (\d+) of (\d+) requests, steps (\d+) of (\d+) requests to shared memory"
    for kernel, sectors, requests, steps, shared in re.findall(pattern, run.stderr):
        facts[kernel]["memory"] = (
            f"{ratio(int(sectors), int(requests))} sectors a request, "
            f"{ratio(int(steps) - int(shared), int(shared))} conflicts a request to shared memory"
        )
    for kernel, its in code.items():
        facts[kernel]["code"] = its
    return [f"{kernel} {kind}: {fact}" for kernel, its in facts.items() for kind, fact in its.items()]


def read(path):
    """The toolkit and the lines of each model."""
    version, models = "", {}
    for line in path.read_text().splitlines() if path.exists() else []:
        if line.startswith("# toolkit: "):
            version = line.removeprefix("# toolkit: ")
        elif line.startswith("  "):
            models[name].append(line.strip())
        elif line and not line.startswith("#"):
            models[name := line] = []
    return version, models


def write(path, version, models):
    lines = [f"# Written by {pathlib.Path(__file__).name} --update, which says what it means.", f"# toolkit: {version}"]
    for name in golden_kernels.GOLDEN:
        lines += ["", name, *(f"  {line}" for line in models.get(name, []))]
    path.write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    os.environ["PATH"] = os.pathsep.join([os.environ["PATH"], *map(str, TOOLS), "/usr/local/cuda/bin"])
    simulator = str(pathlib.Path(shutil.which("onnx-compile")).parents[1] / "test" / "Simulator")
    version, known = read(FACTS)
    installed = toolkit()
    names = options.names or list(golden_kernels.GOLDEN)
    if options.update and not installed:
        sys.exit("an update needs ptxas and nvdisasm in PATH")
    has_toolkit = bool(installed) and (options.update or installed == version)
    if not has_toolkit:
        print(f"code is not compared: the file is of {version}, and here is {installed or 'no ptxas or nvdisasm'}")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(names, pool.map(lambda name: facts_of(name, simulator, has_toolkit), names)))
    if options.update:
        write(FACTS, installed, {**known, **found})
        return
    wrong = 0
    for name in names:
        expected = [line for line in known.get(name, []) if has_toolkit or " code: " not in line]
        spilling = [line for line in found[name] if re.search(r" [1-9]\d* (spilled|stack)", line)]
        same = expected == found[name]
        if same and bool(spilling) == (has_toolkit and name in SPILLING):
            continue
        wrong += 1
        print(name, *(f"  in memory: {line}" for line in spilling), sep="\n")
        for sign, lines, others in (("-", expected, found[name]), ("+", found[name], expected)):
            print(*(f"  {sign} {line}" for line in lines if line not in others), sep="\n")
    print(f"{len(names) - wrong} of {len(names)} models have the kernels of the file")
    if wrong:
        sys.exit("see what has become better or worse; then run facts.py with --update")


main()
