// RUN: onnx-opt %s --onnx-specialize-ranks | FileCheck %s

// What the table says of operands of unknown rank: axes are a list, a bound is a
// number, a slope is broadcast to the data, and Reshape takes data of any rank.

// CHECK-LABEL: func @list
// CHECK:         %[[LIST:.+]] = onnx.Reshape(%arg1, {{.*}} -> tensor<?xi64>
// CHECK:         onnx.ReduceSum(%{{.+}}) axes(%[[LIST]])
func.func @list(%x: tensor<2x3xf32>, %axes: tensor<*xi64>) -> tensor<?x?xf32> {
  %0 = onnx.ReduceSum(%x) axes(%axes) : (tensor<2x3xf32>, tensor<*xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func @number
// CHECK:         %[[MIN:.+]] = onnx.Reshape(%arg1, {{.*}} -> tensor<f32>
// CHECK:         onnx.Clip(%arg0) min(%[[MIN]])
func.func @number(%x: tensor<2x3xf32>, %min: tensor<*xf32>) -> tensor<2x3xf32> {
  %0 = onnx.Clip(%x) min(%min) : (tensor<2x3xf32>, tensor<*xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @broadcast
// CHECK:         %[[SLOPE:.+]] = onnx.Reshape(%arg1, {{.*}} -> tensor<?x?xf32>
// CHECK:         onnx.PRelu(%arg0, %[[SLOPE]])
func.func @broadcast(%x: tensor<2x3xf32>, %slope: tensor<*xf32>) -> tensor<2x3xf32> {
  %0 = onnx.PRelu(%x, %slope) : (tensor<2x3xf32>, tensor<*xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @any
// CHECK-NEXT:    %[[Y:.+]] = onnx.Reshape(%arg0, %arg1) {{.*}}(tensor<*xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @any(%x: tensor<*xf32>, %shape: tensor<2xi64>) -> tensor<?x?xf32> {
  %0 = onnx.Reshape(%x, %shape) : (tensor<*xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
