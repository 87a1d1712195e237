//===- ScalarBuilder.h - Scalar code by ONNX's rules ------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Inside kernels integers are signless, and types of a byte or less are i8:
// bool 0 or 1, int4 and int2 sign-extended, uint4, uint2, float8, float6 and
// float4 zero-extended. The meaning of an operator depends on the ONNX element
// type. A ScalarBuilder has that type, computes floats narrower than f32 in
// f32, and has each scalar operation once, with ONNX's rules: integers wrap,
// float comparisons are ordered, maximum and minimum propagate NaN.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_BUILDERS_SCALARBUILDER_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_BUILDERS_SCALARBUILDER_H

#include "Builders/SmallFloats.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"

namespace onnxc {

class ScalarBuilder {
public:
  /// `onnxType` is the element type in the onnx dialect (ui8, i1, f16, ...).
  ScalarBuilder(mlir::OpBuilder &b, mlir::Location loc, mlir::Type onnxType)
      : b(b), loc(loc), onnxType(onnxType) {}

  mlir::OpBuilder &builder() { return b; }
  mlir::Location getLoc() const { return loc; }
  bool isFloat() const { return mlir::isa<mlir::FloatType>(onnxType); }
  bool isUnsigned() const {
    return onnxType.isUnsignedInteger() || onnxType.isInteger(1);
  }
  bool isBool() const { return onnxType.isInteger(1); }
  /// The storage type of elements: signless integers and floats of 16 bits and
  /// more; everything narrower as i8.
  static mlir::Type storageType(mlir::Type onnxType);
  /// The compute type: f32 for narrower floats, else the storage type.
  static mlir::Type computeType(mlir::Type onnxType);
  mlir::Type type() const { return computeType(onnxType); }

  /// Converts a stored element to the compute type; narrow(): converts it back.
  mlir::Value widen(mlir::Value stored);
  mlir::Value narrow(mlir::Value computed, Rounding rounding = {});
  /// ONNX Cast of a computed value of this builder's type to the compute type
  /// of `target`: truncation, wrap and bool as in the standard. The rest, to
  /// the width of `target`, is for its own builder's narrow().
  mlir::Value castTo(mlir::Value x, mlir::Type target);

  mlir::Value constant(double value);
  /// Smallest and largest value; infinities for floats.
  mlir::Value lowest();
  mlir::Value highest();

  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  /// Integer division truncates; dividing by zero gives zero, as nothing may
  /// trap.
  mlir::Value div(mlir::Value x, mlir::Value y);
  mlir::Value max(mlir::Value x, mlir::Value y);
  mlir::Value min(mlir::Value x, mlir::Value y);
  mlir::Value neg(mlir::Value x);
  mlir::Value abs(mlir::Value x);
  /// Remainder with the sign of y (zero where y is zero), or of x as C's fmod.
  mlir::Value mod(mlir::Value x, mlir::Value y);
  mlir::Value fmod(mlir::Value x, mlir::Value y);

  /// i1 results.
  mlir::Value eq(mlir::Value x, mlir::Value y);
  mlir::Value lt(mlir::Value x, mlir::Value y);
  mlir::Value le(mlir::Value x, mlir::Value y);
  mlir::Value isNaN(mlir::Value x);
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);
  /// Between i1 conditions and stored bools (i8, any non-zero is true).
  mlir::Value toBool(mlir::Value condition);
  mlir::Value fromBool(mlir::Value stored);

  /// A math operation of one or more operands.
  template <typename Op, typename... Args>
  mlir::Value math(Args... args) {
    return Op::create(b, loc, args...);
  }
  mlir::Value exp(mlir::Value x) { return math<mlir::math::ExpOp>(x); }
  /// e^x of a difference from a maximum: what is below all normal numbers may
  /// be 0, beside the 1 of the maximum.
  mlir::Value expFromMax(mlir::Value x) {
    return mlir::math::ExpOp::create(b, loc, x,
                                     mlir::arith::FastMathFlags::afn);
  }
  mlir::Value log(mlir::Value x) { return math<mlir::math::LogOp>(x); }
  mlir::Value sqrt(mlir::Value x) { return math<mlir::math::SqrtOp>(x); }
  mlir::Value tanh(mlir::Value x) { return math<mlir::math::TanhOp>(x); }
  mlir::Value erf(mlir::Value x) { return math<mlir::math::ErfOp>(x); }
  mlir::Value sigmoid(mlir::Value x);

private:
  mlir::Value toInteger(mlir::Value x, ScalarBuilder &to);
  mlir::Value toUnsignedLong(mlir::Value x);

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type onnxType;
};

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_BUILDERS_SCALARBUILDER_H
