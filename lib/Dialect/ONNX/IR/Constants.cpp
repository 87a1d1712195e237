//===- Constants.cpp - Reading constants, dense or blob --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace onnxc::onnx;

/// The bits of each element of `dense` in turn.
static void forEachElement(DenseElementsAttr dense,
                           function_ref<void(uint64_t)> visit) {
  if (isa<FloatType>(dense.getElementType()))
    for (const APFloat &element : dense.getValues<APFloat>())
      visit(element.bitcastToAPInt().getZExtValue());
  else
    for (const APInt &element : dense.getValues<APInt>())
      visit(element.getZExtValue());
}

/// Packs elements of less than a byte, and spreads bools to one each.
static void packElements(DenseElementsAttr dense, unsigned width,
                         SmallVectorImpl<char> &scratch) {
  uint64_t position = 0;
  scratch.assign(llvm::divideCeil(dense.getNumElements() * width, 8), 0);
  forEachElement(dense, [&](uint64_t bits) {
    for (unsigned bit = 0; bit < width; ++bit, ++position)
      if (bits >> bit & 1)
        scratch[position / 8] |= static_cast<char>(1u << (position % 8));
  });
}

static ArrayRef<char> denseBytes(DenseElementsAttr dense,
                                 SmallVectorImpl<char> &scratch) {
  unsigned width = getRawBitWidth(dense.getElementType());
  if (width == 0)
    return {};
  if (width < 8 || dense.getElementType().isInteger(1)) {
    packElements(dense, width, scratch);
    return scratch;
  }
  ArrayRef<char> raw = dense.getRawData();
  if (!dense.isSplat() || dense.getNumElements() == 1)
    return raw;
  scratch.clear();
  scratch.reserve(dense.getNumElements() * raw.size());
  for (int64_t i = 0; i < dense.getNumElements(); ++i)
    scratch.append(raw.begin(), raw.end());
  return scratch;
}

ArrayRef<char> onnxc::onnx::constantBytes(Attribute attribute,
                                          SmallVectorImpl<char> &scratch) {
  if (auto blob = dyn_cast_or_null<BlobAttr>(attribute))
    return BlobStore::get(blob.getContext()).bytes(blob);
  auto dense = dyn_cast_or_null<DenseElementsAttr>(attribute);
  if (!dense || isa<DenseStringElementsAttr>(dense))
    return {};
  return denseBytes(dense, scratch);
}

/// The little-endian integer of `width` bytes at `data`.
static int64_t readInteger(const char *data, unsigned width, bool isUnsigned) {
  uint64_t bits = 0;
  for (unsigned i = 0; i < width; ++i)
    bits |= static_cast<uint64_t>(static_cast<uint8_t>(data[i])) << (8 * i);
  if (isUnsigned || width == 8)
    return static_cast<int64_t>(bits);
  return llvm::SignExtend64(bits, 8 * width);
}

std::optional<SmallVector<int64_t>>
onnxc::onnx::constantInts(Attribute attribute) {
  auto typed = dyn_cast_or_null<TypedAttr>(attribute);
  auto type = typed ? dyn_cast<RankedTensorType>(typed.getType()) : nullptr;
  if (!type || type.getRank() > 1)
    return std::nullopt;
  auto element = dyn_cast<IntegerType>(type.getElementType());
  unsigned bits = element ? getRawBitWidth(element) : 0;
  if (bits < 8)
    return std::nullopt;
  SmallVector<char> scratch;
  ArrayRef<char> bytes = constantBytes(typed, scratch);
  unsigned width = bits / 8;
  if (bytes.size() != static_cast<uint64_t>(type.getNumElements()) * width)
    return std::nullopt;
  SmallVector<int64_t> result;
  bool isUnsigned = element.isUnsigned() || element.getWidth() == 1;
  for (size_t i = 0; i < bytes.size(); i += width)
    result.push_back(readInteger(&bytes[i], width, isUnsigned));
  return result;
}

std::optional<SmallVector<int64_t>> onnxc::onnx::constantInts(Value value) {
  return constantInts(constantValue(value));
}

TypedAttr onnxc::onnx::constantValue(Value value) {
  if (auto constant = value ? value.getDefiningOp<ConstantOp>() : ConstantOp())
    return dyn_cast<TypedAttr>(constant.getElements());
  // In the middle of a conversion the constant may be one of another dialect.
  Attribute folded;
  auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : nullptr;
  if (type && matchPattern(value, m_Constant(&folded)))
    return dyn_cast<TypedAttr>(folded);
  return TypedAttr();
}
