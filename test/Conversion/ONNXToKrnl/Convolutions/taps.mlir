// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Taps that only ever read the border are gone: one product of matrices is left, without a border.
// CHECK-LABEL: func @centre
// CHECK-NOT:     krnl.kernel "pad"
// CHECK:         %[[W:.+]] = krnl.constant {{.+}} : tensor<64x32xf32>
// CHECK:         krnl.kernel "Conv" loops [n = 1, oc = 32, o0 = 8, o1 = 8, ic = 64]
// CHECK-SAME:      ins({{.+}}, %[[W]] : tensor<1x64x8x8xf32>, tensor<64x32xf32>)
// CHECK-NOT:     krnl.kernel
func.func @centre(%x: tensor<1x64x8x8xf32>) -> tensor<1x32x8x8xf32> {
  %w = onnx.Constant dense<1.0> : tensor<32x64x3x3xf32>
  %0 = onnx.Conv(%x, %w) {krnl.taps, dilations = array<i64: 12, 12>, pads = array<i64: 12, 12, 12, 12>} : (tensor<1x64x8x8xf32>, tensor<32x64x3x3xf32>) -> tensor<1x32x8x8xf32>
  return %0 : tensor<1x32x8x8xf32>
}

// An operand of the model is copied, with its channels last. Each tap adds to the results that it reads an element for. The one that reads an element for all of them comes last,
// with the sums and the bias.
// CHECK-LABEL: func @parts
// CHECK:         krnl.kernel "Conv" loops {{.+}} outs(%{{.+}} : tensor<2x20x24x64xf32>)
// CHECK:         %[[ZEROS:.+]] = krnl.kernel "Conv.zeros" {{.+}} outs(%{{.+}} : tensor<2x20x24x32xf32>)
// CHECK:         %[[FIRST:.+]] = krnl.kernel "Conv.tap" loops [n = 2, oc = 32, o0 = 8, o1 = 14, ic = 64]
// CHECK-SAME:      outs(%[[ZEROS]] : tensor<2x20x24x32xf32>)
// CHECK:           krnl.compute [n, oc, o0, o1 | ic] (%{{.+}} = %{{.+}}[n, o0 ..., o1 ..., ic], %{{.+}} = %{{.+}}[ic, oc]) -> (%{{.+}} = %{{.+}}[n, o0 + 12, o1 + 10, oc])
// CHECK:         krnl.kernel "Conv.tap" loops [n = 2, oc = 32, o0 = 8, o1 = 24, ic = 64]
// CHECK-SAME:      outs(%[[FIRST]] : tensor<2x20x24x32xf32>)
// CHECK:           krnl.compute {{.+}} -> (%{{.+}} = %{{.+}}[n, o0 + 12, o1, oc])
// CHECK-COUNT-5: krnl.kernel "Conv.tap"
// CHECK:         %[[LAST:.+]] = krnl.kernel "Conv.tap" loops [n = 2, oc = 32, o0 = 8, o1 = 14, ic = 64]
// CHECK:           krnl.compute [n, oc, o0, o1 | ic] (%{{.+}} = %{{.+}}[n, o0 + 12, o1 + 10, ic], %{{.+}} = %{{.+}}[ic, oc]) -> (%{{.+}} = %{{.+}}[n, o0 ..., o1 ..., oc])
// CHECK:         krnl.kernel "Conv" loops [n = 2, oc = 32, o0 = 20, o1 = 24, ic = 64] ins({{.+}}, %[[LAST]], %{{.+}} :
func.func @parts(%x: tensor<2x64x20x24xf32>, %b: tensor<32xf32>) -> tensor<2x32x20x24xf32> {
  %w = onnx.Constant dense<1.0> : tensor<32x64x3x3xf32>
  %0 = onnx.Conv(%x, %w) B(%b) {krnl.taps, dilations = array<i64: 12, 10>, pads = array<i64: 12, 10, 12, 10>} : (tensor<2x64x20x24xf32>, tensor<32x64x3x3xf32>, tensor<32xf32>) -> tensor<2x32x20x24xf32>
  return %0 : tensor<2x32x20x24xf32>
}

// Of dynamic sizes the results of a tap are counted in the run, and may be none.
// CHECK-LABEL: func @open_sizes
// CHECK:         %[[SIZE:.+]] = tensor.dim %{{.+}}, %c2
// CHECK:         arith.maxsi
// CHECK:         krnl.kernel "Conv.tap" loops [n = 1, oc = 32, o0 = %{{[^],]+}}, ic = 64]
// CHECK:           krnl.compute [n, oc, o0 | ic] (%{{.+}} = %{{.+}}[n, o0 ..., ic], %{{.+}} = %{{.+}}[ic, oc]) -> (%{{.+}} = %{{.+}}[n, o0 + 40, oc])
// CHECK:         krnl.kernel "Conv.tap"
// CHECK:           krnl.compute {{.+}} -> (%{{.+}} = %{{.+}}[n, o0 + 20, oc])
// CHECK:         krnl.kernel "Conv" loops [n = 1, oc = 32, o0 = %{{[^],]+}}, ic = 64]
func.func @open_sizes(%x: tensor<1x64x?xf32>) -> tensor<1x32x?xf32> {
  %w = onnx.Constant dense<1.0> : tensor<32x64x3xf32>
  %0 = onnx.Conv(%x, %w) {krnl.taps, dilations = array<i64: 20>, pads = array<i64: 40, 0>} : (tensor<1x64x?xf32>, tensor<32x64x3xf32>) -> tensor<1x32x?xf32>
  return %0 : tensor<1x32x?xf32>
}

// With steps, and no tap that reads an element for all results.
// CHECK-LABEL: func @no_centre
// CHECK:         krnl.kernel "Conv.tap" loops [n = 1, oc = 32, o0 = 3, ic = 64]
// CHECK:           krnl.compute {{.+}} (%{{.+}} = %{{.+}}[n, o0 * 2 + 1, ic], %{{.+}}) -> (%{{.+}} = %{{.+}}[n, o0 + 2, oc])
// CHECK:         krnl.kernel "Conv.tap" loops [n = 1, oc = 32, o0 = 3, ic = 64]
// CHECK:           krnl.compute {{.+}} (%{{.+}} = %{{.+}}[n, o0 * 2 + 3, ic], %{{.+}}) -> (%{{.+}} = %{{.+}}[n, o0 ..., oc])
// CHECK:         krnl.kernel "Conv" loops [n = 1, oc = 32, o0 = 5]
func.func @no_centre(%x: tensor<1x64x8xf32>) -> tensor<1x32x5xf32> {
  %w = onnx.Constant dense<1.0> : tensor<32x64x2xf32>
  %0 = onnx.Conv(%x, %w) {krnl.taps, dilations = array<i64: 6>, strides = array<i64: 2>, pads = array<i64: 3, 4>} : (tensor<1x64x8xf32>, tensor<32x64x2xf32>) -> tensor<1x32x5xf32>
  return %0 : tensor<1x32x5xf32>
}
