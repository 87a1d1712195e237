// RUN: onnx-opt %s --pass-pipeline='builtin.module(builtin.module(func.func(krnl-expand-math)))' | FileCheck %s
// RUN: onnx-opt %s --pass-pipeline='builtin.module(builtin.module(func.func(krnl-expand-math{strict})))' | FileCheck %s --check-prefix=STRICT

// STRICT:     math.fma
// STRICT-NOT: krnl.cancels

// A multiply-add without an instruction for it would be a call for each lane:
// it is a product and a sum, also in polynomials of the framework (acos).
module @without attributes {krnl.target = #krnl.target<instructions = {round_even = ""}>} {
  // CHECK-LABEL: func @polynomials
  // CHECK-NOT:     math.fma
  // CHECK:         arith.mulf
  // CHECK:         arith.addf
  // CHECK-NOT:     math.fma
  // CHECK:         return
  func.func @polynomials(%x: vector<4xf32>) -> (vector<4xf32>, vector<4xf32>) {
    %a = math.exp %x : vector<4xf32>
    %b = math.acos %x : vector<4xf32>
    return %a, %b : vector<4xf32>, vector<4xf32>
  }
  // Where the sum cancels the product, that of f32 is one of f64.
  // CHECK-LABEL: func @remainder
  // CHECK:         %[[WHOLE:.+]] = math.trunc %{{.+}} : vector<4xf32>
  // CHECK:         %[[MINUS:.+]] = arith.negf %[[WHOLE]]
  // CHECK:         %[[X:.+]] = arith.extf %[[MINUS]] : vector<4xf32> to vector<4xf64>
  // CHECK:         %[[PRODUCT:.+]] = arith.mulf %[[X]], %{{.+}} : vector<4xf64>
  // CHECK:         %[[SUM:.+]] = arith.addf %{{.+}}, %{{.+}} : vector<4xf64>
  // CHECK:         arith.truncf %[[SUM]] : vector<4xf64> to vector<4xf32>
  func.func @remainder(%x: vector<4xf32>, %y: vector<4xf32>) -> vector<4xf32> {
    %a = arith.remf %x, %y : vector<4xf32>
    return %a : vector<4xf32>
  }
  // That of f64 is one of the parts of both factors.
  // CHECK-LABEL: func @remainder_of_f64
  // CHECK:         %[[CUT:.+]] = arith.constant dense<-134217728> : vector<4xi64>
  // CHECK:         arith.andi %{{.+}}, %[[CUT]]
  // CHECK-NOT:     math.fma
  // CHECK:         return
  func.func @remainder_of_f64(%x: vector<4xf64>, %y: vector<4xf64>) -> vector<4xf64> {
    %a = arith.remf %x, %y : vector<4xf64>
    return %a : vector<4xf64>
  }
}
module @with attributes {krnl.target = #krnl.target<instructions = {fma_f32 = ""}>} {
  // CHECK-LABEL: func @fused
  // CHECK-COUNT-4: math.fma %{{.+}} : vector<4xf32>
  // CHECK-NOT:     math.fma %{{.+}} : vector<4xf64>
  // CHECK:         return
  func.func @fused(%x: vector<4xf32>, %y: vector<4xf64>) -> (vector<4xf32>, vector<4xf64>) {
    %a = math.exp %x : vector<4xf32>
    %b = math.exp %y : vector<4xf64>
    return %a, %b : vector<4xf32>, vector<4xf64>
  }
}
