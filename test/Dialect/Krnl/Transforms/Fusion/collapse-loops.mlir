// RUN: onnx-opt %s --krnl-fuse --canonicalize --cse | FileCheck %s
// RUN: onnx-opt %s --krnl-fuse=collapse=false | FileCheck %s --check-prefix=OFF
// OFF-NOT: collapse_shape
// OFF:     krnl.kernel
// OFF-NOT: collapse_shape

// Vectors cross the short rows.
// CHECK-LABEL: func @elementwise
// CHECK-SAME:      (%[[X:.+]]: tensor<8x7x7xf32>)
// CHECK:         %[[FLAT:.+]] = tensor.collapse_shape %[[X]] {{\[}}[0, 1, 2]] : tensor<8x7x7xf32> into tensor<392xf32>
// CHECK:         %[[Y:.+]] = krnl.kernel "neg" loops [abc = 392] ins(%[[FLAT]] : tensor<392xf32>)
// CHECK:           krnl.compute [abc]
// CHECK:         tensor.expand_shape %[[Y]] {{\[}}[0, 1, 2]] output_shape [8, 7, 7]
func.func @elementwise(%x: tensor<8x7x7xf32>) -> tensor<8x7x7xf32> {
  %e = tensor.empty() : tensor<8x7x7xf32>
  %y = krnl.kernel "neg" loops [a = 8, b = 7, c = 7] ins(%x : tensor<8x7x7xf32>) outs(%e : tensor<8x7x7xf32>) {
  ^bb0(%p: tensor<8x7x7xf32>, %o: tensor<8x7x7xf32>):
    %r = krnl.compute [a, b, c] (%s = %p[a, b, c]) -> (%q = %o[a, b, c])
        : (tensor<8x7x7xf32>) -> tensor<8x7x7xf32> {
      %m = arith.negf %s : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<8x7x7xf32>
  } -> tensor<8x7x7xf32>
  return %y : tensor<8x7x7xf32>
}

// The channel has a bias of its own, the two dimensions of the image collapse.
// An unknown size is the product of two.
// CHECK-LABEL: func @bias_per_channel
// CHECK:         arith.muli
// CHECK:         krnl.kernel "bias" loops [n = %{{[^],]+}}, c = 16, hw = %{{[^],]+}}]
// CHECK:         tensor.expand_shape
func.func @bias_per_channel(%x: tensor<?x16x?x8xf32>, %b: tensor<16xf32>, %n: index, %h: index) -> tensor<?x16x?x8xf32> {
  %e = tensor.empty(%n, %h) : tensor<?x16x?x8xf32>
  %c0 = arith.constant 0 : index
  %n_size = tensor.dim %x, %c0 : tensor<?x16x?x8xf32>
  %c2 = arith.constant 2 : index
  %h_size = tensor.dim %x, %c2 : tensor<?x16x?x8xf32>
  %y = krnl.kernel "bias" loops [n = %n_size, c = 16, h = %h_size, w = 8]
      ins(%x, %b : tensor<?x16x?x8xf32>, tensor<16xf32>) outs(%e : tensor<?x16x?x8xf32>) {
  ^bb0(%p: tensor<?x16x?x8xf32>, %q: tensor<16xf32>, %o: tensor<?x16x?x8xf32>, %n_extent: index, %h_extent: index):
    %r = krnl.compute [n, c, h, w] (%s = %p[n, c, h, w], %t = %q[c]) -> (%u = %o[n, c, h, w])
        : (tensor<?x16x?x8xf32>, tensor<16xf32>) -> tensor<?x16x?x8xf32> {
      %m = arith.addf %s, %t : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<?x16x?x8xf32>
  } -> tensor<?x16x?x8xf32>
  return %y : tensor<?x16x?x8xf32>
}

// What stays: a transpose, a loop whose value is looked at, a read at a computed
// index, a constant.
// CHECK-LABEL: func @not_in_a_line
// CHECK:         krnl.kernel "transpose" loops [a = 8, b = 4]
// CHECK:         krnl.kernel "index" loops [a = 8, b = 4]
// CHECK:         krnl.kernel "constant" loops [a = 8, b = 4]
func.func @not_in_a_line(%x: tensor<4x8xf32>) -> (tensor<8x4xf32>, tensor<8x4xindex>, tensor<8x4xf32>) {
  %w = krnl.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0],
                             [1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<8x4xf32>
  %e = tensor.empty() : tensor<8x4xf32>
  %i = tensor.empty() : tensor<8x4xindex>
  %0 = krnl.kernel "transpose" loops [a = 8, b = 4] ins(%x : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%p: tensor<4x8xf32>, %o: tensor<8x4xf32>):
    %r = krnl.compute [a, b] (%s = %p[b, a]) -> (%q = %o[a, b])
        : (tensor<4x8xf32>) -> tensor<8x4xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<8x4xf32>
  } -> tensor<8x4xf32>
  %1 = krnl.kernel "index" loops [a = 8, b = 4] outs(%i : tensor<8x4xindex>) {
  ^bb0(%o: tensor<8x4xindex>):
    %r = krnl.compute [a, b] () -> (%q = %o[a, b]) : () -> tensor<8x4xindex> {
      %k = krnl.index b
      linalg.yield %k : index
    }
    krnl.yield %r : tensor<8x4xindex>
  } -> tensor<8x4xindex>
  %2 = krnl.kernel "constant" loops [a = 8, b = 4] ins(%w : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%p: tensor<8x4xf32>, %o: tensor<8x4xf32>):
    %r = krnl.compute [a, b] (%s = %p[a, b]) -> (%q = %o[a, b])
        : (tensor<8x4xf32>) -> tensor<8x4xf32> {
      %m = arith.negf %s : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<8x4xf32>
  } -> tensor<8x4xf32>
  return %0, %1, %2 : tensor<8x4xf32>, tensor<8x4xindex>, tensor<8x4xf32>
}

// The sizes of a temporary are those of the loops that write it; those of the
// result are not used any more.
// CHECK-LABEL: func @sizes_of_loops
// CHECK:         krnl.kernel "sum" loops [ab = %{{[^],]+}}, k = 5]
func.func @sizes_of_loops(%x: tensor<?x?x5xf32>, %m: index, %n: index) -> tensor<?x?xf32> {
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %c0_1 = arith.constant 0 : index
  %a_size = tensor.dim %x, %c0_1 : tensor<?x?x5xf32>
  %c1_1 = arith.constant 1 : index
  %b_size = tensor.dim %x, %c1_1 : tensor<?x?x5xf32>
  %y = krnl.kernel "sum" loops [a = %a_size, b = %b_size, k = 5] ins(%x : tensor<?x?x5xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%p: tensor<?x?x5xf32>, %o: tensor<?x?xf32>, %a_extent: index, %b_extent: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %rows = tensor.dim %o, %c0 : tensor<?x?xf32>
    %columns = tensor.dim %o, %c1 : tensor<?x?xf32>
    %t = krnl.temporary : tensor<?x?xf32>
    %f = krnl.compute [a, b] () -> (%q = %t[a, b]) : () -> tensor<?x?xf32> {
      linalg.yield %zero : f32
    }
    %s = krnl.compute [a, b | k] (%v = %p[a, b, k]) -> (%q = %f[a, b])
        : (tensor<?x?x5xf32>) -> tensor<?x?xf32> {
      %w = arith.addf %q, %v : f32
      linalg.yield %w : f32
    }
    %r = krnl.compute [a, b] (%v = %s[a, b]) -> (%q = %o[a, b])
        : (tensor<?x?xf32>) -> tensor<?x?xf32> {
      %w = arith.negf %v : f32
      linalg.yield %w : f32
    }
    krnl.yield %r : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// What is left of a temporary that nothing needs any more is not in the way.
// CHECK-LABEL: func @left_over
// CHECK:         krnl.kernel "neg" loops [ab = %{{[^],]+}}]
func.func @left_over(%x: tensor<?x?xf32>, %n: index, %m: index) -> tensor<?x?xf32> {
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %c0_1 = arith.constant 0 : index
  %a_size = tensor.dim %x, %c0_1 : tensor<?x?xf32>
  %c1_1 = arith.constant 1 : index
  %b_size = tensor.dim %x, %c1_1 : tensor<?x?xf32>
  %y = krnl.kernel "neg" loops [a = %a_size, b = %b_size] ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%p: tensor<?x?xf32>, %o: tensor<?x?xf32>, %a_extent: index, %b_extent: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rows = tensor.dim %p, %c0 : tensor<?x?xf32>
    %columns = tensor.dim %p, %c1 : tensor<?x?xf32>
    %unused = krnl.temporary : tensor<?x?xf64>
    %r = krnl.compute [a, b] (%s = %p[a, b]) -> (%q = %o[a, b])
        : (tensor<?x?xf32>) -> tensor<?x?xf32> {
      %k = arith.negf %s : f32
      linalg.yield %k : f32
    }
    krnl.yield %r : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Pixels of a known number stay apart from a dynamic number of images:
// tiles of them leave nothing over.
// CHECK-LABEL: func @known_rows
// CHECK:         krnl.kernel "product" loops [n = %{{[^],]+}}, hw = 196, oc = 32, ic = 16]
func.func @known_rows(%x: tensor<?x14x14x16xf32>, %w: tensor<16x32xf32>, %n: index) -> tensor<?x14x14x32xf32> {
  %e = tensor.empty(%n) : tensor<?x14x14x32xf32>
  %c0 = arith.constant 0 : index
  %n_size = tensor.dim %x, %c0 : tensor<?x14x14x16xf32>
  %y = krnl.kernel "product" loops [n = %n_size, h = 14, w = 14, oc = 32, ic = 16]
      ins(%x, %w : tensor<?x14x14x16xf32>, tensor<16x32xf32>) outs(%e : tensor<?x14x14x32xf32>) {
  ^bb0(%p: tensor<?x14x14x16xf32>, %q: tensor<16x32xf32>, %o: tensor<?x14x14x32xf32>, %n_extent: index):
    %r = krnl.compute [n, h, w, oc | ic] (%s = %p[n, h, w, ic], %t = %q[ic, oc]) -> (%u = %o[n, h, w, oc])
        : (tensor<?x14x14x16xf32>, tensor<16x32xf32>) -> tensor<?x14x14x32xf32> {
      %m = arith.mulf %s, %t : f32
      %a = arith.addf %u, %m : f32
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<?x14x14x32xf32>
  } -> tensor<?x14x14x32xf32>
  return %y : tensor<?x14x14x32xf32>
}

// Indices are affine expressions, in which "mod" is not a name.
// CHECK-LABEL: func @name_of_an_operator
// CHECK:         krnl.kernel "neg" loops [mo = 6, d = 4]
func.func @name_of_an_operator(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %e = tensor.empty() : tensor<2x3x4xf32>
  %0 = krnl.kernel "neg" loops [m = 2, o = 3, d = 4] ins(%x : tensor<2x3x4xf32>) outs(%e : tensor<2x3x4xf32>) {
  ^bb0(%p: tensor<2x3x4xf32>, %q: tensor<2x3x4xf32>):
    %r = krnl.compute [m, o, d] (%s = %p[m, o, d]) -> (%t = %q[m, o, d]) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
      %v = arith.negf %s : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<2x3x4xf32>
  } -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// A tensor that is read at an index of each loop of the pair. A dimension after
// them may be as long as the size of another: that of a tensor whose dimensions are
// one already.
// CHECK-LABEL: func @gathered
// CHECK-SAME:      (%[[X:.+]]: tensor<?x9x?x?x?xf32>,
// CHECK:         %[[FLAT:.+]] = tensor.collapse_shape %[[X]] {{\[}}[0], [1], [2, 3, 4]] : tensor<?x9x?x?x?xf32> into tensor<?x9x?xf32>
// CHECK:         krnl.kernel "gather" loops [n = %{{[^],]+}}, c = 9, hwd = %{{[^],]+}}] ins(%[[FLAT]],
// CHECK:           krnl.compute [n, c, hwd]
// CHECK-DAG:         %[[N:.+]] = krnl.index n
// CHECK-DAG:         %[[HWD:.+]] = krnl.index hwd
// CHECK:             tensor.extract %{{.+}}[%[[N]], %{{.+}}, %[[HWD]]] : tensor<?x9x?xf32>
func.func @gathered(%x: tensor<?x9x?x?x?xf32>, %i: tensor<9xindex>) -> tensor<?x9x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %x, %c0 : tensor<?x9x?x?x?xf32>
  %h = tensor.dim %x, %c2 : tensor<?x9x?x?x?xf32>
  %w = tensor.dim %x, %c3 : tensor<?x9x?x?x?xf32>
  %d = tensor.dim %x, %c4 : tensor<?x9x?x?x?xf32>
  %e = tensor.empty(%n, %h, %w, %d) : tensor<?x9x?x?x?xf32>
  %y = krnl.kernel "gather" loops [n = %n, c = 9, h = %h, w = %w, d = %d]
      ins(%x, %i : tensor<?x9x?x?x?xf32>, tensor<9xindex>) outs(%e : tensor<?x9x?x?x?xf32>) {
  ^bb0(%p: tensor<?x9x?x?x?xf32>, %q: tensor<9xindex>, %o: tensor<?x9x?x?x?xf32>, %ne: index, %he: index, %we: index, %de: index):
    %r = krnl.compute [n, c, h, w, d] () -> (%u = %o[n, c, h, w, d]) : () -> tensor<?x9x?x?x?xf32> {
      %0 = krnl.index n
      %1 = krnl.index c
      %2 = krnl.index h
      %3 = krnl.index w
      %4 = krnl.index d
      %at = tensor.extract %q[%1] : tensor<9xindex>
      %s = tensor.extract %p[%0, %at, %2, %3, %4] : tensor<?x9x?x?x?xf32>
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<?x9x?x?x?xf32>
  } -> tensor<?x9x?x?x?xf32>
  return %y : tensor<?x9x?x?x?xf32>
}

// Reads that stop before the end of the inner dimension, that swap the loops, and
// that have an index computed of one: not in a line.
// CHECK-LABEL: func @gathered_not_in_a_line
// CHECK:         krnl.kernel "part" loops [a = 8, b = 4]
// CHECK:         krnl.kernel "unknown" loops [a = 8, b = 4]
// CHECK:         krnl.kernel "swapped" loops [a = 8, b = 4]
// CHECK:         krnl.kernel "shifted" loops [a = 8, b = 4]
func.func @gathered_not_in_a_line(%x: tensor<8x5xf32>, %y: tensor<8x?xf32>, %z: tensor<4x8xf32>)
    -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %e = tensor.empty() : tensor<8x4xf32>
  %0 = krnl.kernel "part" loops [a = 8, b = 4] ins(%x : tensor<8x5xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%p: tensor<8x5xf32>, %o: tensor<8x4xf32>):
    %r = krnl.compute [a, b] () -> (%q = %o[a, b]) : () -> tensor<8x4xf32> {
      %i = krnl.index a
      %j = krnl.index b
      %s = tensor.extract %p[%i, %j] : tensor<8x5xf32>
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<8x4xf32>
  } -> tensor<8x4xf32>
  %1 = krnl.kernel "unknown" loops [a = 8, b = 4] ins(%y : tensor<8x?xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%p: tensor<8x?xf32>, %o: tensor<8x4xf32>):
    %r = krnl.compute [a, b] () -> (%q = %o[a, b]) : () -> tensor<8x4xf32> {
      %i = krnl.index a
      %j = krnl.index b
      %s = tensor.extract %p[%i, %j] : tensor<8x?xf32>
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<8x4xf32>
  } -> tensor<8x4xf32>
  %2 = krnl.kernel "swapped" loops [a = 8, b = 4] ins(%z : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%p: tensor<4x8xf32>, %o: tensor<8x4xf32>):
    %r = krnl.compute [a, b] () -> (%q = %o[a, b]) : () -> tensor<8x4xf32> {
      %i = krnl.index a
      %j = krnl.index b
      %s = tensor.extract %p[%j, %i] : tensor<4x8xf32>
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<8x4xf32>
  } -> tensor<8x4xf32>
  %3 = krnl.kernel "shifted" loops [a = 8, b = 4] ins(%x : tensor<8x5xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%p: tensor<8x5xf32>, %o: tensor<8x4xf32>):
    %r = krnl.compute [a, b] () -> (%q = %o[a, b]) : () -> tensor<8x4xf32> {
      %i = krnl.index a
      %j = krnl.index b
      %one = arith.constant 1 : index
      %next = arith.addi %j, %one : index
      %s = tensor.extract %p[%i, %next] : tensor<8x5xf32>
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<8x4xf32>
  } -> tensor<8x4xf32>
  return %0, %1, %2, %3 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}
