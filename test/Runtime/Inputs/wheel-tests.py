# ===- wheel-tests.py - From a wheel to the first result ---------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Installs a wheel into a fresh environment that has NumPy alone, and recognises a digit.

Usage: wheel-tests.py WHEEL FOLDER EXAMPLES
"""

import os
import pathlib
import subprocess
import sys
import time
import venv

import numpy

wheel, folder, examples = map(pathlib.Path, sys.argv[1:])
LOADED = """
print(*sorted({line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}))
"""
BARE = "import ctypes, hashlib, numpy, socket, tempfile" + LOADED
SCRIPT = f"""
import numpy as np
import onnx_compile

session = onnx_compile.ExecutionSession(onnx_compile.compile("{examples}/digits/digits.onnx", "digits.so"))
print("this is a", session(np.load("{examples}/digits/images/3.npy").reshape(1, 1, 8, 8)).argmax())
{LOADED}"""


def run(*command):
    environment = {"PATH": "/usr/bin:/bin"}
    return subprocess.run(command, check=True, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE).stdout


venv.create(folder / "env", with_pip=True, symlinks=True)
packages = next((folder / "env" / "lib").glob("python*")) / "site-packages"
for source in pathlib.Path(numpy.__file__).parents[1].glob("numpy*"):
    (packages / source.name).symlink_to(source)
python = folder / "env" / "bin" / "python"

begin = time.monotonic()
run(python, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", wheel)
printed = run(python, "-c", SCRIPT)
print(printed.splitlines()[0])
print(f"{wheel.name}: {time.monotonic() - begin:.1f} s from the file to the first result")
print(run(folder / "env" / "bin" / "onnx-run", "info", "digits.so").splitlines()[0])

# A wheel for other machines loads what is in it and the C library.
if "manylinux" in wheel.name:
    others = set(printed.splitlines()[1].split()) - set(run(python, "-c", BARE).split())
    inside = (str(folder.resolve()), str(pathlib.Path(os.__file__).resolve().parent))
    outside = {pathlib.Path(path).name for path in others if not path.startswith(inside)}
    foreign = {name for name in outside if not name.startswith(("libc.so", "libm.so", "libdl.so", "ld-linux"))}
    assert not foreign, f"the wheel needs {sorted(foreign)}"
    print("it needs nothing else")
