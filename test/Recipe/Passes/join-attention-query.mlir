// RUN: onnx-opt %s --convert-onnx-to-krnl --krnl-resolve-sizes --krnl-simplify-host --krnl-fuse=collapse=false --krnl-join-attention -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: onnx-opt %t.mlir --krnl-fuse | FileCheck %s --check-prefix=FUSED
//
// One query of heads that share no keys is a vector: products have a row once it has a loop.

module attributes {krnl.target = #krnl.target<tile_threads = 1024, vector_registers = 32, shared_bytes = 101376, core_shared_bytes = 167936, cores = 108, loads_per_cycle = 1, l3_bytes_per_cycle = 47.0, memory_bytes_per_cycle = 13.4, l3 = 41943040, line_bytes = 32, megahertz = 1410, issues_per_cycle = 4, matrix_products = 1024, core_threads = 2048, core_tiles = 32, memory_latency = 450.0, cache_latency = 33.0, launch_nanoseconds = 1500, instructions = {mma_f16_x16 = "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"}>} {

// One query has a loop, so that both products have a row.
// CHECK-LABEL: func @one_query
// CHECK:         krnl.kernel "MatMul+Softmax+MatMul parts" loops [query = 1, {{.*}} = 12,{{.*}} attributes {keepUnitLoops}
// CHECK:         krnl.kernel "MatMul+Softmax+MatMul" loops [query = 1,
// CHECK-NOT:     krnl.kernel
// The loop stays where others of one iteration are dropped.
// FUSED-LABEL: func @one_query
// FUSED:         krnl.kernel "MatMul+Softmax+MatMul parts" loops [query = 1,{{.*}} attributes {keepUnitLoops}
func.func @one_query(%q: tensor<12x1x64xf16>, %k: tensor<12x64x4096xf16>, %v: tensor<12x4096x64xf16>) -> tensor<12x1x64xf16> {
  %s = onnx.MatMul(%q, %k) : (tensor<12x1x64xf16>, tensor<12x64x4096xf16>) -> tensor<12x1x4096xf16>
  %p = onnx.Softmax(%s) : (tensor<12x1x4096xf16>) -> tensor<12x1x4096xf16>
  %y = onnx.MatMul(%p, %v) : (tensor<12x1x4096xf16>, tensor<12x4096x64xf16>) -> tensor<12x1x64xf16>
  return %y : tensor<12x1x64xf16>
}

// Kernels that are none of an attention lose it again.
// CHECK-LABEL: func @one_row
// CHECK:         krnl.kernel "Softmax" loops [d0 = 12, d2 = 4096]
// CHECK-NOT:     keepUnitLoops
func.func @one_row(%x: tensor<12x1x4096xf16>) -> tensor<12x1x4096xf16> {
  %y = onnx.Softmax(%x) : (tensor<12x1x4096xf16>) -> tensor<12x1x4096xf16>
  return %y : tensor<12x1x4096xf16>
}
}
