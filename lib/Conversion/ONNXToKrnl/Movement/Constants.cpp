//===- Constants.cpp - Constants of the model -------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "Lowering.h"
#include "Text/Strings.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/BlobStore.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;

namespace onnxc {
namespace {

/// A constant of elements narrower than a byte with a byte for each of them.
TypedAttr spread(TypedAttr value, RankedTensorType type, unsigned width,
                 bool isSigned) {
  SmallVector<char> scratch;
  ArrayRef<char> packed = onnx::constantBytes(value, scratch);
  std::vector<char> bytes(type.getNumElements());
  for (size_t i = 0; i < bytes.size(); ++i) {
    unsigned bits = 0;
    for (unsigned k = 0; k < width; ++k) {
      size_t position = i * width + k;
      if (position / 8 < packed.size())
        bits |= (packed[position / 8] >> (position % 8) & 1) << k;
    }
    bytes[i] = isSigned ? llvm::SignExtend32(bits, width) : bits;
  }
  if (isa<onnx::BlobAttr>(value))
    return onnx::BlobStore::get(value.getContext()).add(std::move(bytes), type);
  return DenseElementsAttr::getFromRawBuffer(type, bytes);
}

/// The values under the type that the krnl dialect gives the tensor; null if
/// there is none (strings).
TypedAttr retype(TypedAttr value, RankedTensorType type) {
  if (value.getType() == type)
    return value;
  Type element = getElementTypeOrSelf(value.getType());
  if (element.isIntOrFloat() && !element.isInteger(1) &&
      element.getIntOrFloatBitWidth() < 8)
    return spread(value, type, element.getIntOrFloatBitWidth(),
                  element.isSignlessInteger());
  if (auto blob = dyn_cast<onnx::BlobAttr>(value))
    return onnx::BlobAttr::get(value.getContext(), type, blob.getFile(),
                               blob.getOffset(), blob.getSize(),
                               blob.getHash());
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense || !type.getElementType().isIntOrFloat())
    return {};
  if (dense.getElementType().isInteger(1)) {
    SmallVector<int8_t> bytes;
    for (bool bit : dense.getValues<bool>())
      bytes.push_back(bit);
    return DenseElementsAttr::get(type, ArrayRef<int8_t>(bytes));
  }
  return DenseElementsAttr::getFromRawBuffer(type, dense.getRawData());
}

Lowered lowerConstant(onnx::ConstantOp op, onnx::ConstantOp::Adaptor,
                      ConversionPatternRewriter &rewriter) {
  TypedAttr value = onnx::constantValue(op->getResult(0));
  if (!value)
    return rewriter.notifyMatchFailure(op, "constant is not dense");
  if (auto strings = dyn_cast<DenseStringElementsAttr>(value)) {
    SmallVector<StringRef> texts(strings.getValues<StringRef>());
    return stringConstant(rewriter, op.getLoc(), texts,
                          strings.getType().getShape());
  }
  auto type = dyn_cast_or_null<RankedTensorType>(krnlType(value.getType()));
  TypedAttr stored = type ? retype(value, type) : TypedAttr();
  if (!stored)
    return rewriter.notifyMatchFailure(op, "element type has no raw form");
  rewriter.replaceOpWithNewOp<krnl::ConstantOp>(op, stored,
                                                krnl::PackedLayoutAttr());
  return success();
}

} // namespace

void populateONNXToKrnlConstantsPatterns(TypeConverter &converter,
                                         RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerConstant);
}

} // namespace onnxc
