// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// A vector is one row and a matrix four: of a rank that only the run knows, one
// variant cannot be what runs. It ends the run if it does.
// CHECK-LABEL: func.func @one_row_beside_four
// CHECK:         krnl.check {{.*}}, "Concat: the operands differ beside the axis"
// CHECK-NOT:     krnl.kernel "Concat"
// CHECK:         krnl.check {{.*}}, "sizes of the operands do not fit together"
// CHECK:         %[[Y:.+]] = tensor.empty() : tensor<1x6xf32>
// CHECK:         return %[[Y]]
func.func @one_row_beside_four(%x: tensor<?xf32>, %z: tensor<4x4xf32>) -> tensor<1x6xf32> {
  %y = onnx.ml.FeatureVectorizer(%x, %z) {inputdimensions = array<i64: 2, 4>} : (tensor<?xf32>, tensor<4x4xf32>) -> tensor<1x6xf32>
  return %y : tensor<1x6xf32>
}
