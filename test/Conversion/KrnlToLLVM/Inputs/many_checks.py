# ===- many_checks.py - Checks of a host function, one after the other ------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Prints a function with as many checks as the argument says."""

import sys

print("func.func @main_graph(%x: memref<?xf32>) {")
print("  %c0 = arith.constant 0 : index")
print("  %n = memref.dim %x, %c0 : memref<?xf32>")
last = "%n"
for i in range(int(sys.argv[1])):
    print(f"  %sum{i} = arith.addi %n, {last} : index")
    print(f"  %ok{i} = arith.cmpi ne, %sum{i}, %n : index")
    print(f'  krnl.check %ok{i}, "size"')
    last = f"%sum{i}"
print("  return\n}")
