//===- Interpolation.cpp - Values between samples ---------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Images/Interpolation.h"
#include "Quantization/Quantization.h"

using namespace mlir;

namespace onnxc {

std::optional<Interpolation> parseInterpolation(StringRef mode) {
  return llvm::StringSwitch<std::optional<Interpolation>>(mode)
      .Case("nearest", Interpolation::Nearest)
      .Cases({"linear", "bilinear"}, Interpolation::Linear)
      .Cases({"cubic", "bicubic"}, Interpolation::Cubic)
      .Default(std::nullopt);
}

int64_t tapCount(Interpolation mode) {
  return mode == Interpolation::Nearest  ? 1
         : mode == Interpolation::Linear ? 2
                                         : 4;
}

Type interpolationType(Type onnxElement) {
  bool wide =
      onnxElement.isF64() || (isa<IntegerType>(onnxElement) &&
                              onnxElement.getIntOrFloatBitWidth() >= 32);
  MLIRContext *context = onnxElement.getContext();
  return wide ? Type(Float64Type::get(context))
              : Type(Float32Type::get(context));
}

Value toInterpolation(OpBuilder &b, Location loc, Value stored,
                      Type onnxElement) {
  ScalarBuilder s(b, loc, onnxElement);
  return s.castTo(s.widen(stored), interpolationType(onnxElement));
}

Value fromInterpolation(OpBuilder &b, Location loc, Value value,
                        Type onnxElement) {
  ScalarBuilder real(b, loc, interpolationType(onnxElement));
  return quantizeScalar(real, value, {}, onnxElement);
}

/// For |distance| = d: 1 - d up to 1.
static Value triangle(ScalarBuilder &s, Value d) {
  Value zero = s.constant(0), w = s.sub(s.constant(1), d);
  return s.select(s.lt(zero, w), w, zero);
}

/// (a + 2) d^3 - (a + 3) d^2 + 1 up to 1, a d^3 - 5a d^2 + 8a d - 4a up to 2.
static Value keys(ScalarBuilder &s, Value d, double a) {
  auto c = [&](double value) { return s.constant(value); };
  Value square = s.mul(d, d);
  Value near = s.add(s.mul(s.sub(s.mul(c(a + 2), d), c(a + 3)), square), c(1));
  Value far =
      s.mul(c(a), s.sub(s.mul(s.add(s.mul(s.sub(d, c(5)), d), c(8)), d), c(4)));
  Value beyond = s.select(s.lt(d, c(2)), far, c(0));
  return s.select(s.le(d, c(1)), near, beyond);
}

Value tapWeight(ScalarBuilder &s, Interpolation mode, Value distance,
                double a) {
  Value d = s.abs(distance);
  return mode == Interpolation::Cubic ? keys(s, d, a) : triangle(s, d);
}

/// The integer that carries a number of the builder's type: vectors of 64-bit
/// conversions are slow on many processors, and f32 is exact to 2^24 only.
static Type integerFor(ScalarBuilder &s) {
  return s.builder().getIntegerType(s.type().getIntOrFloatBitWidth());
}

Value indexToFloat(ScalarBuilder &s, Value index) {
  Value integer = s.math<arith::IndexCastOp>(integerFor(s), index);
  return s.math<arith::SIToFPOp>(s.type(), integer);
}

Value floatToIndex(ScalarBuilder &s, Value x, Value last) {
  Value zero = s.constant(0);
  // In this order NaN becomes 0, and `last` of a dimension without elements
  // too.
  x = s.select(s.lt(x, last), x, last);
  x = s.select(s.lt(zero, x), x, zero);
  Value integer = s.math<arith::FPToSIOp>(integerFor(s), x);
  return s.math<arith::IndexCastOp>(s.builder().getIndexType(), integer);
}

Value isWithin(ScalarBuilder &s, Value x, Value last) {
  return s.math<arith::AndIOp>(s.le(s.constant(0), x), s.le(x, last));
}

/// x mirrored at `low` and at `low + length` as often as it takes.
static Value reflect(ScalarBuilder &s, Value x, double low, Value length) {
  Value one = s.constant(1), start = s.constant(low);
  Value safe = s.select(s.lt(s.constant(0), length), length, one);
  Value fromLow = s.sub(x, start);
  Value periods = s.math<math::FloorOp>(s.div(fromLow, safe));
  Value rest = s.sub(fromLow, s.mul(periods, safe));
  Value half = s.mul(periods, s.constant(0.5));
  Value isEven = s.eq(half, s.math<math::FloorOp>(half));
  Value y = s.add(start, s.select(isEven, rest, s.sub(safe, rest)));
  // The samples are at integers, which rounding may have missed.
  return s.math<math::RoundEvenOp>(y);
}

static Tap makeTap(ScalarBuilder &s, Value x, Value last, Border border,
                   bool atCorners) {
  Tap tap;
  if (border == Border::Zeros)
    tap.exists = isWithin(s, x, last);
  if (border == Border::Reflect)
    x = reflect(s, x, atCorners ? 0 : -0.5,
                atCorners ? last : s.add(last, s.constant(1)));
  tap.index = floatToIndex(s, x, last);
  return tap;
}

/// A position beyond the border is one at the outer sample. Two samples give
/// that by themselves; of four, an inner one would contribute.
static Value clampedPosition(ScalarBuilder &s, Value x, Value last,
                             bool atCorners) {
  Value zero = s.constant(0), edge = s.constant(atCorners ? 0 : 0.5);
  x = s.select(s.lt(x, s.sub(zero, edge)), zero, x);
  return s.select(s.lt(s.add(last, edge), x), last, x);
}

SmallVector<Tap> tapsAround(ScalarBuilder &s, Value x, Value size,
                            Interpolation mode, double a, Border border,
                            bool atCorners) {
  Value last = s.sub(indexToFloat(s, size), s.constant(1));
  if (mode == Interpolation::Nearest) {
    Value whole = s.math<math::RoundEvenOp>(x);
    return {makeTap(s, whole, last, border, atCorners)};
  }
  if (mode == Interpolation::Cubic && border == Border::Clamp)
    x = clampedPosition(s, x, last, atCorners);
  Value below = s.math<math::FloorOp>(x);
  int64_t count = tapCount(mode);
  SmallVector<Tap> taps;
  int64_t half = count / 2;
  for (int64_t k = 0; k < count; ++k) {
    Value sample = s.add(below, s.constant(double(k + 1 - half)));
    taps.push_back(makeTap(s, sample, last, border, atCorners));
    taps.back().weight = tapWeight(s, mode, s.sub(sample, x), a);
  }
  return taps;
}

/// The sum over the dimensions from `indices.size()` on; samples exist where
/// `exists` (null: everywhere) is true.
static Value sumOver(ScalarBuilder &s, ArrayRef<SmallVector<Tap>> dims,
                     SmallVector<Value> &indices, Value exists,
                     llvm::function_ref<Value(ArrayRef<Value>)> read) {
  if (indices.size() == dims.size()) {
    Value sample = read(indices);
    return exists ? s.select(exists, sample, s.constant(0)) : sample;
  }
  Value sum;
  for (const Tap &tap : dims[indices.size()]) {
    Value here = exists;
    if (tap.exists)
      here = here ? s.math<arith::AndIOp>(here, tap.exists) : tap.exists;
    indices.push_back(tap.index);
    Value part = sumOver(s, dims, indices, here, read);
    indices.pop_back();
    if (tap.weight)
      part = s.mul(tap.weight, part);
    sum = sum ? s.add(sum, part) : part;
  }
  return sum;
}

Value interpolate(ScalarBuilder &s, ArrayRef<SmallVector<Tap>> dims,
                  llvm::function_ref<Value(ArrayRef<Value>)> read) {
  SmallVector<Value> indices;
  return sumOver(s, dims, indices, {}, read);
}

} // namespace onnxc
