// RUN: onnx-opt %s --onnx-simplify=for-compilation | FileCheck %s

// Steps round to the state's type: the state is f32, and the results are narrow again.
// CHECK-LABEL: func @recurrent
// CHECK-COUNT-3: onnx.Cast({{.*}} -> tensor<{{.*}}xf32>
// CHECK:       %[[H:.+]] = onnx.RNN({{.*}} tensor<1x2x3xf32>
// CHECK:       onnx.Cast(%[[H]]) {{.*}} -> tensor<1x2x3xf16>
func.func @recurrent(%x: tensor<4x2x3xf16>, %w: tensor<1x3x3xf16>, %r: tensor<1x3x3xf16>) -> tensor<1x2x3xf16> {
  %h = onnx.RNN(%x, %w, %r) {hidden_size = 3 : i64} : (tensor<4x2x3xf16>, tensor<1x3x3xf16>, tensor<1x3x3xf16>) -> Y_h tensor<1x2x3xf16>
  return %h : tensor<1x2x3xf16>
}

// The result has the type of the scale; what both hold is computed with.
// CHECK-LABEL: func @mixed
// CHECK:       %[[S:.+]] = onnx.Cast(%arg1) {{.*}} -> tensor<6xf32>
// CHECK:       %[[Y:.+]] = onnx.RMSNormalization(%arg0, %[[S]])
// CHECK:       onnx.Cast(%[[Y]]) {{.*}} -> tensor<3x6xbf16>
func.func @mixed(%x: tensor<3x6xf32>, %s: tensor<6xbf16>) -> tensor<3x6xbf16> {
  %y = onnx.RMSNormalization(%x, %s) : (tensor<3x6xf32>, tensor<6xbf16>) -> tensor<3x6xbf16>
  return %y : tensor<3x6xbf16>
}

// The body in the library is of f32; nothing is rounded to that.
// CHECK-LABEL: func @double
// CHECK-NOT:   f32
// CHECK:       onnx.Div
func.func @double(%x: tensor<2x3x4x5xf64>) -> tensor<2x3x4x5xf64> {
  %y = onnx.MeanVarianceNormalization(%x) : (tensor<2x3x4x5xf64>) -> tensor<2x3x4x5xf64>
  return %y : tensor<2x3x4x5xf64>
}

// CHECK-LABEL: func @sizes
// CHECK:       %[[WIDE:.+]] = onnx.Cast(%arg1) {{.*}} -> tensor<2xi64>
// CHECK:       onnx.CenterCropPad(%arg0, %[[WIDE]])
func.func @sizes(%x: tensor<3x4xf32>, %s: tensor<2xi32>) -> tensor<?x?xf32> {
  %y = onnx.CenterCropPad(%x, %s) : (tensor<3x4xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
