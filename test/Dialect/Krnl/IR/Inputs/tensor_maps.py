# ===- tensor_maps.py - A kernel with many copies of boxes ------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Prints a kernel that adds up products of two operands each, all copied by boxes: tensor_maps.py PRODUCTS."""

import sys

COUNT = int(sys.argv[1])
TYPES = ("tensor<64x32xf16>", "tensor<32x32xf16>")
BLOCKS = """block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g),
  block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c)"""
THREADS = """fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o), map(m.w, thread), map(m.g, thread), map(n.t, thread),
  unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2)"""


def each(text, separator=", "):
    """The text once for each product: N is its number, P and Q are those of its operands."""
    filled = (text.replace("N", str(i)).replace("P", str(2 * i)).replace("Q", str(2 * i + 1)) for i in range(COUNT))
    return separator.join(filled)


def arguments(first, second):
    return each(f"%{first}N: {TYPES[0]}, %{second}N: {TYPES[1]}")


def product(number):
    before = f"%r{number - 1}" if number else "%c"
    return f"""    %r{number} = krnl.compute "mm{number}" [m, n | k{number}] (%p = %a{number}[m, k{number}], %q = %b{number}[k{number}, n])
        -> (%s = {before}[m, n]) : ({", ".join(TYPES)}) -> tensor<64x32xf32> {{
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }}"""


STEPS = each(
    "unroll(kN.s, 2), cache(P, at=kN.o, in=shared, by=tma), cache(Q, at=kN.o, in=shared, by=tma), "
    "wgmma(m.w, m.h, m.g, n.f, n.t, n.c, kN.i), pipeline(kN.o, 2)",
    ",\n  ",
)
print(f"""module attributes {{krnl.target = #krnl.target<tile_threads = 1024, shared_bytes = 232448>}} {{
func.func @maps({arguments("x", "w")}, %o: tensor<64x32xf32>) -> tensor<64x32xf32> {{
  %y = krnl.kernel "maps" loops [m = 64, n = 32, {each("kN = 32")}]
      ins({each("%xN, %wN")} : {each(", ".join(TYPES))}) outs(%o : tensor<64x32xf32>)
      recipe [{BLOCKS}, {each("block(kN, 32) -> (kN.o, kN.b), block(kN.b, 16) -> (kN.s, kN.i)")},
  order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, {each("kN.o, kN.s, kN.i")}), {THREADS},
  {STEPS}] {{
  ^bb0({arguments("a", "b")}, %c: tensor<64x32xf32>):
{chr(10).join(map(product, range(COUNT)))}
    krnl.yield %r{COUNT - 1} : tensor<64x32xf32>
  }} -> tensor<64x32xf32>
  return %y : tensor<64x32xf32>
}}
}}""")
