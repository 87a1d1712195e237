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
    largest = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isinf(largest), 0, largest))
    total = weights.sum(axis=-1, keepdims=True)
    # A query that sees no key has zeros.
    return weights / np.where(total == 0, 1, total) @ v


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
    "causal_keys_in_turn": model(["b", 2, "n", 128], ["b", 2, "m", 128], element=F16, is_causal=1),
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
    "query_f16": model([2, 4, 1, 64], [2, 4, 2048, 64], element=F16),
    "query_mask": model([1, 8, 1, 64], [1, 8, 2048, 64], mask=(F16, [1, 2048]), element=F16),
    "query_hidden": model([1, 8, 1, 64], [1, 8, 2048, 64], mask=(TensorProto.BOOL, [1, 2048]), element=F16),
    "query_keys": model([1, 8, 1, 64], [1, 8, "m", 64], element=F16),
    "query_cache": model([1, 4, 1, 64], [1, 4, 1, 64], past=[1, 4, "p", 64], element=F16),
}
KEYS = [1, 15, 16, 17, 100, 1000, 0]
ARCHES = {"hidden_turns": ":sm_80", "warpgroups": ":sm_90a"} | {name: ":sm_90a" for name in CASES if "in_turn" in name}
SIZES = {
    "lengths": [{"n": 5, "m": 70}],
    "queries": [{"n": 5}],
    "keys_in_turn": [{"b": 1, "n": 70, "m": 300}, {"b": 3, "n": 2, "m": 1}],
    "causal_keys_in_turn": [{"b": 1, "n": 130, "m": 300}, {"b": 1, "n": 70, "m": 20}],
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
        shape = [d.dim_value or named[d.dim_param] for d in info.type.tensor_type.shape.dim]
        element = NUMPY[info.type.tensor_type.elem_type]
        if element is bool:
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
            if name == "products":
                exact = exact_products(**given)
            else:
                causal = any(attribute.name == "is_causal" for attribute in made.graph.node[0].attribute)
                exact = attention(**given, causal=causal)
            bound = {F16: 4e-3, BF16: 3e-2}.get(made.graph.input[0].type.tensor_type.elem_type, 2e-5)
            error = np.where(np.isnan(exact) & np.isnan(found), 0, np.abs(found - exact)).max()
            worst = max(worst, error / bound) if error == error else np.inf
        ways = {"compute_at(": ", keys in turn", "wgmma(": ", by warpgroups", "by=tma": ", in boxes", "skip_masked(": ", hidden keys skipped"}
        labels = ["".join([kernel, *(way for step, way in ways.items() if step in recipe)]) for kernel, recipe in kernels]
        label = ", ".join(labels)
        print(f"{name}: {label}; {'right' if worst <= 1 else f'wrong, {worst:.2g} times the bound'}")


main()
