// RUN: onnx-opt %s --krnl-merge --remarks-filter-missed=krnl-merge -o %t.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: sed "s/block(i, 2)/block(i, 5)/" %s | onnx-opt --krnl-merge | FileCheck %s --check-prefix=EDITED
//
// Why two kernels stay two. With its recipe edited to blocks of 5 the first pair
// merges.

// CHECK: loop 'i.o' makes 50 blocks in a but 20 in b
// IR-LABEL: func @two_and_five
// IR:         krnl.kernel "a"
// IR:         krnl.kernel "b"
// EDITED-LABEL: func @two_and_five
// EDITED:         krnl.kernel "a+b"
func.func @two_and_five(%x: tensor<100xf32>, %y: tensor<100xf32>) -> tensor<100xf32> {
  %e = tensor.empty() : tensor<100xf32>
  %s = krnl.kernel "a" loops [i = 100] ins(%x, %y : tensor<100xf32>, tensor<100xf32>) outs(%e : tensor<100xf32>)
      recipe [block(i, 2) -> (i.o, i.i), fuse_outer(i.o), parallel(i.o)] {
  ^bb0(%a0: tensor<100xf32>, %a1: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [i] (%p0 = %a0[i], %p1 = %a1[i]) -> (%q = %z[i])
        : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.addf %p0, %p1 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  %r = krnl.kernel "b" loops [j = 100] ins(%s : tensor<100xf32>) outs(%e : tensor<100xf32>)
      recipe [block(j, 5) -> (j.o, j.i), fuse_outer(j.o), parallel(j.o)] {
  ^bb0(%a0: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [j] (%p0 = %a0[j]) -> (%q = %z[j]) : (tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.maximumf %p0, %p0 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  return %r : tensor<100xf32>
}

// CHECK: loop 'i.o' steps by 4 in a but 8 in b
func.func @dynamic_blocks(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %c0 = arith.constant 0 : index
  %i_size = tensor.dim %x, %c0 : tensor<?xf32>
  %s = krnl.kernel "a" loops [i = %i_size] ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>)
      recipe [block(i, 4) -> (i.o, i.i), fuse_outer(i.o), parallel(i.o)] {
  ^bb0(%a0: tensor<?xf32>, %a1: tensor<?xf32>, %z: tensor<?xf32>, %i_extent: index):
    %r = krnl.compute [i] (%p0 = %a0[i], %p1 = %a1[i]) -> (%q = %z[i])
        : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
      %m = arith.addf %p0, %p1 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<?xf32>
  } -> tensor<?xf32>
  %r = krnl.kernel "b" loops [j = %n] ins(%s : tensor<?xf32>) outs(%e : tensor<?xf32>)
      recipe [block(j, 8) -> (j.o, j.i), fuse_outer(j.o), parallel(j.o)] {
  ^bb0(%a0: tensor<?xf32>, %z: tensor<?xf32>, %j_extent: index):
    %r = krnl.compute [j] (%p0 = %a0[j]) -> (%q = %z[j]) : (tensor<?xf32>) -> tensor<?xf32> {
      %m = arith.maximumf %p0, %p0 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<?xf32>
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK: loop 'i.o' ends with tail=peel in a but mask in b
func.func @tails(%x: tensor<100xf32>, %y: tensor<100xf32>) -> tensor<100xf32> {
  %e = tensor.empty() : tensor<100xf32>
  %s = krnl.kernel "a" loops [i = 100] ins(%x, %y : tensor<100xf32>, tensor<100xf32>) outs(%e : tensor<100xf32>)
      recipe [block(i, 8, tail=peel) -> (i.o, i.i), fuse_outer(i.o), parallel(i.o)] {
  ^bb0(%a0: tensor<100xf32>, %a1: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [i] (%p0 = %a0[i], %p1 = %a1[i]) -> (%q = %z[i])
        : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.addf %p0, %p1 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  %r = krnl.kernel "b" loops [j = 100] ins(%s : tensor<100xf32>) outs(%e : tensor<100xf32>)
      recipe [block(j, 8) -> (j.o, j.i), fuse_outer(j.o), parallel(j.o)] {
  ^bb0(%a0: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [j] (%p0 = %a0[j]) -> (%q = %z[j]) : (tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.maximumf %p0, %p0 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  return %r : tensor<100xf32>
}

// CHECK: b has no fuse_outer loop
func.func @nothing_shared(%x: tensor<100xf32>, %y: tensor<100xf32>) -> tensor<100xf32> {
  %e = tensor.empty() : tensor<100xf32>
  %s = krnl.kernel "a" loops [i = 100] ins(%x, %y : tensor<100xf32>, tensor<100xf32>) outs(%e : tensor<100xf32>)
      recipe [block(i, 8) -> (i.o, i.i), fuse_outer(i.o), parallel(i.o)] {
  ^bb0(%a0: tensor<100xf32>, %a1: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [i] (%p0 = %a0[i], %p1 = %a1[i]) -> (%q = %z[i])
        : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.addf %p0, %p1 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  %r = krnl.kernel "b" loops [j = 100] ins(%s : tensor<100xf32>) outs(%e : tensor<100xf32>)
      recipe [block(j, 8) -> (j.o, j.i)] {
  ^bb0(%a0: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [j] (%p0 = %a0[j]) -> (%q = %z[j]) : (tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.maximumf %p0, %p0 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  return %r : tensor<100xf32>
}

// CHECK: b has no fuse_outer loop
func.func @one_recipe(%x: tensor<100xf32>, %y: tensor<100xf32>) -> tensor<100xf32> {
  %e = tensor.empty() : tensor<100xf32>
  %s = krnl.kernel "a" loops [i = 100] ins(%x, %y : tensor<100xf32>, tensor<100xf32>) outs(%e : tensor<100xf32>)
      recipe [block(i, 8) -> (i.o, i.i), fuse_outer(i.o), parallel(i.o)] {
  ^bb0(%a0: tensor<100xf32>, %a1: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [i] (%p0 = %a0[i], %p1 = %a1[i]) -> (%q = %z[i])
        : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.addf %p0, %p1 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  %r = krnl.kernel "b" loops [j = 100] ins(%s : tensor<100xf32>) outs(%e : tensor<100xf32>) {
  ^bb0(%a0: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [j] (%p0 = %a0[j]) -> (%q = %z[j]) : (tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.maximumf %p0, %p0 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  return %r : tensor<100xf32>
}

// CHECK: a has 2 fuse_outer loops but b 1
func.func @more_shared(%x: tensor<100xf32>, %y: tensor<100xf32>) -> tensor<100xf32> {
  %e = tensor.empty() : tensor<100xf32>
  %s = krnl.kernel "a" loops [i = 100] ins(%x, %y : tensor<100xf32>, tensor<100xf32>) outs(%e : tensor<100xf32>)
      recipe [block(i, 8) -> (i.o, i.i), fuse_outer(i.o, i.i)] {
  ^bb0(%a0: tensor<100xf32>, %a1: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [i] (%p0 = %a0[i], %p1 = %a1[i]) -> (%q = %z[i])
        : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.addf %p0, %p1 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  %r = krnl.kernel "b" loops [j = 100] ins(%s : tensor<100xf32>) outs(%e : tensor<100xf32>)
      recipe [block(j, 8) -> (j.o, j.i), fuse_outer(j.o)] {
  ^bb0(%a0: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [j] (%p0 = %a0[j]) -> (%q = %z[j]) : (tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.maximumf %p0, %p0 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  return %r : tensor<100xf32>
}

// CHECK: loop 'i.o' is parallel only in a
func.func @parallel_here(%x: tensor<100xf32>, %y: tensor<100xf32>) -> tensor<100xf32> {
  %e = tensor.empty() : tensor<100xf32>
  %s = krnl.kernel "a" loops [i = 100] ins(%x, %y : tensor<100xf32>, tensor<100xf32>) outs(%e : tensor<100xf32>)
      recipe [block(i, 8) -> (i.o, i.i), fuse_outer(i.o), parallel(i.o)] {
  ^bb0(%a0: tensor<100xf32>, %a1: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [i] (%p0 = %a0[i], %p1 = %a1[i]) -> (%q = %z[i])
        : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.addf %p0, %p1 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  %r = krnl.kernel "b" loops [j = 100] ins(%s : tensor<100xf32>) outs(%e : tensor<100xf32>)
      recipe [block(j, 8) -> (j.o, j.i), fuse_outer(j.o)] {
  ^bb0(%a0: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [j] (%p0 = %a0[j]) -> (%q = %z[j]) : (tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.maximumf %p0, %p0 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  return %r : tensor<100xf32>
}

// CHECK: loop 'i.o' of a is not loop 'j' of b
func.func @block_and_axis(%x: tensor<100xf32>, %y: tensor<100xf32>) -> tensor<100xf32> {
  %e = tensor.empty() : tensor<100xf32>
  %s = krnl.kernel "a" loops [i = 100] ins(%x, %y : tensor<100xf32>, tensor<100xf32>) outs(%e : tensor<100xf32>)
      recipe [block(i, 8) -> (i.o, i.i), fuse_outer(i.o)] {
  ^bb0(%a0: tensor<100xf32>, %a1: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [i] (%p0 = %a0[i], %p1 = %a1[i]) -> (%q = %z[i])
        : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.addf %p0, %p1 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  %r = krnl.kernel "b" loops [j = 100] ins(%s : tensor<100xf32>) outs(%e : tensor<100xf32>)
      recipe [fuse_outer(j)] {
  ^bb0(%a0: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [j] (%p0 = %a0[j]) -> (%q = %z[j]) : (tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.maximumf %p0, %p0 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  return %r : tensor<100xf32>
}

// CHECK: step 'pack(0, [j.i])' of b names the tensor between them
func.func @packed_between(%x: tensor<100xf32>, %y: tensor<100xf32>) -> tensor<100xf32> {
  %e = tensor.empty() : tensor<100xf32>
  %s = krnl.kernel "a" loops [i = 100] ins(%x, %y : tensor<100xf32>, tensor<100xf32>) outs(%e : tensor<100xf32>)
      recipe [block(i, 5) -> (i.o, i.i), fuse_outer(i.o), parallel(i.o)] {
  ^bb0(%a0: tensor<100xf32>, %a1: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [i] (%p0 = %a0[i], %p1 = %a1[i]) -> (%q = %z[i])
        : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.addf %p0, %p1 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  %r = krnl.kernel "b" loops [j = 100] ins(%s : tensor<100xf32>) outs(%e : tensor<100xf32>)
      recipe [block(j, 5) -> (j.o, j.i), fuse_outer(j.o), parallel(j.o), pack(0, [j.i])] {
  ^bb0(%a0: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [j] (%p0 = %a0[j]) -> (%q = %z[j]) : (tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.maximumf %p0, %p0 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  return %r : tensor<100xf32>
}

// CHECK: step 'cache(0, at=j.o)' of b names the tensor between them
func.func @cached_between(%x: tensor<100xf32>, %y: tensor<100xf32>) -> tensor<100xf32> {
  %e = tensor.empty() : tensor<100xf32>
  %s = krnl.kernel "a" loops [i = 100] ins(%x, %y : tensor<100xf32>, tensor<100xf32>) outs(%e : tensor<100xf32>)
      recipe [block(i, 5) -> (i.o, i.i), fuse_outer(i.o), parallel(i.o)] {
  ^bb0(%a0: tensor<100xf32>, %a1: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [i] (%p0 = %a0[i], %p1 = %a1[i]) -> (%q = %z[i])
        : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.addf %p0, %p1 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  %r = krnl.kernel "b" loops [j = 100] ins(%s : tensor<100xf32>) outs(%e : tensor<100xf32>)
      recipe [block(j, 5) -> (j.o, j.i), fuse_outer(j.o), parallel(j.o), cache(0, at=j.o)] {
  ^bb0(%a0: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [j] (%p0 = %a0[j]) -> (%q = %z[j]) : (tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.maximumf %p0, %p0 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  return %r : tensor<100xf32>
}

// CHECK: a has no fuse_outer loop
func.func @no_recipes(%x: tensor<100xf32>, %y: tensor<100xf32>) -> tensor<100xf32> {
  %e = tensor.empty() : tensor<100xf32>
  %s = krnl.kernel "a" loops [i = 100] ins(%x, %y : tensor<100xf32>, tensor<100xf32>) outs(%e : tensor<100xf32>) {
  ^bb0(%a0: tensor<100xf32>, %a1: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [i] (%p0 = %a0[i], %p1 = %a1[i]) -> (%q = %z[i])
        : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.addf %p0, %p1 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  %r = krnl.kernel "b" loops [j = 100] ins(%s : tensor<100xf32>) outs(%e : tensor<100xf32>) {
  ^bb0(%a0: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [j] (%p0 = %a0[j]) -> (%q = %z[j]) : (tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.maximumf %p0, %p0 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  return %r : tensor<100xf32>
}

// CHECK: the merged kernel would be wrong: recipe step [[#]] 'unroll(i.i, 5)': loop 'i.i' was replaced by an earlier step
func.func @joined_recipe_fails(%x: tensor<100xf32>, %y: tensor<100xf32>) -> tensor<100xf32> {
  %e = tensor.empty() : tensor<100xf32>
  %s = krnl.kernel "a" loops [i = 100] ins(%x, %y : tensor<100xf32>, tensor<100xf32>) outs(%e : tensor<100xf32>)
      recipe [block(i, 5) -> (i.o, i.i), fuse_outer(i.o), parallel(i.o), unroll(i.i, 5)] {
  ^bb0(%a0: tensor<100xf32>, %a1: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [i] (%p0 = %a0[i], %p1 = %a1[i]) -> (%q = %z[i])
        : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.addf %p0, %p1 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  %r = krnl.kernel "b" loops [j = 100] ins(%s : tensor<100xf32>) outs(%e : tensor<100xf32>)
      recipe [block(j, 5) -> (j.o, j.i), fuse_outer(j.o), parallel(j.o), block(j.i, 2) -> (j.p, j.q), unroll(j.q, 2), vectorize(j.q, 2)] {
  ^bb0(%a0: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [j] (%p0 = %a0[j]) -> (%q = %z[j]) : (tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.maximumf %p0, %p0 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  return %r : tensor<100xf32>
}

// CHECK: loop 'i.i' has blocks of 5 in a but 2 in b
func.func @inner_blocks(%x: tensor<100xf32>, %y: tensor<100xf32>) -> tensor<100xf32> {
  %e = tensor.empty() : tensor<100xf32>
  %s = krnl.kernel "a" loops [i = 100] ins(%x, %y : tensor<100xf32>, tensor<100xf32>) outs(%e : tensor<100xf32>)
      recipe [block(i, 5) -> (i.o, i.i), order(i.i, i.o), fuse_outer(i.i)] {
  ^bb0(%a0: tensor<100xf32>, %a1: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [i] (%p0 = %a0[i], %p1 = %a1[i]) -> (%q = %z[i])
        : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.addf %p0, %p1 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  %r = krnl.kernel "b" loops [j = 100] ins(%s : tensor<100xf32>) outs(%e : tensor<100xf32>)
      recipe [block(j, 2) -> (j.o, j.i), order(j.i, j.o), fuse_outer(j.i)] {
  ^bb0(%a0: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [j] (%p0 = %a0[j]) -> (%q = %z[j]) : (tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.maximumf %p0, %p0 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  return %r : tensor<100xf32>
}
