# ===- attention-layers.py - Layers of one query on a device ---------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""attention-layers.py FOLDER: compiles layers of one query, some with a mask, and prints their kernels."""

import pathlib
import re
import sys

import onnx
import onnx_compile
from onnx import helper

HEADS, KEYS, SIZE = 12, 512, 64
HAS_MASK = [True, False, False, True, False]


def layers():
    """Attentions one after the other, the query of each being the result of the one before."""
    f16 = onnx.TensorProto.FLOAT16
    tensor = lambda name, *shape: helper.make_tensor_value_info(name, f16, [1, HEADS, *shape])  # noqa: E731
    inputs, nodes, query = [tensor("query", 1, SIZE)], [], "query"
    for n, has_mask in enumerate(HAS_MASK):
        inputs += [tensor(f"keys{n}", SIZE, KEYS), tensor(f"values{n}", KEYS, SIZE)]
        nodes.append(helper.make_node("MatMul", [query, f"keys{n}"], [f"scores{n}"]))
        scores = f"scores{n}"
        if has_mask:
            inputs.append(tensor(f"mask{n}", 1, KEYS))
            nodes.append(helper.make_node("Add", [scores, f"mask{n}"], [f"masked{n}"]))
            scores = f"masked{n}"
        nodes.append(helper.make_node("Softmax", [scores], [f"shares{n}"]))
        query = f"layer{n}"
        nodes.append(helper.make_node("MatMul", [f"shares{n}", f"values{n}"], [query]))
    graph = helper.make_graph(nodes, "layers", inputs, [tensor(query, 1, SIZE)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    recipes = folder / "layers.recipes"
    onnx_compile.compile(
        layers(),
        output=str(folder / "layers.so"),
        device="cuda:simulator:sm_90a",
        emit_recipes=str(recipes),
    )
    for name, recipe in re.findall(r'^kernel "(.+?)" \w+ \[(.*?)^\]', recipes.read_text(), re.M | re.S):
        print(f"{name}: {'rows of a query' if 'query' in recipe else 'no query'}")


main()
