# ===- wheel_in_root.py - From a wheel to the first result -------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Installs a wheel in a root folder with a C library, Python and NumPy alone, and recognises a digit.

Usage: wheel_in_root.py WHEEL ROOT EXAMPLES
"""

import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import time

import numpy

wheel, root, examples = map(pathlib.Path, sys.argv[1:])
IN_ROOT = pathlib.Path(__file__).resolve().parent / "in-root.sh"
SCRIPT = """
import numpy as np
import onnx_compile

session = onnx_compile.ExecutionSession(onnx_compile.compile("/digits.onnx", "/digits.so"))
print("this is a", session(np.load("/3.npy").reshape(1, 1, 8, 8)).argmax())
"""


def link(source, target):
    """A copy for programs that do not write to it; links do not lead from one file system to another."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def add(source, target=None):
    """A file or folder, at the same path in the root unless another is given."""
    copy = root / str(target or source).lstrip("/")
    copy.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        unneeded = shutil.ignore_patterns("test", "tests", "site-packages", "dist-packages", "__pycache__")
        shutil.copytree(source, copy, copy_function=link, ignore=unneeded, dirs_exist_ok=True)
    elif not copy.exists():
        link(source.resolve(), copy)


def fill_root():
    python, library = pathlib.Path(sys._base_executable).resolve(), pathlib.Path(sysconfig.get_path("stdlib"))
    add(python)
    add(library)
    if (pip := pathlib.Path("/usr/share/python-wheels")).exists():  # of Debian's Python
        add(pip)
    for source in pathlib.Path(numpy.__file__).parents[1].glob("numpy*"):
        add(source, library / "site-packages" / source.name)
    programs = [python, *library.glob("lib-dynload/*.so"), *pathlib.Path(numpy.__file__).parent.rglob("*.so")]
    listed = subprocess.run(["ldd", *programs], capture_output=True, text=True).stdout
    for line in set(listed.splitlines()):
        for word in line.split():
            if word.startswith("/") and "numpy" not in word and not word.endswith(":"):
                add(pathlib.Path(word))
    for name in ("proc", "tmp"):
        (root / name).mkdir()
    for source in (wheel, examples / "digits" / "digits.onnx", examples / "digits" / "images" / "3.npy"):
        add(source, f"/{source.name}")
    return python


def run(*command):
    words = ["sh", IN_ROOT, root, *command]
    return subprocess.run(words, check=True, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}, text=True, stdout=subprocess.PIPE).stdout


run(fill_root(), "-m", "venv", "--system-site-packages", "/env")
begin = time.monotonic()
run("/env/bin/python", "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", f"/{wheel.name}")
print(run("/env/bin/python", "-c", SCRIPT), end="")
seconds = time.monotonic() - begin
print(f"{wheel.name}: {seconds:.1f} s from the file to the first result")
print(run("/env/bin/onnx-run", "info", "/digits.so").splitlines()[0])
