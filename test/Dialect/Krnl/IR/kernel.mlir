// RUN: onnx-opt %s --verify-roundtrip | FileCheck %s
// RUN: onnx-opt %s --mlir-print-op-generic | onnx-opt | FileCheck %s

// Static and dynamic extents; no recipe is printed where there is none.
// CHECK-LABEL: func @dynamic_rows
// CHECK:         krnl.kernel "scale" loops [r = %{{[^],]+}}, c = 8] ins(
// CHECK-SAME:      outs(%{{.+}} : tensor<?x8xf32>) {
// CHECK:           krnl.compute [r, c]
// CHECK:           krnl.yield
// CHECK:         } -> tensor<?x8xf32>
func.func @dynamic_rows(%x: tensor<?x8xf32>, %s: f32, %n: index) -> tensor<?x8xf32> {
  %o = tensor.empty(%n) : tensor<?x8xf32>
  %c0 = arith.constant 0 : index
  %r_size = tensor.dim %x, %c0 : tensor<?x8xf32>
  %y = krnl.kernel "scale" loops [r = %r_size, c = 8]
      ins(%x, %s : tensor<?x8xf32>, f32) outs(%o : tensor<?x8xf32>) {
  ^bb0(%a: tensor<?x8xf32>, %f: f32, %b: tensor<?x8xf32>, %r_extent: index):
    %r = krnl.compute [r, c] (%p = %a[r, c]) -> (%q = %b[r, c])
        : (tensor<?x8xf32>) -> tensor<?x8xf32> {
      %m = arith.mulf %p, %f : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<?x8xf32>
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// A limit of a dynamic extent.
// CHECK-LABEL: func @few_rows
// CHECK:         krnl.kernel "copy" loops [r = %{{.+}} < 8, c = 8] ins(
func.func @few_rows(%x: tensor<?x8xf32>, %o: tensor<?x8xf32>, %n: index) -> tensor<?x8xf32> {
  %y = krnl.kernel "copy" loops [r = %n < 8, c = 8] ins(%x : tensor<?x8xf32>) outs(%o : tensor<?x8xf32>) {
  ^bb0(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>, %r_extent: index):
    %r = krnl.compute [r, c] (%p = %a[r, c]) -> (%q = %b[r, c])
        : (tensor<?x8xf32>) -> tensor<?x8xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<?x8xf32>
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// A minimum of a dynamic extent, and both.
// CHECK-LABEL: func @many_rows
// CHECK:         krnl.kernel "copy" loops [r = %{{.+}} >= 256, c = 8] ins(
// CHECK:         krnl.kernel "copy" loops [r = %{{.+}} >= 16 < 256, c = 8] ins(
func.func @many_rows(%x: tensor<?x8xf32>, %o: tensor<?x8xf32>, %n: index) -> tensor<?x8xf32> {
  %y = krnl.kernel "copy" loops [r = %n >= 256, c = 8] ins(%x : tensor<?x8xf32>) outs(%o : tensor<?x8xf32>) {
  ^bb0(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>, %r_extent: index):
    %r = krnl.compute [r, c] (%p = %a[r, c]) -> (%q = %b[r, c])
        : (tensor<?x8xf32>) -> tensor<?x8xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<?x8xf32>
  } -> tensor<?x8xf32>
  %z = krnl.kernel "copy" loops [r = %n >= 16 < 256, c = 8] ins(%x : tensor<?x8xf32>) outs(%y : tensor<?x8xf32>) {
  ^bb0(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>, %r_extent: index):
    %r = krnl.compute [r, c] (%p = %a[r, c]) -> (%q = %b[r, c])
        : (tensor<?x8xf32>) -> tensor<?x8xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<?x8xf32>
  } -> tensor<?x8xf32>
  return %z : tensor<?x8xf32>
}

// All steps, a loop name that needs quotes, steps limited to one op by name and
// by number, and a temporary whose size is read inside.
// CHECK-LABEL: func @softmax_like
// CHECK:         loops [batch.size = %{{[^],]+}}, c = 100]
// CHECK-SAME:      recipe [block(batch.size, 4) -> (r.o, r.i),
// CHECK-SAME:      block(c, 25, tail=peel) -> (c.o, c.i),
// CHECK-SAME:      order(r.o, r.i, c.o, c.i), fuse_outer(r.o, r.i), parallel(r.o),
// CHECK-SAME:      1: split_reduction(c.o, 2) -> (c.p, c.q), 1: unroll(c.q, 2),
// CHECK-SAME:      diff: vectorize(c.i, 16), cache(0, at=r.i), pack(1, [c.o, c.i])]
func.func @softmax_like(%x: tensor<?x100xf32>, %w: tensor<100xf32>, %n: index) -> tensor<?x100xf32> {
  %o = tensor.empty(%n) : tensor<?x100xf32>
  %c0_1 = arith.constant 0 : index
  %batch_size_size = tensor.dim %x, %c0_1 : tensor<?x100xf32>
  %y = krnl.kernel "centre" loops [batch.size = %batch_size_size, c = 100]
      ins(%x, %w : tensor<?x100xf32>, tensor<100xf32>) outs(%o : tensor<?x100xf32>)
      recipe [block(batch.size, 4) -> (r.o, r.i), block(c, 25, tail=peel) -> (c.o, c.i),
              order(r.o, r.i, c.o, c.i), fuse_outer(r.o, r.i), parallel(r.o),
              1: split_reduction(c.o, 2) -> (c.p, c.q), 1: unroll(c.q, 2),
              diff: vectorize(c.i, 16), cache(0, at=r.i), pack(1, [c.o, c.i])] {
  ^bb0(%a: tensor<?x100xf32>, %v: tensor<100xf32>, %b: tensor<?x100xf32>, %batch_size_extent: index):
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %d = tensor.dim %a, %c0 : tensor<?x100xf32>
    %e = krnl.temporary : tensor<?xf32>
    %f = krnl.compute [batch.size] () -> (%_ = %e[batch.size]) : () -> tensor<?xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute [batch.size | c] (%p = %a[batch.size, c]) -> (%q = %f[batch.size])
        : (tensor<?x100xf32>) -> tensor<?xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    %r = krnl.compute "diff" [batch.size, c] (%p = %a[batch.size, c], %t = %s[batch.size], %u = %v[c]) -> (%q = %b[batch.size, c])
        : (tensor<?x100xf32>, tensor<?xf32>, tensor<100xf32>) -> tensor<?x100xf32> {
      %d1 = arith.subf %p, %t : f32
      %m = arith.mulf %d1, %u : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<?x100xf32>
  } -> tensor<?x100xf32>
  return %y : tensor<?x100xf32>
}

// Reads at computed indices are allowed on inputs of the kernel.
// CHECK-LABEL: func @gather
// CHECK:         tensor.extract
func.func @gather(%x: tensor<?xf32>, %i: tensor<10xi64>) -> tensor<10xf32> {
  %o = tensor.empty() : tensor<10xf32>
  %y = krnl.kernel "gather" loops [i = 10]
      ins(%x, %i : tensor<?xf32>, tensor<10xi64>) outs(%o : tensor<10xf32>) {
  ^bb0(%a: tensor<?xf32>, %k: tensor<10xi64>, %b: tensor<10xf32>):
    %r = krnl.compute [i] (%p = %k[i]) -> (%q = %b[i]) : (tensor<10xi64>) -> tensor<10xf32> {
      %at = arith.index_cast %p : i64 to index
      %v = tensor.extract %a[%at] : tensor<?xf32>
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<10xf32>
  } -> tensor<10xf32>
  return %y : tensor<10xf32>
}
