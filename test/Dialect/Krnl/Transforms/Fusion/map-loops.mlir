// RUN: onnx-opt %s --krnl-merge --remarks-filter-missed=krnl-merge 2>&1 | FileCheck %s

// CHECK: b writes into a result of a
func.func @in_place(%x: tensor<100xf32>, %y: tensor<100xf32>) -> tensor<100xf32> {
  %e = tensor.empty() : tensor<100xf32>
  %s = krnl.kernel "a" loops [i = 100] ins(%x, %y : tensor<100xf32>, tensor<100xf32>) outs(%e : tensor<100xf32>) recipe [fuse_outer(i)] {
  ^bb0(%a0: tensor<100xf32>, %a1: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [i] (%p0 = %a0[i], %p1 = %a1[i]) -> (%q = %z[i])
        : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.addf %p0, %p1 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  %r = krnl.kernel "b" loops [j = 100] ins(%s : tensor<100xf32>) outs(%s : tensor<100xf32>) recipe [fuse_outer(j)] {
  ^bb0(%a0: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [j] (%p0 = %a0[j]) -> (%q = %z[j]) : (tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.maximumf %p0, %p0 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  return %r : tensor<100xf32>
}

// The rows of the one are the columns of the other: neither loop can be both.
// CHECK: loop 'i' indexes two dimensions of the tensor that b reads
func.func @transposed_with_itself(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %f = tensor.empty() : tensor<8x8xf32>
  %s = krnl.kernel "a" loops [i = 8, j = 8] ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) recipe [fuse_outer(i)] {
  ^bb0(%p: tensor<8x8xf32>, %o: tensor<8x8xf32>):
    %r = krnl.compute [i, j] (%u = %p[i, j]) -> (%q = %o[i, j]) : (tensor<8x8xf32>) -> tensor<8x8xf32> {
      %m = arith.negf %u : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<8x8xf32>
  } -> tensor<8x8xf32>
  %y = krnl.kernel "b" loops [c = 8, d = 8] ins(%s : tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) recipe [fuse_outer(c)] {
  ^bb0(%p: tensor<8x8xf32>, %o: tensor<8x8xf32>):
    %r = krnl.compute [c, d] (%u = %p[c, d], %v = %p[d, c]) -> (%q = %o[c, d]) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> {
      %m = arith.addf %u, %v : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<8x8xf32>
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// CHECK: b reads the tensor between them at computed indices
func.func @computed_indices(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<8xf32>
  %s = krnl.kernel "a" loops [i = 8] ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) recipe [fuse_outer(i)] {
  ^bb0(%p: tensor<8xf32>, %o: tensor<8xf32>):
    %r = krnl.compute [i] (%u = %p[i]) -> (%q = %o[i]) : (tensor<8xf32>) -> tensor<8xf32> {
      %m = arith.negf %u : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<8xf32>
  } -> tensor<8xf32>
  %y = krnl.kernel "b" loops [c = 8] ins(%s : tensor<8xf32>) outs(%f : tensor<8xf32>) recipe [fuse_outer(c)] {
  ^bb0(%p: tensor<8xf32>, %o: tensor<8xf32>):
    %c7 = arith.constant 7 : index
    %r = krnl.compute [c] () -> (%q = %o[c]) : () -> tensor<8xf32> {
      %k = krnl.index c
      %at = arith.subi %c7, %k : index
      %m = tensor.extract %p[%at] : tensor<8xf32>
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// What the one has of a dynamic size, the other knows.
// CHECK: loop 'i' has 8 iterations in a but 4 in b
func.func @extents(%x: tensor<8xf32>, %n: index) -> tensor<4xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = tensor.empty() : tensor<4xf32>
  %s = krnl.kernel "a" loops [i = 8] ins(%x : tensor<8xf32>) outs(%e : tensor<?xf32>) recipe [fuse_outer(i)] {
  ^bb0(%p: tensor<8xf32>, %o: tensor<?xf32>):
    %r = krnl.compute [i] (%u = %p[i]) -> (%q = %o[i]) : (tensor<8xf32>) -> tensor<?xf32> {
      %m = arith.negf %u : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<?xf32>
  } -> tensor<?xf32>
  %y = krnl.kernel "b" loops [c = 4] ins(%s : tensor<?xf32>) outs(%f : tensor<4xf32>) recipe [fuse_outer(c)] {
  ^bb0(%p: tensor<?xf32>, %o: tensor<4xf32>):
    %r = krnl.compute [c] (%u = %p[c]) -> (%q = %o[c]) : (tensor<?xf32>) -> tensor<4xf32> {
      %m = arith.negf %u : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
