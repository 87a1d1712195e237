// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s

// 13 = 3 * 4 + 1: three blocks of four, and one iteration for itself. Nothing is
// compared.
// CHECK-LABEL: func private @kernel_peeled_0(
// CHECK-NOT:     arith.minsi
// CHECK:         scf.for %[[B:.+]] = %c0 to %c3
// CHECK:           scf.for %{{.+}} = %c0 to %c4
// CHECK-NOT:     arith.minsi
// CHECK:         memref.load %{{.+}}[%c12, %{{.+}}]
func.func @peeled(%x: tensor<13x17xf32>, %o: tensor<13x17xf32>) -> tensor<13x17xf32> {
  %y = krnl.kernel "peeled" loops [i = 13, j = 17] ins(%x : tensor<13x17xf32>) outs(%o : tensor<13x17xf32>)
      recipe [block(i, 4, tail=peel) -> (i.o, i.i)] {
  ^bb0(%a: tensor<13x17xf32>, %b: tensor<13x17xf32>):
    %r = krnl.compute [i, j] (%p = %a[i, j]) -> (%q = %b[i, j])
        : (tensor<13x17xf32>) -> tensor<13x17xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<13x17xf32>
  } -> tensor<13x17xf32>
  return %y : tensor<13x17xf32>
}

// A tile of parallel blocks asks once which kind it is.
// CHECK-LABEL: func private @kernel_peeled_parallel_0(
// CHECK:         %[[FULL:.+]] = arith.cmpi slt, %{{.+}}, %c3
// CHECK:         scf.if %[[FULL]]
// CHECK:           scf.for %{{.+}} = %c0 to %c4
// CHECK:         } else {
// CHECK-NOT:       arith.minsi
// CHECK:         return
func.func @peeled_parallel(%x: tensor<13x17xf32>, %o: tensor<13x17xf32>) -> tensor<13x17xf32> {
  %y = krnl.kernel "peeled_parallel" loops [i = 13, j = 17] ins(%x : tensor<13x17xf32>) outs(%o : tensor<13x17xf32>)
      recipe [block(i, 4, tail=peel) -> (i.o, i.i), fuse_outer(i.o), parallel(i.o)] {
  ^bb0(%a: tensor<13x17xf32>, %b: tensor<13x17xf32>):
    %r = krnl.compute [i, j] (%p = %a[i, j]) -> (%q = %b[i, j])
        : (tensor<13x17xf32>) -> tensor<13x17xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<13x17xf32>
  } -> tensor<13x17xf32>
  return %y : tensor<13x17xf32>
}

// Of fused blocks the value says which ones they are: 5 blocks of j for each of i.
// CHECK-LABEL: func private @kernel_fused_0(
// CHECK:         scf.for %[[F:.+]] = %{{.+}} to
// CHECK:           arith.divui %[[F]], %c5
// CHECK:           arith.minsi
// CHECK:           scf.for
// CHECK:             arith.remui %[[F]], %c5
// CHECK:             arith.minsi
// CHECK:             scf.for
func.func @fused(%x: tensor<13x17xf32>, %o: tensor<13x17xf32>) -> tensor<13x17xf32> {
  %y = krnl.kernel "fused" loops [i = 13, j = 17] ins(%x : tensor<13x17xf32>) outs(%o : tensor<13x17xf32>)
      recipe [block(i, 4) -> (i.o, i.i), block(j, 4) -> (j.o, j.i), order(i.o, j.o, i.i, j.i), fuse(i.o, j.o) -> f, fuse_outer(f), parallel(f)] {
  ^bb0(%a: tensor<13x17xf32>, %b: tensor<13x17xf32>):
    %r = krnl.compute [i, j] (%p = %a[i, j]) -> (%q = %b[i, j])
        : (tensor<13x17xf32>) -> tensor<13x17xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<13x17xf32>
  } -> tensor<13x17xf32>
  return %y : tensor<13x17xf32>
}

// A packed operand is read in whole vectors only where there is room for them:
// 17 elements are one vector of 16 and one element.
// CHECK-LABEL: func private @kernel_packed_0(
// CHECK-SAME:    memref<13x17xf32>
// CHECK:         vector.load
// CHECK:         vector.maskedload
func.func @packed(%x: tensor<13x17xf32>, %o: tensor<13x17xf32>) -> tensor<13x17xf32> {
  %y = krnl.kernel "packed" loops [i = 13, j = 17] ins(%x : tensor<13x17xf32>) outs(%o : tensor<13x17xf32>)
      recipe [pack(0, [i, j]), vectorize(j, 16)] {
  ^bb0(%a: tensor<13x17xf32>, %b: tensor<13x17xf32>):
    %r = krnl.compute [i, j] (%p = %a[i, j]) -> (%q = %b[i, j])
        : (tensor<13x17xf32>) -> tensor<13x17xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<13x17xf32>
  } -> tensor<13x17xf32>
  return %y : tensor<13x17xf32>
}

// Of the rows that whole tiles of six leave, four go side by side, then two, then
// one: each time they share the vectors that are read.
// CHECK-LABEL: func private @kernel_rows_0(
// CHECK:         scf.if
// CHECK:           %{{.+}}:6 = scf.for {{.+}} to %c9 step %c1 iter_args
// CHECK:         } else {
// CHECK:           scf.for {{.+}} step %c4
// CHECK:             %{{.+}}:4 = scf.for {{.+}} to %c9 step %c1 iter_args
// CHECK:           scf.for {{.+}} step %c2
// CHECK:             %{{.+}}:2 = scf.for {{.+}} to %c9 step %c1 iter_args
// CHECK:           scf.for {{.+}} step %c1
// CHECK:             %{{[^:]+}} = scf.for {{.+}} to %c9 step %c1 iter_args
func.func @rows(%x: tensor<?x9xf32>, %w: tensor<9x16xf32>, %o: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %m_size = tensor.dim %x, %c0 : tensor<?x9xf32>
  %y = krnl.kernel "rows" loops [m = %m_size, n = 16, k = 9] ins(%x, %w : tensor<?x9xf32>, tensor<9x16xf32>) outs(%o : tensor<?x16xf32>)
      recipe [block(n, 16) -> (n.p, n.r), block(m, 6) -> (m.o, m.r), order(m.o, n.p, k, m.r, n.r), fuse_outer(m.o, n.p), parallel(m.o), register_tile(m.r, n.r, lanes=16, tail=[4, 2])] {
  ^bb0(%a: tensor<?x9xf32>, %b: tensor<9x16xf32>, %c: tensor<?x16xf32>, %m_extent: index):
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<?x9xf32>, tensor<9x16xf32>) -> tensor<?x16xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<?x16xf32>
  } -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// What is left by three, then one by one.
// CHECK-LABEL: func private @kernel_by_three_0(
// CHECK:           %{{.+}}:6 = scf.for {{.+}} to %c9 step %c1 iter_args
// CHECK:         } else {
// CHECK:           scf.for {{.+}} step %c3
// CHECK:             %{{.+}}:3 = scf.for {{.+}} to %c9 step %c1 iter_args
// CHECK:           scf.for {{.+}} step %c1
// CHECK:             %{{[^:]+}} = scf.for {{.+}} to %c9 step %c1 iter_args
func.func @by_three(%x: tensor<?x9xf32>, %w: tensor<9x16xf32>, %o: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %m_size = tensor.dim %x, %c0 : tensor<?x9xf32>
  %y = krnl.kernel "by three" loops [m = %m_size, n = 16, k = 9] ins(%x, %w : tensor<?x9xf32>, tensor<9x16xf32>) outs(%o : tensor<?x16xf32>)
      recipe [block(n, 16) -> (n.p, n.r), block(m, 6) -> (m.o, m.r), order(m.o, n.p, k, m.r, n.r), fuse_outer(m.o, n.p), parallel(m.o), register_tile(m.r, n.r, lanes=16, tail=[3])] {
  ^bb0(%a: tensor<?x9xf32>, %b: tensor<9x16xf32>, %c: tensor<?x16xf32>, %m_extent: index):
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<?x9xf32>, tensor<9x16xf32>) -> tensor<?x16xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<?x16xf32>
  } -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// Fourteen elements eight at a time, then by twos; or one by one.
// CHECK-LABEL: func private @kernel_elements_0(
// CHECK-COUNT-8: memref.store
// CHECK-NOT:     memref.store
// CHECK:         scf.for %{{.+}} = %c8 to %c14 step %c2
// CHECK-COUNT-2:   memref.store
// CHECK-NOT:     memref.store
// CHECK-LABEL: func private @kernel_single_0(
// CHECK:         scf.for %{{.+}} = %c8 to %c14 step %c1
func.func @elements(%x: tensor<14xf32>, %o: tensor<14xf32>) -> (tensor<14xf32>, tensor<14xf32>) {
  %y = krnl.kernel "elements" loops [i = 14] ins(%x : tensor<14xf32>) outs(%o : tensor<14xf32>)
      recipe [unroll(i, 8, tail=[2])] {
  ^bb0(%a: tensor<14xf32>, %b: tensor<14xf32>):
    %r = krnl.compute [i] (%p = %a[i]) -> (%q = %b[i]) : (tensor<14xf32>) -> tensor<14xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<14xf32>
  } -> tensor<14xf32>
  %z = krnl.kernel "single" loops [i = 14] ins(%x : tensor<14xf32>) outs(%o : tensor<14xf32>)
      recipe [unroll(i, 8)] {
  ^bb0(%a: tensor<14xf32>, %b: tensor<14xf32>):
    %r = krnl.compute [i] (%p = %a[i]) -> (%q = %b[i]) : (tensor<14xf32>) -> tensor<14xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<14xf32>
  } -> tensor<14xf32>
  return %y, %z : tensor<14xf32>, tensor<14xf32>
}
