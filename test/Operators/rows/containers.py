# ===- containers.py - Rows of sequences, optionals and control flow --------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Sequences, optionals, and the operators with graphs inside."""

import onnx
import schemas
from onnx import helper
from table import Node, row


def inner(kind):
    """What is in a sequence or optional."""
    return kind[kind.index("(") + 1 : -1]


def sequence_of(name):
    return lambda types: f"seq({types[name]})"


def element_in(name):
    return lambda types: inner(types[name])


def graph(nodes, inputs, outputs, name="body"):
    """A graph whose inputs and outputs are [(name, type or None)]."""

    def info(name, kind):
        if kind is None:
            return onnx.ValueInfoProto(name=name)
        return helper.make_value_info(name, schemas.type_proto(kind))

    return helper.make_graph(nodes, name, [info(*i) for i in inputs], [info(*o) for o in outputs])


@row("SequenceConstruct", follows={"S": sequence_of("T")})
def sequence_construct(m):
    return Node([m.tensor("T", m.shape(3, 4)) for _ in range(m.pick(2, 1, 3))])


@row("SequenceEmpty")
def sequence_empty(m):
    return Node([], {"dtype": m.type_number("S")})


@row("SequenceAt", follows={"T": element_in("S")})
def sequence_at(m):
    return Node([m.tensor("S", m.shape(3, 4)), m.given("I", m.pick(1, 0, -1))])


@row("SequenceErase")
def sequence_erase(m):
    return Node([m.tensor("S", m.shape(3, 4)), m.given("I", m.pick(0, -1))])


@row("SequenceInsert", follows={"S": sequence_of("T")})
def sequence_insert(m):
    shape = m.shape(3, 4)
    return Node([m.tensor("S", shape), m.tensor("T", shape), m.given("I", m.pick(1, 0, -1))])


@row("ConcatFromSequence", follows={"T": element_in("S")})
def concat_from_sequence(m):
    return Node([m.tensor("S", m.shape(3, 4))], {"axis": m.pick(0, -1), "new_axis": m.pick(0, 1)})


@row("SplitToSequence", follows={"S": sequence_of("T")})
def split_to_sequence(m):
    n = m.size(4)
    return Node([m.tensor("T", [n, m.size(3)]), m.given("I", m.pick(2, 1))], {"axis": 0})


@row("SequenceMap")
def sequence_map(m):
    element, other = inner(m.kind("S")), m.kind("V") if m.kind("V").startswith("tensor") else inner(m.kind("V"))
    nodes = [helper.make_node("Identity", ["each"], ["a"]), helper.make_node("Identity", ["other"], ["b"])]
    body = graph(nodes, [("each", element), ("other", other)], [("a", None), ("b", None)])
    first, second = m.tensor("S", m.shape(3, 4)), m.tensor("V", m.shape(2, 2))
    if isinstance(second.value, list) and len(first.value) != len(second.value):
        raise LookupError("sequences are of one length")
    return Node([first, second], {"body": body}, 2, kinds=(f"seq({element})", f"seq({other})"))


@row("Optional", follows={"O": lambda types: f"optional({types['V']})"}, expect=lambda case, node: [node.inputs[0].value])
def optional(m):
    return Node([m.tensor("V", m.shape(3, 4))])


def opened(types):
    return inner(types["O"]) if types["O"].startswith("optional") else types["O"]


@row("OptionalGetElement", follows={"V": opened})
def optional_get(m):
    return Node([m.tensor("O", m.shape(3, 4))])


@row("OptionalHasElement")
def optional_has(m):
    return Node([m.tensor("O", m.shape(3, 4))])


def same(kind, name, result):
    """Nodes that forward a value: Identity does not know all that Optional does."""
    if kind.startswith("optional"):
        return [helper.make_node("OptionalGetElement", [name], [name + "_in"]), helper.make_node("Optional", [name + "_in"], [result])]
    return [helper.make_node("Optional", [name], [name + "_opt"]), helper.make_node("OptionalGetElement", [name + "_opt"], [result])]


@row("If")
def branch(m):
    x, y = m.tensor("V", m.shape(3, 4)), m.tensor("V", m.shape(2, 2))
    then, other = (graph(same(m.kind("V"), n, n + "_out"), [], [(n + "_out", m.kind("V"))]) for n in ("x", "y"))
    attributes = {"then_branch": then, "else_branch": other}
    return Node([m.given("bool", m.pick(True, False))], attributes, captured={"x": x, "y": y})


@row("Loop")
def loop(m):
    nodes = [helper.make_node("Identity", ["go"], ["go_out"]), *same(m.kind("V"), "state", "state_out")]
    outputs = [("go_out", "tensor(bool)"), ("state_out", m.kind("V"))]
    if m.kind("V").startswith("tensor"):
        nodes.append(helper.make_node("Identity", ["state"], ["each"]))
        outputs.append(("each", m.kind("V")))
    body = graph(nodes, [("i", "tensor(int64)"), ("go", "tensor(bool)"), ("state", m.kind("V"))], outputs)
    return Node([m.given("int64", m.pick(2, 0, 3)), m.given("bool", True), m.tensor("V", m.shape(3, 4))], {"body": body}, len(outputs) - 1)


@row("Scan")
def scan(m):
    nodes = [helper.make_node("Identity", [n], [n + "_out"]) for n in ("state", "each")]
    kind = m.kind("V")
    body = graph(nodes, [("state", kind), ("each", kind)], [("state_out", kind), ("each_out", kind)])
    return Node([m.tensor("V", m.shape(2)), m.tensor("V", m.shape(3, 4))], {"body": body, "num_scan_inputs": 1}, 2)
