//===- ONNXOps.td - Operations of the onnx dialect ------------------------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The classes are generated from the schemas of the onnx library; so are the
// defs, except those written here because a schema cannot say it all. To take
// one over, derive its def (`ONNX_ConvOp`) from `ONNX_ConvOpBase<[...]>` here.
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

include "onnxc/Dialect/ONNX/IR/ONNXOpDefs.td"

#endif // ONNXC_DIALECT_ONNX_IR_ONNXOPS_TD
