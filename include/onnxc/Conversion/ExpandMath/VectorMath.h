//===- VectorMath.h - Vector math of the target -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_CONVERSION_EXPANDMATH_VECTORMATH_H
#define ONNXC_CONVERSION_EXPANDMATH_VECTORMATH_H

#include "mlir/IR/Operation.h"
#include "onnxc/Target/IR/Target.h"

#include <optional>

namespace onnxc {

/// Returns true if the scalar operation stays vector code when it is applied to
/// vectors. Returns false for functions that libm computes lane by lane, and
/// for divisions of integers that processors have no vectors of.
bool hasVectorForm(mlir::Operation *op);

/// The instruction of a device for 2^x of f32, and how many results its units
/// for functions have in a cycle of a core.
struct PowerInstruction {
  llvm::StringRef name;
  int64_t resultsPerCycle;
};
/// That of the target; nothing where it has none.
std::optional<PowerInstruction> powerInstructionOf(krnl::TargetAttr target);
/// The instruction for powers of 2 that the operation is computed by: that of
/// the target for e^x of f32, and of 16 bits, which is computed in f32. Nothing
/// for other operations and types.
std::optional<PowerInstruction> powerInstructionFor(mlir::Operation *op,
                                                    krnl::TargetAttr target);

/// Returns true if the result of the function is a number of 16 bits, or
/// nothing but such numbers is made of it.
bool isRoundedToHalf(mlir::Operation *op);

} // namespace onnxc

#endif // ONNXC_CONVERSION_EXPANDMATH_VECTORMATH_H
