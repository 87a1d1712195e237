// RUN: onnx-opt %s --onnx-simplify="annotate=false for-compilation" --split-input-file | FileCheck %s
// RUN: onnx-opt %s --onnx-simplify=annotate=false --split-input-file | FileCheck %s --check-prefix=MODEL

// A model that is written back keeps its operators.
// MODEL-LABEL: func @more_operands_than_a_kernel_reads
// MODEL-COUNT-1: onnx.Sum
// MODEL-NOT:   onnx.Sum

// 34 operands: 32, and what is left with the first sum in front, so that numbers
// are added up in the order of the model.
// CHECK-LABEL: func @more_operands_than_a_kernel_reads
// CHECK:         %[[SUM:.+]] = onnx.Sum(%arg0, %arg1, {{(%arg[01], ){29}%arg[01]\)}} : ({{.*}}) -> tensor<?x4xf32>
// CHECK-NEXT:    %[[ALL:.+]] = onnx.Sum(%[[SUM]], %arg0, %arg1) : {{.*}} -> tensor<?x4xf32>
// CHECK-NEXT:    return %[[ALL]]
func.func @more_operands_than_a_kernel_reads(%a: tensor<?x4xf32>, %b: tensor<4xf32>) -> tensor<?x4xf32> {
  %y = onnx.Sum(%a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b) : (tensor<?x4xf32>, tensor<4xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// CHECK-LABEL: func @few_operands_stay
// CHECK-COUNT-1: onnx.Max
// CHECK-NOT:     onnx.Max
func.func @few_operands_stay(%a: tensor<?x4xf32>, %b: tensor<4xf32>) -> tensor<?x4xf32> {
  %y = onnx.Max(%a, %b, %a, %b) : (tensor<?x4xf32>, tensor<4xf32>, tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// 130 operands: 64, 64 and 2.
// CHECK-LABEL: func @more_operands_than_a_kernel_copies
// CHECK:         %[[A:.+]] = onnx.Concat(%arg0, %arg1, {{(%arg[01], ){61}%arg1\)}} {axis = 1 : i64} : {{.*}} -> tensor<2x?xf32>
// CHECK-NEXT:    %[[C:.+]] = onnx.Concat(%arg0, %arg1) {axis = 1 : i64} : {{.*}} -> tensor<2x?xf32>
// CHECK-NEXT:    %[[ALL:.+]] = onnx.Concat(%[[A]], %[[A]], %[[C]]) {axis = 1 : i64} : {{.*}} -> tensor<2x?xf32>
// CHECK-NEXT:    return %[[ALL]]
// MODEL-LABEL: func @more_operands_than_a_kernel_copies
// MODEL-COUNT-1: onnx.Concat
// MODEL-NOT:   onnx.Concat
func.func @more_operands_than_a_kernel_copies(%a: tensor<2x?xf32>, %b: tensor<2x4xf32>) -> tensor<2x?xf32> {
  %y = onnx.Concat(%a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b) {axis = -1 : i64} : (tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x?xf32>, tensor<2x4xf32>) -> tensor<2x?xf32>
  return %y : tensor<2x?xf32>
}
