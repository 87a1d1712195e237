// RUN: onnx-opt %s --pass-pipeline='builtin.module(func.func(krnl-expand-math))' | FileCheck %s

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
