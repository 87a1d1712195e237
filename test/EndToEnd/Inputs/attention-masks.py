# ===- attention-masks.py - Attentions whose masks are data -----------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Runs attentions with masks beside numpy, and names the kernels: attention-masks.py PREFIX [OPTION]. OPTION is one of the
compiler. Masks hide all keys of a query, whose scores are NaN in another one."""

import re
import subprocess
import sys

import numpy as np
import onnx
import onnx_compile
from onnx import TensorProto, helper

BOOL, F32, F16 = TensorProto.BOOL, TensorProto.FLOAT, TensorProto.FLOAT16
HEADS, SIZE, CAP = 2, 32, 5.0
NAMED = {"b": 2, "q": 20, "k": 70, "t": 66}


def model(mask=None, element=F32, lengths=False, dynamic=False, **attributes):
    """`mask` is its shape and its type; with `lengths` each batch has its own number of keys."""
    batch, queries, keys = ("b", "q", "k") if dynamic else (NAMED[name] for name in "bqk")
    infos = {"q": (element, [batch, HEADS, queries, SIZE])}
    infos |= {name: (element, [batch, HEADS, keys, SIZE]) for name in "kv"}
    names = ["q", "k", "v"]
    if mask:
        infos["m"] = (mask[1], [size if dynamic else NAMED.get(size, size) for size in mask[0]])
    if lengths:
        infos["n"] = (TensorProto.INT64, [batch])
    names = ["q", "k", "v", "m" if mask else "", "", "", "n" if lengths else ""]
    graph = helper.make_graph(
        [helper.make_node("Attention", names, ["y"], **attributes)],
        "g",
        [helper.make_tensor_value_info(name, *info) for name, info in infos.items()],
        [helper.make_tensor_value_info("y", element, None)],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 24)], ir_version=11)


CASES = {
    "bools": model((["q", "k"], BOOL)),
    "numbers": model((["b", 1, "q", "k"], F32)),
    "numbers_f16": model((["b", HEADS, "q", "k"], F16), element=F16),
    "capped": model((["b", 1, "q", "k"], BOOL), softcap=CAP),
    "causal": model((["q", "k"], BOOL), is_causal=1),
    "lengths": model(lengths=True),
    "lengths_causal": model((["b", 1, "q", "k"], F32), lengths=True, is_causal=1),
    "shorter": model((["q", "t"], BOOL)),
    "dynamic": model((["b", 1, "q", "k"], BOOL), dynamic=True),
    "dynamic_shorter": model((["b", 1, "q", "t"], BOOL), dynamic=True),
    "dynamic_numbers": model((["b", 1, "q", "t"], F32), dynamic=True),
    "dynamic_lengths": model((["b", 1, "q", "k"], F16), element=F16, lengths=True, dynamic=True, is_causal=1),
}


def values(made):
    random = np.random.default_rng(0)
    for info in made.graph.input:
        shape = [d.dim_value or NAMED[d.dim_param] for d in info.type.tensor_type.shape.dim]
        element = helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type)
        if info.name == "n":
            yield np.array([NAMED["k"] - 20, 12], np.int64)
        elif info.name == "m":
            seen = random.random(shape) < 0.7
            # One query sees no key, nor does one of NaN; another one of NaN does.
            seen[..., 3:5, :] = False
            seen[..., 5, 0] = True
            yield seen if element is np.bool_ or element == bool else np.where(
                seen, random.standard_normal(shape), -np.inf
            ).astype(element)
        else:
            numbers = random.standard_normal(shape)
            if info.name == "q":
                numbers[:, :, 4:6] = np.nan
            yield numbers.astype(element)


def exact(node, q, k, v, m=None, n=None):
    attributes = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    scores = q @ k.swapaxes(2, 3) / np.sqrt(SIZE)
    if "softcap" in attributes:
        scores = np.tanh(scores / CAP) * CAP
    hidden = np.zeros(scores.shape, bool)
    if m is not None:
        short = [(0, 0)] * (m.ndim - 1) + [(0, scores.shape[3] - m.shape[-1])]
        bias = np.where(m, 0, -np.inf) if m.dtype == bool else m.astype(np.float64)
        bias = np.pad(bias, short, constant_values=-np.inf)
        scores, hidden = scores + bias, hidden | np.isneginf(bias)
    rows, keys = np.arange(scores.shape[2])[:, None], np.arange(scores.shape[3])
    if n is not None:
        hidden |= keys >= n[:, None, None, None]
        rows = rows + (n - scores.shape[2])[:, None, None, None]
    if "is_causal" in attributes:
        hidden |= keys > rows
    scores = np.where(hidden, -np.inf, scores)
    largest = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isneginf(largest), 0, largest))
    total = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(total == 0, 1, total) @ v


def main():
    for name, made in CASES.items():
        path = f"{sys.argv[1]}-{name}"
        onnx.save(made, f"{path}.onnx")
        command = ["onnx-compile", f"{path}.onnx", "-q", *sys.argv[2:]]
        text = subprocess.run([*command, "--emit=krnl", "-o", "-"], capture_output=True, text=True, check=True).stdout
        kernels = re.findall(r'krnl.kernel "(.+?)" loops', text)
        subprocess.run([*command, "-o", f"{path}.so"], check=True)
        given = dict(zip((info.name for info in made.graph.input), values(made)))
        found = onnx_compile.ExecutionSession(f"{path}.so").run(list(given.values()))[0]
        expected = exact(made.graph.node[0], **given)
        bound = 4e-3 if made.graph.input[0].type.tensor_type.elem_type == F16 else 2e-5
        error = np.where(np.isnan(expected) & np.isnan(found), 0, np.abs(found - expected)).max()
        print(f"{name}: {', '.join(kernels)}; {'right' if error <= bound else f'wrong, {error:.2g}'}")


main()
