//===- PartCopies.cpp - Copies of tensors into parts of others --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "PartCopies.h"

#include "onnxc/Dialect/Krnl/IR/PartialAccess.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
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
    else if (!whole[d] && isa<AffineDimExpr>(expr))
      results.push_back(expr % beyondAnyLoop);
    else
      results.push_back(expr);
  return AffineMap::get(map.getNumDims(), 0, results, map.getContext());
}

bool Part::isApart(const Part &other) const {
  auto endsBefore = [](const Part &a, const Part &b, unsigned d) {
    return !a.small.isDynamicDim(d) &&
           a.offsets[d] + a.small.getDimSize(d) <= b.offsets[d];
  };
  for (unsigned d = 0; d < offsets.size(); ++d)
    if (endsBefore(*this, other, d) || endsBefore(other, *this, d))
      return true;
  return false;
}

/// Makes a value of the host visible in the kernel.
static BlockArgument addInput(RewriterBase &rewriter, KernelOp kernel,
                              Value value) {
  unsigned place = kernel.getIns().size();
  kernel.getInsMutable().append(value);
  return kernel.getBody().insertArgument(place, value.getType(),
                                         kernel.getLoc());
}

Value indexInside(RewriterBase &rewriter, KernelOp kernel, OpFoldResult index) {
  if (auto value = dyn_cast<Value>(index)) {
    for (auto [in, image] :
         llvm::zip_first(kernel.getIns(), kernel.getBody().getArguments()))
      if (in == value)
        return image;
    return addInput(rewriter, kernel, value);
  }
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(&kernel.getBody().front());
  return getValueOrCreateConstantIndexOp(rewriter, kernel.getLoc(), index);
}

/// An operand that nobody reads, whose last dimension has the loop's extent. It
/// has no elements where only the run knows how many.
static BlockArgument carrierOf(RewriterBase &rewriter, KernelOp kernel,
                               StringRef loop, const LoopExtents &extents) {
  LoopAttr known = kernel.getLoop(*kernel.findLoop(loop));
  SmallVector<OpFoldResult> sizes;
  if (known.isDynamic())
    sizes = {rewriter.getIndexAttr(0), extents.lookup(loop)};
  else
    sizes = {rewriter.getIndexAttr(known.getExtent())};
  for (auto [in, image] :
       llvm::zip_first(kernel.getIns(), kernel.getBody().getArguments()))
    if (auto empty = in.getDefiningOp<tensor::EmptyOp>();
        empty && empty.getType().getElementType().isInteger(8) &&
        ArrayRef<OpFoldResult>(empty.getMixedSizes()) == ArrayRef(sizes))
      return image;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(kernel);
  return addInput(rewriter, kernel,
                  tensor::EmptyOp::create(rewriter, kernel.getLoc(), sizes,
                                          rewriter.getI8Type()));
}

void addCarriers(RewriterBase &rewriter, KernelOp kernel, linalg::GenericOp op,
                 const LoopExtents &extents) {
  SmallVector<StringRef> axes = KernelOp::getAxes(op);
  for (unsigned dim : llvm::seq(op.getNumLoops())) {
    AffineExpr plain = rewriter.getAffineDimExpr(dim);
    unsigned loop = *kernel.findLoop(axes[dim]);
    bool isCarried = llvm::any_of(op.getIndexingMapsArray(), [&](AffineMap m) {
      return llvm::is_contained(m.getResults(), plain);
    });
    // What is alone on a tensor inside of the kernel tells the host nothing.
    if (isCarried &&
        (!kernel.getLoop(loop).isDynamic() || kernel.findExtentOperand(loop)))
      continue;
    BlockArgument carrier = carrierOf(rewriter, kernel, axes[dim], extents);
    SmallVector<AffineExpr> at{plain};
    if (cast<RankedTensorType>(carrier.getType()).getRank() == 2)
      at.insert(at.begin(), rewriter.getAffineConstantExpr(0));
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    unsigned place = op.getNumDpsInputs();
    maps.insert(maps.begin() + place,
                AffineMap::get(op.getNumLoops(), 0, at, rewriter.getContext()));
    op.getInputsMutable().append(ValueRange(carrier));
    op.getBody()->insertArgument(place, rewriter.getI8Type(), op.getLoc());
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  }
}

/// The loops that run along the part where the larger tensor goes on.
static LoopExtents extentsIn(linalg::GenericOp op, Value tensor,
                             const Part &part) {
  SmallVector<StringRef> axes = KernelOp::getAxes(op);
  LoopExtents extents;
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get() == tensor)
      for (auto [d, at] :
           llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
        if (auto loop = dyn_cast<AffineDimExpr>(at))
          extents[axes[loop.getPosition()]] = part.smallSizes[d];
  return extents;
}

/// The size of the small tensor, where that is not the one of the large.
static void accessSize(RewriterBase &rewriter, KernelOp kernel,
                       tensor::DimOp dim, const Part &part) {
  int64_t d = *dim.getConstantIndex();
  if (dim.use_empty())
    rewriter.eraseOp(dim);
  else if (!part.whole[d])
    rewriter.replaceOp(dim, indexInside(rewriter, kernel, part.smallSizes[d]));
}

void accessPart(RewriterBase &rewriter, KernelOp kernel, Value tensor,
                const Part &part) {
  tensor.setType(part.large);
  // New operands move the old ones, so no uses are held on to.
  SetVector<Operation *> users(tensor.user_begin(), tensor.user_end());
  for (Operation *user : users) {
    if (auto dim = dyn_cast<tensor::DimOp>(user)) {
      accessSize(rewriter, kernel, dim, part);
      continue;
    }
    auto op = dyn_cast<linalg::GenericOp>(user);
    if (!op)
      continue;
    LoopExtents extents = extentsIn(op, tensor, part);
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    for (unsigned i : llvm::seq<unsigned>(maps.size()))
      if (op->getOperand(i) == tensor)
        maps[i] = part.shift(maps[i]);
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    addCarriers(rewriter, kernel, op, extents);
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
  if (from.getNumResults() != to.getNumResults())
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
    if (!offset || offset.getValue() < 0)
      return std::nullopt;
    copy.part.offsets.push_back(offset.getValue());
    // A loop alone runs over all of a dimension, whatever its size.
    int64_t size = copy.part.small.getDimSize(d);
    copy.part.whole.push_back((isa<AffineDimExpr>(read) && write == read) ||
                              (!ShapedType::isDynamic(size) &&
                               size == copy.part.large.getDimSize(d)));
  }
  if (loops != op.getNumLoops())
    return std::nullopt;
  return copy;
}

} // namespace onnxc::krnl
