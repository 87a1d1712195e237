// RUN: onnx-opt %s --convert-onnx-to-krnl -split-input-file -verify-diagnostics | FileCheck %s

func.func @lists_differ(%x: tensor<16x2xf32>) -> tensor<16x1xf32> {
  // expected-error @below {{TreeEnsembleRegressor is not supported}}
  // expected-note @below {{the lists that describe nodes differ in length}}
  %y = onnx.ml.TreeEnsembleRegressor(%x) {nodes_featureids = array<i64: 1, 2>, nodes_modes = ["LEAF"], nodes_nodeids = array<i64: 0>, nodes_treeids = array<i64: 0>} : (tensor<16x2xf32>) -> tensor<16x1xf32>
  return %y : tensor<16x1xf32>
}

// -----

// Nodes are found by their numbers, whatever they are: the leaf 9 is what is true.
// CHECK-LABEL: func @names(
// CHECK:         krnl.constant dense<[1, 1056964608, 4, 8, 0, 1077936128, 4, 4, 0, 1073741824, 8, 8]> : tensor<12xi32>
func.func @names(%x: tensor<16x2xf32>) -> tensor<16x1xf32> {
  %y = onnx.ml.TreeEnsembleRegressor(%x) {n_targets = 1 : i64, nodes_featureids = array<i64: 1, 0, 0>, nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF"], nodes_truenodeids = array<i64: 9, 0, 0>, nodes_falsenodeids = array<i64: 3, 0, 0>, nodes_values = array<f32: 0.5, 0.0, 0.0>, nodes_nodeids = array<i64: 5, 3, 9>, nodes_treeids = array<i64: 7, 7, 7>, target_ids = array<i64: 0, 0>, target_nodeids = array<i64: 9, 3>, target_treeids = array<i64: 7, 7>, target_weights = array<f32: 2.0, 3.0>} : (tensor<16x2xf32>) -> tensor<16x1xf32>
  return %y : tensor<16x1xf32>
}

// -----

func.func @one_number_for_two(%x: tensor<16x2xf32>) -> tensor<16x1xf32> {
  // expected-error @below {{TreeEnsembleRegressor is not supported}}
  // expected-note @below {{two nodes of a tree have one number}}
  %y = onnx.ml.TreeEnsembleRegressor(%x) {n_targets = 1 : i64, nodes_featureids = array<i64: 1, 0, 0>, nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF"], nodes_truenodeids = array<i64: 1, 0, 0>, nodes_falsenodeids = array<i64: 2, 0, 0>, nodes_values = array<f32: 0.5, 0.0, 0.0>, nodes_nodeids = array<i64: 0, 1, 1>, nodes_treeids = array<i64: 0, 0, 0>, target_ids = array<i64: 0, 0>, target_nodeids = array<i64: 1, 2>, target_treeids = array<i64: 0, 0>, target_weights = array<f32: 2.0, 3.0>} : (tensor<16x2xf32>) -> tensor<16x1xf32>
  return %y : tensor<16x1xf32>
}

// -----

func.func @negative_number(%x: tensor<16x2xf32>) -> tensor<16x1xf32> {
  // expected-error @below {{TreeEnsembleRegressor is not supported}}
  // expected-note @below {{a tree or node has a negative or an excessive number}}
  %y = onnx.ml.TreeEnsembleRegressor(%x) {n_targets = 1 : i64, nodes_featureids = array<i64: 1, 0, 0>, nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF"], nodes_truenodeids = array<i64: 1, 0, 0>, nodes_falsenodeids = array<i64: 2, 0, 0>, nodes_values = array<f32: 0.5, 0.0, 0.0>, nodes_nodeids = array<i64: 0, 1, -2>, nodes_treeids = array<i64: 0, 0, 0>, target_ids = array<i64: 0, 0>, target_nodeids = array<i64: 1, 2>, target_treeids = array<i64: 0, 0>, target_weights = array<f32: 2.0, 3.0>} : (tensor<16x2xf32>) -> tensor<16x1xf32>
  return %y : tensor<16x1xf32>
}

// -----

func.func @unknown_mode(%x: tensor<16x2xf32>) -> tensor<16x1xf32> {
  // expected-error @below {{TreeEnsembleRegressor is not supported}}
  // expected-note @below {{a node has a mode that is not known}}
  %y = onnx.ml.TreeEnsembleRegressor(%x) {n_targets = 1 : i64, nodes_featureids = array<i64: 1, 0, 0>, nodes_modes = ["BRANCH_NEAR", "LEAF", "LEAF"], nodes_truenodeids = array<i64: 1, 0, 0>, nodes_falsenodeids = array<i64: 2, 0, 0>, nodes_values = array<f32: 0.5, 0.0, 0.0>, nodes_nodeids = array<i64: 0, 1, 2>, nodes_treeids = array<i64: 0, 0, 0>, target_ids = array<i64: 0, 0>, target_nodeids = array<i64: 1, 2>, target_treeids = array<i64: 0, 0>, target_weights = array<f32: 2.0, 3.0>} : (tensor<16x2xf32>) -> tensor<16x1xf32>
  return %y : tensor<16x1xf32>
}

// -----

func.func @weight_missing(%x: tensor<16x2xf32>) -> tensor<16x1xf32> {
  // expected-error @below {{TreeEnsembleRegressor is not supported}}
  // expected-note @below {{the lists that describe leaves differ in length}}
  %y = onnx.ml.TreeEnsembleRegressor(%x) {n_targets = 1 : i64, nodes_featureids = array<i64: 1, 0, 0>, nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF"], nodes_truenodeids = array<i64: 1, 0, 0>, nodes_falsenodeids = array<i64: 2, 0, 0>, nodes_values = array<f32: 0.5, 0.0, 0.0>, nodes_nodeids = array<i64: 0, 1, 2>, nodes_treeids = array<i64: 0, 0, 0>, target_ids = array<i64: 0, 0>, target_nodeids = array<i64: 1, 2>, target_treeids = array<i64: 0, 0>, target_weights = array<f32: 2.0>} : (tensor<16x2xf32>) -> tensor<16x1xf32>
  return %y : tensor<16x1xf32>
}

// -----

func.func @modes_differ(%x: tensor<4x2xf64>) -> tensor<4x1xf64> {
  // expected-error @below {{TreeEnsemble is not supported}}
  // expected-note @below {{the lists that describe nodes or leaves differ in length}}
  %y = onnx.ml.TreeEnsemble(%x) {leaf_targetids = array<i64: 0, 0>, leaf_weights = dense<[2.0, 3.0]> : tensor<2xf64>, n_targets = 1 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 1>, nodes_modes = dense<1> : tensor<2xui8>, nodes_splits = dense<0.5> : tensor<1xf64>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 0>} : (tensor<4x2xf64>) -> tensor<4x1xf64>
  return %y : tensor<4x1xf64>
}

// -----

func.func @mode_beyond_the_last(%x: tensor<4x2xf64>) -> tensor<4x1xf64> {
  // expected-error @below {{TreeEnsemble is not supported}}
  // expected-note @below {{a node has a mode that is not known}}
  %y = onnx.ml.TreeEnsemble(%x) {leaf_targetids = array<i64: 0, 0>, leaf_weights = dense<[2.0, 3.0]> : tensor<2xf64>, n_targets = 1 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 1>, nodes_modes = dense<9> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf64>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 0>} : (tensor<4x2xf64>) -> tensor<4x1xf64>
  return %y : tensor<4x1xf64>
}

// -----

func.func @no_root(%x: tensor<4x2xf64>) -> tensor<4x1xf64> {
  // expected-error @below {{TreeEnsemble is not supported}}
  // expected-note @below {{a root is not a node}}
  %y = onnx.ml.TreeEnsemble(%x) {leaf_targetids = array<i64: 0, 0>, leaf_weights = dense<[2.0, 3.0]> : tensor<2xf64>, n_targets = 1 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 1>, nodes_modes = dense<1> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf64>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 3>} : (tensor<4x2xf64>) -> tensor<4x1xf64>
  return %y : tensor<4x1xf64>
}

// -----

func.func @no_members(%x: tensor<4x2xf64>) -> tensor<4x1xf64> {
  // expected-error @below {{TreeEnsemble is not supported}}
  // expected-note @below {{a node of mode BRANCH_MEMBER has no membership_values}}
  %y = onnx.ml.TreeEnsemble(%x) {leaf_targetids = array<i64: 0, 0>, leaf_weights = dense<[2.0, 3.0]> : tensor<2xf64>, n_targets = 1 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 1>, nodes_modes = dense<6> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf64>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 0>} : (tensor<4x2xf64>) -> tensor<4x1xf64>
  return %y : tensor<4x1xf64>
}
