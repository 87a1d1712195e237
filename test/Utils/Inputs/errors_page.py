# ===- errors_page.py - Compare the page of errors with the sources ---------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# errors_page.py PAGE SOURCE_FOLDER [COMPILER MODEL]: each message of the page, split at
# `...`, has to be in the string literals of the sources, and each status of a run on the
# page. The compiler has to end with the statuses of the page.
# ===------------------------------------------------------------------------===//
"""Finds messages of docs/Errors.md that the sources no longer have."""

import pathlib
import re
import subprocess
import sys
import tempfile

FOLDERS = ["lib", "runtime/lib", "runtime/include", "runtime/python", "tools"]
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
GROUP = re.compile(rf"{LITERAL}(?:\s*{LITERAL})*")
FORMAT = re.compile(r"%[-\w]*[sdUSRzlu]")


# Commands that are refused, as many as need no model of their own.
REFUSED = [
    ["{model}", "--cpu=none"],
    ["{model}", "--triple=none"],
    ["{model}", "--output={folder}/none/m.so"],
    ["{model}", "--dim=none=2"],
    ["{model}", "--shape=none:1"],
    ["{model}", "--from=none"],
    ["{model}", "--limit=nodes=1"],
    ["{model}.none"],
    ["{text}"],
]


def wrong_statuses(page, compiler, model):
    """Messages of the page with another status than the compiler ends with, and commands without a message."""
    rows = re.findall(r"^\| `([^`]+)` \| (\d+) \|", page, re.M)
    with tempfile.TemporaryDirectory() as folder:
        for words in REFUSED:
            command = [compiler, f"--output={folder}/m.so", *(word.format(model=model, folder=folder, text=__file__) for word in words)]
            done = subprocess.run(command, capture_output=True, text=True)
            found = [(row, status) for row, status in rows if all(piece in done.stderr for piece in row.split("..."))]
            if not found:
                yield f"no row has the message of {' '.join(words)}"
            yield from (f"{row} ends with {done.returncode}, not {status}" for row, status in found if int(status) != done.returncode)


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
    statuses_wrong = list(wrong_statuses(page, *sys.argv[3:])) if len(sys.argv) > 3 else []
    for line in statuses_wrong:
        print(line)
    for row in stale:
        print(f"no source has the message: {row}")
    for status in missing:
        print(f"the page lacks {status}")
    print(f"{len(rows)} rows, {len(stale) + len(missing) + len(statuses_wrong)} wrong")
    return 1 if stale or missing or statuses_wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
