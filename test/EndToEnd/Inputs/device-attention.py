# ===- device-attention.py - Attentions on the simulated device -------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Runs attentions on the simulated device, beside numpy, and names the kernels that have products: device-attention.py
PREFIX CASES. CASES is a regular expression for the names of those that run."""

import re
import subprocess
import sys

import ml_dtypes
import numpy as np
import onnx
import onnx_compile
from onnx import TensorProto, helper

F32, F16, BF16 = TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16
NUMPY = {F32: np.float32, F16: np.float16, BF16: ml_dtypes.bfloat16, TensorProto.BOOL: bool}


def model(queries, keys, past=None, mask=None, element=F32, **attributes):
    """Attention of queries [batch, heads, rows, size] and keys of as many heads or fewer; `past` are keys before these."""
    inputs = {"q": (element, queries), "k": (element, keys), "v": (element, keys)}
    if mask:
        inputs["m"] = mask
    if past:
        inputs |= {"pk": (element, past), "pv": (element, past)}
    names = ["q", "k", "v", "m" if mask else "", "pk" if past else "", "pv" if past else ""]
    outputs = ["y", "ok", "ov"] if past else ["y"]
    graph = helper.make_graph(
        [helper.make_node("Attention", names, outputs, **attributes)],
        "g",
        [helper.make_tensor_value_info(name, *info) for name, info in inputs.items()],
        [helper.make_tensor_value_info(name, element, None) for name in outputs],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)


def joined(queries, keys, heads, key_heads):
    """The same with the heads beside each other: [batch, rows, heads * size]."""
    return model(queries, keys, element=F16, is_causal=1, q_num_heads=heads, kv_num_heads=key_heads)


def exported(heads, key_heads, size):
    """Heads of keys are repeated for those of queries, by shapes that are computed, as PyTorch exports it."""
    nodes, repeats = [], heads // key_heads
    for x in "kv":
        nodes += [
            helper.make_node("Shape", [x], [f"{x}_batch"], start=0, end=1),
            helper.make_node("Shape", [x], [f"{x}_keys"], start=2, end=3),
            helper.make_node("Unsqueeze", [x, "axis"], [f"{x}_apart"]),
            helper.make_node("Concat", [f"{x}_batch", "groups", f"{x}_keys", "size"], [f"{x}_sizes"], axis=0),
            helper.make_node("Expand", [f"{x}_apart", f"{x}_sizes"], [f"{x}_repeated"]),
            helper.make_node("Concat", [f"{x}_batch", "heads", f"{x}_keys", "size"], [f"{x}_shape"], axis=0),
            helper.make_node("Reshape", [f"{x}_repeated", f"{x}_shape"], [f"{x}_heads"]),
        ]
    nodes += [
        helper.make_node("Transpose", ["k_heads"], ["t"], perm=[0, 1, 3, 2]),
        helper.make_node("MatMul", ["q", "t"], ["s"]),
        helper.make_node("Mul", ["s", "scale"], ["scaled"]),
        helper.make_node("Softmax", ["scaled"], ["w"]),
        helper.make_node("MatMul", ["w", "v_heads"], ["y"]),
    ]
    shapes = {"q": ["b", heads, "n", size], "k": ["b", key_heads, "m", size], "v": ["b", key_heads, "m", size]}
    infos = [helper.make_tensor_value_info(name, F16, shape) for name, shape in shapes.items()]
    lists = {"axis": [2], "groups": [key_heads, repeats], "heads": [heads], "size": [size]}
    constants = [helper.make_tensor(name, TensorProto.INT64, [len(x)], x) for name, x in lists.items()]
    constants.append(helper.make_tensor("scale", F16, [], [size**-0.5]))
    graph = helper.make_graph(nodes, "g", infos, [helper.make_tensor_value_info("y", F16, None)], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)


def group_query(heads, key_heads, size):
    """GroupQueryAttention without keys before."""
    names = ["q", "k", "v", "", "", "last", "total"]
    node = helper.make_node(
        "GroupQueryAttention", names, ["y"], domain="com.microsoft", num_heads=heads, kv_num_heads=key_heads
    )
    widths = {"q": heads * size, "k": key_heads * size, "v": key_heads * size}
    infos = [helper.make_tensor_value_info(name, F16, ["b", "n", width]) for name, width in widths.items()]
    infos += [
        helper.make_tensor_value_info("last", TensorProto.INT32, ["b"]),
        helper.make_tensor_value_info("total", TensorProto.INT32, [1]),
    ]
    graph = helper.make_graph([node], "g", infos, [helper.make_tensor_value_info("y", F16, None)])
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def products(rows, keys, size):
    """The same without the operator: a query that sees no key has no numbers. Keys are given as [size, keys]."""
    nodes = [
        helper.make_node("MatMul", ["q", "k"], ["s"]),
        helper.make_node("Where", ["m", "s", "none"], ["h"]),
        helper.make_node("Softmax", ["h"], ["w"]),
        helper.make_node("MatMul", ["w", "v"], ["y"]),
    ]
    inputs = {"q": (F32, [2, rows, size]), "k": (F32, [2, size, keys]), "v": (F32, [2, keys, size])}
    inputs["m"] = (TensorProto.BOOL, [rows, keys])
    none = helper.make_tensor("none", F32, [], [-np.inf])
    infos = [helper.make_tensor_value_info(name, *info) for name, info in inputs.items()]
    graph = helper.make_graph(nodes, "g", infos, [helper.make_tensor_value_info("y", F32, None)], [none])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)


def exact_products(q, k, v, m):
    scores = np.where(m, q.astype(np.float64) @ k, -np.inf)
    weights = np.exp(scores - np.where(m.any(axis=-1, keepdims=True), scores.max(axis=-1, keepdims=True), np.nan))
    return weights / weights.sum(axis=-1, keepdims=True) @ v


def heads_apart(x, heads):
    return x.reshape(*x.shape[:2], heads, x.shape[2] // heads).swapaxes(1, 2)


def attention(q, k, v, m=None, pk=None, pv=None, causal=False):
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    before = 0 if pk is None else pk.shape[2]
    if pk is not None:
        k, v = (np.concatenate([past, x], axis=2) for past, x in ((pk, k), (pv, v)))
    k, v = (np.repeat(x, q.shape[1] // x.shape[1], axis=1) for x in (k, v))
    scores = q @ k.swapaxes(2, 3) / np.sqrt(q.shape[3])
    if m is not None:
        scores = np.where(m, scores, -np.inf) if m.dtype == bool else scores + m
    if causal:
        scores = np.where(np.tri(*scores.shape[2:], before, dtype=bool), scores, -np.inf)
    largest = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    weights = np.exp(scores - np.where(np.isinf(largest), 0, largest))
    total = weights.sum(axis=-1, keepdims=True)
    # A query that sees no key has zeros.
    return weights / np.where(total == 0, 1, total) @ v


def exact_attention(node, given):
    attributes = {attribute.name: attribute.i for attribute in node.attribute}
    causal = attributes.get("is_causal", node.op_type == "GroupQueryAttention")
    operands = {name: x for name, x in given.items() if name not in ("last", "total")}
    if operands["q"].ndim == 4:
        return attention(**operands, causal=causal)
    heads = attributes.get("q_num_heads", attributes.get("num_heads"))
    key_heads = attributes["kv_num_heads"]
    by_head = {name: heads_apart(x, heads if name == "q" else key_heads) for name, x in operands.items()}
    return attention(**by_head, causal=causal).swapaxes(1, 2).reshape(operands["q"].shape)


CASES = {
    "heads": model([1, 2, 40, 32], [1, 2, 512, 32]),
    "causal": model([1, 2, 128, 32], [1, 2, 128, 32], is_causal=1),
    # Parts of the keys that a mask hides from a whole block, and blocks and queries that do not divide.
    "causal_parts": model([1, 2, 256, 32], [1, 2, 256, 32], is_causal=1),
    # Parts of the keys in turn.
    "causal_turns": model([1, 20, 256, 32], [1, 20, 512, 32], is_causal=1),
    # The first query sees no key.
    "hidden_turns": model([1, 32, 256, 32], [1, 32, 512, 32], mask=(TensorProto.BOOL, [256, 512]), element=F16),
    "causal_turns_bf16": model([1, 32, 256, 32], [1, 32, 512, 32], element=BF16, is_causal=1),
    "causal_turns_f16": model([1, 32, 256, 32], [1, 32, 512, 32], element=F16, is_causal=1),
    # Warpgroups of which each block has the parts of the keys in turn.
    "groups_in_turn": model([1, 12, 512, 64], [1, 3, 512, 64], element=F16, is_causal=1),
    "ragged_in_turn": model([1, 48, 100, 64], [1, 48, 512, 64], element=BF16),
    "keys_in_turn": model(["b", 2, "n", 128], ["b", 2, "m", 128], mask=(TensorProto.BOOL, ["n", "m"]), element=F16),
    "mask_in_turn": model([1, 12, 512, 64], [1, 12, 512, 64], mask=(F16, [512, 512]), element=F16),
    "mask_keys_in_turn": model(["b", 2, "n", 64], ["b", 2, "m", 64], mask=(F16, ["b", 1, "n", "m"]), element=F16),
    # Rows of a mask that begin anywhere, though the number of keys is known.
    "mask_odd_in_turn": model([1, 12, 300, 64], [1, 12, 333, 64], mask=(F16, [300, 333]), element=F16),
    "causal_keys_in_turn": model(["b", 2, "n", 128], ["b", 2, "m", 128], element=F16, is_causal=1),
    # Few queries have parts of the keys at the same time, many in turn.
    "queries_in_turn": model([1, 24, "n", 64], [1, 24, "m", 64], element=F16),
    "cache_in_turn": model(["b", 2, "n", 64], ["b", 2, "n", 64], past=["b", 2, "p", 64], element=F16, is_causal=1),
    "causal_f16": model([1, 4, 72, 64], [1, 2, 512, 64], element=F16, is_causal=1),
    # Two groups of warps with rows of their own.
    "groups_of_warps": model([1, 16, 128, 64], [1, 16, 128, 64], element=F16),
    "groups_of_warps_80": model([1, 16, 120, 80], [1, 16, 128, 80], element=F16, is_causal=1),
    # A warpgroup has rows in registers, and a block of the last queries fewer of them.
    "warpgroups": model([1, 16, 100, 64], [1, 16, 128, 64], element=BF16),
    "causal_few": model([1, 2, 40, 32], [1, 2, 512, 32], is_causal=1),
    "causal_before": model([1, 2, 24, 32], [1, 2, 24, 32], past=[1, 2, 104, 32], is_causal=1),
    "two_warps": model([1, 8, 64, 80], [1, 8, 64, 80]),
    "groups": model([2, 8, 1, 64], [2, 2, 512, 64]),
    "groups_f16": model([1, 8, 1, 64], [1, 2, 1024, 64], element=F16),
    "groups_of_queries": model([1, 4, 24, 32], [1, 2, 256, 32], is_causal=1),
    "past": model([1, 8, 1, 64], [1, 2, 1, 64], past=[1, 2, 511, 64]),
    "past_f16": model([1, 8, 1, 64], [1, 2, 1, 64], past=[1, 2, 1023, 64], element=F16),
    "past_causal": model([1, 4, 8, 32], [1, 2, 8, 32], past=[1, 2, 504, 32], is_causal=1),
    "mask": model([1, 2, 16, 32], [1, 2, 512, 32], mask=(F32, [16, 512])),
    "hidden": model([1, 2, 16, 32], [1, 2, 512, 32], mask=(TensorProto.BOOL, [16, 512])),
    "products": products(16, 512, 32),
    "queries": model([1, 2, "n", 32], [1, 2, 512, 32]),
    "lengths": model([1, 4, "n", 32], [1, 2, "m", 32]),
    "keys": model([1, 2, 16, 32], [1, 2, "m", 32]),
    "keys_of_groups": model([2, 8, 1, 64], [2, 2, "m", 64]),
    "keys_f16": model([1, 8, 1, 64], [1, 2, "m", 64], element=F16),
    "keys_mask": model([1, 4, 8, 32], [1, 2, "m", 32], mask=(F32, [8, "m"])),
    "keys_hidden": model([1, 2, 16, 32], [1, 2, "m", 32], mask=(TensorProto.BOOL, [16, "m"])),
    "cache": model([1, 8, 1, 64], [1, 2, 1, 64], past=[1, 2, "p", 64]),
    "cache_f16": model([1, 8, 1, 64], [1, 2, 1, 64], past=[1, 2, "p", 64], element=F16),
    "cache_causal": model([1, 4, 8, 32], [1, 2, 8, 32], past=[1, 2, "p", 32], is_causal=1),
    "cache_query": model([1, 8, 1, 64], [1, 2, 1, 64], past=[1, 2, "p", 64], element=F16, is_causal=1),
    # Heads that share keys, with other sizes that are dynamic.
    "dynamic_groups": model(["b", 8, "n", 64], ["b", 2, "m", 64], element=F16, is_causal=1),
    "dynamic_groups_queries": model([1, 4, "n", 32], [1, 2, 256, 32]),
    "dynamic_groups_cache": model(["b", 8, "n", 64], ["b", 2, "n", 64], past=["b", 2, "p", 64], element=F16, is_causal=1),
    "dynamic_groups_joined": joined(["b", "n", 512], ["b", "m", 128], 8, 2),
    "dynamic_groups_exported": exported(4, 2, 64),
    "dynamic_groups_query": group_query(4, 2, 64),
    "query_f16": model([2, 4, 1, 64], [2, 4, 2048, 64], element=F16),
    "query_mask": model([1, 8, 1, 64], [1, 8, 2048, 64], mask=(F16, [1, 2048]), element=F16),
    "query_hidden": model([1, 8, 1, 64], [1, 8, 2048, 64], mask=(TensorProto.BOOL, [1, 2048]), element=F16),
    "query_keys": model([1, 8, 1, 64], [1, 8, "m", 64], element=F16),
    "query_cache": model([1, 4, 1, 64], [1, 4, 1, 64], past=[1, 4, "p", 64], element=F16),
}
KEYS = [1, 15, 16, 17, 100, 1000, 0]
ARCHES = {"hidden_turns": ":sm_80", "warpgroups": ":sm_90a"} | {name: ":sm_90a" for name in CASES if "in_turn" in name}
SIZES = {
    "dynamic_groups": [{"b": 2, "n": 40, "m": 70}, {"b": 1, "n": 1, "m": 300}, {"b": 1, "n": 3, "m": 0}, {"b": 0, "n": 3, "m": 5}],
    "dynamic_groups_queries": [{"n": 33}, {"n": 0}, {"n": 1}],
    "dynamic_groups_cache": [{"b": 1, "n": 40, "p": 100}, {"b": 2, "n": 1, "p": 129}, {"b": 1, "n": 5, "p": 0}],
    "dynamic_groups_joined": [{"b": 2, "n": 20, "m": 70}, {"b": 1, "n": 0, "m": 3}],
    "dynamic_groups_exported": [{"b": 2, "n": 20, "m": 70}, {"b": 1, "n": 1, "m": 1}],
    "dynamic_groups_query": [{"b": 2, "n": 40}, {"b": 1, "n": 1}],
    "lengths": [{"n": 5, "m": 70}],
    "queries": [{"n": 5}],
    "keys_in_turn": [{"b": 1, "n": 70, "m": 301}, {"b": 2, "n": 66, "m": 77}, {"b": 3, "n": 2, "m": 1}],
    "mask_keys_in_turn": [{"b": 2, "n": 70, "m": 301}, {"b": 1, "n": 129, "m": 127}, {"b": 3, "n": 3, "m": 128}, {"b": 1, "n": 5, "m": 1}, {"b": 1, "n": 2, "m": 0}],
    "causal_keys_in_turn": [{"b": 1, "n": 130, "m": 300}, {"b": 1, "n": 70, "m": 20}],
    "queries_in_turn": [{"n": 255, "m": 70}, {"n": 256, "m": 150}, {"n": 3, "m": 0}, {"n": 300, "m": 1}, {"n": 0, "m": 5}],
    "cache_in_turn": [{"b": 1, "n": 70, "p": 300}, {"b": 2, "n": 130, "p": 0}, {"b": 1, "n": 1, "p": 129}],
}


def sizes(name, made):
    """What the symbols of the model are in each of its runs."""
    symbols = {d.dim_param for info in made.graph.input for d in info.type.tensor_type.shape.dim}
    lengths = [{"m": keys, "p": keys} for keys in KEYS if keys or "p" in symbols]
    return SIZES.get(name, lengths if symbols & {"m", "p"} else [{}])


def values(made, named):
    random = np.random.default_rng(0)
    for info in made.graph.input:
        shape = [named[d.dim_param] if d.dim_param else d.dim_value for d in info.type.tensor_type.shape.dim]
        element = NUMPY.get(info.type.tensor_type.elem_type)
        if info.name in ("last", "total"):
            yield np.full(shape, named["n"] - (info.name == "last"), np.int32)
        elif element is bool:
            # The first query sees nothing, and others none of a part of the keys.
            seen = random.random(shape) < 0.5
            seen[0], seen[1:, :256] = False, False
            yield seen
        else:
            yield random.standard_normal(shape).astype(element)


def main():
    for name, made in CASES.items():
        if not re.search(sys.argv[2], name):
            continue
        path = f"{sys.argv[1]}-{name}"
        onnx.save(made, f"{path}.onnx")
        command = ["onnx-compile", f"{path}.onnx", f"--device=cuda:simulator{ARCHES.get(name, '')}", "-q"]
        text = subprocess.run([*command, "--emit=krnl", "-o", "-"], capture_output=True, text=True, check=True).stdout
        all_kernels = re.findall(r'krnl.kernel "(.+?)" loops .+ recipe (.+)', text)
        kernels = [(kernel, recipe) for kernel, recipe in all_kernels if "MatMul" in kernel]
        subprocess.run([*command, "-o", f"{path}.so"], check=True)
        session, worst = onnx_compile.ExecutionSession(f"{path}.so"), 0
        for named in sizes(name, made):
            given = dict(zip((info.name for info in made.graph.input), values(made, named)))
            found = session.run(list(given.values()))[0]
            exact = exact_products(**given) if name == "products" else exact_attention(made.graph.node[0], given)
            bound = {F16: 4e-3, BF16: 3e-2}.get(made.graph.input[0].type.tensor_type.elem_type, 2e-5)
            error = np.where(np.isnan(exact) & np.isnan(found), 0, np.abs(found - exact)).max(initial=0)
            worst = max(worst, error / bound) if error == error else np.inf
        ways = {"compute_at(": ", keys in turn", ", 5: cache(2, at=n0, in=shared)": ", masks copied", "wgmma(": ", by warpgroups", "by=tma": ", in boxes", "skip_masked(": ", hidden keys skipped"}
        labels = ["".join([kernel, *(way for step, way in ways.items() if step in recipe)]) for kernel, recipe in kernels]
        copied = [kernel for kernel, _ in all_kernels if re.fullmatch("(Mul[+])?(Expand|Transpose)([+](Expand|Transpose|Mul))*", kernel)]
        label = ", ".join(labels + [f"copies by {kernel}" for kernel in copied])
        print(f"{name}: {label}; {'right' if worst <= 1 else f'wrong, {worst:.2g} times the bound'}")


main()
