// RUN: onnx-opt %s -split-input-file --krnl-fold-masks | FileCheck %s
//
// What follows from indices is computed where it is read.

// A constant: hidden after the next column.
// CHECK-LABEL: func @constant(
// CHECK-SAME:      %[[S:[^:]+]]: tensor<2x3x4xf32>
// CHECK:         krnl.kernel "add" {{.+}} ins(%[[S]] : tensor<2x3x4xf32>)
// CHECK:           krnl.compute [b, m, n] (%[[A:arg[0-9]+]] = %{{[a-z0-9]+}}[b, m, n])
// CHECK:             %[[ROW:.+]] = krnl.index m
// CHECK:             %[[ONE:.+]] = arith.constant 1 : index
// CHECK:             %[[END:.+]] = arith.addi %[[ROW]], %[[ONE]] : index
// CHECK:             %[[COLUMN:.+]] = krnl.index n
// CHECK:             %[[HIDDEN:.+]] = arith.cmpi sgt, %[[COLUMN]], %[[END]] : index
// CHECK:             %[[AFTER:.+]] = arith.constant 0xFF800000 : f32
// CHECK:             %[[BEFORE:.+]] = arith.constant 0.000000e+00 : f32
// CHECK:             %[[MASK:.+]] = arith.select %[[HIDDEN]], %[[AFTER]], %[[BEFORE]] : f32
// CHECK:             arith.addf %[[A]], %[[MASK]] : f32
func.func @constant(%s: tensor<2x3x4xf32>, %o: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %m = krnl.constant dense<[[0.0, 0.0, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0xFF800000], [0.0, 0.0, 0.0, 0.0]]> : tensor<3x4xf32>
  %y = krnl.kernel "add" loops [b = 2, m = 3, n = 4] ins(%s, %m : tensor<2x3x4xf32>, tensor<3x4xf32>) outs(%o : tensor<2x3x4xf32>) {
  ^bb0(%x: tensor<2x3x4xf32>, %w: tensor<3x4xf32>, %c: tensor<2x3x4xf32>):
    %r = krnl.compute [b, m, n] (%a = %x[b, m, n], %b = %w[m, n]) -> (%_ = %c[b, m, n]) : (tensor<2x3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32> {
      %p = arith.addf %a, %b : f32
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<2x3x4xf32>
  } -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// -----

// Bytes are conditions.
// CHECK-LABEL: func @bytes(
// CHECK:         krnl.compute
// CHECK:           arith.cmpi sle, %{{.+}}, %{{.+}} : index
// CHECK:           arith.select %{{.+}}, %{{.+}}, %{{.+}} : f32
// CHECK:         krnl.yield
func.func @bytes(%s: tensor<2x2xf32>, %o: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %m = krnl.constant dense<[[1, 0], [1, 1]]> : tensor<2x2xi8>
  %y = krnl.kernel "where" loops [m = 2, n = 2] ins(%s, %m : tensor<2x2xf32>, tensor<2x2xi8>) outs(%o : tensor<2x2xf32>) {
  ^bb0(%x: tensor<2x2xf32>, %w: tensor<2x2xi8>, %c: tensor<2x2xf32>):
    %none = arith.constant 0xFF800000 : f32
    %r = krnl.compute [m, n] (%a = %x[m, n], %b = %w[m, n]) -> (%_ = %c[m, n]) : (tensor<2x2xf32>, tensor<2x2xi8>) -> tensor<2x2xf32> {
      %zero = arith.constant 0 : i8
      %seen = arith.cmpi ne, %b, %zero : i8
      %p = arith.select %seen, %a, %none : f32
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<2x2xf32>
  } -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// -----

// Kernels that compare numbers which grow evenly: those of a Range, some of which were before, and constants.
// CHECK-LABEL: func @computed(
// CHECK:         krnl.kernel "add" {{.+}} ins(%{{[^,]+}} : tensor<?x9xf32>)
// CHECK:           arith.constant 5 : index
// CHECK:           arith.cmpi sgt
// CHECK:           arith.constant -1.000000e+00 : f32
// CHECK:           arith.constant 2.000000e+00 : f32
// CHECK:           arith.select
func.func @computed(%n: index, %s: tensor<?x9xf32>, %o: tensor<?x9xf32>) -> tensor<?x9xf32> {
  %e = tensor.empty(%n) : tensor<?xi64>
  %range = krnl.kernel "range" loops [i = %n] outs(%e : tensor<?xi64>) {
  ^bb0(%c: tensor<?xi64>, %size: index):
    %r = krnl.compute [i] () -> (%_ = %c[i]) : () -> tensor<?xi64> {
      %i = krnl.index i
      %j = arith.index_cast %i : index to i64
      %five = arith.constant 5 : i64
      %k = arith.addi %j, %five : i64
      linalg.yield %k : i64
    }
    krnl.yield %r : tensor<?xi64>
  } -> tensor<?xi64>
  %rows = tensor.expand_shape %range [[0, 1]] output_shape [%n, 1] : tensor<?xi64> into tensor<?x1xi64>
  %columns = krnl.constant dense<[[0, 1, 2, 3, 4, 5, 6, 7, 8]]> : tensor<1x9xi64>
  %f = tensor.empty(%n) : tensor<?x9xf32>
  %mask = krnl.kernel "mask" loops [m = %n, n = 9] ins(%rows, %columns : tensor<?x1xi64>, tensor<1x9xi64>) outs(%f : tensor<?x9xf32>) {
  ^bb0(%x: tensor<?x1xi64>, %w: tensor<1x9xi64>, %c: tensor<?x9xf32>, %size: index):
    %r = krnl.compute [m, n] (%a = %x[m, 0], %b = %w[0, n]) -> (%_ = %c[m, n]) : (tensor<?x1xi64>, tensor<1x9xi64>) -> tensor<?x9xf32> {
      %hidden = arith.cmpi slt, %a, %b : i64
      %byte = arith.extui %hidden : i1 to i8
      %zero = arith.constant 0 : i8
      %is = arith.cmpi ne, %byte, %zero : i8
      %one = arith.constant 1.0 : f32
      %minus = arith.constant -2.0 : f32
      %p = arith.select %is, %minus, %one : f32
      %q = arith.addf %p, %one : f32
      linalg.yield %q : f32
    }
    krnl.yield %r : tensor<?x9xf32>
  } -> tensor<?x9xf32>
  %y = krnl.kernel "add" loops [m = %n, n = 9] ins(%s, %mask : tensor<?x9xf32>, tensor<?x9xf32>) outs(%o : tensor<?x9xf32>) {
  ^bb0(%x: tensor<?x9xf32>, %w: tensor<?x9xf32>, %c: tensor<?x9xf32>, %size: index):
    %r = krnl.compute [m, n] (%a = %x[m, n], %b = %w[m, n]) -> (%_ = %c[m, n]) : (tensor<?x9xf32>, tensor<?x9xf32>) -> tensor<?x9xf32> {
      %p = arith.addf %a, %b : f32
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<?x9xf32>
  } -> tensor<?x9xf32>
  return %y : tensor<?x9xf32>
}

// -----

// Scores of which a softmax has the maxima are selected, in their type.
// CHECK-LABEL: func @scores(
// CHECK:           krnl.compute [m, n] (%[[A:arg[0-9]+]] = %{{[a-z0-9]+}}[m, n])
// CHECK:             %[[HIDDEN:.+]] = arith.cmpi sgt,
// CHECK-NOT:         arith.{{ext|trunc|add}}f
// CHECK:             %[[AFTER:.+]] = arith.constant 0xFC00 : f16
// CHECK:             %[[HIDDEN_OR:.+]] = arith.select %[[HIDDEN]], %[[AFTER]], %[[A]] : f16
// CHECK-NEXT:        linalg.yield %[[HIDDEN_OR]] : f16
//
// Where another op than those of the kernel reads them, NaN stays NaN.
// CHECK-LABEL: func @scores_and_maxima(
// CHECK:             arith.addf
func.func @scores(%s: tensor<3x4xf16>, %p: tensor<3xf16>) -> tensor<3xf16> {
  %m = krnl.constant dense<[[0.0, 0.0, 0xFC00, 0xFC00], [0.0, 0.0, 0.0, 0xFC00], [0.0, 0.0, 0.0, 0.0]]> : tensor<3x4xf16>
  %y = krnl.kernel "add" loops [m = 3, n = 4] ins(%s, %m : tensor<3x4xf16>, tensor<3x4xf16>) outs(%p : tensor<3xf16>) {
  ^bb0(%x: tensor<3x4xf16>, %w: tensor<3x4xf16>, %d: tensor<3xf16>):
    %c = krnl.temporary : tensor<3x4xf16>
    %r = krnl.compute [m, n] (%a = %x[m, n], %b = %w[m, n]) -> (%_ = %c[m, n]) : (tensor<3x4xf16>, tensor<3x4xf16>) -> tensor<3x4xf16> {
      %0 = arith.extf %a : f16 to f32
      %1 = arith.extf %b : f16 to f32
      %2 = arith.addf %0, %1 : f32
      %3 = arith.truncf %2 : f32 to f16
      linalg.yield %3 : f16
    }
    %t = krnl.compute [m | n] (%a = %r[m, n]) -> (%b = %d[m]) : (tensor<3x4xf16>) -> tensor<3xf16> {
      %0 = arith.maximumf %a, %b : f16
      linalg.yield %0 : f16
    }
    krnl.yield %t : tensor<3xf16>
  } -> tensor<3xf16>
  return %y : tensor<3xf16>
}
func.func @scores_and_maxima(%s: tensor<3x4xf16>, %o: tensor<3x4xf16>, %p: tensor<3xf16>) -> (tensor<3x4xf16>, tensor<3xf16>) {
  %m = krnl.constant dense<[[0.0, 0.0, 0xFC00, 0xFC00], [0.0, 0.0, 0.0, 0xFC00], [0.0, 0.0, 0.0, 0.0]]> : tensor<3x4xf16>
  %y:2 = krnl.kernel "add" loops [m = 3, n = 4] ins(%s, %m : tensor<3x4xf16>, tensor<3x4xf16>) outs(%o, %p : tensor<3x4xf16>, tensor<3xf16>) {
  ^bb0(%x: tensor<3x4xf16>, %w: tensor<3x4xf16>, %c: tensor<3x4xf16>, %d: tensor<3xf16>):
    %r = krnl.compute [m, n] (%a = %x[m, n], %b = %w[m, n]) -> (%_ = %c[m, n]) : (tensor<3x4xf16>, tensor<3x4xf16>) -> tensor<3x4xf16> {
      %0 = arith.extf %a : f16 to f32
      %1 = arith.extf %b : f16 to f32
      %2 = arith.addf %0, %1 : f32
      %3 = arith.truncf %2 : f32 to f16
      linalg.yield %3 : f16
    }
    %t = krnl.compute [m | n] (%a = %r[m, n]) -> (%b = %d[m]) : (tensor<3x4xf16>) -> tensor<3xf16> {
      %0 = arith.maximumf %a, %b : f16
      linalg.yield %0 : f16
    }
    krnl.yield %r, %t : tensor<3x4xf16>, tensor<3xf16>
  } -> tensor<3x4xf16>, tensor<3xf16>
  return %y#0, %y#1 : tensor<3x4xf16>, tensor<3xf16>
}

// -----

// No diagonal: the last row sees less.
// CHECK-LABEL: func @other(
// CHECK:         krnl.constant
// CHECK:         krnl.kernel "add" {{.+}} ins(%{{.+}}, %{{.+}} :
func.func @other(%s: tensor<3x2xf32>, %o: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %m = krnl.constant dense<[[0.0, 1.0], [0.0, 0.0], [0.0, 1.0]]> : tensor<3x2xf32>
  %y = krnl.kernel "add" loops [m = 3, n = 2] ins(%s, %m : tensor<3x2xf32>, tensor<3x2xf32>) outs(%o : tensor<3x2xf32>) {
  ^bb0(%x: tensor<3x2xf32>, %w: tensor<3x2xf32>, %c: tensor<3x2xf32>):
    %r = krnl.compute [m, n] (%a = %x[m, n], %b = %w[m, n]) -> (%_ = %c[m, n]) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32> {
      %p = arith.addf %a, %b : f32
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<3x2xf32>
  } -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// -----

// A factor of a product is data: the sums of prefixes stay a product.
// CHECK-LABEL: func @factor(
// CHECK:         krnl.constant
// CHECK:         krnl.kernel "product" {{.+}} ins(%{{.+}}, %{{.+}} :
func.func @factor(%s: tensor<2x4xf32>, %o: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %m = krnl.constant dense<[[1.0, 0.0], [1.0, 1.0]]> : tensor<2x2xf32>
  %y = krnl.kernel "product" loops [m = 2, n = 4, k = 2] ins(%m, %s : tensor<2x2xf32>, tensor<2x4xf32>) outs(%o : tensor<2x4xf32>) {
  ^bb0(%x: tensor<2x2xf32>, %w: tensor<2x4xf32>, %c: tensor<2x4xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<2x4xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [m, n | k] (%a = %x[m, k], %b = %w[k, n]) -> (%d = %0[m, n]) : (tensor<2x2xf32>, tensor<2x4xf32>) -> tensor<2x4xf32> {
      %p = arith.mulf %a, %b : f32
      %t = arith.addf %d, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %r : tensor<2x4xf32>
  } -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// Sums of bytes wrap: 104 + 24 is -128, so that the mask is not a diagonal.
// CHECK-LABEL: func @bytes_that_wrap(
// CHECK:         krnl.kernel "add" {{.+}} ins(%{{.+}} : tensor<8x8xf32>)
func.func @bytes_that_wrap() -> tensor<8x8xf32> {
  %rows = krnl.constant dense<[[100],[101],[102],[103],[104],[105],[106],[107]]> : tensor<8x1xi8>
  %columns = krnl.constant dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi8>
  %f = tensor.empty() : tensor<8x8xf32>
  %mask = krnl.kernel "mask" loops [m = 8, n = 8] ins(%rows, %columns : tensor<8x1xi8>, tensor<1x8xi8>) outs(%f : tensor<8x8xf32>) {
  ^bb0(%x: tensor<8x1xi8>, %w: tensor<1x8xi8>, %c: tensor<8x8xf32>):
    %r = krnl.compute [m, n] (%a = %x[m, 0], %b = %w[0, n]) -> (%_ = %c[m, n]) : (tensor<8x1xi8>, tensor<1x8xi8>) -> tensor<8x8xf32> {
      %k = arith.constant 24 : i8
      %a2 = arith.addi %a, %k : i8
      %hidden = arith.cmpi slt, %a2, %b : i8
      %one = arith.constant 1.0 : f32
      %minus = arith.constant -2.0 : f32
      %p = arith.select %hidden, %minus, %one : f32
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<8x8xf32>
  } -> tensor<8x8xf32>
  %e = tensor.empty() : tensor<8x8xf32>
  %y = krnl.kernel "add" loops [m = 8, n = 8] ins(%mask : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%w: tensor<8x8xf32>, %c: tensor<8x8xf32>):
    %r = krnl.compute [m, n] (%b = %w[m, n]) -> (%_ = %c[m, n]) : (tensor<8x8xf32>) -> tensor<8x8xf32> {
      %p = arith.addf %b, %b : f32
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<8x8xf32>
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// -----

// The number of a row is that after as many as a cache has, a size that the reader gets as an input.
// CHECK-LABEL: func @cache(
// CHECK:         %[[P:.+]] = tensor.dim
// CHECK:         krnl.kernel "add" {{.+}} ins(%{{[^,]+}}, %[[P]] : tensor<?x9xf32>, index)
// CHECK:         ^bb0(%{{[^,]+}}: tensor<?x9xf32>, %[[PAST:[^,]+]]: index
// CHECK:           %[[ROW:.+]] = krnl.index m
// CHECK-NEXT:      %[[END:.+]] = arith.addi %[[ROW]], %[[PAST]] : index
// CHECK-NEXT:      %[[COLUMN:.+]] = krnl.index n
// CHECK-NEXT:      arith.cmpi sgt, %[[COLUMN]], %[[END]] : index
func.func @cache(%n: index, %past: tensor<?x4xf32>, %s: tensor<?x9xf32>, %o: tensor<?x9xf32>) -> tensor<?x9xf32> {
  %c0 = arith.constant 0 : index
  %p = tensor.dim %past, %c0 : tensor<?x4xf32>
  %number = arith.index_cast %p : index to i64
  %size = tensor.from_elements %number : tensor<1xi64>
  %e = tensor.empty(%n) : tensor<?xi64>
  %rows = krnl.kernel "rows" loops [i = %n] ins(%size : tensor<1xi64>) outs(%e : tensor<?xi64>) {
  ^bb0(%z: tensor<1xi64>, %c: tensor<?xi64>, %extent: index):
    %r = krnl.compute [i] (%first = %z[0]) -> (%_ = %c[i]) : (tensor<1xi64>) -> tensor<?xi64> {
      %i = krnl.index i
      %j = arith.index_cast %i : index to i64
      %k = arith.addi %j, %first : i64
      linalg.yield %k : i64
    }
    krnl.yield %r : tensor<?xi64>
  } -> tensor<?xi64>
  %columns = krnl.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8]> : tensor<9xi64>
  %f = tensor.empty(%n) : tensor<?x9xf32>
  %mask = krnl.kernel "mask" loops [m = %n, n = 9] ins(%rows, %columns : tensor<?xi64>, tensor<9xi64>) outs(%f : tensor<?x9xf32>) {
  ^bb0(%x: tensor<?xi64>, %w: tensor<9xi64>, %c: tensor<?x9xf32>, %extent: index):
    %r = krnl.compute [m, n] (%a = %x[m], %b = %w[n]) -> (%_ = %c[m, n]) : (tensor<?xi64>, tensor<9xi64>) -> tensor<?x9xf32> {
      %hidden = arith.cmpi slt, %a, %b : i64
      %none = arith.constant 0xFF800000 : f32
      %seen = arith.constant 0.0 : f32
      %q = arith.select %hidden, %none, %seen : f32
      linalg.yield %q : f32
    }
    krnl.yield %r : tensor<?x9xf32>
  } -> tensor<?x9xf32>
  %y = krnl.kernel "add" loops [m = %n, n = 9] ins(%s, %mask : tensor<?x9xf32>, tensor<?x9xf32>) outs(%o : tensor<?x9xf32>) {
  ^bb0(%x: tensor<?x9xf32>, %w: tensor<?x9xf32>, %c: tensor<?x9xf32>, %extent: index):
    %r = krnl.compute [m, n] (%a = %x[m, n], %b = %w[m, n]) -> (%_ = %c[m, n]) : (tensor<?x9xf32>, tensor<?x9xf32>) -> tensor<?x9xf32> {
      %q = arith.addf %a, %b : f32
      linalg.yield %q : f32
    }
    krnl.yield %r : tensor<?x9xf32>
  } -> tensor<?x9xf32>
  return %y : tensor<?x9xf32>
}

// -----

// The mask of one row compares columns with a number alone.
// CHECK-LABEL: func @one_row(
// CHECK:         krnl.kernel "add" loops [n = 9] ins(%{{[^,]+}} : tensor<9xf32>)
// CHECK:           %[[LAST:.+]] = arith.constant 3 : index
// CHECK-NEXT:      %[[COLUMN:.+]] = krnl.index n
// CHECK-NEXT:      arith.cmpi sgt, %[[COLUMN]], %[[LAST]] : index
func.func @one_row(%s: tensor<9xf32>, %o: tensor<9xf32>) -> tensor<9xf32> {
  %f = tensor.empty() : tensor<1x9xf32>
  %mask = krnl.kernel "mask" loops [n = 9] outs(%f : tensor<1x9xf32>) {
  ^bb0(%c: tensor<1x9xf32>):
    %r = krnl.compute [n] () -> (%_ = %c[0, n]) : () -> tensor<1x9xf32> {
      %i = krnl.index n
      %three = arith.constant 3 : index
      %hidden = arith.cmpi slt, %three, %i : index
      %none = arith.constant 0xFF800000 : f32
      %seen = arith.constant 0.0 : f32
      %q = arith.select %hidden, %none, %seen : f32
      linalg.yield %q : f32
    }
    krnl.yield %r : tensor<1x9xf32>
  } -> tensor<1x9xf32>
  %y = krnl.kernel "add" loops [n = 9] ins(%s, %mask : tensor<9xf32>, tensor<1x9xf32>) outs(%o : tensor<9xf32>) {
  ^bb0(%x: tensor<9xf32>, %w: tensor<1x9xf32>, %c: tensor<9xf32>):
    %r = krnl.compute [n] (%a = %x[n], %b = %w[0, n]) -> (%_ = %c[n]) : (tensor<9xf32>, tensor<1x9xf32>) -> tensor<9xf32> {
      %q = arith.addf %a, %b : f32
      linalg.yield %q : f32
    }
    krnl.yield %r : tensor<9xf32>
  } -> tensor<9xf32>
  return %y : tensor<9xf32>
}

// -----

// A triangle of a fill, and views with more dimensions of one element. What is compared twice is known twice.
// CHECK-LABEL: func @triangle(
// CHECK:         krnl.kernel "add" {{.+}} ins(%{{[^,]+}} : tensor<1x2x?x?xf16>)
// CHECK:           krnl.compute [h, m, n]
// CHECK-NEXT:        %[[ROW:.+]] = krnl.index m
// CHECK-NEXT:        %[[COLUMN:.+]] = krnl.index n
// CHECK-NEXT:        arith.cmpi sgt, %[[COLUMN]], %[[ROW]] : index
// CHECK-NEXT:        arith.constant 0xFC00 : f16
// CHECK-NEXT:        arith.constant 0.000000e+00 : f16
func.func @triangle(%n: index, %s: tensor<1x2x?x?xf16>, %o: tensor<1x2x?x?xf16>) -> tensor<1x2x?x?xf16> {
  %e = tensor.empty(%n, %n) : tensor<?x?xf16>
  %fill = krnl.kernel "fill" loops [i = %n, j = %n] outs(%e : tensor<?x?xf16>) {
  ^bb0(%c: tensor<?x?xf16>, %extent: index, %other: index):
    %none = arith.constant 0xFC00 : f16
    %r = krnl.compute [i, j] () -> (%_ = %c[i, j]) : () -> tensor<?x?xf16> { linalg.yield %none : f16 }
    krnl.yield %r : tensor<?x?xf16>
  } -> tensor<?x?xf16>
  %f = tensor.empty(%n, %n) : tensor<?x?xf16>
  %mask = krnl.kernel "triangle" loops [i = %n, j = %n] ins(%fill : tensor<?x?xf16>) outs(%f : tensor<?x?xf16>) {
  ^bb0(%x: tensor<?x?xf16>, %c: tensor<?x?xf16>, %extent: index, %other: index):
    %r = krnl.compute [i, j] () -> (%_ = %c[i, j]) : () -> tensor<?x?xf16> {
      %row = krnl.index i
      %column = krnl.index j
      %one = arith.constant 1 : index
      %zero = arith.constant 0.0 : f16
      %next = arith.addi %row, %one : index
      %after = arith.cmpi sge, %column, %next : index
      %before = arith.cmpi sge, %row, %column : index
      %element = tensor.extract %x[%row, %column] : tensor<?x?xf16>
      %p = arith.select %after, %element, %zero : f16
      %q = arith.select %before, %zero, %p : f16
      linalg.yield %q : f16
    }
    krnl.yield %r : tensor<?x?xf16>
  } -> tensor<?x?xf16>
  %one = arith.constant 1 : index
  %sizes = tensor.from_elements %one, %one, %n, %n : tensor<4xindex>
  %view = tensor.reshape %mask(%sizes) : (tensor<?x?xf16>, tensor<4xindex>) -> tensor<1x1x?x?xf16>
  %y = krnl.kernel "add" loops [h = 2, m = %n, n = %n] ins(%s, %view : tensor<1x2x?x?xf16>, tensor<1x1x?x?xf16>) outs(%o : tensor<1x2x?x?xf16>) {
  ^bb0(%x: tensor<1x2x?x?xf16>, %w: tensor<1x1x?x?xf16>, %c: tensor<1x2x?x?xf16>, %extent: index, %other: index):
    %r = krnl.compute [h, m, n] (%a = %x[0, h, m, n], %b = %w[0, 0, m, n]) -> (%_ = %c[0, h, m, n]) : (tensor<1x2x?x?xf16>, tensor<1x1x?x?xf16>) -> tensor<1x2x?x?xf16> {
      %q = arith.addf %a, %b : f16
      linalg.yield %q : f16
    }
    krnl.yield %r : tensor<1x2x?x?xf16>
  } -> tensor<1x2x?x?xf16>
  return %y : tensor<1x2x?x?xf16>
}

// -----

// A row that is not before the column, in a kernel beside the numbers: columns are those of the last dimension. Where the
// number of elements of a view is all that is known, its dimensions are not those of the mask.
// CHECK-LABEL: func @rows_after(
// CHECK:         krnl.kernel "add" {{.+}} ins(%{{[^,]+}} : tensor<?x?xf32>)
// CHECK:           arith.cmpi sgt, %{{.+}}, %{{.+}} : index
// CHECK-NEXT:      arith.constant -1.000000e+00 : f32
// CHECK-NEXT:      arith.constant 0.000000e+00 : f32
// CHECK:         krnl.kernel "other" {{.+}} ins(%{{[^,]+}}, %{{[^,]+}} : tensor<?x?xf32>, tensor<?x?xf32>)
func.func @rows_after(%n: index, %a: index, %b: index, %s: tensor<?x?xf32>, %o: tensor<?x?xf32>, %p: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %e = tensor.empty(%n) : tensor<?xi64>
  %g = tensor.empty(%n) : tensor<?xi64>
  %range:2 = krnl.kernel "range" loops [i = %n] outs(%e, %g : tensor<?xi64>, tensor<?xi64>) {
  ^bb0(%c: tensor<?xi64>, %d: tensor<?xi64>, %size: index):
    %one = arith.constant 1 : i64
    %r = krnl.compute [i] () -> (%_ = %c[i]) : () -> tensor<?xi64> {
      %i = krnl.index i
      %j = arith.index_cast %i : index to i64
      linalg.yield %j : i64
    }
    %t = krnl.compute [i] (%x = %r[i]) -> (%_ = %d[i]) : (tensor<?xi64>) -> tensor<?xi64> {
      %j = arith.addi %x, %one : i64
      linalg.yield %j : i64
    }
    krnl.yield %r, %t : tensor<?xi64>, tensor<?xi64>
  } -> tensor<?xi64>, tensor<?xi64>
  %f = tensor.empty(%n, %n) : tensor<?x?xf32>
  %mask = krnl.kernel "mask" loops [m = %n, n = %n] ins(%range#1, %range#0 : tensor<?xi64>, tensor<?xi64>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%x: tensor<?xi64>, %w: tensor<?xi64>, %c: tensor<?x?xf32>, %size: index, %other: index):
    %r = krnl.compute [m, n] (%row = %x[m], %column = %w[n]) -> (%_ = %c[m, n]) : (tensor<?xi64>, tensor<?xi64>) -> tensor<?x?xf32> {
      %seen = arith.cmpi slt, %column, %row : i64
      %zero = arith.constant 0.0 : f32
      %minus = arith.constant -1.0 : f32
      %q = arith.select %seen, %zero, %minus : f32
      linalg.yield %q : f32
    }
    krnl.yield %r : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  %y = krnl.kernel "add" loops [m = %n, n = %n] ins(%s, %mask : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %c: tensor<?x?xf32>, %extent: index, %other: index):
    %r = krnl.compute [m, n] (%u = %x[m, n], %v = %w[m, n]) -> (%_ = %c[m, n]) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> {
      %q = arith.addf %u, %v : f32
      linalg.yield %q : f32
    }
    krnl.yield %r : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  %sizes = tensor.from_elements %a, %b : tensor<2xindex>
  %view = tensor.reshape %mask(%sizes) : (tensor<?x?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  %z = krnl.kernel "other" loops [m = %a, n = %b] ins(%s, %view : tensor<?x?xf32>, tensor<?x?xf32>) outs(%p : tensor<?x?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %c: tensor<?x?xf32>, %extent: index, %other: index):
    %r = krnl.compute [m, n] (%u = %x[m, n], %v = %w[m, n]) -> (%_ = %c[m, n]) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> {
      %q = arith.addf %u, %v : f32
      linalg.yield %q : f32
    }
    krnl.yield %r : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  return %y, %z : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// The diagonal of a triangle comes from the sizes of tensors, by a tensor of one number; its limits are farther away.
// CHECK-LABEL: func @after_cache(
// CHECK:         %[[P:.+]] = tensor.dim %{{.+}}, %c0
// CHECK:         krnl.kernel "add" {{.+}} ins(%{{[^,]+}}, %[[P]] : tensor<?x?xf32>, index)
// CHECK:           arith.cmpi sgt
func.func @after_cache(%n: index, %past: tensor<?x4xf32>, %s: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %past, %c0 : tensor<?x4xf32>
  %number = arith.index_cast %size : index to i64
  %tensor = tensor.from_elements %number : tensor<1xi64>
  %e = tensor.empty() : tensor<1xi64>
  %next = krnl.kernel "next" loops [] ins(%tensor : tensor<1xi64>) outs(%e : tensor<1xi64>) {
  ^bb0(%x: tensor<1xi64>, %c: tensor<1xi64>):
    %r = krnl.compute [] (%a = %x[0]) -> (%_ = %c[0]) : (tensor<1xi64>) -> tensor<1xi64> {
      %one = arith.constant 1 : i64
      %b = arith.addi %a, %one : i64
      linalg.yield %b : i64
    }
    krnl.yield %r : tensor<1xi64>
  } -> tensor<1xi64>
  %element = tensor.extract %next[%c0] : tensor<1xi64>
  %k = arith.index_cast %element : i64 to index
  %far = arith.constant 70368744177664 : index
  %near = arith.constant -70368744177664 : index
  %low = arith.minsi %k, %far : index
  %diagonal = arith.maxsi %low, %near : index
  %f = tensor.empty(%n, %n) : tensor<?x?xf32>
  %mask = krnl.kernel "mask" loops [m = %n, n = %n] ins(%diagonal : index) outs(%f : tensor<?x?xf32>) {
  ^bb0(%first: index, %c: tensor<?x?xf32>, %extent: index, %other: index):
    %r = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<?x?xf32> {
      %row = krnl.index m
      %column = krnl.index n
      %end = arith.addi %row, %first : index
      %hidden = arith.cmpi sge, %column, %end : index
      %zero = arith.constant 0.0 : f32
      %none = arith.constant 0xFF800000 : f32
      %q = arith.select %hidden, %none, %zero : f32
      linalg.yield %q : f32
    }
    krnl.yield %r : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  %y = krnl.kernel "add" loops [m = %n, n = %n] ins(%s, %mask : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %c: tensor<?x?xf32>, %extent: index, %other: index):
    %r = krnl.compute [m, n] (%u = %x[m, n], %v = %w[m, n]) -> (%_ = %c[m, n]) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> {
      %q = arith.addf %u, %v : f32
      linalg.yield %q : f32
    }
    krnl.yield %r : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
