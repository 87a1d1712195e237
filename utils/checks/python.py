# ===- python.py - Python files --------------------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Checks of Python files."""

import ast
import re
import subprocess
import sys

from .tree import ROOT


def check_python_compiles(tree):
    """Python files compile."""
    for name in sorted({*tree.scripts("python"), *tree.of(".py")}):
        try:
            compile(tree.texts[name], name, "exec")
        except SyntaxError as error:
            yield f"{name}:{error.lineno} {error.msg}"


def check_python_is_of_3_10(tree):
    """Python files use nothing that came after Python 3.10, the oldest that the package is for."""
    later = re.compile(r"^\s*(?:import|from) tomllib\b|\b(?:hashlib\.file_digest|itertools\.batched|enum\.StrEnum|contextlib\.chdir)\b")
    for name in sorted({*tree.scripts("python"), *tree.of(".py")}):
        try:
            ast.parse(tree.texts[name], name, feature_version=(3, 10))
        except SyntaxError as error:
            yield f"{name}:{error.lineno} {error.msg}"
        for number, line in enumerate(tree.texts[name].split("\n"), 1):
            if (found := later.search(line)) and name != "utils/checks/python.py":
                yield f"{name}:{number} uses {found[0].strip()}, which Python 3.10 lacks"


def public_members(node, prefix=""):
    """The functions and classes below `node` that a user sees, without overloads and setters of properties."""
    for member in ast.iter_child_nodes(node):
        if isinstance(member, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and member.name[0] != "_":
            if not {ast.unparse(one).rpartition(".")[2] for one in member.decorator_list} & {"overload", "setter"}:
                yield prefix + member.name, member
            if isinstance(member, ast.ClassDef):
                yield from public_members(member, f"{prefix}{member.name}.")


def check_python_docstrings(tree):
    """Every public function and class of the Python package has a docstring."""
    for name in (f for f in tree.of(".py") if f.startswith("runtime/python/onnx_compile/")):
        for member, node in public_members(ast.parse(tree.texts[name], name)):
            if not ast.get_docstring(node):
                yield f"{name}:{node.lineno} {member} has no docstring"


def check_python_types(tree):
    """The types of the Python package are right (mypy, with the settings of pyproject.toml)."""
    if "runtime/python/onnx_compile/py.typed" not in tree.files:
        return
    python = ROOT / "build" / "venv" / "bin" / "python"
    command = [str(python) if python.exists() else sys.executable, "-m", "mypy", "--config-file", "pyproject.toml",
               "--cache-dir", "build/mypy-cache", "--no-error-summary", "runtime/python/onnx_compile"]  # fmt: skip
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if result.returncode:
        yield from (result.stdout or result.stderr).splitlines()
