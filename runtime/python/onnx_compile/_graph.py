# ===- _graph.py - What verify() reads from a model's graph -----------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Producers and ancestors of tensors, and what their elements mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

# Operators whose outputs have the elements of their first input, at other places.
_MOVES = {"Flatten", "Gather", "Identity", "Reshape", "Slice", "Split", "Squeeze", "Transpose", "Unsqueeze"}


class Graph:
    """The nodes of a model's main graph, in their order. Those of branches and bodies belong to their If or Loop."""

    def __init__(self, model: Any) -> None:
        import onnx.numpy_helper

        self.nodes: Sequence[Any] = model.graph.node
        self._producers = {name: i for i, node in enumerate(self.nodes) for name in node.output if name}
        self._quantized = {
            node.input[0]
            for node in self.nodes
            if node.op_type in ("DequantizeLinear", "ConvInteger", "MatMulInteger") or node.op_type.startswith("QLinear")
        }
        self._constants = {tensor.name: tensor for tensor in model.graph.initializer}
        self._to_array = onnx.numpy_helper.to_array

    def producer(self, tensor: str) -> int | None:
        """The number of the node; None for inputs and initializers."""
        return self._producers.get(tensor)

    def operands(self, number: int) -> list[str]:
        """The tensors that nodes compute and this one reads, those of its branches and bodies included."""
        return [name for name in _reads(self.nodes[number]) if name in self._producers]

    def ancestors(self, number: int) -> list[int]:
        """The nodes that this one depends on, in the order of the graph."""
        found: set[int] = set()
        pending = [number]
        while pending:
            for name in self.operands(pending.pop()):
                if (producer := self._producers[name]) not in found:
                    found.add(producer)
                    pending.append(producer)
        return sorted(found)

    def tensors_inside(self, number: int) -> list[str]:
        """The tensors in the branches and bodies of a node, constants left out, as --taps names them: "loop/body/x"."""
        node = self.nodes[number]
        return list(_inside(node, _name(node, number)))

    def moved_from(self, tensor: str, moves: set[str]) -> str:
        """The source of the tensor through nodes of these operators."""
        while (number := self._producers.get(tensor)) is not None and self.nodes[number].op_type in moves:
            tensor = self.nodes[number].input[0]
        return tensor

    def source(self, tensor: str, moves: set[str]) -> Any | None:
        """The node that computes the elements of the tensor, through nodes of these operators."""
        number = self._producers.get(self.moved_from(tensor, moves))
        return None if number is None else self.nodes[number]

    @property
    def is_quantized(self) -> bool:
        """True if a tensor of the graph is quantized."""
        return bool(self._quantized)

    def quantum(self, tensor: str) -> float:
        """The difference of two adjacent values of a quantized tensor, 1 for one of integers; 0 if it
        is not quantized or its scale is no initializer."""
        if tensor in self._quantized:
            return 1.0
        node = self.source(tensor, _MOVES)
        if node is None:
            return 0.0
        if node.op_type.startswith(("QuantizeLinear", "DynamicQuantizeLinear", "QLinear")):
            return 1.0
        scale = self._constants.get(node.input[1]) if node.op_type == "DequantizeLinear" else None
        return float(np.max(self._to_array(scale), initial=0)) if scale is not None else 0.0

    def scores(self, tensor: str) -> tuple[str, int] | None:
        """The tensor that a tensor of indices refers to and the axis, if TopK, ArgMax or ArgMin makes them."""
        node = self.source(tensor, {"Cast", "Identity"})
        if node is None or node.op_type not in ("ArgMax", "ArgMin", "TopK"):
            return None
        # The first output of TopK has the scores themselves.
        if node.op_type == "TopK" and self.moved_from(tensor, {"Cast", "Identity"}) == node.output[0]:
            return None
        default = -1 if node.op_type == "TopK" else 0
        return node.input[0], next((a.i for a in node.attribute if a.name == "axis"), default)


def _name(node: Any, number: int, path: str = "") -> str:
    """The name by which the compiler knows a node."""
    return node.name or f"{path}{node.op_type}_{number}"


def _inside(node: Any, name: str) -> Iterator[str]:
    for attribute in node.attribute:
        path = f"{name}/{attribute.name}/"
        for i, inner in enumerate(attribute.g.node):
            yield from _inside(inner, _name(inner, i, path))
            if inner.op_type != "Constant":
                yield from (path + tensor for tensor in inner.output if tensor)


def _reads(node: Any) -> list[str]:
    names = list(node.input)
    for attribute in node.attribute:
        for graph in [*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs]:
            for inner in graph.node:
                names += _reads(inner)
            names += [output.name for output in graph.output]
    return names
