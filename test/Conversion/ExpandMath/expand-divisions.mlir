// RUN: onnx-opt %s --pass-pipeline='builtin.module(func.func(krnl-expand-math))' | FileCheck %s

// Vectors of integers are divided as floats that hold them; the least by -1 must
// wrap around.
// CHECK-LABEL: func @divide
// CHECK:         arith.divf %{{.+}}, %{{.+}} : vector<16xf64>
// CHECK-NEXT:    arith.fptosi %{{.+}} : vector<16xf64> to vector<16xi64>
// CHECK-NEXT:    arith.trunci %{{.+}} : vector<16xi64> to vector<16xi32>
// CHECK:         arith.uitofp %{{.+}} : vector<16xi8> to vector<16xf32>
// CHECK:         arith.divf %{{.+}}, %{{.+}} : vector<16xf32>
// CHECK:         arith.subi
// CHECK:         arith.divsi %{{.+}}, %{{.+}} : vector<16xi64>
func.func @divide(%x: vector<16xi32>, %y: vector<16xi8>, %z: vector<16xi64>) -> (vector<16xi32>, vector<16xi8>, vector<16xi64>) {
  %a = arith.divsi %x, %x : vector<16xi32>
  %b = arith.remui %y, %y : vector<16xi8>
  %c = arith.divsi %z, %z : vector<16xi64>
  return %a, %b, %c : vector<16xi32>, vector<16xi8>, vector<16xi64>
}

// A constant divisor is left to LLVM, which multiplies; so are scalars.
// CHECK-LABEL: func @left_alone
// CHECK:         arith.divsi %{{.+}}, %{{.+}} : vector<16xi32>
// CHECK:         arith.remsi %{{.+}}, %{{.+}} : i32
func.func @left_alone(%x: vector<16xi32>, %a: i32, %b: i32) -> (vector<16xi32>, i32) {
  %seven = arith.constant dense<7> : vector<16xi32>
  %0 = arith.divsi %x, %seven : vector<16xi32>
  %1 = arith.remsi %a, %b : i32
  return %0, %1 : vector<16xi32>, i32
}
