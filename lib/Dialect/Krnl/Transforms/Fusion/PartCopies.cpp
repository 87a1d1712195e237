//===- PartCopies.cpp - Copies of tensors into parts of others --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "PartCopies.h"

#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace onnxc::krnl {

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

void TensorPart::shift(Subscripts &access) const {
  for (auto [at, offset, isWhole] : llvm::zip_equal(access, offsets, whole)) {
    at.index = at.index + offset;
    at.isPart |= !isWhole;
  }
}

bool TensorPart::isApart(const TensorPart &other) const {
  auto endsBefore = [](const TensorPart &a, const TensorPart &b, unsigned d) {
    return !a.small.isDynamicDim(d) &&
           a.offsets[d] + a.small.getDimSize(d) <= b.offsets[d];
  };
  for (unsigned d = 0; d < offsets.size(); ++d)
    if (endsBefore(*this, other, d) || endsBefore(other, *this, d))
      return true;
  return false;
}

Value indexInside(RewriterBase &rewriter, KernelOp kernel, OpFoldResult index) {
  if (auto value = dyn_cast<Value>(index)) {
    for (auto [in, image] :
         llvm::zip_first(kernel.getIns(), kernel.getBody().getArguments()))
      if (in == value)
        return image;
    return kernel.addInput(value);
  }
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(&kernel.getBody().front());
  return getValueOrCreateConstantIndexOp(rewriter, kernel.getLoc(), index);
}

/// The size of the small tensor, where that is not the one of the large.
static void accessSize(RewriterBase &rewriter, KernelOp kernel,
                       tensor::DimOp dim, const TensorPart &part) {
  int64_t d = *dim.getConstantIndex();
  if (dim.use_empty())
    rewriter.eraseOp(dim);
  else if (!part.whole[d])
    rewriter.replaceOp(dim, indexInside(rewriter, kernel, part.smallSizes[d]));
}

void accessPart(RewriterBase &rewriter, KernelOp kernel, Value tensor,
                const TensorPart &part) {
  tensor.setType(part.large);
  // New operands move the old ones, so no uses are held on to.
  SetVector<Operation *> users(tensor.user_begin(), tensor.user_end());
  for (Operation *user : users) {
    if (auto dim = dyn_cast<tensor::DimOp>(user)) {
      accessSize(rewriter, kernel, dim, part);
      continue;
    }
    auto op = dyn_cast<ComputeOp>(user);
    if (!op)
      continue;
    SmallVector<Subscripts> accesses = op.getSubscripts();
    for (auto [access, operand] : llvm::zip_equal(accesses, op->getOperands()))
      if (operand == tensor)
        part.shift(access);
    op.setSubscripts(accesses);
    for (auto [init, result] :
         llvm::zip_equal(op.getDpsInits(), op.getResults()))
      if (init == tensor)
        accessPart(rewriter, kernel, result, part);
  }
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Returns true if the op has nothing but a terminator, and no reductions.
static bool onlyYields(ComputeOp op) {
  return op && op.getNumReductionLoops() == 0 && op.getNumDpsInits() == 1 &&
         op.getBody()->getOperations().size() == 1;
}

bool fillsAll(ComputeOp op) {
  if (!onlyYields(op) ||
      op.getBody()->getTerminator()->getOperand(0).getParentBlock() ==
          op.getBody())
    return false;
  return Access(*op.getDpsInitOperand(0)).coversAll();
}

std::optional<PartCopy> PartCopy::read(KernelOp kernel, ComputeOp op) {
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
  Subscripts from = op.getSubscripts(*source),
             to = op.getSubscripts(*op.getDpsInitOperand(0));
  if (from.size() != to.size() || !Access(*source).coversAll())
    return std::nullopt;
  unsigned loops = 0;
  for (auto [read, write] : llvm::zip_equal(from, to)) {
    loops += read.getLoop().has_value();
    unsigned d = copy.part.offsets.size();
    auto offset = dyn_cast<AffineConstantExpr>(
        simplifyAffineExpr(write.index - read.index, op.getNumLoops(), 0));
    if (!offset || offset.getValue() < 0)
      return std::nullopt;
    copy.part.offsets.push_back(offset.getValue());
    // A loop alone runs over all of a dimension of any size.
    int64_t size = copy.part.small.getDimSize(d);
    copy.part.whole.push_back((read.getLoop() && write == read) ||
                              (!ShapedType::isDynamic(size) &&
                               size == copy.part.large.getDimSize(d)));
  }
  if (loops != op.getNumLoops())
    return std::nullopt;
  return copy;
}

} // namespace onnxc::krnl
