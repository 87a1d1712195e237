# ===- saliency.py - Which inputs a class score depends on ------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
#   model = saliency.make("model.onnx", classes=3)
#   session = ExecutionSession(onnx_compile.compile(model))
#
# The package onnx is needed here, as for training.
# ===------------------------------------------------------------------------===#
"""Make models that compute, beside their outputs, the gradients of a class score by their inputs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import onnx

from onnx_compile import _make_command, _training_step
from onnx_compile._training_step import TrainingError

__all__ = ["TrainingError", "make"]


def make(model: Any, output: str | None = None, classes: int | None = None) -> onnx.ModelProto:
    """The model with an output saliency.NAME for each input NAME of floats.

    It is the gradient of the score by that input, of its shape. Scores are the last dimension of `output`, the first
    output if it is left out; where Softmax or LogSoftmax computes this one, they are what that reads, since
    probabilities near 1 hardly change. Of each row the score is that of class number `classes`, or the largest one.

    Raises TrainingError if no input has floats, or the model has no such tensor or class.
    """
    result: onnx.ModelProto = _training_step.add_saliency(model, output, classes)
    return result


DESCRIPTION = """\
Adds to a model, for each input NAME of floats, an output saliency.NAME: the
gradient of the score of a class by this input. Large elements, of either
sign, are those that the decision depends on.
"""
EPILOG = """\
examples:
  python -m onnx_compile.saliency digits.onnx -o saliency.so
      of each image, the score of the class that the model chooses
  python -m onnx_compile.saliency digits.onnx -o saliency.onnx --class=3
      the score of class 3, as a model: Gradient and the nodes of the model
"""


def _parser() -> argparse.ArgumentParser:
    parser = _make_command.make_parser("onnx_compile.saliency", DESCRIPTION, EPILOG)
    parser.add_argument("--of", metavar="TENSOR", help="the output with the scores; the first one")
    parser.add_argument("--class", type=int, dest="number", metavar="N", help="the class; of each row the largest")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit status."""
    return _make_command.run(_parser(), arguments, lambda chosen: (make(chosen.model, chosen.of, chosen.number), ""))


if __name__ == "__main__":
    sys.exit(main())
