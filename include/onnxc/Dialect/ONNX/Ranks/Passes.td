//===- Passes.td - Passes for tensors of unknown rank --------------------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_RANKS_PASSES_TD
#define ONNXC_DIALECT_ONNX_RANKS_PASSES_TD

include "mlir/Pass/PassBase.td"

def CheckDeclaredRanks : Pass<"onnx-check-declared-ranks", "::mlir::ModuleOp"> {
  let summary = "Let the run check the ranks that a model only declares";
  let description = [{
    Of operators whose rank may depend on numbers of the run, the rank that the
    file declares may be wrong. It becomes an Identity that casts: where
    inference finds the rank, the Identity is removed; elsewhere it is checked
    by the run.

    ```mlir
    // before
    %y = onnx.Unsqueeze(%x, %axes)
        : (tensor<?xf32>, tensor<?xi64>) -> tensor<?x?xf32>
    // after
    %0 = onnx.Unsqueeze(%x, %axes)
        : (tensor<?xf32>, tensor<?xi64>) -> tensor<*xf32>
    %y = onnx.Identity(%0) : (tensor<*xf32>) -> tensor<?x?xf32>
    ```
  }];
  let dependentDialects = ["::onnxc::onnx::ONNXDialect"];
}

def SpecializeRanks : Pass<"onnx-specialize-ranks", "::mlir::ModuleOp"> {
  let summary = "Give operators the ranks that they need";
  let description = [{
    Runs `onnx-simplify` for compilation, and again as long as an operator needs
    a rank that is known at run time only:

    * a rank that follows from the other operations becomes a cast;
    * an operator that has a form without a rank gets it: elementwise operators
      compute on flat or padded tensors, operators along an axis on views of
      three dimensions;
    * anything else is there once for each possible rank, in branches of `If`.

    The design is explained in docs/Passes/RationaleRanks.md.

    ```mlir
    // before
    %0 = onnx.Exp(%x) : (tensor<*xf32>) -> tensor<*xf32>
    // after
    %s = onnx.Shape(%x) : (tensor<*xf32>) -> tensor<?xi64>
    %f = onnx.Reshape(%x, %minus_one)
        : (tensor<*xf32>, tensor<1xi64>) -> tensor<?xf32>
    %1 = onnx.Exp(%f) : (tensor<?xf32>) -> tensor<?xf32>
    %0 = onnx.Reshape(%1, %s) {allowzero = 1}
        : (tensor<?xf32>, tensor<?xi64>) -> tensor<*xf32>
    ```
  }];
  let dependentDialects = ["::onnxc::onnx::ONNXDialect"];
}

#endif // ONNXC_DIALECT_ONNX_RANKS_PASSES_TD
