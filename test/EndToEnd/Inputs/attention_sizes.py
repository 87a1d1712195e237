# ===- attention_sizes.py - Attentions of dynamic sizes ---------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Compiles attentions, names the kernel that has the products of each, compares what they compute with numpy, and runs them
without a batch."""

import re
import subprocess
import sys

import numpy as np
import onnx
import onnx_compile
from onnx import helper

HEADS, WIDTH = 4, 64


def model(queries, keys, heads=HEADS, mask=None, **attributes):
    infos = [helper.make_tensor_value_info("q", onnx.TensorProto.FLOAT, [queries[0], HEADS, queries[1], WIDTH])]
    infos += [helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, [keys[0], heads, keys[1], WIDTH]) for n in "kv"]
    if mask:
        infos.append(helper.make_tensor_value_info("m", onnx.TensorProto.FLOAT, mask))
    node = helper.make_node("Attention", [info.name for info in infos], ["y"], **attributes)
    ends = [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)]
    return helper.make_model(helper.make_graph([node], "g", infos, ends), opset_imports=[helper.make_opsetid("", 23)])


def attention(q, k, v, m=None, causal=False):
    k, v = (np.repeat(x, HEADS // x.shape[1], axis=1) for x in (k, v))
    scores = q @ k.swapaxes(2, 3) / np.sqrt(np.float32(WIDTH))
    if m is not None:
        scores = scores + m
    if causal:
        scores = np.where(np.tri(*scores.shape[2:], dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ v


CASES = {
    "fixed": model((2, 300), (2, 300)),
    "batch": model(("n", 300), ("n", 300)),
    "lengths": model(("n", "s"), ("n", "t")),
    "groups": model(("n", "s"), ("n", "t"), heads=2),
    "mask": model(("n", "s"), ("n", "t"), mask=["n", 1, "s", "t"]),
    "causal": model(("n", "s"), ("n", "s"), is_causal=1),
    "causal groups": model((2, 300), (2, 300), heads=2, is_causal=1),
}
FIXED = ("fixed", "causal groups")


def inputs(case, batch, queries, keys):
    random, named = np.random.default_rng(0), {"n": batch, "s": queries, "t": keys}
    shapes = [[d.dim_value or named[d.dim_param] for d in i.type.tensor_type.shape.dim] for i in CASES[case].graph.input]
    return [random.standard_normal(shape, np.float32) for shape in shapes]


def main():
    sessions = {}
    for name, made in CASES.items():
        onnx.save(made, f"{sys.argv[1]}.onnx")
        command = ["onnx-compile", f"{sys.argv[1]}.onnx", "--emit=krnl", "-o", "-"]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        print(f"{name}: {', '.join(k for k in re.findall(r'krnl.kernel .(.+?). loops', text) if 'MatMul' in k)}")
        sessions[name] = onnx_compile.ExecutionSession(onnx_compile.compile(made, f"{sys.argv[1]}.{name}.so"))
        for sizes in ((2, 300, 300), (3, 21, 21 if name == "causal" else 50)):
            if sizes[0] == 2 or name not in ("batch", *FIXED):
                values = inputs(name, *sizes)
                expected = attention(*values, causal=name.startswith("causal"))
                np.testing.assert_allclose(sessions[name].run(values)[0], expected, rtol=1e-4, atol=1e-5)
    for name, session in sessions.items():
        if name not in FIXED:
            print("without a batch:", session.run(inputs(name, 0, 33, 33))[0].shape)


main()
