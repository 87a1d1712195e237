# ===- whole_models.py - Small models of everything a file can hold ---------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# One to three nodes of any operators and types, from the table of test/Operators,
# with what models have around nodes: functions, graphs inside, sparse and external
# initialisers, sizes unknown, several operator sets. To be damaged: nobody computes
# what they give.
# ===------------------------------------------------------------------------===//
"""Valid small models, drawn without being computed."""

import pathlib

import numpy as np
import onnx
import references
import schemas
import table
from onnx import TensorProto, helper, numpy_helper

FUNCTIONS = "fuzz"


def all_cases():
    """[(signature, row, types)] of all operators and types."""
    found = []
    for signature in schemas.all_signatures():
        row = table.row_of(signature)
        if row:
            found += [(signature, row, types) for types in table.combinations(signature, row)]
    return found


CASES = all_cases()
# An operator with many combinations of types is not drawn more often.
BY_OPERATOR = {}
for _case in CASES:
    BY_OPERATOR.setdefault(_case[0].key, []).append(_case)
OPERATORS = sorted(BY_OPERATOR)
WORDS = [s.name for s, _, _ in (cases[0] for cases in BY_OPERATOR.values())]


def sparse(rng, name):
    dims = [int(n) for n in rng.integers(1, 5, 2)]
    at = np.unique(rng.integers(0, dims[0] * dims[1], 3)).astype(np.int64)
    values = numpy_helper.from_array(rng.standard_normal(at.size).astype(np.float32), name)
    return helper.make_sparse_tensor(values, numpy_helper.from_array(at, f"{name}_at"), dims)


def make_function(model):
    """The first node becomes the body of a function."""
    node = model.graph.node[0]
    names = list(dict.fromkeys(n for n in node.input if n))
    inside = onnx.NodeProto()
    inside.CopyFrom(node)
    domains = {o.domain: o for o in model.opset_import}
    attributes = [a.name for a in node.attribute if a.type in (onnx.AttributeProto.INT, onnx.AttributeProto.INTS)]
    for attribute in inside.attribute:
        if attribute.name in attributes:
            attribute.CopyFrom(onnx.AttributeProto(name=attribute.name, type=attribute.type, ref_attr_name=attribute.name))
    outputs = list(node.output)
    function = helper.make_function(FUNCTIONS, "F", names, outputs, [inside], list(domains.values()), attributes)
    call = helper.make_node("F", names, outputs, "call", domain=FUNCTIONS)
    call.attribute.extend(a for a in node.attribute if a.name in attributes)
    model.graph.node[0].CopyFrom(call)
    model.functions.append(function)
    model.opset_import.append(helper.make_opsetid(FUNCTIONS, 1))


def nest(model):
    """The nodes go into the branches of an If, as outputs of the graph around it."""
    nodes, outputs = list(model.graph.node), [o.name for o in model.graph.output]

    def branch(name):
        renamed = {o: f"{name}_{o}" for n in nodes for o in n.output}
        copies = []
        for node in nodes:
            copy = onnx.NodeProto()
            copy.CopyFrom(node)
            copy.input[:] = [renamed.get(n, n) for n in node.input]
            copy.output[:] = [renamed[n] for n in node.output]
            copies.append(copy)
        return helper.make_graph(copies, name, [], [onnx.ValueInfoProto(name=renamed[o]) for o in outputs])

    del model.graph.node[:]
    model.graph.input.append(helper.make_tensor_value_info("which", TensorProto.BOOL, []))
    model.graph.node.append(helper.make_node("If", ["which"], outputs, "choice", then_branch=branch("a"), else_branch=branch("b")))


def store_outside(model, folder):
    """The initialisers' bytes go into a file beside the model."""
    data = b""
    for tensor in model.graph.initializer:
        raw = tensor.raw_data
        if not raw:
            continue
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        for key, text in (("location", "data.bin"), ("offset", str(len(data))), ("length", str(len(raw)))):
            tensor.external_data.add(key=key, value=text)
        data += raw
    pathlib.Path(folder, "data.bin").write_bytes(data)


def draw_model(rng, folder):
    """A small valid model; what is outside of it goes into the folder."""
    protos, inputs, outputs = [], [], []
    for number in range(int(rng.integers(1, 4))):
        cases = BY_OPERATOR[OPERATORS[int(rng.integers(len(OPERATORS)))]]
        signature, row, types = cases[int(rng.integers(len(cases)))]
        node = row.make(table.Maker(signature, types, rng))
        proto, operands = references.make_node(signature, node, f"c{number}_")
        protos.append(proto)
        inputs += operands
        outputs += proto.output
    if rng.random() < 0.4:
        inputs = [(n, o._replace(structural=o.kind.startswith("tensor") and rng.random() < 0.5)) for n, o in inputs]
    model = references.make_model(protos, inputs, outputs, unknown=bool(rng.random() < 0.3))
    if rng.random() < 0.1:
        model.graph.sparse_initializer.append(sparse(rng, "thin"))
        model.graph.node.append(helper.make_node("Neg", ["thin"], ["thin_out"], "thin_node"))
        model.graph.output.append(onnx.ValueInfoProto(name="thin_out"))
    if rng.random() < 0.15:
        make_function(model)
    if rng.random() < 0.15:
        nest(model)
    if rng.random() < 0.1:
        store_outside(model, folder)
    return model
