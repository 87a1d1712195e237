// RUN: onnx-opt %s --krnl-lower-kernels | FileCheck %s

// Functions that differ only in their numbers, one of which is that of their threads, stay two.
// CHECK-LABEL: func.func @blocks(
// CHECK:         krnl.launch @kernel_a_0
// CHECK:         krnl.launch @kernel_b_0
// CHECK-DAG:   func.func private @kernel_a_0({{.*}}krnl.threads = 64
// CHECK-DAG:   func.func private @kernel_b_0({{.*}}krnl.threads = 128
module attributes {krnl.target = #krnl.target<family = "cuda", triple = "nvptx64-nvidia-cuda", cpu = "sm_80", tile_threads = 1024>} {
func.func @blocks(%x: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %o = tensor.empty(%n) : tensor<?xf32>
  %y = krnl.kernel "a" loops [i = %n] ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>)
      recipe [block(i, 64) -> (i.o, i.t), fuse_outer(i.o, i.t), parallel(i.o), map(i.t, thread)] {
  ^bb0(%a: tensor<?xf32>, %b: tensor<?xf32>, %m: index):
    %r = krnl.compute [i] (%e = %a[i]) -> (%_ = %b[i]) : (tensor<?xf32>) -> tensor<?xf32> {
      %q = arith.addf %e, %e : f32
      linalg.yield %q : f32
    }
    krnl.yield %r : tensor<?xf32>
  } -> tensor<?xf32>
  %z = krnl.kernel "b" loops [i = %n] ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>)
      recipe [block(i, 128) -> (i.o, i.t), fuse_outer(i.o, i.t), parallel(i.o), map(i.t, thread)] {
  ^bb0(%a: tensor<?xf32>, %b: tensor<?xf32>, %m: index):
    %r = krnl.compute [i] (%e = %a[i]) -> (%_ = %b[i]) : (tensor<?xf32>) -> tensor<?xf32> {
      %q = arith.addf %e, %e : f32
      linalg.yield %q : f32
    }
    krnl.yield %r : tensor<?xf32>
  } -> tensor<?xf32>
  return %y, %z : tensor<?xf32>, tensor<?xf32>
}
}
