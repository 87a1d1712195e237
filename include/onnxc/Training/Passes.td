//===- Passes.td - Passes for training -----------------------------------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TRAINING_PASSES_TD
#define ONNXC_TRAINING_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandGradient : Pass<"onnx-expand-gradient", "::mlir::ModuleOp"> {
  let summary = "Replace Gradient by the operators that compute it";
  let description = [{
    Reverse-mode differentiation of the graph, from y to xs, with a rule for each
    operator between them. An operator without a rule is replaced first: by a composition
    of others, or by the function body of its schema; without either it is an
    error. Integers and booleans have no gradient. The operands of Gradient are the
    points at which it is evaluated, followed by the tensors that its attributes
    name: xs, zs, y.

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
