// RUN: onnx-opt %s --split-input-file --krnl-share-weights | FileCheck %s

// The constant that both levels have is stored once, the one with another
// layout beside it; an empty one has the offset of the next.
// CHECK:      module @x86_64_v2 attributes {krnl.weights = [
// CHECK-SAME:   {offset = 0 : i64, value = dense<1.{{0+}}e+00> : tensor<16xf32>},
// CHECK-SAME:   {offset = 64 : i64, value = dense<2.{{0+}}e+00> : tensor<4xf32>},
// CHECK-SAME:   {offset = 128 : i64, value = dense<> : tensor<0xf32>},
// CHECK-SAME:   {layout = {{.+}}, offset = 128 : i64, value = dense<1.{{0+}}e+00> : tensor<16xf32>}
// CHECK-SAME: krnl.weights_bytes = 256 : i64
// CHECK:        krnl.weight_view[0] : memref<16xf32>
// CHECK:        krnl.weight_view[64] : memref<4xf32>
module {
  module @x86_64_v2 attributes {
      krnl.weights = [{offset = 0 : i64, value = dense<1.0> : tensor<16xf32>},
                      {offset = 64 : i64, value = dense<2.0> : tensor<4xf32>}],
      krnl.weights_bytes = 128 : i64} {
    func.func @main_graph() {
      %a = krnl.weight_view [0] : memref<16xf32>
      %b = krnl.weight_view [64] : memref<4xf32>
      return
    }
  }
  // CHECK:      module @x86_64_v3 attributes {krnl.weights = [
  // CHECK-SAME:   {offset = 64 : i64, value = dense<2.{{0+}}e+00> : tensor<4xf32>},
  // CHECK-SAME: krnl.weights_bytes = 256 : i64
  // CHECK:        krnl.weight_view[128] : memref<2x16xf32>
  // CHECK:        krnl.weight_view[64] : memref<4xf32>
  module @x86_64_v3 attributes {
      krnl.weights = [{offset = 0 : i64, value = dense<> : tensor<0xf32>},
                      {layout = #krnl.packed<dims = [0, 0], sizes = [2, 16], strides = [8, 1]>, offset = 0 : i64, value = dense<1.0> : tensor<16xf32>},
                      {offset = 128 : i64, value = dense<2.0> : tensor<4xf32>}],
      krnl.weights_bytes = 192 : i64} {
    func.func @main_graph() {
      %a = krnl.weight_view [0] : memref<2x16xf32>
      %b = krnl.weight_view [128] : memref<4xf32>
      return
    }
  }
}

// -----

// The offsets of a single level stay as they are.
// CHECK: module @x86_64_v2
// CHECK:   krnl.weight_view[64]
module {
  module @x86_64_v2 attributes {
      krnl.weights = [{offset = 64 : i64, value = dense<1.0> : tensor<16xf32>}],
      krnl.weights_bytes = 128 : i64} {
    func.func @main_graph() {
      %a = krnl.weight_view [64] : memref<16xf32>
      return
    }
  }
}
