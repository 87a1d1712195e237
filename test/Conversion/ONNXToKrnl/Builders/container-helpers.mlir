// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Branches of different ranks give an object where the result has no rank.
// CHECK-LABEL: func.func @branches_of_ranks
// CHECK: scf.if %{{.*}} -> (!krnl.obj)
// CHECK: krnl.call @onnxc_call_box(%{{.*}}) params [1] : (tensor<2xf32>) -> !krnl.obj
// CHECK: else
// CHECK: krnl.call @onnxc_call_box(%{{.*}}) params [1] : (tensor<1x2xf32>) -> !krnl.obj
func.func @branches_of_ranks(%c: tensor<i1>, %x: tensor<2xf32>, %y: tensor<1x2xf32>) -> tensor<*xf32> {
  %r = onnx.If(%c) : (tensor<i1>) -> tensor<*xf32> then_branch {
    onnx.Yield %x : tensor<2xf32>
  } else_branch {
    onnx.Yield %y : tensor<1x2xf32>
  }
  return %r : tensor<*xf32>
}

// What the graph says about dynamic sizes is checked.
// CHECK-LABEL: func.func @declared_sizes
// CHECK: %[[R:.*]] = scf.if %{{.*}} -> (tensor<?xf32>)
// CHECK: %[[N:.*]] = tensor.dim %[[R]]
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[N]], %{{.*}} : index
// CHECK: krnl.check %[[SAME]], "a value has another size than declared in the graph" sizes(%[[N]], %{{.*}})
// CHECK: tensor.cast %[[R]] : tensor<?xf32> to tensor<7xf32>
func.func @declared_sizes(%c: tensor<i1>, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<7xf32> {
  %r = onnx.If(%c) : (tensor<i1>) -> tensor<7xf32> then_branch {
    onnx.Yield %x : tensor<?xf32>
  } else_branch {
    onnx.Yield %y : tensor<?xf32>
  }
  return %r : tensor<7xf32>
}
