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
