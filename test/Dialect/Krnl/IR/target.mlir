// RUN: onnx-opt %s --verify-roundtrip | FileCheck %s

// Numbers are printed where they are not those of the baseline processor.
// CHECK: module @least attributes {krnl.target = #krnl.target<>}
module @least attributes {krnl.target = #krnl.target<vector_bytes = 16, free_masks = false, fma_latency = 4.0>} {}
// CHECK: module @toy attributes {krnl.target = #krnl.target<family = "toy", triple = "riscv64-linux-gnu", vector_bytes = 32, free_masks = true, pack_cycles = 2.500000e+00, l1 = 16384, instructions = {dot_us_x8 = "llvm.toy.dot"}>}
module @toy attributes {krnl.target = #krnl.target<
    triple = "riscv64-linux-gnu", family = "toy", l1 = 16384, vector_bytes = 32,
    pack_cycles = 2.5, free_masks = true, instructions = {dot_us_x8 = "llvm.toy.dot"}>} {}
