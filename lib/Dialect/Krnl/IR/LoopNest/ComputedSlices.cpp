//===- ComputedSlices.cpp - Slices whose elements are computed --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// cache(n, at=l, in=shared) of the result of an op: the threads of a tile
// compute the elements of a slice instead of copying them. The op has no loops:
// its iterations follow from the index of an element.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/LoopNest/ComputedSlices.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace onnxc::krnl {

std::optional<SmallVector<ResultDigit>> digitsOf(ComputeOp op,
                                                 unsigned position) {
  OpOperand &result = *op.getDpsInitOperand(0);
  Access access(result);
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  AffineExpr index = access.getIndex(position);
  SmallVector<AffineExpr> zeros(op.getNumLoops(),
                                getAffineConstantExpr(0, index.getContext()));
  SmallVector<ResultDigit> digits;
  for (unsigned loop : llvm::seq(op.getNumLoops())) {
    if (!index.isFunctionOfDim(loop))
      continue;
    std::optional<int64_t> distance = access.stepAt(position, loop);
    if (!distance)
      return std::nullopt;
    digits.push_back({loop, *distance, extents[loop]});
  }
  if (index.replaceDims(zeros) != 0)
    return std::nullopt;
  llvm::sort(digits, [](const ResultDigit &a, const ResultDigit &b) {
    return a.distance < b.distance;
  });
  int64_t size = 1;
  for (const ResultDigit &digit : digits) {
    if (digit.distance != size)
      return std::nullopt;
    if (ShapedType::isDynamic(digit.extent))
      return digits.size() == 1 ? std::optional(digits) : std::nullopt;
    if (digit.extent < 1 || llvm::MulOverflow(size, digit.extent, size))
      return std::nullopt;
  }
  auto type = cast<ShapedType>(result.get().getType());
  return type.getDimSize(position) == size ? std::optional(digits)
                                           : std::nullopt;
}

int64_t elementsTogether(ComputeOp op, int64_t maxElements) {
  auto type = cast<ShapedType>(op->getResult(0).getType());
  if (type.getRank() == 0)
    return 1;
  int64_t together = 1;
  SmallVector<ResultDigit> digits = *digitsOf(op, type.getRank() - 1);
  for (const ResultDigit &digit : digits) {
    int64_t left = maxElements / together;
    int64_t here = ShapedType::isDynamic(digit.extent)
                       ? left
                       : std::gcd(left, digit.extent);
    together *= here;
    if (here != digit.extent)
      break;
  }
  return together;
}

/// Returns true if the payload computes its result from elements, loops and
/// values of the kernel alone.
static bool isPure(ComputeOp op) {
  return llvm::all_of(op.getBlock()->without_terminator(),
                      [](Operation &inner) {
                        return isa<IndexOp>(inner) ||
                               (isa<arith::ArithDialect, math::MathDialect>(
                                    inner.getDialect()) &&
                                inner.getNumResults() == 1);
                      });
}

std::string reasonAgainstSlices(ComputeOp op) {
  if (op->getNumResults() != 1)
    return "it has several results";
  OpResult result = op->getResult(0);
  OpOperand &init = *op.getDpsInitOperand(0);
  if (op.getNumReductionLoops() > 0 || op.payloadUsesValueFromOperand(&init))
    return "its result continues another tensor";
  auto reader =
      result.hasOneUse() ? dyn_cast<ComputeOp>(*result.user_begin()) : nullptr;
  if (!reader || reader.isDpsInit(&*result.use_begin()))
    return "its result is not read by one other op alone";
  for (OpOperand *input : op.getDpsInputOperands())
    if (isa<ShapedType>(input->get().getType()) &&
        (!isa<BlockArgument>(input->get()) || Access(*input).hasRanges()))
      return "it reads results of other ops, or a range of an input";
  if (!isPure(op))
    return "its payload accesses memory";
  Access access(init);
  unsigned indexed = 0;
  for (unsigned position : llvm::seq(access.getRank())) {
    auto digits = digitsOf(op, position);
    if (access.hasRanges() || !digits)
      return "it does not write each element of its result";
    indexed += digits->size();
  }
  return indexed == op.getNumLoops() ? "" : "it writes elements several times";
}

unsigned numberOfResult(KernelOp kernel, unsigned op) {
  return kernel.getNumOperands() + op;
}

std::optional<unsigned> makerOf(const LoopNest &nest, unsigned operand) {
  Operation *first = nest.ops().empty() ? nullptr : nest.op(0).op;
  auto kernel = first ? first->getParentOfType<KernelOp>() : nullptr;
  if (!kernel || operand < kernel.getNumOperands() ||
      operand - kernel.getNumOperands() >= nest.ops().size())
    return std::nullopt;
  return operand - kernel.getNumOperands();
}

bool isInSlices(const LoopNest &nest, unsigned op) {
  return llvm::any_of(nest.caches(), [&](const Cache &cache) {
    return makerOf(nest, cache.operand) == op;
  });
}

Value slicedValue(const LoopNest &nest, const Cache &cache) {
  if (std::optional<unsigned> maker = makerOf(nest, cache.operand))
    return nest.op(*maker).op->getResult(0);
  auto kernel = nest.op(0).op->getParentOfType<KernelOp>();
  return kernel.getBody().getArgument(cache.operand);
}

} // namespace onnxc::krnl
