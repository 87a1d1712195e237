// RUN: onnx-opt %s --krnl-lower-kernels --canonicalize --cse | FileCheck %s
//
// Four threads of a matrix instruction have two columns each of each eight. Of results of 16 bits they exchange what
// they have of four tiles, so that each stores the eight columns of one of them.

module attributes {krnl.target = #krnl.target<tile_threads = 1024, instructions = {mma_f16_x16 = "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"}>} {

// The thread has two rows of four tiles: four words of each row, and a vector.
// CHECK-LABEL: func private @kernel_half_0(
// CHECK-SAME:    %[[O:[a-z0-9]+]]: memref<64x64xf16
// CHECK:         krnl.mma
// CHECK:         %[[PART:.+]] = vector.bitcast %{{.+}} : vector<2xf16> to vector<1xi32>
// CHECK:         %[[WORD:.+]] = vector.extract %[[PART]][0]
// CHECK:         %[[GIVEN:.+]] = arith.select %[[ODD:.+]], %[[WORD]], %{{.+}} : i32
// CHECK:         %[[GOT:.+]] = nvvm.shfl.sync bfly %{{.+}}, %[[GIVEN]], %c1_i32, %c31_i32
// CHECK:         arith.select %[[ODD]], %[[GOT]], %[[WORD]]
// CHECK:         nvvm.shfl.sync bfly %{{.+}}, %{{.+}}, %c1_i32
// CHECK:         nvvm.shfl.sync bfly %{{.+}}, %{{.+}}, %c2_i32
// CHECK:         nvvm.shfl.sync bfly %{{.+}}, %{{.+}}, %c2_i32
// CHECK-NOT:     nvvm.shfl
// CHECK:         %[[WORDS:.+]] = vector.from_elements {{.*}} : vector<4xi32>
// CHECK:         %[[TILE:.+]] = vector.bitcast %[[WORDS]] : vector<4xi32> to vector<8xf16>
// CHECK:         vector.store %[[TILE]], %{{.+}} : memref<64x64xf16{{.*}}>, vector<8xf16>
// CHECK-COUNT-4: nvvm.shfl.sync bfly
// CHECK:         vector.store %{{.+}} : memref<64x64xf16{{.*}}>, vector<8xf16>
// CHECK-NOT:     vector.store
func.func @half(%x: tensor<64x128xf16>, %w: tensor<128x64xf16>, %o: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %y = krnl.kernel "half" loops [m = 64, n = 64, k = 128] ins(%x, %w : tensor<64x128xf16>, tensor<128x64xf16>) outs(%o : tensor<64x64xf16>)
      recipe [block(m, 16) -> (m.o, m.b), block(m.b, 8) -> (m.h, m.g),
              block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 64) -> (k.o, k.s), block(k.s, 16) -> (k.m, k.i),
              order(m.o, n.o, m.g, n.t, m.h, n.f, n.c, k.o, k.m, k.i), fuse_outer(m.o, n.o, m.g, n.t), parallel(m.o, n.o),
              map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2),
              mma(m.h, m.g, n.t, n.c, k.i), cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared)] {
  ^bb0(%a: tensor<64x128xf16>, %b: tensor<128x64xf16>, %c: tensor<64x64xf16>):
    %zero = arith.constant 0.0 : f32
    %s = krnl.temporary : tensor<64x64xf32>
    %f = krnl.compute [m, n] () -> (%q = %s[m, n]) : () -> tensor<64x64xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%t = %f[m, n])
        : (tensor<64x128xf16>, tensor<128x64xf16>) -> tensor<64x64xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %t, %2 : f32
      linalg.yield %3 : f32
    }
    %e = krnl.compute "round" [m, n] (%v = %r[m, n]) -> (%q = %c[m, n]) : (tensor<64x64xf32>) -> tensor<64x64xf16> {
      %0 = arith.truncf %v : f32 to f16
      linalg.yield %0 : f16
    }
    krnl.yield %e : tensor<64x64xf16>
  } -> tensor<64x64xf16>
  return %y : tensor<64x64xf16>
}

// Of two tiles two threads each exchange a word, and store half a row of one of them.
// CHECK-LABEL: func private @kernel_few_0(
// CHECK:         nvvm.shfl.sync bfly %{{.+}}, %{{.+}}, %c1_i32
// CHECK-NOT:     nvvm.shfl
// CHECK:         vector.store %{{.+}} : memref<64x64xf16{{.*}}>, vector<4xf16>
// CHECK:         nvvm.shfl.sync bfly %{{.+}}, %{{.+}}, %c1_i32
// CHECK-NOT:     nvvm.shfl
// CHECK:         vector.store %{{.+}} : memref<64x64xf16{{.*}}>, vector<4xf16>
// CHECK-NOT:     vector.store
func.func @few(%x: tensor<64x128xf16>, %w: tensor<128x64xf16>, %o: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %y = krnl.kernel "few" loops [m = 64, n = 64, k = 128] ins(%x, %w : tensor<64x128xf16>, tensor<128x64xf16>) outs(%o : tensor<64x64xf16>)
      recipe [block(m, 16) -> (m.o, m.b), block(m.b, 8) -> (m.h, m.g),
              block(n, 16) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 64) -> (k.o, k.s), block(k.s, 16) -> (k.m, k.i),
              order(m.o, n.o, m.g, n.t, m.h, n.f, n.c, k.o, k.m, k.i), fuse_outer(m.o, n.o, m.g, n.t), parallel(m.o, n.o),
              map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 2), vectorize(n.c, 2),
              mma(m.h, m.g, n.t, n.c, k.i), cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared)] {
  ^bb0(%a: tensor<64x128xf16>, %b: tensor<128x64xf16>, %c: tensor<64x64xf16>):
    %zero = arith.constant 0.0 : f32
    %s = krnl.temporary : tensor<64x64xf32>
    %f = krnl.compute [m, n] () -> (%q = %s[m, n]) : () -> tensor<64x64xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%t = %f[m, n])
        : (tensor<64x128xf16>, tensor<128x64xf16>) -> tensor<64x64xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %t, %2 : f32
      linalg.yield %3 : f32
    }
    %e = krnl.compute "round" [m, n] (%v = %r[m, n]) -> (%q = %c[m, n]) : (tensor<64x64xf32>) -> tensor<64x64xf16> {
      %0 = arith.truncf %v : f32 to f16
      linalg.yield %0 : f16
    }
    krnl.yield %e : tensor<64x64xf16>
  } -> tensor<64x64xf16>
  return %y : tensor<64x64xf16>
}

// All threads of a padded block of rows exchange, those with a row store. Of padded columns some would have no part.
// CHECK-LABEL: func private @kernel_padded_0(
// CHECK-COUNT-4: nvvm.shfl.sync bfly
// CHECK:         scf.if
// CHECK-NOT:       nvvm
// CHECK:           vector.store %{{.+}} : memref<60x64xf16{{.*}}>, vector<8xf16>
// CHECK-NEXT:    }
// CHECK-COUNT-4: nvvm.shfl.sync bfly
// CHECK-LABEL: func private @kernel_columns_0(
// CHECK-NOT:     nvvm.shfl
func.func @padded(%x: tensor<60x128xf16>, %w: tensor<128x64xf16>, %o: tensor<60x64xf16>) -> tensor<60x64xf16> {
  %y = krnl.kernel "padded" loops [m = 60, n = 64, k = 128] ins(%x, %w : tensor<60x128xf16>, tensor<128x64xf16>) outs(%o : tensor<60x64xf16>)
      recipe [block(m, 16, tail=pad) -> (m.o, m.b), block(m.b, 8) -> (m.h, m.g),
              block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 64) -> (k.o, k.s), block(k.s, 16) -> (k.m, k.i),
              order(m.o, n.o, m.g, n.t, m.h, n.f, n.c, k.o, k.m, k.i), fuse_outer(m.o, n.o, m.g, n.t), parallel(m.o, n.o),
              map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2),
              mma(m.h, m.g, n.t, n.c, k.i), cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared)] {
  ^bb0(%a: tensor<60x128xf16>, %b: tensor<128x64xf16>, %c: tensor<60x64xf16>):
    %zero = arith.constant 0.0 : f32
    %s = krnl.temporary : tensor<60x64xf32>
    %f = krnl.compute [m, n] () -> (%q = %s[m, n]) : () -> tensor<60x64xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%t = %f[m, n])
        : (tensor<60x128xf16>, tensor<128x64xf16>) -> tensor<60x64xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %t, %2 : f32
      linalg.yield %3 : f32
    }
    %e = krnl.compute "round" [m, n] (%v = %r[m, n]) -> (%q = %c[m, n]) : (tensor<60x64xf32>) -> tensor<60x64xf16> {
      %0 = arith.truncf %v : f32 to f16
      linalg.yield %0 : f16
    }
    krnl.yield %e : tensor<60x64xf16>
  } -> tensor<60x64xf16>
  return %y : tensor<60x64xf16>
}

func.func @columns(%x: tensor<64x128xf16>, %w: tensor<128x60xf16>, %o: tensor<64x60xf16>) -> tensor<64x60xf16> {
  %y = krnl.kernel "columns" loops [m = 64, n = 60, k = 128] ins(%x, %w : tensor<64x128xf16>, tensor<128x60xf16>) outs(%o : tensor<64x60xf16>)
      recipe [block(m, 16) -> (m.o, m.b), block(m.b, 8) -> (m.h, m.g),
              block(n, 32, tail=pad) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 64) -> (k.o, k.s), block(k.s, 16) -> (k.m, k.i),
              order(m.o, n.o, m.g, n.t, m.h, n.f, n.c, k.o, k.m, k.i), fuse_outer(m.o, n.o, m.g, n.t), parallel(m.o, n.o),
              map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2),
              mma(m.h, m.g, n.t, n.c, k.i), cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared)] {
  ^bb0(%a: tensor<64x128xf16>, %b: tensor<128x60xf16>, %c: tensor<64x60xf16>):
    %zero = arith.constant 0.0 : f32
    %s = krnl.temporary : tensor<64x60xf32>
    %f = krnl.compute [m, n] () -> (%q = %s[m, n]) : () -> tensor<64x60xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%t = %f[m, n])
        : (tensor<64x128xf16>, tensor<128x60xf16>) -> tensor<64x60xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %t, %2 : f32
      linalg.yield %3 : f32
    }
    %e = krnl.compute "round" [m, n] (%v = %r[m, n]) -> (%q = %c[m, n]) : (tensor<64x60xf32>) -> tensor<64x60xf16> {
      %0 = arith.truncf %v : f32 to f16
      linalg.yield %0 : f16
    }
    krnl.yield %e : tensor<64x60xf16>
  } -> tensor<64x60xf16>
  return %y : tensor<64x60xf16>
}
}
