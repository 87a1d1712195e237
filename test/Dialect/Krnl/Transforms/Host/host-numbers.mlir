// RUN: onnx-opt %s --krnl-form-parallel-regions --split-input-file | FileCheck %s

// Arithmetic on known numbers makes no operations: the work of a launch of known size says
// by itself how many workers are profitable.
func.func private @k(memref<64xf32>, memref<64xf32>, index, index) attributes {krnl.kernel}
// CHECK-LABEL: func @known
// CHECK-NOT:     arith.muli
// CHECK-NOT:     arith.divsi
// CHECK:         krnl.parallel_region
// CHECK-NOT:     arith.muli
func.func @known(%x: memref<64xf32>, %y: memref<64xf32>) {
  %c8 = arith.constant 8 : index
  krnl.launch @k ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) tiles(%c8) {krnl.cycles = [[1.0e9]]}
  return
}

// -----

// Numbers saturate far below an overflow: two launches of more cycles than any machine has
// are as much work as there can be, and all eight tiles have a worker.
func.func private @k(memref<64xf32>, memref<64xf32>, index, index) attributes {krnl.kernel}
// CHECK-LABEL: func @saturated
// CHECK-NOT:     arith.muli
// CHECK:         krnl.parallel_region tiles(%c8
func.func @saturated(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>) {
  %c8 = arith.constant 8 : index
  krnl.launch @k ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) tiles(%c8) {krnl.cycles = [[1.0e300]]}
  krnl.launch @k ins(%x : memref<64xf32>) outs(%z : memref<64xf32>) tiles(%c8) {krnl.cycles = [[1.0e300]]}
  return
}

// -----

// Zero and one are not multiplied or added with: of one cycle for each of %n * 1 elements
// the product with a constant is left.
func.func private @k(memref<?xf32>, index, index, memref<?xf32>, index, index) attributes {krnl.kernel}
// CHECK-LABEL: func @neutral
// CHECK-COUNT-1: arith.muli
// CHECK-NOT:     arith.muli
// CHECK:         krnl.parallel_region
func.func @neutral(%x: memref<?xf32>, %n: index, %y: memref<?xf32>) {
  %c1 = arith.constant 1 : index
  krnl.launch @k ins(%x, %n, %c1 : memref<?xf32>, index, index) outs(%y : memref<?xf32>) tiles(%n) {krnl.cycles = [[100.0, 1, 2]]}
  return
}
