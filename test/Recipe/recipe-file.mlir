// RUN: onnx-opt %s --select-target="cpu=znver4 triple=x86_64-linux-gnu" --krnl-write-recipes=emit-recipes=%t.recipes -o %t.first.mlir
// RUN: FileCheck %s --check-prefix=FILE < %t.recipes
// The same recipes come back from the file, without the cost model.
// RUN: onnx-opt %s --select-target="cpu=znver4 triple=x86_64-linux-gnu" --krnl-write-recipes="choose=false recipes=%t.recipes" | diff %t.first.mlir -
// An edited file changes the recipe, and only that one.
// RUN: sed "s/unroll(i.i, 4)/unroll(i.i, 2) \/\/ fewer/" %t.recipes > %t.edited
// RUN: onnx-opt %s --select-target="cpu=znver4 triple=x86_64-linux-gnu" --krnl-write-recipes="choose=false recipes=%t.edited" | FileCheck %s
// An empty recipe in a file is a choice too.
// RUN: sed -n "/node_b/{s/\[.*/[]/;p}" %t.recipes > %t.empty
// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=znver4" --krnl-write-recipes=recipes=%t.empty | FileCheck %s --check-prefix=EMPTY

// Keys are node names; where two kernels come from one node, the kernel's name
// and a number tell them apart. Names may have quotes and backslashes.
// FILE:      kernel "node_a/neg" [[HASH:[0-9a-f]+]] [
// FILE-NEXT:   block(i, 64, tail=peel) -> (i.o, i.i),
// FILE:      kernel "node_a/neg#2" [[HASH]] [
// FILE:      kernel "node_b\\bc\22" [[HASH]] [

// CHECK-COUNT-3: recipe [block(i, 64, tail=peel) -> (i.o, i.i), order(i.o, i.i), fuse_outer(i.o), vectorize(i.i, 16), unroll(i.i, 2)]
// EMPTY-COUNT-2: recipe
// EMPTY-NOT:     recipe
func.func @three(%x: tensor<1000xf32>, %o: tensor<1000xf32>) -> tensor<1000xf32> {
  %0 = krnl.kernel "neg" loops [i = 1000] ins(%x : tensor<1000xf32>) outs(%o : tensor<1000xf32>) {
  ^bb0(%a: tensor<1000xf32>, %b: tensor<1000xf32>):
    %r = krnl.compute [i] (%p = %a[i]) -> (%q = %b[i]) : (tensor<1000xf32>) -> tensor<1000xf32> {
      %m = arith.negf %p : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<1000xf32>
  } -> tensor<1000xf32> loc("node_a")
  %1 = krnl.kernel "neg" loops [i = 1000] ins(%0 : tensor<1000xf32>) outs(%o : tensor<1000xf32>) {
  ^bb0(%a: tensor<1000xf32>, %b: tensor<1000xf32>):
    %r = krnl.compute [i] (%p = %a[i]) -> (%q = %b[i]) : (tensor<1000xf32>) -> tensor<1000xf32> {
      %m = arith.negf %p : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<1000xf32>
  } -> tensor<1000xf32> loc("node_a")
  %2 = krnl.kernel "neg" loops [i = 1000] ins(%1 : tensor<1000xf32>) outs(%o : tensor<1000xf32>) {
  ^bb0(%a: tensor<1000xf32>, %b: tensor<1000xf32>):
    %r = krnl.compute [i] (%p = %a[i]) -> (%q = %b[i]) : (tensor<1000xf32>) -> tensor<1000xf32> {
      %m = arith.negf %p : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<1000xf32>
  } -> tensor<1000xf32> loc("node_b\\bc\"")
  return %2 : tensor<1000xf32>
}
