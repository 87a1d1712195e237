// RUN: onnx-opt %s --krnl-place-launches | FileCheck %s
//
// Which memory of the device buffers have.

#gpu = #krnl.target<triple = "nvptx64-nvidia-cuda", tile_threads = 1024>
#cpu = #krnl.target<triple = "x86_64-unknown-linux-gnu">

// CHECK: module attributes {{.*}}krnl.device_errors = {{\[\[}}"node 'Gather_0': first", 1], ["node 'Gather_1': second", -1], ["node 'Gather_2': third", 0]]
module attributes {krnl.target = #gpu, krnl.host_target = #cpu} {

func.func private @second(memref<64xf32>, memref<64xf32>) attributes {krnl.kernel, krnl.threads = 64 : i64}

// A part of a buffer is the same part on the device.
// CHECK-LABEL: func.func @part(
// CHECK:         %[[DX:.+]] = krnl.arena_view
// CHECK:         %[[PART:.+]] = memref.reinterpret_cast %[[DX]] to offset: [0], sizes: [8, 8]
// CHECK-NEXT:    krnl.launch @third ins(%[[PART]]
func.func private @third(memref<8x8xf32>, memref<64xf32>) attributes {krnl.kernel, krnl.threads = 64 : i64}
func.func @part(%x: memref<64xf32>) attributes {krnl.arena_bytes = 0 : i64} {
  %c1 = arith.constant 1 : index
  %y = krnl.output 0 () : memref<64xf32>
  %p = memref.reinterpret_cast %x to offset: [0], sizes: [8, 8], strides: [8, 1] : memref<64xf32> to memref<8x8xf32>
  krnl.launch @third ins(%p : memref<8x8xf32>) outs(%y : memref<64xf32>) tiles(%c1)
  return
}

// Buffers that a loop forwards are as far from the beginning of the arena on the
// device as on the host. What is carried is copied once, and back where the host
// reads it.
// CHECK-LABEL: func.func @carried(
// CHECK:         %[[ARENA:.+]] = krnl.device_alloc
// CHECK:         %[[S:.+]] = krnl.arena_view[%c0] () : memref<64xf32>
// CHECK-NEXT:    %[[DS:.+]] = krnl.arena_view[%c0] () in %[[ARENA]]
// CHECK-NEXT:    %[[T:.+]] = krnl.arena_view[%c256] () : memref<64xf32>
// CHECK-NEXT:    %[[DT:.+]] = krnl.arena_view[%c256] () in %[[ARENA]]
// CHECK:         memref.store %{{.+}}, %[[S]]
// CHECK-NEXT:    krnl.copy_in %[[S]] to %[[DS]]
// CHECK-NEXT:    %[[R:.+]]:2 = scf.for {{.+}} iter_args(%[[A:.+]] = %[[S]], %[[B:.+]] = %[[T]])
// CHECK-NOT:       krnl.copy
// CHECK:           %[[START:.+]] = krnl.arena_view[%{{.+}}] () : memref<1xi8>
// CHECK-NEXT:      %[[AT:.+]] = memref.extract_aligned_pointer_as_index %[[B]]
// CHECK-NEXT:      %[[BASE:.+]] = memref.extract_aligned_pointer_as_index %[[START]]
// CHECK-NEXT:      %[[OFFSET:.+]] = arith.subi %[[AT]], %[[BASE]]
// CHECK-NEXT:      %[[DB:.+]] = krnl.arena_view[%[[OFFSET]]] () in %[[ARENA]]
// CHECK:           krnl.launch @second ins(%{{.+}} : {{.+}}) outs(%[[DB]] :
// CHECK-NEXT:      scf.yield %[[B]], %[[A]]
// CHECK:         krnl.copy_out %[[DS]] to %[[S]] wait
// CHECK-NEXT:    krnl.copy_out %[[DT]] to %[[T]] wait
// CHECK-NEXT:    memref.load %[[R]]#0
func.func @carried(%n: index) -> f32 attributes {krnl.arena_bytes = 512 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %s = krnl.arena_view[%c0] () : memref<64xf32>
  %t = krnl.arena_view[%c256] () : memref<64xf32>
  memref.store %zero, %s[%c0] : memref<64xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %s, %b = %t) -> (memref<64xf32>, memref<64xf32>) {
    krnl.launch @second ins(%a : memref<64xf32>) outs(%b : memref<64xf32>) tiles(%c1)
    scf.yield %b, %a : memref<64xf32>, memref<64xf32>
  }
  %x = memref.load %r#0[%c0] : memref<64xf32>
  return %x : f32
}

// The input is in no arena: what may be it is copied for each launch, from the
// host, which has the newest contents of both.
// CHECK-LABEL: func.func @of_two_kinds(
// CHECK-SAME:    %[[X:.+]]: memref<64xf32>,
// CHECK:         krnl.launch @second {{.+}} outs(%[[DT:[0-9a-z_]+]] :
// CHECK-NEXT:    %[[NAME:.+]] = arith.select %{{.+}}, %[[X]], %[[T:.+]] : memref<64xf32>
// CHECK:         krnl.copy_out %[[DT]] to %[[T]] wait
// CHECK:         krnl.copy_in %[[NAME]] to %[[COPY:.+]] :
// CHECK:         krnl.launch @second ins(%[[COPY]]
func.func @of_two_kinds(%x: memref<64xf32>, %which: i1) attributes {krnl.arena_bytes = 256 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = krnl.arena_view[%c0] () : memref<64xf32>
  %w = krnl.weight_view[0] : memref<64xf32>
  %y = krnl.output 0 () : memref<64xf32>
  krnl.launch @second ins(%w : memref<64xf32>) outs(%t : memref<64xf32>) tiles(%c1)
  %name = arith.select %which, %x, %t : memref<64xf32>
  krnl.launch @second ins(%name : memref<64xf32>) outs(%y : memref<64xf32>) tiles(%c1)
  return
}

// A buffer of a branch that is read after it stays on the host.
// CHECK-LABEL: func.func @leaving(
// CHECK:         scf.if
// CHECK:           krnl.launch @second ins(%{{.+}} : {{.+}}) outs(%[[DT:[0-9a-z_]+]] :
// CHECK:           krnl.copy_out %[[DT]] to %[[T:.+]] wait
// CHECK:           scf.yield %[[T]]
// CHECK:         memref.load
func.func @leaving(%x: memref<64xf32>, %which: i1) -> f32 attributes {krnl.arena_bytes = 512 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %s = krnl.arena_view[%c256] () : memref<64xf32>
  %r = scf.if %which -> memref<64xf32> {
    %t = krnl.arena_view[%c0] () : memref<64xf32>
    krnl.launch @second ins(%x : memref<64xf32>) outs(%t : memref<64xf32>) tiles(%c1)
    scf.yield %t : memref<64xf32>
  } else {
    scf.yield %s : memref<64xf32>
  }
  %y = memref.load %r[%c0] : memref<64xf32>
  return %y : f32
}

// The words of a launch begin at the row of its first message. They are never copied.
// CHECK-LABEL: func.func @indices(
// CHECK-DAG:     %[[V:.+]] = krnl.error_word ["first", "second"] at {{.+}} dimensions [1, -1] {krnl.first_error = 0 : i32}
// CHECK-DAG:     %[[W:.+]] = krnl.error_word ["third"] at {{.+}} dimensions [0] {krnl.first_error = 2 : i32}
// CHECK:         krnl.copy_in
// CHECK-NOT:     krnl.copy_in
// CHECK:         krnl.launch @checked ins(%{{.+}}, %[[V]] :
// CHECK:         krnl.launch @checked ins(%{{.+}}, %[[W]] :
// CHECK-NEXT:    krnl.copy_out
// CHECK-NEXT:    return
func.func private @checked(memref<64xf32>, memref<?x2xi64>, memref<64xf32>) attributes {krnl.kernel, krnl.threads = 64 : i64}
func.func @indices(%x: memref<64xf32>) attributes {krnl.arena_bytes = 256 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = krnl.arena_view[%c0] () : memref<64xf32>
  %y = krnl.output 0 () : memref<64xf32>
  %v = krnl.error_word ["first", "second"] at [loc("Gather_0"("Gather"("m.onnx"))), loc("Gather_1"("Gather"("m.onnx")))] dimensions [1, -1] : memref<2x2xi64>
  %w = krnl.error_word ["third"] at [loc("Gather_2"("Gather"("m.onnx")))] dimensions [0] : memref<1x2xi64>
  krnl.launch @checked ins(%x, %v : memref<64xf32>, memref<2x2xi64>) outs(%t : memref<64xf32>) tiles(%c1)
  krnl.launch @checked ins(%t, %w : memref<64xf32>, memref<1x2xi64>) outs(%y : memref<64xf32>) tiles(%c1)
  return
}

// The arena of the device is as large as the host's; inputs and outputs have
// memory of their sizes.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME:    %[[X:.+]]: memref<?xf32>, %[[N:.+]]: index
// CHECK:         %[[BYTES:.+]] = krnl.buffer_bytes(%{{.+}}) : memref<?xf32>
// CHECK-NEXT:    %[[MEMORY:.+]] = krnl.device_alloc %[[BYTES]]
// CHECK:         %[[DX:.+]] = krnl.arena_view[%{{.+}}] (%{{.+}}) in %[[MEMORY]]
// CHECK:         krnl.arena_reserve %[[TOTAL:.+]]
// CHECK-NEXT:    %[[ARENA:.+]] = krnl.device_alloc %[[TOTAL]]
// CHECK:         %[[DT:.+]] = krnl.arena_view[%{{.+}}] (%[[N]]) in %[[ARENA]]
// CHECK:         krnl.copy_in %[[X]] to %[[DX]]
// CHECK-NEXT:    krnl.launch @fourth ins(%[[DX]] : {{.+}}) outs(%[[DT]] :
// CHECK-NEXT:    krnl.launch @fourth ins(%[[DT]] : {{.+}}) outs(%[[DY:.+]] : memref<?xf32>)
// CHECK-NEXT:    krnl.copy_out %[[DY]] to
// CHECK-NEXT:    return
func.func private @fourth(memref<?xf32>, memref<?xf32>) attributes {krnl.kernel, krnl.threads = 64 : i64}
func.func @dynamic(%x: memref<?xf32>, %n: index) attributes {krnl.arena_bytes = 0 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bytes = krnl.buffer_bytes(%n) : memref<?xf32>
  %arena = krnl.arena_reserve %bytes
  %t = krnl.arena_view[%c0] (%n) in %arena lives [0, 3] : memref<?xf32>
  %y = krnl.output 0 (%n) : memref<?xf32>
  krnl.launch @fourth ins(%x : memref<?xf32>) outs(%t : memref<?xf32>) tiles(%c1)
  krnl.launch @fourth ins(%t : memref<?xf32>) outs(%y : memref<?xf32>) tiles(%c1)
  return
}

}
