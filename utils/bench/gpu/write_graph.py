# ===- write_graph.py - A model without a need of onnx to read it -----------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Writes a model of known sizes for torch_times.py: write_graph.py MODEL.onnx OUT.npz.

OUT.npz has the constants by name, bfloat16 as integers of 16 bits, and `graph`, JSON:

    inputs     name, data type of ONNX and sizes of each
    outputs    names
    bfloat16   names of the constants of this type
    nodes      operator, inputs, outputs and attributes of each, in order of execution

Ends with 1 and a message where a size of an input is not known.
"""

import json
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper


def value_of(attribute):
    """An attribute as JSON; tensors and graphs are left out."""
    value = helper.get_attribute_value(attribute)
    if isinstance(value, bytes):
        return value.decode()
    return value if isinstance(value, (int, float, str)) else [x for x in value if isinstance(x, (int, float))]


def graph_of(model):
    graph = model.graph
    inputs = {
        x.name: [x.type.tensor_type.elem_type, [size.dim_value for size in x.type.tensor_type.shape.dim]]
        for x in graph.input
    }
    plain = (onnx.AttributeProto.INT, onnx.AttributeProto.FLOAT, onnx.AttributeProto.STRING, onnx.AttributeProto.INTS)
    dynamic = [name for name, (_, sizes) in inputs.items() if 0 in sizes]
    if dynamic:
        sys.exit(f"note: the sizes of '{dynamic[0]}' are not known, so PyTorch is not timed")
    nodes = [
        [n.op_type, list(n.input), list(n.output), {a.name: value_of(a) for a in n.attribute if a.type in plain}]
        for n in graph.node
    ]
    return {"inputs": inputs, "outputs": [x.name for x in graph.output], "nodes": nodes}


def main():
    model = onnx.load(sys.argv[1])
    graph = graph_of(model)
    constants, graph["bfloat16"] = {}, []
    for tensor in model.graph.initializer:
        array = numpy_helper.to_array(tensor)
        if tensor.data_type == onnx.TensorProto.BFLOAT16:
            graph["bfloat16"].append(tensor.name)
            array = array.view(np.int16)
        constants[f"constant:{tensor.name}"] = array
    np.savez(sys.argv[2], graph=np.array(json.dumps(graph)), **constants)


if __name__ == "__main__":
    main()
