// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Each element of the image sums over the places of a block.
// CHECK-LABEL: func @image
// CHECK:         krnl.kernel "Col2Im" loops [d0 = 1, d1 = 2, d2 = 5, d3 = 5, k0 = 1, k1 = 5]
// CHECK:         iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]
// CHECK:           tensor.extract
// CHECK:           arith.select
// CHECK:           arith.addf
func.func @image(%x: tensor<1x10x5xf32>) -> tensor<1x2x5x5xf32> {
  %image = onnx.Constant dense<[5, 5]> : tensor<2xi64>
  %block = onnx.Constant dense<[1, 5]> : tensor<2xi64>
  %y = onnx.Col2Im(%x, %image, %block) : (tensor<1x10x5xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x2x5x5xf32>
  return %y : tensor<1x2x5x5xf32>
}

// CHECK-LABEL: func @shapes_of_the_run
// CHECK:         krnl.check %{{.+}}, "Col2Im: block_shape has a size below 1"
// CHECK:         krnl.check %{{.+}}, "Col2Im: image_shape has a negative size"
// CHECK:         krnl.check %{{.+}}, "Col2Im: the channels are no multiple of the block"
// CHECK:         krnl.check %{{.+}}, "Col2Im: another number of blocks fits into the image"
func.func @shapes_of_the_run(%x: tensor<1x10x5xf32>, %image: tensor<1xi64>, %block: tensor<1xi64>) -> tensor<1x?x?xf32> {
  %y = onnx.Col2Im(%x, %image, %block) : (tensor<1x10x5xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x?x?xf32>
  return %y : tensor<1x?x?xf32>
}
