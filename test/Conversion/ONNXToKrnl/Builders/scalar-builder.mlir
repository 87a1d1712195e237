// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

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

// int4 keeps the low bits and takes a byte, with its sign.
// CHECK-LABEL: func @to_int4
// CHECK:         %[[WIDE:.+]] = arith.fptosi {{.*}} : f32 to i32
// CHECK:         %[[BYTE:.+]] = arith.trunci %[[WIDE]] : i32 to i8
// CHECK:         %[[HIGH:.+]] = arith.shli %[[BYTE]]
// CHECK:         arith.shrsi %[[HIGH]]
func.func @to_int4(%x: tensor<4xf32>) -> tensor<4xi4> {
  %y = onnx.Cast(%x) {to = 22 : i64} : (tensor<4xf32>) -> tensor<4xi4>
  return %y : tensor<4xi4>
}

// Whatever is not zero is true, NaN too.
// CHECK-LABEL: func @to_bool
// CHECK:         arith.cmpf une
func.func @to_bool(%x: tensor<4xf32>) -> tensor<4xi1> {
  %y = onnx.Cast(%x) {to = 9 : i64} : (tensor<4xf32>) -> tensor<4xi1>
  return %y : tensor<4xi1>
}
