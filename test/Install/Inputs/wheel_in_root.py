# ===- wheel_in_root.py - From a wheel to the first result -------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Installs a wheel in a root folder with a C library, Python and NumPy alone, and recognises a digit.

Usage: wheel_in_root.py WHEEL ROOT EXAMPLES
"""

import pathlib
import sys
import time

import numpy
from python_root import add, fill, run

wheel, root, examples = map(pathlib.Path, sys.argv[1:])
SCRIPT = """
import numpy as np
import onnx_compile

session = onnx_compile.ExecutionSession(onnx_compile.compile("/digits.onnx", "/digits.so"))
print("this is a", session(np.load("/3.npy").reshape(1, 1, 8, 8)).argmax())
"""

python = fill(root, pathlib.Path(numpy.__file__).parents[1].glob("numpy*"))
for source in (wheel, examples / "digits" / "digits.onnx", examples / "digits" / "images" / "3.npy"):
    add(root, source, f"/{source.name}")
run(root, python, "-m", "venv", "--system-site-packages", "/env")
begin = time.monotonic()
run(root, "/env/bin/python", "-m", "pip", "install", "--quiet", "--no-index", f"/{wheel.name}")
print(run(root, "/env/bin/python", "-c", SCRIPT), end="")
seconds = time.monotonic() - begin
print(f"{wheel.name}: {seconds:.1f} s from the file to the first result")
print(run(root, "/env/bin/onnx-run", "info", "/digits.so").splitlines()[0])
