# ===- selects.py - A chain of selects of numbers ---------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Prints a function that takes the maximum of x and the last of COUNT selects: selects.py COUNT"""

import sys


def main():
    print("func.func @chain(%x: f32, %m: i1) -> f32 {")
    print("  %v0 = arith.constant 0.5 : f32")
    for i in range(int(sys.argv[1])):
        print(f"  %k{i} = arith.maxnumf %v{i}, %x : f32")
        print(f"  %v{i + 1} = arith.select %m, %k{i}, %v{i} : f32")
    print(f"  %y = arith.maxnumf %x, %v{sys.argv[1]} : f32")
    print("  return %y : f32\n}")


if __name__ == "__main__":
    main()
