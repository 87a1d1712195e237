# ===- edit_arguments.py - Each argument of a recipe counts ----------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""edit_arguments.py ONNX-OPT FILE...: changes the arguments of the recipes in files of kernels, one at a time.

Another argument, or a recipe without the step, gives other code or is refused with a reason.
"""

import pathlib
import re
import subprocess
import sys

TARGET = "--select-target=triple=x86_64-linux-gnu cpu=x86-64-v4"
RECIPE = re.compile(r"^ +recipe \[.*?\] \{$", re.M | re.S)
STEP = re.compile(r", (?:transpose|interleave|strided|arena|early_exit|prefetch)\([^)]*\)|,? masked|, (?:transpose|interleave)=\d+")
NUMBER = re.compile(r"(?<=lanes=)\d+|(?<=transpose=)\d+|(?<=interleave=)\d+|(?<=distance=)\d+|(?<=line=)\d+|(?<=tail=\[)\d+|(?<=tail=\[\d, )\d+|(?<=strided\(\w, )\d+")
TAIL = re.compile(r", tail=\[[^]]*\](?: masked)?")


def edits(recipe):
    """Every recipe that differs in one argument or lacks one step."""
    for pattern, texts in ((STEP, [""]), (TAIL, [""]), (NUMBER, ["half", "double", "0"])):
        for found in pattern.finditer(recipe):
            for text in texts:
                number = int(found[0]) if text else 0
                new = {"half": str(number // 2), "double": str(number * 2)}.get(text, text)
                yield found[0], new, recipe[: found.start()] + new + recipe[found.end() :]


def lower(tool, text):
    """The code of the kernels, or the refusal."""
    command = [tool, TARGET, "--krnl-lower-kernels", "--canonicalize", "--cse", "-"]
    run = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return run.stdout if run.returncode == 0 else run.stderr


def main(tool, *files):
    changed = refused = 0
    for name in files:
        text = pathlib.Path(name).read_text()
        before = lower(tool, text)
        for recipe in RECIPE.finditer(text):
            for old, new, edited in edits(recipe[0]):
                after = lower(tool, text[: recipe.start()] + edited + text[recipe.end() :])
                if "error:" in after:
                    assert re.search(r"recipe step \d+ '[^']*': .", after), after
                    refused += 1
                else:
                    assert after != before, f"{name}: '{new}' instead of '{old}' changes nothing in {recipe[0]}"
                    changed += 1
    print(f"{changed} arguments change the code, {refused} are refused")


if __name__ == "__main__":
    main(*sys.argv[1:])
