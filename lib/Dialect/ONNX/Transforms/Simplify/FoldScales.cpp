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

#include "onnxc/Schema/TypeLattice.h"
#include "onnxc/Support/NodeLocations.h"
#include "onnxc/Support/RewriteFunction.h"

using namespace mlir;
using namespace onnxc::onnx;

namespace {

/// A tensor times one number.
struct Scaled {
  MulOp op;
  Value tensor;
  ConstantFloats scale;
};

} // namespace

/// The least scale: the product of two is far from the least normal number.
static constexpr double minScale = 0x1p-6;

/// The value as a product of its own with a number of at most one, by which
/// nothing overflows that did not before.
static std::optional<Scaled> findScaled(Value value) {
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
    std::optional<ConstantFloats> scale = ConstantFloats::read(factor);
    if (scale && std::abs(scale->values[0]) >= minScale &&
        std::abs(scale->values[0]) <= 1)
      return Scaled{op, tensor, std::move(*scale)};
  }
  return std::nullopt;
}

namespace {

/// matmul(a * s, b * t) -> matmul(a * (s * t), b)
LogicalResult foldScales(MatMulOp op, PatternRewriter &rewriter) {
  OpOperand *rows = &op.getAMutable();
  // Rows of several heads may be those of one product.
  if (auto view = rows->get().getDefiningOp<ReshapeOp>())
    if (view->hasOneUse())
      rows = &view.getDataMutable();
  std::optional<Scaled> left = findScaled(rows->get()),
                        right = findScaled(op.getB());
  if (!left || !right)
    return rewriter.notifyMatchFailure(op, "not both operands are scaled");
  left->scale.values[0] *= right->scale.values[0];
  rewriter.setInsertionPoint(left->op);
  Location loc = onnxc::fuseLocations(left->op.getLoc(), right->op.getLoc());
  Value scale = left->scale.create(rewriter, loc);
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
