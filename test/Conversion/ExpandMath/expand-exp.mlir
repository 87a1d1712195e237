// RUN: onnx-opt %s --pass-pipeline='builtin.module(func.func(krnl-expand-math))' | FileCheck %s

// A device with an instruction for powers of 2 has no polynomial for e^x, and corrects what the exponent is
// rounded by, where e^x is neither 0 nor infinite.
module @device attributes {krnl.target = #krnl.target<tile_threads = 1024, instructions = {fma_f32 = "", exp2_f32_x16 = "llvm.nvvm.ex2.approx"}>} {
  // CHECK-LABEL: func @exact(
  // CHECK-SAME:      %[[X:.+]]: f32)
  // CHECK:         %[[T:.+]] = arith.mulf %[[X]], %{{.+}} : f32
  // CHECK:         %[[Y:.+]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx"(%[[T]])
  // CHECK:         %[[HIGH:.+]] = math.fma %[[T]], %{{.+}}, %[[X]]
  // CHECK:         %[[R:.+]] = math.fma %[[T]], %{{.+}}, %[[HIGH]]
  // CHECK:         %[[ABOVE:.+]] = arith.cmpf olt, %{{.+}}, %[[X]]
  // CHECK:         %[[BELOW:.+]] = arith.cmpf olt, %[[X]], %{{.+}}
  // CHECK-DAG:     %[[INSIDE:.+]] = arith.andi %[[ABOVE]], %[[BELOW]]
  // CHECK-DAG:     %[[ALL:.+]] = math.fma %[[Y]], %[[R]], %[[Y]]
  // CHECK:         arith.select %[[INSIDE]], %[[ALL]], %[[Y]]
  func.func @exact(%x: f32) -> f32 {
    %0 = math.exp %x : f32
    return %0 : f32
  }
  // What is rounded to 16 bits needs no correction, in no lane.
  // CHECK-LABEL: func @rounded(
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.ex2.approx"
  // CHECK-NOT:     math.fma
  // CHECK:         return
  func.func @rounded(%x: vector<2xf32>) -> vector<2xbf16> {
    %0 = math.exp %x : vector<2xf32>
    %1 = arith.truncf %0 : vector<2xf32> to vector<2xbf16>
    return %1 : vector<2xbf16>
  }
  // CHECK-LABEL: func @half(
  // CHECK:         llvm.call_intrinsic "llvm.nvvm.ex2.approx"
  // CHECK-NOT:     math.fma
  // CHECK:         arith.truncf
  func.func @half(%x: f16) -> f16 {
    %0 = math.exp %x : f16
    return %0 : f16
  }
  // Another use has all digits.
  // CHECK-LABEL: func @both(
  // CHECK:         llvm.call_intrinsic "llvm.nvvm.ex2.approx"
  // CHECK:         math.fma
  func.func @both(%x: f32) -> (f16, f32) {
    %0 = math.exp %x : f32
    %1 = arith.truncf %0 : f32 to f16
    return %1, %0 : f16, f32
  }
}
