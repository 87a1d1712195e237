// RUN: onnx-opt %s --pass-pipeline='builtin.module(func.func(krnl-expand-math))' | FileCheck %s

// The exponent and the rest of the number go apart, denormals scaled up first;
// zero, negative numbers, infinity and NaN are selected at the end.
// CHECK-LABEL: func @log
// CHECK-SAME:      (%[[X:.+]]: vector<16xf32>)
// CHECK-NOT:     math.log
// CHECK:         %[[SMALL:.+]] = arith.cmpf olt, %[[X]], %{{.+}} : vector<16xf32>
// CHECK:         %[[SCALED:.+]] = arith.mulf %[[X]], %{{.+}} : vector<16xf32>
// CHECK:         arith.select %[[SMALL]], %[[SCALED]], %[[X]]
// CHECK:         arith.shrsi
// CHECK-COUNT-8: math.fma
// CHECK:         %[[ZERO:.+]] = arith.cmpf oeq, %[[X]], %{{.+}} : vector<16xf32>
// CHECK:         arith.select %[[ZERO]]
// CHECK:         %[[NEGATIVE:.+]] = arith.cmpf olt, %[[X]], %{{.+}} : vector<16xf32>
// CHECK:         %[[Y:.+]] = arith.select %[[NEGATIVE]]
// CHECK-NEXT:    return %[[Y]]
func.func @log(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.log %x : vector<16xf32>
  return %y : vector<16xf32>
}

// log1p takes back what the sum with one has lost.
// CHECK-LABEL: func @log1p
// CHECK-NOT:     math.log
// CHECK:         %[[SUM:.+]] = arith.addf %{{.+}}, %{{.+}} : vector<8xf64>
// CHECK:         %[[LOST:.+]] = arith.divf %{{.+}}, %[[SUM]]
// CHECK:         arith.select %{{.+}}, %[[LOST]], %{{.+}}
func.func @log1p(%x: vector<8xf64>) -> vector<8xf64> {
  %y = math.log1p %x : vector<8xf64>
  return %y : vector<8xf64>
}
