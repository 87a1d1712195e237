// RUN: onnx-opt %s --convert-onnx-to-krnl --krnl-resolve-sizes --krnl-simplify-host --krnl-fuse=collapse=false --krnl-join-attention | FileCheck %s
//
// Heads that share keys are rows of one product, so that views stand around it: scales of queries become one of the
// scores, and transpositions of queries and results belong to the kernel, as without groups.

module attributes {krnl.target = #krnl.target<tile_threads = 1024, vector_registers = 32, shared_bytes = 101376, core_shared_bytes = 167936, cores = 108, loads_per_cycle = 1, l3_bytes_per_cycle = 47.0, memory_bytes_per_cycle = 13.4, l3 = 41943040, line_bytes = 32, megahertz = 1410, issues_per_cycle = 4, matrix_products = 1024, core_threads = 2048, core_tiles = 32, memory_latency = 450.0, cache_latency = 33.0, launch_nanoseconds = 1500, instructions = {mma_f16_x16 = "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"}>} {

// CHECK-LABEL: func @around
// CHECK:         krnl.kernel "MatMul+Softmax+MatMul+Transpose" loops [b0 = 2, b1 = 2, m0 = 4, m1 = %{{[^,]+}},
// CHECK-NOT:     krnl.kernel
// CHECK:         return
func.func @around(%x: tensor<2x?x8x64xf16>, %k: tensor<2x2x64x512xf16>, %v: tensor<2x2x512x64xf16>) -> tensor<2x?x8x64xf16> {
  %scale = onnx.Constant dense<0.5> : tensor<f16>
  %heads = onnx.Constant dense<[2, 8, -1, 0]> : tensor<4xi64>
  %groups = onnx.Constant dense<[2, 2, -1, 0]> : tensor<4xi64>
  %t = onnx.Transpose(%x) {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x?x8x64xf16>) -> tensor<2x8x?x64xf16>
  %q = onnx.Mul(%t, %scale) : (tensor<2x8x?x64xf16>, tensor<f16>) -> tensor<2x8x?x64xf16>
  %r = onnx.Reshape(%q, %groups) : (tensor<2x8x?x64xf16>, tensor<4xi64>) -> tensor<2x2x?x64xf16>
  %s = onnx.MatMul(%r, %k) : (tensor<2x2x?x64xf16>, tensor<2x2x64x512xf16>) -> tensor<2x2x?x512xf16>
  %h = onnx.Reshape(%s, %heads) : (tensor<2x2x?x512xf16>, tensor<4xi64>) -> tensor<2x8x?x512xf16>
  %p = onnx.Softmax(%h) : (tensor<2x8x?x512xf16>) -> tensor<2x8x?x512xf16>
  %g = onnx.Reshape(%p, %groups) : (tensor<2x8x?x512xf16>, tensor<4xi64>) -> tensor<2x2x?x512xf16>
  %y = onnx.MatMul(%g, %v) : (tensor<2x2x?x512xf16>, tensor<2x2x512x64xf16>) -> tensor<2x2x?x64xf16>
  %o = onnx.Reshape(%y, %heads) : (tensor<2x2x?x64xf16>, tensor<4xi64>) -> tensor<2x8x?x64xf16>
  %z = onnx.Transpose(%o) {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x8x?x64xf16>) -> tensor<2x?x8x64xf16>
  return %z : tensor<2x?x8x64xf16>
}

// So do the products with what the heads beside each other have, after another view.
// CHECK-LABEL: func @further_view
// CHECK:         krnl.kernel "MatMul+Softmax+MatMul+Transpose+Mul" loops [b0 = 2, b1 = 2, m0 = 4, m1 = %{{[^,]+}},
// CHECK-NOT:     krnl.kernel
// CHECK:         return
func.func @further_view(%x: tensor<2x?x8x64xf16>, %k: tensor<2x2x64x512xf16>, %v: tensor<2x2x512x64xf16>, %w: tensor<512xf16>) -> tensor<2x?x512xf16> {
  %scale = onnx.Constant dense<0.5> : tensor<f16>
  %heads = onnx.Constant dense<[2, 8, -1, 0]> : tensor<4xi64>
  %groups = onnx.Constant dense<[2, 2, -1, 0]> : tensor<4xi64>
  %t = onnx.Transpose(%x) {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x?x8x64xf16>) -> tensor<2x8x?x64xf16>
  %q = onnx.Mul(%t, %scale) : (tensor<2x8x?x64xf16>, tensor<f16>) -> tensor<2x8x?x64xf16>
  %r = onnx.Reshape(%q, %groups) : (tensor<2x8x?x64xf16>, tensor<4xi64>) -> tensor<2x2x?x64xf16>
  %s = onnx.MatMul(%r, %k) : (tensor<2x2x?x64xf16>, tensor<2x2x64x512xf16>) -> tensor<2x2x?x512xf16>
  %h = onnx.Reshape(%s, %heads) : (tensor<2x2x?x512xf16>, tensor<4xi64>) -> tensor<2x8x?x512xf16>
  %p = onnx.Softmax(%h) : (tensor<2x8x?x512xf16>) -> tensor<2x8x?x512xf16>
  %g = onnx.Reshape(%p, %groups) : (tensor<2x8x?x512xf16>, tensor<4xi64>) -> tensor<2x2x?x512xf16>
  %y = onnx.MatMul(%g, %v) : (tensor<2x2x?x512xf16>, tensor<2x2x512x64xf16>) -> tensor<2x2x?x64xf16>
  %o = onnx.Reshape(%y, %heads) : (tensor<2x2x?x64xf16>, tensor<4xi64>) -> tensor<2x8x?x64xf16>
  %z = onnx.Transpose(%o) {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x8x?x64xf16>) -> tensor<2x?x8x64xf16>
  %beside = onnx.Constant dense<[2, 0, 512]> : tensor<3xi64>
  %c = onnx.Reshape(%z, %beside) : (tensor<2x?x8x64xf16>, tensor<3xi64>) -> tensor<2x?x512xf16>
  %a = onnx.Mul(%c, %w) : (tensor<2x?x512xf16>, tensor<512xf16>) -> tensor<2x?x512xf16>
  return %a : tensor<2x?x512xf16>
}

// A kernel that runs over more than the results of the product stays, with its view.
// CHECK-LABEL: func @repeated
// CHECK:         krnl.kernel "MatMul+Softmax+MatMul" loops [b1 = 2, m = 256,
// CHECK:         krnl.kernel "Add" loops [d0 = 3, d1 = 8,
func.func @repeated(%q: tensor<1x2x256x64xf16>, %k: tensor<1x2x64x512xf16>, %v: tensor<1x2x512x64xf16>, %m: tensor<3x8x64x64xf16>) -> tensor<3x8x64x64xf16> {
  %heads = onnx.Constant dense<[1, 8, 64, 64]> : tensor<4xi64>
  %s = onnx.MatMul(%q, %k) : (tensor<1x2x256x64xf16>, tensor<1x2x64x512xf16>) -> tensor<1x2x256x512xf16>
  %p = onnx.Softmax(%s) : (tensor<1x2x256x512xf16>) -> tensor<1x2x256x512xf16>
  %y = onnx.MatMul(%p, %v) : (tensor<1x2x256x512xf16>, tensor<1x2x512x64xf16>) -> tensor<1x2x256x64xf16>
  %o = onnx.Reshape(%y, %heads) : (tensor<1x2x256x64xf16>, tensor<4xi64>) -> tensor<1x8x64x64xf16>
  %z = onnx.Add(%o, %m) : (tensor<1x8x64x64xf16>, tensor<3x8x64x64xf16>) -> tensor<3x8x64x64xf16>
  return %z : tensor<3x8x64x64xf16>
}
}
