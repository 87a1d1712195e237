//===- Strings.cpp - Operators of numbers, on strings -----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Equal and Cast where elements are strings, and StringConcat.
//===----------------------------------------------------------------------===//

#include "Text/Strings.h"
#include "Builders/HostValues.h"
#include "Builders/ScalarBuilder.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;

namespace onnxc {
namespace {

Type elementOf(Value v) { return getElementTypeOrSelf(v.getType()); }

constexpr char equalCallee[] = "onnxc_call_string_equal",
               concatCallee[] = "onnxc_call_string_concat";

/// An operator of two tensors of strings that broadcast, as a call.
template <typename OnnxOp, const char *callee>
Lowered lowerPair(OnnxOp op, typename OnnxOp::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) {
  ValueRange operands = adaptor.getOperands();
  if (!isString(elementOf(op->getOperand(0))))
    return rewriter.notifyMatchFailure(op, "elements are not strings");
  RankedTensorType x = rankedType(operands[0]), y = rankedType(operands[1]);
  auto wanted =
      dyn_cast<RankedTensorType>(krnlType(op->getResult(0).getType()));
  if (!wanted) {
    SmallVector<int64_t> shape(std::max(x.getRank(), y.getRank()),
                               ShapedType::kDynamic);
    wanted =
        RankedTensorType::get(shape, krnlType(elementOf(op->getResult(0))));
  }
  return callTensor(rewriter, op.getLoc(), callee, wanted, operands);
}

//===----------------------------------------------------------------------===//
// Cast
//===----------------------------------------------------------------------===//

/// The kinds of numbers, as NumberKind of runtime/lib/calls/Strings.cpp.
enum NumberKind { kBool, kInteger, kUnsigned, kFloat, kDouble };

/// The kind that numbers of `type` are read and written as, and its type.
std::pair<NumberKind, Type> kindOf(Type type) {
  Builder b(type.getContext());
  if (type.isF64())
    return {kDouble, type};
  if (isa<FloatType>(type))
    return {kFloat, b.getF32Type()};
  if (type.isUnsignedInteger())
    return {kUnsigned, b.getIntegerType(64, /*isSigned=*/false)};
  return {kInteger, b.getI64Type()};
}

Value print(OpBuilder &b, Location loc, Value x, Type from) {
  auto [kind, wide] = kindOf(from);
  if (from.isInteger(1))
    kind = kBool;
  else
    x = castNumbers(b, loc, x, from, wide);
  auto type =
      RankedTensorType::get(cast<RankedTensorType>(x.getType()).getShape(),
                            krnl::StrType::get(b.getContext()));
  return callTensor(b, loc, "onnxc_call_string_from_number", type, x, kind);
}

Value parse(OpBuilder &b, Location loc, Value x, Type to) {
  auto [kind, wide] = kindOf(to);
  auto type =
      RankedTensorType::get(cast<RankedTensorType>(x.getType()).getShape(),
                            ScalarBuilder::storageType(wide));
  Value y = callTensor(b, loc, "onnxc_call_string_to_number", type, x, kind);
  return castNumbers(b, loc, y, wide, to);
}

/// Cast and CastLike from and to strings.
template <typename OnnxOp>
Lowered lowerCast(OnnxOp op, typename OnnxOp::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getOperands()[0];
  Type from = elementOf(op->getOperand(0)), to = elementOf(op->getResult(0));
  if (isString(from) == isString(to) ||
      !isa<FloatType, IntegerType>(isString(from) ? to : from))
    return rewriter.notifyMatchFailure(op, "not between text and numbers");
  return isString(to) ? print(rewriter, loc, x, from)
                      : parse(rewriter, loc, x, to);
}

} // namespace

void populateONNXToKrnlStringsPatterns(TypeConverter &converter,
                                       RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerCast<onnx::CastOp>,
               lowerCast<onnx::CastLikeOp>,
               lowerPair<onnx::EqualOp, equalCallee>,
               lowerPair<onnx::StringConcatOp, concatCallee>);
}

} // namespace onnxc
