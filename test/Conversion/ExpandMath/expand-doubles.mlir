// RUN: onnx-opt %s --pass-pipeline='builtin.module(func.func(krnl-expand-math))' | FileCheck %s

// Those of f64 are polynomials of their own; tangents of large angles are left to libm, in a loop.
// CHECK-LABEL: func @doubles
// CHECK-NOT:     math.exp
// CHECK-NOT:     math.log
// CHECK-NOT:     math.tanh
// CHECK-NOT:     math.erf
// CHECK:         math.tan %{{.+}} : f64
// CHECK-NOT:     math.tan %{{.+}} : vector
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
