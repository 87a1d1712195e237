// RUN: onnx-opt %s --krnl-plan-memory=record-plan | FileCheck %s
//
// Which launches are on the critical path shows what the host computes where
// dynamic sizes are 32.

#gpu = #krnl.target<triple = "nvptx64-nvidia-cuda", tile_threads = 1024>
#cpu = #krnl.target<triple = "x86_64-unknown-linux-gnu">

module attributes {krnl.target = #gpu, krnl.host_target = #cpu} {

func.func private @k(memref<64xf32>, memref<64xf32>, index, index) attributes {krnl.kernel}

// (32 + 7) / 8 - 4 is 0, (32 + 8) / 8 - 4 is 1.
// CHECK-LABEL: func @folded
// CHECK-SAME:    krnl.critical_path = array<i64: 1>
func.func @folded(%x: memref<64xf32>, %d: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %n = memref.dim %d, %c0 : memref<?xf32>
  %a = arith.addi %n, %c7 : index
  %a8 = arith.divsi %a, %c8 : index
  %none = arith.subi %a8, %c4 : index
  %b = arith.addi %n, %c8 : index
  %b8 = arith.divsi %b, %c8 : index
  %one = arith.subi %b8, %c4 : index
  %y = krnl.output 0 () : memref<64xf32>
  krnl.launch @k ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) tiles(%none) {krnl.cycles = [[1.0]]}
  krnl.launch @k ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) tiles(%one) {krnl.cycles = [[1.0]]}
  return
}

// What follows from elements is not known: both branches count.
// CHECK-LABEL: func @data
// CHECK-SAME:    krnl.critical_path = array<i64: 0, 1>
func.func @data(%x: memref<64xf32>, %d: memref<4xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.load %d[%c0] : memref<4xindex>
  %long = arith.cmpi sgt, %n, %c1 : index
  %y = krnl.output 0 () : memref<64xf32>
  scf.if %long {
    krnl.launch @k ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) tiles(%c1) {krnl.cycles = [[1.0]]}
  } else {
    krnl.launch @k ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) tiles(%c1) {krnl.cycles = [[1.0]]}
  }
  return
}
}
