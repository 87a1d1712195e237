# ===- python_root.py - Python in a root folder of its own -------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""A root folder with a C library, Python and some of its packages, made of those of this machine."""

import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig

IN_ROOT = pathlib.Path(__file__).resolve().parent / "in-root.sh"


def link(source, target):
    """A copy that nothing writes to; links do not lead from one file system to another."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def add(root, source, target=None, unneeded=("__pycache__",)):
    """A file or folder, at the same path in the root unless another is given."""
    copy = root / str(target or source).lstrip("/")
    copy.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        ignore = shutil.ignore_patterns(*unneeded)
        shutil.copytree(source, copy, copy_function=link, ignore=ignore, dirs_exist_ok=True)
    elif not copy.exists():
        shutil.copy2(source, copy)


def fill(root, packages):
    """Python, the libraries that it and the packages load, and these paths of packages. Returns the program."""
    python, library = pathlib.Path(sys._base_executable).resolve(), pathlib.Path(sysconfig.get_path("stdlib"))
    add(root, python)
    add(root, library, unneeded=("__pycache__", "test", "tests", "site-packages", "dist-packages"))
    if (pip := pathlib.Path("/usr/share/python-wheels")).exists():  # of Debian's Python
        add(root, pip)
    programs = [python, *library.glob("lib-dynload/*.so")]
    for source in packages:
        add(root, source, library / "site-packages" / source.name)
        programs += source.rglob("*.so") if source.is_dir() else []
    listed = subprocess.run(["ldd", *programs], capture_output=True, text=True).stdout
    for line in set(listed.splitlines()):
        for word in line.split():
            if word.startswith("/") and not word.endswith(":") and "site-packages" not in word:
                add(root, pathlib.Path(word))
    for name in ("proc", "dev", "tmp"):
        (root / name).mkdir()
    return python


def run(root, *command, **variables):
    environment = {"PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", **variables}
    words = ["sh", IN_ROOT, root, *command]
    return subprocess.run(words, check=True, env=environment, text=True, stdout=subprocess.PIPE).stdout
