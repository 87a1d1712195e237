// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// One step per column: pivots, their product, elimination.
// CHECK-LABEL: func @matrices
// CHECK:         scf.for %[[K:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[A:.+]] = %{{.+}}, %[[DET:.+]] = %{{.+}}) -> (tensor<6x4x4xf32>, tensor<6xf32>)
// CHECK:           %[[P:.+]] = krnl.kernel "DetPivot" {{.*}}ins(%[[A]], %[[K]]
// CHECK:           %[[NEXT:.+]] = krnl.kernel "DetProduct" {{.*}}ins(%[[DET]], %[[A]], %[[P]], %[[K]]
// CHECK:           %[[REST:.+]] = krnl.kernel "DetEliminate" {{.*}}ins(%[[A]], %[[P]], %[[K]]
// CHECK:           scf.yield %[[REST]], %[[NEXT]]
func.func @matrices(%x: tensor<2x3x4x4xf32>) -> tensor<2x3xf32> {
  %y = onnx.Det(%x) : (tensor<2x3x4x4xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// Half precision is computed in single; sizes of the run must be equal.
// CHECK-LABEL: func @half
// CHECK:         krnl.check %{{.+}}, "Det: the matrix is not square"
// CHECK:         krnl.kernel "DetConvert" {{.*}} outs(%{{.+}} : tensor<1x?x?xf32>)
// CHECK:         krnl.kernel "DetConvert" {{.*}}
// CHECK:         return
func.func @half(%x: tensor<?x?xf16>) -> tensor<f16> {
  %y = onnx.Det(%x) : (tensor<?x?xf16>) -> tensor<f16>
  return %y : tensor<f16>
}
