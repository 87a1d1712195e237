# ===- facts.py - Facts on the kernels of a GPU, which a file keeps --------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Compares the kernels of golden_kernels.py with those of ../facts.txt: facts.py [PATTERN...] [--update].

Of each kernel:

    predicted  its time on each GPU by the compiler's model, beside the least that the rates of the
               GPU allow
    memory     sectors of 32 bytes in a request of a warp to device memory, and conflicts of banks of
               shared memory, as the simulated device counts them in a few blocks; of a model with
               kernels that sm_80 has not also those of sm_90a
    code       what ptxas says that it takes, and how often it has the instructions of interest; of such
               a model also the code of sm_80, which has other kernels

The last are compared where ptxas and nvdisasm are those of the file. No kernel may keep registers in
memory, and ptxas may serialize the products of no warpgroup. The tools are those in PATH, else those of the build.

A predicted time has what the launch takes, 1.5 us, besides the least time of the longest resource: small kernels
do not come near the least that the rates allow.
"""

import argparse
import collections
import concurrent.futures
import fnmatch
import json
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
SIMULATED, GPU = "sm_80", "sm_90a"
BLOCKS = 2
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


def code_facts(kernel, counts):
    kinds = ", ".join(f"{counts[kind]} {kind}" for kind in INSTRUCTIONS if counts[kind])
    return (
        f"{kernel['registers']} registers, {kernel['spilled_bytes']} spilled, {kernel['stack_bytes']} stack, "
        f"{kernel['shared_bytes']} shared, occupancy {100 * kernel['occupancy']:.0f} %"
        f"{', wgmma serialized' * kernel['serialized']}; "
        f"{counts['all']} instructions: {kinds}"
    )


def microseconds(kernel):
    return f"{kernel['microseconds']:.3g} us of {kernel['roofline_microseconds']:.3g}"


def ratio(count, whole):
    return f"{count / whole:.3g}" if whole else "0"


def simulate(compiler, device, artefact, simulator):
    """The report of the compiler, and what each kernel does with memory."""
    report = json.loads(output(*compiler, f"--device={device}", "-o", artefact, "--report=json").stdout)
    run = output(
        *("onnx-run", artefact, "--seed=1", "--quiet"),
        LD_LIBRARY_PATH=simulator,
        ONNXC_SIMULATOR_COUNTERS="kernels",
        ONNXC_SIMULATOR_BLOCKS=str(BLOCKS),
    )
    pattern = r"simulator: (\w+): sectors (\d+) of (\d+) requests, steps (\d+) of (\d+) requests to shared memory"
    accesses = {
        kernel: f"{ratio(int(sectors), int(requests))} sectors a request, "
        f"{ratio(int(steps) - int(shared), int(shared))} conflicts a request to shared memory"
        for kernel, sectors, requests, steps, shared in re.findall(pattern, run.stderr)
    }
    return report, accesses


def translate(compiler, device, emitted, path):
    """The report of the compiler, the text of the kernels, and their instructions."""
    report = json.loads(output(*compiler, f"--device=cuda:{device}", f"--emit={emitted}", "-o", path, "--report=json").stdout)
    text = pathlib.Path(path).read_text()
    return report["device"]["kernels"], text, instructions(text)


def facts_of(name, simulator, has_toolkit):
    """The lines of a model, without its name, by kernel and kind."""
    facts = collections.defaultdict(dict)
    with tempfile.TemporaryDirectory() as folder:
        model, artefact = f"{folder}/{name}.onnx", f"{folder}/{name}.so"
        onnx.save(golden_kernels.GOLDEN[name](), model)
        compiler = ["onnx-compile", "-q", "--cpu=x86-64-v3", model]
        simulated, accesses = simulate(compiler, "cuda:simulator", artefact, simulator)
        emitted, warpgroups = ("sass", "HGMMA") if has_toolkit else ("ptx", "wgmma.mma_async")
        code = f"{folder}/code"
        real, text, counts = translate(compiler, GPU, emitted, code)
        # Kernels that sm_80 has not.
        others, older, older_counts = {}, [], {}
        if warpgroups in text:
            _, others = simulate(compiler, f"cuda:simulator:{GPU}", artefact, simulator)
            if has_toolkit:
                older, _, older_counts = translate(compiler, SIMULATED, emitted, code)
    for kernel in simulated["device"]["kernels"]:
        times = f"{kernel['threads']} threads, {SIMULATED}: {microseconds(kernel)}"
        facts[kernel["name"]]["predicted"] = times
    for kernel, fact in accesses.items():
        facts[kernel]["memory"] = fact
    for kernel in real:
        mine = facts[kernel["name"]]
        mine["predicted"] = f"{mine['predicted']}, {GPU}: {microseconds(kernel)}" if mine else f"{GPU}: {microseconds(kernel)}"
        if kernel["name"] in others:
            mine[f"memory of {GPU}"] = others[kernel["name"]]
        if has_toolkit:
            mine["code"] = code_facts(kernel, counts[kernel["name"]])
    for kernel in older:
        facts[kernel["name"]][f"code of {SIMULATED}"] = code_facts(kernel, older_counts[kernel["name"]])
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
    parser.add_argument("names", nargs="*", help="patterns of models; all without any")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    os.environ["PATH"] = os.pathsep.join([os.environ["PATH"], *map(str, TOOLS), "/usr/local/cuda/bin"])
    simulator = str(pathlib.Path(shutil.which("onnx-compile")).parents[1] / "test" / "Simulator")
    version, known = read(FACTS)
    installed = toolkit()
    names = [n for n in golden_kernels.GOLDEN if any(fnmatch.fnmatch(n, p) for p in options.names or ["*"])]
    if not names:
        sys.exit(f"there is no model {options.names[0]}")
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
        expected = [line for line in known.get(name, []) if has_toolkit or " code" not in line]
        spilling = [line for line in found[name] if re.search(r" [1-9]\d* (spilled|stack)|serialized", line)]
        if expected == found[name] and not spilling:
            continue
        wrong += 1
        print(name, *(f"  in memory or serialized: {line}" for line in spilling), sep="\n")
        for sign, lines, others in (("-", expected, found[name]), ("+", found[name], expected)):
            print(*(f"  {sign} {line}" for line in lines if line not in others), sep="\n")
    print(f"{len(names) - wrong} of {len(names)} models have the kernels of the file")
    if wrong:
        sys.exit("see what has become better or worse; then run facts.py with --update")


main()
