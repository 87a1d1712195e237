//===- KernelOp.cpp - Building and reading krnl.kernel ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopExtents.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace onnxc::krnl;

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                     ArrayRef<LoopAttr> loops, ValueRange ins,
                     ValueRange outs) {
  SmallVector<Attribute> loopAttributes(loops.begin(), loops.end());
  build(builder, state, TypeRange(outs), builder.getStringAttr(name),
        builder.getArrayAttr(loopAttributes), builder.getArrayAttr({}), ins,
        outs);
  Block &block = state.regions.front()->emplaceBlock();
  for (ValueRange operands : {ins, outs})
    for (Value operand : operands)
      block.addArgument(operand.getType(), operand.getLoc());
}

SmallVector<linalg::LinalgOp> KernelOp::getStructuredOps() {
  return llvm::to_vector(getBody().front().getOps<linalg::LinalgOp>());
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

SmallVector<StringRef> KernelOp::getAxes(Operation *op) {
  SmallVector<StringRef> names;
  if (auto axes = op->getAttrOfType<ArrayAttr>(KrnlDialect::axesAttrName))
    for (Attribute name : axes)
      names.push_back(cast<StringAttr>(name).getValue());
  return names;
}

void KernelOp::setAxes(Operation *op, ArrayRef<StringRef> names) {
  Builder builder(op->getContext());
  op->setAttr(KrnlDialect::axesAttrName, builder.getStrArrayAttr(names));
}

/// The dimension of `operand` that `op` indexes by exactly iterator `dim`.
static std::optional<unsigned> findDim(linalg::LinalgOp op, OpOperand &operand,
                                       unsigned dim) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  return map.getResultPosition(getAffineDimExpr(dim, op.getContext()));
}

std::optional<std::pair<unsigned, unsigned>>
KernelOp::findExtentOperand(unsigned loop) {
  return krnl::findExtentOperand(*this, loop, [](unsigned) { return true; });
}

std::optional<std::pair<unsigned, unsigned>>
onnxc::krnl::findExtentOperand(KernelOp kernel, unsigned loop,
                               llvm::function_ref<bool(unsigned)> isUsable) {
  StringRef name = kernel.getLoop(loop).getName();
  for (linalg::LinalgOp op : kernel.getStructuredOps()) {
    SmallVector<StringRef> axes = KernelOp::getAxes(op);
    const auto *place = llvm::find(axes, name);
    if (place == axes.end())
      continue;
    for (OpOperand &operand : op->getOpOperands()) {
      auto argument = dyn_cast<BlockArgument>(operand.get());
      if (!argument || argument.getOwner() != &kernel.getBody().front() ||
          !isa<RankedTensorType>(argument.getType()) ||
          !isUsable(argument.getArgNumber()))
        continue;
      if (auto dim = findDim(op, operand, place - axes.begin()))
        return std::make_pair(argument.getArgNumber(), *dim);
    }
  }
  return std::nullopt;
}

PlaceOp onnxc::krnl::placeOf(linalg::LinalgOp op, unsigned number) {
  return op.getBlock()
      ->getTerminator()
      ->getOperand(number)
      .getDefiningOp<PlaceOp>();
}

bool onnxc::krnl::isTrace(linalg::LinalgOp op, unsigned number) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(number));
  for (auto [dim, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction && map.isFunctionOfDim(dim))
      return true;
  return false;
}

bool onnxc::krnl::isOrdered(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0)
    return false;
  return llvm::any_of(llvm::seq<unsigned>(op.getNumDpsInits()),
                      [&](unsigned number) {
                        return isTrace(op, number) || placeOf(op, number);
                      });
}

Operation *onnxc::krnl::combinerOf(linalg::LinalgOp op, unsigned result) {
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

bool onnxc::krnl::isCombinable(linalg::LinalgOp op) {
  return llvm::all_of(
      llvm::seq<unsigned>(op.getNumDpsInits()), [&](unsigned result) {
        return combinerOf(op, result) ||
               !op.payloadUsesValueFromOperand(op.getDpsInitOperand(result));
      });
}

/// A kernel works on tensors: it has no effect of its own.
void KernelOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &) {}

LogicalResult KernelOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  for (Value out : getOuts())
    shapes.push_back(tensor::getMixedSizes(builder, getLoc(), out));
  return success();
}
