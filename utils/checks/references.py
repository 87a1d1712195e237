# ===- references.py - References between files ----------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Checks of what files say about other files."""

import re

from .tree import ROOT


def check_paths_are_portable(tree):
    """No file names a path of one machine."""
    pattern = re.compile(r"(?<![\w.])/(?:home|root|work|Users)/\w+")
    for name, text in tree.texts.items():
        for number, line in enumerate(text.split("\n"), 1):
            if pattern.search(line) and name not in ("utils/checks/references.py", "test/Utils/check.test"):
                yield f"{name}:{number} names {pattern.search(line)[0]}"


def check_links_lead_somewhere(tree):
    """Links of documents to files of the tree are right."""
    for name in tree.of(".md"):
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", tree.texts[name]):
            if "://" not in target and not (ROOT / name).parent.joinpath(target).exists():
                yield f"{name} links to {target}, which does not exist"


SOURCE = re.compile(r"(?<![\w/.$}-])(?:docs|include|lib|runtime|test|tools)/\w[\w/.-]*\.(?:cpp|h|md|mlir|py|test)\b")


def check_named_files_exist(tree):
    """Documents and comments name files of the tree by their path."""
    for name in tree.of(".cpp", ".h", ".md", ".td", ".txt"):
        for number, line in enumerate(tree.texts[name].splitlines(), 1):
            for path in SOURCE.findall(line):
                if not (ROOT / path).exists() and not (ROOT / "runtime" / path).exists():
                    yield f"{name}:{number} names {path}, which does not exist"


STEPS = "include/onnxc/Dialect/Krnl/IR/"


def check_recipe_steps_are_listed(tree):
    """docs/Architecture.md lists the steps of recipes, docs/Glossary.md the strategies for tails."""
    texts = "".join(tree.texts[f] for f in tree.of(".td") if f.startswith(STEPS) and f.endswith("Steps.td"))
    # The step "only" has no mnemonic in text: it is the prefix of another step.
    steps = [step for step in re.findall(r'Krnl_Step<\s*"\w+",\s*"(\w+)"', texts) if step != "only"]
    tails = re.findall(r"enum class TailStrategy[^{]*\{(.*?)\}", tree.texts.get("include/onnxc/Dialect/Krnl/IR/Loop.h", ""), re.DOTALL)
    rows = re.findall(r"^\| tail strategy \|.*", tree.texts.get("docs/Glossary.md", ""), re.MULTILINE)
    for step in steps:
        if f"`{step}`" not in tree.texts.get("docs/Architecture.md", ""):
            yield f"docs/Architecture.md does not list the step {step}"
    for tail in re.findall(r"^\s*(\w+)", "".join(tails), re.MULTILINE):
        if f"`{tail.lower()}`" not in "".join(rows):
            yield f"docs/Glossary.md does not list the tail strategy {tail.lower()}"


def check_version_is_one(tree):
    """The version of the programs is that of the build and of the Python package."""
    places = {
        "include/onnxc/Version.h": r'ONNXC_VERSION "(\S+)"',
        "CMakeLists.txt": r"^project\(.* VERSION (\S+)",
        "pyproject.toml": r'^version = "(\S+)"',
        "runtime/python/onnx_compile/__init__.py": r'^__version__ = "(\S+)"',
        "Dockerfile": r"/onnx-compile-(\d\S*?)-linux",
        "docs/HowTo/ShipToOtherMachines.md": r"/onnx-compile-(\d\S*?)-linux",
    }
    known = {name: re.findall(p, tree.texts[name], re.MULTILINE) for name, p in places.items() if name in tree.texts}
    if len({tuple(versions) for versions in known.values()}) > 1:
        yield "; ".join(f"{name} has {' '.join(versions) or 'no version'}" for name, versions in known.items())
