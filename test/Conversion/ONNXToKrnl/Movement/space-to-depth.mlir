// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Elements of a block go before the channels (DCR) or after them (CRD).

// CHECK-LABEL: func.func @dcr
// CHECK: krnl.kernel "SpaceToDepth"
// CHECK: krnl.compute {{.*}}[{{.*}}d3, d4, d1, d5, d2]) -> (%{{.+}} = %{{.+}}[{{.*}}d1, d2, d3, d4, d5])
func.func @dcr(%x: tensor<2x3x4x6xf32>) -> tensor<2x12x2x3xf32> {
  %0 = onnx.SpaceToDepth(%x) {blocksize = 2 : i64} : (tensor<2x3x4x6xf32>) -> tensor<2x12x2x3xf32>
  return %0 : tensor<2x12x2x3xf32>
}

// CHECK-LABEL: func.func @crd
// CHECK: krnl.kernel "SpaceToDepth"
// CHECK: krnl.compute {{.*}}[{{.*}}d1, d4, d2, d5, d3]) -> (%{{.+}} = %{{.+}}[{{.*}}d1, d2, d3, d4, d5])
func.func @crd(%x: tensor<2x3x4x6xf32>) -> tensor<2x12x2x3xf32> {
  %0 = onnx.SpaceToDepth(%x) {blocksize = 2 : i64, mode = "CRD"} : (tensor<2x3x4x6xf32>) -> tensor<2x12x2x3xf32>
  return %0 : tensor<2x12x2x3xf32>
}
