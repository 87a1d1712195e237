//===- Cast.cpp - Cast, CastLike and BitCast --------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"
#include "Elementwise/Elementwise.h"
#include "Lowering.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;

namespace onnxc {
namespace {

bool isNumber(Type type) { return isa<FloatType, IntegerType>(type); }

/// Cast to the element type of the result; CastLike has a second operand, of
/// which only the type matters.
template <typename OnnxOp>
Lowered lowerCast(OnnxOp op, typename OnnxOp::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) {
  Value x = adaptor.getOperands()[0];
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  if (!isNumber(from) || !isNumber(to))
    return rewriter.notifyMatchFailure(op, "elements are not numbers");
  Rounding rounding;
  rounding.saturate = op.getSaturate();
  rounding.mode = llvm::StringSwitch<Rounding::Mode>(op.getRoundMode())
                      .Case("down", Rounding::Mode::Down)
                      .Case("nearest", Rounding::Mode::Nearest)
                      .Default(Rounding::Mode::Up);
  if (from != to)
    x = buildElementwise(rewriter, op.getLoc(), op->getName().stripDialect(), x,
                         to, [&](OpBuilder &b, Location loc, ValueRange v) {
                           ScalarBuilder s(b, loc, from);
                           Value y = s.castTo(s.widen(v[0]), to);
                           return ScalarBuilder(b, loc, to).narrow(y, rounding);
                         });
  return x;
}

/// A complex number of two f32 as one integer, the real part low, and back.
Value packComplex(OpBuilder &b, Location loc, Value z) {
  auto bitsOf = [&](Value part) -> Value {
    Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), part);
    return arith::ExtUIOp::create(b, loc, b.getI64Type(), bits);
  };
  Value half = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(32));
  Value high = arith::ShLIOp::create(
      b, loc, bitsOf(complex::ImOp::create(b, loc, z)), half);
  return arith::OrIOp::create(b, loc, high,
                              bitsOf(complex::ReOp::create(b, loc, z)));
}

Value unpackComplex(OpBuilder &b, Location loc, Value bits, Type complex) {
  auto partOf = [&](Value x) -> Value {
    Value low = arith::TruncIOp::create(b, loc, b.getI32Type(), x);
    return arith::BitcastOp::create(b, loc, b.getF32Type(), low);
  };
  Value half = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(32));
  Value high = arith::ShRUIOp::create(b, loc, bits, half);
  return complex::CreateOp::create(b, loc, complex, partOf(bits), partOf(high));
}

/// The bits of `x` as another type of the same width.
Value bitCast(OpBuilder &b, Location loc, Value x, Type to) {
  if (x.getType() == to)
    return x;
  if (isa<ComplexType>(x.getType()))
    x = packComplex(b, loc, x);
  if (!isa<ComplexType>(to))
    return x.getType() == to ? x
                             : Value(arith::BitcastOp::create(b, loc, to, x));
  if (x.getType() != b.getI64Type())
    x = arith::BitcastOp::create(b, loc, b.getI64Type(), x);
  return unpackComplex(b, loc, x, to);
}

/// The bits stay and their type changes; where both types are stored alike this
/// is no operation.
Lowered lowerBitCast(onnx::BitCastOp op, onnx::BitCastOp::Adaptor adaptor,
                     ConversionPatternRewriter &rewriter) {
  Value x = adaptor.getOperands()[0];
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  auto isTaken = [](Type type) {
    return isNumber(type) || isa<ComplexType>(type);
  };
  if (!isTaken(from) || !isTaken(to))
    return rewriter.notifyMatchFailure(op, "elements are not numbers");
  Type stored = ScalarBuilder::storageType(to);
  // Of a narrow type the rest of the byte is its sign or zero.
  bool narrow = isNumber(from) && from.getIntOrFloatBitWidth() < 8;
  if (narrow || stored != ScalarBuilder::storageType(from))
    x = buildElementwise(
        rewriter, op.getLoc(), "BitCast", x, to,
        [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
          if (!narrow)
            return bitCast(b, loc, v[0], stored);
          Type integer =
              isa<IntegerType>(to)
                  ? to
                  : IntegerType::get(b.getContext(), to.getIntOrFloatBitWidth(),
                                     IntegerType::Unsigned);
          return ScalarBuilder(b, loc, integer).narrow(v[0]);
        });
  return x;
}

} // namespace

void populateONNXToKrnlCastPatterns(TypeConverter &converter,
                                    RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerBitCast, lowerCast<onnx::CastLikeOp>,
               lowerCast<onnx::CastOp>);
}

} // namespace onnxc
