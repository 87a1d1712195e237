//===- ONNXAttributes.td - Attributes of the onnx dialect -----------------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_IR_ONNXATTRIBUTES_TD
#define ONNXC_DIALECT_ONNX_IR_ONNXATTRIBUTES_TD

include "onnxc/Dialect/ONNX/IR/ONNXBase.td"

def ONNX_Blob : AttrDef<ONNX_Dialect, "Blob", [TypedAttrInterface]> {
  let mnemonic = "blob";
  let summary = "elements of a tensor that are kept elsewhere";
  let description = [{
    ```
    #onnx.blob<"file", offset, bytes, "hash"> : tensor<64x3x3x3xf32>
    ```
    names `bytes` bytes at `offset` of `file`, a model or a file of external
    data; they are mapped, never copied. An empty file name stands for bytes
    that the compiler made. The hash (XXH3, 64 bits, hexadecimal) identifies
    them: the same bytes are the same blob wherever they lie. The bytes are in
    ONNX's raw form: little endian, row-major, one byte per bool, elements of
    less than a byte packed from the low bits up.

    Reading the attribute from text maps the file, relative to the current
    directory, and refuses bytes of another hash. If there is no such file the
    attribute is valid and its bytes are unknown.
  }];
  let parameters = (ins
    AttributeSelfTypeParameter<"", "::mlir::RankedTensorType">:$type,
    StringRefParameter<"where the bytes are, empty if in memory">:$file,
    "uint64_t":$offset,
    "uint64_t":$size,
    "uint64_t":$hash);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // ONNXC_DIALECT_ONNX_IR_ONNXATTRIBUTES_TD
