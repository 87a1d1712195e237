# ===- packages.py - Other versions of the onnx package --------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Wheels from the package registry, unpacked and not installed, and the list of
# their cases that do not pass as stored.
# ===------------------------------------------------------------------------===//
"""Downloads versions of the onnx package and reads older-opsets.txt."""

import collections
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

LIST = pathlib.Path(__file__).resolve().parent / "older-opsets.txt"
DATA = pathlib.Path("onnx/backend/test/data")
Line = collections.namedtuple("Line", "packages pattern evidence cause")


class CannotDownload(Exception):
    """The last line that pip has printed."""


def read_list():
    """Returns the lines of the list."""
    texts = [t for t in LIST.read_text().splitlines() if t.strip() and not t.startswith("#")]
    lines = []
    for text in texts:
        packages, pattern, evidence, cause = (part.strip() for part in text.split("  ", 3))
        lines.append(Line(packages.split(","), re.compile(f"test_({pattern})"), evidence, cause))
    return lines


def unpack(version, target, *options):
    """Unpacks the wheel of a version into the folder `target`, unless it is there."""
    if target.exists():
        return
    partial = target.with_name(f"{target.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary=:all:", *options, "--dest", partial, f"onnx=={version}"]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        raise CannotDownload((run.stderr.strip() or f"pip ended with {run.returncode}").splitlines()[-1])
    (wheel,) = partial.glob("onnx-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(partial)
    wheel.unlink()
    partial.rename(target)
