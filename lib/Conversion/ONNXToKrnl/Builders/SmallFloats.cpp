//===- SmallFloats.cpp - Floats of a byte or less as integers ---*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Builders/SmallFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace onnxc {
namespace {

/// A format's numbers, as the library's own arithmetic has them.
struct Format {
  explicit Format(FloatType type)
      : semantics(type.getFloatSemantics()),
        mantissaBits(llvm::APFloat::semanticsPrecision(semantics) - 1),
        magnitudeBits(llvm::APFloat::semanticsSizeInBits(semantics) - 1),
        minExponent(llvm::APFloat::semanticsMinExponent(semantics)),
        hasInfinity(llvm::APFloat::semanticsHasInf(semantics)),
        hasNaN(llvm::APFloat::semanticsHasNaN(semantics)),
        largest(encoding(llvm::APFloat::getLargest(semantics))),
        nan(hasNaN ? encoding(llvm::APFloat::getNaN(semantics)) : 0),
        hasNegativeZero(
            encoding(llvm::APFloat::getZero(semantics, /*Negative=*/true)) !=
            encoding(llvm::APFloat::getZero(semantics))) {}

  static unsigned encoding(const llvm::APFloat &value) {
    return value.bitcastToAPInt().getZExtValue();
  }
  /// Exponent 0 of f32 minus that of the format.
  int64_t bias() const { return 1 - minExponent; }
  unsigned signBit() const { return 1u << magnitudeBits; }

  const llvm::fltSemantics &semantics;
  unsigned mantissaBits;
  /// All but the sign.
  unsigned magnitudeBits;
  int minExponent;
  bool hasInfinity, hasNaN;
  /// Encodings without sign (but the only NaN of some is their sign bit).
  unsigned largest, nan;
  bool hasNegativeZero;
};

/// Shorthands for arithmetic on i32.
struct Bits {
  Value constant(int64_t value) {
    return arith::ConstantOp::create(
        b, loc, b.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  Value real(double value) {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value bitAnd(Value x, int64_t mask) {
    return arith::AndIOp::create(b, loc, x, constant(mask));
  }
  Value bitOr(Value x, Value y) { return arith::OrIOp::create(b, loc, x, y); }
  Value left(Value x, int64_t n) {
    return arith::ShLIOp::create(b, loc, x, constant(n));
  }
  Value right(Value x, int64_t n) {
    return arith::ShRUIOp::create(b, loc, x, constant(n));
  }
  Value is(arith::CmpIPredicate predicate, Value x, int64_t y) {
    return arith::CmpIOp::create(b, loc, predicate, x, constant(y));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  Value toBits(Value x) {
    return arith::BitcastOp::create(b, loc, b.getI32Type(), x);
  }
  Value toReal(Value x) {
    return arith::BitcastOp::create(b, loc, b.getF32Type(), x);
  }

  OpBuilder &b;
  Location loc;
};

constexpr int64_t f32MantissaBits = 23, f32Bias = 127;
constexpr int64_t f32Magnitude = 0x7fffffff, f32Infinity = 0x7f800000,
                  f32NaN = 0x7fc00000;
using Predicate = arith::CmpIPredicate;

/// An exponent alone; all ones is NaN.
Value decodeExponent(Bits &i, Value bits) {
  // 2^-127 lies below f32's normal numbers.
  Value wide = i.select(i.is(Predicate::eq, bits, 0), i.constant(1 << 22),
                        i.left(bits, f32MantissaBits));
  return i.toReal(
      i.select(i.is(Predicate::eq, bits, 0xff), i.constant(f32NaN), wide));
}

Value encodeExponent(Bits &i, Value x, Rounding rounding) {
  Value magnitude = i.bitAnd(i.toBits(x), f32Magnitude);
  Value exponent = i.right(magnitude, f32MantissaBits);
  Value fraction = i.bitAnd(magnitude, (1 << f32MantissaBits) - 1);
  if (rounding.mode != Rounding::Mode::Down) {
    Value up = i.is(Predicate::ne, fraction, 0);
    if (rounding.mode == Rounding::Mode::Nearest) {
      // Half goes up, but for the smallest exponent of all.
      Value limit = i.select(i.is(Predicate::eq, exponent, 0),
                             i.constant((1 << 22) + 1), i.constant(1 << 22));
      up = arith::CmpIOp::create(i.b, i.loc, Predicate::uge, fraction, limit);
    }
    int64_t last = rounding.saturate ? 0xfe : 0xff;
    up = arith::AndIOp::create(i.b, i.loc, up,
                               i.is(Predicate::ult, exponent, last));
    exponent = i.select(up, i.add(exponent, i.constant(1)), exponent);
  }
  return arith::TruncIOp::create(i.b, i.loc, i.b.getI8Type(), exponent);
}

} // namespace

/// The bits of a magnitude of f32 in the format, rounded to the nearest;
/// magnitudes out of range give greater bits than the largest number.
static Value roundMagnitude(Bits &i, const Format &format, Value magnitude) {
  // Normal results: half of the last kept bit is added, less a little if the
  // bit itself is even; a carry goes into the exponent as it should.
  int64_t dropped = f32MantissaBits - format.mantissaBits;
  Value odd = i.bitAnd(i.right(magnitude, dropped), 1);
  Value rounded =
      i.add(i.add(magnitude, i.constant((1 << (dropped - 1)) - 1)), odd);
  Value normal =
      i.sub(i.right(rounded, dropped),
            i.constant((f32Bias - format.bias()) << format.mantissaBits));
  // Subnormal results: added to a number whose last bit is the smallest
  // subnormal, x is rounded by the addition itself.
  double anchor =
      std::ldexp(1.0, format.minExponent - int(format.mantissaBits) +
                          int(f32MantissaBits));
  Value anchored =
      arith::AddFOp::create(i.b, i.loc, i.toReal(magnitude), i.real(anchor));
  Value subnormal = i.sub(i.toBits(anchored), i.toBits(i.real(anchor)));
  Value isSmall = i.is(Predicate::ult, magnitude,
                       (f32Bias + format.minExponent) << f32MantissaBits);
  return i.select(isSmall, subnormal, normal);
}

Value decodeSmallFloat(OpBuilder &b, Location loc, FloatType type, Value bits) {
  Bits i{b, loc};
  bits = arith::ExtUIOp::create(b, loc, b.getI32Type(), bits);
  if (isa<Float8E8M0FNUType>(type))
    return decodeExponent(i, bits);
  Format format(type);
  Value magnitude = i.bitAnd(bits, format.signBit() - 1);
  Value sign =
      i.left(i.bitAnd(bits, format.signBit()), 31 - format.magnitudeBits);
  // Placed where f32 has exponent and mantissa, the bits are the value but
  // for the difference of the biases; this holds for subnormals too.
  Value scaled = arith::MulFOp::create(
      b, loc,
      i.toReal(i.left(magnitude, f32MantissaBits - format.mantissaBits)),
      i.real(std::ldexp(1.0, f32Bias - format.bias())));
  Value wide = i.bitOr(i.toBits(scaled), sign);
  if (format.hasInfinity) {
    Value infinite = i.bitOr(i.constant(f32Infinity), sign);
    wide = i.select(i.is(Predicate::eq, magnitude, format.largest + 1),
                    infinite, wide);
    wide = i.select(i.is(Predicate::ugt, magnitude, format.largest + 1),
                    i.constant(f32NaN), wide);
  } else if (format.hasNaN) {
    bool bySign = format.nan == format.signBit();
    wide = i.select(i.is(Predicate::eq, bySign ? bits : magnitude, format.nan),
                    i.constant(f32NaN), wide);
  }
  return i.toReal(wide);
}

Value encodeSmallFloat(OpBuilder &b, Location loc, FloatType type, Value x,
                       Rounding rounding) {
  Bits i{b, loc};
  if (isa<Float8E8M0FNUType>(type))
    return encodeExponent(i, x, rounding);
  Format format(type);
  Value all = i.toBits(x);
  Value magnitude = i.bitAnd(all, f32Magnitude);
  Value sign =
      i.bitAnd(i.right(all, 31 - format.magnitudeBits), format.signBit());
  Value bits = roundMagnitude(i, format, magnitude);
  int64_t beyond = format.largest;
  if (!rounding.saturate && (format.hasInfinity || format.hasNaN))
    beyond = format.hasInfinity ? format.largest + 1 : format.nan;
  bits = i.select(i.is(Predicate::sgt, bits, format.largest),
                  i.constant(beyond), bits);
  bool nanBySign = format.hasNaN && format.nan == format.signBit();
  if (!format.hasNegativeZero)
    sign =
        i.select(i.is(Predicate::eq, i.bitAnd(bits, format.signBit() - 1), 0),
                 i.constant(0), sign);
  if (format.hasNaN && !nanBySign)
    bits = i.select(i.is(Predicate::ugt, magnitude, f32Infinity),
                    i.constant(format.nan), bits);
  bits = i.bitOr(bits, sign);
  if (nanBySign)
    bits = i.select(i.is(Predicate::ugt, magnitude, f32Infinity),
                    i.constant(format.nan), bits);
  // Formats without NaN have zero for it, of the other sign.
  if (!format.hasNaN)
    bits = i.select(i.is(Predicate::ugt, magnitude, f32Infinity),
                    i.sub(i.constant(format.signBit()), sign), bits);
  return arith::TruncIOp::create(b, loc, b.getI8Type(), bits);
}

} // namespace onnxc
