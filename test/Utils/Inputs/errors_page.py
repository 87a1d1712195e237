# ===- errors_page.py - Compare the page of errors with the sources ---------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# errors_page.py PAGE SOURCE_FOLDER: each message of the page, split at `...`, has to be
# in the string literals of the sources, and each status of a run on the page.
# ===------------------------------------------------------------------------===//
"""Finds messages of docs/Errors.md that the sources no longer have."""

import pathlib
import re
import sys

FOLDERS = ["lib", "runtime/lib", "runtime/include", "runtime/python", "tools"]
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
GROUP = re.compile(rf"{LITERAL}(?:\s*{LITERAL})*")
FORMAT = re.compile(r"%[-\w]*[sdUSRzlu]")


def literals(root):
    """All string literals, those that C and Python join as one, with blanks for what printf puts in."""
    files = [file for folder in FOLDERS for file in (root / folder).rglob("*") if file.suffix in (".cpp", ".h", ".hpp", ".td", ".py")]
    for file in files:
        for group in GROUP.findall(file.read_text()):
            yield FORMAT.sub(" ", re.sub(r'"\s*"', "", group))


def main():
    page, root = pathlib.Path(sys.argv[1]).read_text(), pathlib.Path(sys.argv[2])
    rows = re.findall(r"^\| `([^`]+)` \|", page, re.M)
    text = "\n".join(literals(root))
    statuses = set(re.findall(r"\bOM_STATUS_[A-Z]+", (root / "runtime/include/onnxc/Runtime.h").read_text())) - {"OM_STATUS_OK"}
    stale = [row for row in rows if row not in statuses and not all(piece.strip() in text for piece in row.split("..."))]
    missing = sorted(statuses - set(rows))
    for row in stale:
        print(f"no source has the message: {row}")
    for status in missing:
        print(f"the page lacks {status}")
    print(f"{len(rows)} rows, {len(stale) + len(missing)} wrong")
    return 1 if stale or missing or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
