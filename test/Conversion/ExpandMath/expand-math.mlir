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

// A power of 2 is two factors, so that denormal results have digits.
// CHECK-LABEL: func @two_factors
// CHECK-COUNT-2: arith.shli
// CHECK:         return
func.func @two_factors(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.exp %x : vector<8xf32>
  return %y : vector<8xf32>
}

// One is enough where the smallest results may be 0.
// CHECK-LABEL: func @one_factor
// CHECK:         %[[POWER:.+]] = arith.shli
// CHECK-NEXT:    %[[FACTOR:.+]] = arith.bitcast %[[POWER]]
// CHECK-NEXT:    %[[Y:.+]] = arith.mulf %{{.+}}, %[[FACTOR]]
// CHECK-NEXT:    return %[[Y]]
func.func @one_factor(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.exp %x fastmath<afn> : vector<8xf32>
  return %y : vector<8xf32>
}

// What an upstream polynomial is made from is expanded in turn.
// CHECK-LABEL: func @log1p
// CHECK-NOT:     math.log
func.func @log1p(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.log1p %x : vector<16xf32>
  return %y : vector<16xf32>
}

// A polynomial has the digits of small results; the upstream one divides by a
// logarithm.
// CHECK-LABEL: func @expm1
// CHECK-NOT:     arith.divf
// CHECK-NOT:     arith.cmpf uno
// CHECK:         %[[PART:.+]] = math.fma
// CHECK:         arith.shli
// CHECK:         %[[HALF:.+]] = math.fma
// CHECK-NEXT:    %[[Y:.+]] = arith.addf %[[HALF]], %[[HALF]]
// CHECK-NEXT:    return %[[Y]]
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
