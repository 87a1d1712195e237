//===- ScaledFactors.cpp - Scores of scaled queries and keys ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//   q[i] = x[i] * a,  k[i] = y[i] * b,  s = sum of q * k
// -> q[i] = x[i],     k[i] = y[i],      s = (sum of q * k) * (a * b)
//
// The products of a constant are rounded once less, and what is left of their
// kernels are copies, which readers can do without.
//
//===----------------------------------------------------------------------===//

#include "Passes/ScaledFactors.h"

#include "Kernels/SoftmaxOps.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

namespace {
/// A kernel that multiplies each element of its input by a number.
struct Scaling {
  ComputeOp op;
  /// The element, in the type that it has in memory.
  Value element;
  double scale;
};
} // namespace

static std::optional<Scaling> findScaling(KernelOp kernel) {
  if (!kernel || !kernel.getRecipe().empty() || kernel.getIns().size() != 1 ||
      kernel.getNumResults() != 1 || !kernel->hasOneUse() ||
      !llvm::hasSingleElement(kernel.getBody().getOps<ComputeOp>()))
    return std::nullopt;
  ComputeOp op = *kernel.getBody().getOps<ComputeOp>().begin();
  if (op.getNumReductionLoops() > 0 || op.getNumDpsInputs() != 1 ||
      op.getNumDpsInits() != 1 || op.getName())
    return std::nullopt;
  Value element = op.getMatchingBlockArgument(op.getDpsInputOperand(0)),
        yielded = op.getBlock()->getTerminator()->getOperand(0);
  auto product = withoutRounding(yielded).getDefiningOp<arith::MulFOp>();
  if (!product || element.getType() != yielded.getType())
    return std::nullopt;
  for (unsigned side : {0, 1}) {
    APFloat number(0.0);
    if (withoutRounding(product.getOperand(side)) != element ||
        !matchPattern(withoutRounding(product.getOperand(1 - side)),
                      m_ConstantFloat(&number)))
      continue;
    return Scaling{op, element, number.convertToDouble()};
  }
  return std::nullopt;
}

/// The op yields the elements as they are.
static void dropScale(RewriterBase &rewriter, const Scaling &scaling) {
  ComputeOp op = scaling.op;
  op.getBlock()->getTerminator()->setOperand(0, scaling.element);
  for (Operation &inner :
       llvm::make_early_inc_range(llvm::reverse(*op.getBlock())))
    if (isOpTriviallyDead(&inner))
      rewriter.eraseOp(&inner);
}

/// Multiplies the sums of the op before anything else reads them.
static void scaleSums(RewriterBase &rewriter, ComputeOp sum, double scale) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfter(sum);
  Value result = sum->getResult(0);
  SmallVector<StringRef> axes = sum.getAxes();
  unsigned parallel = sum.getNumParallelLoops();
  auto payload = [&](OpBuilder &b, Location loc, ValueRange args) {
    Value number = arith::ConstantOp::create(
        b, loc, b.getFloatAttr(args.front().getType(), scale));
    linalg::YieldOp::create(
        b, loc,
        arith::MulFOp::create(b, loc, args.front(), number).getResult());
  };
  auto scaled = ComputeOp::create(rewriter, sum.getLoc(), ValueRange(), result,
                                  sum.getSubscripts(*sum.getDpsInitOperand(0)),
                                  ArrayRef(axes).take_front(parallel), parallel,
                                  StringAttr(), payload);
  rewriter.replaceAllUsesExcept(result, scaled->getResult(0), scaled);
}

/// The product of both numbers has to be a normal one, so that it has as many
/// digits as each.
static bool isExact(double scale) {
  bool losesInfo = false;
  APFloat number(scale);
  number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.isNormal();
}

void moveScales(RewriterBase &rewriter, KernelOp scores) {
  ComputeOp sum;
  for (auto op : scores.getBody().getOps<ComputeOp>())
    if (op.getNumReductionLoops() > 0)
      sum = op;
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(sum->getResult(0)));
  if (!type || type.getWidth() < 32)
    return;
  SmallVector<Scaling> scalings;
  double scale = 1;
  for (OpOperand *factor : sum.getDpsInputOperands()) {
    int number = inputNumber(scores, factor->get());
    if (number < 0)
      continue;
    auto maker = scores.getIns()[number].getDefiningOp<KernelOp>();
    if (std::optional<Scaling> found = findScaling(maker)) {
      scale *= found->scale;
      scalings.push_back(*found);
    }
  }
  if (scalings.empty() || !isExact(scale))
    return;
  for (const Scaling &scaling : scalings)
    dropScale(rewriter, scaling);
  scaleSums(rewriter, sum, scale);
  foldElementwise(rewriter, scores);
}

} // namespace onnxc
