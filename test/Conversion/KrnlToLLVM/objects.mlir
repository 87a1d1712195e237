// RUN: onnx-opt %s --convert-krnl-to-llvm | FileCheck %s

// An object comes from a hook, is counted by hooks, and goes to a slot.
// CHECK-LABEL: llvm.func hidden @onnxc_main_graph
// CHECK-SAME: (%[[CALL:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i32
// CHECK: %[[A:.*]] = llvm.call @onnxc_rt_input_object(%[[CALL]], %{{.*}})
// CHECK: llvm.call @onnxc_rt_retain_object(%[[CALL]], %[[A]])
// CHECK: llvm.call @onnxc_rt_release_object(%[[CALL]], %[[A]])
// CHECK: %[[SLOT:.*]] = llvm.call @onnxc_rt_output_object(%[[CALL]], %{{.*}})
// CHECK: llvm.insertvalue %[[SLOT]]
// CHECK: llvm.store %[[A]]
func.func @main_graph(%a: !krnl.obj) {
  krnl.retain %a : !krnl.obj
  krnl.release %a : !krnl.obj
  %o = krnl.output 0 () : memref<!krnl.obj>
  memref.store %a, %o[] : memref<!krnl.obj>
  return
}
