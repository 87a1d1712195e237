// RUN: onnx-opt %s --krnl-plan-memory=record-plan | FileCheck %s
//
// Predicted cycles decide which chain of launches takes longest.

#gpu = #krnl.target<triple = "nvptx64-nvidia-cuda", tile_threads = 1024>
#cpu = #krnl.target<triple = "x86_64-unknown-linux-gnu">

module attributes {krnl.target = #gpu, krnl.host_target = #cpu} {

func.func private @k(memref<64xf32>, memref<64xf32>, index, index) attributes {krnl.kernel}
func.func private @sized(memref<64xf32>, index, memref<64xf32>, index, index) attributes {krnl.kernel}

// The terms of a launch add up; an extent is that for sizes of 32.
// CHECK-LABEL: func @terms
// CHECK-SAME:    krnl.critical_path = array<i64: 0, 2, 4>
func.func @terms(%x: memref<64xf32>, %d: memref<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %d, %c0 : memref<?xf32>
  %y = krnl.output 0 () : memref<64xf32>
  %z = krnl.output 1 () : memref<64xf32>
  krnl.launch @k ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) tiles(%c1) {krnl.cycles = [[2.0], [1.0]]}
  krnl.launch @k ins(%x : memref<64xf32>) outs(%z : memref<64xf32>) tiles(%c1) {krnl.cycles = [[2.5]]}
  %v = memref.load %y[%c0] : memref<64xf32>
  krnl.launch @sized ins(%x, %n : memref<64xf32>, index) outs(%y : memref<64xf32>) tiles(%c1) {krnl.cycles = [[1.0, 1]]}
  krnl.launch @k ins(%x : memref<64xf32>) outs(%z : memref<64xf32>) tiles(%c1) {krnl.cycles = [[31.0]]}
  krnl.launch @sized ins(%y, %n : memref<64xf32>, index) outs(%z : memref<64xf32>) tiles(%c1) {krnl.cycles = [[1.0, 1]]}
  return %v : f32
}

// 32 is not longer than 512: the branch is not taken, and the launch of the long
// rows has none.
// CHECK-LABEL: func @skipped
// CHECK-SAME:    krnl.critical_path = array<i64: 2, 3>
func.func @skipped(%x: memref<64xf32>, %d: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %n = memref.dim %d, %c0 : memref<?xf32>
  %long = arith.cmpi sgt, %n, %c512 : index
  %rows = arith.select %long, %n, %c0 : index
  %y = krnl.output 0 () : memref<64xf32>
  %z = krnl.output 1 () : memref<64xf32>
  scf.if %long {
    krnl.launch @k ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) tiles(%c1) {krnl.cycles = [[100.0]]}
  }
  krnl.launch @sized ins(%x, %rows : memref<64xf32>, index) outs(%y : memref<64xf32>) tiles(%rows) {krnl.cycles = [[100.0]]}
  krnl.launch @k ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) tiles(%n) {krnl.cycles = [[1.0]]}
  krnl.launch @k ins(%y : memref<64xf32>) outs(%z : memref<64xf32>) tiles(%c1) {krnl.cycles = [[1.0]]}
  return
}
}
