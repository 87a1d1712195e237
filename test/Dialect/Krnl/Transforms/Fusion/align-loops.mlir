// RUN: onnx-opt %s --convert-onnx-to-krnl --krnl-resolve-sizes --krnl-simplify-host --krnl-fuse=collapse=false --krnl-join-attention | FileCheck %s
//
// Kernels with a view between them get loops along the dimensions of both.

module attributes {krnl.target = #krnl.target<tile_threads = 1024, shared_bytes = 101376, core_shared_bytes = 167936, cores = 108>} {

// Heads that share their keys are rows of both products, and heads of their own between them: a group of four is the
// rows of a block.
// CHECK-LABEL: func @groups
// CHECK:         %[[PARTS:.+]]:3 = krnl.kernel "MatMul+Softmax+MatMul parts" loops [b1 = 8, m = 4, n10 = [[P:[0-9]+]], n11 = {{[0-9]+}}, k = 64, n = 64]
// CHECK:           krnl.compute [n10, b1, m, n11 | k]
// CHECK:           krnl.compute [n10, b1, m | n11]
// CHECK:         krnl.kernel "MatMul+Softmax+MatMul" loops [b1 = 8, m = 4, n = 64, n10 = [[P]]] ins(%[[PARTS]]#0, %[[PARTS]]#1, %[[PARTS]]#2 :
// CHECK-NOT:     krnl.kernel
func.func @groups(%q: tensor<1x8x4x64xf32>, %k: tensor<1x8x64x1024xf32>, %v: tensor<1x8x1024x64xf32>) -> tensor<1x8x4x64xf32> {
  %heads = onnx.Constant dense<[1, 32, 1, 1024]> : tensor<4xi64>
  %groups = onnx.Constant dense<[1, 8, 4, 1024]> : tensor<4xi64>
  %s = onnx.MatMul(%q, %k) : (tensor<1x8x4x64xf32>, tensor<1x8x64x1024xf32>) -> tensor<1x8x4x1024xf32>
  %h = onnx.Reshape(%s, %heads) : (tensor<1x8x4x1024xf32>, tensor<4xi64>) -> tensor<1x32x1x1024xf32>
  %p = onnx.Softmax(%h) : (tensor<1x32x1x1024xf32>) -> tensor<1x32x1x1024xf32>
  %g = onnx.Reshape(%p, %groups) : (tensor<1x32x1x1024xf32>, tensor<4xi64>) -> tensor<1x8x4x1024xf32>
  %y = onnx.MatMul(%g, %v) : (tensor<1x8x4x1024xf32>, tensor<1x8x1024x64xf32>) -> tensor<1x8x4x64xf32>
  return %y : tensor<1x8x4x64xf32>
}

// With several queries a block has those of one head.
// CHECK-LABEL: func @groups_of_queries
// CHECK:         %[[Y:.+]] = krnl.kernel "MatMul+Softmax+MatMul" loops [b1 = 4, m0 = 4, m1 = 64, n = 32, k = 64, n_2 = 64]
// CHECK-NOT:     krnl.kernel
// CHECK:         %[[V:.+]] = tensor.collapse_shape %[[Y]] {{\[\[}}0], [1], [2, 3], [4]] : tensor<1x4x4x64x64xf32> into tensor<1x4x256x64xf32>
// CHECK-NEXT:    return %[[V]]
func.func @groups_of_queries(%q: tensor<1x4x256x64xf32>, %k: tensor<1x4x64x32xf32>, %v: tensor<1x4x32x64xf32>) -> tensor<1x4x256x64xf32> {
  %heads = onnx.Constant dense<[1, 16, 64, 32]> : tensor<4xi64>
  %groups = onnx.Constant dense<[1, 4, 256, 32]> : tensor<4xi64>
  %s = onnx.MatMul(%q, %k) : (tensor<1x4x256x64xf32>, tensor<1x4x64x32xf32>) -> tensor<1x4x256x32xf32>
  %h = onnx.Reshape(%s, %heads) : (tensor<1x4x256x32xf32>, tensor<4xi64>) -> tensor<1x16x64x32xf32>
  %p = onnx.Softmax(%h) : (tensor<1x16x64x32xf32>) -> tensor<1x16x64x32xf32>
  %g = onnx.Reshape(%p, %groups) : (tensor<1x16x64x32xf32>, tensor<4xi64>) -> tensor<1x4x256x32xf32>
  %y = onnx.MatMul(%g, %v) : (tensor<1x4x256x32xf32>, tensor<1x4x32x64xf32>) -> tensor<1x4x256x64xf32>
  return %y : tensor<1x4x256x64xf32>
}

// Heads of other numbers have no dimensions in common: 6 is not a multiple of 4.
// CHECK-LABEL: func @no_parts
// CHECK-COUNT-3: krnl.kernel
func.func @no_parts(%q: tensor<1x4x96x64xf32>, %k: tensor<1x4x64x128xf32>, %v: tensor<1x4x128x64xf32>) -> tensor<1x4x96x64xf32> {
  %heads = onnx.Constant dense<[1, 6, 64, 128]> : tensor<4xi64>
  %groups = onnx.Constant dense<[1, 4, 96, 128]> : tensor<4xi64>
  %s = onnx.MatMul(%q, %k) : (tensor<1x4x96x64xf32>, tensor<1x4x64x128xf32>) -> tensor<1x4x96x128xf32>
  %h = onnx.Reshape(%s, %heads) : (tensor<1x4x96x128xf32>, tensor<4xi64>) -> tensor<1x6x64x128xf32>
  %p = onnx.Softmax(%h) : (tensor<1x6x64x128xf32>) -> tensor<1x6x64x128xf32>
  %g = onnx.Reshape(%p, %groups) : (tensor<1x6x64x128xf32>, tensor<4xi64>) -> tensor<1x4x96x128xf32>
  %y = onnx.MatMul(%g, %v) : (tensor<1x4x96x128xf32>, tensor<1x4x128x64xf32>) -> tensor<1x4x96x64xf32>
  return %y : tensor<1x4x96x64xf32>
}
}
