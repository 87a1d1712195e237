// RUN: onnx-opt %s --convert-krnl-to-llvm --split-input-file | FileCheck %s

// A mask of more lanes than the vector has is full: the bound is clamped before
// it is compared in 32 bits.
// CHECK-LABEL: @mask
// CHECK:         %[[N:.+]] = llvm.intr.smin(%{{.+}}, %{{.+}}) : (i64, i64) -> i64
// CHECK:         llvm.trunc %[[N]] : i64 to i32
// CHECK:         llvm.intr.masked.store
func.func private @mask(%x: memref<?xf32>, %begin: index, %end: index) attributes {krnl.kernel} {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<1.0> : vector<16xf32>
  %m = vector.create_mask %end : vector<16xi1>
  vector.maskedstore %x[%c0], %m, %v : memref<?xf32>, vector<16xi1>, vector<16xf32>
  return
}

// -----

// Where there is no memory for the arena, the error names the node of the
// largest buffer.
// CHECK-DAG:     @[[FIRST:message.+]]("first\00")
// CHECK-DAG:     @[[SECOND:message.+]]("second\00")
// CHECK-LABEL: llvm.func hidden @onnxc_main_graph
// CHECK:         llvm.call @onnxc_rt_arena_reserve
// CHECK-NEXT:    llvm.call @onnxc_rt_status
// CHECK:         llvm.cond_br %{{.+}}, ^{{.+}}, ^[[FAIL:bb.+]]
// CHECK:       ^[[FAIL]]:
// CHECK-DAG:     %[[A:.+]] = llvm.mlir.addressof @[[FIRST]] :
// CHECK-DAG:     %[[B:.+]] = llvm.mlir.addressof @[[SECOND]] :
// CHECK:         %[[MORE:.+]] = llvm.icmp "sgt"
// CHECK:         %[[NODE:.+]] = llvm.select %[[MORE]], %{{.+}}, %{{.+}} : i1, !llvm.ptr
// CHECK:         %[[STATUS:.+]] = llvm.call @onnxc_rt_blame(%arg0, %[[NODE]])
// CHECK-NEXT:    llvm.return %[[STATUS]]
func.func @main_graph(%x: memref<?xf32>, %z: memref<?xf32>) attributes {krnl.inputs = []} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m = memref.dim %x, %c0 : memref<?xf32>
  %n = memref.dim %z, %c0 : memref<?xf32>
  %a = krnl.buffer_bytes(%m) : memref<?xf32> loc("first"("m.onnx"))
  %b = krnl.buffer_bytes(%n) : memref<?xf32> loc("second"("m.onnx"))
  %both = arith.addi %a, %b : index
  %all = arith.maxsi %both, %c64 : index
  %arena = krnl.arena_reserve %all
  return
}
