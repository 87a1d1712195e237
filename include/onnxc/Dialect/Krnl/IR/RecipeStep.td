//===- RecipeStep.td - Interface of recipe steps -------*- tablegen -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_RECIPESTEP_TD
#define ONNXC_DIALECT_KRNL_IR_RECIPESTEP_TD

include "mlir/IR/OpBase.td"

def Krnl_RecipeStep : AttrInterface<"RecipeStep"> {
  let cppNamespace = "::onnxc::krnl";
  let description = [{
    One step of a recipe. A step never touches IR: it advances a simulated
    `LoopNest`, which verifier, merge, cost model and lowering all read.
  }];
  let methods = [
    InterfaceMethod<[{
        Applies the step to the nest, or reports why it cannot be applied. The
        nest is unspecified after a failure.
      }], "::llvm::LogicalResult", "advance",
      (ins "::onnxc::krnl::NestBuilder &":$nest,
           "::onnxc::krnl::EmitErrorFn":$emitError)>,
    InterfaceMethod<[{
        The step with other names and numbers for the loops, operands and ops
        that it refers to; null if it refers to one that is gone.
      }], "::mlir::Attribute", "renamed",
      (ins "const ::onnxc::krnl::StepRenaming &":$renaming)>
  ];
}

#endif // ONNXC_DIALECT_KRNL_IR_RECIPESTEP_TD
