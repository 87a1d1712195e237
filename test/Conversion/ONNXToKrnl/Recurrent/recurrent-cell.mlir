// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Four gates in one product; the input's share of a step is read where the product of all
// steps has it.
// CHECK-LABEL: func.func @lstm
// CHECK:         krnl.kernel "project" loops [t = 7, m = 2, n = 16, k = 3]
// CHECK:         scf.while
// CHECK:           krnl.kernel "recur" loops [m = 2, n = 16, k = 4]
// CHECK:           krnl.kernel "gates" loops [m = 2, n = 4]
// CHECK-COUNT-4:     tensor.extract %{{.+}}[%{{.+}}, %{{.+}}, %{{.+}}] : tensor<7x2x16xf32>
// CHECK:             krnl.yield %{{.+}}, %{{.+}} : tensor<2x4xf32>, tensor<2x4xf32>
func.func @lstm(%x: tensor<7x2x3xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>) -> tensor<1x2x4xf32> {
  %c = onnx.LSTM(%x, %w, %r) {hidden_size = 4 : i64} : (tensor<7x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>) -> Y_c tensor<1x2x4xf32>
  return %c : tensor<1x2x4xf32>
}

// Where the state is reset before its product, a step has two products.
// CHECK-LABEL: func.func @reset_first
// CHECK:         scf.while
// CHECK:           krnl.kernel "recur" loops [m = 2, n = 8, k = 4]
// CHECK:           krnl.kernel "reset" loops [m = 2, n = 4]
// CHECK:           krnl.kernel "recur" loops [m = 2, n = 4, k = 4]
// CHECK:           krnl.kernel "gates"
func.func @reset_first(%x: tensor<7x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>) -> tensor<1x2x4xf32> {
  %h = onnx.GRU(%x, %w, %r) {hidden_size = 4 : i64} : (tensor<7x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>) -> Y_h tensor<1x2x4xf32>
  return %h : tensor<1x2x4xf32>
}

// Known weights of a part of the gates are a constant of their own, which can be packed.
// CHECK-LABEL: func.func @known_weights
// CHECK:         krnl.kernel "project"
// CHECK-NOT:     krnl.kernel "weights"
// CHECK-DAG:     krnl.constant {{.+}} : tensor<2x1xf32>
// CHECK-DAG:     krnl.constant {{.+}} : tensor<1x1xf32>
func.func @known_weights(%x: tensor<7x2x3xf32>, %w: tensor<1x3x3xf32>) -> tensor<1x2x1xf32> {
  %r = onnx.Constant dense<[[[1.0], [2.0], [3.0]]]> : tensor<1x3x1xf32>
  %h = onnx.GRU(%x, %w, %r) {hidden_size = 1 : i64} : (tensor<7x2x3xf32>, tensor<1x3x3xf32>, tensor<1x3x1xf32>) -> Y_h tensor<1x2x1xf32>
  return %h : tensor<1x2x1xf32>
}

// A sequence that has ended keeps its state, and its rows are zero. The loop ends with the
// longest sequence, and rows after it are zero as well.
// CHECK-LABEL: func.func @lengths
// CHECK:         krnl.kernel "longest"
// CHECK:           arith.maxsi
// CHECK:         %[[COUNT:.+]] = arith.minsi %{{.+}}, %[[STEPS:.+]] : index
// CHECK:         scf.while
// CHECK:           arith.cmpi slt, %{{.+}}, %[[COUNT]]
// CHECK:         krnl.kernel "gates"
// CHECK:           %[[ON:.+]] = arith.cmpi slt
// CHECK-COUNT-2:   arith.select %[[ON]]
// CHECK:         krnl.append_row
// CHECK:         krnl.first_rows
// CHECK:         krnl.kernel "rows" loops [t = %[[STEPS]],
// CHECK:           tensor.extract
// CHECK:           %[[INSIDE:.+]] = arith.cmpi sle
// CHECK:           arith.select %[[INSIDE]]
func.func @lengths(%x: tensor<?x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>, %n: tensor<2xi32>) -> tensor<?x1x2x4xf32> {
  %y = onnx.RNN(%x, %w, %r) sequence_lens(%n) {hidden_size = 4 : i64} : (tensor<?x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<2xi32>) -> Y tensor<?x1x2x4xf32>
  return %y : tensor<?x1x2x4xf32>
}

// CHECK-LABEL: func.func @batch_first
// CHECK:         krnl.kernel "project" loops [t = 7, m = 2, n = 4, k = 3]
// CHECK:           krnl.compute [t, m, n | k] (%{{.+}} = %{{.+}}[m, t, k]
func.func @batch_first(%x: tensor<2x7x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) -> tensor<2x1x4xf32> {
  %h = onnx.RNN(%x, %w, %r) {hidden_size = 4 : i64, layout = 1 : i64} : (tensor<2x7x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> Y_h tensor<2x1x4xf32>
  return %h : tensor<2x1x4xf32>
}
