# ===- microsoft.py - Rows of com.microsoft ---------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# The largest case of each operator in test/Microsoft, its operands in the types asked for.
# ===------------------------------------------------------------------------===//
"""Operators of com.microsoft."""

import importlib.util
import pathlib

import numpy as np
import references
import schemas
from table import Node, Operand, row


def load_cases():
    path = pathlib.Path(__file__).resolve().parents[2] / "Microsoft/cases.py"
    spec = importlib.util.spec_from_file_location("microsoft_cases", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = {}
    for case in module.all_cases():
        found.setdefault(case.operator, []).append(case)
    # The one with most of the operands first; none that is coarser than it.
    for name, cases in found.items():
        cases = [case for case in cases if not case.reference] or cases
        cases.sort(key=lambda case: -len(case.inputs))
        found[name] = [case for case in cases if case.tolerance <= max(1e-3, cases[0].tolerance)]
    return found


CASES = load_cases()


def operand(m, formal, array, is_constant=False):
    if array is None:
        return None
    kind = schemas.type_of(array.dtype) if formal.option == "variadic" else m.kind(formal.kind)
    dtype = schemas.dtype_of(schemas.element_of(kind))
    if dtype != object and not schemas.is_real(dtype) and dtype.kind not in "bc" and array.dtype.kind != "b":
        lowest, highest = schemas.limits(dtype)
        whole = np.round(array * 10) if array.dtype.kind == "f" else array.astype(np.int64)
        array = np.asarray(np.clip(whole, lowest, highest))
    return Operand(kind, array.astype(str).astype(object) if dtype == object else array.astype(dtype), is_constant)


def copied(m):
    """The node of a case."""
    case, formals = m.pick(*CASES[m.signature.name]), m.signature.inputs
    operands = [operand(m, formals[min(i, len(formals) - 1)], array, i in case.constants) for i, array in enumerate(case.inputs)]
    return Node(operands, case.attributes, case.outputs)


def in_order(case, node):
    """Unique elements in the order of their first places, where they are first, and how many there are."""
    elements = node.inputs[0].value
    found = list(dict.fromkeys(elements.tolist()))
    places = [found.index(e) for e in elements.tolist()]
    counts = [places.count(i) for i in range(len(found))]
    return [np.array(found, elements.dtype), np.array(places, np.int64), np.array(counts, np.int64)]


def as_standard(case, node):
    """What the reference says of the operator of the same name in the standard."""
    signature = next(s for s in schemas.all_signatures() if s.key == case.signature.name)
    return references.by_reference(signature, node)


def as_stored(case, node):
    """The results that the case has, if the node is the case."""
    given = [operand and operand.value for operand in node.inputs]
    for known in CASES[case.signature.name]:
        if known.expected and known.attributes == node.attributes and len(known.inputs) == len(given):
            if all(a is b or (a is not None and b is not None and a.dtype == b.dtype and np.array_equal(a, b)) for a, b in zip(known.inputs, given)):
                return list(known.expected)
    raise NotImplementedError("no case has these operands")


def sums_of_products(case, node):
    a, b = (operand.value.astype(np.int64) for operand in node.inputs)
    return [(a @ b).astype(schemas.dtype_of(schemas.element_of(case.types["T3"])))]


def sums_of_bytes(case, node):
    axes, keeps = tuple(node.attributes["axes"]), bool(node.attributes["keepdims"])
    return [node.inputs[0].value.astype(np.int64).sum(axes, keepdims=keeps).astype(schemas.dtype_of(schemas.element_of(case.types["T2"])))]


def products_of_bytes(case, node):
    a, zero_a, b, zero_b = (operand.value.astype(np.int32) if operand else 0 for operand in [*node.inputs, None][:4])
    return [(a - zero_a) * (b - zero_b)]


def means_of_bytes(case, node):
    x, scale, zero, new_scale, new_zero = (operand.value.astype(np.float64) for operand in node.inputs)
    mean = ((x - zero) * scale).mean(tuple(node.attributes["axes"]), keepdims=bool(node.attributes["keepdims"]))
    lowest, highest = schemas.limits(node.inputs[0].value.dtype)
    return [np.clip(np.rint(mean / new_scale) + new_zero, lowest, highest).astype(node.inputs[0].value.dtype)]


def few_bits(m):
    """MatMulNBits; zero points that are reals are one number each, not packed."""
    node = copied(m)
    if m.is_real("T3"):
        zeros = m.given("T3", np.arange(len(node.inputs[2].value.ravel())) % 4)
        return node._replace(inputs=[*node.inputs[:3], zeros, *node.inputs[4:]])
    return node


def table_of_blocks(m):
    """GatherBlockQuantized: a byte of the case holds two numbers, which types of few bits have one by one."""
    node = copied(m)
    table, rows, factors, *zeros = node.inputs
    if table.value.dtype == np.uint8:
        return node
    blocks = factors.value.shape[1]
    table, *zeros = (x and x._replace(value=np.repeat(x.value, 2, axis=1)) for x in (table, *zeros))
    zeros = [x and x._replace(value=x.value[:, :blocks]) for x in zeros]
    return node._replace(inputs=[table, rows, factors, *zeros])


CASES["TransposeMatMul"] = CASES["FusedMatMul"]
MAKERS = {"MatMulNBits": few_bits, "GatherBlockQuantized": table_of_blocks}
# Sums of integers have the sign of what is added up.
WIDE = {"tensor(int8)": "tensor(int32)", "tensor(int16)": "tensor(int32)"}
FACTS = {
    "Unique": {"expect": in_order},
    "QuantizeLinear": {"expect": as_standard},
    "QGemm": {"follows": {"TY": lambda types: types["TYZ"]}},
    "MatMulInteger16": {
        "expect": sums_of_products,
        "follows": {"T2": lambda types: types["T1"], "T3": lambda types: WIDE.get(types["T1"], "tensor(uint32)")},
    },
    "ReduceSumInteger": {"expect": sums_of_bytes, "follows": {"T2": lambda types: WIDE.get(types["T1"], "tensor(uint32)")}},
    "MulInteger": {"expect": products_of_bytes},
    "QLinearReduceMean": {"expect": means_of_bytes},
}
for name, (case, *others) in CASES.items():
    whole = any(c.tolerance >= 1 for c in (case, *others))
    tolerance = 0 if whole else case.tolerance
    stored = {"expect": as_stored} if any(c.expected for c in (case, *others)) else {}
    facts = {"slack": int(whole), "tolerance": tolerance, "undefined": case.undefined, **stored, **FACTS.get(name, {})}
    row(f"com.microsoft.{name}", **facts)(MAKERS.get(name, copied))
