# ===- deep_branches.py - Branches that give one size, one after another ----===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Prints a function with as many branches as the argument says, and a kernel that reads the last."""

import sys

STEP = """
  %d{0} = tensor.dim %t{0}, %c0 : tensor<?xf32>
  %same{0} = arith.cmpi eq, %d{0}, %d{0} : index
  %t{1} = scf.if %same{0} -> (tensor<?xf32>) {{
    scf.yield %t{0} : tensor<?xf32>
  }} else {{
    %e = tensor.empty(%d{0}) : tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }}"""
KERNEL = """
  %n = tensor.dim %t0, %c0 : tensor<?xf32>
  %o = tensor.empty(%n) : tensor<?xf32>
  %y = krnl.kernel "copy" loops [i = %n] ins(%t{0} : tensor<?xf32>) outs(%o : tensor<?xf32>) {{
  ^bb0(%x: tensor<?xf32>, %out: tensor<?xf32>, %i: index):
    %r = krnl.compute [i] (%p = %x[i]) -> (%q = %out[i]) : (tensor<?xf32>) -> tensor<?xf32> {{
      linalg.yield %p : f32
    }}
    krnl.yield %r : tensor<?xf32>
  }} -> tensor<?xf32>
  return %y : tensor<?xf32>
}}"""

depth = int(sys.argv[1])
print("func.func @deep(%t0: tensor<?xf32>) -> tensor<?xf32> {\n  %c0 = arith.constant 0 : index")
for i in range(depth):
    print(STEP.format(i, i + 1))
print(KERNEL.format(depth))
