//===- Cast.cpp - Cast, CastLike and BitCast --------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "onnxc/Conversion/ONNXToKrnl/Elementwise.h"
#include "onnxc/Conversion/ONNXToKrnl/HostValues.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;

namespace onnxc {
namespace {

bool isNumber(Type type) { return isa<FloatType, IntegerType>(type); }

/// Cast to the element type of the result; CastLike has a second operand, of
/// which only the type matters.
template <typename OnnxOp>
struct CastLowering : public OpConversionPattern<OnnxOp> {
  using OpConversionPattern<OnnxOp>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OnnxOp op, typename OnnxOp::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value x = adaptor.getOperands()[0];
    Type from = getElementTypeOrSelf(op->getOperand(0).getType());
    Type to = getElementTypeOrSelf(op->getResult(0).getType());
    if (!isa<RankedTensorType>(x.getType()))
      return rewriter.notifyMatchFailure(op, "operand has no rank");
    if (!isNumber(from) || !isNumber(to))
      return rewriter.notifyMatchFailure(op, "elements are no numbers");
    Rounding rounding;
    rounding.saturate = op.getSaturate();
    rounding.mode = llvm::StringSwitch<Rounding::Mode>(op.getRoundMode())
                        .Case("down", Rounding::Mode::Down)
                        .Case("nearest", Rounding::Mode::Nearest)
                        .Default(Rounding::Mode::Up);
    if (from != to)
      x = buildElementwise(
          rewriter, op.getLoc(), op->getName().stripDialect(), x, to,
          [&](OpBuilder &b, Location loc, ValueRange v) {
            ScalarBuilder s(b, loc, from);
            Value y = s.castTo(s.widen(v[0]), to);
            return ScalarBuilder(b, loc, to).narrow(y, rounding);
          });
    replaceWithCasts(rewriter, *this->getTypeConverter(), op, x);
    return success();
  }
};

/// The bits stay, and what they mean changes; where both types are stored alike
/// nothing is left to do.
struct BitCastLowering : public OpConversionPattern<onnx::BitCastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(onnx::BitCastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value x = adaptor.getOperands()[0];
    Type from = getElementTypeOrSelf(op->getOperand(0).getType());
    Type to = getElementTypeOrSelf(op->getResult(0).getType());
    if (!isa<RankedTensorType>(x.getType()))
      return rewriter.notifyMatchFailure(op, "operand has no rank");
    if (!isNumber(from) || !isNumber(to))
      return rewriter.notifyMatchFailure(op, "elements are no numbers");
    Type stored = ScalarBuilder::storageType(to);
    // Of a narrow type the rest of the byte is its sign or zero.
    bool narrow = from.getIntOrFloatBitWidth() < 8;
    if (narrow || stored != ScalarBuilder::storageType(from))
      x = buildElementwise(
          rewriter, op.getLoc(), "BitCast", x, to,
          [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
            if (!narrow)
              return arith::BitcastOp::create(b, loc, stored, v[0]);
            Type integer = isa<IntegerType>(to)
                               ? to
                               : IntegerType::get(b.getContext(),
                                                  to.getIntOrFloatBitWidth(),
                                                  IntegerType::Unsigned);
            return ScalarBuilder(b, loc, integer).narrow(v[0]);
          });
    replaceWithCasts(rewriter, *getTypeConverter(), op, x);
    return success();
  }
};

} // namespace

void populateONNXToKrnlCastPatterns(TypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<BitCastLowering, CastLowering<onnx::CastLikeOp>,
               CastLowering<onnx::CastOp>>(converter, patterns.getContext());
}

} // namespace onnxc
