// RUN: onnx-opt %s --verify-roundtrip | FileCheck %s
// RUN: onnx-opt %s --canonicalize --cse | FileCheck %s --check-prefix=FOLD

// A packed constant has the type of what is stored.
// CHECK-LABEL: func @constants
// CHECK:         krnl.constant dense<1.000000e+00> : tensor<4x6xf32>
// CHECK:         krnl.constant dense<2.000000e+00> : tensor<4x6xf32> layout <dims = [1, 0, 1], sizes = [2, 4, 4], strides = [4, 1, 1]>
// FOLD-LABEL:  func @constants
// FOLD-COUNT-2:  krnl.constant
// FOLD-NOT:      krnl.constant
func.func @constants() -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<2x4x4xf32>) {
  %a = krnl.constant dense<1.0> : tensor<4x6xf32>
  %b = krnl.constant dense<1.0> : tensor<4x6xf32>
  %c = krnl.constant dense<2.0> : tensor<4x6xf32> layout <dims = [1, 0, 1], sizes = [2, 4, 4], strides = [4, 1, 1]>
  return %a, %b, %c : tensor<4x6xf32>, tensor<4x6xf32>, tensor<2x4x4xf32>
}

// An unused call on tensors goes away, a stateful one does not.
// CHECK-LABEL: func @calls
// CHECK:         krnl.call @onnxc_rt_sort(%{{.+}}) params [1] : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xi64>)
// CHECK:         krnl.call @onnxc_rt_random() stateful : () -> tensor<4xf32>
// CHECK:         krnl.check %{{.+}}, "sizes differ"{{$}}
// CHECK:         krnl.check %{{.+}}, "sizes differ" sizes(%{{.+}}, %{{.+}}){{$}}
// CHECK:         krnl.check %{{.+}}, "too long" sizes(%{{.+}}) format "[4, {}]"
// FOLD-LABEL:  func @calls
// FOLD-NOT:      @onnxc_rt_sort
// FOLD:          @onnxc_rt_random
func.func @calls(%x: tensor<?xf32>, %c: i1, %n: index, %s: tensor<2x!krnl.str>, %o: !krnl.obj) {
  %v, %i = krnl.call @onnxc_rt_sort(%x) params [1] : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xi64>)
  %r = krnl.call @onnxc_rt_random() stateful : () -> tensor<4xf32>
  krnl.check %c, "sizes differ"
  krnl.check %c, "sizes differ" sizes(%n, %n)
  krnl.check %c, "too long" sizes(%n) format "[4, {}]"
  return
}

func.func private @kernel_0(memref<4xf32>, memref<?xf32>, f32, memref<4xf32>, memref<?xi8>, index, index) attributes {krnl.kernel}
func.func private @kernel_1(memref<4xf32>, memref<4xf32>, index, index) attributes {krnl.kernel}

// CHECK-LABEL: func @launch_on_tensors
// CHECK:         krnl.launch @kernel_0 ins({{.+}}) outs({{.+}}) tiles({{.+}}) scratch 256 -> tensor<4xf32>
func.func @launch_on_tensors(%a: tensor<4xf32>, %b: tensor<?xf32>, %s: f32, %o: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %r = krnl.launch @kernel_0 ins(%a, %b, %s : tensor<4xf32>, tensor<?xf32>, f32) outs(%o : tensor<4xf32>) tiles(%n) scratch 256 -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func @region
// CHECK:         krnl.parallel_region tiles(%{{.+}}) {
// CHECK-NEXT:      krnl.launch @kernel_1
// CHECK-NEXT:      krnl.barrier
// CHECK-NEXT:      krnl.launch @kernel_1
// CHECK-NEXT:    }
func.func @region(%a: memref<4xf32>, %b: memref<4xf32>, %n: index) {
  krnl.parallel_region tiles(%n) {
    krnl.launch @kernel_1 ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) tiles(%n)
    krnl.barrier
    krnl.launch @kernel_1 ins(%b : memref<4xf32>) outs(%a : memref<4xf32>) tiles(%n)
  }
  return
}

// CHECK-LABEL: func @buffers
// CHECK:         krnl.arena_view[%{{.+}}] (%{{.+}}) : memref<?x4xf32>
// CHECK:         krnl.weight_view[128] : memref<16xf32>
// CHECK:         krnl.alloc(%{{.+}}) : memref<?xi8>
// CHECK:         krnl.release %{{.+}} : memref<?xi8>
// CHECK:         krnl.from_pointer %{{.+}}(%{{.+}}) : !llvm.ptr -> memref<?x4xf32>
func.func @buffers(%at: index, %n: index, %p: !llvm.ptr) {
  %a = krnl.arena_view [%at] (%n) : memref<?x4xf32>
  %w = krnl.weight_view [128] : memref<16xf32>
  %b = krnl.alloc (%n) : memref<?xi8>
  krnl.release %b : memref<?xi8>
  %f = krnl.from_pointer %p(%n) : !llvm.ptr -> memref<?x4xf32>
  return
}

// CHECK-LABEL: func @computed_places
// CHECK:         krnl.buffer_bytes(%{{.+}}) : memref<?x4xf32>
// CHECK:         %[[A:.+]] = krnl.arena_reserve %{{.+}}
// CHECK:         krnl.arena_view[%{{.+}}] (%{{.+}}) in %[[A]] lives [2, 7] : memref<?x4xf32>
// CHECK:         krnl.error_word ["bad row", "bad column"] at [#{{.+}}, #{{.+}}] dimensions [0, -1] : memref<2x2xi64>
func.func @computed_places(%at: index, %n: index) {
  %b = krnl.buffer_bytes(%n) : memref<?x4xf32>
  %arena = krnl.arena_reserve %b
  %v = krnl.arena_view [%at] (%n) in %arena lives [2, 7] : memref<?x4xf32>
  %w = krnl.error_word ["bad row", "bad column"] at [loc("r"), loc("c")] dimensions [0, -1] : memref<2x2xi64>
  return
}

// With room for all rows that will come.
// CHECK-LABEL: func @rows_of_known_number
// CHECK:         krnl.append_row %arg1 to %arg0[%arg2] of %c5 : tensor<4xf32> to tensor<5x4xf32>
func.func @rows_of_known_number(%rows: tensor<5x4xf32>, %row: tensor<4xf32>, %n: index) {
  %c5 = arith.constant 5 : index
  %r = krnl.append_row %row to %rows[%n] of %c5 : tensor<4xf32> to tensor<5x4xf32>
  return
}

// CHECK-LABEL: func @rows
// CHECK:         krnl.append_row %arg1 to %arg0[%arg2] of %arg2 : tensor<4xf32> to tensor<?x4xf32>
// CHECK:         krnl.first_rows %{{.+}}[%arg2] : tensor<?x4xf32>
// CHECK:         krnl.row_view %arg3[%arg2] : memref<?x4xf32> -> memref<4xf32>
func.func @rows(%rows: tensor<?x4xf32>, %row: tensor<4xf32>, %n: index, %m: memref<?x4xf32>) {
  %r = krnl.append_row %row to %rows[%n] of %n : tensor<4xf32> to tensor<?x4xf32>
  %f = krnl.first_rows %r[%n] : tensor<?x4xf32>
  %v = krnl.row_view %m[%n] : memref<?x4xf32> -> memref<4xf32>
  return
}
