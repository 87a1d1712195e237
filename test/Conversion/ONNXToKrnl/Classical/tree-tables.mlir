// RUN: onnx-opt %s --convert-onnx-to-krnl -split-input-file -verify-diagnostics | FileCheck %s

func.func @circle(%x: tensor<16x2xf32>) -> tensor<16x1xf32> {
  // expected-error @below {{TreeEnsembleRegressor is not supported}}
  // expected-note @below {{nodes lead to no leaf}}
  %y = onnx.ml.TreeEnsembleRegressor(%x) {n_targets = 1 : i64, nodes_falsenodeids = array<i64: 0>, nodes_featureids = array<i64: 1>, nodes_modes = ["BRANCH_LEQ"], nodes_nodeids = array<i64: 0>, nodes_treeids = array<i64: 0>, nodes_truenodeids = array<i64: 0>, nodes_values = array<f32: 0.5>} : (tensor<16x2xf32>) -> tensor<16x1xf32>
  return %y : tensor<16x1xf32>
}

// -----

// Where all comparisons are strict, splits stay as they are.
// CHECK-LABEL: func @strict(
// CHECK:         krnl.constant dense<[1, 1056964608, 4, 8,
// CHECK:           arith.cmpf olt
func.func @strict(%x: tensor<16x2xf32>) -> tensor<16x1xf32> {
  %y = onnx.ml.TreeEnsembleRegressor(%x) {n_targets = 1 : i64, nodes_featureids = array<i64: 1, 0, 0>, nodes_modes = ["BRANCH_LT", "LEAF", "LEAF"], nodes_truenodeids = array<i64: 1, 0, 0>, nodes_falsenodeids = array<i64: 2, 0, 0>, nodes_values = array<f32: 0.5, 0.0, 0.0>, nodes_nodeids = array<i64: 0, 1, 2>, nodes_treeids = array<i64: 0, 0, 0>, target_ids = array<i64: 0, 0>, target_nodeids = array<i64: 1, 2>, target_treeids = array<i64: 0, 0>, target_weights = array<f32: 2.0, 3.0>} : (tensor<16x2xf32>) -> tensor<16x1xf32>
  return %y : tensor<16x1xf32>
}

// -----

// x < 0.5 or x <= 0.25 in one ensemble: the first is x <= the number below 0.5.
// CHECK-LABEL: func @mixed(
// CHECK:         krnl.constant dense<[1, 1056964607, 8,
// CHECK-NOT:       arith.cmpf olt
// CHECK:           arith.cmpf ole
func.func @mixed(%x: tensor<16x2xf32>) -> tensor<16x1xf32> {
  %y = onnx.ml.TreeEnsembleRegressor(%x) {n_targets = 1 : i64, nodes_featureids = array<i64: 1, 0, 0, 0, 0>, nodes_modes = ["BRANCH_LT", "BRANCH_LEQ", "LEAF", "LEAF", "LEAF"], nodes_truenodeids = array<i64: 1, 2, 0, 0, 0>, nodes_falsenodeids = array<i64: 4, 3, 0, 0, 0>, nodes_values = array<f32: 0.5, 0.25, 0.0, 0.0, 0.0>, nodes_nodeids = array<i64: 0, 1, 2, 3, 4>, nodes_treeids = array<i64: 0, 0, 0, 0, 0>, target_ids = array<i64: 0, 0, 0>, target_nodeids = array<i64: 2, 3, 4>, target_treeids = array<i64: 0, 0, 0>, target_weights = array<f32: 2.0, 3.0, 4.0>} : (tensor<16x2xf32>) -> tensor<16x1xf32>
  return %y : tensor<16x1xf32>
}

// -----

// x == 0.5 takes two decisions: x <= 0.5, and if so x <= the number below it.
// CHECK-LABEL: func @equal(
// CHECK:         krnl.constant dense<[1, 1056964608, {{[0-9]+, [0-9]+}}, 1, 1056964607,
// CHECK:         krnl.kernel "TreeTraversal" loops [tree = 1, row = 16, step = 2]
func.func @equal(%x: tensor<16x2xf32>) -> tensor<16x1xf32> {
  %y = onnx.ml.TreeEnsembleRegressor(%x) {n_targets = 1 : i64, nodes_featureids = array<i64: 1, 0, 0>, nodes_modes = ["BRANCH_EQ", "LEAF", "LEAF"], nodes_truenodeids = array<i64: 1, 0, 0>, nodes_falsenodeids = array<i64: 2, 0, 0>, nodes_values = array<f32: 0.5, 0.0, 0.0>, nodes_nodeids = array<i64: 0, 1, 2>, nodes_treeids = array<i64: 0, 0, 0>, target_ids = array<i64: 0, 0>, target_nodeids = array<i64: 1, 2>, target_treeids = array<i64: 0, 0>, target_weights = array<f32: 2.0, 3.0>} : (tensor<16x2xf32>) -> tensor<16x1xf32>
  return %y : tensor<16x1xf32>
}

// -----

// A missing value (NaN) goes where its node says: a bit of the feature's number.
// CHECK-LABEL: func @missing(
// CHECK:         krnl.kernel "TreeTraversal"
// CHECK:           arith.cmpf ole
// CHECK:           arith.cmpf uno
func.func @missing(%x: tensor<16x2xf32>) -> tensor<16x1xf32> {
  %y = onnx.ml.TreeEnsembleRegressor(%x) {n_targets = 1 : i64, nodes_featureids = array<i64: 1, 0, 0>, nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF"], nodes_truenodeids = array<i64: 1, 0, 0>, nodes_falsenodeids = array<i64: 2, 0, 0>, nodes_values = array<f32: 0.5, 0.0, 0.0>, nodes_nodeids = array<i64: 0, 1, 2>, nodes_treeids = array<i64: 0, 0, 0>, target_ids = array<i64: 0, 0>, target_nodeids = array<i64: 1, 2>, target_treeids = array<i64: 0, 0>, target_weights = array<f32: 2.0, 3.0>, nodes_missing_value_tracks_true = array<i64: 1, 0, 0>} : (tensor<16x2xf32>) -> tensor<16x1xf32>
  return %y : tensor<16x1xf32>
}
