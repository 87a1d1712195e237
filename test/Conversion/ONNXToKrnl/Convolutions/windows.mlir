// RUN: onnx-opt %s --convert-onnx-to-krnl --split-input-file | FileCheck %s

// A border that makes up for the window keeps the size, and this is seen: what
// is added to the result later has equal sizes. Sizes are not negative, so that
// the window finds a place in any case.
// CHECK-LABEL: func @same_size
// CHECK-NOT:     krnl.check
// CHECK-DAG:     %[[H:.+]] = tensor.dim %arg0, %c2
// CHECK-DAG:     %[[W:.+]] = tensor.dim %arg0, %c3
// CHECK-NOT:     arith.maxsi
// CHECK:         tensor.empty(%[[H]], %[[W]]) : tensor<1x8x?x?xf32>
// CHECK-NEXT:    krnl.kernel "Conv"
func.func @same_size(%x: tensor<1x4x?x?xf32>, %w: tensor<8x4x3x3xf32>) -> tensor<1x8x?x?xf32> {
  %0 = onnx.Conv(%x, %w) {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x4x?x?xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x?x?xf32>
  return %0 : tensor<1x8x?x?xf32>
}

// -----

// Without a border a small operand has no place for it.
// CHECK-LABEL: func @may_be_too_small
// CHECK:         krnl.check %{{.+}}, "the window is larger than the padded input"
func.func @may_be_too_small(%x: tensor<1x4x?xf32>, %w: tensor<8x4x3xf32>) -> tensor<1x8x?xf32> {
  %0 = onnx.Conv(%x, %w) : (tensor<1x4x?xf32>, tensor<8x4x3xf32>) -> tensor<1x8x?xf32>
  return %0 : tensor<1x8x?xf32>
}

// -----

// Windows that are not rounded up stay within the border that was asked for,
// whatever the sizes are: no copy with a longer one.
// CHECK-LABEL: func @steps_of_two
// CHECK-NOT:     krnl.kernel "pad"
// CHECK:         krnl.kernel "Conv" loops [n = %{{[^],]+}}, oc = 8, o0 = %{{[^],]+}}, o1 = %{{[^],]+}}, ic = 4, k0 = 3, k1 = 3]
func.func @steps_of_two(%x: tensor<?x4x?x?xf32>, %w: tensor<8x4x3x3xf32>) -> tensor<?x8x?x?xf32> {
  %0 = onnx.Conv(%x, %w) {strides = array<i64: 2, 2>} : (tensor<?x4x?x?xf32>, tensor<8x4x3x3xf32>) -> tensor<?x8x?x?xf32>
  return %0 : tensor<?x8x?x?xf32>
}

// -----

// Loops over a window of dynamic size are assumed to be short; others have no limit.
// CHECK-LABEL: func @dynamic_window
// CHECK:         krnl.kernel "Conv" loops [n = 1, oc = 8, o0 = %{{[^ <]+}}, o1 = 9, ic = %{{[^ <]+}}, k0 = %{{[^ <]+}} < 4, k1 = 3]
func.func @dynamic_window(%x: tensor<1x?x11x11xf32>, %w: tensor<8x?x?x3xf32>) -> tensor<1x8x?x9xf32> {
  %0 = onnx.Conv(%x, %w) : (tensor<1x?x11x11xf32>, tensor<8x?x?x3xf32>) -> tensor<1x8x?x9xf32>
  return %0 : tensor<1x8x?x9xf32>
}
