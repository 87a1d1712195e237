// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s
// RUN: onnx-opt %s --convert-onnx-to-krnl --select-target="triple=x86_64-linux-gnu cpu=znver4" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s --check-prefix=RECIPE

// Known weights stay a constant when they are seen in groups, so that they are packed
// when the artefact is written: channels are the columns, not the few pixels of a line.
// CHECK-LABEL: func.func @groups
// CHECK:         tensor.expand_shape %{{.+}} {{\[}}[0], [1, 2], [3], [4]] output_shape [1, 4, 16, 9, 9]
// CHECK-NOT:     tensor.reshape %{{.+}} -> tensor<4x16x16x3x3xf32>
// CHECK:         krnl.constant dense<1.000000e+00> : tensor<4x16x16x3x3xf32>
// CHECK:         krnl.kernel "Conv" loops [n = 1, g = 4, oc = 16, o0 = 7, o1 = 7, ic = 16, k0 = 3, k1 = 3]
// CHECK:         tensor.collapse_shape %{{.+}} {{\[}}[0], [1, 2], [3], [4]] : tensor<1x4x16x7x7xf32> into tensor<1x64x7x7xf32>
// RECIPE-LABEL: kernel "Conv" {{.+}} [
// RECIPE-NEXT:    block(oc, 16) -> (oc.o, oc.r),
// RECIPE-NEXT:    block(o1, 7) -> (o1.o, o1.r),
// RECIPE:         register_tile(o1.r, oc.r, lanes=16),
// RECIPE-NEXT:    pack(1, [oc.o, ic, k0, k1, oc.r])
func.func @groups(%x: tensor<1x64x9x9xf32>) -> tensor<1x64x7x7xf32> {
  %w = onnx.Constant dense<1.0> : tensor<64x16x3x3xf32>
  %y = onnx.Conv(%x, %w) {group = 4 : i64} : (tensor<1x64x9x9xf32>, tensor<64x16x3x3xf32>) -> tensor<1x64x7x7xf32>
  return %y : tensor<1x64x7x7xf32>
}

// The same view of a dynamic number of channels.
// CHECK-LABEL: func.func @dynamic_channels
// CHECK:         tensor.expand_shape %{{.+}} {{\[}}[0], [1, 2], [3], [4]] output_shape [1, 4, %{{.+}}, 9, 9] : tensor<1x?x9x9xf32> into tensor<1x4x?x9x9xf32>
func.func @dynamic_channels(%x: tensor<1x?x9x9xf32>, %w: tensor<64x?x3x3xf32>) -> tensor<1x64x7x7xf32> {
  %y = onnx.Conv(%x, %w) {group = 4 : i64} : (tensor<1x?x9x9xf32>, tensor<64x?x3x3xf32>) -> tensor<1x64x7x7xf32>
  return %y : tensor<1x64x7x7xf32>
}
