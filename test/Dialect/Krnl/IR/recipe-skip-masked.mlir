// RUN: onnx-opt %s --krnl-lower-kernels --canonicalize --cse | FileCheck %s
//
// Where a mask that is computed from indices hides the rest of a row, the loop ends: in a tile of rows from m.o * 8 on there
// are the columns up to m.o * 8 + 7 + 3, in blocks of 64.

// CHECK-LABEL: func private @kernel_ends_0
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0 : index
// CHECK-DAG:     %[[AFTER:.+]] = arith.constant 11 : index
// CHECK-DAG:     %[[ALL:.+]] = arith.constant 8 : index
// CHECK-DAG:     %[[ONE:.+]] = arith.constant 1 : index
// CHECK:         scf.for %[[M:.+]] = %{{.+}} to %{{.+}} step
// CHECK:           %[[FIRST:.+]] = arith.muli %[[M]], %[[ALL]] : index
// CHECK:           %[[SEEN:.+]] = arith.addi %[[FIRST]], %[[AFTER]] : index
// CHECK:           %[[SOME:.+]] = arith.maxsi %[[SEEN]], %[[ONE]] : index
// CHECK:           %[[UP:.+]] = arith.addi %[[SOME]], %{{.+}} : index
// CHECK:           %[[BLOCKS:.+]] = arith.divui %[[UP]], %{{.+}} : index
// CHECK:           %[[END:.+]] = arith.minsi %[[BLOCKS]], %[[ALL]] : index
// CHECK-COUNT-6:   scf.for %{{.+}} = %[[ZERO]] to %[[END]] step
func.func @ends(%q: tensor<96x32xf32>, %k: tensor<512x32xf32>, %v: tensor<512x32xf32>, %o: tensor<96x32xf32>) -> tensor<96x32xf32> {
  %y = krnl.kernel "ends" loops [m = 96, n = 512, k = 32, e = 32] ins(%q, %k, %v : tensor<96x32xf32>, tensor<512x32xf32>, tensor<512x32xf32>) outs(%o : tensor<96x32xf32>)
      recipe [block(m, 8) -> (m.o, m.r), block(n, 64) -> (n.o, n.r), order(m.o, n.o, k, m.r, n.r, e), fuse_outer(m.o), parallel(m.o), skip_masked(n.o)] {
  ^bb0(%x: tensor<96x32xf32>, %w: tensor<512x32xf32>, %z: tensor<512x32xf32>, %c: tensor<96x32xf32>):
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %s = krnl.temporary : tensor<96x512xf32>
    %t = krnl.temporary : tensor<96xf32>
    %u = krnl.temporary : tensor<96xf32>
    %0 = krnl.compute [m, n] () -> (%_ = %s[m, n]) : () -> tensor<96x512xf32> { linalg.yield %zero : f32 }
    %1 = krnl.compute [m, n | k] (%a = %x[m, k], %b = %w[n, k]) -> (%d = %0[m, n])
        : (tensor<96x32xf32>, tensor<512x32xf32>) -> tensor<96x512xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    %2 = krnl.compute [m, n] () -> (%d = %1[m, n]) : () -> tensor<96x512xf32> {
      %i = krnl.index n
      %j = krnl.index m
      %before = arith.constant 3 : index
      %end = arith.addi %j, %before : index
      %hidden = arith.cmpi sgt, %i, %end : index
      %p = arith.select %hidden, %lowest, %d : f32
      linalg.yield %p : f32
    }
    %3 = krnl.compute [m] () -> (%_ = %t[m]) : () -> tensor<96xf32> { linalg.yield %lowest : f32 }
    %4 = krnl.compute [m | n] (%a = %2[m, n]) -> (%d = %3[m]) : (tensor<96x512xf32>) -> tensor<96xf32> {
      %r = arith.maximumf %d, %a : f32
      linalg.yield %r : f32
    }
    %5 = krnl.compute [m, n] (%a = %4[m]) -> (%d = %2[m, n]) : (tensor<96xf32>) -> tensor<96x512xf32> {
      %p = arith.subf %d, %a : f32
      %r = math.exp %p : f32
      linalg.yield %r : f32
    }
    %6 = krnl.compute [m, e] () -> (%_ = %c[m, e]) : () -> tensor<96x32xf32> { linalg.yield %zero : f32 }
    %7 = krnl.compute [m, e | n] (%a = %5[m, n], %b = %z[n, e]) -> (%d = %6[m, e])
        : (tensor<96x512xf32>, tensor<512x32xf32>) -> tensor<96x32xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    krnl.yield %7 : tensor<96x32xf32>
  } -> tensor<96x32xf32>
  return %y : tensor<96x32xf32>
}

// Weights that are divided by their sum are NaN in rows that are hidden wholly, so that these have a block as well.
// CHECK-LABEL: func private @kernel_divides_0
// CHECK-DAG:     %[[ONE:.+]] = arith.constant 1 : index
// CHECK:         scf.for
// CHECK:           %[[SEEN:.+]] = arith.addi
// CHECK:           arith.maxsi %[[SEEN]], %[[ONE]] : index
func.func @divides(%q: tensor<96x32xf32>, %k: tensor<512x32xf32>, %v: tensor<512x32xf32>, %o: tensor<96x32xf32>) -> tensor<96x32xf32> {
  %y = krnl.kernel "divides" loops [m = 96, n = 512, k = 32, e = 32] ins(%q, %k, %v : tensor<96x32xf32>, tensor<512x32xf32>, tensor<512x32xf32>) outs(%o : tensor<96x32xf32>)
      recipe [block(m, 8) -> (m.o, m.r), block(n, 64) -> (n.o, n.r), order(m.o, n.o, k, m.r, n.r, e), fuse_outer(m.o), parallel(m.o), skip_masked(n.o)] {
  ^bb0(%x: tensor<96x32xf32>, %w: tensor<512x32xf32>, %z: tensor<512x32xf32>, %c: tensor<96x32xf32>):
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %s = krnl.temporary : tensor<96x512xf32>
    %u = krnl.temporary : tensor<96xf32>
    %0 = krnl.compute [m, n] () -> (%_ = %s[m, n]) : () -> tensor<96x512xf32> { linalg.yield %zero : f32 }
    %1 = krnl.compute [m, n | k] (%a = %x[m, k], %b = %w[n, k]) -> (%d = %0[m, n])
        : (tensor<96x32xf32>, tensor<512x32xf32>) -> tensor<96x512xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    %2 = krnl.compute [m, n] () -> (%d = %1[m, n]) : () -> tensor<96x512xf32> {
      %i = krnl.index n
      %j = krnl.index m
      %before = arith.constant -40 : index
      %end = arith.addi %j, %before : index
      %hidden = arith.cmpi sgt, %i, %end : index
      %p = arith.select %hidden, %lowest, %d : f32
      %r = math.exp %p : f32
      linalg.yield %r : f32
    }
    %3 = krnl.compute [m] () -> (%_ = %u[m]) : () -> tensor<96xf32> { linalg.yield %zero : f32 }
    %4 = krnl.compute [m | n] (%a = %2[m, n]) -> (%d = %3[m]) : (tensor<96x512xf32>) -> tensor<96xf32> {
      %r = arith.addf %d, %a : f32
      linalg.yield %r : f32
    }
    %5 = krnl.compute [m, n] (%a = %4[m]) -> (%d = %2[m, n]) : (tensor<96xf32>) -> tensor<96x512xf32> {
      %r = arith.divf %d, %a : f32
      linalg.yield %r : f32
    }
    %6 = krnl.compute [m, e] () -> (%_ = %c[m, e]) : () -> tensor<96x32xf32> { linalg.yield %zero : f32 }
    %7 = krnl.compute [m, e | n] (%a = %5[m, n], %b = %z[n, e]) -> (%d = %6[m, e])
        : (tensor<96x512xf32>, tensor<512x32xf32>) -> tensor<96x32xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    krnl.yield %7 : tensor<96x32xf32>
  } -> tensor<96x32xf32>
  return %y : tensor<96x32xf32>
}
