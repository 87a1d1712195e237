// RUN: onnx-opt %s --convert-krnl-to-llvm --split-input-file | FileCheck %s

// Inputs come as OnnxcValue: data, and dims where they are not known. A failed
// allocation or check returns the status at once.
// CHECK-LABEL: llvm.func hidden @onnxc_main_graph
// CHECK-SAME:    (%[[CALL:.+]]: !llvm.ptr, %[[INPUTS:.+]]: !llvm.ptr) -> i32
// CHECK-SAME:    krnl.inputs = []
// CHECK:         llvm.getelementptr %[[INPUTS]][0, 0] : {{.+}} !llvm.struct<(ptr, ptr, i32, i32)>
// CHECK:         llvm.getelementptr %[[INPUTS]][0, 1]
// CHECK:         llvm.cond_br %{{.+}}, ^[[GO:.+]], ^[[FAIL:bb.+]]
// CHECK:       ^[[FAIL]]:
// CHECK:         %[[MESSAGE:.+]] = llvm.mlir.addressof @message.0
// CHECK:         %[[STATUS:.+]] = llvm.call @onnxc_rt_fail(%[[CALL]], %{{.+}}, %[[MESSAGE]])
// CHECK:         llvm.return %[[STATUS]] : i32
// CHECK:       ^[[GO]]:
// The pool is asked for bytes that are checked, as the arena is.
// CHECK:         llvm.intr.smul.with.overflow
// CHECK:         llvm.mlir.constant(140737488355328 : i64) : i64
// CHECK-NEXT:    %[[BYTES:.+]] = llvm.select
// CHECK-NEXT:    llvm.call @onnxc_rt_alloc(%[[CALL]], %[[BYTES]])
// CHECK-NEXT:    llvm.call @onnxc_rt_status(%[[CALL]])
// CHECK:         llvm.call @onnxc_rt_output(%[[CALL]],
// CHECK:         llvm.call @onnxc_rt_release(%[[CALL]],
// CHECK:         %[[END:.+]] = llvm.call @onnxc_rt_status(%[[CALL]])
// CHECK-NEXT:    llvm.return %[[END]]
func.func @main_graph(%x: memref<?xf32>) attributes {krnl.inputs = []} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %ok = arith.cmpi ne, %n, %c0 : index
  krnl.check %ok, "n is zero"
  %t = krnl.alloc (%n) : memref<?xf32>
  %y = krnl.output 0(%n) : memref<?xf32>
  krnl.release %t : memref<?xf32>
  return
}

// -----

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

func.func private @k(%x: memref<?xf32>, %s: memref<?xi8>, %begin: index, %end: index) attributes {krnl.kernel} {
  return
}

// The team's function loads pointers, sizes and tile counts from the frame and
// runs a slice of the tiles; scratch is the worker's own.
// CHECK-LABEL: @onnxc_main_graph
// CHECK:         %[[FRAME:.+]] = llvm.alloca %{{.+}} x !llvm.struct<(ptr, ptr, i64, i64)>
// CHECK:         %[[F:.+]] = llvm.mlir.addressof @region.0
// CHECK:         llvm.call @onnxc_rt_region(%{{.+}}, %[[F]], %[[FRAME]], %{{.+}})
// CHECK-LABEL: llvm.func internal @region.0
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
  krnl.region tiles(%n) {
    krnl.launch @k outs(%x : memref<?xf32>) tiles(%n) scratch 128
    krnl.barrier
    krnl.launch @k outs(%x : memref<?xf32>) tiles(%n) scratch 128
  }
  return
}

// -----

// A call of the runtime: arrays of values, sizes the callee fills in, the
// status checked.
// CHECK-LABEL: llvm.mlir.global internal constant @params.0(dense<[3, -1]> : tensor<2xi64>)
// CHECK:       llvm.func hidden @onnxc_call_sort(!llvm.ptr, i32, !llvm.ptr, i32, !llvm.ptr, !llvm.ptr) -> i32
// CHECK-LABEL: @onnxc_main_graph
// CHECK:         %[[PARAMS:.+]] = llvm.mlir.addressof @params.0
// CHECK:         %[[STATUS:.+]] = llvm.call @onnxc_call_sort(%arg0, %{{.+}}, %[[OUTS:.+]], %{{.+}}, %[[INS:.+]], %[[PARAMS]])
// CHECK:         llvm.icmp "eq" %[[STATUS]]
func.func @main_graph(%x: memref<?xf32>) {
  %c1 = arith.constant 1 : i64
  %y, %n = krnl.call @onnxc_call_sort(%x, %c1) params [3, -1]
      : (memref<?xf32>, i64) -> (memref<?xf32>, i64)
  return
}

// -----

// A call that fails for a node: the message gets its name.
// CHECK-LABEL: llvm.mlir.global internal constant @message.0("Sort_0\00")
// CHECK-LABEL: @onnxc_main_graph
// CHECK:         %[[STATUS:.+]] = llvm.call @onnxc_call_sort
// CHECK:         %[[OK:.+]] = llvm.icmp "eq" %[[STATUS]]
// CHECK:         llvm.cond_br %[[OK]], ^[[ON:.+]], ^[[FAILED:.+]]
// CHECK:       ^[[FAILED]]:
// CHECK:         %[[NAME:.+]] = llvm.mlir.addressof @message.0
// CHECK:         %[[BLAMED:.+]] = llvm.call @onnxc_rt_blame(%arg0, %[[NAME]])
// CHECK:         llvm.return %[[BLAMED]]
func.func @main_graph() {
  %n = krnl.call @onnxc_call_sort() stateful : () -> i64 loc("Sort_0"("model.onnx"))
  return
}
