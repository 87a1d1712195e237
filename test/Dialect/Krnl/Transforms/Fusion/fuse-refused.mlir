// RUN: onnx-opt %s --krnl-fuse --remarks-filter-missed=krnl-fuse -o %t.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
//
// Pairs that stay two kernels, and why. No two kernels here become one.
// IR-NOT: krnl.kernel "{{.+}}+{{.+}}"
// IR:     krnl.kernel "{{[^"+]+}}"
// IR-NOT: krnl.kernel "{{.+}}+{{.+}}"

// The remark is at the consumer, and names the producer and its nodes.
// CHECK: [Missed] NotFused {{.+}} Producer=loc({{.+}}), Reason="the producer of a contraction's operand would be computed again for each result", Remark="neg, gemm"
func.func @operand_of_contraction(%x: tensor<8x32xf32>, %w: tensor<32x16xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x32xf32>
  %g = tensor.empty() : tensor<8x16xf32>
  %0 = krnl.kernel "neg" loops [i = 8, j = 32] ins(%x : tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) {
  ^bb0(%p: tensor<8x32xf32>, %o: tensor<8x32xf32>):
    %c = krnl.compute [i, j] (%s = %p[i, j]) -> (%u = %o[i, j])
        : (tensor<8x32xf32>) -> tensor<8x32xf32> {
      %v = arith.negf %s : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<8x32xf32>
  } -> tensor<8x32xf32>
  %1 = krnl.kernel "gemm" loops [m = 8, n = 16, k = 32] ins(%0, %w : tensor<8x32xf32>, tensor<32x16xf32>) outs(%g : tensor<8x16xf32>) {
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
  return %1 : tensor<8x16xf32>
}

// CHECK: the consumer does not run over just the results of the contraction
func.func @reduction_of_contraction(%x: tensor<8x32xf32>, %w: tensor<32x16xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %g = tensor.empty() : tensor<8xf32>
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
  %1 = krnl.kernel "sum" loops [r = 8, c = 16] ins(%0 : tensor<8x16xf32>) outs(%g : tensor<8xf32>) {
  ^bb0(%p: tensor<8x16xf32>, %o: tensor<8xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [r] () -> (%_ = %o[r]) : () -> tensor<8xf32> { linalg.yield %zero : f32 }
    %c = krnl.compute [r | c] (%s = %p[r, c]) -> (%u = %f[r]) : (tensor<8x16xf32>) -> tensor<8xf32> {
      %v = arith.addf %s, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<8xf32>
  } -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK: loop 'c' inside a row has no known extent
func.func @dynamic_row(%x: tensor<8x?xf32>, %n: index) -> tensor<8x?xf32> {
  %e = tensor.empty(%n) : tensor<8x?xf32>
  %g = tensor.empty() : tensor<8xf32>
  %c1 = arith.constant 1 : index
  %c_size = tensor.dim %x, %c1 : tensor<8x?xf32>
  %0 = krnl.kernel "sum" loops [r = 8, c = %c_size] ins(%x : tensor<8x?xf32>) outs(%g : tensor<8xf32>) {
  ^bb0(%p: tensor<8x?xf32>, %o: tensor<8xf32>, %c_extent: index):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [r] () -> (%_ = %o[r]) : () -> tensor<8xf32> { linalg.yield %zero : f32 }
    %c = krnl.compute [r | c] (%s = %p[r, c]) -> (%u = %f[r]) : (tensor<8x?xf32>) -> tensor<8xf32> {
      %v = arith.addf %s, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<8xf32>
  } -> tensor<8xf32>
  %1 = krnl.kernel "sub" loops [i = 8, j = %c_size] ins(%x, %0 : tensor<8x?xf32>, tensor<8xf32>) outs(%e : tensor<8x?xf32>) {
  ^bb0(%p: tensor<8x?xf32>, %q: tensor<8xf32>, %o: tensor<8x?xf32>, %j_extent: index):
    %c = krnl.compute [i, j] (%s = %p[i, j], %t = %q[i]) -> (%u = %o[i, j])
        : (tensor<8x?xf32>, tensor<8xf32>) -> tensor<8x?xf32> {
      %v = arith.subf %s, %t : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<8x?xf32>
  } -> tensor<8x?xf32>
  return %1 : tensor<8x?xf32>
}

// CHECK: a row would have 100000 elements or more
func.func @long_row(%x: tensor<8x100000xf32>) -> tensor<8x100000xf32> {
  %e = tensor.empty() : tensor<8x100000xf32>
  %g = tensor.empty() : tensor<8xf32>
  %0 = krnl.kernel "sum" loops [r = 8, c = 100000] ins(%x : tensor<8x100000xf32>) outs(%g : tensor<8xf32>) {
  ^bb0(%p: tensor<8x100000xf32>, %o: tensor<8xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [r] () -> (%_ = %o[r]) : () -> tensor<8xf32> { linalg.yield %zero : f32 }
    %c = krnl.compute [r | c] (%s = %p[r, c]) -> (%u = %f[r])
        : (tensor<8x100000xf32>) -> tensor<8xf32> {
      %v = arith.addf %s, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<8xf32>
  } -> tensor<8xf32>
  %1 = krnl.kernel "sub" loops [i = 8, j = 100000] ins(%x, %0 : tensor<8x100000xf32>, tensor<8xf32>) outs(%e : tensor<8x100000xf32>) {
  ^bb0(%p: tensor<8x100000xf32>, %q: tensor<8xf32>, %o: tensor<8x100000xf32>):
    %c = krnl.compute [i, j] (%s = %p[i, j], %t = %q[i]) -> (%u = %o[i, j])
        : (tensor<8x100000xf32>, tensor<8xf32>) -> tensor<8x100000xf32> {
      %v = arith.subf %s, %t : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<8x100000xf32>
  } -> tensor<8x100000xf32>
  return %1 : tensor<8x100000xf32>
}

// The vector would be computed again for each row.
// CHECK: loop 'j' runs inside loops that not all ops have
func.func @broadcast_vector(%x: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %g = tensor.empty() : tensor<8x16xf32>
  %0 = krnl.kernel "neg" loops [j = 16] ins(%b : tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%p: tensor<16xf32>, %o: tensor<16xf32>):
    %c = krnl.compute [j] (%s = %p[j]) -> (%u = %o[j]) : (tensor<16xf32>) -> tensor<16xf32> {
      %v = arith.negf %s : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<16xf32>
  } -> tensor<16xf32>
  %1 = krnl.kernel "sub" loops [i = 8, j = 16] ins(%x, %0 : tensor<8x16xf32>, tensor<16xf32>) outs(%g : tensor<8x16xf32>) {
  ^bb0(%p: tensor<8x16xf32>, %q: tensor<16xf32>, %o: tensor<8x16xf32>):
    %c = krnl.compute [i, j] (%s = %p[i, j], %t = %q[j]) -> (%u = %o[i, j])
        : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32> {
      %v = arith.subf %s, %t : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<8x16xf32>
  } -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// CHECK: no loop is common to all ops
func.func @broadcast_of_transposed(%x: tensor<8x16xf32>, %b: tensor<1xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<1xf32>
  %g = tensor.empty() : tensor<8x16xf32>
  %0 = krnl.kernel "neg" loops [z = 1] ins(%b : tensor<1xf32>) outs(%e : tensor<1xf32>) {
  ^bb0(%p: tensor<1xf32>, %o: tensor<1xf32>):
    %c = krnl.compute [z] (%s = %p[z]) -> (%u = %o[z]) : (tensor<1xf32>) -> tensor<1xf32> {
      %v = arith.negf %s : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<1xf32>
  } -> tensor<1xf32>
  %1 = krnl.kernel "sub" loops [i = 8, j = 16] ins(%x, %0 : tensor<8x16xf32>, tensor<1xf32>) outs(%g : tensor<8x16xf32>) {
  ^bb0(%p: tensor<8x16xf32>, %q: tensor<1xf32>, %o: tensor<8x16xf32>):
    %c = krnl.compute [i, j] (%s = %p[i, j], %t = %q[0]) -> (%u = %o[i, j])
        : (tensor<8x16xf32>, tensor<1xf32>) -> tensor<8x16xf32> {
      %v = arith.subf %s, %t : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<8x16xf32>
  } -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// CHECK: neg already has a recipe
func.func @recipe_there(%x: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %0 = krnl.kernel "neg" loops [i = 16] ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) recipe [vectorize(i, 16)] {
  ^bb0(%p: tensor<16xf32>, %o: tensor<16xf32>):
    %c = krnl.compute [i] (%s = %p[i]) -> (%u = %o[i]) : (tensor<16xf32>) -> tensor<16xf32> {
      %v = arith.negf %s : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<16xf32>
  } -> tensor<16xf32>
  %1 = krnl.kernel "neg" loops [i = 16] ins(%0 : tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%p: tensor<16xf32>, %o: tensor<16xf32>):
    %c = krnl.compute [i] (%s = %p[i]) -> (%u = %o[i]) : (tensor<16xf32>) -> tensor<16xf32> {
      %v = arith.negf %s : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<16xf32>
  } -> tensor<16xf32>
  return %1 : tensor<16xf32>
}

// CHECK: loop 'i' indexes two dimensions of the tensor that sub reads
func.func @transposed_with_itself(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %0 = krnl.kernel "neg" loops [i = 8, j = 8] ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%p: tensor<8x8xf32>, %o: tensor<8x8xf32>):
    %c = krnl.compute [i, j] (%s = %p[i, j]) -> (%u = %o[i, j])
        : (tensor<8x8xf32>) -> tensor<8x8xf32> {
      %v = arith.negf %s : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<8x8xf32>
  } -> tensor<8x8xf32>
  %1 = krnl.kernel "sub" loops [i = 8, j = 8] ins(%0, %0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%p: tensor<8x8xf32>, %q: tensor<8x8xf32>, %o: tensor<8x8xf32>):
    %c = krnl.compute [i, j] (%s = %p[i, j], %t = %q[j, i]) -> (%u = %o[i, j])
        : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> {
      %v = arith.subf %s, %t : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<8x8xf32>
  } -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// CHECK: sub reads the tensor between them at computed indices
func.func @computed_read(%x: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %0 = krnl.kernel "neg" loops [i = 16] ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%p: tensor<16xf32>, %o: tensor<16xf32>):
    %c = krnl.compute [i] (%s = %p[i]) -> (%u = %o[i]) : (tensor<16xf32>) -> tensor<16xf32> {
      %v = arith.negf %s : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<16xf32>
  } -> tensor<16xf32>
  %1 = krnl.kernel "sub" loops [i = 16] ins(%0 : tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%p: tensor<16xf32>, %o: tensor<16xf32>):
    %c15 = arith.constant 15 : index
    %c = krnl.compute [i] () -> (%u = %o[i]) : () -> tensor<16xf32> {
      %i = krnl.index i
      %at = arith.subi %c15, %i : index
      %v = tensor.extract %p[%at] : tensor<16xf32>
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<16xf32>
  } -> tensor<16xf32>
  return %1 : tensor<16xf32>
}

// Rows at computed indices are adjacent along j, which the consumer writes apart: together
// they would read or write element by element.
// CHECK: the consumer transposes what the producer reads in order
func.func @rows_transposed(%x: tensor<64x32xf32>, %i: tensor<8xi64>) -> tensor<32x8xf32> {
  %e = tensor.empty() : tensor<8x32xf32>
  %f = tensor.empty() : tensor<32x8xf32>
  %0 = krnl.kernel "rows" loops [r = 8, j = 32] ins(%i, %x : tensor<8xi64>, tensor<64x32xf32>) outs(%e : tensor<8x32xf32>) {
  ^bb0(%t: tensor<8xi64>, %p: tensor<64x32xf32>, %o: tensor<8x32xf32>):
    %c = krnl.compute [r, j] (%s = %t[r]) -> (%u = %o[r, j]) : (tensor<8xi64>) -> tensor<8x32xf32> {
      %row = arith.index_cast %s : i64 to index
      %column = krnl.index j
      %v = tensor.extract %p[%row, %column] : tensor<64x32xf32>
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<8x32xf32>
  } -> tensor<8x32xf32>
  %1 = krnl.kernel "transpose" loops [a = 32, b = 8] ins(%0 : tensor<8x32xf32>) outs(%f : tensor<32x8xf32>) {
  ^bb0(%p: tensor<8x32xf32>, %o: tensor<32x8xf32>):
    %c = krnl.compute [a, b] (%s = %p[b, a]) -> (%u = %o[a, b]) : (tensor<8x32xf32>) -> tensor<32x8xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %c : tensor<32x8xf32>
  } -> tensor<32x8xf32>
  return %1 : tensor<32x8xf32>
}

// CHECK: Reason="the producer can write into what the consumer pads", Remark="computed, pad"
func.func @computed_rows_into_padding(%x: tensor<4x8xf32>) -> tensor<3x10xf32> {
  %e = tensor.empty() : tensor<3x8xf32>
  %g = tensor.empty() : tensor<3x10xf32>
  %0 = krnl.kernel "computed" loops [h = 3, w = 8, k = 3] ins(%x : tensor<4x8xf32>) outs(%e : tensor<3x8xf32>) {
  ^bb0(%a: tensor<4x8xf32>, %o: tensor<3x8xf32>):
    %cst = arith.constant 0xFF800000 : f32
    %last = arith.constant 3 : index
    %f = krnl.compute [h, w] () -> (%q = %o[h, w]) : () -> tensor<3x8xf32> { linalg.yield %cst : f32 }
    %c = krnl.compute [h, w | k] () -> (%q = %f[h, w]) : () -> tensor<3x8xf32> {
      %i = krnl.index h
      %j = krnl.index w
      %n = krnl.index k
      %r = arith.addi %i, %n : index
      %m = arith.minsi %r, %last : index
      %p = tensor.extract %a[%m, %j] : tensor<4x8xf32>
      %t = arith.maximumf %q, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %c : tensor<3x8xf32>
  } -> tensor<3x8xf32>
  %1 = krnl.kernel "pad" loops [h = 3, p = 10, w = 8] ins(%0 : tensor<3x8xf32>) outs(%g : tensor<3x10xf32>) {
  ^bb0(%a: tensor<3x8xf32>, %o: tensor<3x10xf32>):
    %cst = arith.constant 0xFF800000 : f32
    %f = krnl.compute [h, p] () -> (%q = %o[h, p]) : () -> tensor<3x10xf32> { linalg.yield %cst : f32 }
    %c = krnl.compute [h, w] (%v = %a[h, w]) -> (%q = %f[h, w + 1]) : (tensor<3x8xf32>) -> tensor<3x10xf32> { linalg.yield %v : f32 }
    krnl.yield %c : tensor<3x10xf32>
  } -> tensor<3x10xf32>
  return %1 : tensor<3x10xf32>
}

// Another version of the kernel has the rows of the other runs.
// CHECK: [Missed] NotFused {{.+}} Reason="neg many does not have all iterations", Remark="neg many, exp"
func.func @version_of_many(%x: tensor<?x32xf32>, %before: tensor<?x32xf32>, %n: index, %many: index) -> tensor<?x32xf32> {
  %g = tensor.empty(%n) : tensor<?x32xf32>
  %0 = krnl.kernel "neg many" loops [i = %many >= 256, j = 32] ins(%x : tensor<?x32xf32>) outs(%before : tensor<?x32xf32>) {
  ^bb0(%p: tensor<?x32xf32>, %o: tensor<?x32xf32>, %extent: index):
    %c = krnl.compute [i, j] (%s = %p[i, j]) -> (%u = %o[i, j])
        : (tensor<?x32xf32>) -> tensor<?x32xf32> {
      %v = arith.negf %s : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<?x32xf32>
  } -> tensor<?x32xf32>
  %1 = krnl.kernel "exp" loops [i = %n, j = 32] ins(%0 : tensor<?x32xf32>) outs(%g : tensor<?x32xf32>) {
  ^bb0(%p: tensor<?x32xf32>, %o: tensor<?x32xf32>, %extent: index):
    %c = krnl.compute [i, j] (%s = %p[i, j]) -> (%u = %o[i, j])
        : (tensor<?x32xf32>) -> tensor<?x32xf32> {
      %v = math.exp %s : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<?x32xf32>
  } -> tensor<?x32xf32>
  return %1 : tensor<?x32xf32>
}
