// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s

// One step of a running sum gives the sum and its trace. The trace starts from a
// tensor that the payload does not look at and that has no memory: nothing is
// read for it.
// CHECK-LABEL: func private @kernel_step_0(
// CHECK-NOT:     memref.alloca
// CHECK:         %[[X:.+]] = memref.load %arg0
// CHECK:         %[[SUM:.+]] = arith.addf %[[X]]
// CHECK:         %[[Y:.+]] = arith.negf %[[SUM]]
// CHECK:         memref.store %[[Y]], %arg1
#one = affine_map<() -> (0)>
func.func @step(%x: tensor<1xf32>, %o: tensor<1xf32>) -> tensor<1xf32> {
  %y = krnl.kernel "step" loops [] ins(%x : tensor<1xf32>) outs(%o : tensor<1xf32>) {
  ^bb0(%a: tensor<1xf32>, %b: tensor<1xf32>):
    %one = arith.constant 1.0 : f32
    %e = tensor.empty() : tensor<1xf32>
    %g = tensor.empty() : tensor<1xf32>
    %f = linalg.generic {indexing_maps = [#one], iterator_types = []}
        outs(%e : tensor<1xf32>) attrs = {krnl.axes = []} {
    ^bb0(%q: f32):
      linalg.yield %one : f32
    } -> tensor<1xf32>
    %s:2 = linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = []}
        ins(%a : tensor<1xf32>) outs(%f, %g : tensor<1xf32>, tensor<1xf32>) attrs = {krnl.axes = []} {
    ^bb0(%p: f32, %q: f32, %r: f32):
      %m = arith.addf %p, %q : f32
      linalg.yield %m, %m : f32, f32
    } -> (tensor<1xf32>, tensor<1xf32>)
    %u = linalg.generic {indexing_maps = [#one, #one], iterator_types = []}
        ins(%s#1 : tensor<1xf32>) outs(%b : tensor<1xf32>) attrs = {krnl.axes = []} {
    ^bb0(%p: f32, %q: f32):
      %n = arith.negf %p : f32
      linalg.yield %n : f32
    } -> tensor<1xf32>
    krnl.yield %u : tensor<1xf32>
  } -> tensor<1xf32>
  return %y : tensor<1xf32>
}
