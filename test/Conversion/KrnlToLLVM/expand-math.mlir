// RUN: onnx-opt %s --pass-pipeline='builtin.module(func.func(krnl-expand-math))' | FileCheck %s

// Vectors and scalars take the same polynomial, and NaN stays NaN.
// CHECK-LABEL: func @exp
// CHECK-NOT:     math.exp
// CHECK:         math.fma {{.+}} : vector<16xf32>
// CHECK:         %[[NAN:.+]] = arith.cmpf uno, %arg0, %arg0 : vector<16xf32>
// CHECK:         arith.select %[[NAN]], %arg0
// CHECK:         math.fma {{.+}} : f32
func.func @exp(%x: vector<16xf32>, %s: f32) -> (vector<16xf32>, f32) {
  %y = math.exp %x : vector<16xf32>
  %t = math.exp %s : f32
  return %y, %t : vector<16xf32>, f32
}

// The sine's polynomial loses digits for large arguments: libm has it.
// CHECK-LABEL: func @sin
// CHECK:         math.sin
func.func @sin(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.sin %x : vector<16xf32>
  return %y : vector<16xf32>
}

// Half-width values are widened, and rounded after each operation; to bf16 by
// integer arithmetic.
// CHECK-LABEL: func @half
// CHECK:         %[[X:.+]] = arith.extf %arg0 : f16 to f32
// CHECK:         %[[S:.+]] = arith.addf %[[X]], %{{.+}} : f32
// CHECK:         arith.truncf %[[S]] : f32 to f16
// CHECK-NOT:     arith.truncf {{.+}} to bf16
// CHECK:         arith.shrui
// CHECK:         return
func.func @half(%x: f16, %z: f32) -> (f16, bf16) {
  %y = arith.addf %x, %x : f16
  %w = arith.truncf %z : f32 to bf16
  return %y, %w : f16, bf16
}

// CHECK-LABEL: func @floordiv
// CHECK-NOT:     arith.floordivsi
func.func @floordiv(%a: index, %b: index) -> index {
  %c = arith.floordivsi %a, %b : index
  return %c : index
}

// One comparison and a select do for a maximum with a constant: NaN compares
// false and stays. In general the zeros are not told apart.
// CHECK-LABEL: func @maximum
// CHECK-SAME:      (%[[X:.+]]: vector<16xf32>, %[[Y:.+]]: vector<16xf32>)
// CHECK:         %[[ZERO:.+]] = arith.constant dense<0.000000e+00>
// CHECK:         %[[LESS:.+]] = arith.cmpf olt, %[[X]], %[[ZERO]]
// CHECK-NEXT:    %[[RELU:.+]] = arith.select %[[LESS]], %[[ZERO]], %[[X]]
// CHECK-NEXT:    arith.minimumf %[[RELU]], %[[Y]] fastmath<nsz>
func.func @maximum(%x: vector<16xf32>, %y: vector<16xf32>) -> vector<16xf32> {
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %a = arith.maximumf %zero, %x : vector<16xf32>
  %b = arith.minimumf %a, %y : vector<16xf32>
  return %b : vector<16xf32>
}
