//===- ONNXTypes.td - Types of the onnx dialect ---------------------------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_IR_ONNXTYPES_TD
#define ONNXC_DIALECT_ONNX_IR_ONNXTYPES_TD

include "onnxc/Dialect/ONNX/IR/ONNXBase.td"

class ONNX_Type<string name, string typeMnemonic> : TypeDef<ONNX_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def ONNX_String : ONNX_Type<"String", "string"> {
  let summary = "element type of string tensors";
  let description = [{
    Text of any length in UTF-8: `tensor<?x!onnx.string>`.
  }];
}

def ONNX_Seq : ONNX_Type<"Seq", "seq"> {
  let summary = "sequence of values of one type";
  let description = [{
    Any number of tensors, maps or sequences: `!onnx.seq<tensor<*xf32>>`.
  }];
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
  let genVerifyDecl = 1;
}

def ONNX_Opt : ONNX_Type<"Opt", "opt"> {
  let summary = "value or nothing";
  let description = [{
    `!onnx.opt<tensor<2xf32>>`, `!onnx.opt<!onnx.seq<tensor<*xi64>>>`. An
    optional *operand* that is absent is no operand; this type is for values
    which are known to be there or not only when the model runs.
  }];
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
  let genVerifyDecl = 1;
}

def ONNX_Map : ONNX_Type<"Map", "map"> {
  let summary = "map from integers or strings to values of one type";
  let description = [{
    The key is an integer type or `!onnx.string`, the value any value type:
    `!onnx.map<!onnx.string, tensor<f32>>`.
  }];
  let parameters = (ins "::mlir::Type":$keyType, "::mlir::Type":$valueType);
  let assemblyFormat = "`<` $keyType `,` $valueType `>`";
  let genVerifyDecl = 1;
}

def ONNX_Sparse : ONNX_Type<"Sparse", "sparse"> {
  let summary = "tensor stored by its elements that are not zero";
  let description = [{
    `!onnx.sparse<tensor<4x4xf32>>` has the meaning of the tensor in it.
  }];
  let parameters = (ins "::mlir::TensorType":$tensorType);
  let assemblyFormat = "`<` $tensorType `>`";
}

#endif // ONNXC_DIALECT_ONNX_IR_ONNXTYPES_TD
