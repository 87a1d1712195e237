# ===- forget_functions.py - An artefact without some functions -----------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""forget_functions.py ARTEFACT OUTPUT NAME|@FILE...: a copy that exports other names in the place of these, as an artefact
of a release before the functions were added would not have them."""

import pathlib
import sys

artefact, output, *words = sys.argv[1:]
names = [n for w in words for n in (pathlib.Path(w[1:]).read_text().split() if w[0] == "@" else [w])]
contents = pathlib.Path(artefact).read_bytes()
for name in names:
    spelled = b"\0" + name.encode() + b"\0"
    assert contents.count(spelled) >= 1, f"{artefact} has no {name}"
    contents = contents.replace(spelled, b"\0X" + name.encode()[1:] + b"\0")
pathlib.Path(output).write_bytes(contents)
