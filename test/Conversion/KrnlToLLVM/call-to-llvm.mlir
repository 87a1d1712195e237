// RUN: onnx-opt %s --convert-krnl-to-llvm --split-input-file | FileCheck %s

// A call of the runtime: arrays of values, sizes the callee fills in, the
// status checked.
// CHECK-LABEL: llvm.func hidden @onnxc_call_sort(!llvm.ptr, i32, !llvm.ptr, i32, !llvm.ptr, !llvm.ptr) -> i32
// CHECK-LABEL: @onnxc_main_graph
// CHECK:         %[[PARAMS:.+]] = llvm.mlir.addressof @params.0
// CHECK:         %[[STATUS:.+]] = llvm.call @onnxc_call_sort(%arg0, %{{.+}}, %[[OUTS:.+]], %{{.+}}, %[[INS:.+]], %[[PARAMS]])
// CHECK:         llvm.icmp "eq" %[[STATUS]]
// CHECK:       llvm.mlir.global internal constant @params.0(dense<[3, -1]> : tensor<2xi64>)
func.func @main_graph(%x: memref<?xf32>) {
  %c1 = arith.constant 1 : i64
  %y, %n = krnl.call @onnxc_call_sort(%x, %c1) params [3, -1]
      : (memref<?xf32>, i64) -> (memref<?xf32>, i64)
  return
}

// -----

// A call that fails for nodes: the message gets their names. Messages, of which
// there may be thousands, are after the hooks, which are looked for from the
// front.
// CHECK-NOT:   llvm.mlir.global
// CHECK-LABEL: @onnxc_main_graph
// CHECK:         %[[STATUS:.+]] = llvm.call @onnxc_call_sort
// CHECK:         %[[OK:.+]] = llvm.icmp "eq" %[[STATUS]]
// CHECK:         llvm.cond_br %[[OK]], ^[[ON:.+]], ^[[FAILED:.+]]
// CHECK:       ^[[FAILED]]:
// CHECK:         %[[NAME:.+]] = llvm.mlir.addressof @message.0
// CHECK:         %[[LOCATED:.+]] = llvm.call @onnxc_rt_locate_error(%arg0, %[[NAME]])
// CHECK:         llvm.return %[[LOCATED]]
// CHECK:       llvm.mlir.global internal constant @message.0("node 'Sort_0'\00")
// CHECK-NEXT:  llvm.mlir.global internal constant @message.1("nodes 'Sort_1', 'Sort_2', 'Sort_3' and 1 more\00")
func.func @main_graph() {
  %n = krnl.call @onnxc_call_sort() stateful : () -> i64 loc("Sort_0"("model.onnx"))
  %m = krnl.call @onnxc_call_sort() stateful : () -> i64
      loc(fused["Sort_1"("model.onnx"), "Sort_2"("model.onnx"), "Sort_3"("model.onnx"), "Sort_4"("model.onnx"), "Sort_1"("model.onnx")])
  return
}
