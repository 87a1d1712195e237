// RUN: onnx-opt %s -split-input-file --krnl-join-siblings | FileCheck %s
// RUN: onnx-opt %s -split-input-file --krnl-join-siblings --krnl-write-recipes --krnl-lower-kernels -o /dev/null
//
// Kernels that read the same over the same loops become one on a device.

module attributes {krnl.target = #krnl.target<tile_threads = 1024, cores = 132, launch_nanoseconds = 1500, memory_latency = 4.5e+02, megahertz = 1980>} {

// The loops of the second kernel have names of their own, and its input is a view.
// CHECK-LABEL: func @halves(
// CHECK-SAME:      %[[X:[^:]+]]: tensor<64x128xf32>
// CHECK:         %[[Y:.+]]:2 = krnl.kernel "first+second" loops [i = 64, j = 64] ins(%[[X]], %{{.+}} : tensor<64x128xf32>, tensor<64x2x64xf32>) outs(%{{.+}}, %{{.+}} : tensor<64x64xf32>, tensor<64x64xf32>)
// CHECK:           krnl.compute [i, j] (%{{.+}} = %{{.+}}[i, j ...])
// CHECK:           krnl.compute [i, j] (%{{.+}} = %{{.+}}[i, 1, j])
// CHECK:         return %[[Y]]#0, %[[Y]]#1
func.func @halves(%x: tensor<64x128xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %e = tensor.empty() : tensor<64x64xf32>
  %a = krnl.kernel "first" loops [i = 64, j = 64] ins(%x : tensor<64x128xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%p: tensor<64x128xf32>, %q: tensor<64x64xf32>):
    %r = krnl.compute [i, j] (%v = %p[i, j ...]) -> (%_ = %q[i, j]) : (tensor<64x128xf32>) -> tensor<64x64xf32> { linalg.yield %v : f32 }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  %s = tensor.expand_shape %x [[0], [1, 2]] output_shape [64, 2, 64] : tensor<64x128xf32> into tensor<64x2x64xf32>
  %f = tensor.empty() : tensor<64x64xf32>
  %b = krnl.kernel "second" loops [m = 64, n = 64] ins(%s : tensor<64x2x64xf32>) outs(%f : tensor<64x64xf32>) {
  ^bb0(%p: tensor<64x2x64xf32>, %q: tensor<64x64xf32>):
    %r = krnl.compute [m, n] (%v = %p[m, 1, n]) -> (%_ = %q[m, n]) : (tensor<64x2x64xf32>) -> tensor<64x64xf32> { linalg.yield %v : f32 }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %a, %b : tensor<64x64xf32>, tensor<64x64xf32>
}

// Rows of the same dynamic length, of one tensor; the kernel is where the first one was.
// CHECK-LABEL: func @rows(
// CHECK:         %[[R:.+]]:2 = krnl.kernel "least+most" loops [r = %{{.+}}, d = 256]
// CHECK:         krnl.kernel "use" {{.+}} ins(%[[R]]#0
// CHECK-NOT:     krnl.kernel "most"
func.func @rows(%x: tensor<?x256xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %e = tensor.empty(%n) : tensor<?xf32>
  %a = krnl.kernel "least" loops [r = %n, d = 256] ins(%x : tensor<?x256xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%p: tensor<?x256xf32>, %q: tensor<?xf32>, %_: index):
    %i = arith.constant 0x7F800000 : f32
    %f = krnl.compute [r] () -> (%__ = %q[r]) : () -> tensor<?xf32> { linalg.yield %i : f32 }
    %s = krnl.compute [r | d] (%v = %p[r, d]) -> (%u = %f[r]) : (tensor<?x256xf32>) -> tensor<?xf32> {
      %m = arith.minimumf %u, %v : f32
      linalg.yield %m : f32
    }
    krnl.yield %s : tensor<?xf32>
  } -> tensor<?xf32>
  %u = tensor.empty(%n) : tensor<?xf32>
  %y = krnl.kernel "use" loops [r = %n] ins(%a : tensor<?xf32>) outs(%u : tensor<?xf32>) {
  ^bb0(%p: tensor<?xf32>, %q: tensor<?xf32>, %_: index):
    %s = krnl.compute [r] (%v = %p[r]) -> (%__ = %q[r]) : (tensor<?xf32>) -> tensor<?xf32> {
      %m = arith.negf %v : f32
      linalg.yield %m : f32
    }
    krnl.yield %s : tensor<?xf32>
  } -> tensor<?xf32>
  %g = tensor.empty(%n) : tensor<?xf32>
  %b = krnl.kernel "most" loops [r = %n, d = 256] ins(%x : tensor<?x256xf32>) outs(%g : tensor<?xf32>) {
  ^bb0(%p: tensor<?x256xf32>, %q: tensor<?xf32>, %_: index):
    %i = arith.constant 0xFF800000 : f32
    %f = krnl.compute [r] () -> (%__ = %q[r]) : () -> tensor<?xf32> { linalg.yield %i : f32 }
    %s = krnl.compute [r | d] (%v = %p[r, d]) -> (%w = %f[r]) : (tensor<?x256xf32>) -> tensor<?xf32> {
      %m = arith.maximumf %w, %v : f32
      linalg.yield %m : f32
    }
    krnl.yield %s : tensor<?xf32>
  } -> tensor<?xf32>
  return %y, %b : tensor<?xf32>, tensor<?xf32>
}

// Not where one needs the other, loops differ, one reads another tensor, too, or writes over a part of one.
// CHECK-LABEL: func @apart(
// CHECK:         krnl.kernel "a"
// CHECK:         krnl.kernel "chained"
// CHECK:         krnl.kernel "longer"
// CHECK:         krnl.kernel "two"
// CHECK:         krnl.kernel "over"
func.func @apart(%x: tensor<64x64xf32>, %z: tensor<64x64xf32>, %o: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x128xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  %e = tensor.empty() : tensor<64x64xf32>
  %a = krnl.kernel "a" loops [i = 64, j = 64] ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%p: tensor<64x64xf32>, %q: tensor<64x64xf32>):
    %r = krnl.compute [i, j] (%v = %p[i, j]) -> (%_ = %q[i, j]) : (tensor<64x64xf32>) -> tensor<64x64xf32> { linalg.yield %v : f32 }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  %b = krnl.kernel "chained" loops [i = 64, j = 64] ins(%a, %x : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%p: tensor<64x64xf32>, %x2: tensor<64x64xf32>, %q: tensor<64x64xf32>):
    %r = krnl.compute [i, j] (%v = %p[i, j]) -> (%_ = %q[i, j]) : (tensor<64x64xf32>) -> tensor<64x64xf32> { linalg.yield %v : f32 }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  %l = tensor.empty() : tensor<64x128xf32>
  %c = krnl.kernel "longer" loops [i = 64, j = 64, k = 2] ins(%x : tensor<64x64xf32>) outs(%l : tensor<64x128xf32>) {
  ^bb0(%p: tensor<64x64xf32>, %q: tensor<64x128xf32>):
    %r = krnl.compute [i, j, k] (%v = %p[i, j]) -> (%_ = %q[i, j * 2 + k]) : (tensor<64x64xf32>) -> tensor<64x128xf32> { linalg.yield %v : f32 }
    krnl.yield %r : tensor<64x128xf32>
  } -> tensor<64x128xf32>
  %d = krnl.kernel "two" loops [i = 64, j = 64] ins(%x, %z : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%p: tensor<64x64xf32>, %z2: tensor<64x64xf32>, %q: tensor<64x64xf32>):
    %r = krnl.compute [i, j] (%v = %p[i, j], %w = %z2[i, j]) -> (%_ = %q[i, j]) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> {
      %m = arith.addf %v, %w : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  %f = krnl.kernel "over" loops [i = 64, j = 64] ins(%x : tensor<64x64xf32>) outs(%o : tensor<64x64xf32>) {
  ^bb0(%p: tensor<64x64xf32>, %q: tensor<64x64xf32>):
    %r = krnl.compute [i, j] (%v = %p[i, j]) -> (%_ = %q[i, j]) : (tensor<64x64xf32>) -> tensor<64x64xf32> { linalg.yield %v : f32 }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %a, %b, %c, %d, %f : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x128xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}

// A product that an op after another product of the same vector reads: the kernels would run one after the other.
// One op has both sums.
// CHECK-LABEL: func @gate(
// CHECK-SAME:      %[[X:[^:]+]]: tensor<256xf32>, %[[V:[^:]+]]: tensor<256x512xf32>, %[[W:[^:]+]]: tensor<256x512xf32>)
// CHECK:         %[[Y:.+]] = krnl.kernel "gate+up" loops [n = 512, k = 256] ins(%[[X]], %[[V]], %[[W]] :
// CHECK:           %[[S:.+]]:2 = krnl.compute [n | k] (%[[A:.+]] = %{{.+}}[k], %[[B:.+]] = %{{.+}}[k, n], %[[C:.+]] = %{{.+}}[k, n]) -> (%[[R:.+]] = %{{.+}}[n], %[[T:.+]] = %{{.+}}[n])
// CHECK-NEXT:        %[[P:.+]] = arith.mulf %[[A]], %[[B]]
// CHECK-NEXT:        %[[Q:.+]] = arith.addf %[[R]], %[[P]]
// CHECK-NEXT:        %[[P:.+]] = arith.mulf %[[A]], %[[C]]
// CHECK-NEXT:        %[[V:.+]] = arith.addf %[[T]], %[[P]]
// CHECK-NEXT:        linalg.yield %[[Q]], %[[V]]
// CHECK:           krnl.compute [n] (%{{.+}} = %[[S]]#1[n], %{{.+}} = %[[S]]#0[n])
// CHECK:         return %[[Y]]
func.func @gate(%x: tensor<256xf32>, %v: tensor<256x512xf32>, %w: tensor<256x512xf32>) -> tensor<512xf32> {
  %e = tensor.empty() : tensor<512xf32>
  %g = krnl.kernel "gate" loops [n = 512, k = 256] ins(%x, %v : tensor<256xf32>, tensor<256x512xf32>) outs(%e : tensor<512xf32>) {
  ^bb0(%p: tensor<256xf32>, %q: tensor<256x512xf32>, %o: tensor<512xf32>):
    %i = arith.constant 0.0 : f32
    %f = krnl.compute [n] () -> (%__ = %o[n]) : () -> tensor<512xf32> { linalg.yield %i : f32 }
    %s = krnl.compute [n | k] (%a = %p[k], %b = %q[k, n]) -> (%c = %f[n]) : (tensor<256xf32>, tensor<256x512xf32>) -> tensor<512xf32> {
      %d = arith.mulf %a, %b : f32
      %h = arith.addf %c, %d : f32
      linalg.yield %h : f32
    }
    krnl.yield %s : tensor<512xf32>
  } -> tensor<512xf32>
  %u = krnl.kernel "up" loops [j = 512, l = 256] ins(%x, %w, %g : tensor<256xf32>, tensor<256x512xf32>, tensor<512xf32>) outs(%e : tensor<512xf32>) {
  ^bb0(%p: tensor<256xf32>, %q: tensor<256x512xf32>, %r: tensor<512xf32>, %o: tensor<512xf32>):
    %t = krnl.temporary : tensor<512xf32>
    %i = arith.constant 0.0 : f32
    %f = krnl.compute [j] () -> (%__ = %t[j]) : () -> tensor<512xf32> { linalg.yield %i : f32 }
    %s = krnl.compute [j | l] (%a = %p[l], %b = %q[l, j]) -> (%c = %f[j]) : (tensor<256xf32>, tensor<256x512xf32>) -> tensor<512xf32> {
      %d = arith.mulf %a, %b : f32
      %h = arith.addf %c, %d : f32
      linalg.yield %h : f32
    }
    %m = krnl.compute [j] (%a = %s[j], %b = %r[j]) -> (%_ = %o[j]) : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32> {
      %c = arith.mulf %a, %b : f32
      linalg.yield %c : f32
    }
    krnl.yield %m : tensor<512xf32>
  } -> tensor<512xf32>
  return %u : tensor<512xf32>
}

// The same of tiles of 16-bit elements, for which the slices of the common factor are copied once, and of products of
// different factors, which stay apart.
// CHECK-LABEL: func @tiles(
// CHECK:         krnl.kernel "gate+up" loops [m = 256, n = 512, k = 256]
// CHECK:           krnl.compute [m, n | k] {{.+}} -> (tensor<256x512xf32>, tensor<256x512xf32>)
// CHECK-LABEL: func @other_rows(
// CHECK:         krnl.kernel "gate"
// CHECK:         krnl.kernel "up"
func.func @tiles(%x: tensor<256x256xf16>, %z: tensor<256x256xf16>, %v: tensor<256x512xf16>, %w: tensor<256x512xf16>) -> tensor<256x512xf32> {
  %e = tensor.empty() : tensor<256x512xf32>
  %g = krnl.kernel "gate" loops [m = 256, n = 512, k = 256] ins(%x, %v : tensor<256x256xf16>, tensor<256x512xf16>) outs(%e : tensor<256x512xf32>) {
  ^bb0(%p: tensor<256x256xf16>, %q: tensor<256x512xf16>, %o: tensor<256x512xf32>):
    %i = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%__ = %o[m, n]) : () -> tensor<256x512xf32> { linalg.yield %i : f32 }
    %s = krnl.compute [m, n | k] (%a = %p[m, k], %b = %q[k, n]) -> (%c = %f[m, n]) : (tensor<256x256xf16>, tensor<256x512xf16>) -> tensor<256x512xf32> {
      %a32 = arith.extf %a : f16 to f32
      %b32 = arith.extf %b : f16 to f32
      %d = arith.mulf %a32, %b32 : f32
      %h = arith.addf %c, %d : f32
      linalg.yield %h : f32
    }
    krnl.yield %s : tensor<256x512xf32>
  } -> tensor<256x512xf32>
  %u = krnl.kernel "up" loops [m = 256, n = 512, k = 256] ins(%x, %w, %g : tensor<256x256xf16>, tensor<256x512xf16>, tensor<256x512xf32>) outs(%e : tensor<256x512xf32>) {
  ^bb0(%p: tensor<256x256xf16>, %q: tensor<256x512xf16>, %r: tensor<256x512xf32>, %o: tensor<256x512xf32>):
    %t = krnl.temporary : tensor<256x512xf32>
    %i = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%__ = %t[m, n]) : () -> tensor<256x512xf32> { linalg.yield %i : f32 }
    %s = krnl.compute [m, n | k] (%a = %p[m, k], %b = %q[k, n]) -> (%c = %f[m, n]) : (tensor<256x256xf16>, tensor<256x512xf16>) -> tensor<256x512xf32> {
      %a32 = arith.extf %a : f16 to f32
      %b32 = arith.extf %b : f16 to f32
      %d = arith.mulf %a32, %b32 : f32
      %h = arith.addf %c, %d : f32
      linalg.yield %h : f32
    }
    %y = krnl.compute [m, n] (%a = %s[m, n], %b = %r[m, n]) -> (%_ = %o[m, n]) : (tensor<256x512xf32>, tensor<256x512xf32>) -> tensor<256x512xf32> {
      %c = arith.mulf %a, %b : f32
      linalg.yield %c : f32
    }
    krnl.yield %y : tensor<256x512xf32>
  } -> tensor<256x512xf32>
  return %u : tensor<256x512xf32>
}
func.func @other_rows(%x: tensor<256x256xf16>, %z: tensor<256x256xf16>, %v: tensor<256x512xf16>, %w: tensor<256x512xf16>) -> tensor<256x512xf32> {
  %e = tensor.empty() : tensor<256x512xf32>
  %g = krnl.kernel "gate" loops [m = 256, n = 512, k = 256] ins(%x, %v : tensor<256x256xf16>, tensor<256x512xf16>) outs(%e : tensor<256x512xf32>) {
  ^bb0(%p: tensor<256x256xf16>, %q: tensor<256x512xf16>, %o: tensor<256x512xf32>):
    %i = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%__ = %o[m, n]) : () -> tensor<256x512xf32> { linalg.yield %i : f32 }
    %s = krnl.compute [m, n | k] (%a = %p[m, k], %b = %q[k, n]) -> (%c = %f[m, n]) : (tensor<256x256xf16>, tensor<256x512xf16>) -> tensor<256x512xf32> {
      %a32 = arith.extf %a : f16 to f32
      %b32 = arith.extf %b : f16 to f32
      %d = arith.mulf %a32, %b32 : f32
      %h = arith.addf %c, %d : f32
      linalg.yield %h : f32
    }
    krnl.yield %s : tensor<256x512xf32>
  } -> tensor<256x512xf32>
  %u = krnl.kernel "up" loops [m = 256, n = 512, k = 256] ins(%z, %w, %g : tensor<256x256xf16>, tensor<256x512xf16>, tensor<256x512xf32>) outs(%e : tensor<256x512xf32>) {
  ^bb0(%p: tensor<256x256xf16>, %q: tensor<256x512xf16>, %r: tensor<256x512xf32>, %o: tensor<256x512xf32>):
    %t = krnl.temporary : tensor<256x512xf32>
    %i = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%__ = %t[m, n]) : () -> tensor<256x512xf32> { linalg.yield %i : f32 }
    %s = krnl.compute [m, n | k] (%a = %p[m, k], %b = %q[k, n]) -> (%c = %f[m, n]) : (tensor<256x256xf16>, tensor<256x512xf16>) -> tensor<256x512xf32> {
      %a32 = arith.extf %a : f16 to f32
      %b32 = arith.extf %b : f16 to f32
      %d = arith.mulf %a32, %b32 : f32
      %h = arith.addf %c, %d : f32
      linalg.yield %h : f32
    }
    %y = krnl.compute [m, n] (%a = %s[m, n], %b = %r[m, n]) -> (%_ = %o[m, n]) : (tensor<256x512xf32>, tensor<256x512xf32>) -> tensor<256x512xf32> {
      %c = arith.mulf %a, %b : f32
      linalg.yield %c : f32
    }
    krnl.yield %y : tensor<256x512xf32>
  } -> tensor<256x512xf32>
  return %u : tensor<256x512xf32>
}

// Not where the second product is of the first one's results, or the first one's results are read elsewhere, too.
// CHECK-LABEL: func @not_in_turn(
// CHECK:         krnl.kernel "first"
// CHECK:         krnl.kernel "chained"
// CHECK:         krnl.kernel "reader"
func.func @not_in_turn(%x: tensor<512xf32>, %v: tensor<512x512xf32>, %w: tensor<512x512xf32>) -> (tensor<512xf32>, tensor<512xf32>) {
  %e = tensor.empty() : tensor<512xf32>
  %g = krnl.kernel "first" loops [n = 512, k = 512] ins(%x, %v : tensor<512xf32>, tensor<512x512xf32>) outs(%e : tensor<512xf32>) {
  ^bb0(%p: tensor<512xf32>, %q: tensor<512x512xf32>, %o: tensor<512xf32>):
    %i = arith.constant 0.0 : f32
    %f = krnl.compute [n] () -> (%__ = %o[n]) : () -> tensor<512xf32> { linalg.yield %i : f32 }
    %s = krnl.compute [n | k] (%a = %p[k], %b = %q[k, n]) -> (%c = %f[n]) : (tensor<512xf32>, tensor<512x512xf32>) -> tensor<512xf32> {
      %d = arith.mulf %a, %b : f32
      %z = arith.addf %c, %d : f32
      linalg.yield %z : f32
    }
    krnl.yield %s : tensor<512xf32>
  } -> tensor<512xf32>
  %chained = krnl.kernel "chained" loops [n = 512, k = 512] ins(%g, %w : tensor<512xf32>, tensor<512x512xf32>) outs(%e : tensor<512xf32>) {
  ^bb0(%p: tensor<512xf32>, %q: tensor<512x512xf32>, %o: tensor<512xf32>):
    %i = arith.constant 0.0 : f32
    %f = krnl.compute [n] () -> (%__ = %o[n]) : () -> tensor<512xf32> { linalg.yield %i : f32 }
    %s = krnl.compute [n | k] (%a = %p[k], %b = %q[k, n]) -> (%c = %f[n]) : (tensor<512xf32>, tensor<512x512xf32>) -> tensor<512xf32> {
      %d = arith.mulf %a, %b : f32
      %z = arith.addf %c, %d : f32
      linalg.yield %z : f32
    }
    krnl.yield %s : tensor<512xf32>
  } -> tensor<512xf32>
  %u = krnl.kernel "reader" loops [j = 512, l = 512] ins(%x, %w, %chained : tensor<512xf32>, tensor<512x512xf32>, tensor<512xf32>) outs(%e : tensor<512xf32>) {
  ^bb0(%p: tensor<512xf32>, %q: tensor<512x512xf32>, %r: tensor<512xf32>, %o: tensor<512xf32>):
    %t = krnl.temporary : tensor<512xf32>
    %i = arith.constant 0.0 : f32
    %f = krnl.compute [j] () -> (%__ = %t[j]) : () -> tensor<512xf32> { linalg.yield %i : f32 }
    %s = krnl.compute [j | l] (%a = %p[l], %b = %q[l, j]) -> (%c = %f[j]) : (tensor<512xf32>, tensor<512x512xf32>) -> tensor<512xf32> {
      %d = arith.mulf %a, %b : f32
      %z = arith.addf %c, %d : f32
      linalg.yield %z : f32
    }
    %m = krnl.compute [j] (%a = %s[j], %b = %r[j]) -> (%_ = %o[j]) : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32> {
      %y = arith.mulf %a, %b : f32
      linalg.yield %y : f32
    }
    krnl.yield %m : tensor<512xf32>
  } -> tensor<512xf32>
  return %chained, %u : tensor<512xf32>, tensor<512xf32>
}

}

// -----

// A processor keeps both.
module attributes {krnl.target = #krnl.target<vector_bytes = 16>} {
// CHECK-LABEL: func @processor(
// CHECK:         krnl.kernel "a"
// CHECK:         krnl.kernel "b"
func.func @processor(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %e = tensor.empty() : tensor<64xf32>
  %a = krnl.kernel "a" loops [i = 64] ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%p: tensor<64xf32>, %q: tensor<64xf32>):
    %r = krnl.compute [i] (%v = %p[i]) -> (%_ = %q[i]) : (tensor<64xf32>) -> tensor<64xf32> { linalg.yield %v : f32 }
    krnl.yield %r : tensor<64xf32>
  } -> tensor<64xf32>
  %b = krnl.kernel "b" loops [i = 64] ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%p: tensor<64xf32>, %q: tensor<64xf32>):
    %r = krnl.compute [i] (%v = %p[i]) -> (%_ = %q[i]) : (tensor<64xf32>) -> tensor<64xf32> { linalg.yield %v : f32 }
    krnl.yield %r : tensor<64xf32>
  } -> tensor<64xf32>
  return %a, %b : tensor<64xf32>, tensor<64xf32>
}
}
