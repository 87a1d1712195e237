// RUN: onnx-opt %s --pass-pipeline='builtin.module(builtin.module(func.func(krnl-expand-math)))' | FileCheck %s

// One instruction multiplies by the power of two where there is one for vectors of
// this size; bits are put together for others, and for other processors.
module @wide attributes {krnl.target = #krnl.target<instructions = {
    scale_f32_x16 = "llvm.x86.avx512.mask.scalef.ps.512", scale_f32_x8 = "llvm.x86.avx512.mask.scalef.ps.256"}>} {
  // CHECK-LABEL: func @scaled
  // CHECK:         llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
  // CHECK:         llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.256"
  // CHECK:         arith.shli {{.+}} : vector<2xi32>
  func.func @scaled(%x: vector<16xf32>, %y: vector<8xf32>, %z: vector<2xf32>)
      -> (vector<16xf32>, vector<8xf32>, vector<2xf32>) {
    %0 = math.exp %x : vector<16xf32>
    %1 = math.exp %y : vector<8xf32>
    %2 = math.exp %z : vector<2xf32>
    return %0, %1, %2 : vector<16xf32>, vector<8xf32>, vector<2xf32>
  }
}
module @narrow attributes {krnl.target = #krnl.target<vector_bytes = 32, instructions = {fma_f32 = "", fma_f64 = ""}>} {
  // Powers that are 0 are not computed, which would be slow. That they are is
  // known from the exponent, before the polynomial.
  // CHECK-LABEL: func @shifted(
  // CHECK-NOT:     llvm.call_intrinsic
  // CHECK:         %[[N:.+]] = arith.subf
  // CHECK:         %[[NONE:.+]] = arith.cmpf olt, %[[N]],
  // CHECK:         %[[P:.+]] = arith.select %[[NONE]],
  // CHECK:         arith.shli {{.+}} : vector<8xi32>
  // CHECK:         arith.mulf %[[P]],
  func.func @shifted(%x: vector<8xf32>) -> vector<8xf32> {
    %0 = math.exp %x : vector<8xf32>
    return %0 : vector<8xf32>
  }
}

// Beside a number of 1 or more an exponential has no powers that take two factors, and none that is 0.
// CHECK-LABEL: func @beside_one(
// CHECK-COUNT-2: arith.cmpf
// CHECK-NOT:     arith.cmpf
// CHECK:         %[[N:.+]] = arith.shli {{.+}} : vector<8xi32>
// CHECK:         %[[POWER:.+]] = arith.bitcast %[[N]]
// CHECK:         %[[E:.+]] = arith.mulf %{{.+}}, %[[POWER]]
// CHECK:         %[[SUM:.+]] = arith.addf %[[E]], %{{.+}}
// CHECK:         return %[[SUM]]
// One that something else reads as well is whole.
// CHECK-LABEL: func @not_only_beside_one(
// CHECK-COUNT-3: arith.cmpf
// CHECK:         %[[HALF:.+]] = arith.mulf
// CHECK:         %[[E:.+]] = arith.mulf %[[HALF]],
// CHECK:         %[[SUM:.+]] = arith.addf %[[E]], %{{.+}}
// CHECK:         return %[[SUM]], %[[E]]
module @sums attributes {krnl.target = #krnl.target<vector_bytes = 32, instructions = {fma_f32 = "", fma_f64 = ""}>} {
  func.func @beside_one(%x: vector<8xf32>) -> vector<8xf32> {
    %one = arith.constant dense<1.0> : vector<8xf32>
    %0 = math.exp %x : vector<8xf32>
    %1 = arith.addf %0, %one : vector<8xf32>
    return %1 : vector<8xf32>
  }
  func.func @not_only_beside_one(%x: vector<8xf32>) -> (vector<8xf32>, vector<8xf32>) {
    %one = arith.constant dense<1.0> : vector<8xf32>
    %0 = math.exp %x : vector<8xf32>
    %1 = arith.addf %0, %one : vector<8xf32>
    return %1, %0 : vector<8xf32>, vector<8xf32>
  }
}

// A device has no libm for functions of f64, nor for quotients of many digits.
// CHECK-LABEL: module @device
// CHECK-NOT:     math.{{atan|asin|acos|powf}}
// CHECK-NOT:     arith.remf
// CHECK:         scf.while
// CHECK:           arith.remui %{{.+}} : vector<2xi64>
// CHECK-NOT:     math.{{atan|asin|acos|powf}}
// CHECK-NOT:     arith.remf
// CHECK:         return
module @device attributes {krnl.target = #krnl.target<triple = "nvptx64-nvidia-cuda", tile_threads = 1024>} {
  func.func @doubles(%x: vector<2xf64>) -> vector<2xf64> {
    %0 = math.atan %x : vector<2xf64>
    %1 = math.asin %0 : vector<2xf64>
    %2 = math.acos %1 : vector<2xf64>
    %3 = math.powf %2, %x : vector<2xf64>
    %4 = arith.remf %3, %x : vector<2xf64>
    return %4 : vector<2xf64>
  }
}

// The range reduction of a sigmoid takes the sign along: nothing reads what is negated.
// CHECK-LABEL: func @sigmoid(
// CHECK-SAME:      %[[X:.+]]: vector<8xf32>)
// CHECK:         arith.negf
// CHECK:         arith.cmpf olt, %{{.+}}, %[[X]]
// CHECK:         %[[ROUNDED:.+]] = math.fma
// CHECK:         %[[COUNTED:.+]] = arith.bitcast %[[ROUNDED]] : vector<8xf32> to vector<8xi32>
// CHECK:         arith.shli %[[COUNTED]],
// CHECK-NOT:     arith.addi
// CHECK:         return
module @negated attributes {krnl.target = #krnl.target<vector_bytes = 32, instructions = {fma_f32 = "", fma_f64 = ""}>} {
  func.func @sigmoid(%x: vector<8xf32>) -> vector<8xf32> {
    %one = arith.constant dense<1.0> : vector<8xf32>
    %0 = arith.negf %x : vector<8xf32>
    %1 = math.exp %0 : vector<8xf32>
    %2 = arith.addf %1, %one : vector<8xf32>
    %3 = arith.divf %one, %2 : vector<8xf32>
    return %3 : vector<8xf32>
  }
}

// Functions of f64 have vectors on processors, too.
// CHECK-LABEL: module @processor
// CHECK-NOT:     math.{{atan|asin|acos|powf|tan}}
// CHECK:         return
module @processor attributes {krnl.target = #krnl.target<vector_bytes = 32, instructions = {fma_f32 = "", fma_f64 = ""}>} {
  func.func @doubles(%x: vector<4xf64>) -> vector<4xf64> {
    %0 = math.atan %x : vector<4xf64>
    %1 = math.asin %0 : vector<4xf64>
    %2 = math.acos %1 : vector<4xf64>
    %3 = math.powf %2, %x : vector<4xf64>
    return %3 : vector<4xf64>
  }
}

// A quotient of polynomials, whose bounds keep NaN.
// CHECK-LABEL: func @hyperbolic_tangent
// CHECK-COUNT-2: arith.select
// CHECK-COUNT-8: math.fma
// CHECK-NOT:     arith.select
// CHECK-NOT:     arith.cmpf uno
// CHECK:         arith.divf
// CHECK-NOT:     arith.select
// CHECK:         return
module @tangents {
  func.func @hyperbolic_tangent(%x: vector<16xf32>) -> vector<16xf32> {
    %0 = math.tanh %x : vector<16xf32>
    return %0 : vector<16xf32>
  }
}

// Two polynomials and one division; NaN goes through the bound, and zero keeps its sign.
// CHECK-LABEL: func @error_function
// CHECK-SAME:      (%[[X:.+]]: vector<16xf32>)
// CHECK:         %[[A:.+]] = math.absf %[[X]]
// CHECK:         %[[SMALL:.+]] = arith.cmpf olt, %[[A]],
// CHECK:         %[[ABOVE:.+]] = arith.cmpf olt, %[[LAST:.+]], %[[A]]
// CHECK:         arith.select %[[ABOVE]], %[[LAST]], %[[A]]
// CHECK:         %[[TAIL:.+]] = arith.divf
// CHECK-NOT:     arith.divf
// CHECK:         %[[NEAR:.+]] = math.fma %[[X]], %{{.+}}, %[[X]]
// CHECK:         %[[FAR:.+]] = math.copysign %{{.+}}, %[[X]]
// CHECK:         arith.select %[[SMALL]], %[[NEAR]], %[[FAR]]
// CHECK-NOT:     arith.select
// CHECK:         return
module @functions {
  func.func @error_function(%x: vector<16xf32>) -> vector<16xf32> {
    %0 = math.erf %x : vector<16xf32>
    return %0 : vector<16xf32>
  }
}
