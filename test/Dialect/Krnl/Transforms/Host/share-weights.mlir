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

// -----

// A dimension that is split and walked along in one go is one: both forms have
// the same elements in the same order, those of the last one have others.
// CHECK:      module @x86_64_v2 attributes {krnl.weights = [
// CHECK-SAME:   {layout = #krnl.packed<dims = [1, 0, 1], sizes = [2, 8, 16], strides = [16, 1, 1]>, offset = 0 : i64
// CHECK-SAME:   {layout = #krnl.packed<dims = [1, 0, 1], sizes = [2, 9, 16], strides = [16, 1, 1]>, offset = 1024 : i64
// CHECK-SAME: krnl.weights_bytes = 2176 : i64
// CHECK:        krnl.weight_view[0] : memref<2x8x16xf32>
// CHECK:      module @x86_64_v3
// CHECK:        krnl.weight_view[0] : memref<2x2x4x1x16xf32>
// CHECK:        krnl.weight_view[1024] : memref<2x3x3x16xf32>
module {
  module @x86_64_v2 attributes {
      krnl.weights = [{layout = #krnl.packed<dims = [1, 0, 1], sizes = [2, 8, 16], strides = [16, 1, 1]>, offset = 0 : i64, value = dense<1.0> : tensor<8x32xf32>}],
      krnl.weights_bytes = 1024 : i64} {
    func.func @main_graph() {
      %a = krnl.weight_view [0] : memref<2x8x16xf32>
      return
    }
  }
  module @x86_64_v3 attributes {
      krnl.weights = [{layout = #krnl.packed<dims = [1, 0, 0, 1, 1], sizes = [2, 2, 4, 1, 16], strides = [16, 4, 1, 16, 1]>, offset = 0 : i64, value = dense<1.0> : tensor<8x32xf32>},
                      {layout = #krnl.packed<dims = [1, 0, 0, 1], sizes = [2, 3, 3, 16], strides = [16, 3, 1, 1]>, offset = 1024 : i64, value = dense<1.0> : tensor<8x32xf32>}],
      krnl.weights_bytes = 2176 : i64} {
    func.func @main_graph() {
      %a = krnl.weight_view [0] : memref<2x2x4x1x16xf32>
      %b = krnl.weight_view [1024] : memref<2x3x3x16xf32>
      return
    }
  }
}
