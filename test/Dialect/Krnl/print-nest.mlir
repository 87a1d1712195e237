// RUN: onnx-opt %s --krnl-print-nest 2>&1 | FileCheck %s

// The loops that the recipe leads to, with what each step made of them.
#id = affine_map<(i) -> (i)>
// CHECK: kernel relu
// CHECK-NEXT: nest: i.o(7 parallel) i.v(16)
// CHECK-NEXT: 0: i.o(7) i.v(16 lanes=16)
func.func @blocked(%x: tensor<100xf32>, %o: tensor<100xf32>) -> tensor<100xf32> {
  %y = krnl.kernel "relu" loops [i = 100] ins(%x : tensor<100xf32>) outs(%o : tensor<100xf32>)
      recipe [block(i, 16) -> (i.o, i.v), share(i.o), parallel(i.o), vectorize(i.v, 16)] {
  ^bb0(%a: tensor<100xf32>, %b: tensor<100xf32>):
    %zero = arith.constant 0.0 : f32
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<100xf32>) outs(%b : tensor<100xf32>) attrs = {krnl.axes = ["i"]} {
    ^bb0(%p: f32, %q: f32):
      %m = arith.maximumf %p, %zero : f32
      linalg.yield %m : f32
    } -> tensor<100xf32>
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  return %y : tensor<100xf32>
}
