# ===- dressing.py - What models have around their nodes --------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# The same numbers in another file: sizes open or known, inputs that are constants,
# nodes in functions that read attributes of the call, sparse initialisers, elements
# in typed fields. Nothing of it changes what the model computes.
# ===------------------------------------------------------------------------===//
"""Other forms of the same model."""

import numpy as np
import onnx
from onnx import AttributeProto, TensorProto, helper, numpy_helper

# How the sizes of inputs are declared: all, none, some; or all inputs but the first are constants; seldom not even ranks.
MODES = ("static", "open", "mixed", "constant") * 5 + ("unranked",)
FUNCTIONS = "random.functions"
REFERRED = (AttributeProto.INT, AttributeProto.INTS, AttributeProto.FLOAT, AttributeProto.STRING)
# The types of which other fields than raw_data hold one number for each element.
TYPED = (TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.INT64, TensorProto.INT32, TensorProto.INT8, TensorProto.UINT8,
         TensorProto.BOOL, TensorProto.UINT64, TensorProto.UINT32, TensorProto.INT16)  # fmt: skip


def declared_shape(value, mode, rng):
    """The sizes that the model says of an input; names are unknown sizes, None is an unknown rank."""
    if mode == "unranked":
        return None
    is_open = {"open": 1, "mixed": 0.5}.get(mode, 0)
    return [f"{value.name}_{i}" if rng.random() < is_open else n for i, n in enumerate(value.array.shape)]


def given_inputs(inputs, mode):
    """The inputs that a caller gives."""
    if mode != "constant":
        return inputs
    first = next((v for v in inputs if v.is_tensor), None)
    return [v for v in inputs if v is first or not v.is_tensor]


# --- Functions ------------------------------------------------------------------


def has_graphs(node):
    return any(a.HasField("g") or a.graphs for a in node.attribute)


def call_of_function(node, number, opsets, rng):
    """(a call of a function, the function with the node)"""
    name = f"F{number}"
    inputs = [f"in{i}" if n else "" for i, n in enumerate(node.input)]
    outputs = [f"out{i}" for i in range(len(node.output))]
    inside = onnx.NodeProto()
    inside.CopyFrom(node)
    inside.input[:], inside.output[:], inside.name = inputs, outputs, f"inside{number}"
    call = helper.make_node(name, [n for n in node.input if n], list(node.output), node.name, domain=FUNCTIONS)
    names, defaults = [], []
    for attribute in inside.attribute:
        if attribute.type not in REFERRED or rng.random() < 0.3:
            continue
        given = AttributeProto()
        given.CopyFrom(attribute)
        # The call gives it, or the function has it as a default.
        if rng.random() < 0.5:
            names.append(attribute.name)
            call.attribute.append(given)
        else:
            defaults.append(given)
        attribute.CopyFrom(AttributeProto(name=attribute.name, type=attribute.type, ref_attr_name=attribute.name))
    function = helper.make_function(FUNCTIONS, name, [n for n in inputs if n], outputs, [inside], opsets, names, defaults)
    return call, function


def put_into_functions(model, rng):
    opsets = list(model.opset_import)
    for number, node in enumerate(model.graph.node):
        if rng.random() < 0.3 and not has_graphs(node) and "" not in node.output:
            call, function = call_of_function(node, number, opsets, rng)
            node.CopyFrom(call)
            model.functions.append(function)
    if model.functions:
        model.opset_import.append(helper.make_opsetid(FUNCTIONS, 1))


# --- Initialisers ---------------------------------------------------------------


def sparse_form(tensor):
    """The same elements, zeros left out."""
    array = numpy_helper.to_array(tensor)
    at = np.flatnonzero(array.reshape(-1)).astype(np.int64)
    values = numpy_helper.from_array(array.reshape(-1)[at], tensor.name)
    return helper.make_sparse_tensor(values, numpy_helper.from_array(at, ""), array.shape)


def typed_form(tensor):
    """The same elements as numbers, not as bytes."""
    array = numpy_helper.to_array(tensor)
    return helper.make_tensor(tensor.name, tensor.data_type, array.shape, array.reshape(-1))


def change_initializers(model, rng):
    kept = []
    for tensor in model.graph.initializer:
        draw = rng.random()
        if draw < 0.1 and tensor.dims and tensor.data_type == TensorProto.FLOAT:
            model.graph.sparse_initializer.append(sparse_form(tensor))
        elif draw < 0.4 and tensor.data_type in TYPED:
            kept.append(typed_form(tensor))
        else:
            kept.append(tensor)
    kept = [t.SerializeToString() for t in kept]
    del model.graph.initializer[:]
    model.graph.initializer.extend(TensorProto.FromString(t) for t in kept)


def dress(model, rng):
    """Changes the form of the model; the same with the same state of the generator."""
    if rng.random() < 0.3:
        put_into_functions(model, rng)
    if rng.random() < 0.5:
        change_initializers(model, rng)
