// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Halves are summed up as f32, and rounded once divided. Their number is
// dynamic.
// CHECK-LABEL: func.func @mean_of_halves
// CHECK:         %[[COUNT:.+]] = arith.sitofp %{{.+}} : i64 to f32
// CHECK:         krnl.kernel "ReduceMean" loops [d0 = 2, d1 = %{{[^],]+}}] ins(%{{.+}}, %[[COUNT]] :
// CHECK:           arith.addf {{.+}} : f32
// CHECK:           arith.divf {{.+}} : f32
// CHECK-NEXT:      arith.truncf {{.+}} : f32 to f16
// CHECK:         tensor.reshape {{.+}} -> tensor<2xf16>
func.func @mean_of_halves(%x: tensor<2x?xf16>) -> tensor<2xf16> {
  %axes = onnx.Constant {value = dense<1> : tensor<1xi64>} : tensor<1xi64>
  %y = "onnx.ReduceMean"(%x, %axes) {keepdims = 0 : i64} : (tensor<2x?xf16>, tensor<1xi64>) -> tensor<2xf16>
  return %y : tensor<2xf16>
}
