// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// The product, its factor and what is added are one kernel.
// CHECK-LABEL: func.func @gemm
// CHECK:         krnl.kernel "Gemm" loops [m = %{{[^],]+}}, n = 8, k = 4]
// CHECK:           krnl.compute [m, n | k] (%{{.+}} = %{{.+}}[m, k], %{{.+}} = %{{.+}}[n, k])
// CHECK:             arith.mulf
// CHECK-NEXT:        arith.addf
// CHECK:             arith.mulf %{{.+}}, %{{.+}} : f32
// CHECK:             arith.mulf %{{.+}}, %{{.+}} : f32
// CHECK-NEXT:        arith.addf
// CHECK:         krnl.yield
func.func @gemm(%a: tensor<?x4xf32>, %b: tensor<8x4xf32>, %c: tensor<8xf32>) -> tensor<?x8xf32> {
  %y = "onnx.Gemm"(%a, %b, %c) {transB = 1 : i64, alpha = 2.0 : f32, beta = 0.5 : f32} : (tensor<?x4xf32>, tensor<8x4xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// Nothing is made of the sum: it is summed up in the result.
// CHECK-LABEL: func.func @nothing_but_products
// CHECK:         krnl.kernel "Gemm" loops [m = 2, n = 8, k = 4]
// CHECK-NOT:       krnl.temporary
// CHECK-COUNT-2:   krnl.compute
// CHECK-NOT:       krnl.compute
// CHECK:         krnl.yield
func.func @nothing_but_products(%a: tensor<4x2xf32>, %b: tensor<4x8xf32>) -> tensor<2x8xf32> {
  %y = "onnx.Gemm"(%a, %b) {transA = 1 : i64} : (tensor<4x2xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// A leading size of 1 is read at 0 for all of the other's.
// CHECK-LABEL: func.func @leading_sizes
// CHECK:         krnl.kernel "MatMul" loops [b0 = 3, b1 = 5, m = 2, n = 8, k = 4]
func.func @leading_sizes(%a: tensor<3x1x2x4xf32>, %b: tensor<5x4x8xf32>) -> tensor<3x5x2x8xf32> {
  %y = "onnx.MatMul"(%a, %b) : (tensor<3x1x2x4xf32>, tensor<5x4x8xf32>) -> tensor<3x5x2x8xf32>
  return %y : tensor<3x5x2x8xf32>
}

// Vectors have neither rows nor columns.
// CHECK-LABEL: func.func @vectors
// CHECK:         krnl.kernel "MatMul" loops [k = 4]
// CHECK:           arith.muli
// CHECK:           krnl.yield %{{.+}} : tensor<i32>
func.func @vectors(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<i32> {
  %y = "onnx.MatMul"(%a, %b) : (tensor<4xi32>, tensor<4xi32>) -> tensor<i32>
  return %y : tensor<i32>
}

// Which of the two repeats depends on the run: it does so on a cold path, and
// the kernel has one stack beside the other. That the operands then have one size is
// not asked for again; the result has it, too.
// CHECK-LABEL: func.func @leading_sizes_of_the_run
// CHECK:         %[[SIZE:.+]] = arith.select
// CHECK-COUNT-2: krnl.check %{{.+}}, "sizes of the operands do not broadcast"
// CHECK-COUNT-2: krnl.kernel "expand"
// CHECK-NOT:     krnl.check
// CHECK:         tensor.empty(%[[SIZE]]) : tensor<?x2x8xf32>
// CHECK:         krnl.kernel "MatMul" loops [b0 = %{{[^],]+}}, m = 2, n = 8, k = 4]
func.func @leading_sizes_of_the_run(%a: tensor<?x2x4xf32>, %b: tensor<?x4x8xf32>) -> tensor<?x2x8xf32> {
  %y = "onnx.MatMul"(%a, %b) : (tensor<?x2x4xf32>, tensor<?x4x8xf32>) -> tensor<?x2x8xf32>
  return %y : tensor<?x2x8xf32>
}
