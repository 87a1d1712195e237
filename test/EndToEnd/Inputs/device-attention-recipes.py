# ===- device-attention-recipes.py - Attentions by recipes by hand ---------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Runs attentions on simulated devices by recipes that are written here, beside numpy: device-attention-recipes.py PREFIX.

A block has the parts of the keys in turn, and copies keys and values of the next one during each. Both products are
those of warpgroups, whose weights stay in registers, or those of warps, which share the weights.
"""

import pathlib
import re
import subprocess
import sys

import ml_dtypes
import numpy as np
import onnx
import onnx_compile
from onnx import TensorProto, helper

F16, BF16, BOOL = TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.BOOL
NUMPY = {F16: np.float16, BF16: ml_dtypes.bfloat16}
BOUNDS = {F16: 4e-3, BF16: 3e-2}
# The numbers of queries and keys of the runs: parts have 128 keys.
SIZES = [(70, 300), (64, 128), (1, 1), (3, 129)]


def model(element, size, is_masked):
    """softmax(q * k^T) * v of two heads; a mask says which keys a query sees."""
    inputs = {"q": (element, ["b", 2, "n", size]), **{name: (element, ["b", 2, "m", size]) for name in "kv"}}
    nodes = [("Transpose", ["k"], "t", {"perm": [0, 1, 3, 2]}), ("MatMul", ["q", "t"], "s", {})]
    if is_masked:
        inputs["mask"] = (BOOL, ["n", "m"])
        nodes.append(("Where", ["mask", "s", "none"], "h", {}))
    nodes += [("Softmax", ["h" if is_masked else "s"], "w", {"axis": -1}), ("MatMul", ["w", "v"], "y", {})]
    graph = helper.make_graph(
        [helper.make_node(op, ins, [out], **attributes) for op, ins, out, attributes in nodes],
        "g",
        [helper.make_tensor_value_info(name, *info) for name, info in inputs.items()],
        [helper.make_tensor_value_info("y", element, None)],
        [helper.make_tensor("none", element, [], [-np.inf])] if is_masked else [],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def exact(q, k, v, mask=None):
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    scores = q @ k.swapaxes(2, 3)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    with np.errstate(invalid="ignore"):
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ v


def values(element, size, is_masked, queries, keys):
    """One query is no number. Of the mask, the first one sees nothing, and the last none of the first part."""
    random = np.random.default_rng(0)
    shapes = [[1, 2, queries, size], *[[1, 2, keys, size]] * 2]
    q, k, v = (random.standard_normal(shape).astype(NUMPY[element]) for shape in shapes)
    q = (q.astype(np.float32) / 8).astype(NUMPY[element])
    if queries > 2:
        q[0, 1, 2, 5] = np.nan
    if not is_masked:
        return [q, k, v]
    mask = random.random([queries, keys]) < 0.5
    mask[-1, :128], mask[0] = False, False
    return [q, k, v, mask]


def recipe(planned, keys, size, by_warpgroups):
    """The steps for a kernel, the numbers of whose ops and operands are those of a recipe that was chosen for it."""
    (scores, q), (_, k), (sums, v) = re.findall(r"(\d+): cache\((\d+), at=", planned)[:3]
    batch = re.search(r"fuse_outer\((.+), m\.o\)", planned)[1]
    orders = [number for number, _ in re.findall(r"(\d+): order\((.+)\)", planned)]
    *of_rows, merge = (number for number in orders if number != sums)
    # Of the four warps of a block all have rows of their own, or two.
    warps = 1 if by_warpgroups else 2
    rows = 16 * 4 // warps
    own, both = ("", "") if by_warpgroups else ("n1.w, ", "n_2.w, ")
    columns = [
        step
        for loop, extent in (("n1", keys), ("n_2", size))
        for step in (
            *([f"block({loop}, {extent // 2}) -> ({loop}.w, {loop}.r)"] * (not by_warpgroups)),
            f"block({loop if by_warpgroups else f'{loop}.r'}, 8) -> ({loop}.f, {loop}.q)",
            f"block({loop}.q, 2) -> ({loop}.t, {loop}.c)",
            f"unroll({loop}.f, {extent // warps // 8})",
            f"vectorize({loop}.c, 2)",
        )
    ]
    products = "wgmma(m.w, m.h, m.g, {0}.f, {0}.t, {0}.c, {1})" if by_warpgroups else "mma(m.h, m.g, {0}.t, {0}.c, {1})"
    steps = [
        f"{sums}: block(n1, 16) -> (n1.s, n1.k)",
        f"block(m, {rows}, tail=pad) -> (m.o, m.b)",
        "block(m.b, 16) -> (m.w, m.r)",
        "block(m.r, 8) -> (m.h, m.g)",
        *(step for step in columns if step.startswith("block")),
        "block(k, 16) -> (k.s, k.k)",
        f"order({batch}, m.o, n0, m.w, {own}{both}m.g, n1.t, n_2.t, m.h, n1.f, n_2.f, n1.c, n_2.c, k.s, k.k)",
        *(f"{number}: order(m.w, m.g, m.h, {own}n1.t, n1.f, n1.c)" for number in of_rows),
        f"{sums}: order(m.w, {both}m.g, n_2.t, m.h, n_2.f, n_2.c, n1.s, n1.k)",
        f"{merge}: order(m.w, {both}m.g, n_2.t, m.h, n_2.f, n_2.c, n0)",
        f"fuse_outer({batch}, m.o)",
        f"parallel({batch}, m.o)",
        *(f"map({loop}, thread)" for loop in ("m.g", "n1.t", *["n1.w"] * (not by_warpgroups), "m.w")),
        *(f"map(n_2.{part}, thread, as=n1.{part})" for part in ("t" if by_warpgroups else "wt")),
        *([f"shared({int(sums) - 2})"] * (not by_warpgroups)),
        f"{scores}: cache({q}, at=m.o, in=shared)",
        f"{scores}: cache({k}, at=n0, in=shared)",
        f"{sums}: cache({v}, at=n0, in=shared)",
        "pipeline(n0, 2)",
        "unroll(m.h, 2)",
        *(step for step in columns if not step.startswith("block")),
        *([f"{scores}: unroll(k.s, {size // 16})", f"{sums}: unroll(n1.s, {keys // 16})"] * by_warpgroups),
        "compute_at(n0)",
        f"{scores}: {products.format('n1', 'k.k')}",
        f"{sums}: {products.format('n_2', 'n1.k')}",
    ]
    return " [\n  " + ",\n  ".join(steps) + "\n]"


def run(name, case, device):
    path = f"{sys.argv[1]}-{name}"
    element, size, _ = case
    onnx.save(model(*case), f"{path}.onnx")
    command = ["onnx-compile", f"{path}.onnx", "-q", f"--device=cuda:simulator:{device}"]
    subprocess.run([*command, f"--emit-recipes={path}.recipes", "--emit=krnl", "-o", f"{path}.mlir"], check=True)
    keys = int(re.search(r"n1 = (\d+)", pathlib.Path(f"{path}.mlir").read_text())[1])
    planned = pathlib.Path(f"{path}.recipes").read_text()
    for by_warpgroups in (True, False):
        steps = recipe(planned, keys, size, by_warpgroups)
        pathlib.Path(f"{path}.recipes").write_text(re.sub(r" \[\n.*\n\]", lambda _: steps, planned, flags=re.S))
        subprocess.run([*command, f"--recipes={path}.recipes", "-o", f"{path}.so"], check=True)
        session, worst = onnx_compile.ExecutionSession(f"{path}.so"), 0
        for sizes in SIZES:
            given = values(*case, *sizes)
            expected, found = exact(*given), session.run(given)[0]
            error = np.where(np.isnan(expected) & np.isnan(found), 0, np.abs(found - expected)).max()
            worst = max(worst, error / BOUNDS[element]) if error == error else np.inf
        way = "warpgroups" if by_warpgroups else "warps"
        right = "right" if worst <= 1 else f"wrong, {worst:.2g} times the bound"
        print(f"{name} on {device} by {way}: {right}")


# Slices of parts of 128 columns are larger than the shared memory of sm_80.
run("f16", (F16, 64, False), "sm_90a")
run("f16", (F16, 64, False), "sm_80")
run("bf16_masked", (BF16, 128, True), "sm_90a")
run("bf16_masked", (BF16, 32, True), "sm_80")
