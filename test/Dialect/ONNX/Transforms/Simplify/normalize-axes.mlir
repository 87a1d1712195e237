// RUN: onnx-opt %s --onnx-simplify=annotate=false --split-input-file | FileCheck %s

// CHECK-LABEL: func @axes
// CHECK-DAG:     %[[ONE:.+]] = onnx.Constant dense<1> : tensor<1xi64>
// CHECK-DAG:     onnx.Softmax{{.*}}axis = 1
// CHECK-DAG:     onnx.ReduceSum({{.*}}) axes(%[[ONE]])
// CHECK-DAG:     onnx.Transpose{{.*}}perm = array<i64: 1, 0>
func.func @axes(%x: tensor<2x3xf32>) -> (none, none, none) {
  %0 = onnx.Softmax(%x) : (tensor<2x3xf32>) -> none
  %axes = onnx.Constant dense<-1> : tensor<1xi64>
  %1 = onnx.ReduceSum(%x) axes(%axes) : (tensor<2x3xf32>, tensor<1xi64>) -> none
  %2 = onnx.Transpose(%x) : (tensor<2x3xf32>) -> none
  return %0, %1, %2 : none, none, none
}

// -----

// CHECK-LABEL: func @unknown_rank
// CHECK:         onnx.Softmax
// CHECK-NOT:     axis
func.func @unknown_rank(%x: tensor<*xf32>) -> none {
  %0 = onnx.Softmax(%x) : (tensor<*xf32>) -> none
  return %0 : none
}

// -----

// OneHot counts from the end of its result, which has one dimension more than
// its indices; so does Unsqueeze.
// CHECK-LABEL: func @axes_of_results
// CHECK-DAG:     %[[AXES:.+]] = onnx.Constant dense<[3, 1]> : tensor<2xi64>
// CHECK-DAG:     onnx.OneHot{{.*}}axis = 1 : i64
// CHECK-DAG:     onnx.Unsqueeze(%{{.+}}, %[[AXES]])
func.func @axes_of_results(%i: tensor<4xi64>, %x: tensor<?x?xf32>, %depth: tensor<i64>, %values: tensor<2xf32>)
    -> (none, none) {
  %0 = onnx.OneHot(%i, %depth, %values) : (tensor<4xi64>, tensor<i64>, tensor<2xf32>) -> none
  %axes = onnx.Constant dense<[-1, -3]> : tensor<2xi64>
  %1 = onnx.Unsqueeze(%x, %axes) : (tensor<?x?xf32>, tensor<2xi64>) -> none
  return %0, %1 : none, none
}

// -----

// The type of the list of axes is kept.
// CHECK-LABEL: func @axes_of_32_bits
// CHECK:         onnx.Constant dense<[1, 0]> : tensor<2xi32>
func.func @axes_of_32_bits(%x: tensor<?x?xf32>, %starts: tensor<2xi32>, %ends: tensor<2xi32>) -> none {
  %axes = onnx.Constant dense<[-1, -2]> : tensor<2xi32>
  %0 = onnx.Slice(%x, %starts, %ends) axes(%axes)
      : (tensor<?x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> none
  return %0 : none
}
