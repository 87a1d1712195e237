// RUN: onnx-opt %s --krnl-plan-memory=record-plan --split-input-file | FileCheck %s
//
// Launches on a device run at the same time unless one needs what the other
// writes: they share bytes where they are ordered anyway, and the chain that
// takes longest is recorded.

#gpu = #krnl.target<triple = "nvptx64-nvidia-cuda", tile_threads = 1024>
#cpu = #krnl.target<triple = "x86_64-unknown-linux-gnu">

module attributes {krnl.target = #gpu, krnl.host_target = #cpu} {

func.func private @k(memref<64xf32>, memref<64xf32>, index, index) attributes {krnl.kernel}

// Each branch has 256 bytes of its own beside those of %s; on a processor the
// second would have those of the first. The branch that takes longer is the path.
// CHECK-LABEL: func @branches
// CHECK-SAME:    krnl.arena_bytes = 768 : i64
// CHECK-SAME:    krnl.critical_path = array<i64: 0, 3, 4, 5>
// CHECK-DAG:     krnl.arena_view[%c256] () : memref<64xf32>
// CHECK-DAG:     krnl.arena_view[%c512] () : memref<64xf32>
func.func @branches(%x: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %y = krnl.output 0 () : memref<64xf32>
  %z = krnl.output 1 () : memref<64xf32>
  %s = memref.alloc() : memref<64xf32>
  krnl.launch @k ins(%x : memref<64xf32>) outs(%s : memref<64xf32>) tiles(%c1) {krnl.cycles = [[1.0]]}
  %a = memref.alloc() : memref<64xf32>
  krnl.launch @k ins(%s : memref<64xf32>) outs(%a : memref<64xf32>) tiles(%c1) {krnl.cycles = [[1.0]]}
  krnl.launch @k ins(%a : memref<64xf32>) outs(%y : memref<64xf32>) tiles(%c1) {krnl.cycles = [[1.0]]}
  %b = memref.alloc() : memref<64xf32>
  krnl.launch @k ins(%s : memref<64xf32>) outs(%b : memref<64xf32>) tiles(%c1) {krnl.cycles = [[2.0]]}
  krnl.launch @k ins(%b : memref<64xf32>) outs(%z : memref<64xf32>) tiles(%c1) {krnl.cycles = [[1.0]]}
  krnl.launch @k ins(%s : memref<64xf32>) outs(%z : memref<64xf32>) tiles(%c1) {krnl.cycles = [[1.0]]}
  return
}

// The launches of a chain wait anyway: two buffers swap.
// CHECK-LABEL: func @chain
// CHECK-SAME:    krnl.arena_bytes = 512 : i64
// CHECK-SAME:    krnl.critical_path = array<i64: 0, 1, 2, 3>
func.func @chain(%x: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %y = krnl.output 0 () : memref<64xf32>
  %a = memref.alloc() : memref<64xf32>
  krnl.launch @k ins(%x : memref<64xf32>) outs(%a : memref<64xf32>) tiles(%c1) {krnl.cycles = [[1.0]]}
  %b = memref.alloc() : memref<64xf32>
  krnl.launch @k ins(%a : memref<64xf32>) outs(%b : memref<64xf32>) tiles(%c1) {krnl.cycles = [[1.0]]}
  %c = memref.alloc() : memref<64xf32>
  krnl.launch @k ins(%b : memref<64xf32>) outs(%c : memref<64xf32>) tiles(%c1) {krnl.cycles = [[1.0]]}
  krnl.launch @k ins(%c : memref<64xf32>) outs(%y : memref<64xf32>) tiles(%c1) {krnl.cycles = [[1.0]]}
  return
}
}

// -----

#gpu = #krnl.target<triple = "nvptx64-nvidia-cuda", tile_threads = 1024>
#cpu = #krnl.target<triple = "x86_64-unknown-linux-gnu">

module attributes {krnl.target = #gpu, krnl.host_target = #cpu} {

func.func private @k(memref<?xf32>, memref<?xf32>, index, index) attributes {krnl.kernel}

// The second branch begins where the first one ends, whatever the size.
// CHECK-LABEL: func @dynamic
// CHECK:         %[[BYTES:.+]] = krnl.buffer_bytes
// CHECK:         %[[SECOND:.+]] = arith.addi %[[BYTES]], %[[BYTES]]
// CHECK-DAG:     krnl.arena_view[%[[BYTES]]]
// CHECK-DAG:     krnl.arena_view[%[[SECOND]]]
func.func @dynamic(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %y = krnl.output 0 (%n) : memref<?xf32>
  %z = krnl.output 1 (%n) : memref<?xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  krnl.launch @k ins(%x : memref<?xf32>) outs(%s : memref<?xf32>) tiles(%c1) {krnl.cycles = [[1.0]]}
  %a = memref.alloc(%n) : memref<?xf32>
  krnl.launch @k ins(%s : memref<?xf32>) outs(%a : memref<?xf32>) tiles(%c1) {krnl.cycles = [[1.0]]}
  krnl.launch @k ins(%a : memref<?xf32>) outs(%y : memref<?xf32>) tiles(%c1) {krnl.cycles = [[1.0]]}
  %b = memref.alloc(%n) : memref<?xf32>
  krnl.launch @k ins(%s : memref<?xf32>) outs(%b : memref<?xf32>) tiles(%c1) {krnl.cycles = [[1.0]]}
  krnl.launch @k ins(%b : memref<?xf32>) outs(%z : memref<?xf32>) tiles(%c1) {krnl.cycles = [[1.0]]}
  krnl.launch @k ins(%s : memref<?xf32>) outs(%z : memref<?xf32>) tiles(%c1) {krnl.cycles = [[1.0]]}
  return
}
}
