// RUN: onnx-opt %s --convert-krnl-to-llvm --split-input-file | FileCheck %s

// Inputs come as OnnxcValue: data, and dims where they are not known. A failed
// allocation or check ends the run in the block that returns the status, the
// first word of the call: there is one, however many checks there are.
// CHECK-LABEL: llvm.func hidden @onnxc_main_graph
// CHECK-SAME:    (%[[CALL:.+]]: !llvm.ptr, %[[INPUTS:.+]]: !llvm.ptr) -> i32
// CHECK-SAME:    krnl.inputs = []
// CHECK:         llvm.getelementptr %[[INPUTS]][0, 0] : {{.+}} !llvm.struct<(ptr, ptr, i32, i32)>
// CHECK:         llvm.getelementptr %[[INPUTS]][0, 1]
// CHECK:         llvm.cond_br %{{.+}}, ^[[GO:.+]], ^[[FAIL:bb.+]]
// CHECK:       ^[[FAIL]]:
// CHECK:         %[[MESSAGE:.+]] = llvm.mlir.addressof @message.0
// CHECK:         llvm.call @onnxc_rt_fail(%[[CALL]], %{{.+}}, %[[MESSAGE]])
// CHECK-NEXT:    llvm.br ^[[EXIT:.+]]
// CHECK:       ^[[GO]]:
// The pool is asked for bytes that are checked, as the arena is.
// CHECK:         %[[BYTES:.+]] = llvm.call @buffer_bytes.1(
// CHECK-NEXT:    llvm.call @onnxc_rt_alloc(%[[CALL]], %[[BYTES]])
// CHECK-NEXT:    llvm.load %[[CALL]] : !llvm.ptr -> i32
// CHECK:         llvm.cond_br %{{.+}}, ^{{.+}}, ^[[EXIT]]
// CHECK:         llvm.call @onnxc_rt_output(%[[CALL]],
// CHECK:         llvm.cond_br %{{.+}}, ^{{.+}}, ^[[EXIT]]
// CHECK-NOT:     llvm.return
// CHECK:         llvm.call @onnxc_rt_release(%[[CALL]],
// CHECK-NEXT:    llvm.br ^[[EXIT]]
// CHECK-NEXT:  ^[[EXIT]]:
// CHECK-NEXT:    %[[END:.+]] = llvm.load %[[CALL]]
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

// -----

// The sizes of a message are numbers of 64 bits after its format.
// CHECK:       llvm.func hidden @onnxc_rt_fail_sizes(!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, ...) -> i32
// CHECK-LABEL: llvm.func hidden @onnxc_main_graph
// CHECK:         llvm.call @onnxc_rt_fail_sizes(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) vararg(!llvm.func<i32 (ptr, i32, ptr, ptr, ...)>) : (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, i64) -> i32
// CHECK:       llvm.mlir.global {{.*}}("too long\00")
// CHECK:       llvm.mlir.global {{.*}}("[4, {}]\00")
func.func @main_graph(%x: memref<?xf32>) attributes {krnl.inputs = []} {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %ok = arith.cmpi slt, %n, %c9 : index
  krnl.check %ok, "too long" sizes(%n) format "[4, {}]"
  return
}
