//===- ONNXOps.td - Operations of the onnx dialect ------------------------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The classes are generated from the schemas of the onnx library; so are the
// defs, except those written here because a schema is not enough. To take one
// over, derive its def (`ONNX_ConvOp`) from `ONNX_ConvOpBase<[...]>` here.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_IR_ONNXOPS_TD
#define ONNXC_DIALECT_ONNX_IR_ONNXOPS_TD

include "onnxc/Dialect/ONNX/IR/ONNXAttributes.td"
include "onnxc/Dialect/ONNX/IR/ONNXOpClasses.td"
include "onnxc/Dialect/ONNX/IR/ONNXTypes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def ONNX_ConstantOp : ONNX_ConstantOpBase<[ConstantLike]> {
  // The type of `value` is the type of the result: it is written once.
  let assemblyFormat = "attr-dict custom<ConstantValue>($value, type($output))";
  let hasFolder = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The constant as one attribute of tensor type, whichever attribute it
    /// is written in; a sparse value as it stands.
    ::mlir::Attribute getElements();
  }];
}

// How many values a body takes and yields follows from the operands and
// results around it (ControlFlow.cpp).
def ONNX_IfOp : ONNX_IfOpBase { let hasRegionVerifier = 1; }
def ONNX_LoopOp : ONNX_LoopOpBase { let hasRegionVerifier = 1; }
def ONNX_ScanOp : ONNX_ScanOpBase { let hasRegionVerifier = 1; }
def ONNX_SequenceMapOp : ONNX_SequenceMapOpBase { let hasRegionVerifier = 1; }

def ONNX_YieldOp : Op<ONNX_Dialect, "Yield", [
    Pure, ReturnLike, Terminator,
    ParentOneOf<["::onnxc::onnx::IfOp", "::onnxc::onnx::LoopOp",
                 "::onnxc::onnx::PreviewFlexAttentionOp",
                 "::onnxc::onnx::ScanOp", "::onnxc::onnx::SequenceMapOp"]>]> {
  let summary = "end of a graph attribute";
  let description = [{
    Its operands are the outputs of the graph.
    ```mlir
    onnx.Yield %a, %b : tensor<f32>, tensor<i1>
    ```
  }];
  let arguments = (ins Variadic<ONNX_Value>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def ONNX_FailOp : Op<ONNX_Dialect, "Fail", [MemoryEffects<[MemWrite]>]> {
  let summary = "end the run with an error";
  let description = [{
    Stands where a run cannot be continued: in place of a branch whose operations
    the sizes do not fit. With a condition only runs where it is true end.
    Nothing reads the results, which are there for their types.
    ```mlir
    onnx.Fail "dimension 1 is 2" if %taken : tensor<i1>
    %y = onnx.Fail "dimension 1 is 2" -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins StrAttr:$message, Optional<ONNX_Value>:$condition);
  let results = (outs Variadic<ONNX_Value>:$results);
  let assemblyFormat = [{
    $message (`if` $condition^ `:` type($condition))? (`->` type($results)^)?
    attr-dict
  }];
  let hasVerifier = 1;
}

// An operator of a library of the user's (onnxc/CustomOp.h). The part of the
// library's description that is used after the import is in attributes.
def ONNX_CustomOp : Op<ONNX_Dialect, "Custom", [
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "an operator that a custom operator library computes";
  let description = [{
    `library` is the function by which the library is found. `input_slots` and
    `output_slots` list the inputs and outputs of the operator that are present:
    the operands and results are those, in order. `node_attributes` has all
    attributes, the defaults of those that the node leaves out among them. A
    `pure` operator gives the same results for the same inputs and does nothing
    else; any other is executed as often as in the model, used or not.

    ```mlir
    %y = onnx.Custom "Clip3" of "my.domain" in "onnxc_custom_ops_mine"(%x, %high)
        {input_slots = array<i1: true, false, true>,
         output_slots = array<i1: true>, version = 1 : i64}
        : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
    ```
  }];
  let arguments = (ins StrAttr:$domain, StrAttr:$op_type, StrAttr:$library,
                       ONNX_IntAttr:$version, UnitAttr:$pure,
                       DefaultValuedAttr<DictionaryAttr, "{}">:$node_attributes,
                       DenseBoolArrayAttr:$input_slots,
                       DenseBoolArrayAttr:$output_slots,
                       Variadic<ONNX_Value>:$values);
  let results = (outs Variadic<ONNX_Value>:$results);
  let assemblyFormat = [{
    $op_type `of` $domain `in` $library `(` $values `)` attr-dict `:`
    functional-type($values, $results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The operand or result of each slot, null where it is absent.
    ::llvm::SmallVector<::mlir::Value> getInputs();
    ::llvm::SmallVector<::mlir::Value> getOutputs();
    /// "my.domain.Clip3", as messages call it.
    ::std::string getOperatorName();
  }];
}

include "onnxc/Dialect/ONNX/IR/ONNXOpDefs.td"

#endif // ONNXC_DIALECT_ONNX_IR_ONNXOPS_TD
