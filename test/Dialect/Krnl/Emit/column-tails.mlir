// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s
//
// Of tiles of four vectors of columns a few columns may be left: no more vectors than
// four, two or one that hold these are computed, of two rows each.

// CHECK-LABEL: func private @kernel_product_0(
// CHECK-COUNT-8:     vector.store
// CHECK-NOT:         vector.store
// CHECK:             arith.cmpi sgt, %{{.*}}, %c32
// CHECK-COUNT-8:     vector.maskedstore
// CHECK-NOT:         vector.maskedstore
// CHECK:             arith.cmpi sgt, %{{.*}}, %c16
// CHECK-COUNT-4:     vector.maskedstore
// CHECK-NOT:         vector.maskedstore
// CHECK:             } else {
// CHECK-COUNT-2:     vector.maskedstore
// CHECK-NOT:         vector.maskedstore
// CHECK:             }
func.func @product(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %m_size = tensor.dim %o, %c0 : tensor<?x?xf32>
  %c1 = arith.constant 1 : index
  %n_size = tensor.dim %o, %c1 : tensor<?x?xf32>
  %k_size = tensor.dim %x, %c1 : tensor<?x?xf32>
  %y = krnl.kernel "product" loops [m = %m_size, n = %n_size, k = %k_size]
      ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>)
      recipe [block(m, 2) -> (m.o, m.r), block(n, 64) -> (n.o, n.r), order(m.o, n.o, k, m.r, n.r),
              fuse_outer(m.o, n.o), register_tile(m.r, n.r, lanes=16, tail=[] masked)] {
  ^bb0(%p: tensor<?x?xf32>, %q: tensor<?x?xf32>, %r: tensor<?x?xf32>, %m_extent: index, %n_extent: index, %k_extent: index):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %r[m, n]) : () -> tensor<?x?xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute [m, n | k] (%u = %p[m, k], %v = %q[k, n]) -> (%t = %f[m, n])
        : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> {
      %prod = arith.mulf %u, %v : f32
      %sum = arith.addf %t, %prod : f32
      linalg.yield %sum : f32
    }
    krnl.yield %s : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
