# ===- references.py - What a node should compute ---------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Several opinions: the reference implementation of the onnx package, onnxruntime,
# both of them on types that they know better, and ours on such types, which the
# others confirm. None knows all types, and each has defects: a result is right if
# it is what one of them says.
# ===------------------------------------------------------------------------===//
"""Opinions on the results of a node, and comparison with them."""

import warnings

import numpy as np
import onnx
import schemas
from comparison import TOLERANCES, differs
from onnx import helper
from onnx.reference import ReferenceEvaluator
from properties import PROPERTIES, property_problem

OPSETS = {"": 28, "ai.onnx.ml": 5, "ai.onnx.preview": 1, "ai.onnx.preview.training": 1, "com.microsoft": 1}


def renamed(graph, names):
    """A copy of a graph inside a node that reads other names from around it."""
    copy = onnx.GraphProto()
    copy.CopyFrom(graph)
    for node in copy.node:
        node.input[:] = [names.get(n, n) for n in node.input]
    return copy


def make_node(signature, node, prefix):
    """The NodeProto of a Node and its graph inputs [(name, operand)]; all names begin with the prefix."""
    inputs = [(f"{prefix}i{k}", operand) for k, operand in enumerate(node.inputs) if operand is not None]
    names = ["" if operand is None else f"{prefix}i{k}" for k, operand in enumerate(node.inputs)]
    inside = {name: f"{prefix}{name}" for name in node.captured}
    attributes = {n: renamed(a, inside) if isinstance(a, onnx.GraphProto) else a for n, a in node.attributes.items()}
    outputs = [f"{prefix}o{k}" for k in range(node.outputs)]
    proto = helper.make_node(signature.name, names, outputs, f"{prefix}node", domain=signature.domain, **attributes)
    return proto, inputs + [(inside[name], operand) for name, operand in node.captured.items()]


def shape_in(value):
    return shape_in(value[0]) if isinstance(value, list) and value else np.shape(value) if not isinstance(value, (list, dict)) else None


def make_model(nodes, inputs, outputs, opset=28, unknown=False, ranked=True):
    """A model of nodes; its inputs have sizes of their own that are not known, or no rank, if told."""
    infos, stored = [], []
    for name, operand in inputs:
        if operand.structural:
            stored.append(onnx.numpy_helper.from_array(np.asarray(operand.value), name))
            continue
        shape = shape_in(operand.value)
        if unknown and shape:
            shape = [f"{name}_{k}" for k in range(len(shape))]
        shape = shape if ranked else None
        infos.append(helper.make_value_info(name, schemas.type_proto(operand.kind, shape)))
    domains = dict.fromkeys(["", *(n.domain for n in nodes)])
    graph = helper.make_graph(nodes, "g", infos, [onnx.ValueInfoProto(name=n) for n in outputs], stored)
    opsets = [helper.make_opsetid(d, opset if d == "" else OPSETS[d]) for d in domains]
    return helper.make_model(graph, opset_imports=opsets, ir_version=12 if opset > 24 else 10)


def feeds(inputs):
    return {name: operand.value for name, operand in inputs if not operand.structural}


def by_reference(signature, node):
    proto, inputs = make_node(signature, node, "")
    model = make_model([proto], inputs, list(proto.output))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return ReferenceEvaluator(model).run(None, feeds(inputs))


def by_onnxruntime(signature, node):
    import onnxruntime

    proto, inputs = make_node(signature, node, "")
    model = make_model([proto], inputs, list(proto.output), max(21, signature.since if signature.domain == "" else 21))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds(inputs))


# --- Opinions on other types ----------------------------------------------------


def swaps():
    """(name, function from an element type to one that stands in for it)"""

    def real(element):
        return element != "bool" and schemas.is_real(schemas.dtype_of(element))

    def integer(element):
        return not real(element)

    for chosen, element in ((real, "float"), (real, "double"), (integer, "int64"), (integer, "int32"), (integer, "int8")):
        yield element, lambda e, chosen=chosen, element=element: element if chosen(e) else e
    yield "float alone", lambda e: "float"
    yield "int64 alone", lambda e: "int64"
    yield "uint8 for bool", lambda e: "uint8" if e == "bool" else e


def swapped(kind, swap):
    """The type with another element; strings and complex numbers stay."""
    element = schemas.element_of(kind)
    if element == "string" or element.startswith("complex"):
        return kind
    head, _, tail = kind.rpartition(element)
    return head + swap(element) + tail


def converted(value, kind):
    """The value with the elements that a type has."""
    if isinstance(value, list):
        return [converted(v, kind) for v in value]
    dtype = schemas.dtype_of(schemas.element_of(kind))
    if isinstance(value, dict):
        return {k: converted(np.asarray(v), kind).item() for k, v in value.items()}
    value = np.asarray(value)
    if dtype.kind == "O" or value.dtype == dtype:
        return value
    with np.errstate(all="ignore"):
        return value.astype(dtype)


def other_types(case, node, swap):
    """The node with its operands in other types; None if nothing changes."""
    types = {name: swapped(kind, swap) for name, kind in case.types.items()}
    if types == case.types:
        return None
    made = case.make(types)

    def given(old, new):
        return old and old._replace(kind=new.kind, value=converted(old.value, new.kind))

    inputs = [given(old, new) for old, new in zip(node.inputs, made.inputs)]
    captured = {name: given(old, made.captured[name]) for name, old in node.captured.items()}
    return made._replace(inputs=inputs, captured=captured)


def on_other_types(case, node, ours):
    """Yields (name, results) of those who know the node in other types, rounded to the types expected."""
    kinds = result_kinds(case.signature, case.types, node)
    for element, swap in swaps():
        other = other_types(case, node, swap)
        if not other:
            continue
        for name, ask in (("onnxruntime", by_onnxruntime), ("reference", by_reference), ("ours", ours)):
            try:
                yield f"{name} in {element}", [converted(r, k) for r, k in zip(ask(case.signature, other), kinds)]
            except Exception:  # it refuses what it does not know
                continue


def by_parts(case, node):
    """The reference on real and imaginary parts apart: right for operators that only add and move."""
    kinds = {k for k in case.types.values() if "complex" in k}
    if not kinds or any(not isinstance(o.value, np.ndarray) for o in node.inputs if o):
        raise NotImplementedError("no complex tensors")
    part = "tensor(float)" if "tensor(complex64)" in kinds else "tensor(double)"

    def take(function):
        def one(operand):
            return operand._replace(kind=part, value=function(operand.value)) if operand and "complex" in operand.kind else operand

        return by_reference(case.signature, node._replace(inputs=[one(o) for o in node.inputs]))

    real, imaginary = take(np.real), take(np.imag)
    return [(r + 1j * i).astype(np.complex64 if part == "tensor(float)" else np.complex128) for r, i in zip(real, imaginary)]


def opinions(case, node, ours):
    """Yields (name, results), the cheapest first."""
    asked = [("reference", lambda: by_reference(case.signature, node)), ("onnxruntime", lambda: by_onnxruntime(case.signature, node)),
             ("parts", lambda: by_parts(case, node))]  # fmt: skip
    if case.row.expect:
        asked.insert(0, ("standard", lambda: case.row.expect(case, node)))
    answers = 0
    for name, ask in asked:
        try:
            results = ask()
        except Exception:  # it refuses what it does not know
            continue
        answers += 1
        yield name, results
    # Where the two agree with each other alone, no other type helps.
    if answers < 2:
        yield from on_other_types(case, node, ours)


# --- Judgement ------------------------------------------------------------------


def result_kinds(signature, types, node):
    """The types that the schema promises, or the node where the schema does not tell."""
    if node.kinds:
        return list(node.kinds)
    formals = [signature.outputs[min(i, len(signature.outputs) - 1)] for i in range(node.outputs)]
    return [types.get(f.kind, f.kind) for f in formals]


def judge(case, node, results, ours):
    """(what is wrong or None, who agrees or None); `ours` compiles and runs a node of other types."""
    kinds = result_kinds(case.signature, case.types, node)
    for i, (value, kind) in enumerate(zip(results, kinds)):
        if kind.startswith("tensor") and schemas.type_of(np.asarray(value).dtype) != kind:
            return f"output {i} is {np.asarray(value).dtype} instead of {kind}", None
    if case.row.random:
        return None, "types"
    used = [*case.types.values(), *kinds, *(o.kind for o in node.inputs if o)]
    tolerance = max([case.row.tolerance] + [TOLERANCES.get(schemas.element_of(k), 0) for k in used])
    if problem := property_problem(case, node, results, tolerance):
        return problem, None
    apart = {*case.row.undefined, *(i for i in range(node.outputs) if (case.signature.key, i) in PROPERTIES)}
    complaints = []
    for name, theirs in opinions(case, node, ours):
        coarse = max(tolerance, TOLERANCES["float"]) if "float" in name else tolerance
        wrong = next((f"output {i}: {p}" for i, (o, t) in enumerate(zip(results, theirs))
                      if i not in apart and (p := differs(o, t, coarse, case.row.slack))), None)  # fmt: skip
        if not wrong:
            return None, name
        complaints.append(f"{name}: {wrong}")
    return "; ".join(complaints) or "nobody knows it", None
