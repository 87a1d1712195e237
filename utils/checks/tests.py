# ===- tests.py - Tests of sources -----------------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Checks that sources have tests which can fail."""

import pathlib
import re
import subprocess
import sys

from .tree import ROOT

# Messages that no test expects, by the arguments of utils/messages: most are of failures
# that cannot be brought about. Fewer is better; a new message has a test.
UNTESTED = {"": 32, "--reasons": 42}


def kebab(name):
    """ExpandMath, RNNToLoops, NaNGuard -> expand-math, rnn-to-loops, nan-guard."""
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1-\2", name.replace("NaN", "Nan"))
    return re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1-\2", name).lower()


def check_tests_mirror_sources(tree):
    """Every source of a pass, a transform or a conversion has a test of its name in the folder that mirrors its own."""
    tests = {f for f in tree.of(".mlir", ".test") if f.startswith("test/")}
    unit_tests = {pathlib.PurePosixPath(f).name for f in tree.of(".cpp") if f.startswith("test/Unit/")}
    for name in tree.of(".cpp"):
        path = pathlib.PurePosixPath(name)
        is_pass = name.startswith("lib/") and re.search(r"\bimpl::\w+Base<", tree.texts[name])
        is_change = name.startswith("lib/Conversion/") or (name.startswith("lib/") and "Transforms" in path.parts)
        if not (is_pass or is_change) or f"{path.stem}Test.cpp" in unit_tests:
            continue
        folder = "/".join(path.parts[1:-1])
        test = kebab(path.stem.removesuffix("Pass"))
        expected = re.compile(rf"test/{folder}/{test}(-[^/]*)?\.(mlir|test)")
        if not any(expected.fullmatch(f) for f in tests):
            yield f"there is no test/{folder}/{test}.mlir for {name}"


def check_passes_have_tests(tree):
    """Every pass of a Passes.td has a lit test that runs it by its flag."""
    tests = "\n".join(tree.texts[f] for f in tree.of(".mlir", ".test") if f.startswith("test/"))
    for name in tree.of(".td"):
        for flag in re.findall(r"Pass<\s*\"([a-z0-9-]+)\"", tree.texts[name]):
            if not re.search(rf"(?<!\w){re.escape(flag)}(?![\w-])", tests):
                yield f"the pass {flag} of {name} is run by no lit test"


FILECHECK = re.compile(r"(?:RUN|DEFINE): .*?\bFileCheck\b([^|;&\n]*)")


def check_tests_expect_something(tree):
    """What FileCheck must not find is beside a line that it must: a program that prints something else fails."""
    for name, text in tree.texts.items():
        if not name.startswith("test/") or "-NOT:" not in text:
            continue
        for command in FILECHECK.findall(re.sub(r"\\\n\W*RUN:", "", text)):
            given = re.search(r"--?check-prefix(?:es)?[= ]([\w,-]+)", command)
            words = "|".join(map(re.escape, given[1].split(",") if given else ["CHECK"]))
            kinds = {kind for kind in re.findall(rf"(?<![\w-])(?:{words})(-NOT|-[A-Z]+(?:-\d+)?)?(?:{{LITERAL}})?:", text)}
            if kinds == {"-NOT"}:
                yield f"{name} has only {words}-NOT: say by one {words} line what is there"


def check_messages_have_tests(tree):
    """Not more messages than UNTESTED has are without a test (utils/messages lists them)."""
    script = ROOT / "utils/messages"
    for argument, allowed in UNTESTED.items() if script.exists() else ():
        told = subprocess.run([sys.executable, script, *argument.split()], capture_output=True, text=True, check=True)
        tested, total = map(int, re.findall(r"(\d+) of (\d+) have a test", told.stderr)[0])
        if total - tested > allowed:
            yield f"{total - tested} of {' '.join(['utils/messages', argument]).strip()} have no test, {allowed} may have none"


def check_upgrade_rules_have_tests(tree):
    """Every rule of lib/Importer/Upgrade has a test of its name."""
    rules, tests = "lib/Importer/Upgrade/Rules.h", "test/Unit/Importer/UpgradeRulesTest.cpp"
    for rule in re.findall(r"^void (\w+)\(NodeView", tree.texts.get(rules, ""), re.MULTILINE):
        if f"TEST(UpgradeRules, {rule})" not in tree.texts.get(tests, ""):
            yield f"{tests} has no TEST(UpgradeRules, {rule})"
