// RUN: onnx-opt %s --krnl-choose-layouts | FileCheck %s

// A window over channels that do not mix wants them last, too. A size is still
// that of the same dimension.
// CHECK-LABEL: func @channelwise
// CHECK:         krnl.kernel "neg" {{.+}} outs(%{{.+}} : tensor<?x?x32xf32>)
// CHECK:         %[[ONE:.+]] = arith.constant 1 : index
// CHECK:         tensor.dim %{{.+}}, %[[ONE]] : tensor<?x?x32xf32>
// CHECK:         krnl.kernel "window" {{.+}} outs(%{{.+}} : tensor<?x?x32xf32>)
func.func @channelwise(%x: tensor<32x?x?xf32>, %h: index, %v: index, %g: index, %u: index) -> (tensor<32x?x?xf32>, index) {
  %w = krnl.constant dense<1.0> : tensor<32x3x3xf32>
  %c2 = arith.constant 2 : index
  %e0 = tensor.empty(%h, %v) : tensor<32x?x?xf32>
  %c1 = arith.constant 1 : index
  %b_size = tensor.dim %x, %c1 : tensor<32x?x?xf32>
  %c_size = tensor.dim %x, %c2 : tensor<32x?x?xf32>
  %0 = krnl.kernel "neg" loops [a = 32, b = %b_size, c = %c_size] ins(%x : tensor<32x?x?xf32>) outs(%e0 : tensor<32x?x?xf32>) {
  ^bb0(%p: tensor<32x?x?xf32>, %o: tensor<32x?x?xf32>, %b_extent: index, %c_extent: index):
    %r = krnl.compute [a, b, c] (%s = %p[a, b, c]) -> (%q = %o[a, b, c])
        : (tensor<32x?x?xf32>) -> tensor<32x?x?xf32> {
      %m = arith.negf %s : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<32x?x?xf32>
  } -> tensor<32x?x?xf32>
  %n = tensor.dim %0, %c2 : tensor<32x?x?xf32>
  %e1 = tensor.empty(%g, %u) : tensor<32x?x?xf32>
  %1 = krnl.kernel "window" loops [h = %g, w = %u, c = 32, kh = 3, kw = 3]
      ins(%0, %w : tensor<32x?x?xf32>, tensor<32x3x3xf32>) outs(%e1 : tensor<32x?x?xf32>) {
  ^bb0(%p: tensor<32x?x?xf32>, %q: tensor<32x3x3xf32>, %o: tensor<32x?x?xf32>, %h_extent: index, %w_extent: index):
    %c = krnl.compute [h, w, c | kh, kw] (%s = %p[c, h + kh, w + kw], %t = %q[c, kh, kw]) -> (%z = %o[c, h, w])
        : (tensor<32x?x?xf32>, tensor<32x3x3xf32>) -> tensor<32x?x?xf32> {
      %m = arith.mulf %s, %t : f32
      %a = arith.addf %z, %m : f32
      linalg.yield %a : f32
    }
    krnl.yield %c : tensor<32x?x?xf32>
  } -> tensor<32x?x?xf32>
  %e2 = tensor.empty(%g, %u) : tensor<32x?x?xf32>
  %2 = krnl.kernel "back" loops [a = 32, b = %g, c = %u] ins(%1 : tensor<32x?x?xf32>) outs(%e2 : tensor<32x?x?xf32>) {
  ^bb0(%p: tensor<32x?x?xf32>, %o: tensor<32x?x?xf32>, %b_extent_1: index, %c_extent_1: index):
    %r = krnl.compute [a, b, c] (%s = %p[a, b, c]) -> (%q = %o[a, b, c])
        : (tensor<32x?x?xf32>) -> tensor<32x?x?xf32> {
      %m = arith.negf %s : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<32x?x?xf32>
  } -> tensor<32x?x?xf32>
  return %2, %n : tensor<32x?x?xf32>, index
}

// Without weights any dimension beside the window would do; the size of a batch is
// dynamic, and it may be one.
// CHECK-LABEL: func @pool_of_a_batch
// CHECK:         krnl.kernel "repeat" {{.+}} outs(%{{.+}} : tensor<?x?x12xf32>)
// CHECK:         krnl.kernel "pool" {{.+}} outs(%{{.+}} : tensor<?x?x12xf32>)
// CHECK:         krnl.kernel "sum" {{.+}} ins(%{{.+}} : tensor<?x?x12xf32>)
func.func @pool_of_a_batch(%x: tensor<12xf32>, %n: index, %i: index, %h: index, %kernel: tensor<2xi8>) -> tensor<12xf32> {
  %e0 = tensor.empty(%n, %i) : tensor<?x12x?xf32>
  %0 = krnl.kernel "repeat" loops [a = %n, b = 12, c = %i] ins(%x : tensor<12xf32>) outs(%e0 : tensor<?x12x?xf32>) {
  ^bb0(%p: tensor<12xf32>, %o: tensor<?x12x?xf32>, %a_extent: index, %c_extent: index):
    %r = krnl.compute [a, b, c] (%s = %p[b]) -> (%q = %o[a, b, c])
        : (tensor<12xf32>) -> tensor<?x12x?xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<?x12x?xf32>
  } -> tensor<?x12x?xf32>
  %e1 = tensor.empty(%n, %h) : tensor<?x12x?xf32>
  %1 = krnl.kernel "pool" loops [n = %n, c = 12, o = %h, w = 2]
      ins(%0, %kernel : tensor<?x12x?xf32>, tensor<2xi8>) outs(%e1 : tensor<?x12x?xf32>) {
  ^bb0(%p: tensor<?x12x?xf32>, %q: tensor<2xi8>, %y: tensor<?x12x?xf32>, %n_extent: index, %o_extent: index):
    %c = krnl.compute [n, c, o | w] (%s = %p[n, c, o * 2 + w], %t = %q[w]) -> (%z = %y[n, c, o])
        : (tensor<?x12x?xf32>, tensor<2xi8>) -> tensor<?x12x?xf32> {
      %m = arith.maximumf %s, %z : f32
      linalg.yield %m : f32
    }
    krnl.yield %c : tensor<?x12x?xf32>
  } -> tensor<?x12x?xf32>
  %e2 = tensor.empty() : tensor<12xf32>
  %2 = krnl.kernel "sum" loops [b = 12, a = %n, c = %h] ins(%1 : tensor<?x12x?xf32>) outs(%e2 : tensor<12xf32>) {
  ^bb0(%p: tensor<?x12x?xf32>, %o: tensor<12xf32>, %a_extent_1: index, %c_extent_1: index):
    %r = krnl.compute [b | a, c] (%s = %p[a, b, c]) -> (%q = %o[b])
        : (tensor<?x12x?xf32>) -> tensor<12xf32> {
      %m = arith.addf %s, %q : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<12xf32>
  } -> tensor<12xf32>
  return %2 : tensor<12xf32>
}

// Rows and columns of an argument are read at computed positions. The argument keeps
// its layout: lanes along its first dimension would be far apart in it, so the result
// keeps its layout too.
// CHECK-LABEL: func @computed_positions
// CHECK:         krnl.kernel "border"
// CHECK-SAME:      outs(%{{.+}} : tensor<?x5x?xf32>)
func.func @computed_positions(%x: tensor<?x4x?xf32>, %n: index, %w: index) -> tensor<5xf32> {
  %e = tensor.empty(%n, %w) : tensor<?x5x?xf32>
  %c2 = arith.constant 2 : index
  %w_size = tensor.dim %x, %c2 : tensor<?x4x?xf32>
  %y = krnl.kernel "border" loops [n = %n, h = 5, w = %w_size] ins(%x : tensor<?x4x?xf32>) outs(%e : tensor<?x5x?xf32>) {
  ^bb0(%a: tensor<?x4x?xf32>, %b: tensor<?x5x?xf32>, %n_extent: index, %w_extent: index):
    %c3 = arith.constant 3 : index
    %r = krnl.compute [n, h, w] (%p = %a[0, 0, w]) -> (%q = %b[n, h, w + 2])
        : (tensor<?x4x?xf32>) -> tensor<?x5x?xf32> {
      %i = krnl.index n
      %j = krnl.index h
      %k = krnl.index w
      %row = arith.minui %j, %c3 : index
      %column = arith.minui %k, %c3 : index
      %v = tensor.extract %a[%i, %row, %column] : tensor<?x4x?xf32>
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<?x5x?xf32>
  } -> tensor<?x5x?xf32>
  %e2 = tensor.empty() : tensor<5xf32>
  %2 = krnl.kernel "sum" loops [b = 5, a = %n, c = %w] ins(%y : tensor<?x5x?xf32>) outs(%e2 : tensor<5xf32>) {
  ^bb0(%p: tensor<?x5x?xf32>, %o: tensor<5xf32>, %a_extent: index, %c_extent: index):
    %r = krnl.compute [b | a, c] (%s = %p[a, b, c]) -> (%q = %o[b])
        : (tensor<?x5x?xf32>) -> tensor<5xf32> {
      %m = arith.addf %s, %q : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<5xf32>
  } -> tensor<5xf32>
  return %2 : tensor<5xf32>
}

// An image of a batch is copied with its channels last for reads at computed rows and
// columns. However large it may be, the reads have the word: the copy would rather
// have the columns along memory, as its operand has, and each read would be a gather.
// CHECK-LABEL: func @sampled
// CHECK:         krnl.kernel "last" {{.+}} outs(%{{.+}} : tensor<?x?x?x32xf32>)
// CHECK:         krnl.kernel "sample" {{.+}} outs(%{{.+}} : tensor<56x56x32xf32>)
func.func @sampled(%x: tensor<?x32x?x?xf32>, %table: tensor<56xi64>, %n: index, %h: index, %w: index) -> tensor<32x56x56xf32> {
  %e0 = tensor.empty(%n, %h, %w) : tensor<?x?x?x32xf32>
  %0 = krnl.kernel "last" loops [n = %n, h = %h, w = %w, c = 32] ins(%x : tensor<?x32x?x?xf32>) outs(%e0 : tensor<?x?x?x32xf32>) {
  ^bb0(%p: tensor<?x32x?x?xf32>, %o: tensor<?x?x?x32xf32>, %a: index, %b: index, %d: index):
    %r = krnl.compute [n, h, w, c] (%s = %p[n, c, h, w]) -> (%q = %o[n, h, w, c])
        : (tensor<?x32x?x?xf32>) -> tensor<?x?x?x32xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<?x?x?x32xf32>
  } -> tensor<?x?x?x32xf32>
  %e1 = tensor.empty() : tensor<56x56x32xf32>
  %1 = krnl.kernel "sample" loops [h = 56, w = 56, c = 32] ins(%table, %0 : tensor<56xi64>, tensor<?x?x?x32xf32>)
      outs(%e1 : tensor<56x56x32xf32>) {
  ^bb0(%t: tensor<56xi64>, %p: tensor<?x?x?x32xf32>, %o: tensor<56x56x32xf32>):
    %zero = arith.constant 0 : index
    %r = krnl.compute [h, w, c] (%s = %t[h], %u = %t[w]) -> (%q = %o[h, w, c])
        : (tensor<56xi64>, tensor<56xi64>) -> tensor<56x56x32xf32> {
      %row = arith.index_cast %s : i64 to index
      %column = arith.index_cast %u : i64 to index
      %c = krnl.index c
      %v = tensor.extract %p[%zero, %row, %column, %c] : tensor<?x?x?x32xf32>
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<56x56x32xf32>
  } -> tensor<56x56x32xf32>
  %e2 = tensor.empty() : tensor<32x56x56xf32>
  %2 = krnl.kernel "second" loops [c = 32, h = 56, w = 56] ins(%1 : tensor<56x56x32xf32>) outs(%e2 : tensor<32x56x56xf32>) {
  ^bb0(%p: tensor<56x56x32xf32>, %o: tensor<32x56x56xf32>):
    %r = krnl.compute [c, h, w] (%s = %p[h, w, c]) -> (%q = %o[c, h, w])
        : (tensor<56x56x32xf32>) -> tensor<32x56x56xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<32x56x56xf32>
  } -> tensor<32x56x56xf32>
  return %2 : tensor<32x56x56xf32>
}

// Columns at computed positions, summed up in a temporary tensor: the reads would like
// lanes along the rows, but the result, which keeps its layout, cannot follow what is
// made of the temporary one. So the rows are not along memory in between.
// CHECK-LABEL: func @converted
// CHECK:         krnl.kernel "rows" {{.+}} outs(%{{.+}} : tensor<3x24x32xf32>)
// CHECK:         krnl.kernel "columns" {{.+}} ins(%{{.+}} : tensor<640xi64>, tensor<3x24x32xf32>) outs(%{{.+}} : tensor<3x24x640xi8>)
func.func @converted(%x: tensor<3x480x32xi8>, %rows: tensor<24xi64>, %columns: tensor<640xi64>) -> tensor<3x24x640xi8> {
  %e0 = tensor.empty() : tensor<3x24x32xf32>
  %0 = krnl.kernel "rows" loops [c = 3, h = 24, w = 32] ins(%rows, %x : tensor<24xi64>, tensor<3x480x32xi8>)
      outs(%e0 : tensor<3x24x32xf32>) {
  ^bb0(%t: tensor<24xi64>, %p: tensor<3x480x32xi8>, %o: tensor<3x24x32xf32>):
    %r = krnl.compute [c, h, w] (%s = %t[h]) -> (%q = %o[c, h, w])
        : (tensor<24xi64>) -> tensor<3x24x32xf32> {
      %c = krnl.index c
      %row = arith.index_cast %s : i64 to index
      %w = krnl.index w
      %v = tensor.extract %p[%c, %row, %w] : tensor<3x480x32xi8>
      %f = arith.uitofp %v : i8 to f32
      linalg.yield %f : f32
    }
    krnl.yield %r : tensor<3x24x32xf32>
  } -> tensor<3x24x32xf32>
  %e1 = tensor.empty() : tensor<3x24x640xi8>
  %1 = krnl.kernel "columns" loops [c = 3, h = 24, w = 640] ins(%columns, %0 : tensor<640xi64>, tensor<3x24x32xf32>)
      outs(%e1 : tensor<3x24x640xi8>) {
  ^bb0(%t: tensor<640xi64>, %p: tensor<3x24x32xf32>, %o: tensor<3x24x640xi8>):
    %e2 = krnl.temporary : tensor<3x24x640xf32>
    %r = krnl.compute [c, h, w] (%s = %t[w]) -> (%q = %e2[c, h, w])
        : (tensor<640xi64>) -> tensor<3x24x640xf32> {
      %c = krnl.index c
      %h = krnl.index h
      %column = arith.index_cast %s : i64 to index
      %v = tensor.extract %p[%c, %h, %column] : tensor<3x24x32xf32>
      linalg.yield %v : f32
    }
    %y = krnl.compute [c, h, w] (%s = %r[c, h, w]) -> (%q = %o[c, h, w])
        : (tensor<3x24x640xf32>) -> tensor<3x24x640xi8> {
      %v = arith.fptoui %s : f32 to i8
      linalg.yield %v : i8
    }
    krnl.yield %y : tensor<3x24x640xi8>
  } -> tensor<3x24x640xi8>
  return %1 : tensor<3x24x640xi8>
}

// The transform of a row has few weights: no channels of them fill a vector. Both of
// its tensors can move, and have the last dimension of the result along memory.
// CHECK-LABEL: func @transform
// CHECK:         krnl.kernel "neg" {{.+}} outs(%{{.+}} : tensor<18x18x32xf32>)
// CHECK:         krnl.kernel "rows" {{.+}} ins(%{{.+}} : tensor<6x6xf32>, tensor<18x18x32xf32>) outs(%{{.+}} : tensor<4x6x18x32xf32>)
func.func @transform(%x: tensor<32x18x18xf32>) -> tensor<4x6x18x32xf32> {
  %t = krnl.constant dense<1.0> : tensor<6x6xf32>
  %e0 = tensor.empty() : tensor<32x18x18xf32>
  %0 = krnl.kernel "neg" loops [c = 32, h = 18, w = 18] ins(%x : tensor<32x18x18xf32>) outs(%e0 : tensor<32x18x18xf32>) {
  ^bb0(%p: tensor<32x18x18xf32>, %o: tensor<32x18x18xf32>):
    %r = krnl.compute [c, h, w] (%s = %p[c, h, w]) -> (%q = %o[c, h, w])
        : (tensor<32x18x18xf32>) -> tensor<32x18x18xf32> {
      %m = arith.negf %s : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<32x18x18xf32>
  } -> tensor<32x18x18xf32>
  %e1 = tensor.empty() : tensor<4x6x18x32xf32>
  %1 = krnl.kernel "rows" loops [y = 4, p = 6, w = 18, c = 32, k = 6]
      ins(%t, %0 : tensor<6x6xf32>, tensor<32x18x18xf32>) outs(%e1 : tensor<4x6x18x32xf32>) {
  ^bb0(%q: tensor<6x6xf32>, %d: tensor<32x18x18xf32>, %o: tensor<4x6x18x32xf32>):
    %r = krnl.compute [y, p, w, c | k] (%s = %q[p, k], %v = %d[c, y * 4 + k, w]) -> (%u = %o[y, p, w, c])
        : (tensor<6x6xf32>, tensor<32x18x18xf32>) -> tensor<4x6x18x32xf32> {
      %m = arith.mulf %s, %v : f32
      %a = arith.addf %u, %m : f32
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<4x6x18x32xf32>
  } -> tensor<4x6x18x32xf32>
  %e2 = tensor.empty() : tensor<4x6x18x32xf32>
  %2 = krnl.kernel "last" loops [y = 4, p = 6, w = 18, c = 32] ins(%1 : tensor<4x6x18x32xf32>) outs(%e2 : tensor<4x6x18x32xf32>) {
  ^bb0(%p: tensor<4x6x18x32xf32>, %o: tensor<4x6x18x32xf32>):
    %r = krnl.compute [y, p, w, c] (%s = %p[y, p, w, c]) -> (%q = %o[y, p, w, c])
        : (tensor<4x6x18x32xf32>) -> tensor<4x6x18x32xf32> {
      %m = arith.negf %s : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<4x6x18x32xf32>
  } -> tensor<4x6x18x32xf32>
  return %2 : tensor<4x6x18x32xf32>
}

// Few results of each pixel fill no vectors: the operand keeps its layout, and that of
// many has its channels last.
// CHECK-LABEL: func @few_results
// CHECK:         krnl.kernel "negatives" {{.+}} outs(%{{.+}} : tensor<32x?x?xf32>)
// CHECK:         krnl.kernel "few" {{.+}} ins(%{{.+}}, %{{.+}} : tensor<32x?x?xf32>, tensor<3x32x3x3xf32>)
// CHECK-LABEL: func @many_results
// CHECK:         krnl.kernel "negatives" {{.+}} outs(%{{.+}} : tensor<?x?x32xf32>)
// CHECK:         krnl.kernel "many" {{.+}} ins(%{{.+}}, %{{.+}} : tensor<?x?x32xf32>, tensor<8x32x3x3xf32>)
func.func @few_results(%x: tensor<32x?x?xf32>, %h: index, %v: index, %g: index, %u: index) -> tensor<3x?x?xf32> {
  %w = krnl.constant dense<1.0> : tensor<3x32x3x3xf32>
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %e0 = tensor.empty(%h, %v) : tensor<32x?x?xf32>
  %b_size = tensor.dim %x, %c1 : tensor<32x?x?xf32>
  %c_size = tensor.dim %x, %c2 : tensor<32x?x?xf32>
  %0 = krnl.kernel "negatives" loops [a = 32, b = %b_size, c = %c_size] ins(%x : tensor<32x?x?xf32>) outs(%e0 : tensor<32x?x?xf32>) {
  ^bb0(%p: tensor<32x?x?xf32>, %o: tensor<32x?x?xf32>, %b_extent: index, %c_extent: index):
    %r = krnl.compute [a, b, c] (%s = %p[a, b, c]) -> (%q = %o[a, b, c])
        : (tensor<32x?x?xf32>) -> tensor<32x?x?xf32> {
      %m = arith.negf %s : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<32x?x?xf32>
  } -> tensor<32x?x?xf32>
  %e1 = tensor.empty(%g, %u) : tensor<3x?x?xf32>
  %1 = krnl.kernel "few" loops [n = 3, h = %g, w = %u, c = 32, kh = 3, kw = 3]
      ins(%0, %w : tensor<32x?x?xf32>, tensor<3x32x3x3xf32>) outs(%e1 : tensor<3x?x?xf32>) {
  ^bb0(%p: tensor<32x?x?xf32>, %q: tensor<3x32x3x3xf32>, %o: tensor<3x?x?xf32>, %h_extent: index, %w_extent: index):
    %c = krnl.compute [n, h, w | c, kh, kw] (%s = %p[c, h + kh, w + kw], %t = %q[n, c, kh, kw]) -> (%z = %o[n, h, w])
        : (tensor<32x?x?xf32>, tensor<3x32x3x3xf32>) -> tensor<3x?x?xf32> {
      %m = arith.mulf %s, %t : f32
      %a = arith.addf %z, %m : f32
      linalg.yield %a : f32
    }
    krnl.yield %c : tensor<3x?x?xf32>
  } -> tensor<3x?x?xf32>
  return %1 : tensor<3x?x?xf32>
}

func.func @many_results(%x: tensor<32x?x?xf32>, %h: index, %v: index, %g: index, %u: index) -> tensor<8x?x?xf32> {
  %w = krnl.constant dense<1.0> : tensor<8x32x3x3xf32>
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %e0 = tensor.empty(%h, %v) : tensor<32x?x?xf32>
  %b_size = tensor.dim %x, %c1 : tensor<32x?x?xf32>
  %c_size = tensor.dim %x, %c2 : tensor<32x?x?xf32>
  %0 = krnl.kernel "negatives" loops [a = 32, b = %b_size, c = %c_size] ins(%x : tensor<32x?x?xf32>) outs(%e0 : tensor<32x?x?xf32>) {
  ^bb0(%p: tensor<32x?x?xf32>, %o: tensor<32x?x?xf32>, %b_extent: index, %c_extent: index):
    %r = krnl.compute [a, b, c] (%s = %p[a, b, c]) -> (%q = %o[a, b, c])
        : (tensor<32x?x?xf32>) -> tensor<32x?x?xf32> {
      %m = arith.negf %s : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<32x?x?xf32>
  } -> tensor<32x?x?xf32>
  %e1 = tensor.empty(%g, %u) : tensor<8x?x?xf32>
  %1 = krnl.kernel "many" loops [n = 8, h = %g, w = %u, c = 32, kh = 3, kw = 3]
      ins(%0, %w : tensor<32x?x?xf32>, tensor<8x32x3x3xf32>) outs(%e1 : tensor<8x?x?xf32>) {
  ^bb0(%p: tensor<32x?x?xf32>, %q: tensor<8x32x3x3xf32>, %o: tensor<8x?x?xf32>, %h_extent: index, %w_extent: index):
    %c = krnl.compute [n, h, w | c, kh, kw] (%s = %p[c, h + kh, w + kw], %t = %q[n, c, kh, kw]) -> (%z = %o[n, h, w])
        : (tensor<32x?x?xf32>, tensor<8x32x3x3xf32>) -> tensor<8x?x?xf32> {
      %m = arith.mulf %s, %t : f32
      %a = arith.addf %z, %m : f32
      linalg.yield %a : f32
    }
    krnl.yield %c : tensor<8x?x?xf32>
  } -> tensor<8x?x?xf32>
  return %1 : tensor<8x?x?xf32>
}

// The lanes of a window that moves by two are not adjacent: where each element is
// read at many positions the operand has its channels last, though the result has
// them first.
// CHECK-LABEL: func @window_of_steps
// CHECK:         krnl.kernel "pad" {{.+}} outs(%{{.+}} : tensor<131x131x32xf32>)
// CHECK:         krnl.kernel "window" {{.+}} outs(%{{.+}} : tensor<32x64x64xf32>)
func.func @window_of_steps(%x: tensor<32x131x131xf32>) -> tensor<32x64x64xf32> {
  %w = krnl.constant dense<1.0> : tensor<32x5x5xf32>
  %e0 = tensor.empty() : tensor<32x131x131xf32>
  %0 = krnl.kernel "pad" loops [a = 32, b = 131, c = 131] ins(%x : tensor<32x131x131xf32>) outs(%e0 : tensor<32x131x131xf32>) {
  ^bb0(%p: tensor<32x131x131xf32>, %o: tensor<32x131x131xf32>):
    %r = krnl.compute [a, b, c] (%s = %p[a, b, c]) -> (%q = %o[a, b, c])
        : (tensor<32x131x131xf32>) -> tensor<32x131x131xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<32x131x131xf32>
  } -> tensor<32x131x131xf32>
  %e1 = tensor.empty() : tensor<32x64x64xf32>
  %1 = krnl.kernel "window" loops [c = 32, h = 64, w = 64, kh = 5, kw = 5]
      ins(%0, %w : tensor<32x131x131xf32>, tensor<32x5x5xf32>) outs(%e1 : tensor<32x64x64xf32>) {
  ^bb0(%p: tensor<32x131x131xf32>, %q: tensor<32x5x5xf32>, %o: tensor<32x64x64xf32>):
    %c = krnl.compute [c, h, w | kh, kw] (%s = %p[c, h * 2 + kh, w * 2 + kw], %t = %q[c, kh, kw]) -> (%z = %o[c, h, w])
        : (tensor<32x131x131xf32>, tensor<32x5x5xf32>) -> tensor<32x64x64xf32> {
      %m = arith.mulf %s, %t : f32
      %a = arith.addf %z, %m : f32
      linalg.yield %a : f32
    }
    krnl.yield %c : tensor<32x64x64xf32>
  } -> tensor<32x64x64xf32>
  return %1 : tensor<32x64x64xf32>
}

// Sums are not transposed where fewer results than the side of a square are contiguous:
// the operand keeps its order.
// CHECK-LABEL: func @short_window_of_steps
// CHECK:         krnl.kernel "pad" {{.+}} outs(%{{.+}} : tensor<32x131x9xf32>)
// CHECK:         krnl.kernel "window" {{.+}} outs(%{{.+}} : tensor<32x64x3xf32>)
func.func @short_window_of_steps(%x: tensor<32x131x9xf32>) -> tensor<32x64x3xf32> {
  %w = krnl.constant dense<1.0> : tensor<32x5x5xf32>
  %e0 = tensor.empty() : tensor<32x131x9xf32>
  %0 = krnl.kernel "pad" loops [a = 32, b = 131, c = 9] ins(%x : tensor<32x131x9xf32>) outs(%e0 : tensor<32x131x9xf32>) {
  ^bb0(%p: tensor<32x131x9xf32>, %o: tensor<32x131x9xf32>):
    %r = krnl.compute [a, b, c] (%s = %p[a, b, c]) -> (%q = %o[a, b, c])
        : (tensor<32x131x9xf32>) -> tensor<32x131x9xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<32x131x9xf32>
  } -> tensor<32x131x9xf32>
  %e1 = tensor.empty() : tensor<32x64x3xf32>
  %1 = krnl.kernel "window" loops [c = 32, h = 64, w = 3, kh = 5, kw = 5]
      ins(%0, %w : tensor<32x131x9xf32>, tensor<32x5x5xf32>) outs(%e1 : tensor<32x64x3xf32>) {
  ^bb0(%p: tensor<32x131x9xf32>, %q: tensor<32x5x5xf32>, %o: tensor<32x64x3xf32>):
    %c = krnl.compute [c, h, w | kh, kw] (%s = %p[c, h * 2 + kh, w * 2 + kw], %t = %q[c, kh, kw]) -> (%z = %o[c, h, w])
        : (tensor<32x131x9xf32>, tensor<32x5x5xf32>) -> tensor<32x64x3xf32> {
      %m = arith.mulf %s, %t : f32
      %a = arith.addf %z, %m : f32
      linalg.yield %a : f32
    }
    krnl.yield %c : tensor<32x64x3xf32>
  } -> tensor<32x64x3xf32>
  return %1 : tensor<32x64x3xf32>
}

// CHECK-LABEL: func @pool_of_steps
// CHECK:         krnl.kernel "pad" {{.+}} outs(%{{.+}} : tensor<131x11x32xf32>)
// CHECK:         krnl.kernel "window" {{.+}} outs(%{{.+}} : tensor<32x64x4xf32>)
func.func @pool_of_steps(%x: tensor<32x131x11xf32>) -> tensor<32x64x4xf32> {
  %e0 = tensor.empty() : tensor<32x131x11xf32>
  %0 = krnl.kernel "pad" loops [a = 32, b = 131, c = 11] ins(%x : tensor<32x131x11xf32>) outs(%e0 : tensor<32x131x11xf32>) {
  ^bb0(%p: tensor<32x131x11xf32>, %o: tensor<32x131x11xf32>):
    %r = krnl.compute [a, b, c] (%s = %p[a, b, c]) -> (%q = %o[a, b, c])
        : (tensor<32x131x11xf32>) -> tensor<32x131x11xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<32x131x11xf32>
  } -> tensor<32x131x11xf32>
  %e1 = tensor.empty() : tensor<32x64x4xf32>
  %1 = krnl.kernel "window" loops [c = 32, h = 64, w = 4, kh = 5, kw = 5]
      ins(%0 : tensor<32x131x11xf32>) outs(%e1 : tensor<32x64x4xf32>) {
  ^bb0(%p: tensor<32x131x11xf32>, %o: tensor<32x64x4xf32>):
    %c = krnl.compute [c, h, w | kh, kw] (%s = %p[c, h * 2 + kh, w * 2 + kw]) -> (%z = %o[c, h, w])
        : (tensor<32x131x11xf32>) -> tensor<32x64x4xf32> {
      %m = arith.maximumf %z, %s : f32
      linalg.yield %m : f32
    }
    krnl.yield %c : tensor<32x64x4xf32>
  } -> tensor<32x64x4xf32>
  return %1 : tensor<32x64x4xf32>
}

// CHECK-LABEL: func @short_pool_of_steps
// CHECK:         krnl.kernel "pad" {{.+}} outs(%{{.+}} : tensor<32x131x9xf32>)
// CHECK:         krnl.kernel "window" {{.+}} outs(%{{.+}} : tensor<32x64x3xf32>)
func.func @short_pool_of_steps(%x: tensor<32x131x9xf32>) -> tensor<32x64x3xf32> {
  %e0 = tensor.empty() : tensor<32x131x9xf32>
  %0 = krnl.kernel "pad" loops [a = 32, b = 131, c = 9] ins(%x : tensor<32x131x9xf32>) outs(%e0 : tensor<32x131x9xf32>) {
  ^bb0(%p: tensor<32x131x9xf32>, %o: tensor<32x131x9xf32>):
    %r = krnl.compute [a, b, c] (%s = %p[a, b, c]) -> (%q = %o[a, b, c])
        : (tensor<32x131x9xf32>) -> tensor<32x131x9xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<32x131x9xf32>
  } -> tensor<32x131x9xf32>
  %e1 = tensor.empty() : tensor<32x64x3xf32>
  %1 = krnl.kernel "window" loops [c = 32, h = 64, w = 3, kh = 5, kw = 5]
      ins(%0 : tensor<32x131x9xf32>) outs(%e1 : tensor<32x64x3xf32>) {
  ^bb0(%p: tensor<32x131x9xf32>, %o: tensor<32x64x3xf32>):
    %c = krnl.compute [c, h, w | kh, kw] (%s = %p[c, h * 2 + kh, w * 2 + kw]) -> (%z = %o[c, h, w])
        : (tensor<32x131x9xf32>) -> tensor<32x64x3xf32> {
      %m = arith.maximumf %z, %s : f32
      linalg.yield %m : f32
    }
    krnl.yield %c : tensor<32x64x3xf32>
  } -> tensor<32x64x3xf32>
  return %1 : tensor<32x64x3xf32>
}

// Of few positions it keeps the order of the border.
// CHECK-LABEL: func @small_window_of_steps
// CHECK:         krnl.kernel "pad" {{.+}} outs(%{{.+}} : tensor<32x129x129xf32>)
// CHECK:         krnl.kernel "window" {{.+}} outs(%{{.+}} : tensor<32x64x64xf32>)
func.func @small_window_of_steps(%x: tensor<32x129x129xf32>) -> tensor<32x64x64xf32> {
  %w = krnl.constant dense<1.0> : tensor<32x3x3xf32>
  %e0 = tensor.empty() : tensor<32x129x129xf32>
  %0 = krnl.kernel "pad" loops [a = 32, b = 129, c = 129] ins(%x : tensor<32x129x129xf32>) outs(%e0 : tensor<32x129x129xf32>) {
  ^bb0(%p: tensor<32x129x129xf32>, %o: tensor<32x129x129xf32>):
    %r = krnl.compute [a, b, c] (%s = %p[a, b, c]) -> (%q = %o[a, b, c])
        : (tensor<32x129x129xf32>) -> tensor<32x129x129xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<32x129x129xf32>
  } -> tensor<32x129x129xf32>
  %e1 = tensor.empty() : tensor<32x64x64xf32>
  %1 = krnl.kernel "window" loops [c = 32, h = 64, w = 64, kh = 3, kw = 3]
      ins(%0, %w : tensor<32x129x129xf32>, tensor<32x3x3xf32>) outs(%e1 : tensor<32x64x64xf32>) {
  ^bb0(%p: tensor<32x129x129xf32>, %q: tensor<32x3x3xf32>, %o: tensor<32x64x64xf32>):
    %c = krnl.compute [c, h, w | kh, kw] (%s = %p[c, h * 2 + kh, w * 2 + kw], %t = %q[c, kh, kw]) -> (%z = %o[c, h, w])
        : (tensor<32x129x129xf32>, tensor<32x3x3xf32>) -> tensor<32x64x64xf32> {
      %m = arith.mulf %s, %t : f32
      %a = arith.addf %z, %m : f32
      linalg.yield %a : f32
    }
    krnl.yield %c : tensor<32x64x64xf32>
  } -> tensor<32x64x64xf32>
  return %1 : tensor<32x64x64xf32>
}

// So it does where lanes are adjacent.
// CHECK-LABEL: func @window_of_adjacent_lanes
// CHECK:         krnl.kernel "pad" {{.+}} outs(%{{.+}} : tensor<32x68x68xf32>)
// CHECK:         krnl.kernel "window" {{.+}} outs(%{{.+}} : tensor<32x64x64xf32>)
func.func @window_of_adjacent_lanes(%x: tensor<32x68x68xf32>) -> tensor<32x64x64xf32> {
  %w = krnl.constant dense<1.0> : tensor<32x5x5xf32>
  %e0 = tensor.empty() : tensor<32x68x68xf32>
  %0 = krnl.kernel "pad" loops [a = 32, b = 68, c = 68] ins(%x : tensor<32x68x68xf32>) outs(%e0 : tensor<32x68x68xf32>) {
  ^bb0(%p: tensor<32x68x68xf32>, %o: tensor<32x68x68xf32>):
    %r = krnl.compute [a, b, c] (%s = %p[a, b, c]) -> (%q = %o[a, b, c])
        : (tensor<32x68x68xf32>) -> tensor<32x68x68xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<32x68x68xf32>
  } -> tensor<32x68x68xf32>
  %e1 = tensor.empty() : tensor<32x64x64xf32>
  %1 = krnl.kernel "window" loops [c = 32, h = 64, w = 64, kh = 5, kw = 5]
      ins(%0, %w : tensor<32x68x68xf32>, tensor<32x5x5xf32>) outs(%e1 : tensor<32x64x64xf32>) {
  ^bb0(%p: tensor<32x68x68xf32>, %q: tensor<32x5x5xf32>, %o: tensor<32x64x64xf32>):
    %c = krnl.compute [c, h, w | kh, kw] (%s = %p[c, h * 1 + kh, w * 1 + kw], %t = %q[c, kh, kw]) -> (%z = %o[c, h, w])
        : (tensor<32x68x68xf32>, tensor<32x5x5xf32>) -> tensor<32x64x64xf32> {
      %m = arith.mulf %s, %t : f32
      %a = arith.addf %z, %m : f32
      linalg.yield %a : f32
    }
    krnl.yield %c : tensor<32x64x64xf32>
  } -> tensor<32x64x64xf32>
  return %1 : tensor<32x64x64xf32>
}
