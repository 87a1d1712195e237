//===- PartCopies.cpp - Copies of tensors into parts of others --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "PartCopies.h"

#include "onnxc/Dialect/Krnl/IR/PartialAccess.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace onnxc::krnl {

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static bool isPartial(AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  auto bound = binary ? dyn_cast<AffineConstantExpr>(binary.getRHS()) : nullptr;
  return binary && binary.getKind() == AffineExprKind::Mod && bound &&
         bound.getValue() == beyondAnyLoop;
}

static AffineExpr withoutPart(AffineExpr expr) {
  return isPartial(expr) ? cast<AffineBinaryOpExpr>(expr).getLHS() : expr;
}

AffineMap Part::shift(AffineMap map) const {
  SmallVector<AffineExpr> results;
  for (auto [d, expr] : llvm::enumerate(map.getResults()))
    if (offsets[d] != 0)
      results.push_back(withoutPart(expr) + offsets[d]);
    else if (!isWhole(d) && isa<AffineDimExpr>(expr))
      results.push_back(expr % beyondAnyLoop);
    else
      results.push_back(expr);
  return AffineMap::get(map.getNumDims(), 0, results, map.getContext());
}

/// An operand that nobody reads, whose only dimension has the loop's extent.
static BlockArgument carrierOf(RewriterBase &rewriter, KernelOp kernel,
                               StringRef loop) {
  int64_t extent = kernel.getLoop(*kernel.findLoop(loop)).getExtent();
  auto type = RankedTensorType::get({extent}, rewriter.getI8Type());
  for (auto [in, image] :
       llvm::zip_first(kernel.getIns(), kernel.getBody().getArguments()))
    if (in.getType() == type && in.getDefiningOp<tensor::EmptyOp>())
      return image;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(kernel);
  Value carrier = tensor::EmptyOp::create(
      rewriter, kernel.getLoc(), type.getShape(), type.getElementType());
  unsigned place = kernel.getIns().size();
  kernel.getInsMutable().append(carrier);
  return kernel.getBody().insertArgument(place, carrier.getType(),
                                         kernel.getLoc());
}

void addCarriers(RewriterBase &rewriter, KernelOp kernel,
                 linalg::GenericOp op) {
  SmallVector<StringRef> axes = KernelOp::getAxes(op);
  for (unsigned dim : llvm::seq(op.getNumLoops())) {
    AffineExpr plain = rewriter.getAffineDimExpr(dim);
    if (llvm::any_of(op.getIndexingMapsArray(), [&](AffineMap map) {
          return llvm::is_contained(map.getResults(), plain);
        }))
      continue;
    BlockArgument carrier = carrierOf(rewriter, kernel, axes[dim]);
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    unsigned place = op.getNumDpsInputs();
    maps.insert(maps.begin() + place,
                AffineMap::get(op.getNumLoops(), 0, plain));
    op.getInputsMutable().append(ValueRange(carrier));
    op.getBody()->insertArgument(place, rewriter.getI8Type(), op.getLoc());
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  }
}

void accessPart(RewriterBase &rewriter, KernelOp kernel, Value tensor,
                const Part &part) {
  tensor.setType(part.large);
  // New operands move the old ones, so no uses are held on to.
  SetVector<Operation *> users(tensor.user_begin(), tensor.user_end());
  for (Operation *user : users) {
    auto op = dyn_cast<linalg::GenericOp>(user);
    if (!op)
      continue;
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    for (unsigned i : llvm::seq<unsigned>(maps.size()))
      if (op->getOperand(i) == tensor)
        maps[i] = part.shift(maps[i]);
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    addCarriers(rewriter, kernel, op);
    for (auto [init, result] :
         llvm::zip_equal(op.getDpsInits(), op.getResults()))
      if (init == tensor)
        accessPart(rewriter, kernel, result, part);
  }
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Has the op nothing but a terminator, and no reductions?
static bool onlyYields(linalg::GenericOp op) {
  return op && op.getNumReductionLoops() == 0 && op.getNumDpsInits() == 1 &&
         op.getBody()->getOperations().size() == 1;
}

bool fillsAll(linalg::GenericOp op) {
  if (!onlyYields(op) ||
      op.getBody()->getTerminator()->getOperand(0).getParentBlock() ==
          op.getBody())
    return false;
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (auto [d, expr] : llvm::enumerate(map.getResults()))
    if (!isa<AffineDimExpr>(expr) && type.getDimSize(d) != 1)
      return false;
  return true;
}

std::optional<PartCopy> PartCopy::read(KernelOp kernel, linalg::GenericOp op) {
  if (!onlyYields(op))
    return std::nullopt;
  auto yielded =
      dyn_cast<BlockArgument>(op.getBody()->getTerminator()->getOperand(0));
  if (!yielded || yielded.getOwner() != op.getBody() ||
      yielded.getArgNumber() >= op.getNumDpsInputs())
    return std::nullopt;
  OpOperand *source = op.getDpsInputOperand(yielded.getArgNumber());
  auto image = dyn_cast<BlockArgument>(source->get());
  if (!image || image.getOwner() != &kernel.getBody().front())
    return std::nullopt;
  PartCopy copy{op, image.getArgNumber(), {}, nullptr};
  copy.part.small = cast<RankedTensorType>(image.getType());
  copy.part.large = cast<RankedTensorType>(op.getResult(0).getType());
  AffineMap from = op.getMatchingIndexingMap(source),
            to = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (from.getNumResults() != to.getNumResults() ||
      !copy.part.small.hasStaticShape() || !copy.part.large.hasStaticShape())
    return std::nullopt;
  unsigned loops = 0;
  for (auto [read, write] : llvm::zip(from.getResults(), to.getResults())) {
    // The whole of each dimension: a loop of its own, or the only element.
    loops += isa<AffineDimExpr>(read);
    unsigned d = copy.part.offsets.size();
    if (!isa<AffineDimExpr>(read) && copy.part.small.getDimSize(d) != 1)
      return std::nullopt;
    auto offset = dyn_cast<AffineConstantExpr>(
        simplifyAffineExpr(withoutPart(write) - read, from.getNumDims(), 0));
    if (!offset)
      return std::nullopt;
    copy.part.offsets.push_back(offset.getValue());
  }
  if (loops != op.getNumLoops())
    return std::nullopt;
  return copy;
}

} // namespace onnxc::krnl
