// RUN: onnx-opt %s --krnl-fuse --cse | FileCheck %s
// RUN: onnx-opt %s --krnl-fuse --remarks-filter-missed=krnl-fuse -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The epilogues of a contraction become one op that works in its destination.
// CHECK-LABEL: func @gemm_bias_relu
// CHECK:         krnl.kernel "gemm+bias+relu" loops [m = 8, n = 16, k = 32]
// CHECK-SAME:      ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<8x32xf32>, tensor<32x16xf32>, tensor<16xf32>)
// CHECK-NEXT:    ^bb0(%{{.+}}: tensor<8x32xf32>, %{{.+}}: tensor<32x16xf32>, %{{.+}}: tensor<16xf32>, %[[OUT:.+]]: tensor<8x16xf32>)
// CHECK:           %[[INIT:.+]] = krnl.compute [m, n] () -> (%{{.+}} = %[[OUT]][m, n])
// CHECK:           %[[SUM:.+]] = krnl.compute [m, n | k] {{.+}} -> (%{{.+}} = %[[INIT]][m, n])
// CHECK:           krnl.compute [m, n] {{.+}} -> (%{{.+}} = %[[SUM]][m, n])
// CHECK:             arith.addf
// CHECK-NEXT:        arith.maximumf
// CHECK-NOT:       krnl.compute
// CHECK:         return
func.func @gemm_bias_relu(%x: tensor<8x32xf32>, %w: tensor<32x16xf32>, %b: tensor<16xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %0 = krnl.kernel "gemm" loops [m = 8, n = 16, k = 32] ins(%x, %w : tensor<8x32xf32>, tensor<32x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%p: tensor<8x32xf32>, %q: tensor<32x16xf32>, %o: tensor<8x16xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %o[m, n]) : () -> tensor<8x16xf32> { linalg.yield %zero : f32 }
    %c = krnl.compute [m, n | k] (%lhs = %p[m, k], %rhs = %q[k, n]) -> (%sum = %f[m, n])
        : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32> {
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %c : tensor<8x16xf32>
  } -> tensor<8x16xf32>
  %1 = krnl.kernel "bias" loops [i = 8, j = 16] ins(%0, %b : tensor<8x16xf32>, tensor<16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%p: tensor<8x16xf32>, %q: tensor<16xf32>, %o: tensor<8x16xf32>):
    %c = krnl.compute [i, j] (%s = %p[i, j], %t = %q[j]) -> (%u = %o[i, j])
        : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32> {
      %v = arith.addf %s, %t : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<8x16xf32>
  } -> tensor<8x16xf32>
  %2 = krnl.kernel "relu" loops [i = 8, j = 16] ins(%1 : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%p: tensor<8x16xf32>, %o: tensor<8x16xf32>):
    %zero = arith.constant 0.0 : f32
    %c = krnl.compute [i, j] (%s = %p[i, j]) -> (%u = %o[i, j])
        : (tensor<8x16xf32>) -> tensor<8x16xf32> {
      %v = arith.maximumf %s, %zero : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<8x16xf32>
  } -> tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// An elementwise producer folds into the reduction that alone reads it.
// CHECK-LABEL: func @sum_of_squares
// CHECK:         krnl.kernel "square+sum" loops [i = %{{[^],]+}}, j = 16]
// CHECK:           krnl.compute [i]
// CHECK:           krnl.compute [i | j]
// CHECK:             arith.mulf
// CHECK:             arith.addf
// CHECK-NOT:       krnl.compute
// CHECK:         return
func.func @sum_of_squares(%x: tensor<?x16xf32>, %n: index) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %g = tensor.empty(%n) : tensor<?xf32>
  %c0 = arith.constant 0 : index
  %i_size = tensor.dim %x, %c0 : tensor<?x16xf32>
  %0 = krnl.kernel "square" loops [i = %i_size, j = 16] ins(%x : tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) {
  ^bb0(%p: tensor<?x16xf32>, %o: tensor<?x16xf32>, %i_extent: index):
    %c = krnl.compute [i, j] (%s = %p[i, j]) -> (%u = %o[i, j])
        : (tensor<?x16xf32>) -> tensor<?x16xf32> {
      %v = arith.mulf %s, %s : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<?x16xf32>
  } -> tensor<?x16xf32>
  %1 = krnl.kernel "sum" loops [r = %n, c = 16] ins(%0 : tensor<?x16xf32>) outs(%g : tensor<?xf32>) {
  ^bb0(%p: tensor<?x16xf32>, %o: tensor<?xf32>, %r_extent: index):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [r] () -> (%_ = %o[r]) : () -> tensor<?xf32> { linalg.yield %zero : f32 }
    %c = krnl.compute [r | c] (%s = %p[r, c]) -> (%u = %f[r]) : (tensor<?x16xf32>) -> tensor<?xf32> {
      %v = arith.addf %s, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<?xf32>
  } -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// Row-wise: the sum of a row, then the row less its sum. All ops have r; c is
// short, so a row stays in the kernel.
// CHECK-LABEL: func @rows
// CHECK:         krnl.kernel "sum+sub" loops [r = %{{[^],]+}}, c = 16] ins(%{{.+}} : tensor<?x16xf32>)
// CHECK:           krnl.temporary : tensor<?xf32>
// CHECK:           krnl.compute [r | c]
// CHECK:           krnl.compute [r, c]
func.func @rows(%x: tensor<?x16xf32>, %n: index) -> tensor<?x16xf32> {
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %g = tensor.empty(%n) : tensor<?xf32>
  %1 = krnl.kernel "sum" loops [r = %n, c = 16] ins(%x : tensor<?x16xf32>) outs(%g : tensor<?xf32>) {
  ^bb0(%p: tensor<?x16xf32>, %o: tensor<?xf32>, %r_extent: index):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [r] () -> (%_ = %o[r]) : () -> tensor<?xf32> { linalg.yield %zero : f32 }
    %c = krnl.compute [r | c] (%s = %p[r, c]) -> (%u = %f[r]) : (tensor<?x16xf32>) -> tensor<?xf32> {
      %v = arith.addf %s, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<?xf32>
  } -> tensor<?xf32>
  %c0 = arith.constant 0 : index
  %i_size = tensor.dim %x, %c0 : tensor<?x16xf32>
  %2 = krnl.kernel "sub" loops [i = %i_size, c = 16] ins(%x, %1 : tensor<?x16xf32>, tensor<?xf32>) outs(%e : tensor<?x16xf32>) {
  ^bb0(%p: tensor<?x16xf32>, %q: tensor<?xf32>, %o: tensor<?x16xf32>, %i_extent: index):
    %c = krnl.compute [i, c] (%s = %p[i, c], %t = %q[i]) -> (%u = %o[i, c])
        : (tensor<?x16xf32>, tensor<?xf32>) -> tensor<?x16xf32> {
      %v = arith.subf %s, %t : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<?x16xf32>
  } -> tensor<?x16xf32>
  return %2 : tensor<?x16xf32>
}

// The rows are two results of a product, which has them apart from what is done along
// each row: the loops along both are one.
// CHECK-LABEL: func @rows_of_two_results
// CHECK:         krnl.kernel "product"
// CHECK:         krnl.kernel "sum+scale" loops [r = 4, c = 16]
// CHECK:           krnl.compute [r | c]
// CHECK:           krnl.compute [r, c]
func.func @rows_of_two_results(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<4x16xf32>
  %g = tensor.empty() : tensor<4xf32>
  %0:2 = krnl.kernel "product" loops [m = 4, n = 16, k = 8] ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%e, %e : tensor<4x16xf32>, tensor<4x16xf32>) {
  ^bb0(%p: tensor<4x8xf32>, %q: tensor<8x16xf32>, %o: tensor<4x16xf32>, %z: tensor<4x16xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %o[m, n]) : () -> tensor<4x16xf32> { linalg.yield %zero : f32 }
    %c = krnl.compute [m, n | k] (%lhs = %p[m, k], %rhs = %q[k, n]) -> (%sum = %f[m, n])
        : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32> {
      %t = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %t : f32
      linalg.yield %next : f32
    }
    %s = krnl.compute [m, n] (%v = %c[m, n]) -> (%_ = %z[m, n]) : (tensor<4x16xf32>) -> tensor<4x16xf32> {
      %t = arith.mulf %v, %v : f32
      linalg.yield %t : f32
    }
    krnl.yield %c, %s : tensor<4x16xf32>, tensor<4x16xf32>
  } -> tensor<4x16xf32>, tensor<4x16xf32>
  %1 = krnl.kernel "sum" loops [r = 4, c = 16] ins(%0#1 : tensor<4x16xf32>) outs(%g : tensor<4xf32>) {
  ^bb0(%p: tensor<4x16xf32>, %o: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [r] () -> (%_ = %o[r]) : () -> tensor<4xf32> { linalg.yield %zero : f32 }
    %c = krnl.compute [r | c] (%s = %p[r, c]) -> (%u = %f[r]) : (tensor<4x16xf32>) -> tensor<4xf32> {
      %v = arith.addf %s, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<4xf32>
  } -> tensor<4xf32>
  %2 = krnl.kernel "scale" loops [i = 4, j = 16] ins(%0#0, %1 : tensor<4x16xf32>, tensor<4xf32>) outs(%e : tensor<4x16xf32>) {
  ^bb0(%p: tensor<4x16xf32>, %q: tensor<4xf32>, %o: tensor<4x16xf32>):
    %c = krnl.compute [i, j] (%s = %p[i, j], %t = %q[i]) -> (%u = %o[i, j])
        : (tensor<4x16xf32>, tensor<4xf32>) -> tensor<4x16xf32> {
      %v = arith.mulf %s, %t : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<4x16xf32>
  } -> tensor<4x16xf32>
  return %2 : tensor<4x16xf32>
}

// Only the broadcast has a dimension for j: it folds into the sum all the same.
// CHECK-LABEL: func @extent_from_folded
// CHECK:         krnl.kernel "broadcast+sum" loops [i = 8, j = 4]
// CHECK:           krnl.compute [i | j]
// CHECK-NOT:       krnl.compute
func.func @extent_from_folded(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %g = tensor.empty() : tensor<8xf32>
  %0 = krnl.kernel "broadcast" loops [i = 8, j = 4] ins(%x : tensor<8xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%p: tensor<8xf32>, %o: tensor<8x4xf32>):
    %c = krnl.compute [i, j] (%s = %p[i]) -> (%u = %o[i, j]) : (tensor<8xf32>) -> tensor<8x4xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %c : tensor<8x4xf32>
  } -> tensor<8x4xf32>
  %1 = krnl.kernel "sum" loops [r = 8, c = 4] ins(%0 : tensor<8x4xf32>) outs(%g : tensor<8xf32>) {
  ^bb0(%p: tensor<8x4xf32>, %o: tensor<8xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [r] () -> (%_ = %o[r]) : () -> tensor<8xf32> { linalg.yield %zero : f32 }
    %c = krnl.compute [r | c] (%s = %p[r, c]) -> (%u = %f[r]) : (tensor<8x4xf32>) -> tensor<8xf32> {
      %v = arith.addf %s, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<8xf32>
  } -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// What only makes bytes wider goes to the kernel that reads it, not to the one
// that makes the bytes: these are what lies in memory between the two.
// REMARK: what the consumer makes wider is read by the next kernel
// CHECK-LABEL: func @widened_by_the_reader
// CHECK:         krnl.kernel "narrow" loops {{.*}} outs(%{{.+}} : tensor<256xi8>)
// CHECK:         krnl.kernel "widen+sum" {{.*}}ins(%{{.+}} : tensor<8x32xi8>)
func.func @widened_by_the_reader(%x: tensor<8x32xf32>) -> (tensor<8x32xi8>, tensor<32xf32>) {
  %e = tensor.empty() : tensor<8x32xi8>
  %g = tensor.empty() : tensor<8x32xf32>
  %h = tensor.empty() : tensor<32xf32>
  %0 = krnl.kernel "narrow" loops [i = 8, j = 32] ins(%x : tensor<8x32xf32>) outs(%e : tensor<8x32xi8>) {
  ^bb0(%p: tensor<8x32xf32>, %o: tensor<8x32xi8>):
    %c = krnl.compute [i, j] (%s = %p[i, j]) -> (%u = %o[i, j])
        : (tensor<8x32xf32>) -> tensor<8x32xi8> {
      %v = arith.fptosi %s : f32 to i8
      linalg.yield %v : i8
    }
    krnl.yield %c : tensor<8x32xi8>
  } -> tensor<8x32xi8>
  %1 = krnl.kernel "widen" loops [i = 8, j = 32] ins(%0 : tensor<8x32xi8>) outs(%g : tensor<8x32xf32>) {
  ^bb0(%p: tensor<8x32xi8>, %o: tensor<8x32xf32>):
    %c = krnl.compute [i, j] (%s = %p[i, j]) -> (%u = %o[i, j])
        : (tensor<8x32xi8>) -> tensor<8x32xf32> {
      %v = arith.sitofp %s : i8 to f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<8x32xf32>
  } -> tensor<8x32xf32>
  %2 = krnl.kernel "sum" loops [i = 8, j = 32] ins(%1 : tensor<8x32xf32>) outs(%h : tensor<32xf32>) {
  ^bb0(%p: tensor<8x32xf32>, %o: tensor<32xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [j] () -> (%_ = %o[j]) : () -> tensor<32xf32> { linalg.yield %zero : f32 }
    %c = krnl.compute [j | i] (%s = %p[i, j]) -> (%u = %f[j]) : (tensor<8x32xf32>) -> tensor<32xf32> {
      %v = arith.addf %s, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<32xf32>
  } -> tensor<32xf32>
  return %0, %2 : tensor<8x32xi8>, tensor<32xf32>
}

// A matrix times a vector reads each element of the matrix once: the kernel that
// makes it folds into the product, which reads the matrix where that does.
// CHECK-LABEL: func @matrix_times_vector
// CHECK:         krnl.kernel "turn+product" loops [h = 3, s = %{{[^],]+}}, d = 64]
// CHECK-SAME:      ins(%arg0, %arg1 : tensor<?x3x64xf32>, tensor<3x64xf32>)
// CHECK:           krnl.compute [h, s | d] (%[[Q:.+]] = %{{.+}}[h, d], %[[K:.+]] = %{{.+}}[s, h, d])
// CHECK-NEXT:        %[[SCALED:.+]] = arith.mulf %[[K]]
// CHECK-NEXT:        arith.mulf %[[SCALED]], %[[Q]]
// CHECK-NOT:       krnl.compute
// CHECK:         return
func.func @matrix_times_vector(%x: tensor<?x3x64xf32>, %v: tensor<3x64xf32>, %n: index, %o: tensor<3x?xf32>) -> tensor<3x?xf32> {
  %e = tensor.empty(%n) : tensor<3x?x64xf32>
  %0 = krnl.kernel "turn" loops [h = 3, s = %n, d = 64] ins(%x : tensor<?x3x64xf32>) outs(%e : tensor<3x?x64xf32>) {
  ^bb0(%p: tensor<?x3x64xf32>, %q: tensor<3x?x64xf32>, %i: index):
    %half = arith.constant 0.5 : f32
    %r = krnl.compute [h, s, d] (%a = %p[s, h, d]) -> (%b = %q[h, s, d]) : (tensor<?x3x64xf32>) -> tensor<3x?x64xf32> {
      %t = arith.mulf %a, %half : f32
      linalg.yield %t : f32
    }
    krnl.yield %r : tensor<3x?x64xf32>
  } -> tensor<3x?x64xf32>
  %1 = krnl.kernel "product" loops [h = 3, s = %n, d = 64] ins(%0, %v : tensor<3x?x64xf32>, tensor<3x64xf32>) outs(%o : tensor<3x?xf32>) {
  ^bb0(%p: tensor<3x?x64xf32>, %q: tensor<3x64xf32>, %c: tensor<3x?xf32>, %i: index):
    %r = krnl.compute [h, s | d] (%a = %p[h, s, d], %b = %q[h, d]) -> (%y = %c[h, s]) : (tensor<3x?x64xf32>, tensor<3x64xf32>) -> tensor<3x?xf32> {
      %t = arith.mulf %a, %b : f32
      %u = arith.addf %y, %t : f32
      linalg.yield %u : f32
    }
    krnl.yield %r : tensor<3x?xf32>
  } -> tensor<3x?xf32>
  return %1 : tensor<3x?xf32>
}

// A loop of the consumer around a common one stays around it: rows of elements
// are read and written in the order of memory.
// CHECK-LABEL: func @repeated_rows
// CHECK:         krnl.kernel "neg+repeat" loops [i = 4, h = 8, j = 16, k = 3]
func.func @repeated_rows(%x: tensor<4x16xf32>, %z: tensor<4x3xf32>) -> (tensor<4x8x16xf32>, tensor<4x3xf32>) {
  %e = tensor.empty() : tensor<4x16xf32>
  %0 = krnl.kernel "neg" loops [i = 4, j = 16] ins(%x : tensor<4x16xf32>) outs(%e : tensor<4x16xf32>) {
  ^bb0(%p: tensor<4x16xf32>, %o: tensor<4x16xf32>):
    %r = krnl.compute [i, j] (%s = %p[i, j]) -> (%q = %o[i, j]) : (tensor<4x16xf32>) -> tensor<4x16xf32> {
      %m = arith.negf %s : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<4x16xf32>
  } -> tensor<4x16xf32>
  %f = tensor.empty() : tensor<4x8x16xf32>
  %g = tensor.empty() : tensor<4x3xf32>
  %1:2 = krnl.kernel "repeat" loops [i = 4, h = 8, j = 16, k = 3] ins(%0, %z : tensor<4x16xf32>, tensor<4x3xf32>) outs(%f, %g : tensor<4x8x16xf32>, tensor<4x3xf32>) {
  ^bb0(%p: tensor<4x16xf32>, %w: tensor<4x3xf32>, %o: tensor<4x8x16xf32>, %u: tensor<4x3xf32>):
    %r = krnl.compute [i, h, j] (%s = %p[i, j]) -> (%q = %o[i, h, j]) : (tensor<4x16xf32>) -> tensor<4x8x16xf32> {
      linalg.yield %s : f32
    }
    %t = krnl.compute [i, k] (%s = %w[i, k]) -> (%q = %u[i, k]) : (tensor<4x3xf32>) -> tensor<4x3xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %r, %t : tensor<4x8x16xf32>, tensor<4x3xf32>
  } -> tensor<4x8x16xf32>, tensor<4x3xf32>
  return %1#0, %1#1 : tensor<4x8x16xf32>, tensor<4x3xf32>
}
