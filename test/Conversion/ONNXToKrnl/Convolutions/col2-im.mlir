// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Each element of the image sums over the places of a block that lie on it; zeros
// around the blocks make all of them places of the operand.
// CHECK-LABEL: func @image
// CHECK:         krnl.kernel "pad"
// CHECK:         -> tensor<1x2x1x5x5x9xf32>
// CHECK:         krnl.kernel "Col2Im" loops [d0 = 1, d1 = 2, d2 = 5, d3 = 1, d4 = 5, d5 = 1, k0 = 1, k1 = 5]
// CHECK:         krnl.compute {{.+}}[d0, d1, k0, d3, k1, d5, d2 - k0, d4 - k1 + 4])
// CHECK:           arith.addf
func.func @image(%x: tensor<1x10x5xf32>) -> tensor<1x2x5x5xf32> {
  %image = onnx.Constant dense<[5, 5]> : tensor<2xi64>
  %block = onnx.Constant dense<[1, 5]> : tensor<2xi64>
  %y = onnx.Col2Im(%x, %image, %block) : (tensor<1x10x5xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x2x5x5xf32>
  return %y : tensor<1x2x5x5xf32>
}

// Of blocks side by side one lies on each element, at its place in a stride.
// CHECK-LABEL: func @strides
// CHECK:         krnl.kernel "Col2Im" loops [d0 = 1, d1 = 2, d2 = 2, d3 = 2, d4 = 2, d5 = 2, k0 = 1, k1 = 1]
// CHECK:         krnl.compute {{.+}}[d0, d1, k0, d3, k1, d5, d2 - k0, d4 - k1])
func.func @strides(%x: tensor<1x8x4xf32>) -> tensor<1x2x4x4xf32> {
  %image = onnx.Constant dense<[4, 4]> : tensor<2xi64>
  %block = onnx.Constant dense<[2, 2]> : tensor<2xi64>
  %y = onnx.Col2Im(%x, %image, %block) {strides = array<i64: 2, 2>} : (tensor<1x8x4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x2x4x4xf32>
  return %y : tensor<1x2x4x4xf32>
}

// With holes in the blocks, too, each place looks whether a block has it there.
// CHECK-LABEL: func @apart
// CHECK:         krnl.kernel "Col2Im"
// CHECK:           tensor.extract
// CHECK:           arith.select
// CHECK:           arith.addf
func.func @apart(%x: tensor<1x8x4xf32>) -> tensor<1x2x5x5xf32> {
  %image = onnx.Constant dense<[5, 5]> : tensor<2xi64>
  %block = onnx.Constant dense<[2, 2]> : tensor<2xi64>
  %y = onnx.Col2Im(%x, %image, %block) {strides = array<i64: 2, 2>, dilations = array<i64: 2, 2>} : (tensor<1x8x4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x2x5x5xf32>
  return %y : tensor<1x2x5x5xf32>
}

// CHECK-LABEL: func @shapes_of_the_run
// CHECK:         krnl.check %{{.+}}, "Col2Im: block_shape has a size below 1"
// CHECK:         krnl.check %{{.+}}, "Col2Im: a size is negative or too large"
// CHECK:         krnl.check %{{.+}}, "Col2Im: the channels are not a multiple of the block"
// CHECK:         krnl.check %{{.+}}, "Col2Im: another number of blocks fits into the image"
func.func @shapes_of_the_run(%x: tensor<1x10x5xf32>, %image: tensor<1xi64>, %block: tensor<1xi64>) -> tensor<1x?x?xf32> {
  %y = onnx.Col2Im(%x, %image, %block) : (tensor<1x10x5xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x?x?xf32>
  return %y : tensor<1x?x?xf32>
}
