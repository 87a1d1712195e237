# ===- expectations.py - The list of known failures ------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# `mode/name  reason` per line. A case that is listed must fail, a case that is
# not must pass; so the list only shrinks.
# ===------------------------------------------------------------------------===//
"""Keeps the list of known failures."""

import re


def read(path):
    """Returns {key: reason}; a missing file is an empty list."""
    if not path.exists():
        return {}
    lines = [l for l in path.read_text().splitlines() if l.strip() and not l.startswith("#")]
    return {key: reason.strip() for key, _, reason in (l.partition("  ") for l in lines)}


def write(path, header, reasons):
    lines = [f"# {line}".rstrip() for line in header.splitlines()]
    lines += [f"{key}  {reason}".rstrip() for key, reason in sorted(reasons.items())]
    path.write_text("\n".join(lines) + "\n")


def generalise(message):
    """A message with names and numbers taken out, so that equal causes read the same."""
    message = re.sub(r'^[^\s:]*(:"[^"]*"|:\d+|\([^)]*\))*:\s*error:\s*', "", message)
    message = re.sub(r"(0x[0-9a-f]+|\d+(\.\d+)?(e[+-]?\d+)?)", "N", message)
    return re.sub(r"(N\s*[x, ]\s*)+N", "N", message)[:110].strip()


def judge(results, expected):
    """Splits {key: passed?} into (passed, expected failures, unexpected failures, unexpected passes)."""
    groups = ([], [], [], [])
    for key, passed in results.items():
        listed = key in expected
        groups[(3 if listed else 0) if passed else (1 if listed else 2)].append(key)
    return groups
