// RUN: onnx-opt %s --krnl-merge | FileCheck %s
//
// merge-refused.mlir has the pair with recipes that do not fit.

// The consumer's loop takes the producer's name, its recipe is the producer's, and
// the square reads the sum where it was computed.
// CHECK-LABEL: func @five_and_five
// CHECK:         krnl.kernel "a+b" loops [i = 100] ins(%{{.+}}, %{{.+}} : tensor<100xf32>, tensor<100xf32>)
// CHECK-SAME:      recipe [block(i, 5) -> (i.o, i.i), fuse_outer(i.o), parallel(i.o)]
// CHECK:           krnl.compute [i]
// CHECK:             arith.addf
// CHECK-NEXT:        arith.mulf
// CHECK-NOT:     krnl.kernel
func.func @five_and_five(%x: tensor<100xf32>, %y: tensor<100xf32>) -> tensor<100xf32> {
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
      recipe [block(j, 5) -> (j.o, j.i), fuse_outer(j.o), parallel(j.o)] {
  ^bb0(%a0: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [j] (%p0 = %a0[j]) -> (%q = %z[j]) : (tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.mulf %p0, %p0 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  return %r : tensor<100xf32>
}

// The sizes are the same though nothing knows them; what only the consumer says
// about the loop inside comes along under the producer's name.
// CHECK-LABEL: func @dynamic
// CHECK:         krnl.kernel "a+b" loops [i = %{{[^],]+}}]
// CHECK-SAME:      recipe [block(i, 5) -> (i.o, i.i), fuse_outer(i.o), parallel(i.o), vectorize(i.i, 4)]
func.func @dynamic(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %c0 = arith.constant 0 : index
  %i_size = tensor.dim %x, %c0 : tensor<?xf32>
  %s = krnl.kernel "a" loops [i = %i_size] ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>)
      recipe [block(i, 5) -> (i.o, i.i), fuse_outer(i.o), parallel(i.o)] {
  ^bb0(%a0: tensor<?xf32>, %a1: tensor<?xf32>, %z: tensor<?xf32>, %i_extent: index):
    %r = krnl.compute [i] (%p0 = %a0[i], %p1 = %a1[i]) -> (%q = %z[i])
        : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
      %m = arith.addf %p0, %p1 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<?xf32>
  } -> tensor<?xf32>
  %r = krnl.kernel "b" loops [j = %n] ins(%s : tensor<?xf32>) outs(%e : tensor<?xf32>)
      recipe [block(j, 5) -> (j.o, j.i), fuse_outer(j.o), parallel(j.o), vectorize(j.i, 4)] {
  ^bb0(%a0: tensor<?xf32>, %z: tensor<?xf32>, %j_extent: index):
    %r = krnl.compute [j] (%p0 = %a0[j]) -> (%q = %z[j]) : (tensor<?xf32>) -> tensor<?xf32> {
      %m = arith.mulf %p0, %p0 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<?xf32>
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// The sum is a result of the merged kernel, since somebody else reads it.
// CHECK-LABEL: func @kept_result
// CHECK:         %[[R:.+]]:2 = krnl.kernel "a+b"
// CHECK:         return %[[R]]#1, %[[R]]#0
func.func @kept_result(%x: tensor<100xf32>, %y: tensor<100xf32>) -> (tensor<100xf32>, tensor<100xf32>) {
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
      recipe [block(j, 5) -> (j.o, j.i), fuse_outer(j.o), parallel(j.o)] {
  ^bb0(%a0: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [j] (%p0 = %a0[j]) -> (%q = %z[j]) : (tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.mulf %p0, %p0 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  return %r, %s : tensor<100xf32>, tensor<100xf32>
}

// Steps for one op keep to it, packs follow their operand.
// CHECK-LABEL: func @renumbered
// CHECK:         krnl.kernel "a+b" loops [i = 100] ins(%{{.+}}, %{{.+}}, %{{.+}} :
// CHECK-SAME:      recipe [block(i, 5) -> (i.o, i.i), fuse_outer(i.o), parallel(i.o), 0: unroll(i.i, 5), 1: vectorize(i.i, 4), pack(2, [i.i])]
// CHECK:             arith.addf
// CHECK:             arith.addf
func.func @renumbered(%x: tensor<100xf32>, %y: tensor<100xf32>, %w: tensor<100xf32>) -> tensor<100xf32> {
  %e = tensor.empty() : tensor<100xf32>
  %s = krnl.kernel "a" loops [i = 100] ins(%x, %y : tensor<100xf32>, tensor<100xf32>) outs(%e : tensor<100xf32>)
      recipe [block(i, 5) -> (i.o, i.i), fuse_outer(i.o), parallel(i.o), 0: unroll(i.i, 5)] {
  ^bb0(%a0: tensor<100xf32>, %a1: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [i] (%p0 = %a0[i], %p1 = %a1[i]) -> (%q = %z[i])
        : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.addf %p0, %p1 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  %r = krnl.kernel "b" loops [i = 100] ins(%s, %w : tensor<100xf32>, tensor<100xf32>) outs(%e : tensor<100xf32>)
      recipe [block(i, 5) -> (i.o, i.i), fuse_outer(i.o), parallel(i.o), 0: vectorize(i.i, 4), pack(1, [i.i])] {
  ^bb0(%a0: tensor<100xf32>, %a1: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [i] (%p0 = %a0[i], %p1 = %a1[i]) -> (%q = %z[i])
        : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.addf %p0, %p1 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  return %r : tensor<100xf32>
}
