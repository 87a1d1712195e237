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
func.func @step(%x: tensor<1xf32>, %o: tensor<1xf32>) -> tensor<1xf32> {
  %y = krnl.kernel "step" loops [] ins(%x : tensor<1xf32>) outs(%o : tensor<1xf32>) {
  ^bb0(%a: tensor<1xf32>, %b: tensor<1xf32>):
    %one = arith.constant 1.0 : f32
    %e = krnl.temporary : tensor<1xf32>
    %g = krnl.temporary : tensor<1xf32>
    %f = krnl.compute [] () -> (%q = %e[0]) : () -> tensor<1xf32> {
      linalg.yield %one : f32
    }
    %s:2 = krnl.compute [] (%p = %a[0]) -> (%q = %f[0], %r = %g[0])
        : (tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
      %m = arith.addf %p, %q : f32
      linalg.yield %m, %m : f32, f32
    }
    %u = krnl.compute [] (%p = %s#1[0]) -> (%q = %b[0]) : (tensor<1xf32>) -> tensor<1xf32> {
      %n = arith.negf %p : f32
      linalg.yield %n : f32
    }
    krnl.yield %u : tensor<1xf32>
  } -> tensor<1xf32>
  return %y : tensor<1xf32>
}
