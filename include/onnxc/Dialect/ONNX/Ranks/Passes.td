//===- Passes.td - Passes for tensors of unknown rank --------------------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_RANKS_PASSES_TD
#define ONNXC_DIALECT_ONNX_RANKS_PASSES_TD

include "mlir/Pass/PassBase.td"

def CheckDeclaredRanks : Pass<"onnx-check-declared-ranks", "::mlir::ModuleOp"> {
  let summary = "Check at run time the ranks that a model declares";
  let description = [{
    The declared rank of a result may be wrong if the rank depends on values at
    run time. The result gets an unknown rank, and an Identity casts it to the
    declared one. The Identity is removed where inference finds the rank; elsewhere
    the run checks it.

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
  let summary = "Specialize operators on tensors of unknown rank";
  let description = [{
    Runs `onnx-simplify` for compilation, until no operator needs a rank that is
    known only at run time:

    * a rank that follows from the other operations becomes a cast;
    * operators that do not depend on the rank are rewritten: elementwise operators
      compute on flat or padded tensors, operators along an axis on views of three
      dimensions;
    * any other operator is copied for each possible rank, in branches of `If`.

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
