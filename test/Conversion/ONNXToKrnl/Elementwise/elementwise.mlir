// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// A size of 1 is read at 0 all along the other operand's dimension.
// CHECK-LABEL: func @repeats_size_one
// CHECK:         krnl.kernel "Add" loops [d0 = 4, d1 = 8]
// CHECK:         krnl.compute [d0, d1] {{.*}}[d0, 0]
// CHECK:           arith.addf
func.func @repeats_size_one(%a: tensor<4x8xf32>, %b: tensor<4x1xf32>) -> tensor<4x8xf32> {
  %y = onnx.Add(%a, %b) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Whether a size is 1 or that of the result shows at run time: the cold branch
// expands the operand.
// CHECK-LABEL: func @sizes_known_at_run_time
// CHECK:         krnl.check
// CHECK:         scf.if
// CHECK:           krnl.kernel "expand"
// CHECK:         krnl.kernel "Mul"
func.func @sizes_known_at_run_time(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %y = onnx.Mul(%a, %b) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Unsigned operands are compared as such, and the condition becomes a byte.
// CHECK-LABEL: func @unsigned_less
// CHECK-SAME:    tensor<4xi8>
// CHECK:         %[[C:.+]] = arith.cmpi ult
// CHECK:         arith.extui %[[C]] : i1 to i8
func.func @unsigned_less(%a: tensor<4xui8>, %b: tensor<4xui8>) -> tensor<4xi1> {
  %y = onnx.Less(%a, %b) : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xi1>
  return %y : tensor<4xi1>
}

// f16 is computed in f32 and rounded once.
// CHECK-LABEL: func @half
// CHECK:         arith.extf {{.*}} : f16 to f32
// CHECK:         math.exp {{.*}} : f32
// CHECK:         arith.truncf {{.*}} : f32 to f16
func.func @half(%a: tensor<4xf16>) -> tensor<4xf16> {
  %y = onnx.Exp(%a) : (tensor<4xf16>) -> tensor<4xf16>
  return %y : tensor<4xf16>
}

// The remainder takes the sign of the divisor, and no divisor traps.
// CHECK-LABEL: func @remainder
// CHECK:         %[[SAFE:.+]] = arith.select %{{.+}}, %{{.+}}, %{{.+}} : i32
// CHECK:         %[[REST:.+]] = arith.remsi %{{.+}}, %[[SAFE]]
// CHECK:         arith.addi %[[REST]]
func.func @remainder(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %y = onnx.Mod(%a, %b) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %y : tensor<4xi32>
}

// The base gives the type; an exponent that all elements share is no power.
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

// Selection moves elements as they are stored.
// CHECK-LABEL: func @select
// CHECK-NOT:     arith.extf
// CHECK:         arith.select {{.*}} : f16
func.func @select(%c: tensor<4xi1>, %a: tensor<4xf16>, %b: tensor<4xf16>) -> tensor<4xf16> {
  %y = onnx.Where(%c, %a, %b) : (tensor<4xi1>, tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return %y : tensor<4xf16>
}
