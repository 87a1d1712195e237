# ===- control_flow_oracle.py - Graphs with bodies, by the book ------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# The onnx reference evaluator cannot capture values in a Scan, nor collect the
# rows of no iteration. Here are control flow and containers in plain Python; all
# other operators are the reference's.
# ===------------------------------------------------------------------------===//
"""Evaluates models with nested control flow."""

import numpy as np
from onnx import helper
from onnx.reference import ReferenceEvaluator

EMPTY = object()  # an optional without element


class Oracle:
    """Evaluates a model; `rows` is the shape of what loops collect where no iteration says it."""

    def __init__(self, model, rows):
        self.model, self.rows, self.operators = model, rows, {}

    def run(self, inputs):
        return self.graph(self.model.graph, dict(inputs))

    def graph(self, graph, env, arguments=()):
        env = dict(env, **{i.name: a for i, a in zip(graph.input, arguments)})
        for node in graph.node:
            attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
            values = [env[name] if name else None for name in node.input]
            method = getattr(self, node.op_type, None)
            results = method(attributes, env, *values) if method else self.operator(node, values)
            env.update(zip(node.output, results))
        return [env[output.name] for output in graph.output]

    def operator(self, node, values):
        evaluator = self.operators.setdefault(id(node), None) or ReferenceEvaluator(node, opsets={"": 21})
        self.operators[id(node)] = evaluator
        return evaluator.run(None, {n: v for n, v in zip(node.input, values) if n})

    # --- control flow ---------------------------------------------------------

    def If(self, attributes, env, condition):
        return self.graph(attributes["then_branch" if condition.item() else "else_branch"], env)

    def Loop(self, attributes, env, iterations, condition, *carried):
        body, carried, rows = attributes["body"], list(carried), []
        goes_on = condition is None or condition.item()
        step = 0
        while goes_on and (iterations is None or step < iterations.item()):
            goes_on, *results = self.graph(body, env, [np.array(step), np.array(goes_on), *carried])
            carried, goes_on, step = results[: len(carried)], goes_on.item(), step + 1
            rows.append(results[len(carried) :])
        return [*carried, *self.stack(rows, len(body.output) - 1 - len(carried))]

    def Scan(self, attributes, env, *values):
        body, count = attributes["body"], attributes["num_scan_inputs"]
        carried, scanned, rows = list(values[:-count]), values[-count:], []
        inwards = attributes.get("scan_input_directions", [0] * count)
        for step in range(len(scanned[0])):
            slices = [s[-1 - step if back else step] for s, back in zip(scanned, inwards)]
            results = self.graph(body, env, [*carried, *slices])
            carried = results[: len(carried)]
            rows.append(results[len(carried) :])
        outputs = len(body.output) - len(carried)
        back = attributes.get("scan_output_directions", [0] * outputs)
        return [*carried, *(s[::-1] if b else s for s, b in zip(self.stack(rows, outputs), back))]

    def stack(self, rows, outputs):
        if rows:
            return [np.stack(column) for column in zip(*rows)]
        return [np.zeros((0, *self.rows), np.float32)] * outputs

    # --- containers -----------------------------------------------------------

    def SequenceMap(self, attributes, env, first, *others):
        rows = []
        for i, element in enumerate(first):
            rest = [other[i] if isinstance(other, list) else other for other in others]
            rows.append(self.graph(attributes["body"], env, [element, *rest]))
        return [list(column) for column in zip(*rows)] or [[] for _ in attributes["body"].output]

    def SequenceEmpty(self, *_):
        return [[]]

    def SequenceConstruct(self, _attributes, _env, *elements):
        return [list(elements)]

    def SequenceInsert(self, _attributes, _env, sequence, element, position=None):
        at = len(sequence) if position is None else position.item()
        at = at + len(sequence) if at < 0 else at
        return [[*sequence[:at], element, *sequence[at:]]]

    def SequenceErase(self, _attributes, _env, sequence, position=None):
        at = (-1 if position is None else position.item()) % len(sequence)
        return [sequence[:at] + sequence[at + 1 :]]

    def SequenceAt(self, _attributes, _env, sequence, position):
        return [sequence[position.item()]]

    def SequenceLength(self, _attributes, _env, sequence):
        return [np.array(len(sequence))]

    def Optional(self, _attributes, _env, value=EMPTY):
        return [value]

    def OptionalHasElement(self, _attributes, _env, value=EMPTY):
        return [np.array(value is not EMPTY)]

    def OptionalGetElement(self, _attributes, _env, value):
        return [value]

    def Identity(self, _attributes, _env, value):
        return [value]
