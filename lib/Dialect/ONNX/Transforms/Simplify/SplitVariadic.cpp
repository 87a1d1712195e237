//===- SplitVariadic.cpp - Nodes of very many operands ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A node of very many operands would be one kernel that reads all of them: code
// generation takes more than linear time in it, and it runs out of registers.
//
//===----------------------------------------------------------------------===//
#include "Simplify.h"
#include "onnxc/Dialect/ONNX/Transforms/NodeMaker.h"
#include "onnxc/Support/RewriteFunction.h"

using namespace mlir;
using namespace onnxc::onnx;

namespace {

/// The maximum number of operands of one operation.
constexpr unsigned maxOperands = 32;

/// sum(x0, ..., x99) -> sum(sum(sum(x0, ..., x31), x32, ..., x62), ...): the
/// order of the operands, in which numbers are added up, stays.
template <typename Op>
LogicalResult splitVariadic(Op op, PatternRewriter &rewriter) {
  OperandRange operands = op->getOperands();
  if (operands.size() <= maxOperands)
    return rewriter.notifyMatchFailure(op, "few operands");
  if (!llvm::all_of(operands.getTypes(), llvm::IsaPred<RankedTensorType>))
    return rewriter.notifyMatchFailure(op, "a rank is unknown");
  NodeMaker maker(rewriter, op.getLoc());
  StringRef name = op->getName().stripDialect();
  SmallVector<Value> part(operands.take_front(maxOperands));
  for (size_t next = maxOperands; next < operands.size();) {
    Value partial = maker.make(name, part);
    size_t count = std::min<size_t>(maxOperands - 1, operands.size() - next);
    part.assign(1, partial);
    llvm::append_range(part, operands.slice(next, count));
    next += count;
  }
  rewriter.replaceOpWithNewOp<Op>(op, op->getResultTypes(), part,
                                  op->getAttrs());
  return success();
}

/// concat(x0, ..., x99) -> concat(concat(x0, ..., x63), concat(x64, ..., x99)),
/// until no more are left than a kernel copies.
LogicalResult splitConcat(ConcatOp op, PatternRewriter &rewriter) {
  // Kernels of no more than these may write their results into the whole.
  constexpr size_t maxCopies = 64;
  SmallVector<Value> parts(op->getOperands());
  if (parts.size() <= maxCopies)
    return rewriter.notifyMatchFailure(op, "few operands");
  if (!llvm::all_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>))
    return rewriter.notifyMatchFailure(op, "a rank is unknown");
  NodeMaker maker(rewriter, op.getLoc());
  while (parts.size() > maxCopies) {
    SmallVector<Value> larger;
    for (ArrayRef<Value> rest = parts; !rest.empty();) {
      size_t count = std::min(maxCopies, rest.size());
      larger.push_back(count == 1 ? rest.front()
                                  : maker.make("Concat", rest.take_front(count),
                                               op->getAttrs()));
      rest = rest.drop_front(count);
    }
    parts = std::move(larger);
  }
  rewriter.replaceOpWithNewOp<ConcatOp>(op, op->getResultTypes(), parts,
                                        op->getAttrs());
  return success();
}

} // namespace

void onnxc::onnx::populateSplitVariadicPatterns(RewritePatternSet &patterns) {
  addRewrites<splitVariadic<SumOp>, splitVariadic<MaxOp>, splitVariadic<MinOp>,
              splitConcat>(patterns);
}
