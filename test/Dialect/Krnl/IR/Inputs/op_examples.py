# ===- op_examples.py - Examples of krnl ops as functions -------*- Python -*-===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
#   op_examples.py FILE.td...
#
# Writes a function for each op, whose body is the example of its description, and what FileCheck is
# to find in it. Ends with 1 if a description has no example of its op.
# ===------------------------------------------------------------------------===//
import re
import sys
import textwrap

# The types of the names that examples use and do not define, unless an op has others.
TYPES = {
    "n": "index",
    "k": "index",
    "l": "index",
    "i": "index",
    "size": "index",
    "bytes": "index",
    "offset": "index",
    "expected": "index",
    "same": "i1",
    "index": "i64",
    "update": "f32",
    "arena": "!llvm.ptr",
    "memory": "!llvm.ptr",
    "p": "!llvm.ptr",
    "object": "!krnl.obj",
    "x": "tensor<64xf32>",
    "o": "tensor<64xf32>",
    "r": "tensor<64xf32>",
    "row": "tensor<4xf32>",
    "rows": "tensor<?x4xf32>",
    "buffer": "memref<?x4xf32>",
}
OTHERS = {
    "call": {"x": "tensor<?xf32>"},
    "check": {"inside": "i1"},
    "parallel_region": {name: "memref<64xf32>" for name in "xho"},
    "copy_in": {"x": "memref<4xf32>", "d": "memref<4xf32>"},
    "copy_out": {"d": "memref<4xf32>", "y": "memref<4xf32>"},
    "dot": {"acc": "vector<16xi32>", "x": "vector<64xi8>", "w": "vector<64xi8>"},
    "copy_async": {"x": "memref<64x128xf16>", "tile": "memref<4608xf16>", "i": "index", "k": "index", "at": "index", "inside": "i1", "count": "index"},
    "pair_sums": {"x": "vector<32xi8>", "w": "vector<32xi8>"},
    "lookup": {"x": "vector<64xi8>"},
    "load_matrix": {"tile": "memref<576xf16>", "row": "index"},
    "matrix_descriptor": {"tile": "memref<4096xf16>", "at": "index"},
    "wgmma": {"acc": "vector<64xf32>", "a": "i64", "w": "i64"},
    "wgmma_rows": {"acc": "vector<64xf32>", "rows": "vector<8xf16>", "w": "i64"},
    "wgmma_wait": {"x": "vector<64xf32>", "y": "vector<64xf32>"},
    "copy_tensor": {
        "x": "memref<512x512xf16>",
        "tile": "memref<8192xf16>",
        "barriers": "memref<4xi64>",
        "at": "index",
        "stage": "index",
    },
    "barrier_init": {"barriers": "memref<4xi64>"},
    "barrier_expect": {"barriers": "memref<4xi64>", "stage": "index"},
    "barrier_arrive": {"barriers": "memref<4xi64>", "stage": "index"},
    "barrier_wait": {"barriers": "memref<4xi64>", "stage": "index", "parity": "index"},
    "barrier_end": {"barriers": "memref<4xi64>"},
    "load_cluster": {"memory": "memref<8x256xf32>", "row": "index", "column": "index"},
    "mma": {"acc": "vector<4xf32>", "x": "vector<8xf16>", "w": "vector<4xf16>"},
}
# What stands around the examples of ops that are parts of others.
IN_KERNEL = """%kernel = krnl.kernel "k" loops [m = 4, n = 6, k = 8]
    ins(%in0, %in1 : tensor<4x8xf32>, tensor<8x6xf32>) outs(%out : tensor<4x6xf32>) {
^bb0(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %acc: tensor<4x6xf32>):
EXAMPLE
  krnl.yield %y : tensor<4x6xf32>
} -> tensor<4x6xf32>"""
IN_BODY = """%kernel = krnl.kernel "k" loops [i = 64] outs(%out : tensor<64xf32>) {
^bb0(%o: tensor<64xf32>):
  %r = krnl.compute [i] () -> (%e = %o[i]) : () -> tensor<64xf32> {
    linalg.yield %e : f32
  }
EXAMPLE
} -> tensor<64xf32>"""
IN_INTERMEDIATE = """%kernel = krnl.kernel "k" loops [m = %size, n = 8]
    ins(%in0 : tensor<?x8xf32>) outs(%out : tensor<?x8xf32>) {
^bb0(%x: tensor<?x8xf32>, %o: tensor<?x8xf32>, %extent: index):
EXAMPLE
  %r = krnl.compute [m, n] (%a = %s[m, n]) -> (%b = %o[m, n])
      : (tensor<?x8xf32>) -> tensor<?x8xf32> {
    linalg.yield %a : f32
  }
  krnl.yield %r : tensor<?x8xf32>
} -> tensor<?x8xf32>"""
IN_COUNT = """%kernel = krnl.kernel "k" loops [n = 64] outs(%out : tensor<64xf32>) {
^bb0(%o: tensor<64xf32>):
  %r = krnl.compute [n] () -> (%e = %o[n]) : () -> tensor<64xf32> {
EXAMPLE
    linalg.yield %e : f32
  }
  krnl.yield %r : tensor<64xf32>
} -> tensor<64xf32>"""
IN_INDEX = IN_COUNT.replace("EXAMPLE", "    %i = krnl.index n\n    %size = arith.constant 5 : index\nEXAMPLE")
IN_PAYLOAD = """%kernel = krnl.kernel "k" loops [i = 3, j = 6]
    ins(%in0, %in1 : tensor<3xi64>, tensor<3x6xf32>) outs(%out : tensor<9x6xf32>) {
^bb0(%a: tensor<3xi64>, %b: tensor<3x6xf32>, %c: tensor<9x6xf32>):
  %s = krnl.compute [i, j] (%index = %a[i], %update = %b[i, j]) -> (%e = %c[0, j ...])
      : (tensor<3xi64>, tensor<3x6xf32>) -> tensor<9x6xf32> {
EXAMPLE
  }
  krnl.yield %s : tensor<9x6xf32>
} -> tensor<9x6xf32>"""
AROUND = {
    "kernel": ("EXAMPLE", {"x": "tensor<64xf32>", "o": "tensor<64xf32>"}),
    "compute": (IN_KERNEL, {"in0": "tensor<4x8xf32>", "in1": "tensor<8x6xf32>", "out": "tensor<4x6xf32>"}),
    "yield": (IN_BODY, {"out": "tensor<64xf32>"}),
    "temporary": (IN_INTERMEDIATE, {"size": "index", "in0": "tensor<?x8xf32>", "out": "tensor<?x8xf32>"}),
    "index": (IN_COUNT, {"out": "tensor<64xf32>"}),
    "wrap_index": (IN_INDEX, {"out": "tensor<64xf32>"}),
    "barrier": ("krnl.parallel_region tiles(%n) {\nEXAMPLE\n}", {"n": "index"}),
}
for part in ("scatter_store", "scatter_load"):
    AROUND[part] = (IN_PAYLOAD, {"in0": "tensor<3xi64>", "in1": "tensor<3x6xf32>", "out": "tensor<9x6xf32>"})
KERNELS = """func.func private @kernel_relu(memref<64xf32>, memref<64xf32>, index, index, memref<256xi8>)
func.func private @kernel_a(memref<64xf32>, memref<64xf32>, index, index)
func.func private @kernel_b(memref<64xf32>, memref<64xf32>, index, index)
"""


def whole(example):
    """The example with all 256 bytes of a table that goes on as it begins: [0, 2, 4, ...]."""

    def table(match):
        first, second = int(match[1]), int(match[2])
        return str([(first + i * (second - first) + 128) % 256 - 128 for i in range(256)])

    return re.sub(r"\[(-?\d+), (-?\d+),[^]]*\.\.\.\]", table, example)


def arguments(op, example):
    """The declared arguments of the function that makes a whole of the example."""
    if op in AROUND:
        types = AROUND[op][1]
    else:
        used = dict.fromkeys(re.findall(r"%(\w+)", example))
        types = {**TYPES, **OTHERS.get(op, {})}
        defined = set(re.findall(r"%(\w+)(?=[^=(]*? = )", example))
        types = {name: types[name] for name in used if name not in defined}
    return ", ".join(f"%{name}: {kind}" for name, kind in types.items())


def main():
    form = re.compile(r'^def Krnl_\w+Op : (?:Krnl_Op<|Op<Krnl_Dialect, )"(\w+)"(.*?)^\}', re.M | re.S)
    ops = [op for path in sys.argv[1:] for op in form.findall(open(path).read())]
    print(KERNELS)
    for name, definition in ops:
        examples = re.findall(r"```mlir\n(.*?)```", definition, re.S)
        example = next((textwrap.dedent(e) for e in examples if f"krnl.{name}" in e), None)
        if example is None:
            sys.exit(f"the description of krnl.{name} has no example of it")
        example = whole(example)
        body = AROUND[name][0].replace("EXAMPLE", example) if name in AROUND else example
        print(f"// CHECK-LABEL: func.func @{name}(")
        print(f"// CHECK: krnl.{name}{{{{([^a-z_]|$)}}}}")
        print(f"func.func @{name}({arguments(name, example)}) {{\n{textwrap.indent(body, '  ')}\n  return\n}}\n")
    print(f"// {len(ops)} ops")


main()
