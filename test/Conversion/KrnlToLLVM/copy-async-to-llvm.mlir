// RUN: onnx-opt %s --convert-krnl-to-llvm | FileCheck %s
//
// Copies to shared memory that nobody waits for, of what all launches align by their bytes.

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

}
