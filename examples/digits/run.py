#!/usr/bin/env python3
# ===- run.py - Recognise a handwritten digit ------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Loads the compiled digits network and shows each image as text with the
# digit that the network sees in it.
# ===------------------------------------------------------------------------===//
"""Recognise digits: run.py digits.so [image.npy ...] (default: the ten images beside this file)."""

import pathlib
import sys

import numpy as np
from onnx_compile import ExecutionSession

SHADES = " .:-=+*#%@"


def as_text(image):
    """The image as eight lines of text, two characters a pixel."""
    levels = np.clip(image * 10, 0, 9).astype(int)
    return "\n".join("".join(SHADES[v] * 2 for v in row).rstrip() for row in levels)


def main():
    session = ExecutionSession(sys.argv[1])
    images = sys.argv[2:] or sorted((pathlib.Path(__file__).resolve().parent / "images").glob("*.npy"))
    for path in images:
        image = np.load(path)
        (probabilities,) = session.run(image)
        digit = int(probabilities[0].argmax())
        print(f"{as_text(image[0, 0])}\n{path}: this is a {digit} ({probabilities[0, digit]:.1%})\n")


if __name__ == "__main__":
    main()
