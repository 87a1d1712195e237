# ===- refit_models.py - Models that differ in more than weights --------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""refit_models.py MODEL: writes node.onnx, attribute.onnx, ... beside it."""

import sys

import numpy as np
import onnx
from onnx import numpy_helper

model = onnx.load(sys.argv[1])


def write(name, change):
    other = onnx.ModelProto()
    other.CopyFrom(model)
    change(other.graph)
    onnx.save(other, f"{name}.onnx")


def node(graph):
    next(n for n in graph.node if n.op_type == "Relu").op_type = "Sigmoid"


def attribute(graph):
    conv = next(n for n in graph.node if n.op_type == "MaxPool")
    conv.attribute.append(onnx.helper.make_attribute("ceil_mode", 1))


def renamed(graph):
    graph.initializer[-1].name = "another"
    graph.node[-2].input[2] = "another"


def wide(graph):
    value = numpy_helper.to_array(graph.initializer[-1]).astype(np.float64)
    graph.initializer[-1].CopyFrom(numpy_helper.from_array(value, graph.initializer[-1].name))


def reordered(graph):
    initializers = list(graph.initializer)[::-1]
    del graph.initializer[:]
    graph.initializer.extend(initializers)


for change in (node, attribute, renamed, wide, reordered):
    write(change.__name__, change)
