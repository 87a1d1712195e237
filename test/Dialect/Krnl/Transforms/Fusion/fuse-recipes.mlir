// RUN: onnx-opt %s --krnl-fuse | FileCheck %s
//
// A kernel with a recipe stays as it is: its steps name operands by their numbers, also
// beside one that nothing reads.

// CHECK-LABEL: func @unused_input
// CHECK:         ins(%{{.+}}, %{{.+}} : tensor<8xf32>, tensor<100xf32>)
// CHECK-SAME:      cache(1, at=i.o)
func.func @unused_input(%u: tensor<8xf32>, %x: tensor<100xf32>) -> tensor<100xf32> {
  %e = tensor.empty() : tensor<100xf32>
  %s = krnl.kernel "a" loops [i = 100] ins(%u, %x : tensor<8xf32>, tensor<100xf32>) outs(%e : tensor<100xf32>)
      recipe [block(i, 5) -> (i.o, i.i), fuse_outer(i.o), cache(1, at=i.o)] {
  ^bb0(%a0: tensor<8xf32>, %a1: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [i] (%p = %a1[i]) -> (%q = %z[i]) : (tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.addf %p, %p : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  return %s : tensor<100xf32>
}
