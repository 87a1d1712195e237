//===- KernelOp.cpp - Building and reading krnl.kernel ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/StepRenaming.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace onnxc::krnl;

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                     ArrayRef<LoopAttr> loops, ValueRange extents,
                     ValueRange ins, ValueRange outs) {
  SmallVector<Attribute> loopAttributes(loops.begin(), loops.end());
  build(builder, state, TypeRange(outs), builder.getStringAttr(name),
        builder.getArrayAttr(loopAttributes), builder.getArrayAttr({}), ins,
        outs, extents);
  Block &block = state.regions.front()->emplaceBlock();
  for (ValueRange operands : {ins, outs, extents})
    for (Value operand : operands)
      block.addArgument(operand.getType(), operand.getLoc());
}

std::optional<unsigned> KernelOp::findLoop(StringRef loopName) {
  for (auto [number, loop] : llvm::enumerate(getLoops().getAsRange<LoopAttr>()))
    if (loop.getName() == loopName)
      return number;
  return std::nullopt;
}

YieldOp KernelOp::getYield() {
  return cast<YieldOp>(getBody().front().getTerminator());
}

/// How many loops before one are dynamic: `extents` has one entry of each.
static size_t dynamicBefore(KernelOp kernel, unsigned loop) {
  return llvm::count_if(
      kernel.getLoops().getValue().take_front(loop),
      [](Attribute before) { return cast<LoopAttr>(before).isDynamic(); });
}

static OpFoldResult extentIn(KernelOp kernel, unsigned number,
                             ValueRange extents) {
  LoopAttr loop = kernel.getLoop(number);
  if (!loop.isDynamic())
    return Builder(loop.getContext()).getIndexAttr(loop.getExtent());
  return extents[dynamicBefore(kernel, number)];
}

OpFoldResult KernelOp::getExtent(unsigned loop) {
  return extentIn(*this, loop, getExtents());
}

OpFoldResult KernelOp::getExtentInside(unsigned loop) {
  auto arguments = getBody().getArguments();
  return extentIn(*this, loop,
                  arguments.drop_front(getIns().size() + getOuts().size()));
}

OpOperand &KernelOp::getExtentMutable(unsigned loop) {
  return getExtentsMutable()[dynamicBefore(*this, loop)];
}

bool KernelOp::isOfResults(unsigned loop) {
  StringRef name = getLoop(loop).getName();
  for (Value value : getYield().getValues())
    while (auto op = value.getDefiningOp<ComputeOp>()) {
      OpOperand &written = *op.getTiedOpOperand(cast<OpResult>(value));
      if (!llvm::is_contained(op.getLoopsAlong(written), name))
        return false;
      value = written.get();
    }
  return true;
}

namespace {
/// At number `first` so many operands are erased and others added.
class OperandShift : public StepRenaming {
public:
  OperandShift(unsigned first, unsigned erased, unsigned added)
      : first(first), erased(erased), added(added) {}

  std::optional<unsigned> operand(unsigned number) const override {
    if (number < first)
      return number;
    if (number < first + erased)
      return std::nullopt;
    return number - erased + added;
  }

private:
  unsigned first, erased, added;
};
} // namespace

BlockArgument KernelOp::addInput(Value value) {
  unsigned number = getIns().size();
  setRecipeAttr(renameSteps(getRecipe(), OperandShift(number, 0, 1)));
  getInsMutable().append(value);
  return getBody().insertArgument(number, value.getType(), getLoc());
}

void KernelOp::eraseInput(unsigned number) {
  setRecipeAttr(renameSteps(getRecipe(), OperandShift(number, 1, 0)));
  getBody().eraseArgument(number);
  getInsMutable().erase(number);
}

void KernelOp::replaceLoops(ArrayRef<LoopAttr> loops, ValueRange added) {
  Block &body = getBody().front();
  SmallVector<Value> extents;
  for (LoopAttr loop : loops) {
    if (!loop.isDynamic())
      continue;
    BlockArgument argument =
        body.addArgument(IndexType::get(getContext()), getLoc());
    std::optional<unsigned> known = findLoop(loop.getName());
    if (known && getLoop(*known).isDynamic()) {
      extents.push_back(cast<Value>(getExtent(*known)));
      cast<Value>(getExtentInside(*known)).replaceAllUsesWith(argument);
    } else {
      extents.push_back(added.front());
      added = added.drop_front();
    }
  }
  unsigned first = getIns().size() + getOuts().size();
  OperandShift shift(first, getExtents().size(), extents.size());
  setRecipeAttr(renameSteps(getRecipe(), shift));
  body.eraseArguments(first, getExtents().size());
  getExtentsMutable().assign(extents);
  SmallVector<Attribute> attributes(loops.begin(), loops.end());
  setLoopsAttr(ArrayAttr::get(getContext(), attributes));
}

ScatterStoreOp onnxc::krnl::scatterStoreOf(ComputeOp op, unsigned number) {
  return op.getBlock()
      ->getTerminator()
      ->getOperand(number)
      .getDefiningOp<ScatterStoreOp>();
}

bool onnxc::krnl::isTrace(ComputeOp op, unsigned number) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(number));
  for (auto [dim, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction && map.isFunctionOfDim(dim))
      return true;
  return false;
}

bool onnxc::krnl::isOrdered(ComputeOp op) {
  if (op.getNumReductionLoops() == 0)
    return false;
  return llvm::any_of(
      llvm::seq<unsigned>(op.getNumDpsInits()), [&](unsigned number) {
        return isTrace(op, number) || scatterStoreOf(op, number);
      });
}

Operation *onnxc::krnl::combinerOf(ComputeOp op, unsigned result) {
  BlockArgument running =
      op.getMatchingBlockArgument(op.getDpsInitOperand(result));
  Operation *combiner =
      op.getBlock()->getTerminator()->getOperand(result).getDefiningOp();
  if (!combiner || !running.hasOneUse() ||
      *running.getUsers().begin() != combiner ||
      combiner->getNumOperands() != 2)
    return nullptr;
  bool known =
      isa<arith::AddFOp, arith::AddIOp, arith::MulFOp, arith::MulIOp,
          arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
          arith::MinNumFOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
          arith::MinUIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp>(combiner);
  return known ? combiner : nullptr;
}

TypedAttr onnxc::krnl::neutralElementOf(Operation *combiner) {
  // A NaN is that of arith for these; an infinity keeps accumulators numbers.
  if (!isa<arith::MaxNumFOp, arith::MinNumFOp>(combiner))
    return *arith::getNeutralElement(combiner);
  auto type = cast<FloatType>(combiner->getResult(0).getType());
  return FloatAttr::get(
      type, APFloat::getInf(type.getFloatSemantics(),
                            /*Negative=*/isa<arith::MaxNumFOp>(combiner)));
}

bool onnxc::krnl::isCombinable(ComputeOp op) {
  auto inits = llvm::make_pointer_range(op.getDpsInitsMutable());
  bool accumulates = llvm::any_of(inits, [&](OpOperand *init) {
    return op.payloadUsesValueFromOperand(init);
  });
  return !accumulates ||
         llvm::all_of(llvm::seq<unsigned>(op.getNumDpsInits()),
                      [&](unsigned result) { return combinerOf(op, result); });
}

/// A kernel works on tensors: it has no effect of its own.
SizeSource KernelOp::findSize(Value tensor, int64_t dim) {
  while (!isa<BlockArgument>(tensor)) {
    auto op = tensor.getDefiningOp<ComputeOp>();
    OpOperand &written =
        op ? *op.getTiedOpOperand(cast<OpResult>(tensor)) : *tensor.use_begin();
    op = cast<ComputeOp>(written.getOwner());
    if (auto loop = op.getSubscripts(written)[dim].getLoop())
      return {findLoop(op.getAxes()[*loop]), {}};
    tensor = written.get();
  }
  return {std::nullopt, cast<BlockArgument>(tensor)};
}

void KernelOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &) {}

LogicalResult KernelOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  for (Value out : getOuts())
    shapes.push_back(tensor::getMixedSizes(builder, getLoc(), out));
  return success();
}
