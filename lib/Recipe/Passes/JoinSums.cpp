//===- JoinSums.cpp - One op for sums of products ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//   %s = compute [m, n | k] (%a = %x[m, k], %b = %v[k, n]) -> (%c = %f[m, n])
//   %t = compute [m, n | k] (%a = %x[m, k], %b = %w[k, n]) -> (%c = %g[m, n])
// -> %s, %t = compute [m, n | k]
//        (%a = %x[m, k], %b = %v[k, n], %d = %w[k, n])
//        -> (%c = %f[m, n], %e = %g[m, n])
//
//===----------------------------------------------------------------------===//

#include "Passes/JoinSums.h"

#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

namespace {
/// The inputs of an op that several become, each once.
struct JoinedInputs {
  /// Returns the number of the input of an op among them.
  unsigned add(ComputeOp op, OpOperand &operand) {
    Subscripts access = op.getSubscripts(operand);
    for (unsigned i : llvm::seq<unsigned>(values.size()))
      if (values[i] == operand.get() && accesses[i] == access)
        return i;
    values.push_back(operand.get());
    accesses.push_back(std::move(access));
    return values.size() - 1;
  }

  SmallVector<Value> values;
  SmallVector<Subscripts> accesses;
};
} // namespace

/// Copies the payload of an op, and returns what it yields.
static SmallVector<Value> copyPayload(OpBuilder &b, ComputeOp op,
                                      ArrayRef<unsigned> inputs,
                                      ValueRange args, ValueRange running) {
  IRMapping mapping;
  auto from = op.getBlock()->getArguments();
  for (auto [argument, number] : llvm::zip(from, inputs))
    mapping.map(argument, args[number]);
  mapping.map(from.take_back(running.size()), running);
  for (Operation &inner : op.getBlock()->without_terminator())
    b.clone(inner, mapping);
  return llvm::map_to_vector(
      op.getBlock()->getTerminator()->getOperands(),
      [&](Value result) { return mapping.lookupOrDefault(result); });
}

/// Makes one op of two with the same loops, at the place of the first one.
static ComputeOp joinOps(RewriterBase &rewriter, ComputeOp first,
                         ComputeOp second) {
  JoinedInputs inputs;
  SmallVector<Value> inits;
  SmallVector<Subscripts> written;
  auto add = [&](ComputeOp op) {
    SmallVector<unsigned> numbers;
    for (OpOperand *input : op.getDpsInputOperands())
      numbers.push_back(inputs.add(op, *input));
    for (OpOperand &init : op.getDpsInitsMutable()) {
      inits.push_back(init.get());
      written.push_back(op.getSubscripts(init));
    }
    return numbers;
  };
  SmallVector<unsigned> ofFirst = add(first), ofSecond = add(second);
  SmallVector<Subscripts> accesses = inputs.accesses;
  llvm::append_range(accesses, written);
  rewriter.setInsertionPoint(first);
  return ComputeOp::create(
      rewriter, rewriter.getFusedLoc({first.getLoc(), second.getLoc()}),
      inputs.values, inits, accesses, first.getAxes(),
      first.getNumParallelLoops(), first.getNameAttr(),
      [&](OpBuilder &b, Location loc, ValueRange args) {
        ValueRange running = args.drop_front(inputs.values.size());
        unsigned results = first->getNumResults();
        SmallVector<Value> yielded =
            copyPayload(b, first, ofFirst, args, running.take_front(results));
        llvm::append_range(yielded, copyPayload(b, second, ofSecond, args,
                                                running.drop_front(results)));
        linalg::YieldOp::create(b, loc, yielded);
      });
}

/// The op of both; null where they have no factor in common, or the second one
/// reads what is made of the first one's results.
static ComputeOp joinPair(RewriterBase &rewriter, ComputeOp first,
                          ComputeOp second) {
  if (first.getAxes() != second.getAxes() ||
      first.getNumParallelLoops() != second.getNumParallelLoops() ||
      matrixProductsOf(first).empty() || matrixProductsOf(second).empty() ||
      failed(moveOperationDependencies(rewriter, second, first)))
    return nullptr;
  ComputeOp joined = joinOps(rewriter, first, second);
  if (matrixProductsOf(joined).empty()) {
    rewriter.eraseOp(joined);
    return nullptr;
  }
  unsigned results = first->getNumResults();
  rewriter.replaceOp(first, joined->getResults().take_front(results));
  rewriter.replaceOp(second, joined->getResults().drop_front(results));
  return joined;
}

bool joinSums(RewriterBase &rewriter, KernelOp kernel) {
  OpBuilder::InsertionGuard guard(rewriter);
  SmallVector<ComputeOp> sums;
  for (auto op : kernel.getBody().getOps<ComputeOp>())
    if (op.getNumReductionLoops() > 0)
      sums.push_back(op);
  if (sums.size() < 2)
    return false;
  ComputeOp joined = sums.front();
  for (ComputeOp next : ArrayRef(sums).drop_front()) {
    joined = joinPair(rewriter, joined, next);
    if (!joined)
      return false;
  }
  return true;
}

} // namespace onnxc
