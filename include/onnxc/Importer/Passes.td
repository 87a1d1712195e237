//===- Passes.td - Passes that need operator schemas ---------------------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_IMPORTER_PASSES_TD
#define ONNXC_IMPORTER_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandFunctions : Pass<"onnx-expand-functions", "::mlir::ModuleOp"> {
  let summary = "Replace operators by the bodies that define them";
  let description = [{
    Replaces every operator whose schema has a function body, and that is not in
    `keep`, by this body, until no such operator is left. The pipeline keeps the
    operators that have a lowering.

    ```mlir
    // before
    %y = onnx.Softplus(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>
    // after
    %0 = onnx.Exp(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>
    %1 = onnx.Constant dense<1.000000e+00> : tensor<f32>
    %2 = onnx.CastLike(%1, %x) : (tensor<f32>, tensor<?x4xf32>) -> tensor<f32>
    %3 = onnx.Add(%0, %2)
        : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
    %y = onnx.Log(%3) : (tensor<?x4xf32>) -> tensor<?x4xf32>
    ```
  }];
  let options = [ListOption<"keep", "keep", "std::string",
                            "operators to keep, such as onnx.Softplus">];
  let dependentDialects = ["::onnxc::onnx::ONNXDialect"];
}

#endif // ONNXC_IMPORTER_PASSES_TD
