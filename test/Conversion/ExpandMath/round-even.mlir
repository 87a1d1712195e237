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
  // Between constants a sum counts ones in its last digits.
  // CHECK-LABEL: func @counted
  // CHECK-DAG:     %[[MIDDLE:.+]] = arith.constant dense<0x4B400000> : vector<4xf32>
  // CHECK-DAG:     %[[BITS:.+]] = arith.constant dense<1262485504> : vector<4xi32>
  // CHECK-DAG:     %[[SUM:.+]] = arith.addf %{{.+}}, %[[MIDDLE]]
  // CHECK-DAG:     %[[COUNT:.+]] = arith.bitcast %[[SUM]] : vector<4xf32> to vector<4xi32>
  // CHECK:         arith.subi %[[COUNT]], %[[BITS]]
  // CHECK-NOT:     arith.fptosi
  // CHECK:         return
  func.func @counted(%x: vector<4xf32>) -> vector<4xi32> {
    %low = arith.constant dense<-128.0> : vector<4xf32>
    %high = arith.constant dense<127.0> : vector<4xf32>
    %0 = arith.cmpf olt, %low, %x : vector<4xf32>
    %1 = arith.select %0, %x, %low : vector<4xi1>, vector<4xf32>
    %2 = arith.cmpf olt, %1, %high : vector<4xf32>
    %3 = arith.select %2, %1, %high : vector<4xi1>, vector<4xf32>
    %4 = math.roundeven %3 : vector<4xf32>
    %5 = arith.fptosi %4 : vector<4xf32> to vector<4xi32>
    return %5 : vector<4xi32>
  }
  // Not where one side is open, or the bounds need more digits than the sum has.
  // CHECK-LABEL: func @not_counted
  // CHECK:         arith.fptosi
  // CHECK:         arith.fptosi
  func.func @not_counted(%x: f32) -> (i32, i32) {
    %low = arith.constant -1.0e7 : f32
    %high = arith.constant 127.0 : f32
    %0 = arith.cmpf olt, %x, %high : f32
    %1 = arith.select %0, %x, %high : f32
    %2 = math.roundeven %1 : f32
    %3 = arith.fptosi %2 : f32 to i32
    %4 = arith.cmpf olt, %low, %1 : f32
    %5 = arith.select %4, %1, %low : f32
    %6 = math.roundeven %5 : f32
    %7 = arith.fptosi %6 : f32 to i32
    return %3, %7 : i32, i32
  }
}
