// RUN: onnx-opt %s --pass-pipeline='builtin.module(func.func(krnl-expand-math))' | FileCheck %s

// A polynomial whose bounds lose NaN has a select after it.
// CHECK-LABEL: func @asin
// CHECK-NOT:     math.asin
// CHECK:         %[[NAN:.+]] = arith.cmpf uno, %arg0, %arg0 : vector<16xf32>
// CHECK:         arith.select %[[NAN]], %arg0
func.func @asin(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.asin %x : vector<16xf32>
  return %y : vector<16xf32>
}

// Upstream's polynomials of f32 lose NaN, those of f64 are our own and do not.
// CHECK-LABEL: func @guarded
// CHECK-SAME:      (%[[X:.+]]: vector<8xf32>, %{{.+}}: vector<8xf64>)
// CHECK:         %[[NAN:.+]] = arith.cmpf uno, %[[X]], %[[X]] : vector<8xf32>
// CHECK:         arith.select %[[NAN]], %[[X]]
// CHECK-NOT:     arith.cmpf uno, {{.+}} : vector<8xf64>
func.func @guarded(%x: vector<8xf32>, %y: vector<8xf64>) -> (vector<8xf32>, vector<8xf64>) {
  %0 = math.asin %x : vector<8xf32>
  %1 = math.tanh %y : vector<8xf64>
  return %0, %1 : vector<8xf32>, vector<8xf64>
}
