// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s
// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s --check-prefix=HOST

// For the column of a tile the sums of all rows begin with zeros in memory, a slice of the factor is computed once for
// all rows, and what reads the sums follows the slices.
// CHECK-LABEL: func private @kernel_hoist_0(
// CHECK:         %[[SUMS:.+]] = memref.alloca() {{.*}}: memref<6x1xf32>
// CHECK:         %[[SLICE:.+]] = memref.alloca() {{.*}}: memref<4x1xf32>
// CHECK:         scf.for %{{.+}} =
// CHECK-NEXT:      scf.for %{{.+}} =
// CHECK-NEXT:        scf.for %[[M0:.+]] =
// CHECK-NEXT:          memref.store %{{.+}}, %[[SUMS]][%[[M0]], %{{.+}}]
// CHECK:           scf.for %[[SLICES:.+]] =
// CHECK-NEXT:        scf.for %[[K0:.+]] =
// CHECK:               arith.sitofp
// CHECK-NEXT:          memref.store %{{.+}}, %[[SLICE]][%[[K0]], %{{.+}}]
// CHECK:             scf.for %[[M:.+]] =
// CHECK-NEXT:          %[[START:.+]] = memref.load %[[SUMS]][%[[M]], %{{.+}}]
// CHECK-NEXT:          %[[SUM:.+]] = scf.for %[[K:.+]] = {{.+}} iter_args(%{{.+}} = %[[START]])
// CHECK:                 memref.load %[[SLICE]][%[[K]], %{{.+}}]
// CHECK:               memref.store %[[SUM]], %[[SUMS]][%[[M]], %{{.+}}]
// CHECK:           scf.for %[[M1:.+]] =
// CHECK-NEXT:        memref.load %[[SUMS]][%[[M1]], %{{.+}}]
// CHECK-NEXT:        arith.maximumf
func.func @hoist(%x: tensor<6x8xf32>, %w: tensor<8x4xi8>, %o: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %y = krnl.kernel "hoist" loops [m = 6, n = 4, k = 8] ins(%x, %w : tensor<6x8xf32>, tensor<8x4xi8>) outs(%o : tensor<6x4xf32>)
      recipe [block(k, 4) -> (k.o, k.i), order(n, k.o, m, k.i), zero: hoist(k.o), factor: hoist(m), relu: hoist(k.o), fuse_outer(n, k.o, m)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x4xi8>, %c: tensor<6x4xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<8x4xf32>
    %u = krnl.temporary : tensor<6x4xf32>
    %z = krnl.compute "zero" [m, n] () -> (%_ = %u[m, n]) : () -> tensor<6x4xf32> { linalg.yield %zero : f32 }
    %f = krnl.compute "factor" [n, k] (%p = %b[k, n]) -> (%q = %t[k, n]) : (tensor<8x4xi8>) -> tensor<8x4xf32> {
      %r = arith.sitofp %p : i8 to f32
      linalg.yield %r : f32
    }
    %s = krnl.compute "sum" [m, n | k] (%p = %a[m, k], %q = %f[k, n]) -> (%r = %z[m, n])
        : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32> {
      %v = arith.mulf %p, %q : f32
      %next = arith.addf %r, %v : f32
      linalg.yield %next : f32
    }
    %e = krnl.compute "relu" [m, n] (%p = %s[m, n]) -> (%q = %c[m, n]) : (tensor<6x4xf32>) -> tensor<6x4xf32> {
      %r = arith.maximumf %p, %zero : f32
      linalg.yield %r : f32
    }
    krnl.yield %e : tensor<6x4xf32>
  } -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// What is computed before the loop is in memory for what runs after it.
// CHECK-LABEL: func private @kernel_two_sides_0(
// CHECK-DAG:     %[[BIAS:.+]] = memref.alloca() {{.*}}: memref<1xf32>
// CHECK:         scf.for
// CHECK:           arith.addf
// CHECK-NEXT:      memref.store %{{.+}}, %[[BIAS]]
// CHECK:           scf.for
// CHECK:             arith.addf
// CHECK:           memref.load %[[BIAS]]
// CHECK:           arith.mulf
func.func @two_sides(%x: tensor<4xf32>, %w: tensor<4x8xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %y = krnl.kernel "two_sides" loops [n = 4, k = 8] ins(%x, %w : tensor<4xf32>, tensor<4x8xf32>) outs(%o : tensor<4xf32>)
      recipe [zero: hoist(k), bias: hoist(k), scale: hoist(k), fuse_outer(n, k)] {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4x8xf32>, %c: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<4xf32>
    %u = krnl.temporary : tensor<4xf32>
    %z = krnl.compute "zero" [n] () -> (%_ = %u[n]) : () -> tensor<4xf32> { linalg.yield %zero : f32 }
    %f = krnl.compute "bias" [n] (%p = %a[n]) -> (%q = %t[n]) : (tensor<4xf32>) -> tensor<4xf32> {
      %r = arith.addf %p, %p : f32
      linalg.yield %r : f32
    }
    %s = krnl.compute "sum" [n | k] (%p = %b[n, k]) -> (%r = %z[n]) : (tensor<4x8xf32>) -> tensor<4xf32> {
      %next = arith.addf %r, %p : f32
      linalg.yield %next : f32
    }
    %e = krnl.compute "scale" [n] (%p = %s[n], %q = %f[n]) -> (%_ = %c[n]) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
      %r = arith.mulf %p, %q : f32
      linalg.yield %r : f32
    }
    krnl.yield %e : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// Each step of the sum reads what it starts with, so the sum is in other memory, which starts with that, too.
// CHECK-LABEL: func private @kernel_reads_start_0(
// CHECK-SAME:    memref<4x8xf32>, %[[RESULT:.+]]: memref<4xf32>, %{{.+}}: index, %{{.+}}: index)
// CHECK:         %[[START:.+]] = memref.alloca() {{.*}}: memref<1xf32>
// CHECK:         scf.for %{{.+}} =
// CHECK-NEXT:      scf.for %[[N:.+]] =
// CHECK-DAG:       memref.store %{{.+}}, %[[START]]
// CHECK-DAG:       memref.store %{{.+}}, %[[RESULT]][%[[N]]]
// CHECK:           scf.for
// CHECK:             %[[X:.+]] = memref.load %[[START]]
// CHECK:             arith.mulf %[[X]]
// CHECK:             memref.load %[[RESULT]][%[[N]]]
// CHECK:             memref.store %{{.+}}, %[[RESULT]][%[[N]]]
func.func @reads_start(%x: tensor<4xf32>, %w: tensor<4x8xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %y = krnl.kernel "reads_start" loops [n = 4, k = 8] ins(%x, %w : tensor<4xf32>, tensor<4x8xf32>) outs(%o : tensor<4xf32>)
      recipe [start: hoist(k), fuse_outer(n, k)] {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4x8xf32>, %c: tensor<4xf32>):
    %t = krnl.temporary : tensor<4x8xf32>
    %z = krnl.compute "start" [n] (%p = %a[n]) -> (%_ = %c[n]) : (tensor<4xf32>) -> tensor<4xf32> { linalg.yield %p : f32 }
    %f = krnl.compute "terms" [n, k] (%p = %z[n], %q = %b[n, k]) -> (%_ = %t[n, k]) : (tensor<4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> {
      %r = arith.mulf %p, %q : f32
      linalg.yield %r : f32
    }
    %s = krnl.compute "sum" [n | k] (%p = %f[n, k]) -> (%r = %z[n]) : (tensor<4x8xf32>) -> tensor<4xf32> {
      %next = arith.addf %r, %p : f32
      linalg.yield %next : f32
    }
    krnl.yield %s : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// The op that continues the tensor runs before the loop inside of which another one reads it.
// CHECK-LABEL: func private @kernel_reads_later_0(
// CHECK:         %[[START:.+]] = memref.alloca() {{.*}}: memref<1xf32>
// CHECK:         scf.for
// CHECK:           memref.store %{{.+}}, %[[START]]
// CHECK-NOT:       memref.store %{{.+}}, %[[START]]
// CHECK:           scf.for
// CHECK:             memref.load %[[START]]
// CHECK:             arith.mulf
func.func @reads_later(%x: tensor<4xf32>, %w: tensor<4x8xf32>, %o: tensor<4x8xf32>, %o2: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %y:2 = krnl.kernel "reads_later" loops [n = 4, m = 8] ins(%x, %w : tensor<4xf32>, tensor<4x8xf32>) outs(%o, %o2 : tensor<4x8xf32>, tensor<4xf32>)
      recipe [start: hoist(m), next: hoist(m), fuse_outer(n, m)] {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4x8xf32>, %c: tensor<4x8xf32>, %d: tensor<4xf32>):
    %one = arith.constant 1.0 : f32
    %z = krnl.compute "start" [n] (%p = %a[n]) -> (%_ = %d[n]) : (tensor<4xf32>) -> tensor<4xf32> {
      %r = arith.addf %p, %p : f32
      linalg.yield %r : f32
    }
    %f = krnl.compute "reader" [n, m] (%p = %z[n], %q = %b[n, m]) -> (%_ = %c[n, m]) : (tensor<4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> {
      %r = arith.mulf %p, %q : f32
      linalg.yield %r : f32
    }
    %s = krnl.compute "next" [n] () -> (%r = %z[n]) : () -> tensor<4xf32> {
      %next = arith.addf %r, %one : f32
      linalg.yield %next : f32
    }
    krnl.yield %f, %s : tensor<4x8xf32>, tensor<4xf32>
  } -> tensor<4x8xf32>, tensor<4xf32>
  return %y#0, %y#1 : tensor<4x8xf32>, tensor<4xf32>
}

// What the sum starts with is written to its memory before the loop, for all iterations.
// CHECK-LABEL: func private @kernel_starts_outside_0(
// CHECK:         %[[START:.+]] = memref.alloca() {{.*}}: memref<1x8xf32>
// CHECK:         %[[NEXT:.+]] = memref.alloca() {{.*}}: memref<1x8xf32>
// CHECK:         scf.for %{{.+}} =
// CHECK-NEXT:      scf.for %{{.+}} =
// CHECK-NEXT:        scf.for %[[M:.+]] =
// CHECK-DAG:           memref.store %{{.+}}, %[[START]][%{{.+}}, %[[M]]]
// CHECK-DAG:           memref.store %{{.+}}, %[[NEXT]][%{{.+}}, %[[M]]]
// CHECK:           scf.for %[[M1:.+]] =
// CHECK:             memref.load %[[NEXT]][%{{.+}}, %[[M1]]]
// CHECK:             memref.load %[[START]][%{{.+}}, %[[M1]]]
func.func @starts_outside(%w: tensor<4x8xf32>, %o: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = krnl.kernel "starts_outside" loops [n = 4, m = 8] ins(%w : tensor<4x8xf32>) outs(%o : tensor<4x8xf32>)
      recipe [start: hoist(m), fuse_outer(n, m)] {
  ^bb0(%b: tensor<4x8xf32>, %c: tensor<4x8xf32>):
    %one = arith.constant 1.0 : f32
    %u = krnl.temporary : tensor<4x8xf32>
    %z = krnl.compute "start" [n, m] (%p = %b[n, m]) -> (%_ = %u[n, m]) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
      %r = arith.addf %p, %p : f32
      linalg.yield %r : f32
    }
    %s = krnl.compute "next" [n, m] () -> (%r = %z[n, m]) : () -> tensor<4x8xf32> {
      %next = arith.addf %r, %one : f32
      linalg.yield %next : f32
    }
    %e = krnl.compute "both" [n, m] (%p = %s[n, m], %q = %z[n, m]) -> (%_ = %c[n, m]) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> {
      %r = arith.mulf %p, %q : f32
      linalg.yield %r : f32
    }
    krnl.yield %e : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// The slices that the first op reads are copied in its own loop, not in that of the other one.
// CHECK-LABEL: func private @kernel_slices_0(
// CHECK:         %[[SLICE:.+]] = memref.alloca() {{.*}}: memref<2xf32>
// CHECK:         scf.for %{{.+}} =
// CHECK-NEXT:      scf.for %{{.+}} =
// CHECK-NEXT:        scf.for %{{.+}} =
// CHECK-NEXT:          scf.for %{{.+}} =
// CHECK:                 memref.store %{{.+}}, %[[SLICE]]
// CHECK:                 memref.load %[[SLICE]]
// CHECK-NOT:             memref.store %{{.+}}, %[[SLICE]]
// CHECK:               arith.mulf
func.func @slices(%x: tensor<4x8x2xf32>, %o: tensor<4x8x2xf32>) -> tensor<4x8x2xf32> {
  %y = krnl.kernel "slices" loops [n = 4, m = 8, j = 2] ins(%x : tensor<4x8x2xf32>) outs(%o : tensor<4x8x2xf32>)
      recipe [first: hoist(m), fuse_outer(n, m), cache(0, at=m)] {
  ^bb0(%a: tensor<4x8x2xf32>, %c: tensor<4x8x2xf32>):
    %t = krnl.temporary : tensor<4x8x2xf32>
    %f = krnl.compute "first" [n, m, j] (%p = %a[n, m, j]) -> (%_ = %t[n, m, j]) : (tensor<4x8x2xf32>) -> tensor<4x8x2xf32> {
      %r = arith.addf %p, %p : f32
      linalg.yield %r : f32
    }
    %s = krnl.compute "second" [n, m, j] (%p = %f[n, m, j]) -> (%_ = %c[n, m, j]) : (tensor<4x8x2xf32>) -> tensor<4x8x2xf32> {
      %r = arith.mulf %p, %p : f32
      linalg.yield %r : f32
    }
    krnl.yield %s : tensor<4x8x2xf32>
  } -> tensor<4x8x2xf32>
  return %y : tensor<4x8x2xf32>
}

// No tile computes the factor for no rows.
// HOST-LABEL: func @rows(
// HOST-SAME:    %[[M:[a-z0-9]+]]: index
// HOST:         %[[NONE:.+]] = arith.cmpi eq, %[[M]], %c0{{.*}} : index
// HOST:         %[[TILES:.+]] = arith.select %[[NONE]], %c0{{.*}}, %c4{{.*}} : index
// HOST:         krnl.launch @kernel_rows_0 {{.+}} tiles(%[[TILES]])
func.func @rows(%x: tensor<?x8xf32>, %w: tensor<8x4xi8>, %o: tensor<?x4xf32>, %rows: index) -> tensor<?x4xf32> {
  %y = krnl.kernel "rows" loops [m = %rows, n = 4, k = 8] ins(%x, %w : tensor<?x8xf32>, tensor<8x4xi8>) outs(%o : tensor<?x4xf32>)
      recipe [block(k, 4) -> (k.o, k.i), order(n, k.o, m, k.i), 0: hoist(k.o), 1: hoist(m), fuse_outer(n, k.o, m), parallel(n)] {
  ^bb0(%a: tensor<?x8xf32>, %b: tensor<8x4xi8>, %c: tensor<?x4xf32>, %m: index):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<8x4xf32>
    %z = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<?x4xf32> { linalg.yield %zero : f32 }
    %f = krnl.compute [n, k] (%p = %b[k, n]) -> (%q = %t[k, n]) : (tensor<8x4xi8>) -> tensor<8x4xf32> {
      %r = arith.sitofp %p : i8 to f32
      linalg.yield %r : f32
    }
    %s = krnl.compute [m, n | k] (%p = %a[m, k], %q = %f[k, n]) -> (%r = %z[m, n])
        : (tensor<?x8xf32>, tensor<8x4xf32>) -> tensor<?x4xf32> {
      %v = arith.mulf %p, %q : f32
      %next = arith.addf %r, %v : f32
      linalg.yield %next : f32
    }
    krnl.yield %s : tensor<?x4xf32>
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
