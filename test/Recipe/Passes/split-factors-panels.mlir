// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=znver4" --krnl-split-factors | FileCheck %s
// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=znver4" --krnl-split-factors --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s --check-prefix=RECIPE

// On a processor an op of its own computes the weights, with the columns in a line, in the kernel of the product.
// CHECK-LABEL: func @many
// CHECK:         krnl.kernel "many" loops [m = 128, n = 512, block = 32, i = 32]
// CHECK:           %[[TENSOR:.+]] = krnl.temporary : tensor<32x32x512xf32>
// CHECK-NEXT:      %[[FACTOR:.+]] = krnl.compute [block, i, n] (%{{.+}} = %{{.+}}[n, block, i], %{{.+}} = %{{.+}}[n, block]) -> (%{{.+}} = %[[TENSOR]][block, i, n])
// CHECK:           krnl.compute [m, n | block, i] (%{{.+}} = %{{.+}}[m, block, i], %{{.+}} = %[[FACTOR]][block, i, n]) -> (%{{.+}} = %{{.+}}[m, n])

// A panel of them, in slices that fit the stack, is computed for all rows; the sums are continued from slice to slice.
// RECIPE-LABEL: kernel "many"
// RECIPE-NEXT:    block(n, 48) -> (n.o, n.r),
// RECIPE-NEXT:    block(m, 8) -> (m.o, m.r),
// RECIPE-NEXT:    block(block, 8) -> (block.o, block.i),
// RECIPE-NEXT:    order(n.o, block.o, m.o, block.i, i, m.r, n.r),
// RECIPE-NEXT:    0: hoist(block.o),
// RECIPE-NEXT:    1: hoist(m.o),
// RECIPE-NEXT:    fuse_outer(n.o, block.o, m.o),
// RECIPE-NEXT:    parallel(n.o),
// RECIPE-NEXT:    register_tile(m.r, n.r, lanes=16),
// RECIPE-NEXT:    0: vectorize(n.r, 16),
// RECIPE-NEXT:    1: vectorize(n.r, 16),
// RECIPE-NEXT:    pack(1, [n.o, block.o, block.i, i, n.r]),
// RECIPE-NEXT:    pack(2, [n.o, block.o, block.i, n.r])
func.func @many(%x: tensor<128x32x32xf32>, %o: tensor<128x512xf32>) -> tensor<128x512xf32> {
  %w = krnl.constant dense<3> : tensor<512x32x32xi8>
  %s = krnl.constant dense<2.0> : tensor<512x32xf32>
  %y = krnl.kernel "many" loops [m = 128, n = 512, block = 32, i = 32] ins(%x, %w, %s : tensor<128x32x32xf32>, tensor<512x32x32xi8>, tensor<512x32xf32>) outs(%o : tensor<128x512xf32>) {
  ^bb0(%a: tensor<128x32x32xf32>, %b: tensor<512x32x32xi8>, %c: tensor<512x32xf32>, %d: tensor<128x512xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%q = %d[m, n]) : () -> tensor<128x512xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [m, n | block, i] (%p = %a[m, block, i], %q = %b[n, block, i], %t = %c[n, block]) -> (%u = %f[m, n]) : (tensor<128x32x32xf32>, tensor<512x32x32xi8>, tensor<512x32xf32>) -> tensor<128x512xf32> {
      %number = arith.sitofp %q : i8 to f32
      %eight = arith.constant 8.0 : f32
      %from = arith.subf %number, %eight : f32
      %weight = arith.mulf %from, %t : f32
      %product = arith.mulf %p, %weight : f32
      %next = arith.addf %u, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<128x512xf32>
  } -> tensor<128x512xf32>
  return %y : tensor<128x512xf32>
}

// A tile has all rows.
// CHECK-LABEL: func @few
// CHECK-NOT:     krnl.temporary
func.func @few(%x: tensor<8x32x32xf32>, %o: tensor<8x512xf32>) -> tensor<8x512xf32> {
  %w = krnl.constant dense<3> : tensor<512x32x32xi8>
  %s = krnl.constant dense<2.0> : tensor<512x32xf32>
  %y = krnl.kernel "few" loops [m = 8, n = 512, block = 32, i = 32] ins(%x, %w, %s : tensor<8x32x32xf32>, tensor<512x32x32xi8>, tensor<512x32xf32>) outs(%o : tensor<8x512xf32>) {
  ^bb0(%a: tensor<8x32x32xf32>, %b: tensor<512x32x32xi8>, %c: tensor<512x32xf32>, %d: tensor<8x512xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%q = %d[m, n]) : () -> tensor<8x512xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [m, n | block, i] (%p = %a[m, block, i], %q = %b[n, block, i], %t = %c[n, block]) -> (%u = %f[m, n]) : (tensor<8x32x32xf32>, tensor<512x32x32xi8>, tensor<512x32xf32>) -> tensor<8x512xf32> {
      %number = arith.sitofp %q : i8 to f32
      %eight = arith.constant 8.0 : f32
      %from = arith.subf %number, %eight : f32
      %weight = arith.mulf %from, %t : f32
      %product = arith.mulf %p, %weight : f32
      %next = arith.addf %u, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<8x512xf32>
  } -> tensor<8x512xf32>
  return %y : tensor<8x512xf32>
}

// There may be one row: few rows have a kernel of their own, which has no iteration from 32 rows on, as the other one has
// none below.
// CHECK-LABEL: func @unknown(
// CHECK-SAME:    %[[M:[a-z0-9]+]]: index)
// CHECK:         %[[FEW:.+]] = arith.cmpi ult, %[[M]], %[[LIMIT:.+]] : index
// CHECK-DAG:     %[[OF_FEW:.+]] = arith.select %[[FEW]], %[[M]], %[[ZERO:.+]] : index
// CHECK-DAG:     %[[OF_MANY:.+]] = arith.select %[[FEW]], %[[ZERO]], %[[M]] : index
// CHECK:         %[[Y:.+]] = krnl.kernel "unknown few" loops [m = %[[OF_FEW]] < 32, n = 512, block = 32, i = 32]
// CHECK-NOT:       krnl.temporary
// CHECK:         krnl.kernel "unknown" loops [m = %[[OF_MANY]], n = 512, block = 32, i = 32] {{.+}} outs(%[[Y]] : tensor<?x512xf32>)
// CHECK:           krnl.temporary : tensor<32x32x512xf32>

// The tiles of few rows are chosen for as many; both kernels have one stored form of the weights.
// RECIPE-LABEL: kernel "unknown few"
// RECIPE:         register_tile(m.r, n.r, lanes=16, tail=[4, 2]),
// RECIPE-NEXT:    pack(1, [n.o, block, i, n.r]),
// RECIPE-LABEL: kernel "unknown"
// RECIPE:         pack(1, [n.o, block.o, block.i, i, n.r]),
func.func @unknown(%x: tensor<?x32x32xf32>, %o: tensor<?x512xf32>, %m: index) -> tensor<?x512xf32> {
  %w = krnl.constant dense<3> : tensor<512x32x32xi8>
  %s = krnl.constant dense<2.0> : tensor<512x32xf32>
  %y = krnl.kernel "unknown" loops [m = %m, n = 512, block = 32, i = 32] ins(%x, %w, %s : tensor<?x32x32xf32>, tensor<512x32x32xi8>, tensor<512x32xf32>) outs(%o : tensor<?x512xf32>) {
  ^bb0(%a: tensor<?x32x32xf32>, %b: tensor<512x32x32xi8>, %c: tensor<512x32xf32>, %d: tensor<?x512xf32>, %e: index):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%q = %d[m, n]) : () -> tensor<?x512xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [m, n | block, i] (%p = %a[m, block, i], %q = %b[n, block, i], %t = %c[n, block]) -> (%u = %f[m, n]) : (tensor<?x32x32xf32>, tensor<512x32x32xi8>, tensor<512x32xf32>) -> tensor<?x512xf32> {
      %number = arith.sitofp %q : i8 to f32
      %eight = arith.constant 8.0 : f32
      %from = arith.subf %number, %eight : f32
      %weight = arith.mulf %from, %t : f32
      %product = arith.mulf %p, %weight : f32
      %next = arith.addf %u, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<?x512xf32>
  } -> tensor<?x512xf32>
  return %y : tensor<?x512xf32>
}
