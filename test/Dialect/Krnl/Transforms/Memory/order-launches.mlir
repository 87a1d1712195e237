// RUN: onnx-opt %s --krnl-plan-memory=record-plan | FileCheck %s
//
// The chain of launches that wait for each other and take longest is recorded.

#gpu = #krnl.target<triple = "nvptx64-nvidia-cuda", tile_threads = 1024>
#cpu = #krnl.target<triple = "x86_64-unknown-linux-gnu">

module attributes {krnl.target = #gpu, krnl.host_target = #cpu} {

func.func private @k(memref<64xf32>, memref<64xf32>, index, index) attributes {krnl.kernel}
func.func private @to(memref<64xf32>, memref<2x64xf32>, index, index) attributes {krnl.kernel}
func.func private @flat(memref<64xf32>, memref<128xf32>, index, index) attributes {krnl.kernel}

// Launches that write other parts of a buffer wait only where the parts meet:
// the first two do not, the third has the last bytes of the second.
// CHECK-LABEL: func @parts
// CHECK-SAME:    krnl.critical_path = array<i64: 1, 2>
func.func @parts(%x: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %y = krnl.output 0 () : memref<64xf32>
  krnl.launch @k ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) tiles(%c1) {krnl.cycles = [[1.0]], krnl.parts = array<i64: -1, 256, 0, 64>}
  krnl.launch @k ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) tiles(%c1) {krnl.cycles = [[1.0]], krnl.parts = array<i64: -1, 256, 64, 128>}
  krnl.launch @k ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) tiles(%c1) {krnl.cycles = [[1.0]], krnl.parts = array<i64: -1, 256, 124, 256>}
  return
}

// A launch waits for those that read what it writes, and for those that write it.
// CHECK-LABEL: func @writes
// CHECK-SAME:    krnl.critical_path = array<i64: 1, 2, 3>
func.func @writes(%x: memref<64xf32>, %w: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %y = krnl.output 0 () : memref<64xf32>
  %z = krnl.output 1 () : memref<64xf32>
  krnl.launch @k ins(%x : memref<64xf32>) outs(%z : memref<64xf32>) tiles(%c1) {krnl.cycles = [[1.0]]}
  krnl.launch @k ins(%w : memref<64xf32>) outs(%y : memref<64xf32>) tiles(%c1) {krnl.cycles = [[2.0]]}
  krnl.launch @k ins(%x : memref<64xf32>) outs(%w : memref<64xf32>) tiles(%c1) {krnl.cycles = [[1.0]]}
  krnl.launch @k ins(%x : memref<64xf32>) outs(%w : memref<64xf32>) tiles(%c1) {krnl.cycles = [[1.0]]}
  return
}

// Parts of a view that shows rows of a buffer are not those of the buffer, those of another shape are.
// CHECK-LABEL: func @views
// CHECK-SAME:    krnl.critical_path = array<i64: 0, 2>
func.func @views(%x: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %y = krnl.output 0 () : memref<2x64xf32>
  %v = memref.collapse_shape %y [[0, 1]] : memref<2x64xf32> into memref<128xf32>
  %r = krnl.row_view %y[%c1] : memref<2x64xf32> -> memref<64xf32>
  krnl.launch @to ins(%x : memref<64xf32>) outs(%y : memref<2x64xf32>) tiles(%c1) {krnl.cycles = [[2.0]], krnl.parts = array<i64: -1, 256, 0, 128>}
  krnl.launch @flat ins(%x : memref<64xf32>) outs(%v : memref<128xf32>) tiles(%c1) {krnl.cycles = [[1.0]], krnl.parts = array<i64: -1, 256, 128, 256>}
  krnl.launch @k ins(%x : memref<64xf32>) outs(%r : memref<64xf32>) tiles(%c1) {krnl.cycles = [[1.0]], krnl.parts = array<i64: -1, 256, 128, 256>}
  return
}

// So are those of a cast to another shape of all elements, but not of some of them.
// CHECK-LABEL: func @casts
// CHECK-SAME:    krnl.critical_path = array<i64: 0, 2>
func.func @casts(%x: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %y = krnl.output 0 () : memref<2x64xf32>
  %v = memref.reinterpret_cast %y to offset: [0], sizes: [128], strides: [1] : memref<2x64xf32> to memref<128xf32>
  %r = memref.reinterpret_cast %y to offset: [0], sizes: [64], strides: [1] : memref<2x64xf32> to memref<64xf32>
  krnl.launch @to ins(%x : memref<64xf32>) outs(%y : memref<2x64xf32>) tiles(%c1) {krnl.cycles = [[2.0]], krnl.parts = array<i64: -1, 256, 0, 128>}
  krnl.launch @flat ins(%x : memref<64xf32>) outs(%v : memref<128xf32>) tiles(%c1) {krnl.cycles = [[1.0]], krnl.parts = array<i64: -1, 256, 128, 256>}
  krnl.launch @k ins(%x : memref<64xf32>) outs(%r : memref<64xf32>) tiles(%c1) {krnl.cycles = [[1.0]], krnl.parts = array<i64: -1, 256, 128, 256>}
  return
}

// Launches after what the host reads of a launch wait for all before, and
// those of a loop for those before it; the loop counts with its steps.
// CHECK-LABEL: func @host
// CHECK-SAME:    krnl.critical_path = array<i64: 1, 2, 4>
func.func @host(%x: memref<64xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %y = krnl.output 0 () : memref<64xf32>
  %z = krnl.output 1 () : memref<64xf32>
  krnl.launch @k ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) tiles(%c1) {krnl.cycles = [[1.0]]}
  krnl.launch @k ins(%x : memref<64xf32>) outs(%z : memref<64xf32>) tiles(%c1) {krnl.cycles = [[2.0]]}
  %v = memref.load %y[%c0] : memref<64xf32>
  krnl.launch @k ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) tiles(%c1) {krnl.cycles = [[1.0]]}
  scf.for %i = %c0 to %c9 step %c1 {
    krnl.launch @k ins(%x : memref<64xf32>) outs(%z : memref<64xf32>) tiles(%c1) {krnl.cycles = [[1.0]]}
    krnl.launch @k ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) tiles(%c1) {krnl.cycles = [[2.0]]}
  }
  return %v : f32
}

// Copies between buffers are on the device and order launches, but they are none.
// CHECK-LABEL: func @copies
// CHECK-SAME:    krnl.critical_path = array<i64: 0, 1>
func.func @copies(%x: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %y = krnl.output 0 () : memref<64xf32>
  %z = krnl.output 1 () : memref<64xf32>
  %s = memref.alloc() : memref<64xf32>
  krnl.launch @k ins(%x : memref<64xf32>) outs(%s : memref<64xf32>) tiles(%c1) {krnl.cycles = [[1.0]]}
  memref.copy %s, %y : memref<64xf32> to memref<64xf32>
  krnl.launch @k ins(%y : memref<64xf32>) outs(%z : memref<64xf32>) tiles(%c1) {krnl.cycles = [[1.0]]}
  return
}
}
