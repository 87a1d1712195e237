// RUN: onnx-opt %s --verify-diagnostics --split-input-file
//
// Each reason for which a loop cannot be mapped to threads.

func.func @map_of_one_op(%x: tensor<6x2000xf32>, %o: tensor<6x2000xf32>) -> tensor<6x2000xf32> {
  // expected-error @+1 {{concerns all ops; it cannot be limited to one}}
  %y = krnl.kernel "map_of_one_op" loops [r = 6, c = 2000]
      ins(%x : tensor<6x2000xf32>) outs(%o : tensor<6x2000xf32>)
      recipe [fuse_outer(r), square: map(r, thread)] {
  ^bb0(%a: tensor<6x2000xf32>, %b: tensor<6x2000xf32>):
    %s = krnl.compute "square" [r, c] (%p = %a[r, c]) -> (%q = %b[r, c]) : (tensor<6x2000xf32>) -> tensor<6x2000xf32> {
      %t = arith.mulf %p, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<6x2000xf32>
  } -> tensor<6x2000xf32>
  return %y : tensor<6x2000xf32>
}

// -----

func.func @map_of_unknown_extent(%x: tensor<?x2000xf32>, %o: tensor<?x2000xf32>) -> tensor<?x2000xf32> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %x, %c0 : tensor<?x2000xf32>
  // expected-error @+1 {{the extent of loop 'r' is not known; block it first}}
  %y = krnl.kernel "map_of_unknown_extent" loops [r = %size, c = 2000]
      ins(%x : tensor<?x2000xf32>) outs(%o : tensor<?x2000xf32>)
      recipe [fuse_outer(r), map(r, thread)] {
  ^bb0(%a: tensor<?x2000xf32>, %b: tensor<?x2000xf32>, %r_extent: index):
    %s = krnl.compute "square" [r, c] (%p = %a[r, c]) -> (%q = %b[r, c]) : (tensor<?x2000xf32>) -> tensor<?x2000xf32> {
      %t = arith.mulf %p, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<?x2000xf32>
  } -> tensor<?x2000xf32>
  return %y : tensor<?x2000xf32>
}

// -----

func.func @map_not_next(%x: tensor<6x2000xf32>, %o: tensor<6x2000xf32>) -> tensor<6x2000xf32> {
  // expected-error @+1 {{loop 'c' is not the next loop inside the parallel and mapped ones, 'r' is}}
  %y = krnl.kernel "map_not_next" loops [r = 6, c = 2000]
      ins(%x : tensor<6x2000xf32>) outs(%o : tensor<6x2000xf32>)
      recipe [fuse_outer(r, c), map(c, thread)] {
  ^bb0(%a: tensor<6x2000xf32>, %b: tensor<6x2000xf32>):
    %s = krnl.compute "square" [r, c] (%p = %a[r, c]) -> (%q = %b[r, c]) : (tensor<6x2000xf32>) -> tensor<6x2000xf32> {
      %t = arith.mulf %p, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<6x2000xf32>
  } -> tensor<6x2000xf32>
  return %y : tensor<6x2000xf32>
}

// -----

func.func @parallel_inside_map(%x: tensor<6x2000xf32>, %o: tensor<6x2000xf32>) -> tensor<6x2000xf32> {
  // expected-error @+1 {{loop 'c' comes after a mapped loop}}
  %y = krnl.kernel "parallel_inside_map" loops [r = 6, c = 2000]
      ins(%x : tensor<6x2000xf32>) outs(%o : tensor<6x2000xf32>)
      recipe [fuse_outer(r, c), map(r, thread), parallel(c)] {
  ^bb0(%a: tensor<6x2000xf32>, %b: tensor<6x2000xf32>):
    %s = krnl.compute "square" [r, c] (%p = %a[r, c]) -> (%q = %b[r, c]) : (tensor<6x2000xf32>) -> tensor<6x2000xf32> {
      %t = arith.mulf %p, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<6x2000xf32>
  } -> tensor<6x2000xf32>
  return %y : tensor<6x2000xf32>
}

// -----

func.func @map_of_many_threads(%x: tensor<6x2000xf32>, %o: tensor<6x2000xf32>) -> tensor<6x2000xf32> {
  // expected-error @+1 {{loop 'c' makes more than 1024 threads of a tile; block it first}}
  %y = krnl.kernel "map_of_many_threads" loops [r = 6, c = 2000]
      ins(%x : tensor<6x2000xf32>) outs(%o : tensor<6x2000xf32>)
      recipe [fuse_outer(r, c), map(r, thread), map(c, thread)] {
  ^bb0(%a: tensor<6x2000xf32>, %b: tensor<6x2000xf32>):
    %s = krnl.compute "square" [r, c] (%p = %a[r, c]) -> (%q = %b[r, c]) : (tensor<6x2000xf32>) -> tensor<6x2000xf32> {
      %t = arith.mulf %p, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<6x2000xf32>
  } -> tensor<6x2000xf32>
  return %y : tensor<6x2000xf32>
}

// -----

func.func @map_of_vectors(%x: tensor<6x2000xf32>, %o: tensor<6x2000xf32>) -> tensor<6x2000xf32> {
  // expected-error @+2 {{each iteration of loop 'c.v' is a thread's, so it stays a plain loop}}
  // expected-note @+1 {{it would be legal before recipe step 4 'vectorize(c.v, 4)'}}
  %y = krnl.kernel "map_of_vectors" loops [r = 6, c = 2000]
      ins(%x : tensor<6x2000xf32>) outs(%o : tensor<6x2000xf32>)
      recipe [block(c, 4) -> (c.o, c.v), fuse_outer(r, c.o, c.v), parallel(r, c.o), vectorize(c.v, 4), map(c.v, thread)] {
  ^bb0(%a: tensor<6x2000xf32>, %b: tensor<6x2000xf32>):
    %s = krnl.compute "square" [r, c] (%p = %a[r, c]) -> (%q = %b[r, c]) : (tensor<6x2000xf32>) -> tensor<6x2000xf32> {
      %t = arith.mulf %p, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<6x2000xf32>
  } -> tensor<6x2000xf32>
  return %y : tensor<6x2000xf32>
}

// -----

func.func @peeled_map(%x: tensor<6x2000xf32>, %o: tensor<6x2000xf32>) -> tensor<6x2000xf32> {
  // expected-error @+1 {{each iteration of loop 'c.o' is a thread's, so it stays a plain loop}}
  %y = krnl.kernel "peeled_map" loops [r = 6, c = 2000]
      ins(%x : tensor<6x2000xf32>) outs(%o : tensor<6x2000xf32>)
      recipe [block(c, 512, tail=peel) -> (c.o, c.r), fuse_outer(r, c.o), parallel(r), map(c.o, thread)] {
  ^bb0(%a: tensor<6x2000xf32>, %b: tensor<6x2000xf32>):
    %s = krnl.compute "square" [r, c] (%p = %a[r, c]) -> (%q = %b[r, c]) : (tensor<6x2000xf32>) -> tensor<6x2000xf32> {
      %t = arith.mulf %p, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<6x2000xf32>
  } -> tensor<6x2000xf32>
  return %y : tensor<6x2000xf32>
}

// -----

func.func @reduced_map(%x: tensor<6x20xf32>, %o: tensor<6xf32>) -> tensor<6xf32> {
  // expected-error @+1 {{loop 'c' is reduced by op 'sum', so it must be mapped without being in fuse_outer}}
  %y = krnl.kernel "reduced_map" loops [r = 6, c = 20]
      ins(%x : tensor<6x20xf32>) outs(%o : tensor<6xf32>)
      recipe [fuse_outer(r, c), parallel(r), map(c, thread)] {
  ^bb0(%a: tensor<6x20xf32>, %b: tensor<6xf32>):
    %s = krnl.compute "sum" [r | c] (%p = %a[r, c]) -> (%q = %b[r]) : (tensor<6x20xf32>) -> tensor<6xf32> {
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<6xf32>
  } -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// -----

func.func @map_parallel(%x: tensor<6x100xf32>, %o: tensor<6x100xf32>) -> tensor<6x100xf32> {
  // expected-error @+2 {{loop 'c' is parallel already}}
  // expected-note @+1 {{it would be legal before recipe step 1 'fuse_outer(r, c)'}}
  %y = krnl.kernel "map_parallel" loops [r = 6, c = 100]
      ins(%x : tensor<6x100xf32>) outs(%o : tensor<6x100xf32>)
      recipe [fuse_outer(r, c), parallel(r, c), map(c, thread)] {
  ^bb0(%a: tensor<6x100xf32>, %b: tensor<6x100xf32>):
    %s = krnl.compute "copy" [r, c] (%p = %a[r, c]) -> (%q = %b[r, c]) : (tensor<6x100xf32>) -> tensor<6x100xf32> {
      %t = arith.addf %p, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<6x100xf32>
  } -> tensor<6x100xf32>
  return %y : tensor<6x100xf32>
}

// -----

func.func @parallel_twice(%x: tensor<6x100xf32>, %o: tensor<6xf32>) -> tensor<6xf32> {
  // expected-error @+2 {{loop 'r' is parallel already}}
  // expected-note @+1 {{it would be legal before recipe step 2 'parallel(r)'}}
  %y = krnl.kernel "parallel_twice" loops [r = 6, c = 100]
      ins(%x : tensor<6x100xf32>) outs(%o : tensor<6xf32>)
      recipe [fuse_outer(r), parallel(r), parallel(r)] {
  ^bb0(%a: tensor<6x100xf32>, %b: tensor<6xf32>):
    %s = krnl.compute "sum" [r | c] (%p = %a[r, c]) -> (%q = %b[r]) : (tensor<6x100xf32>) -> tensor<6xf32> {
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<6xf32>
  } -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// -----

func.func @map_twice(%x: tensor<6x100xf32>, %o: tensor<6xf32>) -> tensor<6xf32> {
  // expected-error @+2 {{loop 'c.t' is mapped already}}
  // expected-note @+1 {{it would be legal before recipe step 2 'map(c.t, thread)'}}
  %y = krnl.kernel "map_twice" loops [r = 6, c = 100]
      ins(%x : tensor<6x100xf32>) outs(%o : tensor<6xf32>)
      recipe [block(c, 32) -> (c.o, c.t), map(c.t, thread), map(c.t, thread)] {
  ^bb0(%a: tensor<6x100xf32>, %b: tensor<6xf32>):
    %s = krnl.compute "sum" [r | c] (%p = %a[r, c]) -> (%q = %b[r]) : (tensor<6x100xf32>) -> tensor<6xf32> {
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<6xf32>
  } -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// -----

func.func @block_mapped(%x: tensor<6x100xf32>, %o: tensor<6xf32>) -> tensor<6xf32> {
  // expected-error @+2 {{loop 'c.t' is mapped; block it before that}}
  // expected-note @+1 {{it would be legal before recipe step 2 'map(c.t, thread)'}}
  %y = krnl.kernel "block_mapped" loops [r = 6, c = 100]
      ins(%x : tensor<6x100xf32>) outs(%o : tensor<6xf32>)
      recipe [block(c, 32) -> (c.o, c.t), map(c.t, thread), block(c.t, 4) -> (c.u, c.v)] {
  ^bb0(%a: tensor<6x100xf32>, %b: tensor<6xf32>):
    %s = krnl.compute "sum" [r | c] (%p = %a[r, c]) -> (%q = %b[r]) : (tensor<6x100xf32>) -> tensor<6xf32> {
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<6xf32>
  } -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// -----

func.func @fuse_outer_mapped(%x: tensor<6x100xf32>, %o: tensor<6xf32>) -> tensor<6xf32> {
  // expected-error @+2 {{loop 'r' is mapped; put it in fuse_outer before that}}
  // expected-note @+1 {{it would be legal before recipe step 1 'map(r, thread)'}}
  %y = krnl.kernel "fuse_outer_mapped" loops [r = 6, c = 100]
      ins(%x : tensor<6x100xf32>) outs(%o : tensor<6xf32>)
      recipe [map(r, thread), fuse_outer(r)] {
  ^bb0(%a: tensor<6x100xf32>, %b: tensor<6xf32>):
    %s = krnl.compute "sum" [r | c] (%p = %a[r, c]) -> (%q = %b[r]) : (tensor<6x100xf32>) -> tensor<6xf32> {
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<6xf32>
  } -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// -----

func.func @sum_of_few_threads(%x: tensor<6x100xf32>, %o: tensor<6xf32>) -> tensor<6xf32> {
  // expected-error @+1 {{loop 'c.t' is reduced by op 'sum', so its iterations must be a power of 2 from 2 on}}
  %y = krnl.kernel "sum_of_few_threads" loops [r = 6, c = 100]
      ins(%x : tensor<6x100xf32>) outs(%o : tensor<6xf32>)
      recipe [block(c, 48) -> (c.o, c.t), map(c.t, thread)] {
  ^bb0(%a: tensor<6x100xf32>, %b: tensor<6xf32>):
    %s = krnl.compute "sum" [r | c] (%p = %a[r, c]) -> (%q = %b[r]) : (tensor<6x100xf32>) -> tensor<6xf32> {
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<6xf32>
  } -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// -----

func.func @sum_of_half_a_warp(%x: tensor<6x100xf32>, %o: tensor<6xf32>) -> tensor<6xf32> {
  // expected-error @+1 {{loop 'c.t' is reduced by op 'sum', so all warps must be whole}}
  %y = krnl.kernel "sum_of_half_a_warp" loops [r = 6, c = 100]
      ins(%x : tensor<6x100xf32>) outs(%o : tensor<6xf32>)
      recipe [block(c, 16) -> (c.o, c.t), map(c.t, thread)] {
  ^bb0(%a: tensor<6x100xf32>, %b: tensor<6xf32>):
    %s = krnl.compute "sum" [r | c] (%p = %a[r, c]) -> (%q = %b[r]) : (tensor<6x100xf32>) -> tensor<6xf32> {
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<6xf32>
  } -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// -----

func.func @sum_outside_threads(%x: tensor<6x100xf32>, %o: tensor<6xf32>) -> tensor<6xf32> {
  // expected-error @+2 {{loop 'c.t' is reduced by op 'sum', so it must be the innermost mapped loop, or one of warps}}
  // expected-note @+1 {{it would be legal before recipe step 3 'map(c.t, thread)'}}
  %y = krnl.kernel "sum_outside_threads" loops [r = 6, c = 100]
      ins(%x : tensor<6x100xf32>) outs(%o : tensor<6xf32>)
      recipe [block(c, 32) -> (c.o, c.t), order(c.o, c.t, r), map(c.t, thread), map(r, thread)] {
  ^bb0(%a: tensor<6x100xf32>, %b: tensor<6xf32>):
    %s = krnl.compute "sum" [r | c] (%p = %a[r, c]) -> (%q = %b[r]) : (tensor<6x100xf32>) -> tensor<6xf32> {
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<6xf32>
  } -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// -----

func.func @sum_of_warps(%x: tensor<6x100xf32>, %o: tensor<6xf32>) -> tensor<6xf32> {
  // expected-error @+2 {{loop 'c.t' is reduced by op 'sum' in several warps, so it must be the only mapped loop, or have 32 iterations}}
  // expected-note @+1 {{it would be legal before recipe step 3 'map(r, thread)'}}
  %y = krnl.kernel "sum_of_warps" loops [r = 6, c = 100]
      ins(%x : tensor<6x100xf32>) outs(%o : tensor<6xf32>)
      recipe [block(c, 64) -> (c.o, c.t), fuse_outer(r), map(r, thread), map(c.t, thread)] {
  ^bb0(%a: tensor<6x100xf32>, %b: tensor<6xf32>):
    %s = krnl.compute "sum" [r | c] (%p = %a[r, c]) -> (%q = %b[r]) : (tensor<6x100xf32>) -> tensor<6xf32> {
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<6xf32>
  } -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// -----

func.func @sum_in_memory(%x: tensor<6x100xf32>, %o: tensor<6xf32>) -> tensor<6xf32> {
  // expected-error @+1 {{op 'sum' does not keep its sum in registers}}
  %y = krnl.kernel "sum_in_memory" loops [r = 6, c = 100]
      ins(%x : tensor<6x100xf32>) outs(%o : tensor<6xf32>)
      recipe [block(c, 32) -> (c.o, c.t), order(c.o, c.t, r), map(c.t, thread)] {
  ^bb0(%a: tensor<6x100xf32>, %b: tensor<6xf32>):
    %s = krnl.compute "sum" [r | c] (%p = %a[r, c]) -> (%q = %b[r]) : (tensor<6x100xf32>) -> tensor<6xf32> {
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<6xf32>
  } -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// -----

// A thread would read what another one may not have written yet.
func.func @elements_of_others(%x: tensor<6x64xf32>, %o: tensor<6x64xf32>, %e: tensor<6x64xf32>) -> tensor<6x64xf32> {
  // expected-error @+1 {{op 'square' has a result in memory that other threads read}}
  %y = krnl.kernel "elements_of_others" loops [r = 6, c = 64, d = 64]
      ins(%x : tensor<6x64xf32>) outs(%o : tensor<6x64xf32>)
      recipe [fuse_outer(r), parallel(r), map(c, thread)] {
  ^bb0(%a: tensor<6x64xf32>, %b: tensor<6x64xf32>):
    %empty = krnl.temporary : tensor<6x64xf32>
    %s = krnl.compute "square" [r, c] (%p = %a[r, c]) -> (%q = %empty[r, c]) : (tensor<6x64xf32>) -> tensor<6x64xf32> {
      %t = arith.mulf %p, %p : f32
      linalg.yield %t : f32
    }
    %z = krnl.compute "again" [r, d] (%p = %s[r, d]) -> (%q = %b[r, d]) : (tensor<6x64xf32>) -> tensor<6x64xf32> {
      %t = arith.mulf %p, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %z : tensor<6x64xf32>
  } -> tensor<6x64xf32>
  return %y : tensor<6x64xf32>
}

// -----

func.func @map_without_iterations(%x: tensor<0x2000xf32>, %o: tensor<0x2000xf32>) -> tensor<0x2000xf32> {
  // expected-error @+1 {{loop 'r' has no iteration}}
  %y = krnl.kernel "map_without_iterations" loops [r = 0, c = 2000]
      ins(%x : tensor<0x2000xf32>) outs(%o : tensor<0x2000xf32>)
      recipe [fuse_outer(r), map(r, thread)] {
  ^bb0(%a: tensor<0x2000xf32>, %b: tensor<0x2000xf32>):
    %s = krnl.compute "square" [r, c] (%p = %a[r, c]) -> (%q = %b[r, c]) : (tensor<0x2000xf32>) -> tensor<0x2000xf32> {
      %t = arith.mulf %p, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<0x2000xf32>
  } -> tensor<0x2000xf32>
  return %y : tensor<0x2000xf32>
}
