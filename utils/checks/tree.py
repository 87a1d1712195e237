# ===- tree.py - The files of the project ----------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""The files that git knows or would add, and their texts."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
CXX = {".c", ".cc", ".cpp", ".h", ".hpp"}


class Tree:
    """The files of the project and their texts."""

    def __init__(self):
        command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, check=True, capture_output=True).stdout.decode().split("\0")
        self.files = sorted({f for f in listed if f and (ROOT / f).is_file()})
        self.texts = {}
        for name in self.files:
            try:
                self.texts[name] = (ROOT / name).read_text()
            except UnicodeDecodeError:
                pass  # a model, an array, an image

    def of(self, *suffixes):
        return [f for f in self.texts if pathlib.Path(f).suffix in suffixes]

    def scripts(self, word):
        """Files whose first line starts an interpreter with this word in it."""
        return [f for f, text in self.texts.items() if text.startswith("#!") and word in text.split("\n", 1)[0]]
