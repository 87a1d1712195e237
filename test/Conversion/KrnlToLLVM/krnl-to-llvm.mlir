// RUN: onnx-opt %s --convert-krnl-to-llvm --split-input-file | FileCheck %s

// A mask of more lanes than the vector has is full: the bound is clamped before
// it is compared in 32 bits.
// CHECK-LABEL: @mask
// CHECK:         %[[N:.+]] = llvm.intr.smin(%{{.+}}, %{{.+}}) : (i64, i64) -> i64
// CHECK:         llvm.trunc %[[N]] : i64 to i32
// CHECK:         llvm.intr.masked.load
func.func private @mask(%x: memref<?xf32>, %begin: index, %end: index) attributes {krnl.kernel} {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<1.0> : vector<16xf32>
  %m = vector.create_mask %end : vector<16xi1>
  %loaded = vector.maskedload %x[%c0], %m, %v : memref<?xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  vector.store %loaded, %x[%c0] : memref<?xf32>, vector<16xf32>
  return
}

// -----

// Code generation sees which kernels keep the order of their instructions; ptxas has
// an order of its own.
// CHECK:         llvm.func hidden @two_products{{.*}}passthrough = ["krnl.keeps_order"]
// CHECK:         llvm.func{{.*}} @of_threads
// CHECK-NOT:     passthrough = ["krnl.keeps_order"]
func.func private @two_products(%x: memref<4xf32>) attributes {krnl.kernel, krnl.keeps_order} {
  return
}
func.func private @of_threads(%x: memref<4xf32>) attributes {krnl.kernel, krnl.keeps_order, krnl.threads = 32 : i64} {
  return
}
