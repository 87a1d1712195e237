//===- ExpandMath.cpp - The krnl-expand-math pass --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Conversion/ExpandMath/Passes.h"

#include "Expansions.h"
#include "onnxc/Conversion/ExpandMath/VectorMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/StringSwitch.h"

namespace onnxc {
#define GEN_PASS_DEF_KRNLEXPANDMATHPASS
#include "onnxc/Conversion/ExpandMath/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

struct KrnlExpandMath : onnxc::impl::KrnlExpandMathPassBase<KrnlExpandMath> {
  using KrnlExpandMathPassBase::KrnlExpandMathPassBase;

  void runOnOperation() override;

private:
  LogicalResult widenHalves();
  LogicalResult expand();
};

} // namespace

static bool isHalf(Type type) {
  type = getElementTypeOrSelf(type);
  return type.isF16() || type.isBF16();
}

static Type widened(Type type) {
  Type f32 = Float32Type::get(type.getContext());
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(f32);
  return f32;
}

/// Half-width arithmetic and functions in f32, rounded after each op. Both
/// roundings of + - * / and sqrt together are those of the op done exactly.
static void widen(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  for (OpOperand &operand : op->getOpOperands())
    if (isHalf(operand.get().getType()))
      operand.set(arith::ExtFOp::create(
          builder, loc, widened(operand.get().getType()), operand.get()));
  builder.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    Type type = result.getType();
    if (!isHalf(type))
      continue;
    result.setType(widened(type));
    auto narrow = arith::TruncFOp::create(builder, loc, type, result);
    result.replaceAllUsesExcept(narrow, narrow);
  }
}

/// Ops that compute with half-width values instead of moving them.
static bool computesHalves(Operation *op) {
  if (isa<arith::ConstantOp, arith::ExtFOp, arith::TruncFOp, arith::SelectOp,
          arith::BitcastOp>(op))
    return false;
  if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
      !isa<vector::FMAOp, vector::ReductionOp>(op))
    return false;
  return llvm::any_of(op->getOperandTypes(), isHalf) ||
         llvm::any_of(op->getResultTypes(), isHalf);
}

LogicalResult KrnlExpandMath::widenHalves() {
  SmallVector<Operation *> ops;
  getOperation().walk([&](Operation *op) {
    if (computesHalves(op))
      ops.push_back(op);
  });
  llvm::for_each(ops, widen);
  return success();
}

/// Functions whose upstream polynomial is within 6 units in the last place (and
/// flushes denormal numbers at worst). The others lose digits for small or
/// large arguments and are left to libm.
static bool hasGoodPolynomial(StringRef name) {
  name.consume_front("math.");
  return llvm::StringSwitch<bool>(name)
      .Cases({"acos", "asin", "erfc", "log1p"}, true)
      .Default(false);
}

/// Functions that become arithmetic or are an instruction.
static bool isVectorFunction(Operation *op) {
  if (isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::ClampFOp,
          math::CopySignOp, math::CtPopOp, math::FloorOp, math::FmaOp,
          math::FPowIOp, math::IsFiniteOp, math::IsInfOp, math::IsNaNOp,
          math::IsNormalOp, math::RoundEvenOp, math::RsqrtOp, math::SqrtOp,
          math::TruncOp>(op))
    return true;
  if (onnxc::isExpandedFunction(op))
    return true;
  return !getElementTypeOrSelf(op->getResult(0)).isF64() &&
         hasGoodPolynomial(op->getName().getStringRef());
}

bool onnxc::hasVectorForm(Operation *op) {
  if (isa<math::MathDialect>(op->getDialect()))
    return isVectorFunction(op);
  if (!isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
           arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
    return true;
  return op->getResult(0).getType().isIndex() ||
         getElementTypeOrSelf(op->getResult(0)).getIntOrFloatBitWidth() <= 32 ||
         matchPattern(op->getOperand(1), m_Constant());
}

LogicalResult KrnlExpandMath::expand() {
  RewritePatternSet patterns(&getContext());
  populateMathPolynomialApproximationPatterns(patterns, hasGoodPolynomial);
  math::populateExpansionPatterns(patterns, {"fpowi", "rsqrt", "clampf"});
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  arith::populateExpandBFloat16Patterns(patterns);
  arith::populateExpandF8E8M0Patterns(patterns);
  arith::populateExpandF4E2M1Patterns(patterns);
  GreedyRewriteConfig config;
  config.enableConstantCSE(false);
  return applyPatternsGreedily(getOperation(), std::move(patterns), config);
}

void KrnlExpandMath::runOnOperation() {
  if (failed(widenHalves()))
    return signalPassFailure();
  onnxc::guardNaN(getOperation());
  onnxc::expandDivisions(getOperation());
  onnxc::expandRoundedExps(getOperation());
  if (failed(expand()))
    return signalPassFailure();
  // Some upstream polynomials call others of these.
  onnxc::expandFunctions(getOperation());
  onnxc::expandFma(getOperation(), strict);
  onnxc::expandMinMax(getOperation());
}
