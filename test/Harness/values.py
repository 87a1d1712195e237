# ===- values.py - Read ONNX test data -------------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Test data folders hold one protobuf file per input and output; its type
# follows from the graph's signature.
# ===------------------------------------------------------------------------===//
"""Reads and writes the values of ONNX test data folders."""

import onnx
from onnx import numpy_helper


def value_to_proto(value, type_proto, name):
    """Returns the protobuf message that ONNX's test data uses for a value of this type."""
    if isinstance(value, onnx.TensorProto):
        return value
    if type_proto.HasField("map_type"):
        return numpy_helper.from_dict(value, name)
    if type_proto.HasField("sequence_type"):
        return numpy_helper.from_list(value, name)
    if type_proto.HasField("optional_type"):
        return numpy_helper.from_optional(value, name)
    return numpy_helper.from_array(value, name)


def read_value(path, type_proto):
    """Reads one value: an array, a list (sequence), a dict (map) or None (empty optional)."""
    data = path.read_bytes()
    if type_proto.HasField("sequence_type"):
        return numpy_helper.to_list(onnx.SequenceProto.FromString(data))
    if type_proto.HasField("optional_type"):
        return numpy_helper.to_optional(onnx.OptionalProto.FromString(data))
    if type_proto.HasField("map_type"):
        return numpy_helper.to_dict(onnx.MapProto.FromString(data))
    return numpy_helper.to_array(onnx.TensorProto.FromString(data))


def graph_inputs(model):
    """The graph inputs that a caller must supply: those without an initialiser."""
    stored = {t.name for t in model.graph.initializer}
    stored |= {t.values.name for t in model.graph.sparse_initializer}
    return [i for i in model.graph.input if i.name not in stored]


def read_data_set(folder, model):
    """Returns (inputs, outputs) of a test_data_set_N folder, in graph order."""

    def read(kind, infos):
        paths = [folder / f"{kind}_{i}.pb" for i in range(len(infos))]
        return [read_value(p, info.type) for p, info in zip(paths, infos) if p.exists()]

    inputs = graph_inputs(model)
    if len(list(folder.glob("input_*.pb"))) > len(inputs):
        inputs = list(model.graph.input)
    return read("input", inputs), read("output", model.graph.output)
