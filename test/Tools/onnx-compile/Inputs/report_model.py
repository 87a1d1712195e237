# ===- report_model.py - A model for tests of reports ------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""A small model with a subgraph: report_model.py FILE [--hostile] [--nodes N] [--dynamic]

--hostile gives the nodes names that are markup; --nodes makes a chain of N
nodes; --dynamic leaves the batch to the run.
"""

import argparse

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def constant(name: str, *shape: int) -> onnx.TensorProto:
    return numpy_helper.from_array(np.linspace(-1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape), name)


def branch(name: str, op: str, nodes: list[str]) -> onnx.GraphProto:
    made, value = [], "y"
    for node in nodes:
        made.append(helper.make_node(op, [value], [node + ".out"], name=node))
        value = node + ".out"
    return helper.make_graph(made, name, [], [helper.make_tensor_value_info(value, TensorProto.FLOAT, None)])


def small(name: str, batch: int | str) -> onnx.GraphProto:
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["c"], name=name, pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["r"], name="relu1"),
        helper.make_node("MaxPool", ["r"], ["p"], name="pool", kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Flatten", ["p"], ["f"], name="flat"),
        helper.make_node("MatMul", ["f", "v"], ["y"], name="fc"),
        helper.make_node("ReduceMax", ["y"], ["m"], name="max", keepdims=0),
        helper.make_node("Cast", ["m"], ["k"], name="test", to=TensorProto.BOOL),
        helper.make_node(
            "If",
            ["k"],
            ["z"],
            name="choice",
            then_branch=branch("then", "Abs", ["abs"]),
            else_branch=branch("else", "Exp", ["exp1", "exp2"]),
        ),
    ]
    return helper.make_graph(
        nodes,
        "small",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, 3, 32, 32])],
        [helper.make_tensor_value_info("z", TensorProto.FLOAT, [batch, 10])],
        [constant("w", 16, 3, 3, 3), constant("b", 16), constant("v", 4096, 10)],
    )


def chain(length: int) -> onnx.GraphProto:
    nodes, weights, value = [], [], "x"
    for i in range(length):
        op, inputs = ("Softmax", [value]) if i % 2 else ("MatMul", [value, f"w{i}"])
        if i % 2 == 0:
            weights.append(constant(f"w{i}", 8, 8))
        nodes.append(helper.make_node(op, inputs, [f"t{i}"], name=f"node{i}"))
        value = f"t{i}"
    return helper.make_graph(
        nodes,
        "chain",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 8])],
        [helper.make_tensor_value_info(value, TensorProto.FLOAT, [4, 8])],
        weights,
    )


parser = argparse.ArgumentParser()
parser.add_argument("file")
parser.add_argument("--hostile", action="store_true")
parser.add_argument("--nodes", type=int)
parser.add_argument("--dynamic", action="store_true")
options = parser.parse_args()
if options.nodes:
    graph = chain(options.nodes)
else:
    name = "</script><script>document.title='stolen'</script><img src=http://x.test/>" if options.hostile else "conv1"
    graph = small(name, "batch" if options.dynamic else 1)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), options.file)
