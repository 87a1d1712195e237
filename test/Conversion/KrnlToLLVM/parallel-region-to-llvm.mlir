// RUN: onnx-opt %s --convert-krnl-to-llvm --split-input-file | FileCheck %s

func.func private @k(%x: memref<?xf32>, %s: memref<?xi8>, %begin: index, %end: index) attributes {krnl.kernel} {
  return
}

// The team's function loads pointers, sizes and tile counts from the frame and
// runs a slice of the tiles; scratch is the worker's own.
// CHECK-LABEL: @onnxc_main_graph
// CHECK:         %[[FRAME:.+]] = llvm.alloca %{{.+}} x !llvm.struct<(ptr, ptr, i64, i64)>
// CHECK:         %[[F:.+]] = llvm.mlir.addressof @parallel_region.0
// CHECK:         llvm.call @onnxc_rt_parallel_region(%{{.+}}, %[[F]], %[[FRAME]], %{{.+}})
// CHECK-LABEL: llvm.func internal @parallel_region.0
// CHECK-SAME:    (%[[FRAME:.+]]: !llvm.ptr, %[[TID:.+]]: i32, %[[N:.+]]: i32, %[[TEAM:.+]]: !llvm.ptr)
// CHECK:         llvm.sdiv
// CHECK:         llvm.sdiv
// CHECK:         %[[SCRATCH:.+]] = llvm.call @onnxc_rt_scratch(%{{.+}}, %[[TID]])
// CHECK:         llvm.call @k(%{{.+}}, %[[SCRATCH]], %{{.+}}) : (!llvm.ptr, !llvm.ptr, i64, i64, i64, i64) -> ()
// CHECK:         llvm.call @onnxc_rt_barrier(%[[TEAM]])
// CHECK:         llvm.call @k
func.func @main_graph(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  krnl.parallel_region tiles(%n) {
    krnl.launch @k outs(%x : memref<?xf32>) tiles(%n) scratch 128
    krnl.barrier
    krnl.launch @k outs(%x : memref<?xf32>) tiles(%n) scratch 128
  }
  return
}
