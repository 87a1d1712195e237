//===- ThreadWork.cpp - What the threads of a device do ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A step of an op by one thread, of those of a warp that run together: what it
// computes, and what it reads and writes, from which the time of a tile
// follows (DeviceCost.cpp).
//
//===----------------------------------------------------------------------===//

#include "Cost/OpCost.h"

#include "Kernels/KernelShape.h"
#include "onnxc/Conversion/ExpandMath/VectorMath.h"
#include "onnxc/Dialect/Krnl/IR/ExchangedStores.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/ComputedSlices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Matrices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Slices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Threads.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"
#include "onnxc/Dialect/Krnl/IR/OpPlan.h"
#include "onnxc/Support/ElementBytes.h"
#include "onnxc/Target/IR/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

/// Returns true if each loop of the op that is not around it is unrolled or
/// mapped to threads.
static bool isInRegisters(const LoopNest &nest, unsigned number) {
  return llvm::all_of(nest.op(number).loops, [&](const LoopUse &use) {
    return nest.isAround(use.loop, number) || nest.loop(use.loop).mapped ||
           nest.isInRegisters(use);
  });
}

bool isKept(const LoopNest &nest, unsigned number, OpOperand &input) {
  if (!isInRegisters(nest, number))
    return false;
  Access access(nest, number, input);
  return llvm::any_of(llvm::seq(number), [&](unsigned before) {
    auto op = cast<ComputeOp>(nest.op(before).op);
    return !isInSlices(nest, before) && isInRegisters(nest, before) &&
           llvm::any_of(readInputs(op), [&](OpOperand *other) {
             return other->get() == input.get() &&
                    Access(nest, before, *other) == access;
           });
  });
}

OpCost::OpCost(KernelOp kernel, const LoopNest &nest, unsigned number,
               const Processor &target, ArrayRef<unsigned> loopsOfThreads)
    : kernel(kernel), nest(nest), body(nest.op(number)), number(number),
      op(cast<ComputeOp>(body.op)), target(target),
      loopsOfThreads(loopsOfThreads) {
  findSteps();
  if (OpPlan(nest, number).hasCommonSums())
    running.emplace(op);
  if (mmaOf(nest, number) && multipliesMatrices(op))
    mma = mmaOf(nest, number);
  isOfWarpgroup = mma && mma->isOfWarpgroup() && multipliesByWarpgroups(op);
}

/// The elements, or vectors of them, that a step has of an operand.
double OpCost::unrolledBy(const Access &access) const {
  double count = 1;
  for (const LoopUse &use : body.loops)
    if (access.dependsOn(use.loop))
      count *= unrolled(use);
  return count;
}

/// The number of threads of a warp that access elements of their own; the
/// others access the same ones as these.
double OpCost::apartInWarp(const Access &access) const {
  double apart = 1, left = double(target.warpThreads);
  for (unsigned loop : llvm::reverse(mappedLoops(nest))) {
    double here = std::min(double(nest.loop(loop).extent), left);
    if (llvm::any_of(krnl::loopsOfThreads(nest), [&](unsigned other) {
          return access.dependsOn(other) &&
                 (other == loop || nest.loop(other).threadsOf == int(loop));
        }))
      apart *= here;
    left /= here;
  }
  return apart;
}

/// Returns true if the elements between the lanes are those of copies, so that
/// all are accessed.
bool OpCost::isFilled(const Access &access) const {
  return llvm::any_of(body.loops, [&](const LoopUse &use) {
    return use.unroll > 1 && access.hasUnitStride(use.loop) &&
           access.stride(lanesUse->loop) == use.unroll;
  });
}

/// Elements that a thread reads from a slice in shared memory at once: copies
/// or lanes of the loop that it ends with.
int64_t OpCost::adjacentInSlice(const Cache &cache, OpOperand &operand,
                                double bytes) const {
  // A row that begins anywhere has no aligned vectors.
  if (shiftedRow(nest, cache, number, operand))
    return 1;
  SmallVector<unsigned> loops = cachedLoops(nest, cache, number);
  const LoopUse *last = loops.empty() ? nullptr : body.find(loops.back());
  if (!last)
    return 1;
  return std::min<int64_t>(std::max(last->unroll, last->lanes),
                           std::max<int64_t>(target.vectorBytes / bytes, 1));
}

/// A warp reads each element of its fragments once, four words in an access.
void OpCost::addFragments(const Access &access, double bytes, bool isShared,
                          ThreadWork &work) {
  bool isRows = access.dependsOn(mma->rowThreads);
  double words = unrolledBy(access) *
                 (isRows ? 8.0 : 8 / (lanesUse ? 1.0 : 2.0)) * bytes /
                 double(4 * target.warpThreads);
  work.accesses += words / 4;
  work.cacheCycles += words;
  work.operandRegisters += words;
  (isShared ? work.sharedBytes : work.loadedBytes) += words * 4;
}

/// Returns true if all threads of a tile see the result of the op.
static bool isInSharedMemory(const LoopNest &nest, ComputeOp maker) {
  unsigned number = nest.indexOf(maker);
  return nest.op(number).isShared || isInSlices(nest, number);
}

/// So many words of a thread go to other ones of `threads`, half of them in
/// each step: one instruction moves a word of each thread of a warp, three
/// choose which. Each takes the place of a multiply-add.
void OpCost::addExchange(double count, double threads, ThreadWork &work) {
  double moved = count * std::log2(threads) / 2;
  work.operations += 2 * 4 * moved;
}

/// The sectors of a request of a warp, each thread of which stores so many
/// bytes: threads next to each other continue the line, unless their elements
/// are known to lie elsewhere.
double OpCost::sectorsOfStore(const Access &access, double bytes,
                              const ExchangedStore *exchange) const {
  double line = bytes, lines = 1, left = double(target.warpThreads);
  for (unsigned loop : llvm::reverse(mappedLoops(nest))) {
    double here = std::min(double(nest.loop(loop).extent), left);
    left /= here;
    for (const LoopUse &use : body.loops) {
      if (!access.dependsOn(use.loop) ||
          (use.loop != loop && nest.loop(use.loop).threadsOf != int(loop)))
        continue;
      auto pitch = double(access.pitch(use.loop));
      if (pitch == 0 || (exchange && exchange->threads == use.loop))
        line *= here;
      else if (std::abs(pitch) <= std::max(line, double(target.lineBytes)))
        line += std::abs(pitch) * (here - 1);
      else
        lines *= here;
    }
  }
  return lines * std::ceil(line / double(target.lineBytes));
}

/// Counts what a step has of stores to device memory, of which each thread has
/// `count` of `width` elements: fewer and longer ones after an exchange.
void OpCost::addStore(OpOperand &result, double &count, double &width,
                      ThreadWork &work) {
  std::optional<ExchangedStore> exchange = exchangedStore(nest, number, result);
  if (exchange) {
    addExchange(count, double(exchange->count), work);
    count /= double(exchange->count);
    width *= double(exchange->count);
  }
  double bytes =
      width *
      double(elementBytes(getElementTypeOrSelf(result.get().getType())));
  work.storedBytes += count * double(target.lineBytes) /
                      double(target.warpThreads) *
                      sectorsOfStore(Access(nest, number, result), bytes,
                                     exchange ? &*exchange : nullptr);
}

/// A warp whose threads read the same element reads it once, others as many
/// bytes as all of them have.
void OpCost::addAccess(OpOperand &operand, bool isStore, ThreadWork &work) {
  auto maker = operand.get().getDefiningOp<ComputeOp>();
  bool isSharedResult =
      isStore ? body.isShared : maker && isInSharedMemory(nest, maker);
  if (!isSharedResult && (isStore ? isIntermediate(op) : bool(maker)))
    return;
  if (!isStore && isKept(nest, number, operand))
    return;
  Access access(nest, number, operand);
  if (steps && !access.dependsOn(steps->loop) && (isStore || steps->reduced))
    return;
  auto bytes =
      double(elementBytes(getElementTypeOrSelf(operand.get().getType())));
  const Cache *cache = isStore ? nullptr : sharedCacheOf(nest, operand, number);
  if (isOfWarpgroup && !isStore)
    return; // addMatrices
  if (mma && !isStore)
    return addFragments(access, bytes, cache || isSharedResult, work);
  bool hasLanes = lanesUse && access.dependsOn(lanesUse->loop);
  double count = unrolledBy(access), width = hasLanes ? double(lanes) : 1;
  if (cache) {
    double together = double(adjacentInSlice(*cache, operand, bytes));
    count *= width / together;
    width = together;
  } else if (hasLanes &&
             (access.hasRangeAlong(lanesUse->loop) ||
              (!access.hasUnitStride(lanesUse->loop) && !isFilled(access)))) {
    count *= width;
    width = 1;
  }
  if (isStore && !isSharedResult)
    addStore(operand, count, width, work);
  double words = std::ceil(width * bytes / double(target.vectorBytes));
  double warpBytes = width * bytes * apartInWarp(access);
  work.accesses += count * words;
  work.cacheCycles +=
      count * std::max(warpBytes / double(4 * target.warpThreads), words);
  work.operandRegisters += count * std::ceil(width * bytes / 4);
  if (!isStore)
    (cache || isSharedResult ? work.sharedBytes : work.loadedBytes) +=
        count * warpBytes / double(target.warpThreads);
}

/// Adjacent threads read adjacent elements, as those of elements of their own
/// do.
void OpCost::addRead(tensor::ExtractOp read, double instances,
                     ThreadWork &work) {
  auto bytes = double(elementBytes(read.getType()));
  double width = isGather(read) ? 1 : double(lanes);
  double count = instances * double(lanes) / width;
  double words = std::ceil(width * bytes / double(target.vectorBytes));
  work.accesses += count * words;
  work.cacheCycles += count * std::max(width * bytes / 4, words);
  work.operandRegisters += count * std::ceil(width * bytes / 4);
  work.loadedBytes += count * width * bytes;
  work.indexedBytes += count * width * bytes;
}

/// Results in a cycle of a core of the units that convert the elements; nothing
/// where other instructions do. NVIDIA, CUDA C++ Programming Guide, Arithmetic
/// Instructions: the units for functions, except where bits are moved, between
/// f32 and 16 bits (HADD2, F2FP), and between integers.
static std::optional<double> conversionRate(Operation &inner,
                                            TargetAttr target) {
  bool toFloat = isa<arith::SIToFPOp, arith::UIToFPOp>(inner),
       fromFloat = isa<arith::FPToSIOp, arith::FPToUIOp>(inner),
       ofFloat = isa<arith::ExtFOp, arith::TruncFOp>(inner);
  if (!toFloat && !fromFloat && !ofFloat)
    return std::nullopt;
  bool isWide = llvm::any_of(
      ArrayRef<Type>{inner.getOperand(0).getType(),
                     inner.getResult(0).getType()},
      [](Type type) {
        return getElementTypeOrSelf(type).getIntOrFloatBitWidth() == 64;
      });
  bool isPlain = ofFloat || (toFloat && target.hasInstruction("int_to_float"));
  std::optional<PowerInstruction> units = powerInstructionOf(target);
  if (!units || (isPlain && !isWide))
    return std::nullopt;
  return double(units->resultsPerCycle);
}

/// The unrolled iterations and lanes of a step that compute the value together.
double OpCost::sharedBy(Value value) const {
  double count = 1;
  if (!running)
    return count;
  for (const LoopUse &use : body.loops) {
    bool isOwn = use.reduced;
    for (auto [dim, axis] : llvm::enumerate(body.axes))
      isOwn |= nest.stemsFrom(use.loop, axis) && running->dependsOn(value, dim);
    if (!isOwn)
      count *= unrolled(use) *
               double(lanesUse && lanesUse->loop == use.loop ? lanes : 1);
  }
  return count;
}

/// An instruction on an index takes the place of a multiply-add.
void OpCost::addPayload(double all, ThreadWork &work) {
  for (Operation &inner : op.getBlock()->without_terminator()) {
    double instances = all / sharedBy(inner.getResult(0));
    if (auto read = dyn_cast<tensor::ExtractOp>(inner)) {
      addRead(read, instances, work);
      continue;
    }
    work.operations += operationsOf(inner) * instances;
    if (std::optional<PowerInstruction> power =
            powerInstructionFor(&inner, TargetAttr::of(op)))
      work.functionCycles += instances * double(lanes * target.warpThreads) /
                             double(power->resultsPerCycle);
    if (auto rate = conversionRate(inner, TargetAttr::of(op)))
      work.functionCycles +=
          instances * double(lanes * target.warpThreads) / *rate;
    if (isa<arith::ArithDialect>(inner.getDialect()) &&
        !inner.hasTrait<OpTrait::ConstantLike>() &&
        inner.getResult(0).getType().isIndex())
      work.operations += 2 * instances;
  }
}

/// Returns true if the instruction needs no slice of the rows.
static bool hasRowsInRegisters(const LoopNest &nest,
                               const MatrixProduct &product) {
  return registerFactor(nest, *product.lhs) ||
         registerFactor(nest, *product.rhs);
}

/// The products of a step for each sum, all threads of a warp together.
void OpCost::addMatrices(double instances, ThreadWork &work) {
  MatrixProduct product = *matrixProductOf(op);
  double products = instances * double(lanes * target.warpThreads) *
                    double(op->getNumResults());
  double rate = 16 * double(target.matrixProducts) *
                (isOfWarpgroup ? 1 : target.warpMatrixShare);
  work.matrixCycles = products * product.element.getIntOrFloatBitWidth() / rate;
  if (!isOfWarpgroup) {
    work.matrixProducts =
        products /
        double(MatrixSums::rows * MatrixSums::columns * product.depth());
    return;
  }
  // The warps have one instruction, which reads both matrices from slices.
  double warps = MatrixSums::warps, rows = MatrixSums::groupRows,
         columns =
             double(MatrixSums::columns * nest.loop(*mma->columnTiles).extent);
  work.matrixProducts = products * warps / (rows * columns * product.depth());
  double lines = columns + (hasRowsInRegisters(nest, product) ? 0 : rows);
  double bytes = work.matrixProducts * lines * product.depth() *
                 product.element.getIntOrFloatBitWidth() / 8 / warps;
  work.cacheCycles += bytes / double(4 * target.warpThreads);
  work.sharedBytes += bytes / double(target.warpThreads);
}

ThreadWork OpCost::threadWork() {
  ThreadWork work;
  work.steps = numSteps;
  double instances = 1, sums = 1, results = 1, threads = 1;
  for (const LoopUse &use : body.loops) {
    instances *= unrolled(use);
    sums *= use.reduced ? 1 : unrolled(use);
  }
  if (mma)
    addMatrices(instances, work);
  else
    addPayload(instances, work);
  for (OpOperand *input : readInputs(op))
    addAccess(*input, /*isStore=*/false, work);
  for (OpOperand &result : op.getDpsInitsMutable()) {
    addAccess(result, /*isStore=*/true, work);
    Value value = op.getBlock()->getTerminator()->getOperand(
        op.getTiedOpResult(&result).getResultNumber());
    work.resultRegisters +=
        sums * registersOf(result.get().getType()) / sharedBy(value);
  }
  work.latency = latency();
  for (auto [axis, reduced] : llvm::zip_equal(body.axes, body.reduced))
    if (!reduced)
      results *= axisExtent(axis);
  for (unsigned loop : krnl::loopsOfThreads(nest))
    if (const LoopUse *use = body.find(loop); use && use->reduced)
      threads *= double(nest.loop(loop).extent);
  // Each exchanges its part with another one, so often that all have the sum.
  work.combining = 2 * results * threads * std::log2(threads);
  return work;
}

} // namespace onnxc
