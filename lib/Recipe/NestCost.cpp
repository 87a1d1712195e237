//===- NestCost.cpp - Cycles of a kernel with its recipe -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// An op takes as many steps as its innermost loop that is not unrolled has
// iterations. A step is all that is unrolled: loads, operations and stores
// overlap, sums wait for the step before.
//
//===----------------------------------------------------------------------===//

#include "OpCost.h"

#include "CacheTraffic.h"
#include "DeviceCost.h"
#include "KernelShape.h"
#include "onnxc/Conversion/KrnlToLLVM/VectorMath.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"
#include "onnxc/Dialect/Krnl/IR/Target.h"
#include "onnxc/Dialect/Krnl/IR/Traversal.h"
#include "onnxc/Support/ElementBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

OpCost::OpCost(KernelOp kernel, const LoopNest &nest, unsigned number,
               const Processor &target)
    : kernel(kernel), nest(nest), body(nest.op(number)), number(number),
      op(cast<ComputeOp>(body.op)), target(target) {
  findTile();
  findSteps();
}

bool multipliesMatrices(ComputeOp op) {
  std::optional<MatrixProduct> product = matrixProductOf(op);
  TargetAttr target = TargetAttr::of(op);
  return product &&
         !target.getInstruction(product->operation(), product->depth()).empty();
}

bool multipliesByWarpgroups(ComputeOp op) {
  std::optional<MatrixProduct> product = matrixProductOf(op);
  return product &&
         !TargetAttr::of(op)
              .getInstruction(product->warpgroupOperation(), product->depth())
              .empty();
}

OpCost::OpCost(KernelOp kernel, const LoopNest &nest, unsigned number,
               const Processor &target, ArrayRef<unsigned> loopsOfThreads)
    : kernel(kernel), nest(nest), body(nest.op(number)), number(number),
      op(cast<ComputeOp>(body.op)), target(target),
      loopsOfThreads(loopsOfThreads) {
  findSteps();
  if (nest.mmaOf(number) && multipliesMatrices(op))
    mma = nest.mmaOf(number);
  isOfWarpgroup = mma && mma->isOfWarpgroup() && multipliesByWarpgroups(op);
}

void OpCost::findTile() {
  const LoopUse *row = nullptr, *column = nullptr;
  for (const LoopUse &use : body.loops) {
    if (use.role == RegisterRole::Row)
      row = &use;
    if (use.role == RegisterRole::Column)
      column = &use;
  }
  if (!row || !column || op.getNumReductionLoops() == 0)
    return;
  auto isOf = [&](const LoopUse &use, StringRef axis) {
    return nest.stemsFrom(use.loop, *kernel.findLoop(axis));
  };
  for (Contraction &way : findContractions(kernel)) {
    if (way.op != op || !isOf(*row, way.row) || !isOf(*column, way.column))
      continue;
    std::string grouped;
    for (const std::string &axis : way.reduced)
      if (llvm::any_of(body.loops, [&](const LoopUse &use) {
            return use.dot && isOf(use, axis);
          }))
        grouped = axis;
    int operand = inputNumber(kernel, way.columnOperand->get());
    if (operand >= 0 && !nest.packOf(operand))
      operand = -1;
    contraction = std::move(way);
    int64_t width = std::max<int64_t>(column->lanes, 1);
    tile = {nest.loop(row->loop).extent,
            int64_t(llvm::divideCeil(nest.loop(column->loop).extent, width))};
    tileCost.emplace(kernel, *contraction, target, width, grouped, operand);
    return;
  }
}

double OpCost::axisExtent(const Loop &axis) const {
  return tileCost ? double(tileCost->assumedExtent(axis.name))
                  : assumedExtent(axis);
}

double OpCost::axesExtent(unsigned loop) const {
  return onnxc::axesExtent(nest, loop,
                           [&](const Loop &axis) { return axisExtent(axis); });
}

double OpCost::extent(unsigned loop) const {
  const Loop &which = nest.loop(loop);
  return which.isDynamic() ? axesExtent(loop) : double(which.extent);
}

/// Iterations that a step has of a loop, all lanes of a vector being one.
static double unrolled(const LoopNest &nest, const LoopUse &use,
                       int64_t lanes) {
  const Loop &loop = nest.loop(use.loop);
  if (use.role == RegisterRole::Row)
    return double(loop.extent);
  if (use.role == RegisterRole::Column)
    return std::ceil(double(loop.extent) / double(lanes));
  return double(use.unroll);
}

void OpCost::findSteps() {
  for (const LoopUse &use : body.loops)
    if (use.lanes > 1)
      lanesUse = &use;
  if (lanesUse)
    lanes = lanesUse->lanes;
  double points = 1, together = 1;
  for (unsigned axis : body.axes)
    points *= axisExtent(nest.loop(axis));
  if (lanesUse) {
    double along = axesExtent(lanesUse->loop);
    points *= std::ceil(along / double(lanes)) / std::max(along, 1.0);
  }
  for (const LoopUse &use : body.loops) {
    double here = unrolled(nest, use, lanes);
    together *= here;
    if (extent(use.loop) > here * double(&use == lanesUse ? lanes : 1) &&
        !llvm::is_contained(loopsOfThreads, use.loop))
      steps = &use;
  }
  points *= paddingFactor(nest, number);
  numSteps = std::max(points / together, 1.0);
}

/// Registers for the lanes of an element, of vectors or of a thread of a
/// device.
double OpCost::registersOf(Type type) const {
  Type element = getElementTypeOrSelf(type);
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  return std::max(double(lanes * bits) / double(8 * target.operationBytes()),
                  1.0);
}

/// To load or store an operand in one step.
double OpCost::accessCycles(OpOperand &operand, bool isStore) {
  // Ops hand on their results in registers.
  if (isStore ? isHandedOn(op) : bool(operand.get().getDefiningOp<ComputeOp>()))
    return 0;
  Access access(nest, number, operand);
  int input = inputNumber(kernel, operand.get());
  // Packed elements lie in the order in which they are read.
  bool inLine = !lanesUse || !access.dependsOn(lanesUse->loop) ||
                access.hasUnitStride(lanesUse->loop) ||
                (input >= 0 && nest.packOf(input));
  bool isInvariant = steps && !access.dependsOn(steps->loop);
  // Elements that are gathered are gathered again in each step.
  if (isInvariant && (isStore || inLine))
    return 0;
  double count = 1;
  bool isTransposed = false;
  for (const LoopUse &use : body.loops) {
    if (!access.dependsOn(use.loop))
      continue;
    double here = unrolled(nest, use, lanes);
    count *= here;
    isTransposed |=
        &use != lanesUse && here > 1 && access.hasUnitStride(use.loop);
  }
  if (!lanesUse || !access.dependsOn(lanesUse->loop))
    return count / double(target.scalarLoadsPerCycle);
  int64_t step = access.stride(lanesUse->loop);
  bool isShuffled = !isStore && step > 1 && step <= target.shuffledStep;
  // Vectors of all that lies between the lanes are loaded, too.
  double vectors =
      registersOf(operand.get().getType()) * (isShuffled ? double(step) : 1.0);
  double each =
      inLine || isShuffled
          ? vectors / (isStore ? 1.0 : double(target.loadsPerCycle))
          : std::min(double(lanes), axesExtent(lanesUse->loop)) *
                (isTransposed ? target.transposeCycles : target.scatterCycles);
  return count * each;
}

/// Are the elements of all lanes read one by one?
bool OpCost::isGather(tensor::ExtractOp read) {
  // All reads of a payload are asked about.
  for (unsigned dim : llvm::reverse(llvm::seq<unsigned>(body.axes.size())))
    if (!payload && lanesUse && nest.stemsFrom(lanesUse->loop, body.axes[dim]))
      payload.emplace(op, dim);
  return !payload || payload->isGather(read);
}

/// Operations for a vector, or one element. A multiply-add is two, of which a
/// processor has twice as many in a cycle as multiply-adds.
double OpCost::operationsOf(Operation &inner) {
  double nested = 0;
  for (Region &region : inner.getRegions())
    for (Operation &op : region.getOps())
      nested += operationsOf(op);
  if (auto read = dyn_cast<tensor::ExtractOp>(inner))
    return double(target.gatherOperations) *
           (isGather(read) ? double(lanes)
                           : registersOf(inner.getResult(0).getType()));
  if (inner.getNumResults() != 1 || inner.hasTrait<OpTrait::ConstantLike>() ||
      inner.getResult(0).getType().isIndex())
    return nested;
  double weight = 1;
  if (isa<math::MathDialect>(inner.getDialect()) &&
      !isa<math::AbsFOp, math::FmaOp, math::CopySignOp>(inner))
    weight = double(target.functionOperations);
  else if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
               arith::RemUIOp>(inner))
    weight = double(target.divisionOperations);
  bool isScalar = lanes > 1 && !hasVectorForm(&inner);
  return nested + weight * (isScalar
                                ? double(lanes)
                                : registersOf(inner.getResult(0).getType()));
}

/// Cycles from one step of a sum to the next one.
double OpCost::latency() const {
  if (!steps || !steps->reduced)
    return 0;
  double chain = isTraversal(op) ? 3 : 1;
  // Instructions of a warpgroup follow each other without waiting.
  for (const LoopUse &use : body.loops)
    if (use.reduced && &use != lanesUse && !isOfWarpgroup && !(mma && use.mma))
      chain *= double(use.unroll);
  return chain * target.fmaLatency;
}

/// To bring the lanes of sums together.
double OpCost::sumOfLanes() const {
  if (!lanesUse || !lanesUse->reduced)
    return 0;
  double sums = 1, together = 1;
  for (auto [axis, reduced] : llvm::zip_equal(body.axes, body.reduced))
    if (!reduced)
      sums *= axisExtent(nest.loop(axis));
  for (const LoopUse &use : body.loops)
    if (!use.reduced)
      together *= double(use.unroll);
  return sums / together * target.fmaLatency * std::log2(double(lanes));
}

double OpCost::cycles() {
  if (tileCost)
    return tileCost->cycles(tile);
  double operations = 0, accesses = 0, instances = 1;
  for (Operation &inner : op.getBlock()->without_terminator())
    operations += operationsOf(inner);
  for (const LoopUse &use : body.loops)
    instances *= unrolled(nest, use, lanes);
  for (OpOperand *input : readInputs(op))
    accesses += accessCycles(*input, /*isStore=*/false);
  for (OpOperand &result : op.getDpsInitsMutable())
    accesses += accessCycles(result, /*isStore=*/true);
  double perStep =
      std::max({operations * instances / double(target.operationsPerCycle()),
                accesses, latency()});
  return numSteps * (perStep + target.tileCycles) + sumOfLanes();
}

//===----------------------------------------------------------------------===//
// Threads of a device
//===----------------------------------------------------------------------===//

/// The elements, or vectors of them, that a step has of an operand.
double OpCost::unrolledBy(const Access &access) const {
  double count = 1;
  for (const LoopUse &use : body.loops)
    if (access.dependsOn(use.loop))
      count *= unrolled(nest, use, lanes);
  return count;
}

/// Of the threads of a warp, those that access elements of their own; the
/// others access the same ones as these.
double OpCost::apartInWarp(const Access &access) const {
  double apart = 1, left = double(target.warpThreads);
  for (unsigned loop : llvm::reverse(nest.mappedLoops())) {
    double here = std::min(double(nest.loop(loop).extent), left);
    if (access.dependsOn(loop))
      apart *= here;
    left /= here;
  }
  return apart;
}

/// Are the elements between the lanes those of copies, so that all are
/// accessed?
bool OpCost::isFilled(const Access &access) const {
  return llvm::any_of(body.loops, [&](const LoopUse &use) {
    return use.unroll > 1 && access.hasUnitStride(use.loop) &&
           access.stride(lanesUse->loop) == use.unroll;
  });
}

/// Elements that a thread reads from a slice in shared memory at once: copies
/// or lanes of the loop that it ends with.
int64_t OpCost::neighboursInSlice(const Cache &cache, double bytes) const {
  SmallVector<unsigned> loops = nest.cachedLoops(cache, number);
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

/// A warp whose threads read the same element reads it once, others as many
/// bytes as all of them have.
void OpCost::addAccess(OpOperand &operand, bool isStore, ThreadWork &work) {
  if (isStore ? isHandedOn(op) : bool(operand.get().getDefiningOp<ComputeOp>()))
    return;
  Access access(nest, number, operand);
  if (steps && !access.dependsOn(steps->loop) && (isStore || steps->reduced))
    return;
  auto bytes =
      double(elementBytes(getElementTypeOrSelf(operand.get().getType())));
  const Cache *cache = isStore ? nullptr : nest.sharedCacheOf(operand, number);
  if (isOfWarpgroup && !isStore)
    return; // addMatrices
  if (mma && !isStore)
    return addFragments(access, bytes, cache, work);
  bool hasLanes = lanesUse && access.dependsOn(lanesUse->loop);
  double count = unrolledBy(access), width = hasLanes ? double(lanes) : 1;
  if (cache) {
    double together = double(neighboursInSlice(*cache, bytes));
    count *= width / together;
    width = together;
  } else if (hasLanes && !access.hasUnitStride(lanesUse->loop) &&
             !isFilled(access)) {
    count *= width;
    width = 1;
  }
  double words = std::ceil(width * bytes / double(target.vectorBytes));
  double warpBytes = width * bytes * apartInWarp(access);
  work.accesses += count * words;
  work.cacheCycles +=
      count * std::max(warpBytes / double(4 * target.warpThreads), words);
  work.operandRegisters += count * std::ceil(width * bytes / 4);
  if (!isStore)
    (cache ? work.sharedBytes : work.loadedBytes) +=
        count * warpBytes / double(target.warpThreads);
}

/// Neighbouring threads read neighbours, as those of elements of their own do.
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

/// An instruction on an index takes the place of a multiply-add.
void OpCost::addPayload(double instances, ThreadWork &work) {
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (auto read = dyn_cast<tensor::ExtractOp>(inner)) {
      addRead(read, instances, work);
      continue;
    }
    work.operations += operationsOf(inner) * instances;
    if (isa<arith::ArithDialect>(inner.getDialect()) &&
        !inner.hasTrait<OpTrait::ConstantLike>() &&
        inner.getResult(0).getType().isIndex())
      work.operations += 2 * instances;
  }
}

/// The products of a step, all threads of a warp together.
void OpCost::addMatrices(double instances, ThreadWork &work) {
  MatrixProduct product = *matrixProductOf(op);
  double products = instances * double(lanes * target.warpThreads);
  double rate = 16 * double(target.matrixProducts) *
                (isOfWarpgroup ? 1 : target.warpMatrixShare);
  work.matrixCycles = products * product.element.getIntOrFloatBitWidth() / rate;
  if (!isOfWarpgroup) {
    work.matrixProducts =
        products /
        double(MatrixSums::rows * MatrixSums::columns * product.depth());
    return;
  }
  // The warps have one instruction, which reads both matrices.
  double warps = MatrixSums::warps, rows = MatrixSums::groupRows,
         columns =
             double(MatrixSums::columns * nest.loop(*mma->columnTiles).extent);
  work.matrixProducts = products * warps / (rows * columns * product.depth());
  double bytes = work.matrixProducts * (rows + columns) * product.depth() *
                 product.element.getIntOrFloatBitWidth() / 8 / warps;
  work.cacheCycles += bytes / double(4 * target.warpThreads);
  work.sharedBytes += bytes / double(target.warpThreads);
}

ThreadWork OpCost::threadWork() {
  ThreadWork work;
  work.steps = numSteps;
  double instances = 1, sums = 1, results = 1, threads = 1;
  for (const LoopUse &use : body.loops) {
    instances *= unrolled(nest, use, lanes);
    sums *= use.reduced ? 1 : unrolled(nest, use, lanes);
  }
  if (mma)
    addMatrices(instances, work);
  else
    addPayload(instances, work);
  for (OpOperand *input : readInputs(op))
    addAccess(*input, /*isStore=*/false, work);
  for (OpOperand &result : op.getDpsInitsMutable()) {
    addAccess(result, /*isStore=*/true, work);
    work.resultRegisters += sums * registersOf(result.get().getType());
  }
  work.latency = latency();
  for (auto [axis, reduced] : llvm::zip_equal(body.axes, body.reduced))
    if (!reduced)
      results *= axisExtent(nest.loop(axis));
  for (unsigned loop : nest.mappedLoops())
    if (const LoopUse *use = body.find(loop); use && use->reduced)
      threads *= double(nest.loop(loop).extent);
  // Each exchanges its part with another one, so often that all have the sum.
  work.combining = 2 * results * threads * std::log2(threads);
  return work;
}

double packTileCycles(const LoopNest &nest, const Pack &pack,
                      const Processor &target) {
  double cycles = target.packCycles;
  SmallVector<unsigned> loops = nest.packedLoops(pack);
  for (unsigned loop : llvm::drop_begin(loops))
    cycles *= assumedExtent(nest.loop(loop));
  return cycles;
}

NestCost nestCost(KernelOp kernel, const LoopNest &nest,
                  const Processor &target) {
  if (target.isDevice())
    return deviceCost(kernel, nest, target);
  NestCost cost;
  for (unsigned number : llvm::seq<unsigned>(nest.ops().size())) {
    OpCost op(kernel, nest, number, target);
    CostTerm term{op.cycles(), {}};
    cost.tileCycles += term.cycles;
    for (unsigned axis : nest.op(number).axes)
      if (nest.loop(axis).isDynamic()) {
        term.cycles /= op.axisExtent(nest.loop(axis));
        term.axes.push_back(axis);
      }
    llvm::sort(term.axes);
    cost.cycles +=
        term.cycles * std::pow(double(outerExtent), double(term.axes.size()));
    auto *same = llvm::find_if(cost.terms, [&](const CostTerm &other) {
      return other.axes == term.axes;
    });
    if (same == cost.terms.end())
      cost.terms.push_back(std::move(term));
    else
      same->cycles += term.cycles;
  }
  double factor =
      memoryCycles(kernel, nest, target) / std::max(cost.cycles, 1.0);
  if (factor > 1) {
    cost.cycles *= factor;
    cost.tileCycles *= factor;
    for (CostTerm &term : cost.terms)
      term.cycles *= factor;
  }
  for (unsigned loop : nest.parallelLoops())
    cost.tileCycles /= std::max(assumedExtent(nest.loop(loop)), 1.0);
  return cost;
}

} // namespace onnxc
