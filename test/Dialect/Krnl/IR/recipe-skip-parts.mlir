// RUN: onnx-opt %s --krnl-lower-kernels --canonicalize --cse | FileCheck %s
// RUN: sed -e 's/(m.o, m.r), order(m.o, p, m.r, n), merge: order(m.r, p), fuse_outer(m.o)/(m.o, m.r), block(n, 32) -> (n.o, n.t), order(m.o, m.r, p, n.t, n.o), fuse_outer(m.o, m.r)/' -e 's/4: unroll(m.r, 8), merge: unroll(m.r, 8)/map(m.r, thread), map(n.t, thread)/' -e 's/9: unroll(m.r, 8), //' %s | onnx-opt --krnl-lower-kernels --canonicalize --cse | FileCheck %s
// RUN: sed 's/%first = arith.constant 0xFF800000/%first = arith.constant 0.0/' %s | not onnx-opt 2>&1 | FileCheck %s --check-prefix=START
// RUN: sed 's/arith.maximumf %max, %m/arith.minimumf %max, %m/' %s | not onnx-opt 2>&1 | FileCheck %s --check-prefix=START
// RUN: sed 's/arith.addf %before/arith.subf %before/' %s | not onnx-opt 2>&1 | FileCheck %s --check-prefix=START
// RUN: sed 's/merge: skip_masked/5: skip_masked/' %s | not onnx-opt 2>&1 | FileCheck %s --check-prefix=INSIDE
//
// Parts of rows are merged by their maxima. A tile of rows from m.o * 8 on ends after the parts of 64 elements of which it
// has some up to m.o * 8 + 7. A merge that starts with another maximum, or weighs otherwise, depends on hidden parts.
// All threads of a block, which combine their maxima of a part, end after the same one.
//
// START: recipe step 10 'merge: skip_masked(p)': op 'merge' cannot skip iterations of loop 'p': results depend on elements that are hidden
// INSIDE: recipe step 10 '5: skip_masked(p)': op '5' cannot skip iterations of loop 'p': an op that reads the results goes on

// CHECK-LABEL: func private @kernel_parts_0
// CHECK-DAG:     %[[ALL:.+]] = arith.constant 8 : index
// CHECK-DAG:     %[[SIZE:.+]] = arith.constant 64 : index
// CHECK-DAG:     %[[LAST:.+]] = arith.constant 63 : index
// CHECK:         scf.for %[[M:.+]] = %{{.+}} to %{{.+}} step
// CHECK:           %[[FIRST:.+]] = arith.muli %[[M]], %[[ALL]] : index
// CHECK:           %[[SEEN:.+]] = arith.addi %[[FIRST]], %[[ALL]] : index
// CHECK:           %[[SOME:.+]] = arith.maxsi %[[SEEN]], %{{.+}} : index
// CHECK:           %[[UP:.+]] = arith.addi %[[SOME]], %[[LAST]] : index
// CHECK:           %[[PARTS:.+]] = arith.divui %[[UP]], %[[SIZE]] : index
// CHECK:           %[[END:.+]] = arith.minsi %[[PARTS]], %[[ALL]] : index
// CHECK:           scf.for %{{.+}} = %{{.+}} to %[[END]] step %{{.+}} iter_args
func.func @parts(%x: tensor<96x8x64xf32>, %o: tensor<96xf32>) -> tensor<96xf32> {
  %y = krnl.kernel "parts" loops [m = 96, p = 8, n = 64] ins(%x : tensor<96x8x64xf32>) outs(%o : tensor<96xf32>)
      recipe [block(m, 8) -> (m.o, m.r), order(m.o, p, m.r, n), merge: order(m.r, p), fuse_outer(m.o), parallel(m.o), 4: unroll(m.r, 8), merge: unroll(m.r, 8),
              9: unroll(m.r, 8), compute_at(p), merge: skip_masked(p)] {
  ^bb0(%a: tensor<96x8x64xf32>, %c: tensor<96xf32>):
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %first = arith.constant 0xFF800000 : f32
    %t0 = krnl.temporary : tensor<96xf32>
    %t1 = krnl.temporary : tensor<96xf32>
    %t2 = krnl.temporary : tensor<96x8x64xf32>
    %t3 = krnl.temporary : tensor<96x8xf32>
    %t4 = krnl.temporary : tensor<96x8xf32>
    %t5 = krnl.temporary : tensor<96x8x64xf32>
    %0 = krnl.compute [m] () -> (%_ = %t0[m]) : () -> tensor<96xf32> { linalg.yield %zero : f32 }
    %1 = krnl.compute [m] () -> (%_ = %t1[m]) : () -> tensor<96xf32> { linalg.yield %first : f32 }
    %2 = krnl.compute [m, p, n] (%d = %a[m, p, n]) -> (%_ = %t2[m, p, n]) : (tensor<96x8x64xf32>) -> tensor<96x8x64xf32> {
      %i = krnl.index p
      %j = krnl.index n
      %k = krnl.index m
      %size = arith.constant 64 : index
      %begin = arith.muli %i, %size : index
      %element = arith.addi %begin, %j : index
      %hidden = arith.cmpi ugt, %element, %k : index
      %s = arith.select %hidden, %lowest, %d : f32
      linalg.yield %s : f32
    }
    %3 = krnl.compute [m, p] () -> (%_ = %t3[m, p]) : () -> tensor<96x8xf32> { linalg.yield %lowest : f32 }
    %4 = krnl.compute [m, p | n] (%d = %2[m, p, n]) -> (%e = %3[m, p]) : (tensor<96x8x64xf32>) -> tensor<96x8xf32> {
      %s = arith.maximumf %e, %d : f32
      linalg.yield %s : f32
    }
    %5 = krnl.compute [m, p, n] (%m = %4[m, p], %d = %2[m, p, n]) -> (%_ = %t5[m, p, n])
        : (tensor<96x8xf32>, tensor<96x8x64xf32>) -> tensor<96x8x64xf32> {
      %none = arith.cmpf oeq, %m, %lowest : f32
      %shift = arith.select %none, %zero, %m : f32
      %s = arith.subf %d, %shift : f32
      %e = math.exp %s : f32
      linalg.yield %e : f32
    }
    %6 = krnl.compute [m, p] () -> (%_ = %t4[m, p]) : () -> tensor<96x8xf32> { linalg.yield %zero : f32 }
    %7 = krnl.compute [m, p | n] (%d = %5[m, p, n]) -> (%e = %6[m, p]) : (tensor<96x8x64xf32>) -> tensor<96x8xf32> {
      %s = arith.addf %e, %d : f32
      linalg.yield %s : f32
    }
    %8:2 = krnl.compute "merge" [m | p] (%l = %7[m, p], %m = %4[m, p]) -> (%sum = %0[m], %max = %1[m])
        : (tensor<96x8xf32>, tensor<96x8xf32>) -> (tensor<96xf32>, tensor<96xf32>) {
      %next = arith.maximumf %max, %m : f32
      %none = arith.cmpf oeq, %max, %lowest : f32
      %distance = arith.subf %max, %next : f32
      %factor = math.exp %distance : f32
      %weight = arith.select %none, %zero, %factor : f32
      %empty = arith.cmpf oeq, %m, %lowest : f32
      %other = arith.subf %m, %next : f32
      %exp = math.exp %other : f32
      %share = arith.select %empty, %zero, %exp : f32
      %before = arith.mulf %weight, %sum : f32
      %part = arith.mulf %share, %l : f32
      %total = arith.addf %before, %part : f32
      linalg.yield %total, %next : f32, f32
    }
    %9 = krnl.compute [m] (%s = %8#0[m]) -> (%_ = %c[m]) : (tensor<96xf32>) -> tensor<96xf32> { linalg.yield %s : f32 }
    krnl.yield %9 : tensor<96xf32>
  } -> tensor<96xf32>
  return %y : tensor<96xf32>
}
