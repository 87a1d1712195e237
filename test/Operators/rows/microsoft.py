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
        cases.sort(key=lambda case: -len(case.inputs))
        found[name] = [case for case in cases if case.tolerance <= max(1e-3, cases[0].tolerance)]
    return found


CASES = load_cases()


def operand(m, formal, array):
    if array is None:
        return None
    kind = schemas.type_of(array.dtype) if formal.option == "variadic" else m.kind(formal.kind)
    dtype = schemas.dtype_of(schemas.element_of(kind))
    if dtype != object and not schemas.is_real(dtype) and dtype.kind not in "bc" and array.dtype.kind != "b":
        least, most = schemas.limits(dtype)
        array = np.asarray(np.clip(np.round(array * 10) if array.dtype.kind == "f" else array.astype(np.int64), least, most))
    return Operand(kind, array.astype(str).astype(object) if dtype == object else array.astype(dtype))


def copied(m):
    """The node of a case."""
    case, formals = m.pick(*CASES[m.signature.name]), m.signature.inputs
    operands = [operand(m, formals[min(i, len(formals) - 1)], array) for i, array in enumerate(case.inputs)]
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
    table, rows, factors, zeros = node.inputs
    if table.value.dtype == np.uint8:
        return node
    blocks = factors.value.shape[1]
    table, zeros = (x._replace(value=np.repeat(x.value, 2, axis=1)) for x in (table, zeros))
    return node._replace(inputs=[table, rows, factors, zeros._replace(value=zeros.value[:, :blocks])])


CASES["TransposeMatMul"] = CASES["FusedMatMul"]
MAKERS = {"MatMulNBits": few_bits, "GatherBlockQuantized": table_of_blocks}
FACTS = {"Unique": {"expect": in_order}, "QuantizeLinear": {"expect": as_standard}, "QGemm": {"follows": {"TY": lambda types: types["TYZ"]}}}
for name, (case, *others) in CASES.items():
    whole = any(c.tolerance >= 1 for c in (case, *others))
    tolerance = 0 if whole else case.tolerance
    facts = {"slack": int(whole), "tolerance": tolerance, "undefined": case.undefined, **FACTS.get(name, {})}
    row(f"com.microsoft.{name}", **facts)(MAKERS.get(name, copied))
