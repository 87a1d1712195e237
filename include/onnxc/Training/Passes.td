//===- Passes.td - Passes for training -----------------------------------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TRAINING_PASSES_TD
#define ONNXC_TRAINING_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandGradient : Pass<"onnx-expand-gradient", "::mlir::ModuleOp"> {
  let summary = "Replace Gradient by operators that compute it";
  let description = [{
    Reverse mode on the graph: from y back to xs, with a rule for each operator
    between them. An operator without a rule is replaced first: by a composition
    of others, or by the function body of its schema. One that has neither is an
    error at the operator. Integers and truth values end the way. The operands
    of Gradient are the points where it is taken, then the tensors that its
    attributes name: xs, zs, y.

    ```mlir
    // before
    %y = onnx.Mul(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %g = onnx.training.Gradient(%a, %a, %y) {xs = ["a"], y = "y"}
        : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
    // after: %g is
    %g = onnx.Mul(%one, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ```
  }];
  let dependentDialects = ["::onnxc::onnx::ONNXDialect"];
}

#endif // ONNXC_TRAINING_PASSES_TD
