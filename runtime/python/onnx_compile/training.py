# ===- training.py - Train models with compiled steps -----------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
#   trainer = training.Trainer("model.onnx", loss="cross-entropy")
#   for x, labels in batches:
#       loss = trainer.step(x, labels)
#   trainer.save("trained.onnx")
#
# The package onnx is needed here, and nowhere else.
# ===------------------------------------------------------------------------===#
"""Train ONNX models: forward, backward and the optimizer's update as one compiled function."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

from onnx_compile import _make_command, _training_step
from onnx_compile._compile import compile
from onnx_compile._execution_session import ExecutionSession
from onnx_compile._training_step import LOSSES, OPTIMIZERS, SGD, Adagrad, Adam, Momentum, TrainingError

__all__ = ["LOSSES", "OPTIMIZERS", "SGD", "Adagrad", "Adam", "Momentum", "Trainer", "TrainingError", "make_step"]


class Trainer:
    """A model, its weights, and the compiled step that improves them.

    model: a path, the bytes of a model file, or an onnx.ModelProto.
    loss: the number that the step makes smaller.
        "cross-entropy": a class for each row; labels are int64. The output may
            be scores or, with Softmax at the end, probabilities.
        "binary-cross-entropy": targets from 0 to 1; scores, or Sigmoid of them.
        "mean-squared-error", "mean-absolute-error": the distance from a target.
        "given": the output is the loss already.
    optimizer: "adam", "adagrad", "momentum" or "sgd", or an instance of Adam,
        Adagrad, Momentum or SGD with settings of your own: Adam(rate=1e-4).
    output: the output (or any tensor) that the loss is about; the first one.
    train, freeze: names of the weights to train, and not to; '*' and '?' as in
        file names. All initializers of floats that are no settings are trained.
    evaluation: keep normalizations and dropout as they are in inference.
    options: those of onnx_compile.compile, for the step.

    weights: {name: array}, to look at and to set.
    states: {name: array}, the memory of the optimizer and of normalizations.
    """

    def __init__(self, model: Any, loss: str = "cross-entropy", optimizer: Any = "adam", output: str | None = None,
                 train: Sequence[str] | None = None, freeze: Sequence[str] = (), evaluation: bool = False,
                 **options: Any) -> None:  # fmt: skip
        self.optimizer = _training_step.optimizer_of(optimizer)
        self._model = _training_step.load(model)
        self._step = _training_step.make_step(self._model, loss, self.optimizer, output, train, freeze, evaluation)
        self.path = compile(self._step.model, **options)
        self._session = ExecutionSession(self.path)
        self.weights = {name: np.array(value) for name, value in self._step.weights.items()}
        self.states = {name: np.array(value) for name, value in self._step.states.items()}
        self.count = 0

    def step(self, inputs: Any, target: Any = None, rate: float | None = None) -> float:
        """One step over a batch; the loss before it, as a float.

        inputs: an array, a list in the model's order, or a dict by name.
        target: the values that the loss compares the output with.
        rate: the learning rate, that of the optimizer when left out.
        """
        feed = self._named(inputs)
        if self._step.target:
            feed[self._step.target] = target
        kind = next(iter(self.weights.values())).dtype
        feed[self._step.rate] = np.array(self.optimizer.rate if rate is None else rate, kind)
        feed[self._step.count] = np.array(self.count + 1)
        loss, *following = self._session.run({**feed, **self.weights, **self.states})
        self.count += 1
        for name, value in zip(self._step.following, following, strict=True):
            (self.weights if name in self.weights else self.states)[name] = value
        return float(loss)

    def _named(self, inputs: Any) -> dict[str, Any]:
        if isinstance(inputs, dict):
            return dict(inputs)
        values = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        if len(values) != len(self._step.inputs):
            raise TrainingError(f"expected {len(self._step.inputs)} inputs, {', '.join(self._step.inputs)}, "
                                f"but got {len(values)}")  # fmt: skip
        return dict(zip(self._step.inputs, values))

    def trained(self) -> onnx.ModelProto:
        """The model, as an onnx.ModelProto with the weights of now."""
        model: onnx.ModelProto = _training_step.load(self._model)
        current = {**self.states, **self.weights}
        for tensor in model.graph.initializer:
            if tensor.name in current:
                tensor.CopyFrom(numpy_helper.from_array(np.asarray(current[tensor.name]), tensor.name))
        return model

    def save(self, path: str) -> None:
        """Writes the model with the weights of now."""
        onnx.save(self.trained(), path)


def make_step(model: Any, **settings: Any) -> onnx.ModelProto:
    """The step as an onnx.ModelProto, for other programs; settings are those of Trainer."""
    step: _training_step.Step = _training_step.make_step(model, **settings)
    return step.model


# ===------------------------------------------------------------------------===#
# python -m onnx_compile.training
# ===------------------------------------------------------------------------===#

DESCRIPTION = """\
Makes a training step out of a model: one function that takes a batch and the
weights, and gives the loss and the next weights.
"""
EPILOG = """\
The step has these inputs and outputs, in this order:

  inputs    those of the model; labels (or target); rate, the learning rate;
            count, 1 in the first step, 2 in the second, ...; the weights by
            their names; the memory of the optimizer, zeros at first
  outputs   loss; next.NAME for each weight NAME, and for that memory

examples:
  python -m onnx_compile.training digits.onnx -o step.so
      compiles a step; from C it is called like any other model
  python -m onnx_compile.training digits.onnx -o step.onnx --optimizer momentum
      writes the step as ONNX: Gradient, Momentum and the nodes of the model
  python -m onnx_compile.training net.onnx -o step.so --loss mean-squared-error \\
      --freeze 'encoder.*'
      trains all weights but those of the encoder

In Python, onnx_compile.training.Trainer does all of it: it keeps the weights,
calls the step, and saves the model with its new weights.
"""


def _parser() -> argparse.ArgumentParser:
    parser = _make_command.make_parser("onnx_compile.training", DESCRIPTION, EPILOG)
    parser.add_argument("--loss", default="cross-entropy", choices=LOSSES,
                        help="the number that becomes smaller; 'given': the output is the loss")  # fmt: skip
    parser.add_argument("--loss-of", metavar="TENSOR", help="the output the loss is about; the first one")
    parser.add_argument("--optimizer", default="adam", choices=OPTIMIZERS)
    parser.add_argument("--weight-decay", type=float, default=0.0, metavar="SHARE",
                        help="adds SHARE of each weight to its gradient")  # fmt: skip
    parser.add_argument("--train", action="append", metavar="NAME", help="only these weights; * and ? as in file names")
    parser.add_argument("--freeze", action="append", default=[], metavar="NAME", help="all but these weights")
    parser.add_argument("--evaluation", action="store_true",
                        help="keep normalizations and dropout as they are in inference")  # fmt: skip
    return parser


def _make(chosen: argparse.Namespace) -> tuple[onnx.ModelProto, str]:
    optimizer = OPTIMIZERS[chosen.optimizer](weight_decay=chosen.weight_decay)
    step = _training_step.make_step(chosen.model, chosen.loss, optimizer, chosen.loss_of, chosen.train,
                                    chosen.freeze, chosen.evaluation)  # fmt: skip
    elements = sum(value.size for value in step.weights.values())
    return step.model, f"{chosen.output}: trains {len(step.weights)} tensors of {elements} weights"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit status."""
    return _make_command.run(_parser(), arguments, _make)


if __name__ == "__main__":
    sys.exit(main())
