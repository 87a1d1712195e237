// RUN: sed 's/, transpose=16//' %s | onnx-opt --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels | FileCheck %s --check-prefix=ELEMENTS
// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s

// What lies and is packed alike is packed by one function.
// CHECK-LABEL: func.func @again(
// CHECK:         krnl.launch @kernel_pack_0 ins(%arg1 : tensor<40x20xf32>)

// What is packed at run time is read in vectors. Sixteen rows of the operand become
// the columns of a panel, in registers; of 20 elements of a row four are left, which
// are a narrower block. Of a block that reaches beyond the operand the rows that
// exist are read, and one without any is zero.
// CHECK-LABEL: func private @kernel_pack_0(
// CHECK:         scf.for
// CHECK:         scf.if
// CHECK-COUNT-16: vector.load %arg0{{.*}} : memref<40x20xf32>, vector<16xf32>
// CHECK:         vector.shuffle
// CHECK-COUNT-16: vector.store %{{.+}}, %arg1{{.*}} : memref<3x20x16xf32>, vector<16xf32>
// CHECK:         else
// CHECK:         scf.if
// CHECK:         arith.minui %{{.+}}, %c39
// CHECK-NEXT:    vector.load %arg0{{.*}} : memref<40x20xf32>, vector<16xf32>
// CHECK-NEXT:    arith.select %{{.+}}, %{{.+}}, %cst{{.*}} : vector<16xf32>
// CHECK-COUNT-15: vector.load %arg0
// CHECK-COUNT-16: vector.store %{{.+}}, %arg1
// CHECK:         else
// CHECK-NOT:     vector.load
// CHECK-COUNT-16: vector.store %cst{{.*}}, %arg1
// CHECK-COUNT-16: vector.maskedload %arg0{{.*}} : memref<40x20xf32>, vector<16xi1>, vector<16xf32>
// CHECK-COUNT-4: vector.store %{{.+}}, %arg1
// CHECK:         else
// CHECK-NOT:     memref.load
// CHECK:         return
// Without the argument it goes element by element.
// ELEMENTS-LABEL: func private @kernel_pack_0(
// ELEMENTS-NOT:     vector
// ELEMENTS:         memref.load %arg0
// ELEMENTS:         return
func.func @turned(%x: tensor<64x20xf32>, %w: tensor<40x20xf32>, %o: tensor<64x40xf32>) -> tensor<64x40xf32> {
  %y = krnl.kernel "turned" loops [m = 64, n = 40, k = 20] ins(%x, %w : tensor<64x20xf32>, tensor<40x20xf32>) outs(%o : tensor<64x40xf32>)
      recipe [block(n, 16) -> (n.o, n.r), block(m, 8) -> (m.o, m.r), order(n.o, m.o, k, m.r, n.r), fuse_outer(n.o, m.o), register_tile(m.r, n.r, lanes=16), pack(1, [n.o, k, n.r], transpose=16)] {
  ^bb0(%A: tensor<64x20xf32>, %B: tensor<40x20xf32>, %C: tensor<64x40xf32>):
    %r = krnl.compute [m, n | k] (%p = %A[m, k], %q = %B[n, k]) -> (%s = %C[m, n])
        : (tensor<64x20xf32>, tensor<40x20xf32>) -> tensor<64x40xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x40xf32>
  } -> tensor<64x40xf32>
  return %y : tensor<64x40xf32>
}

// Four rows of bytes are the bytes of each group.
// CHECK-LABEL: func private @kernel_pack_1(
// CHECK-COUNT-4: vector.load %arg0{{.*}} : memref<8x32xi8>, vector<16xi8>
// CHECK-COUNT-2: vector.interleave %{{.+}}, %{{.+}} : vector<16xi8> -> vector<32xi8>
// CHECK:         vector.interleave %{{.+}}, %{{.+}} : vector<32xi8> -> vector<64xi8>
// CHECK:         vector.store %{{.+}}, %arg1{{.*}} vector<64xi8>
// CHECK:         return
func.func @groups(%x: tensor<64x8xi8>, %w: tensor<8x32xi8>, %o: tensor<64x32xi32>) -> tensor<64x32xi32> {
  %y = krnl.kernel "groups" loops [m = 64, n = 32, k = 8] ins(%x, %w : tensor<64x8xi8>, tensor<8x32xi8>) outs(%o : tensor<64x32xi32>)
      recipe [block(n, 16) -> (n.o, n.r), block(m, 8) -> (m.o, m.r), block(k, 4) -> (k.o, k.q), order(n.o, m.o, k.o, k.q, m.r, n.r), fuse_outer(n.o, m.o), register_tile(m.r, n.r, lanes=16), pack(1, [n.o, k.o, n.r, k.q], interleave=16), 0: dot(k.q)] {
  ^bb0(%A: tensor<64x8xi8>, %B: tensor<8x32xi8>, %C: tensor<64x32xi32>):
    %r = krnl.compute [m, n | k] (%p = %A[m, k], %q = %B[k, n]) -> (%s = %C[m, n])
        : (tensor<64x8xi8>, tensor<8x32xi8>) -> tensor<64x32xi32> {
      %0 = arith.extui %p : i8 to i32
      %1 = arith.extsi %q : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %s, %2 : i32
      linalg.yield %3 : i32
    }
    krnl.yield %r : tensor<64x32xi32>
  } -> tensor<64x32xi32>
  return %y : tensor<64x32xi32>
}

func.func @again(%x: tensor<64x20xf32>, %w: tensor<40x20xf32>, %o: tensor<64x40xf32>) -> tensor<64x40xf32> {
  %y = krnl.kernel "again" loops [m = 64, n = 40, k = 20] ins(%x, %w : tensor<64x20xf32>, tensor<40x20xf32>) outs(%o : tensor<64x40xf32>)
      recipe [block(n, 16) -> (n.o, n.r), block(m, 8) -> (m.o, m.r), order(n.o, m.o, k, m.r, n.r), fuse_outer(n.o, m.o), register_tile(m.r, n.r, lanes=16), pack(1, [n.o, k, n.r], transpose=16)] {
  ^bb0(%A: tensor<64x20xf32>, %B: tensor<40x20xf32>, %C: tensor<64x40xf32>):
    %r = krnl.compute [m, n | k] (%p = %A[m, k], %q = %B[n, k]) -> (%s = %C[m, n])
        : (tensor<64x20xf32>, tensor<40x20xf32>) -> tensor<64x40xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x40xf32>
  } -> tensor<64x40xf32>
  return %y : tensor<64x40xf32>
}

// Rows that lie along the last packed dimension are copied. Of a panel that ends beyond
// the operand the elements before the end are read, and the others are zero.
// CHECK-LABEL: func private @kernel_pack_3(
// CHECK:         scf.if
// CHECK-COUNT-2: vector.load %arg0{{.*}} : memref<20x40xf32>, vector<16xf32>
// CHECK:         else
// CHECK:         vector.create_mask
// CHECK-NEXT:    vector.maskedload %arg0{{.*}} : memref<20x40xf32>, vector<16xi1>, vector<16xf32>
// CHECK:         vector.maskedload %arg0
// CHECK-NOT:     memref.load
// CHECK:         return
func.func @lines(%x: tensor<64x20xf32>, %w: tensor<20x40xf32>, %o: tensor<64x40xf32>) -> tensor<64x40xf32> {
  %y = krnl.kernel "lines" loops [m = 64, n = 40, k = 20] ins(%x, %w : tensor<64x20xf32>, tensor<20x40xf32>) outs(%o : tensor<64x40xf32>)
      recipe [block(n, 32) -> (n.o, n.r), block(m, 8) -> (m.o, m.r), order(n.o, m.o, k, m.r, n.r), fuse_outer(n.o, m.o), register_tile(m.r, n.r, lanes=16), pack(1, [n.o, k, n.r], lanes=16)] {
  ^bb0(%A: tensor<64x20xf32>, %B: tensor<20x40xf32>, %C: tensor<64x40xf32>):
    %r = krnl.compute [m, n | k] (%p = %A[m, k], %q = %B[k, n]) -> (%s = %C[m, n])
        : (tensor<64x20xf32>, tensor<20x40xf32>) -> tensor<64x40xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x40xf32>
  } -> tensor<64x40xf32>
  return %y : tensor<64x40xf32>
}

// Two rows are those of pairs.
// CHECK-LABEL: func private @kernel_pack_4(
// CHECK-COUNT-2: vector.load %arg0{{.*}} : memref<8x32xi8>, vector<16xi8>
// CHECK-NEXT:    vector.interleave %{{.+}}, %{{.+}} : vector<16xi8> -> vector<32xi8>
// CHECK-NEXT:    vector.store %{{.+}}, %arg1{{.*}} vector<32xi8>
// CHECK:         return
func.func @pairs(%x: tensor<64x8xi8>, %w: tensor<8x32xi8>, %o: tensor<64x32xi32>) -> tensor<64x32xi32> {
  %y = krnl.kernel "pairs" loops [m = 64, n = 32, k = 8] ins(%x, %w : tensor<64x8xi8>, tensor<8x32xi8>) outs(%o : tensor<64x32xi32>)
      recipe [block(n, 16) -> (n.o, n.r), block(m, 8) -> (m.o, m.r), block(k, 2) -> (k.o, k.q), order(n.o, m.o, k.o, k.q, m.r, n.r), fuse_outer(n.o, m.o), register_tile(m.r, n.r, lanes=16), pack(1, [n.o, k.o, n.r, k.q], interleave=16), 0: dot(k.q)] {
  ^bb0(%A: tensor<64x8xi8>, %B: tensor<8x32xi8>, %C: tensor<64x32xi32>):
    %r = krnl.compute [m, n | k] (%p = %A[m, k], %q = %B[k, n]) -> (%s = %C[m, n])
        : (tensor<64x8xi8>, tensor<8x32xi8>) -> tensor<64x32xi32> {
      %0 = arith.extui %p : i8 to i32
      %1 = arith.extsi %q : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %s, %2 : i32
      linalg.yield %3 : i32
    }
    krnl.yield %r : tensor<64x32xi32>
  } -> tensor<64x32xi32>
  return %y : tensor<64x32xi32>
}
