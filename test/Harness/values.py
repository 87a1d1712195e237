# ===- values.py - Read ONNX test data -------------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Test data folders hold one protobuf file per input and output; its type
# follows from the graph's signature.
# ===------------------------------------------------------------------------===//
"""Reads and writes the values of ONNX test data folders."""

import itertools

import ml_dtypes
import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.runner import Runner


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
    return read_tensor(onnx.TensorProto.FromString(data), type_proto.tensor_type.elem_type)


def read_tensor(proto, declared):
    """The array in the message; packages before 1.19 wrote the bits of bfloat16 as uint16."""
    array = numpy_helper.to_array(proto)
    if declared == onnx.TensorProto.BFLOAT16 and proto.data_type == onnx.TensorProto.UINT16:
        return array.view(ml_dtypes.bfloat16)
    return array


def flatten(value, where="output"):
    """Lists the tensors of a value in order, each with its place: what is in sequences, optionals and maps.

    The place also says what is around a tensor, so that two values agree if places and tensors do.
    """
    if value is None:
        return [(f"{where} is empty", None)]
    if isinstance(value, (list, tuple)):
        inside = [flatten(v, f"{where}[{i}]") for i, v in enumerate(value)]
        return [(f"{where} of {len(value)}", None), *itertools.chain.from_iterable(inside)]
    if isinstance(value, dict):
        inside = [flatten(v, f"{where}[{k!r}]") for k, v in sorted(value.items())]
        return [(f"{where} of {len(value)} keys", None), *itertools.chain.from_iterable(inside)]
    return [(where, np.asarray(value))]


def assert_similar(expected, actual, rtol, atol):
    """Compares lists of values by the rules that ONNX's own suite has for tensors.

    The suite itself takes a sequence for a list of outputs each, and a tensor in it for a list of scalars.
    """
    expected, actual = flatten(expected), flatten(actual)
    assert [p for p, _ in actual] == [p for p, _ in expected], f"{[p for p, _ in actual]} instead of {[p for p, _ in expected]}"
    tensors = [[v for _, v in flat if v is not None] for flat in (expected, actual)]
    Runner.assert_similar_outputs(*tensors, rtol, atol)


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
