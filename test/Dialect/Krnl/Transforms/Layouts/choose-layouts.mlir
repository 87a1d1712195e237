// RUN: onnx-opt %s --krnl-choose-layouts | FileCheck %s
// RUN: onnx-opt %s --krnl-choose-layouts --remarks-filter=krnl-choose-layouts -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: [Passed] Layout {{.+}} Order="1, 2, 0", Type=tensor<14x14x32xf32>

// The operand of the function stays as it is; the tensor in between gets its
// channels last, which the first convolution makes and the second one sums up;
// so does the one that only an elementwise kernel makes. The result of the
// function stays. Loops follow memory.
// CHECK-LABEL: func @chain
// CHECK:         krnl.kernel "first" loops [h = 14, w = 14, oc = 32, ic = 3, kh = 3, kw = 3]
// CHECK-SAME:      outs(%{{.+}} : tensor<14x14x32xf32>)
// CHECK:           krnl.compute [h, w, oc | ic, kh, kw] (%{{.+}} = %{{.+}}[ic, h + kh, w + kw],
// CHECK:         krnl.kernel "neg" loops [b = 14, c = 14, a = 32] ins(%{{.+}} : tensor<14x14x32xf32>) outs(%{{.+}} : tensor<14x14x32xf32>)
// CHECK:         krnl.kernel "second" {{.+}} ins(%{{.+}} : tensor<14x14x32xf32>,
// CHECK-SAME:      outs(%{{.+}} : tensor<8x12x12xf32>)
// CHECK:           krnl.compute [{{.+}}, [[H:[a-z]+]], [[W:[a-z]+]] | [[C:[a-z]+]], [[KH:[a-z]+]], [[KW:[a-z]+]]] (%{{.+}} = %{{.+}}[{{.+}}],
func.func @chain(%x: tensor<3x16x16xf32>) -> tensor<8x12x12xf32> {
  %w0 = krnl.constant dense<1.0> : tensor<32x3x3x3xf32>
  %e0 = tensor.empty() : tensor<32x14x14xf32>
  %0 = krnl.kernel "first" loops [oc = 32, h = 14, w = 14, ic = 3, kh = 3, kw = 3]
      ins(%x, %w0 : tensor<3x16x16xf32>, tensor<32x3x3x3xf32>) outs(%e0 : tensor<32x14x14xf32>) {
  ^bb0(%p: tensor<3x16x16xf32>, %q: tensor<32x3x3x3xf32>, %o: tensor<32x14x14xf32>):
    %c = krnl.compute [oc, h, w | ic, kh, kw] (%s = %p[ic, h + kh, w + kw], %t = %q[oc, ic, kh, kw]) -> (%u = %o[oc, h, w])
        : (tensor<3x16x16xf32>, tensor<32x3x3x3xf32>) -> tensor<32x14x14xf32> {
      %m = arith.mulf %s, %t : f32
      %a = arith.addf %u, %m : f32
      linalg.yield %a : f32
    }
    krnl.yield %c : tensor<32x14x14xf32>
  } -> tensor<32x14x14xf32>
  %1 = krnl.kernel "neg" loops [a = 32, b = 14, c = 14] ins(%0 : tensor<32x14x14xf32>) outs(%e0 : tensor<32x14x14xf32>) {
  ^bb0(%p: tensor<32x14x14xf32>, %o: tensor<32x14x14xf32>):
    %r = krnl.compute [a, b, c] (%s = %p[a, b, c]) -> (%q = %o[a, b, c])
        : (tensor<32x14x14xf32>) -> tensor<32x14x14xf32> {
      %m = arith.negf %s : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<32x14x14xf32>
  } -> tensor<32x14x14xf32>
  %w1 = krnl.constant dense<1.0> : tensor<8x32x3x3xf32>
  %e1 = tensor.empty() : tensor<8x12x12xf32>
  %2 = krnl.kernel "second" loops [oc = 8, h = 12, w = 12, ic = 32, kh = 3, kw = 3]
      ins(%1, %w1 : tensor<32x14x14xf32>, tensor<8x32x3x3xf32>) outs(%e1 : tensor<8x12x12xf32>) {
  ^bb0(%p: tensor<32x14x14xf32>, %q: tensor<8x32x3x3xf32>, %o: tensor<8x12x12xf32>):
    %c = krnl.compute [oc, h, w | ic, kh, kw] (%s = %p[ic, h + kh, w + kw], %t = %q[oc, ic, kh, kw]) -> (%u = %o[oc, h, w])
        : (tensor<32x14x14xf32>, tensor<8x32x3x3xf32>) -> tensor<8x12x12xf32> {
      %m = arith.mulf %s, %t : f32
      %a = arith.addf %u, %m : f32
      linalg.yield %a : f32
    }
    krnl.yield %c : tensor<8x12x12xf32>
  } -> tensor<8x12x12xf32>
  return %2 : tensor<8x12x12xf32>
}
