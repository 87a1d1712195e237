# ===- control_flow.py - Random branches and loops --------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# The graphs inside are drawn like the model itself, and may hold more of their
# kind; they read the tensors around them.
# ===------------------------------------------------------------------------===//
"""Templates of If, Loop and Scan with random bodies."""

import numpy as np
import onnx
import schemas
from draw import Value, value_info
from onnx import helper
from templates import TEMPLATES, Node

DEEPEST = 3
# Results leave a body through Identity.
FORWARDED = frozenset(next(s for s in schemas.all_signatures() if s.key == "Identity").constraints["V"])


def finish(body, inputs, outputs):
    """The graph of a body, its results under names of their own."""
    nodes = [p for p, _ in body.nodes]
    ends = []
    for i, value in enumerate(outputs):
        ends.append(f"{body.prefix}out{i}")
        nodes.append(helper.make_node("Identity", [value.name], [ends[-1]]))
    infos = [value_info(v) for v in inputs]
    stored = {t.name: t for t in body.stored()}
    stored |= {v.name: onnx.numpy_helper.from_array(v.array, v.name) for v in outputs if v.is_constant}
    graph = helper.make_graph(nodes, f"{body.prefix}body", infos, [onnx.ValueInfoProto(name=n) for n in ends], list(stored.values()))
    return graph


def captured(bodies, outputs, own):
    """The values around the bodies that they read or forward."""
    made = {n for body in bodies for p, _ in body.nodes for n in p.output} | {v.name for v in own}
    read = [v for body in bodies for v in body.outside()] + [v for v in outputs if not v.is_constant]
    return tuple({v.name: v for v in read if v.name not in made}.values())


def believed(trust, *bodies):
    """Whom to believe of a node with these graphs: nobody who is wrong about what is inside."""
    inside = {n.trust for body in bodies for _, n in body.nodes}
    return next((t for t in ("agreement", "onnxruntime alone", "onnxruntime") if t in inside), trust)


def made_in(body, values=None):
    """Those of the values, or of all in the body, that nodes of the body make and that it may forward."""
    names = {n for p, _ in body.nodes for n in p.output}
    return [v for v in (body.values if values is None else values) if v.name in names and v.kind in FORWARDED]


def other_result(other, result):
    """What the second branch gives where the first one gives `result`, None if it has nothing of the kind."""
    if not result.is_tensor:
        alike = [v for v in other.containers if v.kind == result.kind]
        return other.one(alike) if alike else None
    alike = [v for v in other.values if v.kind == result.kind and v.array.ndim == result.array.ndim]
    return other.one(alike) if alike else other.constant(np.full_like(result.array, "" if result.array.dtype == object else 0))


def branch(d):
    if d.depth >= DEEPEST:
        return None
    then, other = d.body(), d.body()
    then.grow(TEMPLATES, d.integer(1, 3))
    other.grow(TEMPLATES, d.integer(0, 3))
    made = made_in(then, then.containers)
    candidates = made if made and d.chance(0.5) else made_in(then)
    result = d.one(candidates) if candidates else None
    second = result and other_result(other, result)
    if second is None:
        return None
    condition = d.value(lambda v: v.kind == "tensor(bool)" and v.array.shape == () and v.exact) or d.input(np.array(d.chance(0.5)))
    taken = result if condition.array else second
    attributes = {"then_branch": finish(then, [], [result]), "else_branch": finish(other, [], [second])}
    return Node("If", [condition], attributes, 1, taken.exact and result.exact and second.exact, "",
                captured([then, other], [result, second], []), believed("both", then, other), kinds=(result.kind,))  # fmt: skip


def carried(body, state):
    """A result of the body with the type and shape of the state, the newest there is."""
    alike = [v for v in made_in(body) if v.kind == state.kind and v.array.shape == state.array.shape]
    return alike[-1] if alike else None


def loop(d):
    state = d.value(lambda v: 0 < v.array.size < 300 and v.kind in FORWARDED)
    if d.depth >= DEEPEST or not state:
        return None
    body = d.body()
    count, go = Value(body.name("i"), np.array(0), True), Value(body.name("go"), np.array(True), True)
    inside = Value(body.name("s"), state.array, state.exact, sources=[state])
    own = [count, go, inside]
    body.values += [count, inside, inside, inside]
    body.grow(TEMPLATES, d.integer(1, 4))
    after = carried(body, inside) or inside
    outputs = [go, after]
    if made_in(body) and d.chance(0.5):
        outputs.append(d.one(made_in(body)))
    # What a loop without turns puts together has sizes that are not said.
    iterations = np.array(d.integer(1 if len(outputs) > 2 else 0, 3))
    iterations = d.input(iterations) if d.chance(0.5) else d.constant(iterations)
    condition = None if d.chance(0.5) else d.constant(np.array(True))
    return Node("Loop", [iterations, condition, state], {"body": finish(body, own, outputs)}, len(outputs) - 1,
                all(v.exact for v in outputs), "", captured([body], outputs, own), believed("onnxruntime", body))  # fmt: skip


def collected(body, state):
    """The state with another element, None if there is none."""
    element = body.value(lambda v: f"seq({v.kind})" == state.kind and v.exact)
    made = element and body.add(Node("SequenceInsert", [state, element], keeps=True, trust="both", kinds=(state.kind,)))
    return made[0] if made else None


def container_loop(d):
    """A loop whose state is a sequence that grows, or any container that the body makes anew."""
    states = [v for v in d.containers if v.kind in FORWARDED]
    if d.depth >= DEEPEST or not states:
        return None
    state, body = d.one(states), d.body()
    count, go = Value(body.name("i"), np.array(0), True), Value(body.name("go"), np.array(True), True)
    inside = Value(body.name("s"), state.array, state.exact, sources=[state], kind=state.kind)
    body.values.append(count)
    body.containers += [inside, inside]
    body.grow(TEMPLATES, d.integer(1, 3))
    after = collected(body, inside) if state.kind.startswith("seq(tensor(") and d.chance(0.5) else None
    if after is None:
        alike = [v for v in made_in(body, body.containers) if v.kind == state.kind]
        after = alike[-1] if alike else inside
    if not body.nodes:
        return None
    iterations, outputs = d.input(np.array(d.integer(0, 3))), [go, after]
    return Node("Loop", [iterations, None, state], {"body": finish(body, [count, go, inside], outputs)}, 1, after.exact, "",
                captured([body], outputs, [count, go, inside]), believed("onnxruntime", body), kinds=(state.kind,))  # fmt: skip


def scan(d):
    state = d.value(lambda v: 0 < v.array.size < 300 and v.kind in FORWARDED)
    sequence = d.value(lambda v: v.array.ndim and v.array.shape[0] in range(1, 9) and 0 < v.array.size < 300 and v.kind in FORWARDED)
    if d.depth >= DEEPEST or not state or not sequence:
        return None
    body = d.body()
    inside = Value(body.name("s"), state.array, state.exact, sources=[state])
    each = Value(body.name("e"), np.asarray(sequence.array[0]), sequence.exact, sources=[sequence])
    own = [inside, each]
    body.values += [inside, each, inside, each]
    body.grow(TEMPLATES, d.integer(1, 4))
    after = carried(body, inside) or inside
    outputs = [after, d.one([*made_in(body), each])]
    attributes = {"body": finish(body, own, outputs), "num_scan_inputs": 1}
    if d.chance(0.3):
        attributes["scan_input_directions"] = [1]
    if d.chance(0.3):
        attributes["scan_output_directions"] = [1]
    return Node("Scan", [state, sequence], attributes, 2, all(v.exact for v in outputs), "",
                captured([body], outputs, own), believed("both", body))  # fmt: skip
