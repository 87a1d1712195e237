//===- AttentionLoops.cpp - The loops of an attention -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Kernels/AttentionLoops.h"

#include "Kernels/KernelShape.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

/// The two operands of a product that the payload uses. A sum over a row that
/// reads what is known of the row, such as its mean, is no product.
static SmallVector<OpOperand *> factorsOf(ComputeOp op) {
  if (reductionKindOf(op) != ReductionKind::Contraction ||
      op.getNumDpsInits() != 1)
    return {};
  SmallVector<OpOperand *> read = readInputs(op);
  return read.size() == 2 ? read : SmallVector<OpOperand *>();
}

bool AttentionLoops::findProducts() {
  unsigned found = 0;
  for (ComputeOp op : ops) {
    SmallVector<OpOperand *> factors = factorsOf(op);
    if (factors.empty())
      continue;
    Contraction &product = found == 0 ? scores : sums;
    if (++found > 2)
      return false;
    for (unsigned columns : {1, 0}) {
      auto way = sortLoops(op, factors[columns], factors[1 - columns]);
      // Rows of scores are made inside; those of queries come first.
      bool isInside = factors[1 - columns]->get().getDefiningOp();
      if (succeeded(way) && !product.op && isInside == (found == 2))
        product = std::move(*way);
    }
    if (!product.op || product.channelwise)
      return false;
  }
  return found == 2;
}

/// One op reduces the loop, after the other ops that have it.
bool AttentionLoops::isMerged(StringRef loop) {
  SmallVector<ComputeOp> own =
      llvm::filter_to_vector(ops, [&](ComputeOp op) { return has(op, loop); });
  auto reduces = [&](ComputeOp op) {
    return llvm::is_contained(reducedLoops(op), loop);
  };
  return llvm::is_contained(own, scores.op) &&
         llvm::is_contained(own, sums.op) && reduces(own.back()) &&
         llvm::none_of(ArrayRef(own).drop_back(), reduces);
}

/// All ops run over the batch and the rows, and none reduces them.
bool AttentionLoops::findOuter() {
  row = sums.row;
  for (const std::string &loop : loopNames(kernel)) {
    if (loop == scores.column || loop == sums.column ||
        llvm::is_contained(scores.reduced, loop))
      continue;
    bool isOuter = llvm::all_of(ops, [&](ComputeOp op) {
      return has(op, loop) && !llvm::is_contained(reducedLoops(op), loop);
    });
    if (!isOuter && (!parts.empty() || !isMerged(loop)))
      return false;
    if (!isOuter)
      parts = loop;
    else if (loop != row)
      outer.push_back(loop);
  }
  return llvm::is_contained(scores.rows, row) && sums.reduced.size() == 1 &&
         sums.reduced.front() == scores.column;
}

} // namespace onnxc
