// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse -split-input-file -verify-diagnostics | FileCheck %s

// The 8 columns of the left operand that a tile of rows reads are copied, k
// outermost, before the tiles of columns begin; the product reads the copy.
// CHECK-LABEL: func private @kernel_product_0(
// CHECK-SAME:    %[[X:.+]]: memref<16x32xf32>, %[[W:.+]]: memref<32x64xf32>
// CHECK:         %[[COPY:.+]] = memref.alloca() {{.*}} : memref<256xf32>
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             %[[E:.+]] = memref.load %[[X]]
// CHECK:             memref.store %[[E]], %[[COPY]]
// CHECK:           scf.for
// CHECK-NOT:         %[[X]]
// CHECK:             memref.load %[[COPY]]
func.func @product(%x: tensor<16x32xf32>, %w: tensor<32x64xf32>, %o: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %y = krnl.kernel "product" loops [m = 16, n = 64, k = 32] ins(%x, %w : tensor<16x32xf32>, tensor<32x64xf32>) outs(%o : tensor<16x64xf32>)
      recipe [block(n, 16) -> (n.p, n.r), block(m, 8) -> (m.o, m.r), order(m.o, n.p, k, m.r, n.r), fuse_outer(m.o, n.p), parallel(m.o), register_tile(m.r, n.r, lanes=16), cache(0, at=m.o)] {
  ^bb0(%A: tensor<16x32xf32>, %B: tensor<32x64xf32>, %O: tensor<16x64xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%q = %O[m, n]) : () -> tensor<16x64xf32> {
      linalg.yield %zero : f32
    }
    %r = krnl.compute [m, n | k] (%p = %A[m, k], %q = %B[k, n]) -> (%s = %f[m, n])
        : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<16x64xf32>
  } -> tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}

// -----

// A slice of unknown size has no place on the stack.
func.func @unknown(%x: tensor<16x?xf32>, %o: tensor<16x?xf32>) -> tensor<16x?xf32> {
  %c1 = arith.constant 1 : index
  %c_size = tensor.dim %x, %c1 : tensor<16x?xf32>
  // expected-error @below {{cannot cache operand 0 at loop 'r': the extent of loop 'c' is not known}}
  %y = krnl.kernel "copy" loops [r = 16, c = %c_size] ins(%x : tensor<16x?xf32>) outs(%o : tensor<16x?xf32>)
      recipe [fuse_outer(r), cache(0, at=r)] {
  ^bb0(%A: tensor<16x?xf32>, %O: tensor<16x?xf32>, %c_extent: index):
    %r = krnl.compute [r, c] (%p = %A[r, c]) -> (%q = %O[r, c])
        : (tensor<16x?xf32>) -> tensor<16x?xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<16x?xf32>
  } -> tensor<16x?xf32>
  return %y : tensor<16x?xf32>
}

// -----

// Numbers other than factors of products of bytes are not extended.
func.func @no_bytes(%x: tensor<16x32xi8>, %o: tensor<16x32xi8>) -> tensor<16x32xi8> {
  // expected-error @below {{cannot cache operand 0 at loop 'r': op '0' sums up no products of its bytes}}
  %y = krnl.kernel "copy" loops [r = 16, c = 32] ins(%x : tensor<16x32xi8>) outs(%o : tensor<16x32xi8>)
      recipe [fuse_outer(r), cache(0, at=r, as=i16)] {
  ^bb0(%A: tensor<16x32xi8>, %O: tensor<16x32xi8>):
    %r = krnl.compute [r, c] (%p = %A[r, c]) -> (%q = %O[r, c])
        : (tensor<16x32xi8>) -> tensor<16x32xi8> {
      linalg.yield %p : i8
    }
    krnl.yield %r : tensor<16x32xi8>
  } -> tensor<16x32xi8>
  return %y : tensor<16x32xi8>
}
