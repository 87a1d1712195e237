//===- DividedAttention.cpp - An attention whose keys have parts *- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A part of the keys has a softmax of its own, without the division. A number
// of keys that is dynamic, or no multiple of a part, is divided by
// DivideKeys.cpp.
//
//===----------------------------------------------------------------------===//

#include "Passes/DividedAttention.h"

#include "Passes/DivideKeys.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

void DividedAttention::collect(Operation *op, SetVector<Operation *> &into,
                               Operation *without) {
  SmallVector<Operation *> open{op};
  while (!open.empty()) {
    Operation *next = open.pop_back_val();
    if (!next || next->getParentOp() != kernel || next == without ||
        !into.insert(next))
      continue;
    // Payloads use scalars of the body.
    next->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        open.push_back(operand.getDefiningOp());
    });
  }
}

/// Ops after the sums run over elements of these.
bool DividedAttention::findTail() {
  collect(kernel.getYield().getValues().front().getDefiningOp(), tail, sums.op);
  SmallVector<StringRef> axes = sums.op.getAxes();
  auto loops = ArrayRef(axes).take_front(sums.op.getNumParallelLoops());
  return llvm::all_of(tail, [&](Operation *op) {
    auto compute = dyn_cast<ComputeOp>(op);
    return !compute || (compute.getNumReductionLoops() == 0 &&
                        llvm::all_of(compute.getAxes(), [&](StringRef axis) {
                          return llvm::is_contained(loops, axis);
                        }));
  });
}

/// Returns true if payloads read the elements of all tensors except inputs at
/// their loops alone.
static bool readsPlainly(KernelOp kernel) {
  bool isPlain = kernel.getBody().getOps<tensor::DimOp>().empty();
  for (auto op : kernel.getBody().getOps<ComputeOp>())
    op.getPayload().walk([&](tensor::ExtractOp read) {
      isPlain &= inputNumber(kernel, read.getTensor()) >= 0;
    });
  return isPlain;
}

bool DividedAttention::match() {
  if (!kernel.getRecipe().empty() || kernel.getNumResults() != 1 || !find() ||
      !parts.empty() || scores.reduced.size() != 1 || !readsPlainly(kernel))
    return false;
  auto weights = sums.rowOperand->get().getDefiningOp<ComputeOp>();
  std::optional<SoftmaxOps> found =
      weights ? SoftmaxOps::find(weights, scores.column) : std::nullopt;
  if (!found || !weights->hasOneUse() || !startsAtZero(sums.op) ||
      !getElementTypeOrSelf(sums.op->getResult(0).getType()).isF32())
    return false;
  softmax = *found;
  for (ComputeOp op : ops)
    if (op != softmax.largest && op != softmax.total && op != sums.op &&
        llvm::is_contained(reducedLoops(op), scores.column))
      return false;
  return findTail();
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

/// A part of which all scores are -infinity has the maximum 0 for its
/// exponentials, as a row has where the operator defines the weights of those.
void DividedAttention::guardShift() {
  ComputeOp op = softmax.exponentials;
  BlockArgument largest = op.getMatchingBlockArgument(softmax.shift);
  if (llvm::any_of(largest.getUsers(),
                   [](Operation *user) { return isa<arith::SelectOp>(user); }))
    return;
  OpBuilder b = OpBuilder::atBlockBegin(op.getBlock());
  Location loc = op.getLoc();
  auto type = cast<FloatType>(largest.getType());
  Value none = arith::ConstantOp::create(
      b, loc,
      b.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics(), true)));
  Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(type, 0));
  auto isNone =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, largest, none);
  auto guarded = arith::SelectOp::create(b, loc, isNone, zero, largest);
  largest.replaceAllUsesExcept(guarded,
                               SmallPtrSet<Operation *, 2>{isNone, guarded});
}

/// The weights are the exponentials, rounded to their own type.
void DividedAttention::dropDivision() {
  ComputeOp op = softmax.weights;
  Operation *quotient = softmax.quotient;
  rewriter.replaceOp(quotient, quotient->getOperand(softmax.numerator));
  for (Operation &inner :
       llvm::make_early_inc_range(llvm::reverse(*op.getBody())))
    if (isOpTriviallyDead(&inner))
      rewriter.eraseOp(&inner);
  for (unsigned input : llvm::reverse(llvm::seq(op.getNumDpsInputs())))
    if (op.getBody()->getArgument(input).use_empty())
      eraseInput(op, input);
}

bool DividedAttention::expand(int64_t keysOfPart) {
  SmallVector<std::string> names;
  std::string loop = scores.column;
  bool isDivided = isStatic(kernel, loop) && keys() % keysOfPart == 0
                       ? expandLoop(rewriter, kernel, loop,
                                    {keys() / keysOfPart, keysOfPart}, names)
                       : divideKeys(rewriter, kernel, loop, keysOfPart,
                                    softmax.scores, names);
  if (!isDivided)
    return false;
  part = names.front();
  guardShift();
  dropDivision();
  return true;
}

} // namespace onnxc
