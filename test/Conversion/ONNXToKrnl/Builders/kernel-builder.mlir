// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// A vector is one row and a matrix four: of unknown rank, one
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

// Updates of two rows cannot be those of one index: only the variant of another
// rank can be what runs.
// CHECK-LABEL: func.func @updates_of_another_rank
// CHECK:         krnl.check {{.*}}, "ScatterND: the shape of the updates does not fit"
// CHECK:         krnl.check {{.*}}, "sizes of the operands do not fit together"
// CHECK:         krnl.kernel "ScatterND"
func.func @updates_of_another_rank(%d: tensor<8x4xi16>, %i: tensor<?xi64>, %u: tensor<2x4xi16>) -> tensor<8x4xi16> {
  %y = onnx.ScatterND(%d, %i, %u) : (tensor<8x4xi16>, tensor<?xi64>, tensor<2x4xi16>) -> tensor<8x4xi16>
  return %y : tensor<8x4xi16>
}

// What the lowering itself does not check, the kernel does: an operand of a known
// size that is not that of its loop is another one, and the run ends.
// CHECK-LABEL: func.func @bias_of_another_size
// CHECK:         krnl.check {{.*}}, "sizes of the operands do not fit together" sizes(%c3{{.*}}, %c2
// CHECK:         krnl.kernel
func.func @bias_of_another_size(%x: tensor<1x4x5x5xf32>, %w: tensor<2x4x3x3xf32>, %o: tensor<1x18x3x3xf32>, %b: tensor<3xf32>) -> tensor<1x2x3x3xf32> {
  %y = onnx.DeformConv(%x, %w, %o) B(%b) : (tensor<1x4x5x5xf32>, tensor<2x4x3x3xf32>, tensor<1x18x3x3xf32>, tensor<3xf32>) -> tensor<1x2x3x3xf32>
  return %y : tensor<1x2x3x3xf32>
}
