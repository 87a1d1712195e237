// RUN: onnx-opt %s --convert-krnl-to-llvm | FileCheck %s

// A mask with one lane set is the store of one element; with two it stays.
// CHECK-LABEL: llvm.func {{.*}}@kernel
// CHECK:         %[[ELEMENT:.+]] = llvm.extractelement %[[BYTES:.+]][%{{.+}}] : vector<16xi8>
// CHECK:         llvm.store %[[ELEMENT]], %{{.+}} : i8, !llvm.ptr
// CHECK:         llvm.intr.masked.store
// CHECK-NOT:     llvm.intr.masked.store
func.func private @kernel(%x: memref<16xi32>, %y: memref<64xi8>, %begin: index, %end: index) attributes {krnl.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %wide = vector.load %x[%c0] : memref<16xi32>, vector<16xi32>
  %bytes = arith.trunci %wide : vector<16xi32> to vector<16xi8>
  %one = arith.constant dense<[true, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false]> : vector<16xi1>
  %two = arith.constant dense<[true, true, false, false, false, false, false, false, false, false, false, false, false, false, false, false]> : vector<16xi1>
  vector.maskedstore %y[%c0], %one, %bytes : memref<64xi8>, vector<16xi1>, vector<16xi8>
  vector.maskedstore %y[%c32], %two, %bytes : memref<64xi8>, vector<16xi1>, vector<16xi8>
  return
}
