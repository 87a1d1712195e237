// RUN: onnx-opt %s --convert-onnx-to-krnl --krnl-resolve-sizes --krnl-simplify-host --krnl-fuse="attention=true collapse=false" | FileCheck %s
// RUN: onnx-opt %s --convert-onnx-to-krnl --krnl-resolve-sizes --krnl-simplify-host --krnl-fuse="attention=true collapse=false max-ops=9" | FileCheck %s --check-prefix=LIMIT
//
// Heads that share their keys are rows of both products, and heads of their own between them: loops of all kernels
// become those of both, and no view is left between them.

// CHECK-LABEL: func @groups
// CHECK:         %[[Y:.+]] = krnl.kernel "MatMul+Softmax+MatMul" loops [b0 = 2, b1 = 2, m0 = 2, m1 = 512, n = 512, k = 64, n_2 = 64]
// CHECK:           krnl.compute [b0, b1, m0, m1, n | k]
// CHECK-NOT:     krnl.kernel
// CHECK:         %[[V:.+]] = tensor.collapse_shape %[[Y]] {{\[\[}}0], [1], [2, 3], [4]] : tensor<2x2x2x512x64xf32> into tensor<2x2x1024x64xf32>
// CHECK-NEXT:    return %[[V]]
// LIMIT-LABEL: func @groups
// LIMIT:         krnl.kernel "MatMul"
// LIMIT:         krnl.kernel "Softmax"
// LIMIT:         krnl.kernel "MatMul"
// LIMIT-NOT:     krnl.kernel
// LIMIT:         return
func.func @groups(%q: tensor<2x2x1024x64xf32>, %k: tensor<2x2x64x512xf32>, %v: tensor<2x2x512x64xf32>) -> tensor<2x2x1024x64xf32> {
  %heads = onnx.Constant dense<[2, 4, 512, 512]> : tensor<4xi64>
  %groups = onnx.Constant dense<[2, 2, 1024, 512]> : tensor<4xi64>
  %s = onnx.MatMul(%q, %k) : (tensor<2x2x1024x64xf32>, tensor<2x2x64x512xf32>) -> tensor<2x2x1024x512xf32>
  %h = onnx.Reshape(%s, %heads) : (tensor<2x2x1024x512xf32>, tensor<4xi64>) -> tensor<2x4x512x512xf32>
  %p = onnx.Softmax(%h) : (tensor<2x4x512x512xf32>) -> tensor<2x4x512x512xf32>
  %g = onnx.Reshape(%p, %groups) : (tensor<2x4x512x512xf32>, tensor<4xi64>) -> tensor<2x2x1024x512xf32>
  %y = onnx.MatMul(%g, %v) : (tensor<2x2x1024x512xf32>, tensor<2x2x512x64xf32>) -> tensor<2x2x1024x64xf32>
  return %y : tensor<2x2x1024x64xf32>
}

// Heads of other numbers have no dimensions in common: 6 is not a multiple of 4.
// CHECK-LABEL: func @no_parts
// CHECK-COUNT-3: krnl.kernel
func.func @no_parts(%q: tensor<1x4x1536x64xf32>, %k: tensor<1x4x64x512xf32>, %v: tensor<1x4x512x64xf32>) -> tensor<1x4x1536x64xf32> {
  %heads = onnx.Constant dense<[1, 6, 1024, 512]> : tensor<4xi64>
  %groups = onnx.Constant dense<[1, 4, 1536, 512]> : tensor<4xi64>
  %s = onnx.MatMul(%q, %k) : (tensor<1x4x1536x64xf32>, tensor<1x4x64x512xf32>) -> tensor<1x4x1536x512xf32>
  %h = onnx.Reshape(%s, %heads) : (tensor<1x4x1536x512xf32>, tensor<4xi64>) -> tensor<1x6x1024x512xf32>
  %p = onnx.Softmax(%h) : (tensor<1x6x1024x512xf32>) -> tensor<1x6x1024x512xf32>
  %g = onnx.Reshape(%p, %groups) : (tensor<1x6x1024x512xf32>, tensor<4xi64>) -> tensor<1x4x1536x512xf32>
  %y = onnx.MatMul(%g, %v) : (tensor<1x4x1536x512xf32>, tensor<1x4x512x64xf32>) -> tensor<1x4x1536x64xf32>
  return %y : tensor<1x4x1536x64xf32>
}

// A dynamic number of rows of a group is a multiple of that of queries: the product has a loop over the heads of a group
// and one over queries.
// CHECK-LABEL: func @dynamic
// CHECK-DAG:     %[[QUERIES:.+]] = tensor.dim %arg0, %c2{{.*}} : tensor<2x4x?x64xf32>
// CHECK-DAG:     %[[KEYS:.+]] = tensor.dim %arg1, %c3{{.*}} : tensor<2x2x64x?xf32>
// CHECK:         krnl.kernel "MatMul+Softmax+MatMul" loops [b0 = 2, b1 = 2, m0 = 2, m1 = %[[QUERIES]], n = %[[KEYS]], k = 64, n_2 = 64]
// CHECK-NOT:     krnl.kernel
// CHECK:         return
func.func @dynamic(%q: tensor<2x4x?x64xf32>, %k: tensor<2x2x64x?xf32>, %v: tensor<2x2x?x64xf32>) -> tensor<2x4x?x64xf32> {
  %heads = onnx.Constant dense<[2, 4, -1, 0]> : tensor<4xi64>
  %groups = onnx.Constant dense<[2, 2, -1, 0]> : tensor<4xi64>
  %r = onnx.Reshape(%q, %groups) : (tensor<2x4x?x64xf32>, tensor<4xi64>) -> tensor<2x2x?x64xf32>
  %s = onnx.MatMul(%r, %k) : (tensor<2x2x?x64xf32>, tensor<2x2x64x?xf32>) -> tensor<2x2x?x?xf32>
  %h = onnx.Reshape(%s, %heads) : (tensor<2x2x?x?xf32>, tensor<4xi64>) -> tensor<2x4x?x?xf32>
  %p = onnx.Softmax(%h) : (tensor<2x4x?x?xf32>) -> tensor<2x4x?x?xf32>
  %g = onnx.Reshape(%p, %groups) : (tensor<2x4x?x?xf32>, tensor<4xi64>) -> tensor<2x2x?x?xf32>
  %y = onnx.MatMul(%g, %v) : (tensor<2x2x?x?xf32>, tensor<2x2x?x64xf32>) -> tensor<2x2x?x64xf32>
  %o = onnx.Reshape(%y, %heads) : (tensor<2x2x?x64xf32>, tensor<4xi64>) -> tensor<2x4x?x64xf32>
  return %o : tensor<2x4x?x64xf32>
}

// Nothing says that a dynamic number of rows is that of two heads.
// CHECK-LABEL: func @other_rows
// CHECK-COUNT-3: krnl.kernel
func.func @other_rows(%q: tensor<?x2x?x64xf32>, %k: tensor<?x2x64x512xf32>, %v: tensor<?x2x512x64xf32>) -> tensor<?x2x?x64xf32> {
  %heads = onnx.Constant dense<[0, 4, -1, 0]> : tensor<4xi64>
  %groups = onnx.Constant dense<[0, 2, -1, 0]> : tensor<4xi64>
  %s = onnx.MatMul(%q, %k) : (tensor<?x2x?x64xf32>, tensor<?x2x64x512xf32>) -> tensor<?x2x?x512xf32>
  %h = onnx.Reshape(%s, %heads) : (tensor<?x2x?x512xf32>, tensor<4xi64>) -> tensor<?x4x?x512xf32>
  %p = onnx.Softmax(%h) : (tensor<?x4x?x512xf32>) -> tensor<?x4x?x512xf32>
  %g = onnx.Reshape(%p, %groups) : (tensor<?x4x?x512xf32>, tensor<4xi64>) -> tensor<?x2x?x512xf32>
  %y = onnx.MatMul(%g, %v) : (tensor<?x2x?x512xf32>, tensor<?x2x512x64xf32>) -> tensor<?x2x?x64xf32>
  return %y : tensor<?x2x?x64xf32>
}

// The view keeps the mask from becoming a part of the product, and a row of a dynamic length from one of the softmax.
// The masked scores take the place of those of the product.
// CHECK-LABEL: func @masked
// CHECK:         krnl.kernel "MatMul+Add+Softmax+MatMul" loops [b1 = 2, m0 = 2, m1 = %{{[^,]+}}, n = %{{[^,]+}}, k = 64, n_2 = 64]
// CHECK:           %[[SCORES:.+]] = krnl.compute [b1, m0, m1, n | k]
// CHECK:           krnl.compute [b1, m0, m1, n] {{.+}} -> (%{{.+}} = %[[SCORES]][0, b1, m0, m1, n])
// CHECK-NOT:     krnl.kernel
// CHECK:         return
func.func @masked(%q: tensor<1x4x?x64xf32>, %k: tensor<1x2x64x?xf32>, %v: tensor<1x2x?x64xf32>, %m: tensor<1x1xf32>) -> tensor<1x2x?x64xf32> {
  %heads = onnx.Constant dense<[1, 4, -1, 0]> : tensor<4xi64>
  %groups = onnx.Constant dense<[1, 2, -1, 0]> : tensor<4xi64>
  %r = onnx.Reshape(%q, %groups) : (tensor<1x4x?x64xf32>, tensor<4xi64>) -> tensor<1x2x?x64xf32>
  %s = onnx.MatMul(%r, %k) : (tensor<1x2x?x64xf32>, tensor<1x2x64x?xf32>) -> tensor<1x2x?x?xf32>
  %h = onnx.Reshape(%s, %heads) : (tensor<1x2x?x?xf32>, tensor<4xi64>) -> tensor<1x4x?x?xf32>
  %a = onnx.Add(%h, %m) : (tensor<1x4x?x?xf32>, tensor<1x1xf32>) -> tensor<1x4x?x?xf32>
  %p = onnx.Softmax(%a) : (tensor<1x4x?x?xf32>) -> tensor<1x4x?x?xf32>
  %g = onnx.Reshape(%p, %groups) : (tensor<1x4x?x?xf32>, tensor<4xi64>) -> tensor<1x2x?x?xf32>
  %y = onnx.MatMul(%g, %v) : (tensor<1x2x?x?xf32>, tensor<1x2x?x64xf32>) -> tensor<1x2x?x64xf32>
  return %y : tensor<1x2x?x64xf32>
}
