# ===- forget_functions.py - An artefact without some functions -----------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""forget_functions.py ARTEFACT OUTPUT NAME|@FILE...: a copy that exports other names in the place of these, as an artefact
of a release before the functions were added would not have them. Those of a file may be missing: they were added later."""

import pathlib
import sys

artefact, output, *words = sys.argv[1:]
contents = pathlib.Path(artefact).read_bytes()
named = [w for w in words if w[0] != "@"]
listed = [n for w in words if w[0] == "@" for n in pathlib.Path(w[1:]).read_text().split()]
for name in named + listed:
    spelled = b"\0" + name.encode() + b"\0"
    assert name in listed or spelled in contents, f"{artefact} has no {name}"
    contents = contents.replace(spelled, b"\0X" + name.encode()[1:] + b"\0")
pathlib.Path(output).write_bytes(contents)
