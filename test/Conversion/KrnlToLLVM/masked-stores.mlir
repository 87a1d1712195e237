// RUN: onnx-opt %s --convert-krnl-to-llvm | FileCheck %s
// RUN: sed 's/krnl.target = #krnl.target<[^>]*>/krnl.target = #krnl.target<family = "x86_64_v4", free_masks = true>/' %s | onnx-opt --convert-krnl-to-llvm | FileCheck %s --check-prefix=FREE

module attributes {krnl.target = #krnl.target<family = "x86_64_v3">} {

// A mask with one lane set is the store of one element. Of a known number the pieces are those of its bits.
// CHECK-LABEL: llvm.func {{.*}}@known
// CHECK:         %[[ELEMENT:.+]] = llvm.extractelement %[[BYTES:.+]][%{{.+}}] : vector<16xi8>
// CHECK:         llvm.store %[[ELEMENT]], %{{.+}} : i8, !llvm.ptr
// CHECK:         %[[FOUR:.+]] = llvm.shufflevector %[[BYTES]], %[[BYTES]] [0, 1, 2, 3]
// CHECK:         llvm.store %[[FOUR]], %{{.+}} : vector<4xi8>, !llvm.ptr
// CHECK:         %[[TWO:.+]] = llvm.shufflevector %[[BYTES]], %[[BYTES]] [4, 5]
// CHECK:         llvm.store %[[TWO]], %{{.+}} : vector<2xi8>, !llvm.ptr
// CHECK-NOT:     llvm.intr.masked.store

// Where masks are free, only the single element is no vector.
// FREE-LABEL: llvm.func {{.*}}@known
// FREE:         llvm.store %{{.+}}, %{{.+}} : i8, !llvm.ptr
// FREE:         llvm.intr.masked.store
// FREE-NOT:     llvm.intr.masked.store
// FREE-LABEL: llvm.func {{.*}}@dynamic
func.func private @known(%x: memref<16xi32>, %y: memref<64xi8>, %begin: index, %end: index) attributes {krnl.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %wide = vector.load %x[%c0] : memref<16xi32>, vector<16xi32>
  %bytes = arith.trunci %wide : vector<16xi32> to vector<16xi8>
  %one = arith.constant dense<[true, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false]> : vector<16xi1>
  %six = arith.constant dense<[true, true, true, true, true, true, false, false, false, false, false, false, false, false, false, false]> : vector<16xi1>
  vector.maskedstore %y[%c0], %one, %bytes : memref<64xi8>, vector<16xi1>, vector<16xi8>
  vector.maskedstore %y[%c32], %six, %bytes : memref<64xi8>, vector<16xi1>, vector<16xi8>
  return
}

// Each bit of a dynamic number is asked for once, for both vectors. All four lanes leave none; two leave the upper two.
// CHECK-LABEL: llvm.func {{.*}}@dynamic
// CHECK-NOT:     llvm.intr.masked.store
// CHECK:         llvm.cond_br
// CHECK-COUNT-2: llvm.store %{{.+}}, %{{.+}} : vector<4xf32>, !llvm.ptr
// CHECK:         llvm.cond_br
// CHECK-COUNT-2: llvm.store %{{.+}}, %{{.+}} : vector<2xf32>, !llvm.ptr
// CHECK:         llvm.cond_br
// CHECK-COUNT-2: llvm.store %{{.+}}, %{{.+}} : f32, !llvm.ptr
// CHECK-NOT:     llvm.cond_br
// CHECK-LABEL: llvm.func {{.*}}@read_between
// FREE-COUNT-2: llvm.intr.masked.store
func.func private @dynamic(%x: memref<8xf32>, %y: memref<16xf32>, %n: index, %begin: index, %end: index) attributes {krnl.kernel} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %a = vector.load %x[%c0] : memref<8xf32>, vector<4xf32>
  %b = vector.load %x[%c4] : memref<8xf32>, vector<4xf32>
  %mask = vector.create_mask %n : vector<4xi1>
  vector.maskedstore %y[%c0], %mask, %a : memref<16xf32>, vector<4xi1>, vector<4xf32>
  %sum = arith.addf %a, %b : vector<4xf32>
  vector.maskedstore %y[%c8], %mask, %sum : memref<16xf32>, vector<4xi1>, vector<4xf32>
  return
}

// Stores stay before what may read them.
// CHECK-COUNT-3: llvm.cond_br
// CHECK:         llvm.load %{{.+}} : !llvm.ptr -> vector<4xf32>
// CHECK-COUNT-3: llvm.cond_br
// CHECK-NOT:     llvm.cond_br
func.func private @read_between(%x: memref<8xf32>, %y: memref<16xf32>, %n: index, %begin: index, %end: index) attributes {krnl.kernel} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %a = arith.constant dense<1.0> : vector<4xf32>
  %mask = vector.create_mask %n : vector<4xi1>
  vector.maskedstore %y[%c0], %mask, %a : memref<16xf32>, vector<4xi1>, vector<4xf32>
  %b = vector.load %y[%c0] : memref<16xf32>, vector<4xf32>
  vector.maskedstore %y[%c8], %mask, %b : memref<16xf32>, vector<4xi1>, vector<4xf32>
  return
}

}
