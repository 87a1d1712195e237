//===- ComputedSliceCost.cpp - Slices that threads compute ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Threads compute as many elements as one access stores. Each element of an
// input is read by those that depend on it, and comes from the second cache
// once for a slice.
//
//===----------------------------------------------------------------------===//

#include "Cost/ComputedSliceCost.h"

#include "Cost/OpCost.h"
#include "Kernels/KernelShape.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/ComputedSlices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Slices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Threads.h"
#include "onnxc/Support/ElementBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

/// Accesses of a thread that copies of slices have at once.
static constexpr double accessesAtOnce = 8;

static double elementBytesOf(Value value) {
  return double(elementBytes(getElementTypeOrSelf(value.getType())));
}

/// Operations for one element. Vectors have two of 16 bits in a register; bytes
/// become as wide.
static double operationsOf(ComputeOp op, int64_t lanes,
                           const Processor &target) {
  double operations = 0;
  for (Operation &inner : op.getBlock()->without_terminator()) {
    Type type = inner.getResult(0).getType();
    if (inner.hasTrait<OpTrait::ConstantLike>() || type.isIndex() ||
        isa<arith::BitcastOp>(inner))
      continue;
    double bits =
        type.isIntOrFloat()
            ? std::clamp(double(type.getIntOrFloatBitWidth()), 16.0, 64.0)
            : 64;
    operations +=
        operationWeight(inner, target) * (lanes > 1 ? bits / 32 : 1.0);
  }
  return operations;
}

/// The iterations of the loops of the op that make up `elements` adjacent
/// elements along the last dimension, but of those that the input depends on.
static double sharedBy(ComputeOp op, OpOperand &input, double elements) {
  Access access(input);
  auto type = cast<ShapedType>(op->getResult(0).getType());
  double shared = 1;
  SmallVector<ResultDigit> digits;
  if (type.getRank() > 0)
    digits = *digitsOf(op, type.getRank() - 1);
  for (const ResultDigit &digit : digits) {
    double here = ShapedType::isDynamic(digit.extent)
                      ? elements
                      : std::min(double(digit.extent), elements);
    if (!access.dependsOn(digit.loop))
      shared *= here;
    elements = std::max(elements / std::max(here, 1.0), 1.0);
  }
  return shared;
}

/// The work for the slice of a step, once, of the op that reads the result of
/// `maker`.
static SliceWork workOfOne(const LoopNest &nest, const Cache &cache,
                           unsigned number, unsigned maker,
                           const Processor &target) {
  auto op = cast<ComputeOp>(nest.op(maker).op);
  auto reader = cast<ComputeOp>(nest.op(number).op);
  Value result = op->getResult(0);
  double elements = 1, inLine = 1;
  for (OpOperand *input : reader.getDpsInputOperands()) {
    if (input->get() != result)
      continue;
    Access access(nest, number, *input);
    for (unsigned loop : cachedLoops(nest, cache, number)) {
      double extent = double(nest.loop(loop).extent);
      elements *= extent;
      if (access.stepAt(access.getRank() - 1, loop).value_or(0) != 0)
        inLine *= extent;
    }
  }
  double bytes = elementBytesOf(result);
  int64_t lanes = elementsTogether(
      op, std::max<int64_t>(int64_t(double(target.vectorBytes) / bytes), 1));
  double vectors = elements / double(lanes), warp = double(target.warpThreads);
  SliceWork work;
  work.operations = operationsOf(op, lanes, target) * elements / warp;
  // Vectors of iterations that lie between each other are put together.
  work.operations += lanes > 1 ? elements * bytes / 4 / warp : 0;
  double accesses = 1;
  work.registers = double(lanes) * bytes / 4;
  for (OpOperand *input : readInputs(op)) {
    double read =
        elementBytesOf(input->get()) * elements / sharedBy(op, *input, inLine);
    work.bytes += read;
    work.cacheCycles += std::max(read / (4 * warp), vectors / warp);
    work.registers += 1;
    ++accesses;
  }
  work.cacheCycles += elements * bytes / (4 * warp);
  work.instructions =
      work.operations + (accesses + double(target.tileCycles)) * vectors / warp;
  double together =
      std::min(vectors / double(numThreads(nest)), accessesAtOnce);
  work.registers *= std::max(together, 1.0);
  return work;
}

SliceWork sliceWorkOf(const LoopNest &nest, unsigned number,
                      llvm::function_ref<double(unsigned)> roundsAt,
                      const Processor &target) {
  SliceWork sum;
  for (const Cache &cache : nest.caches()) {
    std::optional<unsigned> maker = makerOf(nest, cache.operand);
    if (!maker || !llvm::is_contained(cachingOps(nest, cache), number))
      continue;
    SliceWork work = workOfOne(nest, cache, number, *maker, target);
    double rounds = roundsAt(cache.at);
    sum.rounds += rounds;
    sum.instructions += rounds * work.instructions;
    sum.operations += rounds * work.operations;
    sum.cacheCycles += rounds * work.cacheCycles;
    sum.bytes += rounds * work.bytes;
    sum.registers += double(int64_t(work.registers));
  }
  return sum;
}

} // namespace onnxc
