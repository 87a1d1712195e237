// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// The base gives the type; an exponent that all elements share is not a power.
// CHECK-LABEL: func @square
// CHECK:         krnl.kernel "Pow"
// CHECK-NOT:     math.powf
// CHECK:         arith.mulf
func.func @square(%a: tensor<4xf32>) -> tensor<4xf32> {
  %two = onnx.Constant {value = dense<2.0> : tensor<f32>} : tensor<f32>
  %y = onnx.Pow(%a, %two) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func @square_of_halves
// CHECK-NOT:     math.powf
// CHECK:         arith.mulf {{.*}} : f32
func.func @square_of_halves(%a: tensor<4xf16>) -> tensor<4xf16> {
  %two = onnx.Constant {value = dense<2> : tensor<i64>} : tensor<i64>
  %y = onnx.Pow(%a, %two) : (tensor<4xf16>, tensor<i64>) -> tensor<4xf16>
  return %y : tensor<4xf16>
}

// The power of minus infinity is infinite, that of -0 is 0.
// CHECK-LABEL: func @root
// CHECK-NOT:     math.powf
// CHECK:         %[[X:.+]] = arith.addf %[[V:.+]], %{{.+}} : f32
// CHECK-NEXT:    %[[ROOT:.+]] = math.sqrt %[[X]]
// CHECK:         %[[LOW:.+]] = arith.cmpf oeq, %[[V]]
// CHECK:         arith.select %[[LOW]], %{{.+}}, %[[ROOT]]
func.func @root(%a: tensor<4xf32>) -> tensor<4xf32> {
  %half = onnx.Constant {value = dense<0.5> : tensor<f32>} : tensor<f32>
  %y = onnx.Pow(%a, %half) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func @power_of_mixed_types
// CHECK:         arith.sitofp {{.*}} : i64 to f32
// CHECK:         math.powf {{.*}} : f32
func.func @power_of_mixed_types(%a: tensor<4xf32>, %b: tensor<4xi64>) -> tensor<4xf32> {
  %y = onnx.Pow(%a, %b) : (tensor<4xf32>, tensor<4xi64>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
