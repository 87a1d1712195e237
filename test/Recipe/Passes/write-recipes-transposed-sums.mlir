// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=znver4" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s

// Windows are read with the channels last and written with them first: lanes are
// channels, and a few results side by side are transposed; what is left of a
// dynamic row is, too. All windows of 16 channels follow each other.
// CHECK-LABEL: kernel "channels_read_last"
// CHECK:         block(c, 16) -> (c.o, c.i)
// CHECK:         block(o1, 8, tail=peel) -> (o1.o, o1.i)
// CHECK:         order(c.o, o0, o1.o, o1.i, k0, k1, c.i)
// CHECK:         unroll(o1.i, 8, tail=[4, 2])
// CHECK:         1: unroll(k1, 3)
// CHECK:         1: unroll(k0, 3)
// CHECK:         vectorize(c.i, 16)
// CHECK:         order(o1.i, c.i, k0, k1)
// CHECK:         transpose(o1.i)
func.func @channels_read_last(%x: tensor<?x?x64xf32>, %y: tensor<64x?x?xf32>, %h: index, %w: index) -> tensor<64x?x?xf32> {
  %0 = krnl.kernel "channels_read_last" loops [c = 64, o0 = %h, o1 = %w, k0 = 3, k1 = 3] ins(%x : tensor<?x?x64xf32>) outs(%y : tensor<64x?x?xf32>) recipe [] {
  ^bb0(%a: tensor<?x?x64xf32>, %b: tensor<64x?x?xf32>, %n: index, %m: index):
    %cst = arith.constant 0xFF800000 : f32
    %f = krnl.compute [c, o0, o1] () -> (%q = %b[c, o0, o1]) : () -> tensor<64x?x?xf32> {
      linalg.yield %cst : f32
    }
    %s = krnl.compute [c, o0, o1 | k0, k1] (%p = %a[o0 * 2 + k0, o1 * 2 + k1, c]) -> (%q = %f[c, o0, o1]) : (tensor<?x?x64xf32>) -> tensor<64x?x?xf32> {
      %t = arith.maximumf %q, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<64x?x?xf32>
  } -> tensor<64x?x?xf32>
  return %0 : tensor<64x?x?xf32>
}

// A square is as large as divides the row, where that is more than half of a vector.
// CHECK-LABEL: kernel "row_of_28"
// CHECK:         block(o1, 14) -> (o1.o, o1.i)
// CHECK:         unroll(o1.i, 14)
// CHECK:         transpose(o1.i, masked)
func.func @row_of_28(%x: tensor<57x57x64xf32>, %y: tensor<64x28x28xf32>) -> tensor<64x28x28xf32> {
  %0 = krnl.kernel "row_of_28" loops [c = 64, o0 = 28, o1 = 28, k0 = 3, k1 = 3] ins(%x : tensor<57x57x64xf32>) outs(%y : tensor<64x28x28xf32>) recipe [] {
  ^bb0(%a: tensor<57x57x64xf32>, %b: tensor<64x28x28xf32>):
    %cst = arith.constant 0xFF800000 : f32
    %f = krnl.compute [c, o0, o1] () -> (%q = %b[c, o0, o1]) : () -> tensor<64x28x28xf32> {
      linalg.yield %cst : f32
    }
    %s = krnl.compute [c, o0, o1 | k0, k1] (%p = %a[o0 * 2 + k0, o1 * 2 + k1, c]) -> (%q = %f[c, o0, o1]) : (tensor<57x57x64xf32>) -> tensor<64x28x28xf32> {
      %t = arith.maximumf %q, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<64x28x28xf32>
  } -> tensor<64x28x28xf32>
  return %0 : tensor<64x28x28xf32>
}

// Rows that are shorter than the square have one as large as they are.
// CHECK-LABEL: kernel "row_of_4"
// CHECK:         block(o1, 4) -> (o1.o, o1.i)
// CHECK:         unroll(o1.i, 4),{{$}}
// CHECK:         transpose(o1.i)
func.func @row_of_4(%x: tensor<8x8x16xf32>, %y: tensor<16x4x4xf32>) -> tensor<16x4x4xf32> {
  %0 = krnl.kernel "row_of_4" loops [c = 16, o0 = 4, o1 = 4, k0 = 2, k1 = 2] ins(%x : tensor<8x8x16xf32>) outs(%y : tensor<16x4x4xf32>) recipe [] {
  ^bb0(%a: tensor<8x8x16xf32>, %b: tensor<16x4x4xf32>):
    %cst = arith.constant 0xFF800000 : f32
    %f = krnl.compute [c, o0, o1] () -> (%q = %b[c, o0, o1]) : () -> tensor<16x4x4xf32> {
      linalg.yield %cst : f32
    }
    %s = krnl.compute [c, o0, o1 | k0, k1] (%p = %a[o0 * 2 + k0, o1 * 2 + k1, c]) -> (%q = %f[c, o0, o1]) : (tensor<8x8x16xf32>) -> tensor<16x4x4xf32> {
      %t = arith.maximumf %q, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<16x4x4xf32>
  } -> tensor<16x4x4xf32>
  return %0 : tensor<16x4x4xf32>
}

// Rows are read and channels written last: lanes are results two elements apart, half as
// many where a row may be short, and the channels beside them are transposed.
// CHECK-LABEL: kernel "channels_written_last"
// CHECK:         block(c, 8) -> (c.o, c.i)
// CHECK:         block(o1, 8, tail=peel) -> (o1.o, o1.i)
// CHECK:         unroll(c.i, 8)
// CHECK:         vectorize(o1.i, 8)
// CHECK:         transpose(c.i)
// CHECK:         strided(o1.i, 2)
func.func @channels_written_last(%x: tensor<64x?x?xf32>, %y: tensor<?x?x64xf32>, %h: index, %w: index) -> tensor<?x?x64xf32> {
  %0 = krnl.kernel "channels_written_last" loops [o0 = %h, o1 = %w, c = 64, k0 = 2, k1 = 2] ins(%x : tensor<64x?x?xf32>) outs(%y : tensor<?x?x64xf32>) recipe [] {
  ^bb0(%a: tensor<64x?x?xf32>, %b: tensor<?x?x64xf32>, %n: index, %m: index):
    %cst = arith.constant 0xFF800000 : f32
    %f = krnl.compute [o0, o1, c] () -> (%q = %b[o0, o1, c]) : () -> tensor<?x?x64xf32> {
      linalg.yield %cst : f32
    }
    %s = krnl.compute [o0, o1, c | k0, k1] (%p = %a[c, o0 * 2 + k0, o1 * 2 + k1]) -> (%q = %f[o0, o1, c]) : (tensor<64x?x?xf32>) -> tensor<?x?x64xf32> {
      %t = arith.maximumf %q, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<?x?x64xf32>
  } -> tensor<?x?x64xf32>
  return %0 : tensor<?x?x64xf32>
}

// Weights of each channel are packed along the lanes.
// CHECK-LABEL: kernel "weights"
// CHECK:         vectorize(c.i, 16)
// CHECK:         pack(1, [c.o, k0, k1, c.i])
// CHECK:         transpose(o1.i)
func.func @weights(%x: tensor<?x?x64xf32>, %y: tensor<64x?x?xf32>, %h: index, %w: index) -> tensor<64x?x?xf32> {
  %weights = krnl.constant dense<0.5> : tensor<64x3x3xf32>
  %0 = krnl.kernel "weights" loops [c = 64, o0 = %h, o1 = %w, k0 = 3, k1 = 3] ins(%x, %weights : tensor<?x?x64xf32>, tensor<64x3x3xf32>) outs(%y : tensor<64x?x?xf32>) recipe [] {
  ^bb0(%a: tensor<?x?x64xf32>, %v: tensor<64x3x3xf32>, %b: tensor<64x?x?xf32>, %n: index, %m: index):
    %cst = arith.constant 0.0 : f32
    %f = krnl.compute [c, o0, o1] () -> (%q = %b[c, o0, o1]) : () -> tensor<64x?x?xf32> {
      linalg.yield %cst : f32
    }
    %s = krnl.compute [c, o0, o1 | k0, k1] (%p = %a[o0 * 2 + k0, o1 * 2 + k1, c], %r = %v[c, k0, k1]) -> (%q = %f[c, o0, o1]) : (tensor<?x?x64xf32>, tensor<64x3x3xf32>) -> tensor<64x?x?xf32> {
      %t = arith.mulf %p, %r : f32
      %u = arith.addf %q, %t : f32
      linalg.yield %u : f32
    }
    krnl.yield %s : tensor<64x?x?xf32>
  } -> tensor<64x?x?xf32>
  return %0 : tensor<64x?x?xf32>
}
