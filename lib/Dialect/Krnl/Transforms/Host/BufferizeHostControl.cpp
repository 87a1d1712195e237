//===- BufferizeHostControl.cpp - Branches and loops on buffers -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HostBufferizer.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::krnl;

/// The arguments of a block become buffers in place. Tensor ops that use them
/// are wrong until they are converted in turn, and are only accessed through
/// their generic operands.
void Bufferizer::convertArguments(Block &block) {
  for (BlockArgument argument : block.getArguments())
    if (isTensor(argument)) {
      argument.setType(bufferType(argument.getType()));
      buffers[argument] = argument;
    }
}

/// Moves a region into the op that replaces its own, and converts it.
LogicalResult Bufferizer::moveRegion(Region &from, Region &to) {
  to.takeBody(from);
  if (to.empty())
    return success();
  convertArguments(to.front());
  return convertBlock(to.front());
}

/// The results of a converted op stand for these of the old one.
void Bufferizer::mapResults(Operation *old, ValueRange results,
                            Operation *converted) {
  for (auto [from, to] : llvm::zip_equal(results, converted->getResults()))
    if (isTensor(from))
      buffers[from] = to;
    else
      from.replaceAllUsesWith(to);
  dead.push_back(old);
}

/// A choice between two tensors is a branch that copies one of them.
void Bufferizer::convertSelect(arith::SelectOp op) {
  Location loc = op.getLoc();
  auto branch = scf::IfOp::create(builder, loc, bufferType(op.getType()),
                                  op.getCondition(), /*withElseRegion=*/true);
  auto yieldCopy = [&](Block *block, Value source) {
    builder.setInsertionPointToEnd(block);
    scf::YieldOp::create(builder, loc, copied(loc, buffer(source)));
  };
  yieldCopy(branch.thenBlock(), op.getTrueValue());
  yieldCopy(branch.elseBlock(), op.getFalseValue());
  builder.setInsertionPointAfter(branch);
  mapResults(op, op->getResults(), branch);
}

/// A branch passes its results, but for those in an output.
void Bufferizer::convertYield(scf::YieldOp op) {
  SmallVector<Value> values;
  for (OpOperand &use : op.getResultsMutable())
    if (branchResults.contains(use.get()) || choiceYields.contains(&use))
      continue;
    else if (auto found = branchOutputs.find(&use);
             found != branchOutputs.end())
      inOutput(op.getLoc(), use.get(), found->second);
    else
      values.push_back(transferBuffer(use, /*isOnlyUse=*/false));
  op.getResultsMutable().assign(values);
}

/// Nothing is copied: where the branch makes no tensor, its buffer is empty.
LogicalResult Bufferizer::convertChoice(scf::IfOp op) {
  BufferChoice choice = *choiceOf(op);
  Location loc = op.getLoc();
  auto select = [&](Value given, Value made) -> Value {
    return arith::SelectOp::create(builder, loc, op.getCondition(),
                                   choice.isThen ? given : made,
                                   choice.isThen ? made : given);
  };
  Value none = arith::ConstantIndexOp::create(builder, loc, 0);
  SmallVector<Value> sizes;
  for (Value size : choice.empty.getDynamicSizes())
    sizes.push_back(select(none, size));
  auto type = cast<MemRefType>(bufferType(choice.empty.getType()));
  checkBytes(builder, loc, type, sizes);
  Value made = allocate(loc, type, sizes);
  made = builder.createOrFold<memref::CastOp>(
      loc, bufferType(op.getResult(0).getType()), made);
  destinations[choice.launch.getResult(choice.number)] = made;
  choiceYields.insert(&op.thenYield()->getOpOperand(0));
  choiceYields.insert(&op.elseYield()->getOpOperand(0));
  auto converted =
      scf::IfOp::create(builder, loc, TypeRange(), op.getCondition(),
                        /*addThenBlock=*/false, /*addElseBlock=*/false);
  Value given = buffer(choice.given);
  if (failed(moveRegion(op.getThenRegion(), converted.getThenRegion())) ||
      failed(moveRegion(op.getElseRegion(), converted.getElseRegion())))
    return failure();
  builder.setInsertionPointAfter(converted);
  buffers[op.getResult(0)] = select(given, made);
  dead.push_back(op);
  return success();
}

LogicalResult Bufferizer::convertIf(scf::IfOp op) {
  if (op->hasAttr(choiceAttrName))
    return convertChoice(op);
  SmallVector<Value> results;
  for (OpResult result : op.getResults())
    if (!branchResults.contains(result))
      results.push_back(result);
  auto converted =
      scf::IfOp::create(builder, op.getLoc(), bufferTypes(TypeRange(results)),
                        op.getCondition(), /*addThenBlock=*/false,
                        /*addElseBlock=*/false);
  if (failed(moveRegion(op.getThenRegion(), converted.getThenRegion())) ||
      failed(moveRegion(op.getElseRegion(), converted.getElseRegion())))
    return failure();
  mapResults(op, results, converted);
  return success();
}

LogicalResult Bufferizer::convertFor(scf::ForOp op) {
  SmallVector<Value> inits =
      transferBuffer(op.getInitArgsMutable(), /*isOnlyUse=*/true);
  auto converted = scf::ForOp::create(builder, op.getLoc(), op.getLowerBound(),
                                      op.getUpperBound(), op.getStep(), inits);
  if (failed(moveRegion(op.getRegion(), converted.getRegion())))
    return failure();
  mapResults(op, op->getResults(), converted);
  return success();
}

LogicalResult Bufferizer::convertWhile(scf::WhileOp op) {
  SmallVector<Value> inits =
      transferBuffer(op.getInitsMutable(), /*isOnlyUse=*/true);
  auto converted = scf::WhileOp::create(
      builder, op.getLoc(), bufferTypes(op.getResultTypes()), inits);
  if (failed(moveRegion(op.getBefore(), converted.getBefore())) ||
      failed(moveRegion(op.getAfter(), converted.getAfter())))
    return failure();
  mapResults(op, op->getResults(), converted);
  return success();
}
