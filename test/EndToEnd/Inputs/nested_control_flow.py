# ===- nested_control_flow.py - Random nests of If, Loop and Scan ----------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Bodies capture values of all graphs around them, carry tensors, sequences and
# optionals, and end after numbers of iterations that only the data tell.
# ===------------------------------------------------------------------------===//
"""Compares random nested control flow with an evaluation in Python.

nested_control_flow.py COUNT [SEED [DEPTH]]
"""

import random
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper

import onnx_compile
from control_flow_oracle import Oracle

SIZE = 3


def tensor_info(name, dynamic):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n" if dynamic else SIZE])


def sequence_info(name):
    return helper.make_tensor_sequence_value_info(name, TensorProto.FLOAT, None)


class Graph:
    """One graph under construction: its nodes, and the values that may be used in it by kind."""

    def __init__(self, model, outer=None, depth=0):
        self.model, self.depth, self.nodes = model, depth, []
        self.tensors = list(outer.tensors) if outer else []
        self.sequences = list(outer.sequences) if outer else []

    @property
    def random(self):
        return self.model.random

    def add(self, operator, inputs, outputs=1, **attributes):
        names = [self.model.fresh() for _ in range(outputs)]
        self.nodes.append(helper.make_node(operator, inputs, names, **attributes))
        return names[0] if outputs == 1 else names

    def constant(self, value):
        return self.add("Constant", [], value=onnx.numpy_helper.from_array(np.array(value)))

    def tensor(self):
        return self.random.choice(self.tensors)

    def truth(self):
        """A bool that only the data tell."""
        total = self.add("ReduceSum", [self.tensor()], keepdims=0)
        return self.add("Less", [total, self.constant(np.float32(self.random.uniform(-2, 2)))])

    def rows_to_tensor(self, rows):
        """Brings what was collected, perhaps nothing, back to one row."""
        return self.add("Tanh", [self.add("ReduceSum", [rows, self.constant(np.array([0]))], keepdims=0)])

    # --- statements ---------------------------------------------------------

    def arithmetic(self):
        operator = self.random.choice(["Add", "Sub", "Mul", "Max"])
        value = self.add(operator, [self.tensor(), self.tensor()])
        self.tensors.append(self.add("Tanh", [value]) if operator == "Mul" else value)

    def construct(self):
        parts = [self.tensor() for _ in range(self.random.randint(1, 3))]
        self.sequences.append(self.add("SequenceConstruct", parts))

    def change_sequence(self):
        sequence = self.random.choice(self.sequences)
        position = [self.constant(np.int64(self.random.choice([0, -1])))] if self.random.random() < 0.5 else []
        longer = self.add("SequenceInsert", [sequence, self.tensor(), *position])
        if self.random.random() < 0.4:
            longer = self.add("SequenceInsert", [longer, self.tensor()])
            longer = self.add("SequenceErase", [longer, *position])
        self.sequences.append(longer)

    def read_sequence(self):
        sequence = self.random.choice(self.sequences)
        if self.random.random() < 0.5:
            value = self.add("SequenceAt", [sequence, self.constant(np.int64(self.random.choice([0, -1])))])
            self.tensors.append(self.add("Tanh", [value]))
        else:
            rows = self.add("ConcatFromSequence", [sequence], axis=0, new_axis=1)
            self.tensors.append(self.rows_to_tensor(rows))

    def optional(self):
        value = self.add("Optional", [self.tensor()])
        has = self.add("OptionalHasElement", [value])
        element = self.add("OptionalGetElement", [value])
        self.tensors.append(self.add("Mul", [element, self.add("Cast", [has], to=TensorProto.FLOAT)]))

    def body(self, name, inputs, tensors, sequences, first=()):
        """A graph inside of this one, which yields `first`, some tensors and some sequences."""
        inner = Graph(self.model, self, self.depth + 1)
        for info in inputs:
            if info.type.HasField("sequence_type"):
                inner.sequences.append(info.name)
            elif info.type.tensor_type.elem_type == TensorProto.FLOAT:
                inner.tensors.append(info.name)
        for _ in range(self.random.randint(1, 4)):
            inner.statement()
        outputs = [f(inner) for f in first]
        for _ in range(tensors):
            name_of = inner.add("Identity", [inner.tensor()])
            outputs.append(tensor_info(name_of, self.model.dynamic))
        for _ in range(sequences):
            outputs.append(sequence_info(inner.add("Identity", [self.random.choice(inner.sequences)])))
        return helper.make_graph(inner.nodes, name, inputs, outputs)

    def branch(self):
        tensors, sequences = self.random.randint(1, 2), int(bool(self.sequences) and self.random.random() < 0.5)
        bodies = {f"{n}_branch": self.body(n, [], tensors, sequences) for n in ("then", "else")}
        results = self.add("If", [self.truth()], outputs=tensors + sequences, **bodies)
        results = [results] if isinstance(results, str) else results
        self.tensors += results[:tensors]
        self.sequences += results[tensors:]

    def loop(self):
        tensors, sequences = self.random.randint(1, 2), int(bool(self.sequences) and self.random.random() < 0.5)
        carried = [self.tensor() for _ in range(tensors)]
        carried += [self.random.choice(self.sequences) for _ in range(sequences)]
        fresh = self.model.fresh
        inputs = [helper.make_tensor_value_info(fresh(), TensorProto.INT64, []),
                  helper.make_tensor_value_info(fresh(), TensorProto.BOOL, [])]  # fmt: skip
        inputs += [tensor_info(fresh(), self.model.dynamic) for _ in range(tensors)]
        inputs += [sequence_info(fresh()) for _ in range(sequences)]

        def goes_on(inner):
            name = inner.add("Not", [inner.truth()]) if self.random.random() < 0.5 else inner.constant(True)
            return helper.make_tensor_value_info(name, TensorProto.BOOL, [])

        # Yielded: the condition, the carried values, one row to be scanned.
        graph = self.body("loop", inputs, tensors, sequences, [goes_on])
        row = graph.output[1].name
        graph.node.append(helper.make_node("Neg", [row], [fresh()]))
        graph.output.append(tensor_info(graph.node[-1].output[0], self.model.dynamic))
        iterations = self.random.choice([self.model.iterations, self.constant(np.int64(self.random.randint(self.model.fewest, 3)))])
        condition = self.truth() if not self.model.fewest and self.random.random() < 0.3 else ""
        results = self.add("Loop", [iterations, condition, *carried], outputs=tensors + sequences + 1, body=graph)
        self.tensors += results[:tensors]
        self.sequences += results[tensors:-1]
        self.tensors.append(self.rows_to_tensor(results[-1]))

    def scan(self):
        parts = [self.add("Unsqueeze", [self.tensor(), self.constant(np.array([0]))]) for _ in range(self.random.randint(1, 3))]
        rows = self.add("Concat", parts, axis=0)
        inputs = [tensor_info(self.model.fresh(), self.model.dynamic) for _ in range(2)]
        graph = self.body("scan", inputs, 2, 0)
        direction = self.random.randint(0, 1)
        state, scanned = self.add("Scan", [self.tensor(), rows], outputs=2, body=graph, num_scan_inputs=1,
                                  scan_input_directions=[direction], scan_output_directions=[1 - direction])  # fmt: skip
        self.tensors += [state, self.rows_to_tensor(scanned)]

    def map_sequence(self):
        sequence = self.random.choice(self.sequences)
        inputs = [tensor_info(self.model.fresh(), self.model.dynamic) for _ in range(2)]
        graph = self.body("map", inputs, 1, 0)
        self.sequences.append(self.add("SequenceMap", [sequence, self.tensor()], body=graph))

    def statement(self):
        kinds = [self.arithmetic, self.arithmetic, self.construct, self.optional]
        if self.sequences:
            kinds += [self.change_sequence, self.read_sequence]
        if self.depth < self.model.depth:
            kinds += [self.branch, self.loop, self.scan] * 2
            if self.sequences:
                kinds.append(self.map_sequence)
        self.random.choice(kinds)()


class Model:
    """A model with inputs x, y and a number of iterations, all of its tensors as long as x."""

    def __init__(self, seed, depth):
        self.random, self.depth, self.count = random.Random(seed), depth, 0
        self.dynamic, self.iterations = self.random.random() < 0.5, "iterations"
        # Without an iteration a size is not known.
        self.fewest = int(self.dynamic)
        graph = Graph(self)
        graph.tensors = ["x", "y"]
        while len(graph.nodes) < 6 or not graph.sequences:
            graph.statement()
        outputs = [tensor_info(name, self.dynamic) for name in dict.fromkeys(graph.tensors[-4:]) if name not in "xy"]
        outputs.append(sequence_info(graph.sequences[-1]))
        inputs = [tensor_info(name, self.dynamic) for name in "xy"]
        inputs.append(helper.make_tensor_value_info("iterations", TensorProto.INT64, []))
        self.proto = helper.make_model(
            helper.make_graph(graph.nodes, f"nest{seed}", inputs, outputs), opset_imports=[helper.make_opsetid("", 21)], ir_version=10
        )
        onnx.checker.check_model(self.proto)

    def fresh(self):
        self.count += 1
        return f"v{self.count}"


def flatten(values):
    for value in values:
        if isinstance(value, list):
            yield np.int64(len(value))
            yield from flatten(value)
        else:
            yield value


def agree(proto, session, inputs):
    expected = list(flatten(Oracle(proto, [SIZE]).run(inputs)))
    actual = list(flatten(session.run(inputs)))
    return len(expected) == len(actual) and all(
        e.shape == a.shape and np.allclose(a, e, 1e-4, 1e-5) for e, a in zip(expected, actual)
    )


def main(count, seed=0, depth=3):
    failed = 0
    for number in range(seed, seed + count):
        model = Model(number, depth)
        data = np.random.default_rng(number)
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/nest.so"
            session = onnx_compile.ExecutionSession(onnx_compile.compile(model.proto, path))
            for iterations in (model.fewest, 1, 4):
                inputs = {n: data.uniform(-1, 1, SIZE).astype(np.float32) for n in "xy"}
                inputs["iterations"] = np.array(iterations)
                if not agree(model.proto, session, inputs):
                    print(f"seed {number}, {iterations} iterations: differs from the reference")
                    failed += 1
    print(f"{count} nests, {failed} differences")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
