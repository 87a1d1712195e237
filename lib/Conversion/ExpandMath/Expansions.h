//===- Expansions.h - The parts of krnl-expand-math -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_CONVERSION_EXPANDMATH_EXPANSIONS_H
#define ONNXC_LIB_CONVERSION_EXPANDMATH_EXPANSIONS_H

#include "mlir/IR/Operation.h"
#include "onnxc/Target/IR/Target.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace onnxc {

/// Makes f32 functions whose polynomial loses NaN return it (NaNGuard.cpp).
void guardNaN(mlir::Operation *root);

/// Functions of f32 that have better polynomials than the upstream ones, and
/// all of f64 that have any; which these are (ExpandFunctions.cpp).
void expandFunctions(mlir::Operation *root);
bool isExpandedFunction(mlir::Operation *op);
class FloatBuilder;
/// p * 2^n; the low bits of the integer `counted` are n and twice the bias of
/// exponents. In two steps where the processor has no instruction for it, so
/// that all finite results have a number.
mlir::Value scaleByPower(FloatBuilder &f, krnl::TargetAttr target,
                         mlir::Value p, mlir::Value n, mlir::Value counted);
/// The instruction of the target for p 2^n of this type; empty if it has none.
llvm::StringRef scaleInstruction(FloatBuilder &f, krnl::TargetAttr target);
/// The exp of f32 that `op` is, and e^x - 1 (ExpandExp.cpp).
mlir::Value expandFloatExp(FloatBuilder &f, krnl::TargetAttr target,
                           mlir::Operation *op);
mlir::Value expandFloatExpM1(FloatBuilder &f, mlir::Value x);
/// Those that are rounded to 16 bits by the target's instruction for powers of
/// 2, if it has one, before roundings are expanded.
void expandRoundedExps(mlir::Operation *root);
/// Returns false for a device, which has no libm.
bool hasLibrary(krnl::TargetAttr target);
/// The op itself on a scalar; on a vector lane by lane, in a loop.
mlir::Value byLanes(FloatBuilder &f, mlir::Operation *op);
/// The expansion, unless some lane is out of its range: then what `others`
/// gives.
mlir::Value whereFits(FloatBuilder &f, mlir::Value fits,
                      llvm::function_ref<mlir::Value()> expand,
                      llvm::function_ref<mlir::Value()> others);
/// The sine, cosine or tangent that `op` is, of f32 or f64 (ExpandAngles.cpp).
mlir::Value expandAngle(FloatBuilder &f, mlir::Operation *op,
                        krnl::TargetAttr target);
/// Functions of f64 besides those of angles (ExpandDoubles.cpp).
bool isExpandedDouble(mlir::Operation *op);
mlir::Value expandDouble(FloatBuilder &f, mlir::Operation *op,
                         krnl::TargetAttr target);
/// e^r - 1 of f64 for |r| <= log(2) / 2.
mlir::Value expandSmallExpM1(FloatBuilder &f, mlir::Value r);
/// x = 2^e (1 + t), 1 + t between the roots of 1/2 and 2; for denormal x too.
struct Scaled {
  mlir::Value e, t;
};
Scaled scaledOf(FloatBuilder &f, mlir::Value x);
/// Logarithms of f32 and f64; that to base 2 of f32 alone, log1p of f64 alone
/// (ExpandLogs.cpp).
mlir::Value expandLog(FloatBuilder &f, mlir::Value x, bool isBinary = false);
mlir::Value expandLog1p(FloatBuilder &f, mlir::Value x);
/// x^y for f32, f64 or vectors of them, as C's pow has it (ExpandPow.cpp).
mlir::Value expandPow(FloatBuilder &f, krnl::TargetAttr target, mlir::Value x,
                      mlir::Value y);

/// Divisions of vectors of integers up to 32 bits, as divisions of floats that
/// hold them (ExpandDivisions.cpp).
void expandDivisions(mlir::Operation *root);

/// Multiply-adds as products and sums where the target has no instruction for
/// them, unless all targets are to compute the same bits (ExpandFma.cpp).
void expandFma(mlir::Operation *root, bool isStrict);

/// Minima and maxima of floats in fewer instructions (MinMax.cpp).
void expandMinMax(mlir::Operation *root);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_EXPANDMATH_EXPANSIONS_H
