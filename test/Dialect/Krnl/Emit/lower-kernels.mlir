// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-annotate-costs --krnl-lower-kernels --canonicalize --cse | FileCheck %s
// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels=strict --canonicalize | FileCheck %s --check-prefix=STRICT

// Recipes are carried out: loops over memory, register tiles, and launches.
// STRICT-NOT: fastmath<contract>
// STRICT:     arith.mulf
// STRICT-NOT: fastmath<contract>

// A tile of 8 x 48 is 24 accumulators that stay in registers over k; the
// epilogue works on them; the last 4 of 100 columns have a variant of their own.
// The right operand is packed by a launch of its own, as it is not a constant.
// CHECK-LABEL: func @ffn
// CHECK:         %[[PACKED:.+]] = krnl.launch @kernel_pack_0 {{.*}} tiles(%c3) {krnl.tile_cycles = {{[1-9][0-9]+}} : i64, krnl.work = {bytes = 614400 : i64, operations = {}}} -> tensor<3x768x48xf32>
// CHECK:         krnl.launch @kernel_ffn0_0 ins(%{{.+}}, %[[PACKED]], {{.*}} tiles(%c16)
func.func @ffn(%x: tensor<128x768xf32>, %bias: tensor<100xf32>, %w : tensor<768x100xf32>) -> tensor<128x100xf32> {
  %o = tensor.empty() : tensor<128x100xf32>
  %y = krnl.kernel "ffn0" loops [m = 128, n = 100, k = 768] ins(%x, %w, %bias : tensor<128x768xf32>, tensor<768x100xf32>, tensor<100xf32>) outs(%o : tensor<128x100xf32>)
    recipe [block(n, 48) -> (n.p, n.r), block(m, 8) -> (m.o, m.r), order(m.o, n.p, k, m.r, n.r), fuse_outer(m.o, n.p), parallel(m.o), register_tile(m.r, n.r, lanes=16), pack(1, [n.p, k, n.r])] {
  ^bb0(%A: tensor<128x768xf32>, %B: tensor<768x100xf32>, %C: tensor<100xf32>, %O: tensor<128x100xf32>):
    %zero = arith.constant 0.0 : f32
    %e = krnl.temporary : tensor<128x100xf32>
    %f = krnl.compute [m, n] () -> (%q = %e[m, n]) : () -> tensor<128x100xf32> {
      linalg.yield %zero : f32
    }
    %r = krnl.compute [m, n | k] (%p = %A[m, k], %q = %B[k, n]) -> (%s = %f[m, n])
        : (tensor<128x768xf32>, tensor<768x100xf32>) -> tensor<128x100xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    %z = krnl.compute [m, n] (%p = %r[m, n], %q = %C[n]) -> (%s = %O[m, n])
        : (tensor<128x100xf32>, tensor<100xf32>) -> tensor<128x100xf32> {
      %1 = arith.addf %p, %q : f32
      %2 = arith.maximumf %1, %zero : f32
      linalg.yield %2 : f32
    }
    krnl.yield %z : tensor<128x100xf32>
  } -> tensor<128x100xf32>
  return %y : tensor<128x100xf32>
}

// Several passes over a row share the row's loops; the row itself is 100 long,
// six vectors and four masked lanes, kept in one row of stack memory.
// CHECK-LABEL: func @softmax
// CHECK:         krnl.launch @kernel_softmax_0
func.func @softmax(%x: tensor<?x100xf32>, %o: tensor<?x100xf32>) -> tensor<?x100xf32> {
  %c0_1 = arith.constant 0 : index
  %r_size = tensor.dim %x, %c0_1 : tensor<?x100xf32>
  %y = krnl.kernel "softmax" loops [r = %r_size, c = 100] ins(%x : tensor<?x100xf32>) outs(%o : tensor<?x100xf32>)
    recipe [block(r, 4) -> (r.o, r.i), order(r.o, r.i, c), fuse_outer(r.o, r.i), parallel(r.o), vectorize(c, 16)] {
  ^bb0(%X: tensor<?x100xf32>, %O: tensor<?x100xf32>, %r_extent: index):
    %zero = arith.constant 0.0 : f32
    %ninf = arith.constant 0xFF800000 : f32
    %c0 = arith.constant 0 : index
    %d = tensor.dim %X, %c0 : tensor<?x100xf32>
    %e = krnl.temporary : tensor<?xf32>
    %e2 = krnl.temporary : tensor<?xf32>
    %ex = krnl.temporary : tensor<?x100xf32>
    %m0 = krnl.compute [r] () -> (%q = %e[r]) : () -> tensor<?xf32> {
      linalg.yield %ninf : f32
    }
    %m = krnl.compute [r | c] (%p = %X[r, c]) -> (%s = %m0[r])
        : (tensor<?x100xf32>) -> tensor<?xf32> {
      %1 = arith.maximumf %s, %p : f32
      linalg.yield %1 : f32
    }
    %z = krnl.compute [r, c] (%p = %X[r, c], %q = %m[r]) -> (%s = %ex[r, c])
        : (tensor<?x100xf32>, tensor<?xf32>) -> tensor<?x100xf32> {
      %1 = arith.subf %p, %q : f32
      %2 = math.exp %1 : f32
      linalg.yield %2 : f32
    }
    %s0 = krnl.compute [r] () -> (%q = %e2[r]) : () -> tensor<?xf32> {
      linalg.yield %zero : f32
    }
    %s = krnl.compute [r | c] (%p = %z[r, c]) -> (%q = %s0[r])
        : (tensor<?x100xf32>) -> tensor<?xf32> {
      %1 = arith.addf %q, %p : f32
      linalg.yield %1 : f32
    }
    %w = krnl.compute [r, c] (%p = %z[r, c], %q = %s[r]) -> (%t = %O[r, c])
        : (tensor<?x100xf32>, tensor<?xf32>) -> tensor<?x100xf32> {
      %1 = arith.divf %p, %q : f32
      linalg.yield %1 : f32
    }
    krnl.yield %w : tensor<?x100xf32>
  } -> tensor<?x100xf32>
  return %y : tensor<?x100xf32>
}

// CHECK-LABEL: func private @kernel_ffn0_0(
// CHECK-SAME:    memref<3x768x48xf32>
// CHECK:         scf.if
// CHECK:           scf.for {{.*}} -> (vector<16xf32>{{(, vector<16xf32>)+}})
// CHECK-COUNT-24:    arith.addf {{.*}} fastmath<contract> : vector<16xf32>
// CHECK-NOT:         arith.addf {{.*}} fastmath<contract>
// CHECK:           scf.yield
// CHECK-COUNT-24:  vector.store
// CHECK:         } else {
// CHECK-COUNT-8:   arith.addf {{.*}} fastmath<contract> : vector<16xf32>
// CHECK-NOT:       arith.addf {{.*}} fastmath<contract>
// CHECK:           scf.yield
// CHECK-COUNT-8:   vector.maskedstore

// CHECK-LABEL: func private @kernel_softmax_0(
// CHECK:         memref.alloca() {{.*}} : memref<1x100xf32>
// CHECK:         %[[MAX:.+]] = scf.for {{.*}} -> (vector<16xf32>)
// CHECK:           arith.maximumf
// CHECK:         vector.maskedload
// CHECK:         vector.reduction <maximumf>
// CHECK:         vector.reduction <add>
// CHECK:         vector.maskedstore
