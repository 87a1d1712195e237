// RUN: onnx-opt %s -split-input-file --krnl-fold-padding | FileCheck %s
// RUN: onnx-opt %s -split-input-file --krnl-fold-padding --krnl-write-recipes --krnl-lower-kernels -o /dev/null
//
// Readers of a border of zeros read what is inside of it.

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

// Something else than zeros, a strip that leaves a gap, and a result that the caller has, too, stay.
// CHECK-LABEL: func @kept(
// CHECK:         krnl.kernel "ones"
// CHECK:         krnl.kernel "gap"
// CHECK:         krnl.kernel "returned"
// CHECK-NOT:     in 0 to
func.func @kept(%x: tensor<18x32xf32>) -> (tensor<16x32xf32>, tensor<16x32xf32>, tensor<18x32xf32>, tensor<16x32xf32>) {
  %p = krnl.kernel "ones" loops [c = 32] outs(%x : tensor<18x32xf32>) {
  ^bb0(%b: tensor<18x32xf32>):
    %one = arith.constant 1.0 : f32
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
