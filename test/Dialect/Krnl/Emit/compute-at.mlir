// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s
// RUN: sed 's/fuse_outer(m), unroll(c, 4), compute_at(p)/block(p, 2) -> (p.o, p.r), fuse_outer(m), unroll(c, 4), compute_at(p.o), 3: unroll(p.r, 2)/' %s | onnx-opt --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s --check-prefix=UNROLL

// Halves of bytes are multiplied block by block; the sums of a block start from
// what is computed for it, and are scaled and added up, all in registers. Shifts
// and masks are for whole vectors of bytes.
// CHECK-LABEL: func private @kernel_blocks_0(
// CHECK-NOT:     memref.alloca
// CHECK:         %[[TOTALS:.+]]:2 = scf.for %[[BLOCK:.+]] = {{.+}} iter_args(%[[T0:.+]] = {{.+}}, %[[T1:.+]] = {{.+}}) -> (vector<16xf32>, vector<16xf32>)
// CHECK:           memref.load %{{.+}}[%{{.+}}, %[[BLOCK]]] : memref<2x3xi32>
// CHECK:           vector.broadcast
// CHECK:           %[[SUMS:.+]]:2 = scf.for {{.+}} iter_args({{.+}}) -> (vector<16xi32>, vector<16xi32>)
// CHECK:             %[[BYTES:.+]] = vector.load %{{.+}} : memref<1x3x2x16x4xi8>, vector<64xi8>
// CHECK:             arith.andi %[[BYTES]], %{{.+}} : vector<64xi8>
// CHECK-COUNT-2:     krnl.dot {{.+}} {lhsSigned} : vector<16xi32>, vector<64xi8>
// CHECK:             arith.shrui %[[BYTES]], %{{.+}} : vector<64xi8>
// CHECK-COUNT-2:     krnl.dot
// CHECK-NOT:         krnl.dot
// CHECK:           arith.sitofp %[[SUMS]]#0
// CHECK:           arith.mulf
// CHECK:           arith.addf %[[T0]]
// CHECK:         vector.store
// CHECK:         vector.store
// CHECK-NOT:     vector.store
func.func @blocks(%q: tensor<2x3x2x8xi8>, %s: tensor<2x3xi32>, %r: tensor<2x3xf32>, %o: tensor<2x16xf32>) -> tensor<2x16xf32> {
  %w = krnl.constant dense<33> : tensor<16x3x8xi8>
  %y = krnl.kernel "blocks" loops [m = 2, n = 16, block = 3, part = 2, byte = 8]
      ins(%q, %w, %s, %r : tensor<2x3x2x8xi8>, tensor<16x3x8xi8>, tensor<2x3xi32>, tensor<2x3xf32>) outs(%o : tensor<2x16xf32>)
      recipe [block(n, 16) -> (n.o, n.r), block(byte, 4) -> (byte.o, byte.q), order(n.o, block, byte.o, part, byte.q, m, n.r), fuse_outer(n.o), compute_at(block),
              register_tile(m, n.r, lanes=16), pack(1, [n.o, block, byte.o, n.r, byte.q]), 2: dot(byte.q), 2: unroll(part, 2)] {
  ^bb0(%a: tensor<2x3x2x8xi8>, %b: tensor<16x3x8xi8>, %c: tensor<2x3xi32>, %d: tensor<2x3xf32>, %e: tensor<2x16xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %e[m, n]) : () -> tensor<2x16xf32> { linalg.yield %zero : f32 }
    %t = krnl.temporary : tensor<2x16x3xi32>
    %start = krnl.compute [m, n, block] (%x = %c[m, block]) -> (%u = %t[m, n, block])
        : (tensor<2x3xi32>) -> tensor<2x16x3xi32> {
      linalg.yield %x : i32
    }
    %sums = krnl.compute [m, n, block | part, byte] (%p = %a[m, block, part, byte], %v = %b[n, block, byte]) -> (%sum = %start[m, n, block])
        : (tensor<2x3x2x8xi8>, tensor<16x3x8xi8>) -> tensor<2x16x3xi32> {
      %part = krnl.index part
      %four = arith.constant 4 : index
      %bits = arith.muli %part, %four : index
      %by = arith.index_cast %bits : index to i8
      %high = arith.shrui %v, %by : i8
      %mask = arith.constant 15 : i8
      %half = arith.andi %high, %mask : i8
      %g = arith.extsi %p : i8 to i32
      %h = arith.extui %half : i8 to i32
      %k = arith.muli %g, %h : i32
      %l = arith.addi %sum, %k : i32
      linalg.yield %l : i32
    }
    %total = krnl.compute [m, n | block] (%x = %sums[m, n, block], %scale = %d[m, block]) -> (%sum = %f[m, n])
        : (tensor<2x16x3xi32>, tensor<2x3xf32>) -> tensor<2x16xf32> {
      %real = arith.sitofp %x : i32 to f32
      %scaled = arith.mulf %real, %scale : f32
      %more = arith.addf %sum, %scaled : f32
      linalg.yield %more : f32
    }
    krnl.yield %total : tensor<2x16xf32>
  } -> tensor<2x16xf32>
  return %y : tensor<2x16xf32>
}

// The running maximum of a row is one value beside the sums of its four columns.
// CHECK-LABEL: func private @kernel_running_0(
// CHECK:         %[[LAST:.+]]:5 = scf.for %{{.+}} iter_args(%[[S0:.+]] = %{{.+}}, %[[S1:.+]] = %{{.+}}, %[[S2:.+]] = %{{.+}}, %[[S3:.+]] = %{{.+}}, %[[M:.+]] = %{{.+}}) -> (f32, f32, f32, f32, f32)
// CHECK:           %[[SQUARE:.+]] = arith.mulf
// CHECK-COUNT-4:   arith.subf %{{.+}}, %[[M]]
// CHECK:           %[[MAX:.+]] = arith.maximumf %[[M]], %[[SQUARE]]
// CHECK-NOT:       arith.maximumf
// CHECK:           scf.yield %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %[[MAX]]
//
// Where the reduced loop is unrolled as well, each column takes up the maximum after the step before.
// UNROLL-LABEL: func private @kernel_running_0(
// UNROLL:         scf.for %{{.+}} iter_args({{.+}}, %[[M:[a-z0-9]+]] = %{{[a-z0-9_]+}}) -> (f32, f32, f32, f32, f32, f32, f32, f32)
// UNROLL:           %[[FIRST:.+]] = arith.maximumf %{{.+}}, %[[X:.+]] : f32
// UNROLL:           arith.subf %{{.+}}, %[[FIRST]]
// UNROLL:           arith.maximumf %[[FIRST]], %[[Y:.+]] : f32
// UNROLL:           arith.subf %{{.+}}, %[[M]]
// UNROLL:           %[[LAST:.+]] = arith.maximumf %[[M]], %[[X]] : f32
// UNROLL:           arith.subf %{{.+}}, %[[LAST]]
// UNROLL:           arith.maximumf %[[LAST]], %[[Y]] : f32
func.func @running(%x: tensor<8x6xf32>, %w: tensor<6x4xf32>, %o: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %y = krnl.kernel "running" loops [m = 8, c = 4, p = 6] ins(%x, %w : tensor<8x6xf32>, tensor<6x4xf32>) outs(%o : tensor<8x4xf32>)
      recipe [order(m, p, c), 3: order(c, p), fuse_outer(m), unroll(c, 4), compute_at(p)] {
  ^bb0(%a: tensor<8x6xf32>, %b: tensor<6x4xf32>, %d: tensor<8x4xf32>):
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %t = krnl.temporary : tensor<8x4xf32>
    %u = krnl.temporary : tensor<8x6xf32>
    %s = krnl.compute [m, c] () -> (%_ = %d[m, c]) : () -> tensor<8x4xf32> { linalg.yield %zero : f32 }
    %f = krnl.compute [m, c] () -> (%_ = %t[m, c]) : () -> tensor<8x4xf32> { linalg.yield %lowest : f32 }
    %e = krnl.compute [m, p] (%i = %a[m, p]) -> (%_ = %u[m, p]) : (tensor<8x6xf32>) -> tensor<8x6xf32> {
      %r = arith.mulf %i, %i : f32
      linalg.yield %r : f32
    }
    %r:2 = krnl.compute [m, c | p] (%i = %e[m, p], %j = %b[p, c]) -> (%sum = %s[m, c], %max = %f[m, c])
        : (tensor<8x6xf32>, tensor<6x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
      %g = arith.subf %j, %max : f32
      %h = arith.addf %sum, %g : f32
      %l = arith.maximumf %max, %i : f32
      linalg.yield %h, %l : f32, f32
    }
    krnl.yield %r#0 : tensor<8x4xf32>
  } -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
