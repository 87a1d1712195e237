# ===- compile_time_models.py - Models of many nodes of one kind -------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# What compile_time.py measures: each kind is a function of the number of nodes.
# ===------------------------------------------------------------------------===//
"""Models of many nodes of one kind, with static and with dynamic sizes."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 21
RNG = np.random.default_rng(1)


class Graph:
    """A graph that grows node by node from one input x."""

    def __init__(self, *dims, is_open=False):
        """All sizes are names in the model if it `is_open`; a string is a name anyway."""
        sizes = [f"d{i}" if is_open else size for i, size in enumerate(dims)]
        self.inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, sizes)]
        self.rank, self.nodes, self.initializers = len(dims), [], []

    def node(self, operator, inputs, outputs=1, **attributes):
        """The name of the result, or the names of several."""
        number = len(self.nodes)
        names = [f"v{number}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(operator, inputs, names, name=f"{operator}_{number}", **attributes))
        return names[0] if outputs == 1 else names

    def constant(self, array):
        name = f"c{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def floats(self, *shape):
        return self.constant((RNG.standard_normal(shape) / 4).astype(np.float32))

    def model(self, result):
        """All sizes of the result are left to the compiler."""
        output = helper.make_tensor_value_info(result, TensorProto.FLOAT, [f"r{i}" for i in range(self.rank)])
        graph = helper.make_graph(self.nodes, "many", self.inputs, [output], self.initializers)
        domains = {node.domain for node in self.nodes} - {""}
        sets = [helper.make_opsetid("", OPSET), *(helper.make_opsetid(domain, 3) for domain in domains)]
        return helper.make_model(graph, opset_imports=sets, ir_version=10)


def elementwise(nodes, is_open):
    graph = Graph(4, 64, is_open=is_open)
    value, rows = "x", [graph.floats(1) for _ in range(4)]
    for i in range(nodes):
        operator = ("Add", "Relu", "Mul", "Sigmoid")[i % 4]
        value = graph.node(operator, [value, rows[i % 4]] if operator in ("Add", "Mul") else [value])
    return graph.model(value)


def wide_concat(nodes, is_open):
    graph = Graph(4, 8, is_open=is_open)
    parts = [graph.node("Mul", ["x", graph.floats(1)]) for _ in range(nodes - 1)]
    return graph.model(graph.node("Concat", parts, axis=1))


def wide_sum(nodes, is_open):
    graph = Graph(4, 8, is_open=is_open)
    parts = [graph.node("Mul", ["x", graph.floats(1)]) for _ in range(nodes - 1)]
    return graph.model(graph.node("Sum", parts))


def concat_chain(nodes, is_open):
    graph = Graph(2, 4, is_open=is_open)
    value = "x"
    for _ in range(nodes):
        value = graph.node("Concat", [value, "x"], axis=1)
    return graph.model(value)


def matmul_chain(nodes, is_open):
    graph = Graph("n" if is_open else 8, 16)
    value, weights = "x", [graph.floats(16, 16) for _ in range(4)]
    for i in range(nodes // 2):
        value = graph.node("Relu", [graph.node("MatMul", [value, weights[i % 4]])])
    return graph.model(value)


def conv_chain(nodes, is_open):
    graph = Graph(1, 8, *(("h", "w") if is_open else (10, 10)))
    value, weights, bias = "x", [graph.floats(8, 8, 3, 3) for _ in range(4)], graph.floats(8)
    for i in range(nodes // 2):
        value = graph.node("Relu", [graph.node("Conv", [value, weights[i % 4], bias], pads=[1, 1, 1, 1])])
    return graph.model(value)


def quantized_convs(nodes, is_open):
    """Five nodes for a layer: as quantized_chain, of convolutions with a filter of their own for each channel."""
    graph = Graph(1, 8, *(("h", "w") if is_open else (10, 10)))
    value, scale, zero = "x", graph.constant(np.float32(0.02)), graph.constant(np.int8(0))
    scales, zeros = graph.constant(np.full(8, 0.02, np.float32)), graph.constant(np.zeros(8, np.int8))
    weights = [graph.constant(RNG.integers(-9, 9, (8, 8, 3, 3)).astype(np.int8)) for _ in range(4)]
    for i in range(nodes // 5):
        weight = graph.node("DequantizeLinear", [weights[i % 4], scales, zeros], axis=0)
        packed = graph.node("QuantizeLinear", [value, scale, zero])
        value = graph.node("DequantizeLinear", [packed, scale, zero])
        value = graph.node("Relu", [graph.node("Conv", [value, weight], pads=[1, 1, 1, 1])])
    return graph.model(value)


def quantized_chain(nodes, is_open):
    """Six nodes for a layer: the weights and the activations with pairs, a product, Relu."""
    graph = Graph("n" if is_open else 8, 16)
    value, scale, zero = "x", graph.constant(np.float32(0.02)), graph.constant(np.int8(0))
    weights = [graph.constant(RNG.integers(-9, 9, (16, 16)).astype(np.int8)) for _ in range(4)]
    for i in range(nodes // 5):
        weight = graph.node("DequantizeLinear", [weights[i % 4], scale, zero])
        packed = graph.node("QuantizeLinear", [value, scale, zero])
        value = graph.node("DequantizeLinear", [packed, scale, zero])
        value = graph.node("Relu", [graph.node("MatMul", [value, weight])])
    return graph.model(value)


def shape_arithmetic(nodes, is_open):
    """Shape, Gather, arithmetic, Concat, Reshape, as exporters write a view."""
    graph = Graph(4, 8, is_open=is_open)
    value, indices = "x", [graph.constant(np.int64([0])), graph.constant(np.int64([1]))]
    for i in range(nodes // 8):
        shape = graph.node("Shape", [value])
        rows, columns = (graph.node("Gather", [shape, index]) for index in indices)
        both = graph.node("Mul", [graph.node("Add", [rows, columns]), indices[1]])
        rest = graph.node("Sub", [both, rows])
        value = graph.node("Reshape", [value, graph.node("Concat", [rest, rows] if i % 2 else [rows, rest], axis=0)])
    return graph.model(value)


def gather_chain(nodes, is_open):
    graph = Graph(6, 8, is_open=is_open)
    value, order = "x", graph.constant(np.int64([3, 1, 0, 2, 5, 4]))
    for _ in range(nodes // 2):
        value = graph.node("Gather", [graph.node("Neg", [value]), order], axis=0)
    return graph.model(value)


def view_chain(nodes, is_open):
    graph = Graph("n" if is_open else 4, 6, 8)
    value, split, whole = "x", graph.constant(np.int64([0, 3, 2, 8])), graph.constant(np.int64([0, 6, 8]))
    for _ in range(nodes // 4):
        value = graph.node("Transpose", [graph.node("Reshape", [value, split])], perm=[0, 2, 1, 3])
        value = graph.node("Relu", [graph.node("Reshape", [value, whole])])
    return graph.model(value)


def split_concat(nodes, is_open):
    graph = Graph("n" if is_open else 4, 8)
    value = "x"
    for _ in range(nodes // 3):
        parts = graph.node("Split", [value], outputs=2, axis=1, num_outputs=2)
        value = graph.node("Concat", [graph.node("Relu", parts[:1]), parts[1]], axis=1)
    return graph.model(value)


def slice_chain(nodes, is_open):
    graph = Graph(6, 8, is_open=is_open)
    value, back = "x", [graph.constant(np.int64([i])) for i in (-1, -(2**62), 0, -1)]
    for _ in range(nodes // 2):
        value = graph.node("Slice", [graph.node("Neg", [value]), *back])
    return graph.model(value)


def wide_split(nodes, is_open):
    """One Split into many parts, each of which is worked on, and all together again."""
    parts = max(2, nodes - 2)
    graph = Graph("n" if is_open else 4, parts)
    pieces = graph.node("Split", ["x"], outputs=parts, axis=1, num_outputs=parts)
    return graph.model(graph.node("Concat", [graph.node("Sigmoid", [piece]) for piece in pieces], axis=1))


def reduce_chain(nodes, is_open):
    graph = Graph(4, 16, is_open=is_open)
    value = "x"
    for _ in range(nodes // 2):
        value = graph.node("Sub", [value, graph.node("ReduceMean", [value], keepdims=1)])
    return graph.model(value)


def info(name, kind, sizes):
    return helper.make_tensor_value_info(name, kind, sizes)


def loop_node(graph, trip_count, go, value, names, sizes, make):
    """A Loop over one state, whose body is what `make` adds to a graph. Its values are called after `names`."""
    inner = Graph()
    state = make(inner, f"{names}state")
    renamed = {name: names + name for node in inner.nodes for name in node.output}
    for node in inner.nodes:
        node.input[:] = [renamed.get(name, name) for name in node.input]
        node.output[:] = [renamed[name] for name in node.output]
    inner.nodes.append(helper.make_node("Identity", [f"{names}go"], [f"{names}goes"]))
    ins = [info(f"{names}i", TensorProto.INT64, []), info(f"{names}go", TensorProto.BOOL, [])]
    ins.append(info(f"{names}state", TensorProto.FLOAT, sizes))
    outs = [info(f"{names}goes", TensorProto.BOOL, []), info(renamed[state], TensorProto.FLOAT, sizes)]
    return graph.node("Loop", [trip_count, go, value], body=helper.make_graph(inner.nodes, f"{names}body", ins, outs))


def loop_body(nodes, is_open):
    def make(body, value):
        for i in range(nodes):
            value = body.node("Softmax" if i % 2 else "Neg", [value])
        return value

    graph = Graph(4, 8, is_open=is_open)
    trip_count, go = graph.constant(np.int64(3)), graph.constant(np.bool_(True))
    return graph.model(loop_node(graph, trip_count, go, "x", "", ["d0", "d1"] if is_open else [4, 8], make))


def loop_chain(nodes, is_open):
    """Many loops one after the other, four nodes each."""
    graph, value = Graph(4, 8, is_open=is_open), "x"
    trip_count, go = graph.constant(np.int64(3)), graph.constant(np.bool_(True))

    def make(body, state):
        return body.node("Softmax", [body.node("Neg", [state])])

    for i in range(nodes // 4):
        value = loop_node(graph, trip_count, go, value, f"l{i}_", ["d0", "d1"] if is_open else [4, 8], make)
    return graph.model(value)


def if_chain(nodes, is_open):
    """Many conditions of data one after the other, seven nodes each."""
    graph, value = Graph(4, 8, is_open=is_open), "x"
    zero, sizes = graph.constant(np.float32(0)), ["d0", "d1"] if is_open else [4, 8]
    for i in range(nodes // 7):
        total = graph.node("ReduceSum", [value], keepdims=0)
        branches = {}
        for branch, operators in {"then_branch": ("Neg", "Sigmoid"), "else_branch": ("Relu", "Softmax")}.items():
            names = [f"b{i}_{operator}" for operator in operators]
            made = [helper.make_node(operator, [source], [name]) for operator, source, name in zip(operators, (value, names[0]), names)]
            branches[branch] = helper.make_graph(made, f"b{i}_{branch}", [], [info(names[1], TensorProto.FLOAT, sizes)])
        value = graph.node("If", [graph.node("Greater", [total, zero])], **branches)
    return graph.model(value)


def select_chain(nodes, is_open):
    """TopK, which is a function of the runtime, and what follows it."""
    graph = Graph("n" if is_open else 4, 8)
    value, all_of_them = "x", graph.constant(np.int64([8]))
    for _ in range(nodes // 2):
        value = graph.node("Neg", [graph.node("TopK", [value, all_of_them], outputs=2)[0]])
    return graph.model(value)


def trees(nodes, is_open):
    """An ensemble for each 1,000 nodes, of trees of 15 nodes, with what a converter writes around it."""
    graph, sums = Graph("n" if is_open else 16, 8), []
    for _ in range(max(1, nodes // 1000)):
        sums.append(graph.node("TreeEnsembleRegressor", ["x"], domain="ai.onnx.ml", **ensemble(min(nodes, 1000) // 15, depth=3)))
    return graph.model(graph.node("Sum", sums))


def large_ensemble(nodes, is_open):
    """One ensemble of trees of 15 nodes."""
    graph = Graph("n" if is_open else 16, 8)
    return graph.model(graph.node("TreeEnsembleRegressor", ["x"], domain="ai.onnx.ml", **ensemble(nodes // 15, depth=3)))


def ensemble(trees, depth):
    """Attributes of full trees."""
    inner, every = 2**depth - 1, 2 ** (depth + 1) - 1
    columns = {name: [] for name in ("treeids", "nodeids", "featureids", "values", "modes", "truenodeids", "falsenodeids")}
    targets = {name: [] for name in ("treeids", "nodeids", "ids", "weights")}
    for tree in range(trees):
        for node in range(every):
            is_inner = node < inner
            row = [tree, node, int(RNG.integers(8)), float(RNG.standard_normal()), "BRANCH_LEQ" if is_inner else "LEAF",
                   2 * node + 1 if is_inner else 0, 2 * node + 2 if is_inner else 0]  # fmt: skip
            for column, value in zip(columns.values(), row):
                column.append(value)
            if not is_inner:
                for column, value in zip(targets.values(), [tree, node, 0, float(RNG.standard_normal())]):
                    column.append(value)
    return {"n_targets": 1} | {f"nodes_{k}": v for k, v in columns.items()} | {f"target_{k}": v for k, v in targets.items()}


FAMILIES = [elementwise, wide_concat, wide_sum, concat_chain, matmul_chain, conv_chain, quantized_chain, quantized_convs,
            shape_arithmetic, gather_chain, view_chain, slice_chain, split_concat, wide_split, reduce_chain, loop_body, loop_chain,
            if_chain, select_chain, trees, large_ensemble]  # fmt: skip


def kinds():
    """{name: function of the number of nodes}."""
    table = {}
    for family in FAMILIES:
        name = family.__name__.replace("_", "-")
        table[name] = lambda nodes, family=family: family(nodes, False)
        table[f"{name}-open"] = lambda nodes, family=family: family(nodes, True)
    return table


KINDS = kinds()
