// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse -split-input-file -verify-diagnostics | FileCheck %s

// The 8 columns of the left operand that a tile of rows reads are copied, k
// outermost, before the tiles of columns begin; the product reads the copy.
// CHECK-LABEL: func private @kernel_product_0(
// CHECK-SAME:    %[[X:.+]]: memref<16x32xf32>, %[[W:.+]]: memref<32x64xf32>
// CHECK:         %[[COPY:.+]] = memref.alloca() {{.*}} : memref<32x8xf32>
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             %[[E:.+]] = memref.load %[[X]]
// CHECK:             memref.store %[[E]], %[[COPY]]
// CHECK:           scf.for
// CHECK-NOT:         %[[X]]
// CHECK:             memref.load %[[COPY]]
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#mn = affine_map<(m, n) -> (m, n)>
func.func @product(%x: tensor<16x32xf32>, %w: tensor<32x64xf32>, %o: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %y = krnl.kernel "product" loops [m = 16, n = 64, k = 32] ins(%x, %w : tensor<16x32xf32>, tensor<32x64xf32>) outs(%o : tensor<16x64xf32>)
      recipe [block(n, 16) -> (n.p, n.r), block(m, 8) -> (m.o, m.r), order(m.o, n.p, k, m.r, n.r), fuse_outer(m.o, n.p), parallel(m.o), register_tile(m.r, n.r), cache(0, at=m.o)] {
  ^bb0(%A: tensor<16x32xf32>, %B: tensor<32x64xf32>, %O: tensor<16x64xf32>):
    %zero = arith.constant 0.0 : f32
    %f = linalg.generic {indexing_maps = [#mn], iterator_types = ["parallel", "parallel"]} outs(%O : tensor<16x64xf32>) attrs = {krnl.axes = ["m", "n"]} {
    ^bb0(%q: f32):
      linalg.yield %zero : f32
    } -> tensor<16x64xf32>
    %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%A, %B : tensor<16x32xf32>, tensor<32x64xf32>) outs(%f : tensor<16x64xf32>) attrs = {krnl.axes = ["m", "n", "k"]} {
    ^bb0(%p: f32, %q: f32, %s: f32):
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<16x64xf32>
    krnl.yield %r : tensor<16x64xf32>
  } -> tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}

// -----

// A slice of unknown size has no place on the stack.
#id = affine_map<(r, c) -> (r, c)>
func.func @unknown(%x: tensor<16x?xf32>, %o: tensor<16x?xf32>) -> tensor<16x?xf32> {
  %c1 = arith.constant 1 : index
  %c_size = tensor.dim %x, %c1 : tensor<16x?xf32>
  // expected-error @below {{cannot cache operand 0 at loop 'r': the extent of loop 'c' is not known}}
  %y = krnl.kernel "copy" loops [r = 16, c = %c_size] ins(%x : tensor<16x?xf32>) outs(%o : tensor<16x?xf32>)
      recipe [fuse_outer(r), cache(0, at=r)] {
  ^bb0(%A: tensor<16x?xf32>, %O: tensor<16x?xf32>, %c_extent: index):
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%A : tensor<16x?xf32>) outs(%O : tensor<16x?xf32>) attrs = {krnl.axes = ["r", "c"]} {
    ^bb0(%p: f32, %q: f32):
      linalg.yield %p : f32
    } -> tensor<16x?xf32>
    krnl.yield %r : tensor<16x?xf32>
  } -> tensor<16x?xf32>
  return %y : tensor<16x?xf32>
}
