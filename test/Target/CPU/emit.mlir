// RUN: onnx-compile %s --resume=llvm --emit=asm --cpu=x86-64-v3 -o - | FileCheck %s
// RUN: onnx-compile %s --resume=llvm --emit=asm --cpu=x86-64-v3 -O1 -o - | FileCheck %s --check-prefix=PACKED
// RUN: onnx-compile %s --resume=llvm --emit=asm --triple=thumbv7em-none-eabi -o - | FileCheck %s --check-prefix=THUMB
// RUN: onnx-compile %s --resume=llvm --emit=obj -o %t.o
// RUN: llvm-nm %t.o | FileCheck %s --check-prefix=NM

// Functions have sections of their own, in which kernels begin at cache lines;
// multiply-adds stay what the source says: one is fused because it is written so,
// the other two are not.
// CHECK:      .section .text.k,
// CHECK:      .p2align 6
// CHECK-LABEL: k:
// CHECK:       vfmadd{{.+}}ymm
// CHECK-NOT:   vfmadd
// CHECK:       vmulps
// CHECK:       vaddps

// Not where the size of the code counts more.
// PACKED:      .section .text.k,
// PACKED:      .p2align 4
// PACKED-LABEL: k:
// THUMB:      .section .text.k,
// THUMB:      .p2align 1
// THUMB-LABEL: k:

// NM-DAG: t k
llvm.func hidden @k(%x: !llvm.ptr {llvm.noalias}, %y: !llvm.ptr {llvm.noalias}) attributes {krnl.kernel} {
  %0 = llvm.load %x : !llvm.ptr -> vector<8xf32>
  %1 = llvm.load %y : !llvm.ptr -> vector<8xf32>
  %2 = llvm.intr.fma(%0, %1, %1) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
  llvm.store %2, %x : vector<8xf32>, !llvm.ptr
  %3 = llvm.fmul %0, %2 : vector<8xf32>
  %4 = llvm.fadd %3, %1 : vector<8xf32>
  llvm.store %4, %y : vector<8xf32>, !llvm.ptr
  llvm.return
}
