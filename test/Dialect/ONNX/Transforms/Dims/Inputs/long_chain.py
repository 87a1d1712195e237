# ===- long_chain.py - Sums of many tensors of one named size ----------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Prints a function that adds up so many arguments, one after the other."""

import sys

count = int(sys.argv[1])
arguments = ", ".join(f'%x{i}: tensor<?xf32> {{onnx.dims = ["n"], onnx.name = "x{i}"}}' for i in range(count))
print(f"func.func @chain({arguments}) -> tensor<?xf32> {{")
last = "%x0"
for i in range(1, count):
    print(f"  %s{i} = onnx.Add({last}, %x{i}) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>")
    last = f"%s{i}"
print(f"  return {last} : tensor<?xf32>\n}}")
