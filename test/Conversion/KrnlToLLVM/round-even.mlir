// RUN: onnx-opt %s --pass-pipeline='builtin.module(builtin.module(func.func(krnl-expand-math)))' | FileCheck %s

// The library function that rounds to even is newer than those an artefact may
// ask for: where no instruction does it, additions do.
module @with attributes {krnl.target = #krnl.target<instructions = {round_even = ""}>} {
  // CHECK-LABEL: func @kept
  // CHECK:         math.roundeven
  func.func @kept(%x: vector<4xf32>) -> vector<4xf32> {
    %y = math.roundeven %x : vector<4xf32>
    return %y : vector<4xf32>
  }
}
module @without attributes {krnl.target = #krnl.target<instructions = {pairs_x4 = "llvm.x86.sse2.pmadd.wd"}>} {
  // CHECK-LABEL: func @added
  // CHECK-SAME:    (%[[X:.+]]: vector<4xf32>
  // CHECK-NOT:     math.roundeven
  // CHECK-DAG:     %[[ONES:.+]] = arith.constant dense<0x4B000000> : vector<4xf32>
  // CHECK-DAG:     %[[SIZE:.+]] = math.absf %[[X]]
  // CHECK:         %[[UP:.+]] = arith.addf %[[SIZE]], %[[ONES]]
  // CHECK:         %[[WHOLE:.+]] = arith.subf %[[UP]], %[[ONES]]
  // CHECK:         %[[SIGNED:.+]] = math.copysign %[[WHOLE]], %[[X]]
  // CHECK:         %[[SMALL:.+]] = arith.cmpf olt, %[[SIZE]], %[[ONES]]
  // CHECK:         arith.select %[[SMALL]], %[[SIGNED]], %[[X]]
  // CHECK-NOT:     math.roundeven
  func.func @added(%x: vector<4xf32>, %y: f64) -> (vector<4xf32>, f64) {
    %a = math.roundeven %x : vector<4xf32>
    %b = math.roundeven %y : f64
    return %a, %b : vector<4xf32>, f64
  }
}
