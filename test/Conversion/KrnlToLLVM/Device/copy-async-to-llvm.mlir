// RUN: onnx-opt %s --convert-krnl-to-llvm | FileCheck %s
//
// Copies to shared memory that nothing waits for, of what all launches align by their bytes.

module attributes {krnl.target = #krnl.target<triple = "nvptx64-nvidia-cuda", tile_threads = 1024>} {

// CHECK-LABEL: llvm.func {{.*}}@aligned
// CHECK:         %[[FROM:.+]] = llvm.addrspacecast %{{.+}} : !llvm.ptr to !llvm.ptr<1>
// CHECK:         %[[TO:.+]] = llvm.addrspacecast %{{.+}} : !llvm.ptr to !llvm.ptr<3>
// CHECK:         llvm.call_intrinsic "llvm.nvvm.cp.async.cg.shared.global.16"(%[[TO]], %[[FROM]])
// CHECK:         llvm.call_intrinsic "llvm.nvvm.cp.async.ca.shared.global.4"
func.func private @aligned(%x: memref<64xf16> {llvm.align = 16 : i64}, %t: memref<64xf16>, %i: index) attributes {krnl.kernel} {
  krnl.copy_async %x[%i] to %t[%i], 8 : memref<64xf16> to memref<64xf16>
  krnl.copy_async %x[%i] to %t[%i], 2 : memref<64xf16> to memref<64xf16>
  return
}

// Rows of 8 bytes.
// CHECK-LABEL: llvm.func {{.*}}@rows
// CHECK:         %[[PART:.+]] = llvm.load %{{.+}} : !llvm.ptr -> vector<8xf16>
// CHECK:         llvm.store %[[PART]]
// CHECK:         llvm.call_intrinsic "llvm.nvvm.cp.async.ca.shared.global.8"
func.func private @rows(%x: memref<4xf16> {llvm.align = 8 : i64}, %t: memref<64xf16>, %i: index) attributes {krnl.kernel} {
  krnl.copy_async %x[%i] to %t[%i], 8 : memref<4xf16> to memref<64xf16>
  krnl.copy_async %x[%i] to %t[%i], 4 : memref<4xf16> to memref<64xf16>
  return
}

// Nothing is read where the part is past the end: the bytes are zero.
// CHECK-LABEL: llvm.func {{.*}}@inside
// CHECK-SAME:    %[[INSIDE:[^:]+]]: i1
// CHECK:         %[[BYTES:.+]] = llvm.select %[[INSIDE]], %{{.+}}, %{{.+}} : i1, i32
// CHECK:         llvm.call_intrinsic "llvm.nvvm.cp.async.cg.shared.global.16.s"(%{{.+}}, %{{.+}}, %[[BYTES]])
// CHECK:         %[[PART:.+]] = llvm.load %{{.+}} : !llvm.ptr -> vector<8xf16>
// CHECK:         %[[ZEROS:.+]] = llvm.select %[[INSIDE]], %[[PART]], %{{.+}} : i1, vector<8xf16>
// CHECK:         llvm.store %[[ZEROS]]
func.func private @inside(%x: memref<64xf16> {llvm.align = 16 : i64}, %y: memref<64xf16> {llvm.align = 2 : i64}, %t: memref<64xf16>, %i: index, %inside: i1) attributes {krnl.kernel} {
  krnl.copy_async %x[%i] to %t[%i], 8 if %inside : memref<64xf16> to memref<64xf16>
  krnl.copy_async %y[%i] to %t[%i], 8 if %inside : memref<64xf16> to memref<64xf16>
  return
}

// So many elements are read, where the buffer is not aligned under a mask.
// CHECK-LABEL: llvm.func {{.*}}@first
// CHECK-SAME:    %[[COUNT:[^:]+]]: i64)
// CHECK:         %[[SHORT:.+]] = llvm.trunc %[[COUNT]] : i64 to i32
// CHECK:         %[[TWO:.+]] = llvm.mlir.constant(2 : i32)
// CHECK:         %[[BYTES:.+]] = llvm.mul %[[SHORT]], %[[TWO]] : i32
// CHECK:         llvm.call_intrinsic "llvm.nvvm.cp.async.cg.shared.global.16.s"(%{{.+}}, %{{.+}}, %[[BYTES]])
// CHECK:         %[[PART:.+]] = llvm.intr.masked.load %{{.+}}, %{{.+}}, %{{.+}} : (!llvm.ptr, vector<8xi1>, vector<8xf16>) -> vector<8xf16>
// CHECK:         llvm.store %[[PART]]
func.func private @first(%x: memref<64xf16> {llvm.align = 16 : i64}, %y: memref<64xf16> {llvm.align = 2 : i64}, %t: memref<64xf16>, %i: index, %count: index) attributes {krnl.kernel} {
  krnl.copy_async %x[%i] to %t[%i], 8 first %count : memref<64xf16> to memref<64xf16>
  krnl.copy_async %y[%i] to %t[%i], 8 first %count : memref<64xf16> to memref<64xf16>
  return
}

// CHECK-LABEL: llvm.func {{.*}}@ahead
// CHECK:         %[[LINE:.+]] = llvm.addrspacecast %{{.+}} : !llvm.ptr to !llvm.ptr<1>
// CHECK:         llvm.inline_asm has_side_effects "prefetch.global.L1 [$0];", "l" %[[LINE]]
func.func private @ahead(%x: memref<64xf16>, %i: index) attributes {krnl.kernel} {
  memref.prefetch %x[%i], read, locality<3>, data : memref<64xf16>
  return
}

}
