// RUN: onnx-opt %s --convert-onnx-to-krnl -split-input-file -verify-diagnostics | FileCheck %s

// A record for each node: the decision, then its leaves, which lead to
// themselves and hold their weights.
// CHECK-LABEL: func @one_target(
// CHECK:         krnl.constant dense<[1, 1056964608, 4, 8, 0, 1077936128, 4, 4, 0, 1073741824, 8, 8]> : tensor<12xi32>
// CHECK:         krnl.constant dense<0> : tensor<1xi32>
// CHECK:         krnl.kernel "TreeTraversal" loops [tree = 1, row = 16, step = 1]
// CHECK:           krnl.compute [tree, row | step]
// CHECK:             arith.bitcast {{.*}} : i32 to f32
// CHECK:             arith.cmpf ole
// CHECK-NOT:         arith.cmpf
// CHECK:           krnl.yield {{.*}} : tensor<1x16xf32>
// CHECK:         krnl.kernel "TreeScores"
func.func @one_target(%x: tensor<16x2xf32>) -> tensor<16x1xf32> {
  %y = onnx.ml.TreeEnsembleRegressor(%x) {n_targets = 1 : i64, nodes_falsenodeids = array<i64: 2, 0, 0>, nodes_featureids = array<i64: 1, 0, 0>, nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF"], nodes_nodeids = array<i64: 0, 1, 2>, nodes_treeids = array<i64: 0, 0, 0>, nodes_truenodeids = array<i64: 1, 0, 0>, nodes_values = array<f32: 0.5, 0.0, 0.0>, target_ids = array<i64: 0, 0>, target_nodeids = array<i64: 1, 2>, target_treeids = array<i64: 0, 0>, target_weights = array<f32: 2.0, 3.0>} : (tensor<16x2xf32>) -> tensor<16x1xf32>
  return %y : tensor<16x1xf32>
}

// How many rows there are decides at run time what runs side by side.
// CHECK-LABEL: func @any_number_of_rows(
// CHECK:         krnl.check {{.*}} "a tree looks at a feature that the rows do not have"
// CHECK:         scf.if
// CHECK:           krnl.kernel "TreeTraversal"
// CHECK:             arith.cmpf olt
// CHECK:           krnl.yield {{.*}} : tensor<1x?xf64>
// CHECK:         else
// CHECK:           krnl.kernel "TreeTraversal"
// CHECK:           krnl.yield {{.*}} : tensor<?x1xf64>
func.func @any_number_of_rows(%x: tensor<?x?xf64>) -> tensor<?x1xf64> {
  %y = onnx.ml.TreeEnsemble(%x) {leaf_targetids = array<i64: 0, 0>, leaf_weights = dense<[2.0, 3.0]> : tensor<2xf64>, n_targets = 1 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 1>, nodes_modes = dense<1> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf64>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 0>} : (tensor<?x?xf64>) -> tensor<?x1xf64>
  return %y : tensor<?x1xf64>
}

// -----

func.func @circle(%x: tensor<16x2xf32>) -> tensor<16x1xf32> {
  // expected-error @below {{TreeEnsembleRegressor is not supported}}
  // expected-note @below {{nodes lead to no leaf}}
  %y = onnx.ml.TreeEnsembleRegressor(%x) {n_targets = 1 : i64, nodes_falsenodeids = array<i64: 0>, nodes_featureids = array<i64: 1>, nodes_modes = ["BRANCH_LEQ"], nodes_nodeids = array<i64: 0>, nodes_treeids = array<i64: 0>, nodes_truenodeids = array<i64: 0>, nodes_values = array<f32: 0.5>} : (tensor<16x2xf32>) -> tensor<16x1xf32>
  return %y : tensor<16x1xf32>
}

// -----

func.func @lists_differ(%x: tensor<16x2xf32>) -> tensor<16x1xf32> {
  // expected-error @below {{TreeEnsembleRegressor is not supported}}
  // expected-note @below {{the lists that describe nodes differ in length}}
  %y = onnx.ml.TreeEnsembleRegressor(%x) {nodes_featureids = array<i64: 1, 2>, nodes_modes = ["LEAF"], nodes_nodeids = array<i64: 0>, nodes_treeids = array<i64: 0>} : (tensor<16x2xf32>) -> tensor<16x1xf32>
  return %y : tensor<16x1xf32>
}
