//===- ConstantFloats.cpp - Weights as numbers -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "ConstantFloats.h"

#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Dialect/ONNX/IR/TensorAttr.h"

#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace onnxc::onnx;

template <typename Float>
static void readAs(ArrayRef<char> bytes, std::vector<double> &values) {
  for (auto [i, value] : llvm::enumerate(values)) {
    Float element;
    memcpy(&element, bytes.data() + i * sizeof(Float), sizeof(Float));
    value = element;
  }
}

static void readHalves(ArrayRef<char> bytes, const llvm::fltSemantics &kind,
                       std::vector<double> &values) {
  for (auto [i, value] : llvm::enumerate(values)) {
    uint16_t bits;
    memcpy(&bits, bytes.data() + i * sizeof(bits), sizeof(bits));
    value = llvm::APFloat(kind, llvm::APInt(16, bits)).convertToDouble();
  }
}

std::optional<ConstantFloats> ConstantFloats::read(Value value) {
  TypedAttr attr = value ? constantValue(value) : TypedAttr();
  auto type =
      attr ? dyn_cast<RankedTensorType>(attr.getType()) : RankedTensorType();
  auto element =
      type ? dyn_cast<FloatType>(type.getElementType()) : FloatType();
  if (!element || !(element.isF16() || element.isBF16() || element.isF32() ||
                    element.isF64()))
    return std::nullopt;
  SmallVector<char> scratch;
  ArrayRef<char> bytes = constantBytes(attr, scratch);
  ConstantFloats result{type, std::vector<double>(type.getNumElements())};
  if (bytes.size() != result.values.size() * (element.getWidth() / 8))
    return std::nullopt;
  if (element.isF64())
    readAs<double>(bytes, result.values);
  else if (element.isF32())
    readAs<float>(bytes, result.values);
  else
    readHalves(bytes, element.getFloatSemantics(), result.values);
  return result;
}

template <typename Float>
static std::vector<char> writeAs(ArrayRef<double> values) {
  std::vector<char> bytes(values.size() * sizeof(Float));
  for (auto [i, value] : llvm::enumerate(values)) {
    auto element = static_cast<Float>(value);
    memcpy(bytes.data() + i * sizeof(Float), &element, sizeof(Float));
  }
  return bytes;
}

static std::vector<char> writeHalves(ArrayRef<double> values,
                                     const llvm::fltSemantics &kind) {
  std::vector<char> bytes(values.size() * sizeof(uint16_t));
  for (auto [i, value] : llvm::enumerate(values)) {
    llvm::APFloat element(value);
    bool losesInfo;
    element.convert(kind, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    auto bits = static_cast<uint16_t>(element.bitcastToAPInt().getZExtValue());
    memcpy(bytes.data() + i * sizeof(bits), &bits, sizeof(bits));
  }
  return bytes;
}

Value ConstantFloats::create(OpBuilder &builder, Location loc) const {
  auto element = cast<FloatType>(type.getElementType());
  std::vector<char> bytes =
      element.isF64()   ? writeAs<double>(values)
      : element.isF32() ? writeAs<float>(values)
                        : writeHalves(values, element.getFloatSemantics());
  TypedAttr attr = makeTensorAttr(type, std::move(bytes));
  return ConstantOp::create(builder, loc, type, ValueRange(),
                            builder.getNamedAttr("value", attr))
      .getResult();
}
