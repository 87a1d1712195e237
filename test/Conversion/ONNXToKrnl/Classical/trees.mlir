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
