// RUN: onnx-opt %s --pass-pipeline='builtin.module(func.func(krnl-expand-math))' | FileCheck %s

// One comparison and a select do for a maximum with a constant: NaN compares
// false and stays. In general the zeros are not told apart.
// CHECK-LABEL: func @maximum
// CHECK-SAME:      (%[[X:.+]]: vector<16xf32>, %[[Y:.+]]: vector<16xf32>)
// CHECK:         %[[ZERO:.+]] = arith.constant dense<0.000000e+00>
// CHECK:         %[[LESS:.+]] = arith.cmpf olt, %[[X]], %[[ZERO]]
// CHECK-NEXT:    %[[RELU:.+]] = arith.select %[[LESS]], %[[ZERO]], %[[X]]
// CHECK-NEXT:    arith.minimumf %[[RELU]], %[[Y]] fastmath<nsz>
func.func @maximum(%x: vector<16xf32>, %y: vector<16xf32>) -> vector<16xf32> {
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %a = arith.maximumf %zero, %x : vector<16xf32>
  %b = arith.minimumf %a, %y : vector<16xf32>
  return %b : vector<16xf32>
}

// A constant NaN is no bound that a comparison could keep.
// CHECK-LABEL: func @with_nan
// CHECK:         arith.maximumf %{{.+}}, %{{.+}} fastmath<nsz>
func.func @with_nan(%x: vector<16xf32>) -> vector<16xf32> {
  %nan = arith.constant dense<0x7FC00000> : vector<16xf32>
  %0 = arith.maximumf %x, %nan : vector<16xf32>
  return %0 : vector<16xf32>
}
