//===- FoldScales.cpp - Scalar factors of a product -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The function of Attention scales queries and keys, each by the root of the
// scale. Of the two sides of a product the second one is a matrix
// that is no constant, which need not be copied to be scaled. Numbers of 16
// bits keep their scales: rounded at another step, they would differ by more
// than their last digit.
//
//===----------------------------------------------------------------------===//
#include "ConstantFloats.h"
#include "Simplify.h"

#include "onnxc/Dialect/ONNX/Transforms/NodeMaker.h"
#include "onnxc/Schema/TypeLattice.h"
#include "onnxc/Support/NodeLocations.h"
#include "onnxc/Support/RewriteFunction.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace onnxc::onnx;

namespace {

/// Bounds of the magnitude of a number.
struct Magnitude {
  double min, max;
};

/// A tensor times one number.
struct Scaled {
  MulOp op;
  Value tensor, scale;
};

} // namespace

/// The least scale, that of the roots of rows of 2^40 elements: the product of
/// two is far from the least normal number.
static constexpr double minScale = 0x1p-10;
/// The most elements that a tensor may have.
static constexpr double maxSize = 0x1p40;

/// The magnitude of the only element of `value`, if it is a constant or
/// follows from sizes, in at most `steps` operations. A size of 0 makes
/// numbers that no range has, 0 or an infinity, by which products are the same
/// in any order.
static std::optional<Magnitude> findMagnitude(Value value, unsigned steps) {
  if (std::optional<ConstantFloats> constant = ConstantFloats::read(value)) {
    double number = std::abs(constant->values[0]);
    return Magnitude{number, number};
  }
  Operation *op = value.getDefiningOp();
  if (!op || steps == 0)
    return std::nullopt;
  if (Value viewed = viewedData(value))
    return findMagnitude(viewed, steps - 1);
  using Found = std::optional<Magnitude>;
  auto of = [&](unsigned i) {
    return findMagnitude(op->getOperand(i), steps - 1);
  };
  return llvm::TypeSwitch<Operation *, Found>(op)
      .Case([&](ShapeOp) { return Magnitude{1, maxSize}; })
      .Case([&](CastOp) { return of(0); })
      .Case([&](SqrtOp) {
        Found x = of(0);
        return x ? Magnitude{std::sqrt(x->min), std::sqrt(x->max)} : x;
      })
      .Case([&](ReciprocalOp) {
        Found x = of(0);
        return x ? Magnitude{1 / x->max, 1 / x->min} : x;
      })
      .Case([&](DivOp) {
        Found a = of(0), b = a ? of(1) : a;
        return b ? Magnitude{a->min / b->max, a->max / b->min} : b;
      })
      .Default([](Operation *) { return Found(); });
}

/// The value as a product of its own with a number of at most one, by which
/// nothing overflows that did not before.
static std::optional<Scaled> findScaled(Value value) {
  constexpr unsigned maxSteps = 8;
  auto op = value.getDefiningOp<MulOp>();
  if (!op || !op->hasOneUse() || getElementTypeOrSelf(value).isF16() ||
      getElementTypeOrSelf(value).isBF16())
    return std::nullopt;
  for (unsigned side : {0, 1}) {
    Value factor = op->getOperand(side), tensor = op->getOperand(1 - side);
    auto type = dyn_cast<RankedTensorType>(factor.getType());
    if (!type || !type.hasStaticShape() || type.getNumElements() != 1 ||
        !onnxc::schema::isAtLeastAsSharp(tensor.getType(),
                                         op->getResult(0).getType()))
      continue;
    std::optional<Magnitude> scale = findMagnitude(factor, maxSteps);
    if (scale && scale->min >= minScale && scale->max <= 1)
      return Scaled{op, tensor, factor};
  }
  return std::nullopt;
}

/// s * t, of one element each.
static Value multiply(Value s, Value t, RewriterBase &rewriter, Location loc) {
  std::optional<ConstantFloats> left = ConstantFloats::read(s),
                                right = ConstantFloats::read(t);
  if (left && right) {
    left->values[0] *= right->values[0];
    return left->create(rewriter, loc);
  }
  return NodeMaker(rewriter, loc).make("Mul", {s, t});
}

namespace {

/// matmul(a * s, b * t) -> matmul(a * (s * t), b)
LogicalResult foldScales(MatMulOp op, PatternRewriter &rewriter) {
  OpOperand *rows = &op.getAMutable();
  // Rows of several heads may be those of one product.
  auto view = rows->get().getDefiningOp<ReshapeOp>();
  if (view && view->hasOneUse())
    rows = &view.getDataMutable();
  std::optional<Scaled> left = findScaled(rows->get()),
                        right = findScaled(op.getB());
  if (!left || !right)
    return rewriter.notifyMatchFailure(op, "not both operands are scaled");
  if (rankOf(right->scale) > rankOf(left->tensor))
    return rewriter.notifyMatchFailure(op, "scale of more dimensions");
  // After both scales.
  if (rows->getOwner() != op)
    rewriter.moveOpBefore(rows->getOwner(), op);
  rewriter.setInsertionPoint(rows->getOwner());
  Location loc = onnxc::fuseLocations(left->op.getLoc(), right->op.getLoc());
  Value scale = multiply(left->scale, right->scale, rewriter, loc);
  Value scaled = MulOp::create(rewriter, loc, left->op->getResultTypes(),
                               ValueRange{left->tensor, scale});
  rewriter.modifyOpInPlace(rows->getOwner(), [&] { rows->set(scaled); });
  rewriter.modifyOpInPlace(op, [&] { op->setOperand(1, right->tensor); });
  return success();
}

} // namespace

void onnxc::onnx::populateFoldScalesPatterns(RewritePatternSet &patterns) {
  addRewrites<foldScales>(patterns);
}
