// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Branches of different sizes agree on what both know.
// CHECK-LABEL: func.func @branches
// CHECK: %[[C:.*]] = arith.cmpi ne
// CHECK: scf.if %[[C]] -> (tensor<?xf32>)
// CHECK: tensor.cast %{{.*}} : tensor<2xf32> to tensor<?xf32>
// CHECK: else
// CHECK: tensor.cast %{{.*}} : tensor<3xf32> to tensor<?xf32>
func.func @branches(%c: tensor<i1>, %x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<?xf32> {
  %r = onnx.If(%c) : (tensor<i1>) -> tensor<?xf32> then_branch {
    onnx.Yield %x : tensor<2xf32>
  } else_branch {
    onnx.Yield %y : tensor<3xf32>
  }
  return %r : tensor<?xf32>
}
