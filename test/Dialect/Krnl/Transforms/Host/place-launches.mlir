// RUN: onnx-opt %s --krnl-place-launches | FileCheck %s
//
// What launches have is on the device, and copied where the other side needs it.

#gpu = #krnl.target<triple = "nvptx64-nvidia-cuda", tile_threads = 1024>
#cpu = #krnl.target<triple = "x86_64-unknown-linux-gnu">

module attributes {krnl.target = #gpu, krnl.host_target = #cpu} {

func.func private @first(memref<64xf32>, memref<64xf32>, memref<64xf32>) attributes {krnl.kernel, krnl.threads = 64 : i64}
func.func private @second(memref<64xf32>, memref<64xf32>) attributes {krnl.kernel, krnl.threads = 64 : i64}

// The input is after the 512 bytes of the arena, the output after it. What one
// launch writes and the next reads stays on the device.
// CHECK-LABEL: func.func @two_launches(
// CHECK-SAME:    %[[X:.+]]: memref<64xf32>)
// CHECK:         %[[ARENA:.+]] = krnl.device_alloc %c1024
// CHECK-DAG:     %[[DX:.+]] = krnl.arena_view[%c512] () in %[[ARENA]] : memref<64xf32>
// CHECK-DAG:     %[[CONSTANTS:.+]] = krnl.device_constants
// CHECK-DAG:     %[[DW:.+]] = krnl.arena_view[%c128] () in %[[CONSTANTS]] : memref<64xf32>
// CHECK-DAG:     %[[DT:.+]] = krnl.arena_view[%c256] () in %[[ARENA]] : memref<64xf32>
// CHECK-DAG:     %[[DY:.+]] = krnl.arena_view[%c768] () in %[[ARENA]] : memref<64xf32>
// CHECK:         %[[Y:.+]] = krnl.output 0
// CHECK-NEXT:    krnl.copy_in %[[X]] to %[[DX]]
// CHECK-NEXT:    krnl.launch @first ins(%[[DX]], %[[DW]] : {{.+}}) outs(%[[DT]] : {{.+}}) tiles(%{{.+}}) {krnl.device_kernel = 0 : i32}
// CHECK-NEXT:    krnl.launch @second ins(%[[DT]] : {{.+}}) outs(%[[DY]] : {{.+}}) tiles(%{{.+}}) {krnl.device_kernel = 1 : i32}
// CHECK-NEXT:    krnl.copy_out %[[DY]] to %[[Y]] : memref<64xf32>
// CHECK-NEXT:    return
func.func @two_launches(%x: memref<64xf32>) attributes {krnl.arena_bytes = 512 : i64} {
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %w = krnl.weight_view[128] : memref<64xf32>
  %t = krnl.arena_view[%c256] () : memref<64xf32>
  %y = krnl.output 0 () : memref<64xf32>
  krnl.launch @first ins(%x, %w : memref<64xf32>, memref<64xf32>) outs(%t : memref<64xf32>) tiles(%c1)
  krnl.launch @second ins(%t : memref<64xf32>) outs(%y : memref<64xf32>) tiles(%c1)
  return
}

// The host reads one result, and writes another buffer before it is read.
// CHECK-LABEL: func.func @host_between(
// CHECK:         %[[T:[0-9a-z_]+]] = krnl.arena_view[%{{[0-9a-z_]+}}] () : memref<64xf32>
// CHECK:         krnl.launch @second
// CHECK-NEXT:    krnl.copy_out %[[DT:[0-9a-z_]+]] to %[[T]] wait
// CHECK-NEXT:    memref.load %[[T]]
// CHECK-NEXT:    memref.store %{{.+}}, %[[T]]
// CHECK-NEXT:    krnl.copy_in %[[T]] to %[[DT]]
// CHECK-NEXT:    krnl.launch @second ins(%[[DT]]
// CHECK-NEXT:    krnl.copy_out
// CHECK-NEXT:    return
func.func @host_between(%x: memref<64xf32>) attributes {krnl.arena_bytes = 256 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = krnl.arena_view[%c0] () : memref<64xf32>
  %y = krnl.output 0 () : memref<64xf32>
  krnl.launch @second ins(%x : memref<64xf32>) outs(%t : memref<64xf32>) tiles(%c1)
  %a = memref.load %t[%c0] : memref<64xf32>
  memref.store %a, %t[%c1] : memref<64xf32>
  krnl.launch @second ins(%t : memref<64xf32>) outs(%y : memref<64xf32>) tiles(%c1)
  return
}

// What the device has is copied there, to a buffer of its own; the host copies what it has
// written.
// CHECK-LABEL: func.func @copies(
// CHECK:         krnl.launch @second ins(%{{.+}}) outs(%[[DT:[0-9a-z_]+]] :
// CHECK-NEXT:    memref.copy %[[DT]], %[[DU:[0-9a-z_]+]] {krnl.on_device}
// CHECK-NEXT:    krnl.launch @second ins(%[[DT]] : {{.+}}) outs(%[[DU]] :
// CHECK-NEXT:    krnl.copy_out %[[DU]] to %[[U:[0-9a-z_]+]] wait
// CHECK-NEXT:    memref.store %{{.+}}, %[[U]]
// CHECK-NEXT:    memref.copy %[[U]], %[[T:[0-9a-z_]+]] :
// CHECK-NEXT:    krnl.copy_in %[[T]] to %[[DT]]
// CHECK-NEXT:    krnl.launch @second ins(%[[DT]]
// CHECK-NEXT:    krnl.copy_out
// CHECK-NEXT:    return
func.func @copies(%x: memref<64xf32>) attributes {krnl.arena_bytes = 512 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %one = arith.constant 1.0 : f32
  %t = krnl.arena_view[%c0] () : memref<64xf32>
  %u = krnl.arena_view[%c256] () : memref<64xf32>
  %y = krnl.output 0 () : memref<64xf32>
  krnl.launch @second ins(%x : memref<64xf32>) outs(%t : memref<64xf32>) tiles(%c1)
  memref.copy %t, %u : memref<64xf32> to memref<64xf32>
  krnl.launch @second ins(%t : memref<64xf32>) outs(%u : memref<64xf32>) tiles(%c1)
  memref.store %one, %u[%c0] : memref<64xf32>
  memref.copy %u, %t : memref<64xf32> to memref<64xf32>
  krnl.launch @second ins(%t : memref<64xf32>) outs(%y : memref<64xf32>) tiles(%c1)
  return
}

// The copy may be one of %t to itself, so that all of what %t has is needed:
// the host writes %t, and the device the other buffer.
// CHECK-LABEL: func.func @copy_to_one_of_two_from_host(
// CHECK:         krnl.launch @second ins(%{{.+}}) outs(%[[DU:[0-9a-z_]+]] :
// CHECK-NEXT:    memref.store %{{.+}}, %[[T:[0-9a-z_]+]][
// CHECK-NEXT:    krnl.copy_out %[[DU]] to %{{.+}} wait
// CHECK-NEXT:    memref.copy %{{[0-9a-z_]+}}, %[[T]] :
// CHECK-NEXT:    krnl.copy_in %[[T]] to
// CHECK-NEXT:    krnl.launch @second
// CHECK-NEXT:    krnl.copy_out
// CHECK-NEXT:    return
func.func @copy_to_one_of_two_from_host(%x: memref<64xf32>, %which: i1) attributes {krnl.arena_bytes = 512 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %one = arith.constant 1.0 : f32
  %t = krnl.arena_view[%c0] () : memref<64xf32>
  %u = krnl.arena_view[%c256] () : memref<64xf32>
  %name = arith.select %which, %t, %u : memref<64xf32>
  %y = krnl.output 0 () : memref<64xf32>
  krnl.launch @second ins(%x : memref<64xf32>) outs(%u : memref<64xf32>) tiles(%c1)
  memref.store %one, %t[%c0] : memref<64xf32>
  memref.copy %name, %t : memref<64xf32> to memref<64xf32>
  krnl.launch @second ins(%name : memref<64xf32>) outs(%y : memref<64xf32>) tiles(%c1)
  return
}

// The device writes %t, and the host the other buffer.
// CHECK-LABEL: func.func @copy_to_one_of_two_from_device(
// CHECK:         krnl.launch @second ins(%{{.+}}) outs(%[[DT:[0-9a-z_]+]] :
// CHECK-NEXT:    memref.store
// CHECK-NEXT:    krnl.copy_out %[[DT]] to %[[T:[0-9a-z_]+]] wait
// CHECK-NEXT:    memref.copy %{{[0-9a-z_]+}}, %[[T]] :
// CHECK-NEXT:    krnl.copy_in %[[T]] to %[[DT]]
func.func @copy_to_one_of_two_from_device(%x: memref<64xf32>, %which: i1) attributes {krnl.arena_bytes = 512 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %one = arith.constant 1.0 : f32
  %t = krnl.arena_view[%c0] () : memref<64xf32>
  %u = krnl.arena_view[%c256] () : memref<64xf32>
  %name = arith.select %which, %t, %u : memref<64xf32>
  %y = krnl.output 0 () : memref<64xf32>
  krnl.launch @second ins(%x : memref<64xf32>) outs(%t : memref<64xf32>) tiles(%c1)
  memref.store %one, %u[%c0] : memref<64xf32>
  memref.copy %name, %t : memref<64xf32> to memref<64xf32>
  krnl.launch @second ins(%name : memref<64xf32>) outs(%y : memref<64xf32>) tiles(%c1)
  return
}

// One branch writes on the device, the other one on the host: the first copies.
// CHECK-LABEL: func.func @branches(
// CHECK:         %[[T:[0-9a-z_]+]] = krnl.arena_view[%{{[0-9a-z_]+}}] () : memref<64xf32>
// CHECK:         scf.if
// CHECK-NEXT:      krnl.copy_in %{{.+}} to %[[DX:.+]] :
// CHECK-NEXT:      krnl.launch @second ins(%[[DX]] : {{.+}}) outs(%[[DT:[0-9a-z_]+]] :
// CHECK-NEXT:      krnl.copy_out %[[DT]] to %[[T]] wait
// CHECK-NEXT:    } else {
// CHECK-NEXT:      memref.store %{{.+}}, %[[T]]
// CHECK-NEXT:    }
// CHECK-NEXT:    krnl.copy_in %[[T]] to %[[DT]]
// CHECK-NEXT:    krnl.launch @second
// CHECK-NEXT:    krnl.copy_out
// CHECK-NEXT:    return
func.func @branches(%x: memref<64xf32>, %which: i1) attributes {krnl.arena_bytes = 256 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %t = krnl.arena_view[%c0] () : memref<64xf32>
  %y = krnl.output 0 () : memref<64xf32>
  scf.if %which {
    krnl.launch @second ins(%x : memref<64xf32>) outs(%t : memref<64xf32>) tiles(%c1)
  } else {
    memref.store %zero, %t[%c0] : memref<64xf32>
  }
  krnl.launch @second ins(%t : memref<64xf32>) outs(%y : memref<64xf32>) tiles(%c1)
  return
}

// The loop reads its input on the device, where it is copied once. What it
// writes there and the host reads is copied in each iteration.
// CHECK-LABEL: func.func @loop(
// CHECK:         krnl.copy_in %{{.+}} to %[[DX:[0-9a-z_]+]] :
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      krnl.launch @first ins(%[[DX]], %[[DT:[0-9a-z_]+]] : {{.+}}) outs(%[[DT]] :
// CHECK-NEXT:      krnl.copy_out %[[DT]] to %[[T:[0-9a-z_]+]] wait
// CHECK-NEXT:      memref.load %[[T]]
// CHECK:           krnl.check
// CHECK-NEXT:    }
// CHECK-NEXT:    krnl.launch @second ins(%[[DT]]
// CHECK-NEXT:    krnl.copy_out
// CHECK-NEXT:    return
func.func @loop(%x: memref<64xf32>, %n: index) attributes {krnl.arena_bytes = 256 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = krnl.arena_view[%c0] () : memref<64xf32>
  %y = krnl.output 0 () : memref<64xf32>
  scf.for %i = %c0 to %n step %c1 {
    krnl.launch @first ins(%x, %t : memref<64xf32>, memref<64xf32>) outs(%t : memref<64xf32>) tiles(%c1)
    %a = memref.load %t[%c0] : memref<64xf32>
    %b = arith.cmpf ogt, %a, %a : f32
    krnl.check %b, "too small"
  }
  krnl.launch @second ins(%t : memref<64xf32>) outs(%y : memref<64xf32>) tiles(%c1)
  return
}

// A buffer that a branch allocates has nothing that its first launch would need,
// also where the launch has a view of it. The second one reads what the first wrote.
// CHECK-LABEL: func.func @new_buffer(
// CHECK:         scf.if
// CHECK:           %[[T:.+]] = krnl.alloc() : memref<8x8xf32>
// CHECK-NOT:       krnl.copy_in %[[T]]
// CHECK:           krnl.launch @second
// CHECK:           krnl.copy_out %[[DT:.+]] to %[[T]] wait
// CHECK:           krnl.copy_in %[[T]] to
// CHECK:           krnl.launch @first
// CHECK:           scf.yield %[[T]]
func.func @new_buffer(%x: memref<64xf32>, %which: i1) attributes {krnl.arena_bytes = 256 : i64} {
  %c1 = arith.constant 1 : index
  %y = krnl.output 0 () : memref<64xf32>
  %r = scf.if %which -> memref<8x8xf32> {
    %t = krnl.alloc() : memref<8x8xf32>
    %line = memref.reinterpret_cast %t to offset: [0], sizes: [64], strides: [1] : memref<8x8xf32> to memref<64xf32>
    krnl.launch @second ins(%x : memref<64xf32>) outs(%line : memref<64xf32>) tiles(%c1)
    krnl.launch @first ins(%x, %line : memref<64xf32>, memref<64xf32>) outs(%line : memref<64xf32>) tiles(%c1)
    scf.yield %t : memref<8x8xf32>
  } else {
    %t = krnl.alloc() : memref<8x8xf32>
    scf.yield %t : memref<8x8xf32>
  }
  %all = memref.reinterpret_cast %r to offset: [0], sizes: [64], strides: [1] : memref<8x8xf32> to memref<64xf32>
  krnl.launch @second ins(%all : memref<64xf32>) outs(%y : memref<64xf32>) tiles(%c1)
  return
}

}
