// RUN: onnx-opt %s --pass-pipeline='builtin.module(func.func(krnl-expand-math))' | FileCheck %s

// Vectors and scalars take the same polynomial. Comparisons with the bounds are
// false for NaN, which stays.
// CHECK-LABEL: func @exp
// CHECK-NOT:     math.exp
// CHECK:         arith.cmpf olt, %{{.+}}, %arg0 : vector<16xf32>
// CHECK:         math.fma {{.+}} : vector<16xf32>
// CHECK-NOT:     arith.cmpf uno
// CHECK:         math.fma {{.+}} : f32
func.func @exp(%x: vector<16xf32>, %s: f32) -> (vector<16xf32>, f32) {
  %y = math.exp %x : vector<16xf32>
  %t = math.exp %s : f32
  return %y, %t : vector<16xf32>, f32
}

// Those of f64 are polynomials of their own; tangents are left to libm.
// CHECK-LABEL: func @doubles
// CHECK-NOT:     math.exp
// CHECK-NOT:     math.log
// CHECK-NOT:     math.tanh
// CHECK-NOT:     math.erf
// CHECK:         math.tan %{{.+}} : vector<8xf64>
func.func @doubles(%x: vector<8xf64>) -> vector<8xf64> {
  %0 = math.exp %x : vector<8xf64>
  %1 = math.expm1 %0 : vector<8xf64>
  %2 = math.log %1 : vector<8xf64>
  %3 = math.log1p %2 : vector<8xf64>
  %4 = math.tanh %3 : vector<8xf64>
  %5 = math.erf %4 : vector<8xf64>
  %6 = math.tan %5 : vector<8xf64>
  return %6 : vector<8xf64>
}

// Powers are those of 2, in f64; there is none of a negative number to a fraction.
// CHECK-LABEL: func @pow
// CHECK-NOT:     math.powf
// CHECK:         arith.extf %{{.+}} : vector<16xf32> to vector<16xf64>
// CHECK:         math.fma {{.+}} : vector<16xf64>
// CHECK:         arith.truncf %{{.+}} : vector<16xf64> to vector<16xf32>
// CHECK-NOT:     math.powf
// CHECK:         return
func.func @pow(%x: vector<16xf32>, %y: vector<16xf32>) -> vector<16xf32> {
  %z = math.powf %x, %y : vector<16xf32>
  return %z : vector<16xf32>
}

// A polynomial whose bounds lose NaN has a select behind it.
// CHECK-LABEL: func @tanh
// CHECK-NOT:     math.tanh
// CHECK:         %[[NAN:.+]] = arith.cmpf uno, %arg0, %arg0 : vector<16xf32>
// CHECK:         arith.select %[[NAN]], %arg0
func.func @tanh(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.tanh %x : vector<16xf32>
  return %y : vector<16xf32>
}

// What an upstream polynomial is made from is expanded in turn.
// CHECK-LABEL: func @expm1
// CHECK-NOT:     math.exp
func.func @expm1(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.expm1 %x : vector<16xf32>
  return %y : vector<16xf32>
}

// Large angles, infinite ones and NaN go to libm one by one, if there is any.
// CHECK-LABEL: func @sin
// CHECK:         %[[FIT:.+]] = vector.reduction <and>
// CHECK:         scf.if %[[FIT]] -> (vector<16xf32>)
// CHECK-NOT:       math.sin
// CHECK:         } else {
// CHECK:           scf.for
// CHECK:             math.sin %{{.+}} : f32
func.func @sin(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.sin %x : vector<16xf32>
  return %y : vector<16xf32>
}

// What a quotient of few digits leaves is exact; all others are libm's.
// CHECK-LABEL: func @remainder
// CHECK:         %[[QUOTIENT:.+]] = arith.divf
// CHECK:         scf.if {{.+}} -> (vector<16xf32>)
// CHECK:           math.trunc %[[QUOTIENT]]
// CHECK:           math.fma
// CHECK:           math.copysign
// CHECK:         } else {
// CHECK:           scf.for
// CHECK:             arith.remf %{{.+}} : f32
func.func @remainder(%x: vector<16xf32>, %y: vector<16xf32>) -> vector<16xf32> {
  %z = arith.remf %x, %y : vector<16xf32>
  return %z : vector<16xf32>
}

// CHECK-LABEL: func @atan
// CHECK-NOT:     math.atan
// CHECK:         math.copysign
func.func @atan(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.atan %x : vector<16xf32>
  return %y : vector<16xf32>
}

// Vectors of integers are divided as floats that hold them; the least by -1 must
// wrap around.
// CHECK-LABEL: func @divide
// CHECK:         arith.divf %{{.+}}, %{{.+}} : vector<16xf64>
// CHECK-NEXT:    arith.fptosi %{{.+}} : vector<16xf64> to vector<16xi64>
// CHECK-NEXT:    arith.trunci %{{.+}} : vector<16xi64> to vector<16xi32>
// CHECK:         arith.uitofp %{{.+}} : vector<16xi8> to vector<16xf32>
// CHECK:         arith.divf %{{.+}}, %{{.+}} : vector<16xf32>
// CHECK:         arith.subi
// CHECK:         arith.divsi %{{.+}}, %{{.+}} : vector<16xi64>
func.func @divide(%x: vector<16xi32>, %y: vector<16xi8>, %z: vector<16xi64>) -> (vector<16xi32>, vector<16xi8>, vector<16xi64>) {
  %a = arith.divsi %x, %x : vector<16xi32>
  %b = arith.remui %y, %y : vector<16xi8>
  %c = arith.divsi %z, %z : vector<16xi64>
  return %a, %b, %c : vector<16xi32>, vector<16xi8>, vector<16xi64>
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
