// An error of the model is found on the way to each level and reported once.
// RUN: not onnx-compile %s --resume=onnx --triple=x86_64-linux-gnu --cpu=x86-64-v2,x86-64-v3 --emit=krnl -o - 2>&1 | FileCheck %s
// CHECK-NOT: error:
// CHECK:     error: the operator Conv is not supported for
// CHECK-NOT: error:

// What has targets keeps them; a module without one gets no list of them.
// RUN: not onnx-compile %s --resume=krnl --triple=x86_64-linux-gnu --cpu=x86-64-v2,x86-64-v3 -o %t.so 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: a module in '{{.*}}levels.mlir' names no target; --cpu gives it one only where there is one module and one processor
func.func @main_graph(%x: tensor<2x3xf32>, %w: tensor<1x1x1xf32>) -> tensor<2x3xf32> {
  %0 = onnx.Conv(%x, %w) : (tensor<2x3xf32>, tensor<1x1x1xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
