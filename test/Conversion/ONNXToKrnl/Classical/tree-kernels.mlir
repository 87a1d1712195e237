// RUN: onnx-opt %s --convert-onnx-to-krnl -split-input-file -verify-diagnostics | FileCheck %s

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
