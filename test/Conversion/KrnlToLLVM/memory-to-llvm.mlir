// RUN: onnx-opt %s --convert-krnl-to-llvm --split-input-file | FileCheck %s

// Arena and weights are asked for their base, which does not change.
// CHECK-LABEL: llvm.func hidden @onnxc_rt_arena
// CHECK-SAME:    memory_effects
// CHECK-LABEL: @onnxc_main_graph
// CHECK:         %[[ARENA:.+]] = llvm.call @onnxc_rt_arena
// CHECK:         llvm.getelementptr %[[ARENA]][%{{.+}}] : {{.+}} i8
// CHECK:         %[[WEIGHTS:.+]] = llvm.call @onnxc_rt_weights
// CHECK:         llvm.getelementptr %[[WEIGHTS]][%{{.+}}] : {{.+}} i8
// CHECK:         llvm.intr.memcpy
func.func @main_graph() {
  %c64 = arith.constant 64 : index
  %a = krnl.arena_view[%c64] () : memref<4xf32>
  %w = krnl.weight_view[128] : memref<4xf32>
  memref.copy %w, %a : memref<4xf32> to memref<4xf32>
  return
}

// -----

// Where there is no memory for the arena, the error names the node of the
// largest buffer.
// CHECK-LABEL: llvm.func hidden @onnxc_main_graph
// CHECK:         llvm.call @onnxc_rt_arena_reserve
// CHECK-NEXT:    llvm.load %arg0 : !llvm.ptr -> i32
// CHECK:         llvm.cond_br %{{.+}}, ^{{.+}}, ^[[FAIL:bb.+]]
// CHECK:       ^[[FAIL]]:
// CHECK:         llvm.mlir.addressof @[[FIRST:message.+]] :
// CHECK:         llvm.mlir.addressof @[[SECOND:message.+]] :
// CHECK:         %[[MORE:.+]] = llvm.icmp "sgt"
// CHECK:         %[[NODE:.+]] = llvm.select %[[MORE]], %{{.+}}, %{{.+}} : i1, !llvm.ptr
// CHECK:         %[[STATUS:.+]] = llvm.call @onnxc_rt_locate_error(%arg0, %[[NODE]])
// CHECK-NEXT:    llvm.return %[[STATUS]]
// CHECK-DAG:     @[[FIRST]]("node 'first'\00")
// CHECK-DAG:     @[[SECOND]]("node 'second'\00")
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

// -----

// One function computes the bytes of all buffers with as many dynamic sizes,
// from those of the known sizes.
// CHECK:       llvm.func internal @buffer_bytes.2(
// CHECK:       llvm.func internal @buffer_bytes.1(%[[KNOWN:.+]]: i64, %{{.+}}: i64, %[[N:.+]]: i64) -> i64
// CHECK-SAME:    memory_effects
// CHECK:         llvm.intr.smax(%[[N]], %{{.+}})
// CHECK:         "llvm.intr.smul.with.overflow"(%[[KNOWN]],
// CHECK:         llvm.mlir.constant(140737488355328 : i64) : i64
// CHECK-NEXT:    %[[CHECKED:.+]] = llvm.select
// CHECK-NEXT:    llvm.return %[[CHECKED]]
// CHECK-LABEL: llvm.func hidden @onnxc_main_graph
// CHECK:         %[[BYTES:.+]] = llvm.mlir.constant(128 : i64)
// CHECK:         %[[A:.+]] = llvm.call @buffer_bytes.1(%[[BYTES]], %{{.+}}, %{{.+}})
// CHECK:         %[[B:.+]] = llvm.call @buffer_bytes.1(
// CHECK:         llvm.call @buffer_bytes.2(
// CHECK-NOT:     llvm.intr.smul.with.overflow
func.func @main_graph(%x: memref<?xf32>, %z: memref<?xf32>) attributes {krnl.inputs = []} {
  %c0 = arith.constant 0 : index
  %m = memref.dim %x, %c0 : memref<?xf32>
  %n = memref.dim %z, %c0 : memref<?xf32>
  %a = krnl.buffer_bytes(%m) : memref<?x32xf32>
  %b = krnl.buffer_bytes(%n) : memref<?xf32>
  %c = krnl.buffer_bytes(%m, %n) : memref<?x?xf32>
  %d = arith.addi %a, %b : index
  %e = arith.addi %d, %c : index
  %arena = krnl.arena_reserve %e
  return
}

// -----

// A size comes from the descriptor, whatever the order in which a constant and
// its use are converted: a slot on the stack would be another in each iteration.
// CHECK-LABEL: llvm.func hidden @onnxc_main_graph
// CHECK-NOT:     llvm.alloca {{.*}} !llvm.array
// CHECK:         ^bb{{[0-9]+}}(%[[BUFFER:.+]]: !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>):
// CHECK:         llvm.extractvalue %[[BUFFER]][3, 0]
// CHECK-NOT:     llvm.alloca {{.*}} !llvm.array
// CHECK:         llvm.return
func.func @main_graph(%x: memref<?xf32>, %z: memref<?xf32>) attributes {krnl.inputs = []} {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  cf.br ^body(%x : memref<?xf32>)
^body(%y: memref<?xf32>):
  %n = memref.dim %y, %c0 : memref<?xf32>
  %again = arith.cmpi slt, %n, %c9 : index
  cf.cond_br %again, ^body(%z : memref<?xf32>), ^end
^end:
  return
}
