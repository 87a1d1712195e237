//===- Shuffles.cpp - Copies that go to memory together ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// transpose, interleave: the elements that the lanes of a vector access are not
// adjacent, but those of several copies are. strided: they are only a few
// elements apart.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/LoopNest/Shuffles.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/NestBuilder.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PackedOperands.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace onnxc::krnl {

StringRef stringifyShuffle(Shuffle shuffle) {
  return shuffle == Shuffle::Transpose ? "transpose" : "interleave";
}

std::optional<Shuffle> symbolizeShuffle(StringRef text) {
  for (Shuffle shuffle : {Shuffle::Transpose, Shuffle::Interleave})
    if (text == stringifyShuffle(shuffle))
      return shuffle;
  return std::nullopt;
}

bool hasRows(const Access &along, OpOperand &operand, unsigned loop) {
  if (along.getRank() == 0)
    return false;
  Access written(operand);
  unsigned last = along.getRank() - 1;
  std::optional<unsigned> dim = written.shiftedLoopAt(last);
  return dim && !written.hasRanges() && written.positionOf(*dim) == last &&
         along.stepAt(last, loop) == 1;
}

SmallVector<int64_t> copiesOf(const LoopNest &nest, const LoopUse &use) {
  const Loop &loop = nest.loop(use.loop);
  bool isTile = use.role != RegisterRole::None;
  int64_t copies = isTile ? loop.extent : std::max<int64_t>(use.unroll, 1);
  SmallVector<int64_t> all{copies};
  if (std::optional<int64_t> rest =
          isTile ? nest.knownRest(use.loop) : std::nullopt)
    all.push_back(*rest);
  llvm::append_range(all, use.tail);
  return all;
}

bool liesBetween(const Access &along, unsigned lane, unsigned copied,
                 int64_t copies) {
  int64_t step = along.stride(lane);
  return step > 1 && copies >= step && along.stride(copied) == 1 &&
         !along.hasRanges();
}

/// The loop of the op that lanes run along; null without one.
static const LoopUse *findLanes(const BodyOp &op) {
  const LoopUse *lane = llvm::find_if(
      op.loops, [](const LoopUse &use) { return use.width() > 1; });
  return lane == op.loops.end() ? nullptr : lane;
}

bool readsBetween(const LoopNest &nest, unsigned number, const LoopUse &use,
                  int64_t maxStride) {
  auto op = dyn_cast_if_present<ComputeOp>(nest.op(number).op);
  const LoopUse *lane = findLanes(nest.op(number));
  if (!op || !lane || lane->reduced || use.width() > 1)
    return false;
  return llvm::any_of(readInputs(op), [&](OpOperand *input) {
    // Packed operands lie as they are read.
    if (!isa<RankedTensorType>(input->get().getType()) ||
        isPacked(nest, *input))
      return false;
    Access along(nest, number, *input);
    return along.stride(lane->loop) <= maxStride &&
           llvm::any_of(copiesOf(nest, use), [&](int64_t copies) {
             return copies <= lane->lanes &&
                    liesBetween(along, lane->loop, use.loop, copies);
           });
  });
}

bool canShuffle(const LoopNest &nest, unsigned number, const LoopUse &use,
                Shuffle shuffle, bool masked) {
  const BodyOp &body = nest.op(number);
  auto op = dyn_cast_if_present<ComputeOp>(body.op);
  const LoopUse *lane = findLanes(body);
  bool isTransposed = shuffle == Shuffle::Transpose;
  if (!isTransposed && !masked && readsBetween(nest, number, use))
    return true;
  if (!op || use.reduced || use.width() > 1 || !lane)
    return false;
  auto suits = [&](OpOperand &operand) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      return false;
    Access along(nest, number, operand);
    if (!along.dependsOn(lane->loop) || !hasRows(along, operand, use.loop))
      return false;
    bool inLine =
        along.getIndex(along.getRank() - 1).isFunctionOfDim(lane->loop);
    int64_t step = isTransposed ? 0 : along.stride(lane->loop);
    return llvm::any_of(copiesOf(nest, use), [&](int64_t copies) {
      return copies > 1 && copies <= lane->lanes &&
             !(masked && llvm::isPowerOf2_64(copies)) &&
             (isTransposed ? !inLine : copies == step);
    });
  };
  // Packed operands lie as they are read.
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (isTransposed && !masked &&
        !op.getMatchingBlockArgument(input).use_empty() &&
        !isPacked(nest, *input) && suits(*input))
      return true;
  }
  return !lane->reduced &&
         llvm::any_of(llvm::enumerate(op.getDpsInitsMutable()), [&](auto init) {
           return !scatterStoreOf(op, init.index()) && suits(init.value());
         });
}

LogicalResult NestBuilder::shuffle(StringRef name, Shuffle shuffle, bool masked,
                                   EmitErrorFn emitError) {
  FailureOr<unsigned> number = resolve(name, emitError);
  if (failed(number))
    return failure();
  bool isUsed = false, usesMask = false;
  for (auto [i, op] : llvm::enumerate(bodyOps)) {
    LoopUse *use = concerns(i) ? op.find(*number) : nullptr;
    if (!use || !canShuffle(*this, i, *use, shuffle))
      continue;
    bool &flag =
        shuffle == Shuffle::Transpose ? use->transpose : use->interleave;
    if (flag)
      return emitError() << "the step is already applied to op '" << op.name
                         << "'";
    isUsed = flag = true;
    use->masked |= masked && canShuffle(*this, i, *use, shuffle, masked);
    usesMask |= use->masked;
  }
  if (isUsed && masked && !usesMask)
    return emitError() << "no result has copies of loop '" << name
                       << "' that are not a power of two, so nothing is masked";
  if (isUsed)
    return success();
  if (shuffle == Shuffle::Transpose)
    return emitError() << "no op has vectors across the rows of an operand or "
                          "result, and 2 copies of loop '"
                       << name << "' along them, or as many as lanes";
  return emitError() << "no op has a result with lanes as many elements apart "
                        "as loop '"
                     << name
                     << "' has copies, or an operand with lanes so few "
                        "elements apart that the copies read all between";
}

bool hasStride(const LoopNest &nest, unsigned number, const LoopUse &use,
               int64_t distance) {
  auto op = dyn_cast_if_present<ComputeOp>(nest.op(number).op);
  if (!op || use.width() == 1 || distance < 2)
    return false;
  // The lanes of other copies lie between those of a result.
  auto isInterleaved = [&](OpOperand &operand, const Access &along) {
    return op.isDpsInit(&operand) &&
           llvm::any_of(nest.op(number).loops, [&](const LoopUse &copied) {
             return copied.interleave && hasRows(along, operand, copied.loop) &&
                    !nest.leavesRest(copied.loop, distance) &&
                    llvm::all_equal(copiesOf(nest, copied)) &&
                    copiesOf(nest, copied).front() == distance;
           });
  };
  return llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
    // Packed operands lie as they are read.
    if (!isa<RankedTensorType>(operand.get().getType()) ||
        !isAccessed(operand) || isPacked(nest, operand))
      return false;
    Access along(nest, number, operand);
    return along.stride(use.loop) == distance && !isInterleaved(operand, along);
  });
}

LogicalResult NestBuilder::strided(StringRef name, int64_t distance,
                                   EmitErrorFn emitError) {
  FailureOr<unsigned> number = resolve(name, emitError);
  if (failed(number))
    return failure();
  bool isUsed = false;
  for (auto [i, op] : llvm::enumerate(bodyOps)) {
    LoopUse *use = concerns(i) ? op.find(*number) : nullptr;
    if (!use || !hasStride(*this, i, *use, distance))
      continue;
    if (llvm::is_contained(use->strides, distance))
      return emitError() << "the step is already applied to op '" << op.name
                         << "'";
    use->strides.push_back(distance);
    isUsed = true;
  }
  if (isUsed)
    return success();
  return emitError() << "no op accesses memory where the lanes of loop '"
                     << name << "' are " << distance << " elements apart";
}

} // namespace onnxc::krnl
