// RUN: onnx-opt %s --split-input-file --convert-krnl-to-llvm --canonicalize | FileCheck %s
//
// Launches take tensors of the caller from the device, where the host program does
// nothing with them but copy them.

// The input and the output have a place at offsets of the arena.
// CHECK-LABEL: llvm.func hidden @onnxc_main_graph(
// CHECK-SAME:    krnl.stays_on_device = array<i8: 1, 1>
// CHECK:         llvm.call @onnxc_rt_device_alloc(
// CHECK:         %[[WORD:.+]] = llvm.call @onnxc_rt_device_tensor(%{{.+}}, %{{.+}}, %{{.+}}) : (!llvm.ptr, !llvm.ptr, i64) -> i64
// CHECK-NEXT:    %[[X:.+]] = llvm.inttoptr %[[WORD]]
// CHECK:         %[[TO:.+]] = llvm.call @onnxc_rt_output(
// CHECK:         %[[WORD:.+]] = llvm.call @onnxc_rt_device_tensor(
// CHECK-NEXT:    %[[Y:.+]] = llvm.inttoptr %[[WORD]]
// CHECK-NEXT:    %[[AT:.+]] = llvm.ptrtoint %[[X]]
// CHECK-NEXT:    llvm.call @onnxc_rt_device_copy_in(%{{.+}}, %[[AT]],
// CHECK-NEXT:    %[[IN:.+]] = llvm.ptrtoint %[[X]]
// CHECK-NEXT:    %[[OUT:.+]] = llvm.ptrtoint %[[Y]]
// CHECK-NEXT:    llvm.store %[[IN]],
// CHECK:         llvm.store %[[OUT]],
// CHECK:         llvm.call @onnxc_rt_device_launch(
// CHECK-NEXT:    %[[FROM:.+]] = llvm.ptrtoint %[[Y]]
// CHECK-NEXT:    llvm.call @onnxc_rt_device_copy_out(%{{.+}}, %[[TO]], %[[FROM]],
module {
  func.func private @kernel(memref<64xf32>, memref<64xf32>) attributes {krnl.kernel, krnl.threads = 64 : i64}
  func.func @main(%x: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %c512 = arith.constant 512 : index
    %arena = krnl.device_alloc %c512
    %dx = krnl.arena_view[%c0] () in %arena : memref<64xf32>
    %dy = krnl.arena_view[%c256] () in %arena : memref<64xf32>
    %y = krnl.output 0 () : memref<64xf32>
    krnl.copy_in %x to %dx : memref<64xf32>
    krnl.launch @kernel ins(%dx : memref<64xf32>) outs(%dy : memref<64xf32>) tiles(%c1) {krnl.device_kernel = 0 : i32}
    krnl.copy_out %dy to %y : memref<64xf32>
    return
  }
}

// -----

// The host reads the first input and writes the first output: the runtime copies
// these around the run. The second input has a place for each of two launches.

// CHECK-LABEL: llvm.func hidden @onnxc_main_graph(
// CHECK-SAME:    krnl.stays_on_device = array<i8: 0, 1, 0>
// CHECK-NOT:     llvm.call @onnxc_rt_device_tensor(
module {
  func.func private @kernel(memref<64xf32>, memref<64xf32>) attributes {krnl.kernel, krnl.threads = 64 : i64}
  func.func @main(%x: memref<64xf32>, %z: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %y = krnl.output 0 () : memref<64xf32>
    %a = memref.load %x[%c0] : memref<64xf32>
    memref.store %a, %y[%c0] : memref<64xf32>
    %first = krnl.device_alloc %c256
    %d = krnl.arena_view[%c0] () in %first : memref<64xf32>
    krnl.copy_in %z to %d : memref<64xf32>
    krnl.launch @kernel ins(%d : memref<64xf32>) outs(%d : memref<64xf32>) tiles(%c1) {krnl.device_kernel = 0 : i32}
    %second = krnl.device_alloc %c256
    %e = krnl.arena_view[%c0] () in %second : memref<64xf32>
    krnl.copy_in %z to %e : memref<64xf32>
    krnl.launch @kernel ins(%e : memref<64xf32>) outs(%e : memref<64xf32>) tiles(%c1) {krnl.device_kernel = 0 : i32}
    return
  }
}
