// RUN: onnx-opt %s --krnl-fold-copies | FileCheck %s
// RUN: sed 's/tile_threads = 1024, cores = 108/vector_bytes = 16/' %s | onnx-opt - --krnl-fold-copies | FileCheck %s --check-prefix=PROCESSOR
//
// A tensor that is concatenated with others, and has a border for another reader: on a device its maker writes into the
// concatenation, as the reader can do without the border. A processor has the border in memory, and copies after it.

module attributes {krnl.target = #krnl.target<tile_threads = 1024, cores = 108>} {

// CHECK-LABEL: func @both(
// CHECK:         %[[ALL:.+]] = tensor.empty() : tensor<32x16xf32>
// CHECK:         %[[R:.+]] = krnl.kernel "relu" {{.+}} outs(%[[ALL]] : tensor<32x16xf32>)
// CHECK:           krnl.compute [h, c] ({{.+}}) -> (%{{.+}} = %{{.+}}[h ..., c])
// CHECK:         krnl.kernel "pad" {{.+}} ins(%{{.+}} : tensor<32x16xf32>)
// CHECK:         krnl.kernel "concat" {{.+}} outs(%[[R]] : tensor<32x16xf32>)
// PROCESSOR-LABEL: func @both(
// PROCESSOR:         krnl.kernel "relu" {{.+}} outs(%{{.+}} : tensor<18x16xf32>)
func.func @both(%x: tensor<16x16xf32>) -> (tensor<18x16xf32>, tensor<32x16xf32>) {
  %0 = tensor.empty() : tensor<16x16xf32>
  %r = krnl.kernel "relu" loops [h = 16, c = 16] ins(%x : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) {
  ^bb0(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>):
    %1 = krnl.compute [h, c] (%v = %a[h, c]) -> (%_ = %b[h, c]) : (tensor<16x16xf32>) -> tensor<16x16xf32> {
      %n = arith.negf %v : f32
      linalg.yield %n : f32
    }
    krnl.yield %1 : tensor<16x16xf32>
  } -> tensor<16x16xf32>
  %e = tensor.empty() : tensor<18x16xf32>
  %p = krnl.kernel "pad" loops [p = 18, c = 16, h = 16] ins(%r : tensor<16x16xf32>) outs(%e : tensor<18x16xf32>) {
  ^bb0(%a: tensor<16x16xf32>, %b: tensor<18x16xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [p, c] () -> (%_ = %b[p, c]) : () -> tensor<18x16xf32> { linalg.yield %zero : f32 }
    %1 = krnl.compute [h, c] (%v = %a[h, c]) -> (%_ = %f[h + 1, c]) : (tensor<16x16xf32>) -> tensor<18x16xf32> {
      linalg.yield %v : f32
    }
    krnl.yield %1 : tensor<18x16xf32>
  } -> tensor<18x16xf32>
  %l = tensor.empty() : tensor<32x16xf32>
  %y = krnl.kernel "concat" loops [h = 16, c = 16] ins(%r, %x : tensor<16x16xf32>, tensor<16x16xf32>) outs(%l : tensor<32x16xf32>) {
  ^bb0(%a: tensor<16x16xf32>, %o: tensor<16x16xf32>, %b: tensor<32x16xf32>):
    %1 = krnl.compute [h, c] (%v = %a[h, c]) -> (%_ = %b[h ..., c]) : (tensor<16x16xf32>) -> tensor<32x16xf32> {
      linalg.yield %v : f32
    }
    %2 = krnl.compute [h, c] (%v = %o[h, c]) -> (%_ = %1[h + 16, c]) : (tensor<16x16xf32>) -> tensor<32x16xf32> {
      linalg.yield %v : f32
    }
    krnl.yield %2 : tensor<32x16xf32>
  } -> tensor<32x16xf32>
  return %p, %y : tensor<18x16xf32>, tensor<32x16xf32>
}

}
