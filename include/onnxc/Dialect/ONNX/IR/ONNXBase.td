//===- ONNXBase.td - The onnx dialect and common definitions --------------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_IR_ONNXBASE_TD
#define ONNXC_DIALECT_ONNX_IR_ONNXBASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def ONNX_Dialect : Dialect {
  let name = "onnx";
  let cppNamespace = "::onnxc::onnx";
  let summary = "ONNX models, every operator in its newest version";
  let description = [{
    One operation per ONNX operator, generated from the schemas of the onnx
    library at build time, so that a model greps to its IR: operator `Conv` is
    `onnx.Conv`, operators of other domains carry it in their name
    (`onnx.ml.ZipMap`, `onnx.preview.FlexAttention`, `onnx.training.Adam`).

    * Operands and results come in the order of the schema. One that is absent
      is no operand, never a value that stands for absence.
    * Attributes have the name and the default of the schema.
    * Graph attributes are regions of one block that ends in `onnx.Yield`.
      Values from outside are used directly.
    * ONNX's element types are builtin types: signless integers are ONNX's
      signed ones, `ui8` and its like the unsigned ones, `i1` is bool, and
      `!onnx.string` is string.
    * A value whose type is not known yet is of type `none`.
    * Weights larger than a kilobyte are `#onnx.blob` attributes, which name
      bytes that stay where they are.

    ```mlir
    %w = onnx.Constant #onnx.blob<"m.onnx", 192, 6912, "8d3a1f0c99e7b254"> : tensor<64x3x3x3xf32>
    %y = onnx.Conv(%x, %w) B(%b) {strides = array<i64: 2, 2>}
        : (tensor<?x3x?x?xf32>, tensor<64x3x3x3xf32>, tensor<64xf32>) -> tensor<?x64x?x?xf32>
    ```
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    /// The bytes of all blobs of the context.
    BlobStore &getBlobStore() { return *blobStore; }

  private:
    void registerAttributes();
    void registerTypes();

    std::shared_ptr<BlobStore> blobStore;
  }];
}

//===----------------------------------------------------------------------===//
// Constraints. Further constraints of the schemas are checked by one verifier
// over a table (OpSignature.h), which keeps hundreds of them cheap to compile.
//===----------------------------------------------------------------------===//

/// Any value of ONNX: tensor, container, or of a type not known yet.
def ONNX_Value : Type<CPred<"::onnxc::onnx::isValueType($_self)">,
                      "value of an ONNX type">;

/// INT: an i64, read as a signed number.
def ONNX_IntAttr
    : TypedSignlessIntegerAttrBase<I64, "int64_t", "64-bit integer attribute">;

/// FLOAT: an f32.
def ONNX_FloatAttr : FloatAttrBase<F32, "32-bit float attribute"> {
  let returnType = "float";
  let convertFromStorage = "$_self.getValue().convertToFloat()";
}

/// TENSOR: elements in place or a blob.
def ONNX_TensorAttr
    : Attr<CPred<"::llvm::isa<::mlir::ElementsAttr, ::onnxc::onnx::BlobAttr>"
                 "($_self)">,
           "dense elements or blob attribute"> {
  let storageType = "::mlir::TypedAttr";
  let returnType = "::mlir::TypedAttr";
  let convertFromStorage = "$_self";
}

/// Checks the operation against its row of the table.
def ONNX_HasSignature : NativeOpTrait<"HasSignature"> {
  let cppNamespace = "::onnxc::onnx";
}

/// Base of all operations that a schema describes.
class ONNX_Op<string mnemonic, list<Trait> traits = []>
    : Op<ONNX_Dialect, mnemonic, !listconcat(traits, [ONNX_HasSignature])> {
  let skipDefaultBuilders = 1;
  let builders = [
    // Operands and result types by schema position: null for absent ones, which
    // may be left out at the end. Segment sizes follow from them.
    OpBuilder<(ins "::mlir::TypeRange":$resultTypes,
                   "::mlir::ValueRange":$operands,
                   CArg<"::llvm::ArrayRef<::mlir::NamedAttribute>",
                        "{}">:$attributes),
              [{ ::onnxc::onnx::buildBySignature($_state, resultTypes,
                                                 operands, attributes); }]>,
    // As declarative rewrite rules call it: nothing is null.
    OpBuilder<(ins "::mlir::TypeRange":$resultTypes,
                   "::mlir::ValueRange":$operands,
                   "const Properties &":$properties,
                   CArg<"::llvm::ArrayRef<::mlir::NamedAttribute>",
                        "{}">:$discardable),
              [{ $_state.useProperties(const_cast<Properties &>(properties));
                 ::onnxc::onnx::buildAsGiven($_state, resultTypes, operands,
                                             discardable); }]>
  ];
}

#endif // ONNXC_DIALECT_ONNX_IR_ONNXBASE_TD
