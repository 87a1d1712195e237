# ===- rows.py - What a row of the table of models says ---------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""What a row of the table of models says, and how its inputs are drawn."""

import dataclasses
from collections.abc import Callable

import torch

# What the TorchScript exporter writes by default in the field, and the dynamo exporter's own default.
SCRIPT, DYNAMO = "script", "dynamo"


@dataclasses.dataclass
class Row:
    """A model with random weights.

    make     the module; its forward takes the inputs by position
    inputs   inputs(**size) gives the inputs by name
    sizes    what sizes the model is run with; it is exported with the first
    axes     the dynamic dimensions of the inputs: {input: {axis: name}}
    opset    what the TorchScript exporter writes
    exporters  which exporters know the model
    """

    name: str
    make: Callable
    inputs: Callable
    sizes: list
    axes: dict
    opset: int = 17
    dynamo_opset: int = 18
    exporters: tuple = (SCRIPT, DYNAMO)
    tolerance: float = 1e-3


def normal(*shape):
    return torch.randn(*shape)


def integers(high, *shape, low=0):
    return torch.randint(low, high, shape)


def mask_of(batch, length):
    """An attention mask: the rows are of different lengths, the first one is full."""
    lengths = torch.tensor([max(1, length - 2 * row) for row in range(batch)])
    return (torch.arange(length)[None] < lengths[:, None]).to(torch.int64)


def image(batch=1, height=64, width=64, channels=3):
    """Large blots with some noise; noise alone looks the same everywhere."""
    blots = torch.nn.functional.interpolate(torch.rand(batch, channels, 7, 5), (height, width), mode="bicubic")
    return {"image": (blots * 0.8 + torch.rand(batch, channels, height, width) * 0.2).clamp(0, 1)}


BATCH = {"image": {0: "batch"}}
IMAGE = {"image": {0: "batch", 2: "height", 3: "width"}}
BATCHES = [{"batch": 2}, {"batch": 1}, {"batch": 5}]
IMAGES = [{"batch": 2, "height": 64, "width": 96}, {"batch": 1, "height": 96, "width": 64}, {"batch": 3, "height": 128, "width": 128}]


class Call(torch.nn.Module):
    """A model called with its inputs by name; gives what `pick` takes from the result, as a tuple of tensors."""

    def __init__(self, model, names, pick, **constants):
        super().__init__()
        self.model, self.names, self.pick, self.constants = model, names, pick, constants

    def forward(self, *values):
        return self.pick(self.model(**dict(zip(self.names, values, strict=True)), **self.constants))
