# ===- lit.cfg.py - The tests of passes, dialects and tools ----------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Run `build/venv/bin/lit -v test/Dialect/Krnl`, or any folder or file below test
# or build/test. build/test/lit.site.cfg.py says where things are; from below test
# the one of ONNXC_BUILD, or of the folder build beside test, is read first.
# ===------------------------------------------------------------------------===//
import os
import pathlib
import platform
import shutil
import subprocess

import lit.formats

if not hasattr(config, "onnxc_build_dir"):
    root = pathlib.Path(__file__).resolve().parents[1]
    site = pathlib.Path(os.environ.get("ONNXC_BUILD", root / "build"), "test", "lit.site.cfg.py")
    if not site.exists():
        lit_config.fatal(f"{site} does not exist: run utils/build.sh first")
    lit_config.load_config(config, str(site))  # it reads this file again
    raise SystemExit

config.name = "onnx-compile"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Unit", "Conformance", "Harness", "Models", "Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.onnxc_build_dir, "test")

bin_dir = os.path.join(config.onnxc_build_dir, "bin")
venv_bin = os.path.join(config.onnxc_venv_dir, "bin")
llvm_bin = os.path.join(config.onnxc_llvm_dir, "bin")
config.environment["PATH"] = os.pathsep.join(
    [bin_dir, llvm_bin, venv_bin, os.environ["PATH"]]
)
config.environment["PYTHONPATH"] = os.pathsep.join(
    [os.path.join(config.onnxc_build_dir, "python"), config.test_source_root]
)
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"

# Tools by their names; %-names for everything that is a path.
for tool in ("onnx-compile", "onnx-lsp-server", "onnx-opt", "onnx-reduce", "onnx-run"):
    config.substitutions.append(
        (rf"(?<![-/\w.]){tool}(?![-/\w.])", os.path.join(bin_dir, tool))
    )
for tool in ("FileCheck", "not", "count", "split-file", "llvm-readelf", "llvm-objdump",
             "llvm-nm", "llvm-dwarfdump", "llvm-symbolizer", "mlir-opt"):  # fmt: skip
    config.substitutions.append(
        (rf"(?<![-/\w.]){tool}(?![-/\w.])", os.path.join(llvm_bin, tool))
    )
# With torch, from utils/exports/setup.sh.
torch_python = os.path.join(config.onnxc_build_dir, "exports-venv", "bin", "python")
if os.path.exists(torch_python):
    config.available_features.add("torch")
    config.substitutions.append(("%torch-python", torch_python))

# With MLServer, Dask and Ray, from utils/serve-setup.sh.
serve_python = os.path.join(config.onnxc_build_dir, "serve-venv", "bin", "python")
if os.path.exists(serve_python):
    config.available_features.add("serve")
    config.substitutions.append(("%serve-python", serve_python))

# Another version of the onnx package, from `utils/bump-onnx --fetch`.
if os.path.exists(os.path.join(config.onnxc_build_dir, "onnx-packages", "1.22.0")):
    config.available_features.add("onnx-1.22.0")

# A browser for pages, from utils/setup.sh.
browser = shutil.which("chromium-headless-shell") or shutil.which("chromium")
if browser:
    config.available_features.add("browser")
    config.substitutions.append(("%{browser}", browser))
else:
    lit_config.note("no chromium-headless-shell or chromium: pages are not opened")

# With TensorFlow, from utils/tutorial-setup.sh.
if os.path.exists(os.path.join(config.onnxc_build_dir, "tutorial-venv", ".made-by")):
    config.available_features.add("tensorflow")

config.substitutions += [
    ("%python", os.path.join(venv_bin, "python")),
    ("%clangxx", os.path.join(llvm_bin, "clang++")),
    ("%clang", os.path.join(llvm_bin, "clang")),
    ("%{build}", config.onnxc_build_dir),
    ("%{llvm}", config.onnxc_llvm_dir),
    ("%{source}", config.onnxc_source_dir),
    ("%{include}", os.path.join(config.onnxc_source_dir, "runtime", "include")),
    ("%{examples}", os.path.join(config.onnxc_source_dir, "examples")),
]

# Models beside the checkout that are not part of it.
shared_models = pathlib.Path(config.onnxc_source_dir).parent / "shared" / "models"
if (shared_models / "manifest.json").exists():
    config.available_features.add("shared-models")
    config.substitutions.append(("%{shared-models}", str(shared_models)))

config.available_features.add(platform.machine().replace("_", "-"))
cpu_flags = pathlib.Path("/proc/cpuinfo").read_text().partition("flags")[2].partition("\n")[0].split()
for feature in ("avx2", "avx512f"):
    if feature in cpu_flags:
        config.available_features.add(feature)

# Programs of other processors.
for machine in ("aarch64", "riscv64"):
    if pathlib.Path(config.onnxc_build_dir, "lib", "onnxc", machine, "onnxc_rt.o").exists():
        config.available_features.add(f"{machine}-runtime")

    if shutil.which(f"qemu-{machine}") and pathlib.Path(f"/usr/{machine}-linux-gnu/lib/crt1.o").exists():
        config.available_features.add(f"qemu-{machine}")
if shutil.which("qemu-x86_64"):
    config.available_features.add("qemu-x86-64")
if shutil.which("qemu-riscv32"):
    config.available_features.add("qemu-riscv32")

if shutil.which("qemu-system-arm"):
    config.available_features.add("qemu-system-arm")

# What the package is made of, and a root folder of one's own to try it in.
if pathlib.Path(config.onnxc_build_dir, "self-contained", "bin", "onnx-compile-self-contained").exists():
    config.available_features.add("self-contained")
if pathlib.Path(config.onnxc_build_dir, "self-contained", "lib", "libonnxc.a").exists():
    config.available_features.add("static-library")
if shutil.which("unshare") and subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode == 0:
    config.available_features.add("own-root")

# ptxas and nvdisasm for NVIDIA GPUs, which utils/setup.sh installs as packages, or those of a toolkit.
packaged = pathlib.Path(venv_bin).parent.glob("lib/python*/site-packages/nvidia/cu*/bin")
config.environment["PATH"] = os.pathsep.join([config.environment["PATH"], *map(str, packaged), "/usr/local/cuda/bin"])

if shutil.which("gdb"):
    config.available_features.add("gdb")
# Machines may forbid programs to be sampled.
sample = ["perf", "record", "-q", "-e", "cpu-clock:u", "-o", "/dev/null", "true"]
if shutil.which("perf") and subprocess.run(sample, capture_output=True).returncode == 0:
    config.available_features.add("perf")
else:
    lit_config.note("no perf, or it may not sample: test/Target/perf-frames.test is skipped")
if os.path.exists("/usr/lib/x86_64-linux-musl/crt1.o"):
    config.available_features.add("musl")
if shutil.which("gcc") and shutil.which("g++"):
    config.available_features.add("gcc")

# A file system of any size, for tests of a full disk.
small_disk = ["unshare", "-rm", "sh", "-c", "mount -t tmpfs -o size=64k tmpfs /mnt"]
if shutil.which("unshare") and subprocess.run(small_disk, capture_output=True).returncode == 0:
    config.available_features.add("small-disk")
