# ===- warpgroup_recipes.py - Recipes of the models of warpgroups ----------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Writes recipes by which a model of device_models.py has each form of wgmma: warpgroup_recipes.py MODEL FILE [WAY].

The models are so small that the planner would not choose it. tma: slices are copied by boxes of the tensors; cluster:
by the blocks of a cluster to each other, too; producer: by a warp of its own, over several tiles of a block.
"""

import pathlib
import re
import subprocess
import sys

# Instructions of a warpgroup along the rows, columns of each, warpgroups along rows and columns, steps of a
# slice, stages and groups in flight. The lines of slices have 128, 64 and 32 bytes. All slices of the second
# form are more than any kernel may have without asking for it.
FORMS = {
    "f16": ((1, 128, 2, 1, 4, 1, 0), (2, 64, 1, 2, 2, 4, 1)),
    "bf16": ((1, 32, 1, 1, 1, 4, 1), (1, 16, 1, 1, 8, 2, 0)),
    "ragged": ((1, 64, 2, 1, 2, 4, 1), (1, 128, 1, 1, 4, 3, 1)),
    "tails": ((1, 64, 2, 1, 2, 4, 1), (1, 128, 1, 1, 4, 3, 1)),
    "tf32": ((1, 128, 2, 1, 4, 1, 0), (2, 64, 1, 2, 2, 3, 1)),
    "s8": ((1, 128, 2, 1, 4, 1, 0), (2, 64, 1, 2, 2, 2, 0)),
    "u8": ((1, 32, 1, 1, 1, 2, 0), (1, 16, 1, 1, 4, 3, 1)),
}
# The same with blocks of a cluster along rows or columns: they divide the lines of the slice that they have in
# common, or its blocks of lines.
CLUSTERS = {
    "f16": ((1, 32, 1, 1, 4, 4, 1, "m", 2), (2, 32, 1, 1, 2, 3, 0, "n", 2)),
    "bf16": ((1, 32, 1, 1, 2, 2, 0, "n", 4), (1, 64, 1, 1, 1, 4, 1, "m", 2)),
    "tails": ((1, 32, 1, 1, 2, 3, 1, "n", 4), (1, 32, 1, 1, 4, 2, 0, "m", 2)),
}
# The same with a producer, and so many blocks. These have the same number of tiles or not, of one slice or more.
PRODUCERS = {
    "f16": ((1, 32, 1, 1, 4, 3, 1, "", 1, 3), (1, 32, 1, 1, 8, 2, 0, "", 1, 1)),
    "bf16": ((1, 32, 1, 1, 2, 2, 0, "n", 4, 4), (1, 64, 1, 1, 1, 4, 1, "m", 2, 2)),
    "tails": ((1, 32, 1, 1, 2, 3, 1, "n", 4, 4), (1, 32, 1, 1, 4, 3, 1, "m", 2, 6)),
}
# Products of an instruction.
DEPTHS = {"tf32": 8, "s8": 32, "u8": 32}


def recipe(rows, columns, row_groups, column_groups, steps, stages, in_flight, along="", blocks=1, grid=0):
    tail = ", tail=pad" if element in ("ragged", "tails") else ""
    stages = max(stages, 2) if by_tma else stages
    way = ", by=tma" if by_tma else ""
    depth = DEPTHS.get(element, 16)
    outer = [f"{loop}.o" if loop != along else f"{loop}.q" for loop in "mn"] + [f"{along}.u"] * bool(along)
    inner = "m.v, n.v, m.w, m.g, n.t"
    overlap = f", in_flight={in_flight}" * (in_flight > 0) + ", producer" * (grid > 0)
    lines = [
        "order(m, n, k)",
        f"block(m, {64 * rows * row_groups}{tail}) -> (m.o, m.b)",
        f"block(m.b, {64 * rows}) -> (m.v, m.p)",
        "block(m.p, 64) -> (m.f, m.s)",
        "block(m.s, 16) -> (m.w, m.r)",
        "block(m.r, 8) -> (m.h, m.g)",
        f"block(n, {columns * column_groups}{tail}) -> (n.o, n.b)",
        f"block(n.b, {columns}) -> (n.v, n.p)",
        "block(n.p, 8) -> (n.f, n.s)",
        "block(n.s, 2) -> (n.t, n.c)",
        f"block(k, {depth * steps}{tail}) -> (k.o, k.i)",
        f"block(k.i, {depth}) -> (k.s, k.k)",
        *([f"block({along}.o, {blocks}) -> ({along}.q, {along}.u)"] if along else []),
        f"order({', '.join(outer)}, {inner}, m.f, m.h, n.f, n.c, k.o, k.s, k.k)",
        f"fuse_outer({', '.join(outer)}, {inner})",
        f"parallel({', '.join(outer)})",
        *([f"grid({grid})"] if grid else []),
        *([f"map({along}.u, cluster)"] if along else []),
        *(f"map({loop}, thread)" for loop in ("m.v", "n.v", "m.w", "m.g", "n.t")),
        *(f"unroll({loop}, {n})" for loop, n in (("m.f", rows), ("m.h", 2), ("n.f", columns // 8), ("k.s", steps)) if n > 1),
        "unroll(n.c, 2)" if tail else "vectorize(n.c, 2)",
        f"cache(0, at=k.o, in=shared{way})",
        f"cache(1, at=k.o, in=shared{way})",
        "wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.k)",
        *([f"pipeline(k.o, {stages}{overlap})"] if stages > 1 else []),
    ]
    return " [\n  " + ",\n  ".join(lines) + "\n]"


model, output, *way = sys.argv[1:]
by_tma = way != []
element = pathlib.Path(model).stem.split("_")[1]
compiler = ["onnx-compile", "-q", model, "--device=cuda:sm_90a", "--emit=ptx", *["--tf32"] * (element == "tf32")]
subprocess.run([*compiler, f"--emit-recipes={output}", "-o", "/dev/null"], check=True)
text = pathlib.Path(output).read_text()
forms = iter({"cluster": CLUSTERS, "producer": PRODUCERS}.get("".join(way), FORMS)[element])
text = re.sub(r" \[\n.*?\n\]", lambda _: recipe(*next(forms)), text, flags=re.S)
pathlib.Path(output).write_text(text)
