// RUN: onnx-opt %s -split-input-file --krnl-fold-padding | FileCheck %s
// RUN: onnx-opt %s -split-input-file --krnl-fold-padding --krnl-write-recipes --krnl-lower-kernels -o /dev/null
//
// Readers of a border of one constant read what is inside of it.

module attributes {krnl.target = #krnl.target<tile_threads = 1024, cores = 108, launch_nanoseconds = 1500>} {

// The border is a kernel that copies.
// CHECK-LABEL: func @copied(
// CHECK-SAME:      %[[X:[^:]+]]: tensor<16x16x32xf32>
// CHECK-NOT:     "pad"
// CHECK:         krnl.kernel "conv" {{.+}} ins(%[[X]] : tensor<16x16x32xf32>)
// CHECK:           krnl.compute [h, w, c | r, s] (%{{.+}} = %{{.+}}[h + r - 1 in 0 to 16, w + s - 1 in 0 to 16, c])
func.func @copied(%x: tensor<16x16x32xf32>) -> tensor<16x16x32xf32> {
  %e = tensor.empty() : tensor<18x18x32xf32>
  %p = krnl.kernel "pad" loops [p = 18, q = 18, c = 32, h = 16, w = 16] ins(%x : tensor<16x16x32xf32>) outs(%e : tensor<18x18x32xf32>) {
  ^bb0(%a: tensor<16x16x32xf32>, %b: tensor<18x18x32xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [p, q, c] () -> (%_ = %b[p, q, c]) : () -> tensor<18x18x32xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [h, w, c] (%v = %a[h, w, c]) -> (%_ = %f[h + 1, w + 1, c]) : (tensor<16x16x32xf32>) -> tensor<18x18x32xf32> {
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<18x18x32xf32>
  } -> tensor<18x18x32xf32>
  %o = tensor.empty() : tensor<16x16x32xf32>
  %y = krnl.kernel "conv" loops [h = 16, w = 16, c = 32, r = 3, s = 3] ins(%p : tensor<18x18x32xf32>) outs(%o : tensor<16x16x32xf32>) {
  ^bb0(%a: tensor<18x18x32xf32>, %b: tensor<16x16x32xf32>):
    %r = krnl.compute [h, w, c | r, s] (%v = %a[h + r, w + s, c]) -> (%u = %b[h, w, c]) : (tensor<18x18x32xf32>) -> tensor<16x16x32xf32> {
      %m = arith.addf %u, %v : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<16x16x32xf32>
  } -> tensor<16x16x32xf32>
  return %y : tensor<16x16x32xf32>
}

// The border of a pool has the least element; of two strips both have it.
// CHECK-LABEL: func @lowest(
// CHECK-SAME:      %[[X:[^:]+]]: tensor<18x32xf32>
// CHECK-NOT:     "pad"
// CHECK:         krnl.kernel "pool" {{.+}} ins(%[[X]] : tensor<18x32xf32>)
// CHECK:           krnl.compute [h, c | r] (%{{.+}} = %{{.+}}[h + r in 1 to 17 else 0xFF800000 : f32, c])
func.func @lowest(%x: tensor<18x32xf32>) -> tensor<16x32xf32> {
  %p = krnl.kernel "pad" loops [c = 32] outs(%x : tensor<18x32xf32>) {
  ^bb0(%b: tensor<18x32xf32>):
    %lowest = arith.constant 0xFF800000 : f32
    %0 = krnl.compute [c] () -> (%_ = %b[0, c]) : () -> tensor<18x32xf32> { linalg.yield %lowest : f32 }
    %1 = krnl.compute [c] () -> (%_ = %0[17, c]) : () -> tensor<18x32xf32> { linalg.yield %lowest : f32 }
    krnl.yield %1 : tensor<18x32xf32>
  } -> tensor<18x32xf32>
  %o = tensor.empty() : tensor<16x32xf32>
  %y = krnl.kernel "pool" loops [h = 16, c = 32, r = 3] ins(%p : tensor<18x32xf32>) outs(%o : tensor<16x32xf32>) {
  ^bb0(%a: tensor<18x32xf32>, %b: tensor<16x32xf32>):
    %r = krnl.compute [h, c | r] (%v = %a[h + r, c]) -> (%u = %b[h, c]) : (tensor<18x32xf32>) -> tensor<16x32xf32> {
      %m = arith.maximumf %u, %v : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<16x32xf32>
  } -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}

// Readers may have a view in which dimensions without a border are several.
// CHECK-LABEL: func @viewed(
// CHECK-SAME:      %[[X:[^:]+]]: tensor<18x512xf32>
// CHECK-NOT:     "pad"
// CHECK:         %[[VIEW:.+]] = tensor.expand_shape %[[X]] {{.+}} into tensor<18x16x32xf32>
// CHECK:         krnl.kernel "pool" {{.+}} ins(%[[VIEW]] : tensor<18x16x32xf32>)
// CHECK:           krnl.compute [h, w, c | r] (%{{.+}} = %{{.+}}[h + r in 1 to 17 else 0xFF800000 : f32, w, c])
func.func @viewed(%x: tensor<18x512xf32>) -> tensor<16x16x32xf32> {
  %p = krnl.kernel "pad" loops [c = 512] outs(%x : tensor<18x512xf32>) {
  ^bb0(%b: tensor<18x512xf32>):
    %lowest = arith.constant 0xFF800000 : f32
    %0 = krnl.compute [c] () -> (%_ = %b[0, c]) : () -> tensor<18x512xf32> { linalg.yield %lowest : f32 }
    %1 = krnl.compute [c] () -> (%_ = %0[17, c]) : () -> tensor<18x512xf32> { linalg.yield %lowest : f32 }
    krnl.yield %1 : tensor<18x512xf32>
  } -> tensor<18x512xf32>
  %v = tensor.expand_shape %p [[0], [1, 2]] output_shape [18, 16, 32] : tensor<18x512xf32> into tensor<18x16x32xf32>
  %o = tensor.empty() : tensor<16x16x32xf32>
  %y = krnl.kernel "pool" loops [h = 16, w = 16, c = 32, r = 3] ins(%v : tensor<18x16x32xf32>) outs(%o : tensor<16x16x32xf32>) {
  ^bb0(%a: tensor<18x16x32xf32>, %b: tensor<16x16x32xf32>):
    %r = krnl.compute [h, w, c | r] (%v0 = %a[h + r, w, c]) -> (%u = %b[h, w, c]) : (tensor<18x16x32xf32>) -> tensor<16x16x32xf32> {
      %m = arith.maximumf %u, %v0 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<16x16x32xf32>
  } -> tensor<16x16x32xf32>
  return %y : tensor<16x16x32xf32>
}

// But not one with a border in such dimensions.
// CHECK-LABEL: func @viewed_border(
// CHECK:         krnl.kernel "pad"
func.func @viewed_border(%x: tensor<512x18xf32>) -> tensor<2x256x18xf32> {
  %p = krnl.kernel "pad" loops [c = 18] outs(%x : tensor<512x18xf32>) {
  ^bb0(%b: tensor<512x18xf32>):
    %lowest = arith.constant 0xFF800000 : f32
    %0 = krnl.compute [c] () -> (%_ = %b[0, c]) : () -> tensor<512x18xf32> { linalg.yield %lowest : f32 }
    krnl.yield %0 : tensor<512x18xf32>
  } -> tensor<512x18xf32>
  %v = tensor.expand_shape %p [[0, 1], [2]] output_shape [2, 256, 18] : tensor<512x18xf32> into tensor<2x256x18xf32>
  %o = tensor.empty() : tensor<2x256x18xf32>
  %y = krnl.kernel "negate" loops [a = 2, h = 256, c = 18] ins(%v : tensor<2x256x18xf32>) outs(%o : tensor<2x256x18xf32>) {
  ^bb0(%a0: tensor<2x256x18xf32>, %b: tensor<2x256x18xf32>):
    %r = krnl.compute [a, h, c] (%v0 = %a0[a, h, c]) -> (%u = %b[a, h, c]) : (tensor<2x256x18xf32>) -> tensor<2x256x18xf32> {
      %m = arith.negf %v0 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<2x256x18xf32>
  } -> tensor<2x256x18xf32>
  return %y : tensor<2x256x18xf32>
}

// A transposition has no border: its readers have the indices in the other order, here
// of rows that are contiguous in both.
// CHECK-LABEL: func @transposed(
// CHECK-SAME:      %[[X:[^:]+]]: tensor<128x12x64xf32>
// CHECK-NOT:     "transpose"
// CHECK:         krnl.kernel "scale" {{.+}} ins(%[[X]] : tensor<128x12x64xf32>)
// CHECK:           krnl.compute [h, s, d] (%{{.+}} = %{{.+}}[s, h, d]) -> (%{{.+}} = %{{.+}}[h, s, d])
func.func @transposed(%x: tensor<128x12x64xf32>) -> tensor<12x128x64xf32> {
  %e = tensor.empty() : tensor<12x128x64xf32>
  %t = krnl.kernel "transpose" loops [h = 12, s = 128, d = 64] ins(%x : tensor<128x12x64xf32>) outs(%e : tensor<12x128x64xf32>) {
  ^bb0(%a: tensor<128x12x64xf32>, %b: tensor<12x128x64xf32>):
    %r = krnl.compute [h, s, d] (%v = %a[s, h, d]) -> (%_ = %b[h, s, d]) : (tensor<128x12x64xf32>) -> tensor<12x128x64xf32> {
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<12x128x64xf32>
  } -> tensor<12x128x64xf32>
  %o = tensor.empty() : tensor<12x128x64xf32>
  %y = krnl.kernel "scale" loops [h = 12, s = 128, d = 64] ins(%t : tensor<12x128x64xf32>) outs(%o : tensor<12x128x64xf32>) {
  ^bb0(%a: tensor<12x128x64xf32>, %b: tensor<12x128x64xf32>):
    %r = krnl.compute [h, s, d] (%v = %a[h, s, d]) -> (%_ = %b[h, s, d]) : (tensor<12x128x64xf32>) -> tensor<12x128x64xf32> {
      %m = arith.negf %v : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<12x128x64xf32>
  } -> tensor<12x128x64xf32>
  return %y : tensor<12x128x64xf32>
}

// So has a part of a tensor, the elements of which are those of the part: no range is
// needed.
// CHECK-LABEL: func @sliced(
// CHECK-NOT:     "slice"
// CHECK:           krnl.compute [r, d] (%{{.+}} = %{{.+}}[r + 5, d]) ->
func.func @sliced(%x: tensor<20x64xf32>) -> tensor<12x64xf32> {
  %e = tensor.empty() : tensor<12x64xf32>
  %t = krnl.kernel "slice" loops [r = 12, d = 64] ins(%x : tensor<20x64xf32>) outs(%e : tensor<12x64xf32>) {
  ^bb0(%a: tensor<20x64xf32>, %b: tensor<12x64xf32>):
    %r = krnl.compute [r, d] (%v = %a[r + 5, d]) -> (%_ = %b[r, d]) : (tensor<20x64xf32>) -> tensor<12x64xf32> {
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<12x64xf32>
  } -> tensor<12x64xf32>
  %o = tensor.empty() : tensor<12x64xf32>
  %y = krnl.kernel "negate" loops [r = 12, d = 64] ins(%t : tensor<12x64xf32>) outs(%o : tensor<12x64xf32>) {
  ^bb0(%a: tensor<12x64xf32>, %b: tensor<12x64xf32>):
    %r = krnl.compute [r, d] (%v = %a[r, d]) -> (%_ = %b[r, d]) : (tensor<12x64xf32>) -> tensor<12x64xf32> {
      %m = arith.negf %v : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<12x64xf32>
  } -> tensor<12x64xf32>
  return %y : tensor<12x64xf32>
}

// So has one index of a dimension.
// CHECK-LABEL: func @picked(
// CHECK-NOT:     "pick"
// CHECK:           krnl.compute [r, d] (%{{.+}} = %{{.+}}[r, 2, d]) ->
func.func @picked(%x: tensor<12x3x64xf32>) -> tensor<12x64xf32> {
  %e = tensor.empty() : tensor<12x64xf32>
  %t = krnl.kernel "pick" loops [r = 12, d = 64] ins(%x : tensor<12x3x64xf32>) outs(%e : tensor<12x64xf32>) {
  ^bb0(%a: tensor<12x3x64xf32>, %b: tensor<12x64xf32>):
    %r = krnl.compute [r, d] (%v = %a[r, 2, d]) -> (%_ = %b[r, d]) : (tensor<12x3x64xf32>) -> tensor<12x64xf32> {
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<12x64xf32>
  } -> tensor<12x64xf32>
  %o = tensor.empty() : tensor<12x64xf32>
  %y = krnl.kernel "negate" loops [r = 12, d = 64] ins(%t : tensor<12x64xf32>) outs(%o : tensor<12x64xf32>) {
  ^bb0(%a: tensor<12x64xf32>, %b: tensor<12x64xf32>):
    %r = krnl.compute [r, d] (%v = %a[r, d]) -> (%_ = %b[r, d]) : (tensor<12x64xf32>) -> tensor<12x64xf32> {
      %m = arith.negf %v : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<12x64xf32>
  } -> tensor<12x64xf32>
  return %y : tensor<12x64xf32>
}

// Its readers may have ranges of their own.
// CHECK-LABEL: func @picked_rows(
// CHECK-NOT:     "pick"
// CHECK:           krnl.compute [r, d] (%{{.+}} = %{{.+}}[r - 1 in 0 to 12, 2, d]) ->
func.func @picked_rows(%x: tensor<12x3x64xf32>) -> tensor<12x64xf32> {
  %e = tensor.empty() : tensor<12x64xf32>
  %t = krnl.kernel "pick" loops [r = 12, d = 64] ins(%x : tensor<12x3x64xf32>) outs(%e : tensor<12x64xf32>) {
  ^bb0(%a: tensor<12x3x64xf32>, %b: tensor<12x64xf32>):
    %r = krnl.compute [r, d] (%v = %a[r, 2, d]) -> (%_ = %b[r, d]) : (tensor<12x3x64xf32>) -> tensor<12x64xf32> {
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<12x64xf32>
  } -> tensor<12x64xf32>
  %o = tensor.empty() : tensor<12x64xf32>
  %y = krnl.kernel "negate" loops [r = 12, d = 64] ins(%t : tensor<12x64xf32>) outs(%o : tensor<12x64xf32>) {
  ^bb0(%a: tensor<12x64xf32>, %b: tensor<12x64xf32>):
    %r = krnl.compute [r, d] (%v = %a[r - 1 in 0 to 12, d]) -> (%_ = %b[r, d]) : (tensor<12x64xf32>) -> tensor<12x64xf32> {
      %m = arith.negf %v : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<12x64xf32>
  } -> tensor<12x64xf32>
  return %y : tensor<12x64xf32>
}

// A copy stays of a tensor that another kernel writes over.
// CHECK-LABEL: func @written_over(
// CHECK:         krnl.kernel "transpose"
func.func @written_over(%x: tensor<64x32xf32>) -> (tensor<32x64xf32>, tensor<64x32xf32>) {
  %e = tensor.empty() : tensor<32x64xf32>
  %t = krnl.kernel "transpose" loops [i = 32, j = 64] ins(%x : tensor<64x32xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>):
    %r = krnl.compute [i, j] (%v = %a[j, i]) -> (%_ = %b[i, j]) : (tensor<64x32xf32>) -> tensor<32x64xf32> {
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<32x64xf32>
  } -> tensor<32x64xf32>
  %z = krnl.kernel "fill" loops [j = 64, i = 32] outs(%x : tensor<64x32xf32>) {
  ^bb0(%b: tensor<64x32xf32>):
    %one = arith.constant 1.0 : f32
    %r = krnl.compute [j, i] () -> (%_ = %b[j, i]) : () -> tensor<64x32xf32> { linalg.yield %one : f32 }
    krnl.yield %r : tensor<64x32xf32>
  } -> tensor<64x32xf32>
  %o = tensor.empty() : tensor<32x64xf32>
  %y = krnl.kernel "negate" loops [i = 32, j = 64] ins(%t : tensor<32x64xf32>) outs(%o : tensor<32x64xf32>) {
  ^bb0(%a: tensor<32x64xf32>, %b: tensor<32x64xf32>):
    %r = krnl.compute [i, j] (%v = %a[i, j]) -> (%_ = %b[i, j]) : (tensor<32x64xf32>) -> tensor<32x64xf32> {
      %m = arith.negf %v : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<32x64xf32>
  } -> tensor<32x64xf32>
  return %y, %z : tensor<32x64xf32>, tensor<64x32xf32>
}

// A part of a tensor has a border.
// CHECK-LABEL: func @part(
// CHECK-SAME:      %[[X:[^:]+]]: tensor<20x32xf32>
// CHECK-NOT:     "pad"
// CHECK:         krnl.kernel "pool" {{.+}} ins(%[[X]] : tensor<20x32xf32>)
// CHECK:           krnl.compute [h, c | r] (%{{.+}} = %{{.+}}[h + r + 2 in 3 to 19 else 0xFF800000 : f32, c])
func.func @part(%x: tensor<20x32xf32>) -> tensor<16x32xf32> {
  %e = tensor.empty() : tensor<18x32xf32>
  %p = krnl.kernel "pad" loops [p = 18, c = 32, h = 16] ins(%x : tensor<20x32xf32>) outs(%e : tensor<18x32xf32>) {
  ^bb0(%a: tensor<20x32xf32>, %b: tensor<18x32xf32>):
    %lowest = arith.constant 0xFF800000 : f32
    %f = krnl.compute [p, c] () -> (%_ = %b[p, c]) : () -> tensor<18x32xf32> { linalg.yield %lowest : f32 }
    %r = krnl.compute [h, c] (%v = %a[h + 3, c]) -> (%_ = %f[h + 1, c]) : (tensor<20x32xf32>) -> tensor<18x32xf32> {
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<18x32xf32>
  } -> tensor<18x32xf32>
  %o = tensor.empty() : tensor<16x32xf32>
  %y = krnl.kernel "pool" loops [h = 16, c = 32, r = 3] ins(%p : tensor<18x32xf32>) outs(%o : tensor<16x32xf32>) {
  ^bb0(%a: tensor<18x32xf32>, %b: tensor<16x32xf32>):
    %r = krnl.compute [h, c | r] (%v = %a[h + r, c]) -> (%u = %b[h, c]) : (tensor<18x32xf32>) -> tensor<16x32xf32> {
      %m = arith.maximumf %u, %v : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<16x32xf32>
  } -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}

// Strips of different elements stay.
// CHECK-LABEL: func @different(
// CHECK:         krnl.kernel "pad"
func.func @different(%x: tensor<18x32xf32>) -> tensor<16x32xf32> {
  %p = krnl.kernel "pad" loops [c = 32] outs(%x : tensor<18x32xf32>) {
  ^bb0(%b: tensor<18x32xf32>):
    %one = arith.constant 1.0 : f32
    %zero = arith.constant 0.0 : f32
    %0 = krnl.compute [c] () -> (%_ = %b[0, c]) : () -> tensor<18x32xf32> { linalg.yield %one : f32 }
    %1 = krnl.compute [c] () -> (%_ = %0[17, c]) : () -> tensor<18x32xf32> { linalg.yield %zero : f32 }
    krnl.yield %1 : tensor<18x32xf32>
  } -> tensor<18x32xf32>
  %o = tensor.empty() : tensor<16x32xf32>
  %y = krnl.kernel "pool" loops [h = 16, c = 32, r = 3] ins(%p : tensor<18x32xf32>) outs(%o : tensor<16x32xf32>) {
  ^bb0(%a: tensor<18x32xf32>, %b: tensor<16x32xf32>):
    %r = krnl.compute [h, c | r] (%v = %a[h + r, c]) -> (%u = %b[h, c]) : (tensor<18x32xf32>) -> tensor<16x32xf32> {
      %m = arith.maximumf %u, %v : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<16x32xf32>
  } -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}

// The border is that around what another kernel has written: three sides of it.
// CHECK-LABEL: func @written(
// CHECK-SAME:      %[[X:[^:]+]]: tensor<18x17x32xf32>
// CHECK-NOT:     "pad"
// CHECK:         krnl.kernel "conv" {{.+}} ins(%[[X]] : tensor<18x17x32xf32>)
// CHECK:           krnl.compute [h, w, c | r, s] (%{{.+}} = %{{.+}}[h + r in 1 to 17, w + s in 0 to 16, c])
func.func @written(%x: tensor<18x17x32xf32>) -> tensor<16x15x32xf32> {
  %p = krnl.kernel "pad" loops [q = 17, c = 32, h = 16] outs(%x : tensor<18x17x32xf32>) {
  ^bb0(%b: tensor<18x17x32xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = krnl.compute [q, c] () -> (%_ = %b[0, q, c]) : () -> tensor<18x17x32xf32> { linalg.yield %zero : f32 }
    %1 = krnl.compute [q, c] () -> (%_ = %0[17, q, c]) : () -> tensor<18x17x32xf32> { linalg.yield %zero : f32 }
    %2 = krnl.compute [h, c] () -> (%_ = %1[h + 1, 16, c]) : () -> tensor<18x17x32xf32> { linalg.yield %zero : f32 }
    krnl.yield %2 : tensor<18x17x32xf32>
  } -> tensor<18x17x32xf32>
  %o = tensor.empty() : tensor<16x15x32xf32>
  %y = krnl.kernel "conv" loops [h = 16, w = 15, c = 32, r = 3, s = 3] ins(%p : tensor<18x17x32xf32>) outs(%o : tensor<16x15x32xf32>) {
  ^bb0(%a: tensor<18x17x32xf32>, %b: tensor<16x15x32xf32>):
    %r = krnl.compute [h, w, c | r, s] (%v = %a[h + r, w + s, c]) -> (%u = %b[h, w, c]) : (tensor<18x17x32xf32>) -> tensor<16x15x32xf32> {
      %m = arith.addf %u, %v : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<16x15x32xf32>
  } -> tensor<16x15x32xf32>
  return %y : tensor<16x15x32xf32>
}

// One loop goes up and one down: both ends of the border are read.
// CHECK-LABEL: func @apart(
// CHECK-NOT:     "pad"
// CHECK:           krnl.compute [h, c | r] (%{{.+}} = %{{.+}}[h - r + 1 in 0 to 16, c])
func.func @apart(%x: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %e = tensor.empty() : tensor<18x32xf32>
  %p = krnl.kernel "pad" loops [p = 18, c = 32, h = 16] ins(%x : tensor<16x32xf32>) outs(%e : tensor<18x32xf32>) {
  ^bb0(%a: tensor<16x32xf32>, %b: tensor<18x32xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [p, c] () -> (%_ = %b[p, c]) : () -> tensor<18x32xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [h, c] (%v = %a[h, c]) -> (%_ = %f[h + 1, c]) : (tensor<16x32xf32>) -> tensor<18x32xf32> {
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<18x32xf32>
  } -> tensor<18x32xf32>
  %o = tensor.empty() : tensor<16x32xf32>
  %y = krnl.kernel "conv" loops [h = 16, c = 32, r = 3] ins(%p : tensor<18x32xf32>) outs(%o : tensor<16x32xf32>) {
  ^bb0(%a: tensor<18x32xf32>, %b: tensor<16x32xf32>):
    %r = krnl.compute [h, c | r] (%v = %a[h - r + 2, c]) -> (%u = %b[h, c]) : (tensor<18x32xf32>) -> tensor<16x32xf32> {
      %m = arith.addf %u, %v : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<16x32xf32>
  } -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}

// The run may have another number of rows than those that are copied.
// CHECK-LABEL: func @unknown(
// CHECK:         krnl.kernel "pad"
// CHECK-NOT:     in 0 to
func.func @unknown(%x: tensor<?x32xf32>) -> tensor<16x32xf32> {
  %e = tensor.empty() : tensor<18x32xf32>
  %p = krnl.kernel "pad" loops [p = 18, c = 32, h = 16] ins(%x : tensor<?x32xf32>) outs(%e : tensor<18x32xf32>) {
  ^bb0(%a: tensor<?x32xf32>, %b: tensor<18x32xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [p, c] () -> (%_ = %b[p, c]) : () -> tensor<18x32xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [h, c] (%v = %a[h, c]) -> (%_ = %f[h + 1, c]) : (tensor<?x32xf32>) -> tensor<18x32xf32> {
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<18x32xf32>
  } -> tensor<18x32xf32>
  %o = tensor.empty() : tensor<16x32xf32>
  %y = krnl.kernel "conv" loops [h = 16, c = 32, r = 3] ins(%p : tensor<18x32xf32>) outs(%o : tensor<16x32xf32>) {
  ^bb0(%a: tensor<18x32xf32>, %b: tensor<16x32xf32>):
    %r = krnl.compute [h, c | r] (%v = %a[h + r, c]) -> (%u = %b[h, c]) : (tensor<18x32xf32>) -> tensor<16x32xf32> {
      %m = arith.addf %u, %v : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<16x32xf32>
  } -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}

// The run has any number of images: the border is around each of them.
// CHECK-LABEL: func @images(
// CHECK-SAME:      %[[X:[^:]+]]: tensor<?x16x32xf32>
// CHECK-NOT:     "pad"
// CHECK:         krnl.kernel "conv" {{.+}} ins(%[[X]] : tensor<?x16x32xf32>)
// CHECK:           krnl.compute [n, h, c | r] (%{{.+}} = %{{.+}}[n, h + r - 1 in 0 to 16, c])
func.func @images(%x: tensor<?x16x32xf32>, %n: index) -> tensor<?x16x32xf32> {
  %e = tensor.empty(%n) : tensor<?x18x32xf32>
  %p = krnl.kernel "pad" loops [n = %n, p = 18, c = 32, h = 16] ins(%x : tensor<?x16x32xf32>) outs(%e : tensor<?x18x32xf32>) {
  ^bb0(%a: tensor<?x16x32xf32>, %b: tensor<?x18x32xf32>, %size: index):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [n, p, c] () -> (%_ = %b[n, p, c]) : () -> tensor<?x18x32xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [n, h, c] (%v = %a[n, h, c]) -> (%_ = %f[n, h + 1, c]) : (tensor<?x16x32xf32>) -> tensor<?x18x32xf32> {
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<?x18x32xf32>
  } -> tensor<?x18x32xf32>
  %o = tensor.empty(%n) : tensor<?x16x32xf32>
  %y = krnl.kernel "conv" loops [n = %n, h = 16, c = 32, r = 3] ins(%p : tensor<?x18x32xf32>) outs(%o : tensor<?x16x32xf32>) {
  ^bb0(%a: tensor<?x18x32xf32>, %b: tensor<?x16x32xf32>, %size: index):
    %r = krnl.compute [n, h, c | r] (%v = %a[n, h + r, c]) -> (%u = %b[n, h, c]) : (tensor<?x18x32xf32>) -> tensor<?x16x32xf32> {
      %m = arith.addf %u, %v : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<?x16x32xf32>
  } -> tensor<?x16x32xf32>
  return %y : tensor<?x16x32xf32>
}

// So it is where strips of all of them have it, and readers have a view of images and channels as one dimension.
// CHECK-LABEL: func @images_viewed(
// CHECK-SAME:      %[[X:[^:]+]]: tensor<?x18x32xf32>, %[[N:[^:]+]]: index
// CHECK-NOT:     "pad"
// CHECK:         %[[VIEW:.+]] = tensor.expand_shape %[[X]] {{\[}}[0, 1], [2], [3]] output_shape [%[[N]], 4, 18, 32] : tensor<?x18x32xf32> into tensor<?x4x18x32xf32>
// CHECK:         krnl.kernel "pool" {{.+}} ins(%[[VIEW]] : tensor<?x4x18x32xf32>)
// CHECK:           krnl.compute [n, d, h, c | r] (%{{.+}} = %{{.+}}[n, d, h + r in 1 to 17 else 0xFF800000 : f32, c])
func.func @images_viewed(%x: tensor<?x18x32xf32>, %n: index, %all: index) -> tensor<?x4x16x32xf32> {
  %p = krnl.kernel "pad" loops [nd = %all, c = 32] outs(%x : tensor<?x18x32xf32>) {
  ^bb0(%b: tensor<?x18x32xf32>, %size: index):
    %lowest = arith.constant 0xFF800000 : f32
    %0 = krnl.compute [nd, c] () -> (%_ = %b[nd, 0, c]) : () -> tensor<?x18x32xf32> { linalg.yield %lowest : f32 }
    %1 = krnl.compute [nd, c] () -> (%_ = %0[nd, 17, c]) : () -> tensor<?x18x32xf32> { linalg.yield %lowest : f32 }
    krnl.yield %1 : tensor<?x18x32xf32>
  } -> tensor<?x18x32xf32>
  %v = tensor.expand_shape %p [[0, 1], [2], [3]] output_shape [%n, 4, 18, 32] : tensor<?x18x32xf32> into tensor<?x4x18x32xf32>
  %o = tensor.empty(%n) : tensor<?x4x16x32xf32>
  %y = krnl.kernel "pool" loops [n = %n, d = 4, h = 16, c = 32, r = 3] ins(%v : tensor<?x4x18x32xf32>) outs(%o : tensor<?x4x16x32xf32>) {
  ^bb0(%a: tensor<?x4x18x32xf32>, %b: tensor<?x4x16x32xf32>, %size: index):
    %r = krnl.compute [n, d, h, c | r] (%v0 = %a[n, d, h + r, c]) -> (%u = %b[n, d, h, c]) : (tensor<?x4x18x32xf32>) -> tensor<?x4x16x32xf32> {
      %m = arith.maximumf %u, %v0 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<?x4x16x32xf32>
  } -> tensor<?x4x16x32xf32>
  return %y : tensor<?x4x16x32xf32>
}

// Strips of some of the images, and more images than those that are copied, stay.
// CHECK-LABEL: func @some_images(
// CHECK:         krnl.kernel "pad"
// CHECK-LABEL: func @more_images(
// CHECK:         krnl.kernel "pad"
// CHECK-NOT:     in 0 to
func.func @some_images(%x: tensor<?x18x32xf32>, %n: index) -> tensor<?x16x32xf32> {
  %p = krnl.kernel "pad" loops [c = 32] outs(%x : tensor<?x18x32xf32>) {
  ^bb0(%b: tensor<?x18x32xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = krnl.compute [c] () -> (%_ = %b[0, 0, c]) : () -> tensor<?x18x32xf32> { linalg.yield %zero : f32 }
    krnl.yield %0 : tensor<?x18x32xf32>
  } -> tensor<?x18x32xf32>
  %o = tensor.empty(%n) : tensor<?x16x32xf32>
  %y = krnl.kernel "pool" loops [n = %n, h = 16, c = 32, r = 3] ins(%p : tensor<?x18x32xf32>) outs(%o : tensor<?x16x32xf32>) {
  ^bb0(%a: tensor<?x18x32xf32>, %b: tensor<?x16x32xf32>, %size: index):
    %r = krnl.compute [n, h, c | r] (%v = %a[n, h + r, c]) -> (%u = %b[n, h, c]) : (tensor<?x18x32xf32>) -> tensor<?x16x32xf32> {
      %m = arith.addf %u, %v : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<?x16x32xf32>
  } -> tensor<?x16x32xf32>
  return %y : tensor<?x16x32xf32>
}

func.func @more_images(%x: tensor<?x16x32xf32>, %n: index, %more: index) -> tensor<?x16x32xf32> {
  %e = tensor.empty(%more) : tensor<?x18x32xf32>
  %p = krnl.kernel "pad" loops [m = %more, n = %n, p = 18, c = 32, h = 16] ins(%x : tensor<?x16x32xf32>) outs(%e : tensor<?x18x32xf32>) {
  ^bb0(%a: tensor<?x16x32xf32>, %b: tensor<?x18x32xf32>, %size: index, %size2: index):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, p, c] () -> (%_ = %b[m, p, c]) : () -> tensor<?x18x32xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [n, h, c] (%v = %a[n, h, c]) -> (%_ = %f[n + 1, h + 1, c]) : (tensor<?x16x32xf32>) -> tensor<?x18x32xf32> {
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<?x18x32xf32>
  } -> tensor<?x18x32xf32>
  %o = tensor.empty(%n) : tensor<?x16x32xf32>
  %y = krnl.kernel "conv" loops [n = %n, h = 16, c = 32, r = 3] ins(%p : tensor<?x18x32xf32>) outs(%o : tensor<?x16x32xf32>) {
  ^bb0(%a: tensor<?x18x32xf32>, %b: tensor<?x16x32xf32>, %size: index):
    %r = krnl.compute [n, h, c | r] (%v = %a[n + 1, h + r, c]) -> (%u = %b[n, h, c]) : (tensor<?x18x32xf32>) -> tensor<?x16x32xf32> {
      %m = arith.addf %u, %v : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<?x16x32xf32>
  } -> tensor<?x16x32xf32>
  return %y : tensor<?x16x32xf32>
}

// A border of dynamic size, a strip that leaves a gap, and a result that the caller has, too, stay.
// CHECK-LABEL: func @kept(
// CHECK:         krnl.kernel "given"
// CHECK:         krnl.kernel "gap"
// CHECK:         krnl.kernel "returned"
// CHECK-NOT:     in 0 to
func.func @kept(%x: tensor<18x32xf32>, %value: f32) -> (tensor<16x32xf32>, tensor<16x32xf32>, tensor<18x32xf32>, tensor<16x32xf32>) {
  %p = krnl.kernel "given" loops [c = 32] ins(%value : f32) outs(%x : tensor<18x32xf32>) {
  ^bb0(%one: f32, %b: tensor<18x32xf32>):
    %0 = krnl.compute [c] () -> (%_ = %b[0, c]) : () -> tensor<18x32xf32> { linalg.yield %one : f32 }
    krnl.yield %0 : tensor<18x32xf32>
  } -> tensor<18x32xf32>
  %g = krnl.kernel "gap" loops [c = 32] outs(%x : tensor<18x32xf32>) {
  ^bb0(%b: tensor<18x32xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = krnl.compute [c] () -> (%_ = %b[1, c]) : () -> tensor<18x32xf32> { linalg.yield %zero : f32 }
    krnl.yield %0 : tensor<18x32xf32>
  } -> tensor<18x32xf32>
  %q = krnl.kernel "returned" loops [c = 32] outs(%x : tensor<18x32xf32>) {
  ^bb0(%b: tensor<18x32xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = krnl.compute [c] () -> (%_ = %b[0, c]) : () -> tensor<18x32xf32> { linalg.yield %zero : f32 }
    krnl.yield %0 : tensor<18x32xf32>
  } -> tensor<18x32xf32>
  %o = tensor.empty() : tensor<16x32xf32>
  %y = krnl.kernel "a" loops [h = 16, c = 32, r = 3] ins(%p : tensor<18x32xf32>) outs(%o : tensor<16x32xf32>) {
  ^bb0(%a: tensor<18x32xf32>, %b: tensor<16x32xf32>):
    %r = krnl.compute [h, c | r] (%v = %a[h + r, c]) -> (%u = %b[h, c]) : (tensor<18x32xf32>) -> tensor<16x32xf32> {
      %m = arith.addf %u, %v : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<16x32xf32>
  } -> tensor<16x32xf32>
  %z = krnl.kernel "b" loops [h = 16, c = 32, r = 3] ins(%g : tensor<18x32xf32>) outs(%o : tensor<16x32xf32>) {
  ^bb0(%a: tensor<18x32xf32>, %b: tensor<16x32xf32>):
    %r = krnl.compute [h, c | r] (%v = %a[h + r, c]) -> (%u = %b[h, c]) : (tensor<18x32xf32>) -> tensor<16x32xf32> {
      %m = arith.addf %u, %v : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<16x32xf32>
  } -> tensor<16x32xf32>
  %s = krnl.kernel "c" loops [h = 16, c = 32, r = 3] ins(%q : tensor<18x32xf32>) outs(%o : tensor<16x32xf32>) {
  ^bb0(%a: tensor<18x32xf32>, %b: tensor<16x32xf32>):
    %r = krnl.compute [h, c | r] (%v = %a[h + r, c]) -> (%u = %b[h, c]) : (tensor<18x32xf32>) -> tensor<16x32xf32> {
      %m = arith.addf %u, %v : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<16x32xf32>
  } -> tensor<16x32xf32>
  return %y, %z, %q, %s : tensor<16x32xf32>, tensor<16x32xf32>, tensor<18x32xf32>, tensor<16x32xf32>
}

}

// -----

// A processor has the border in memory.
module attributes {krnl.target = #krnl.target<vector_bytes = 16>} {
// CHECK-LABEL: func @processor(
// CHECK:         krnl.kernel "pad"
func.func @processor(%x: tensor<18x32xf32>) -> tensor<16x32xf32> {
  %p = krnl.kernel "pad" loops [c = 32] outs(%x : tensor<18x32xf32>) {
  ^bb0(%b: tensor<18x32xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = krnl.compute [c] () -> (%_ = %b[0, c]) : () -> tensor<18x32xf32> { linalg.yield %zero : f32 }
    krnl.yield %0 : tensor<18x32xf32>
  } -> tensor<18x32xf32>
  %o = tensor.empty() : tensor<16x32xf32>
  %y = krnl.kernel "a" loops [h = 16, c = 32, r = 3] ins(%p : tensor<18x32xf32>) outs(%o : tensor<16x32xf32>) {
  ^bb0(%a: tensor<18x32xf32>, %b: tensor<16x32xf32>):
    %r = krnl.compute [h, c | r] (%v = %a[h + r, c]) -> (%u = %b[h, c]) : (tensor<18x32xf32>) -> tensor<16x32xf32> {
      %m = arith.addf %u, %v : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<16x32xf32>
  } -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}
}
