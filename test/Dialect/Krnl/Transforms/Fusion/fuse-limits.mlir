// RUN: onnx-opt %s --krnl-fuse=max-ops=1 --remarks-filter-missed=krnl-fuse -o %t.mlir 2>&1 | FileCheck %s --check-prefix=OPS
// RUN: onnx-opt %s --krnl-fuse=max-operands=2 --remarks-filter-missed=krnl-fuse -o %t.mlir 2>&1 | FileCheck %s --check-prefix=OPERANDS
// RUN: onnx-opt %s --krnl-fuse | FileCheck %s
//
// Ops and operands are counted up to the limit, not all that there are: a kernel
// of thousands is looked at once for each of its producers.

// OPS:      the kernel would have more than 1 ops
// OPERANDS: the kernel would have more than 2 operands
// CHECK:    krnl.kernel "{{.*}}add+{{.*}}mul{{.*}}"
func.func @limits(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<8xf32>
  %0 = krnl.kernel "add" loops [i = 8] ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%p: tensor<8xf32>, %o: tensor<8xf32>):
    %c = krnl.compute [i] (%s = %p[i]) -> (%u = %o[i]) : (tensor<8xf32>) -> tensor<8xf32> {
      %v = arith.addf %s, %s : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<8xf32>
  } -> tensor<8xf32>
  %1 = krnl.kernel "mul" loops [i = 8] ins(%0, %y : tensor<8xf32>, tensor<8xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%p: tensor<8xf32>, %q: tensor<8xf32>, %o: tensor<8xf32>):
    %c = krnl.compute [i] (%s = %p[i], %t = %q[i]) -> (%u = %o[i])
        : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
      %v = arith.mulf %s, %t : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<8xf32>
  } -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
