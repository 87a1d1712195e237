// RUN: onnx-opt %s -split-input-file -verify-diagnostics
//
// Loops end where a mask begins only if results stay the same.

func.func @unknown(%q: tensor<96x32xf32>, %k: tensor<512x32xf32>, %v: tensor<512x32xf32>, %o: tensor<96x32xf32>) -> tensor<96x32xf32> {
  // expected-error @+1 {{there is no loop 'x'}}
  %y = krnl.kernel "unknown" loops [m = 96, n = 512, k = 32, e = 32] ins(%q, %k, %v : tensor<96x32xf32>, tensor<512x32xf32>, tensor<512x32xf32>) outs(%o : tensor<96x32xf32>)
      recipe [block(m, 8) -> (m.o, m.r), block(n, 64) -> (n.o, n.r), order(m.o, n.o, k, m.r, n.r, e), fuse_outer(m.o), parallel(m.o), skip_masked(x)] {
  ^bb0(%x: tensor<96x32xf32>, %w: tensor<512x32xf32>, %z: tensor<512x32xf32>, %c: tensor<96x32xf32>):
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %s = krnl.temporary : tensor<96x512xf32>
    %t = krnl.temporary : tensor<96xf32>
    %u = krnl.temporary : tensor<96xf32>
    %0 = krnl.compute [m, n] () -> (%_ = %s[m, n]) : () -> tensor<96x512xf32> { linalg.yield %zero : f32 }
    %1 = krnl.compute [m, n | k] (%a = %x[m, k], %b = %w[n, k]) -> (%d = %0[m, n])
        : (tensor<96x32xf32>, tensor<512x32xf32>) -> tensor<96x512xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    %2 = krnl.compute [m, n] () -> (%d = %1[m, n]) : () -> tensor<96x512xf32> {
      %i = krnl.index n
      %j = krnl.index m
      %before = arith.constant 3 : index
      %end = arith.addi %j, %before : index
      %hidden = arith.cmpi sgt, %i, %end : index
      %p = arith.select %hidden, %lowest, %d : f32
      linalg.yield %p : f32
    }
    %3 = krnl.compute [m] () -> (%_ = %t[m]) : () -> tensor<96xf32> { linalg.yield %lowest : f32 }
    %4 = krnl.compute [m | n] (%a = %2[m, n]) -> (%d = %3[m]) : (tensor<96x512xf32>) -> tensor<96xf32> {
      %r = arith.maximumf %d, %a : f32
      linalg.yield %r : f32
    }
    %5 = krnl.compute [m, n] (%a = %4[m]) -> (%d = %2[m, n]) : (tensor<96xf32>) -> tensor<96x512xf32> {
      %p = arith.subf %d, %a : f32
      %r = math.exp %p : f32
      linalg.yield %r : f32
    }
    %6 = krnl.compute [m, e] () -> (%_ = %c[m, e]) : () -> tensor<96x32xf32> { linalg.yield %zero : f32 }
    %7 = krnl.compute [m, e | n] (%a = %5[m, n], %b = %z[n, e]) -> (%d = %6[m, e])
        : (tensor<96x512xf32>, tensor<512x32xf32>) -> tensor<96x32xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    krnl.yield %7 : tensor<96x32xf32>
  } -> tensor<96x32xf32>
  return %y : tensor<96x32xf32>
}

// -----

func.func @twice(%q: tensor<96x32xf32>, %k: tensor<512x32xf32>, %v: tensor<512x32xf32>, %o: tensor<96x32xf32>) -> tensor<96x32xf32> {
  // expected-error @+2 {{loop 'n.o' already ends where elements are masked}}
  // expected-note @+1 {{it would be legal before}}
  %y = krnl.kernel "twice" loops [m = 96, n = 512, k = 32, e = 32] ins(%q, %k, %v : tensor<96x32xf32>, tensor<512x32xf32>, tensor<512x32xf32>) outs(%o : tensor<96x32xf32>)
      recipe [block(m, 8) -> (m.o, m.r), block(n, 64) -> (n.o, n.r), order(m.o, n.o, k, m.r, n.r, e), fuse_outer(m.o), parallel(m.o), skip_masked(n.o), skip_masked(n.o)] {
  ^bb0(%x: tensor<96x32xf32>, %w: tensor<512x32xf32>, %z: tensor<512x32xf32>, %c: tensor<96x32xf32>):
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %s = krnl.temporary : tensor<96x512xf32>
    %t = krnl.temporary : tensor<96xf32>
    %u = krnl.temporary : tensor<96xf32>
    %0 = krnl.compute [m, n] () -> (%_ = %s[m, n]) : () -> tensor<96x512xf32> { linalg.yield %zero : f32 }
    %1 = krnl.compute [m, n | k] (%a = %x[m, k], %b = %w[n, k]) -> (%d = %0[m, n])
        : (tensor<96x32xf32>, tensor<512x32xf32>) -> tensor<96x512xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    %2 = krnl.compute [m, n] () -> (%d = %1[m, n]) : () -> tensor<96x512xf32> {
      %i = krnl.index n
      %j = krnl.index m
      %before = arith.constant 3 : index
      %end = arith.addi %j, %before : index
      %hidden = arith.cmpi sgt, %i, %end : index
      %p = arith.select %hidden, %lowest, %d : f32
      linalg.yield %p : f32
    }
    %3 = krnl.compute [m] () -> (%_ = %t[m]) : () -> tensor<96xf32> { linalg.yield %lowest : f32 }
    %4 = krnl.compute [m | n] (%a = %2[m, n]) -> (%d = %3[m]) : (tensor<96x512xf32>) -> tensor<96xf32> {
      %r = arith.maximumf %d, %a : f32
      linalg.yield %r : f32
    }
    %5 = krnl.compute [m, n] (%a = %4[m]) -> (%d = %2[m, n]) : (tensor<96xf32>) -> tensor<96x512xf32> {
      %p = arith.subf %d, %a : f32
      %r = math.exp %p : f32
      linalg.yield %r : f32
    }
    %6 = krnl.compute [m, e] () -> (%_ = %c[m, e]) : () -> tensor<96x32xf32> { linalg.yield %zero : f32 }
    %7 = krnl.compute [m, e | n] (%a = %5[m, n], %b = %z[n, e]) -> (%d = %6[m, e])
        : (tensor<96x512xf32>, tensor<512x32xf32>) -> tensor<96x32xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    krnl.yield %7 : tensor<96x32xf32>
  } -> tensor<96x32xf32>
  return %y : tensor<96x32xf32>
}

// -----

func.func @blocked(%q: tensor<96x32xf32>, %k: tensor<512x32xf32>, %v: tensor<512x32xf32>, %o: tensor<96x32xf32>) -> tensor<96x32xf32> {
  // expected-error @+2 {{loop 'n.o' is ended where elements are masked; block it before that}}
  // expected-note @+1 {{it would be legal before}}
  %y = krnl.kernel "blocked" loops [m = 96, n = 512, k = 32, e = 32] ins(%q, %k, %v : tensor<96x32xf32>, tensor<512x32xf32>, tensor<512x32xf32>) outs(%o : tensor<96x32xf32>)
      recipe [block(m, 8) -> (m.o, m.r), block(n, 64) -> (n.o, n.r), order(m.o, n.o, k, m.r, n.r, e), fuse_outer(m.o), parallel(m.o), skip_masked(n.o), block(n.o, 2) -> (n.a, n.b)] {
  ^bb0(%x: tensor<96x32xf32>, %w: tensor<512x32xf32>, %z: tensor<512x32xf32>, %c: tensor<96x32xf32>):
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %s = krnl.temporary : tensor<96x512xf32>
    %t = krnl.temporary : tensor<96xf32>
    %u = krnl.temporary : tensor<96xf32>
    %0 = krnl.compute [m, n] () -> (%_ = %s[m, n]) : () -> tensor<96x512xf32> { linalg.yield %zero : f32 }
    %1 = krnl.compute [m, n | k] (%a = %x[m, k], %b = %w[n, k]) -> (%d = %0[m, n])
        : (tensor<96x32xf32>, tensor<512x32xf32>) -> tensor<96x512xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    %2 = krnl.compute [m, n] () -> (%d = %1[m, n]) : () -> tensor<96x512xf32> {
      %i = krnl.index n
      %j = krnl.index m
      %before = arith.constant 3 : index
      %end = arith.addi %j, %before : index
      %hidden = arith.cmpi sgt, %i, %end : index
      %p = arith.select %hidden, %lowest, %d : f32
      linalg.yield %p : f32
    }
    %3 = krnl.compute [m] () -> (%_ = %t[m]) : () -> tensor<96xf32> { linalg.yield %lowest : f32 }
    %4 = krnl.compute [m | n] (%a = %2[m, n]) -> (%d = %3[m]) : (tensor<96x512xf32>) -> tensor<96xf32> {
      %r = arith.maximumf %d, %a : f32
      linalg.yield %r : f32
    }
    %5 = krnl.compute [m, n] (%a = %4[m]) -> (%d = %2[m, n]) : (tensor<96xf32>) -> tensor<96x512xf32> {
      %p = arith.subf %d, %a : f32
      %r = math.exp %p : f32
      linalg.yield %r : f32
    }
    %6 = krnl.compute [m, e] () -> (%_ = %c[m, e]) : () -> tensor<96x32xf32> { linalg.yield %zero : f32 }
    %7 = krnl.compute [m, e | n] (%a = %5[m, n], %b = %z[n, e]) -> (%d = %6[m, e])
        : (tensor<96x512xf32>, tensor<512x32xf32>) -> tensor<96x32xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    krnl.yield %7 : tensor<96x32xf32>
  } -> tensor<96x32xf32>
  return %y : tensor<96x32xf32>
}

// -----

func.func @unmasked(%q: tensor<96x32xf32>, %k: tensor<512x32xf32>, %v: tensor<512x32xf32>, %o: tensor<96x32xf32>) -> tensor<96x32xf32> {
  // expected-error @+1 {{op '0' cannot skip iterations of loop 'n.o': no mask is computed from indices}}
  %y = krnl.kernel "unmasked" loops [m = 96, n = 512, k = 32, e = 32] ins(%q, %k, %v : tensor<96x32xf32>, tensor<512x32xf32>, tensor<512x32xf32>) outs(%o : tensor<96x32xf32>)
      recipe [block(m, 8) -> (m.o, m.r), block(n, 64) -> (n.o, n.r), order(m.o, n.o, k, m.r, n.r, e), fuse_outer(m.o), parallel(m.o), skip_masked(n.o)] {
  ^bb0(%x: tensor<96x32xf32>, %w: tensor<512x32xf32>, %z: tensor<512x32xf32>, %c: tensor<96x32xf32>):
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %s = krnl.temporary : tensor<96x512xf32>
    %t = krnl.temporary : tensor<96xf32>
    %u = krnl.temporary : tensor<96xf32>
    %0 = krnl.compute [m, n] () -> (%_ = %s[m, n]) : () -> tensor<96x512xf32> { linalg.yield %zero : f32 }
    %1 = krnl.compute [m, n | k] (%a = %x[m, k], %b = %w[n, k]) -> (%d = %0[m, n])
        : (tensor<96x32xf32>, tensor<512x32xf32>) -> tensor<96x512xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    %2 = krnl.compute [m, n] () -> (%d = %1[m, n]) : () -> tensor<96x512xf32> {
      %i = krnl.index n
      %j = krnl.index m
      %before = arith.constant 3 : index
      %end = arith.addi %j, %before : index
      %hidden = arith.cmpi sgt, %i, %end : index
      %p = arith.select %hidden, %zero, %d : f32
      linalg.yield %p : f32
    }
    %3 = krnl.compute [m] () -> (%_ = %t[m]) : () -> tensor<96xf32> { linalg.yield %lowest : f32 }
    %4 = krnl.compute [m | n] (%a = %2[m, n]) -> (%d = %3[m]) : (tensor<96x512xf32>) -> tensor<96xf32> {
      %r = arith.maximumf %d, %a : f32
      linalg.yield %r : f32
    }
    %5 = krnl.compute [m, n] (%a = %4[m]) -> (%d = %2[m, n]) : (tensor<96xf32>) -> tensor<96x512xf32> {
      %p = arith.subf %d, %a : f32
      %r = math.exp %p : f32
      linalg.yield %r : f32
    }
    %6 = krnl.compute [m, e] () -> (%_ = %c[m, e]) : () -> tensor<96x32xf32> { linalg.yield %zero : f32 }
    %7 = krnl.compute [m, e | n] (%a = %5[m, n], %b = %z[n, e]) -> (%d = %6[m, e])
        : (tensor<96x512xf32>, tensor<512x32xf32>) -> tensor<96x32xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    krnl.yield %7 : tensor<96x32xf32>
  } -> tensor<96x32xf32>
  return %y : tensor<96x32xf32>
}

// -----

func.func @needed(%q: tensor<96x32xf32>, %k: tensor<512x32xf32>, %v: tensor<512x32xf32>, %o: tensor<96x32xf32>) -> tensor<96x32xf32> {
  // expected-error @+1 {{op '2' cannot skip iterations of loop 'n.o': results depend on elements that are hidden}}
  %y = krnl.kernel "needed" loops [m = 96, n = 512, k = 32, e = 32] ins(%q, %k, %v : tensor<96x32xf32>, tensor<512x32xf32>, tensor<512x32xf32>) outs(%o : tensor<96x32xf32>)
      recipe [block(m, 8) -> (m.o, m.r), block(n, 64) -> (n.o, n.r), order(m.o, n.o, k, m.r, n.r, e), fuse_outer(m.o), parallel(m.o), skip_masked(n.o)] {
  ^bb0(%x: tensor<96x32xf32>, %w: tensor<512x32xf32>, %z: tensor<512x32xf32>, %c: tensor<96x32xf32>):
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %s = krnl.temporary : tensor<96x512xf32>
    %t = krnl.temporary : tensor<96xf32>
    %u = krnl.temporary : tensor<96xf32>
    %0 = krnl.compute [m, n] () -> (%_ = %s[m, n]) : () -> tensor<96x512xf32> { linalg.yield %zero : f32 }
    %1 = krnl.compute [m, n | k] (%a = %x[m, k], %b = %w[n, k]) -> (%d = %0[m, n])
        : (tensor<96x32xf32>, tensor<512x32xf32>) -> tensor<96x512xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    %2 = krnl.compute [m, n] () -> (%d = %1[m, n]) : () -> tensor<96x512xf32> {
      %i = krnl.index n
      %j = krnl.index m
      %before = arith.constant 3 : index
      %end = arith.addi %j, %before : index
      %hidden = arith.cmpi sgt, %i, %end : index
      %p = arith.select %hidden, %lowest, %d : f32
      linalg.yield %p : f32
    }
    %3 = krnl.compute [m] () -> (%_ = %t[m]) : () -> tensor<96xf32> { linalg.yield %lowest : f32 }
    %4 = krnl.compute [m | n] (%a = %2[m, n]) -> (%d = %3[m]) : (tensor<96x512xf32>) -> tensor<96xf32> {
      %r = arith.maximumf %d, %a : f32
      linalg.yield %r : f32
    }
    %5 = krnl.compute [m, n] (%a = %4[m]) -> (%d = %2[m, n]) : (tensor<96xf32>) -> tensor<96x512xf32> {
      %p = arith.subf %d, %a : f32
      %r = math.absf %p : f32
      linalg.yield %r : f32
    }
    %6 = krnl.compute [m, e] () -> (%_ = %c[m, e]) : () -> tensor<96x32xf32> { linalg.yield %zero : f32 }
    %7 = krnl.compute [m, e | n] (%a = %5[m, n], %b = %z[n, e]) -> (%d = %6[m, e])
        : (tensor<96x512xf32>, tensor<512x32xf32>) -> tensor<96x32xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    krnl.yield %7 : tensor<96x32xf32>
  } -> tensor<96x32xf32>
  return %y : tensor<96x32xf32>
}

// -----

func.func @goes_on(%q: tensor<96x32xf32>, %k: tensor<512x32xf32>, %v: tensor<512x32xf32>, %o: tensor<96x32xf32>) -> tensor<96x32xf32> {
  // expected-error @+1 {{op '5' cannot skip iterations of loop 'n.o': an op that reads the results goes on}}
  %y = krnl.kernel "goes_on" loops [m = 96, n = 512, k = 32, e = 32] ins(%q, %k, %v : tensor<96x32xf32>, tensor<512x32xf32>, tensor<512x32xf32>) outs(%o : tensor<96x32xf32>)
      recipe [block(m, 8) -> (m.o, m.r), block(n, 64) -> (n.o, n.r), order(m.o, n.o, k, m.r, n.r, e), fuse_outer(m.o), parallel(m.o), 5: skip_masked(n.o)] {
  ^bb0(%x: tensor<96x32xf32>, %w: tensor<512x32xf32>, %z: tensor<512x32xf32>, %c: tensor<96x32xf32>):
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %s = krnl.temporary : tensor<96x512xf32>
    %t = krnl.temporary : tensor<96xf32>
    %u = krnl.temporary : tensor<96xf32>
    %0 = krnl.compute [m, n] () -> (%_ = %s[m, n]) : () -> tensor<96x512xf32> { linalg.yield %zero : f32 }
    %1 = krnl.compute [m, n | k] (%a = %x[m, k], %b = %w[n, k]) -> (%d = %0[m, n])
        : (tensor<96x32xf32>, tensor<512x32xf32>) -> tensor<96x512xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    %2 = krnl.compute [m, n] () -> (%d = %1[m, n]) : () -> tensor<96x512xf32> {
      %i = krnl.index n
      %j = krnl.index m
      %before = arith.constant 3 : index
      %end = arith.addi %j, %before : index
      %hidden = arith.cmpi sgt, %i, %end : index
      %p = arith.select %hidden, %lowest, %d : f32
      linalg.yield %p : f32
    }
    %3 = krnl.compute [m] () -> (%_ = %t[m]) : () -> tensor<96xf32> { linalg.yield %lowest : f32 }
    %4 = krnl.compute [m | n] (%a = %2[m, n]) -> (%d = %3[m]) : (tensor<96x512xf32>) -> tensor<96xf32> {
      %r = arith.maximumf %d, %a : f32
      linalg.yield %r : f32
    }
    %5 = krnl.compute [m, n] (%a = %4[m]) -> (%d = %2[m, n]) : (tensor<96xf32>) -> tensor<96x512xf32> {
      %p = arith.subf %d, %a : f32
      %r = math.exp %p : f32
      linalg.yield %r : f32
    }
    %6 = krnl.compute [m, e] () -> (%_ = %c[m, e]) : () -> tensor<96x32xf32> { linalg.yield %zero : f32 }
    %7 = krnl.compute [m, e | n] (%a = %5[m, n], %b = %z[n, e]) -> (%d = %6[m, e])
        : (tensor<96x512xf32>, tensor<512x32xf32>) -> tensor<96x32xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    krnl.yield %7 : tensor<96x32xf32>
  } -> tensor<96x32xf32>
  return %y : tensor<96x32xf32>
}

// -----

func.func @other(%q: tensor<96x32xf32>, %k: tensor<512x32xf32>, %v: tensor<512x32xf32>, %o: tensor<96x32xf32>) -> tensor<96x32xf32> {
  // expected-error @+1 {{op '7' cannot skip iterations of loop 'e': results depend on elements that are hidden}}
  %y = krnl.kernel "other" loops [m = 96, n = 512, k = 32, e = 32] ins(%q, %k, %v : tensor<96x32xf32>, tensor<512x32xf32>, tensor<512x32xf32>) outs(%o : tensor<96x32xf32>)
      recipe [block(m, 8) -> (m.o, m.r), block(n, 64) -> (n.o, n.r), order(m.o, n.o, k, m.r, n.r, e), fuse_outer(m.o), parallel(m.o), 7: skip_masked(e)] {
  ^bb0(%x: tensor<96x32xf32>, %w: tensor<512x32xf32>, %z: tensor<512x32xf32>, %c: tensor<96x32xf32>):
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %s = krnl.temporary : tensor<96x512xf32>
    %t = krnl.temporary : tensor<96xf32>
    %u = krnl.temporary : tensor<96xf32>
    %0 = krnl.compute [m, n] () -> (%_ = %s[m, n]) : () -> tensor<96x512xf32> { linalg.yield %zero : f32 }
    %1 = krnl.compute [m, n | k] (%a = %x[m, k], %b = %w[n, k]) -> (%d = %0[m, n])
        : (tensor<96x32xf32>, tensor<512x32xf32>) -> tensor<96x512xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    %2 = krnl.compute [m, n] () -> (%d = %1[m, n]) : () -> tensor<96x512xf32> {
      %i = krnl.index n
      %j = krnl.index m
      %before = arith.constant 3 : index
      %end = arith.addi %j, %before : index
      %hidden = arith.cmpi sgt, %i, %end : index
      %p = arith.select %hidden, %lowest, %d : f32
      linalg.yield %p : f32
    }
    %3 = krnl.compute [m] () -> (%_ = %t[m]) : () -> tensor<96xf32> { linalg.yield %lowest : f32 }
    %4 = krnl.compute [m | n] (%a = %2[m, n]) -> (%d = %3[m]) : (tensor<96x512xf32>) -> tensor<96xf32> {
      %r = arith.maximumf %d, %a : f32
      linalg.yield %r : f32
    }
    %5 = krnl.compute [m, n] (%a = %4[m]) -> (%d = %2[m, n]) : (tensor<96xf32>) -> tensor<96x512xf32> {
      %p = arith.subf %d, %a : f32
      %r = math.exp %p : f32
      linalg.yield %r : f32
    }
    %6 = krnl.compute [m, e] () -> (%_ = %c[m, e]) : () -> tensor<96x32xf32> { linalg.yield %zero : f32 }
    %7 = krnl.compute [m, e | n] (%a = %5[m, n], %b = %z[n, e]) -> (%d = %6[m, e])
        : (tensor<96x512xf32>, tensor<512x32xf32>) -> tensor<96x32xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    krnl.yield %7 : tensor<96x32xf32>
  } -> tensor<96x32xf32>
  return %y : tensor<96x32xf32>
}

// -----

func.func @outer(%q: tensor<96x32xf32>, %k: tensor<512x32xf32>, %v: tensor<512x32xf32>, %o: tensor<96x32xf32>) -> tensor<96x32xf32> {
  // expected-error @+1 {{op '0' cannot skip iterations of loop 'm': all of its iterations are there}}
  %y = krnl.kernel "outer" loops [m = 96, n = 512, k = 32, e = 32] ins(%q, %k, %v : tensor<96x32xf32>, tensor<512x32xf32>, tensor<512x32xf32>) outs(%o : tensor<96x32xf32>)
      recipe [order(m, n, k, e), fuse_outer(m), parallel(m), skip_masked(m)] {
  ^bb0(%x: tensor<96x32xf32>, %w: tensor<512x32xf32>, %z: tensor<512x32xf32>, %c: tensor<96x32xf32>):
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %s = krnl.temporary : tensor<96x512xf32>
    %t = krnl.temporary : tensor<96xf32>
    %u = krnl.temporary : tensor<96xf32>
    %0 = krnl.compute [m, n] () -> (%_ = %s[m, n]) : () -> tensor<96x512xf32> { linalg.yield %zero : f32 }
    %1 = krnl.compute [m, n | k] (%a = %x[m, k], %b = %w[n, k]) -> (%d = %0[m, n])
        : (tensor<96x32xf32>, tensor<512x32xf32>) -> tensor<96x512xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    %2 = krnl.compute [m, n] () -> (%d = %1[m, n]) : () -> tensor<96x512xf32> {
      %i = krnl.index n
      %j = krnl.index m
      %before = arith.constant 3 : index
      %end = arith.addi %j, %before : index
      %hidden = arith.cmpi sgt, %i, %end : index
      %p = arith.select %hidden, %lowest, %d : f32
      linalg.yield %p : f32
    }
    %3 = krnl.compute [m] () -> (%_ = %t[m]) : () -> tensor<96xf32> { linalg.yield %lowest : f32 }
    %4 = krnl.compute [m | n] (%a = %2[m, n]) -> (%d = %3[m]) : (tensor<96x512xf32>) -> tensor<96xf32> {
      %r = arith.maximumf %d, %a : f32
      linalg.yield %r : f32
    }
    %5 = krnl.compute [m, n] (%a = %4[m]) -> (%d = %2[m, n]) : (tensor<96xf32>) -> tensor<96x512xf32> {
      %p = arith.subf %d, %a : f32
      %r = math.exp %p : f32
      linalg.yield %r : f32
    }
    %6 = krnl.compute [m, e] () -> (%_ = %c[m, e]) : () -> tensor<96x32xf32> { linalg.yield %zero : f32 }
    %7 = krnl.compute [m, e | n] (%a = %5[m, n], %b = %z[n, e]) -> (%d = %6[m, e])
        : (tensor<96x512xf32>, tensor<512x32xf32>) -> tensor<96x32xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    krnl.yield %7 : tensor<96x32xf32>
  } -> tensor<96x32xf32>
  return %y : tensor<96x32xf32>
}

// -----

func.func @columns(%q: tensor<96x32xf32>, %k: tensor<512x32xf32>, %v: tensor<512x32xf32>, %o: tensor<96x32xf32>) -> tensor<96x32xf32> {
  // expected-error @+1 {{op '1' cannot skip iterations of loop 'm.r': results of another loop would be missing}}
  %y = krnl.kernel "columns" loops [m = 96, n = 512, k = 32, e = 32] ins(%q, %k, %v : tensor<96x32xf32>, tensor<512x32xf32>, tensor<512x32xf32>) outs(%o : tensor<96x32xf32>)
      recipe [block(m, 8) -> (m.o, m.r), block(n, 64) -> (n.o, n.r), order(m.o, n.o, k, m.r, n.r, e), fuse_outer(m.o), parallel(m.o), 1: skip_masked(m.r)] {
  ^bb0(%x: tensor<96x32xf32>, %w: tensor<512x32xf32>, %z: tensor<512x32xf32>, %c: tensor<96x32xf32>):
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %s = krnl.temporary : tensor<96x512xf32>
    %t = krnl.temporary : tensor<96xf32>
    %u = krnl.temporary : tensor<96xf32>
    %0 = krnl.compute [m, n] () -> (%_ = %s[m, n]) : () -> tensor<96x512xf32> { linalg.yield %zero : f32 }
    %1 = krnl.compute [m, n | k] (%a = %x[m, k], %b = %w[n, k]) -> (%d = %0[m, n])
        : (tensor<96x32xf32>, tensor<512x32xf32>) -> tensor<96x512xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    %2 = krnl.compute [m, n] () -> (%d = %1[m, n]) : () -> tensor<96x512xf32> {
      %i = krnl.index n
      %j = krnl.index m
      %before = arith.constant 3 : index
      %end = arith.addi %j, %before : index
      %hidden = arith.cmpi sgt, %i, %end : index
      %p = arith.select %hidden, %lowest, %d : f32
      linalg.yield %p : f32
    }
    %3 = krnl.compute [m] () -> (%_ = %t[m]) : () -> tensor<96xf32> { linalg.yield %lowest : f32 }
    %4 = krnl.compute [m | n] (%a = %2[m, n]) -> (%d = %3[m]) : (tensor<96x512xf32>) -> tensor<96xf32> {
      %r = arith.maximumf %d, %a : f32
      linalg.yield %r : f32
    }
    %5 = krnl.compute [m, n] (%a = %4[m]) -> (%d = %2[m, n]) : (tensor<96xf32>) -> tensor<96x512xf32> {
      %p = arith.subf %d, %a : f32
      %r = math.exp %p : f32
      linalg.yield %r : f32
    }
    %6 = krnl.compute [m, e] () -> (%_ = %c[m, e]) : () -> tensor<96x32xf32> { linalg.yield %zero : f32 }
    %7 = krnl.compute [m, e | n] (%a = %5[m, n], %b = %z[n, e]) -> (%d = %6[m, e])
        : (tensor<96x512xf32>, tensor<512x32xf32>) -> tensor<96x32xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    krnl.yield %7 : tensor<96x32xf32>
  } -> tensor<96x32xf32>
  return %y : tensor<96x32xf32>
}
