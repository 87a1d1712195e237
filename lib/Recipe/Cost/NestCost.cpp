//===- NestCost.cpp - Cycles of a kernel with its recipe -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// An op takes as many steps as its innermost loop that is not unrolled has
// iterations. A step is all that is unrolled: loads, operations and stores
// overlap, sums wait for the step before.
//
//===----------------------------------------------------------------------===//

#include "Cost/OpCost.h"

#include "Cost/CacheTraffic.h"
#include "Cost/DeviceCost.h"
#include "Kernels/KernelShape.h"
#include "onnxc/Conversion/ExpandMath/VectorMath.h"
#include "onnxc/Dialect/Krnl/IR/ByteProduct.h"
#include "onnxc/Dialect/Krnl/IR/Lookup.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/ComputedSlices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PackedOperands.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/ShortSums.h"
#include "onnxc/Dialect/Krnl/IR/Traversal.h"

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
    if (way.op != op || way.hasWindowAcross() || !isOf(*row, way.row) ||
        !isOf(*column, way.column))
      continue;
    std::string grouped;
    int64_t groupBytes = bytesOfDot;
    for (const LoopUse &use : body.loops)
      for (const std::string &axis : way.reduced)
        if (use.dot && isOf(use, axis)) {
          grouped = axis;
          groupBytes = use.unroll;
        }
    int operand = inputNumber(kernel, way.columnOperand->get());
    if (operand >= 0 && !nest.packOf(operand))
      operand = -1;
    contraction = std::move(way);
    int64_t width = std::max<int64_t>(column->lanes, 1);
    tile = {nest.loop(row->loop).extent,
            int64_t(llvm::divideCeil(nest.loop(column->loop).extent, width))};
    std::optional<ShortSums> sums = shortSumsOf(nest, nest.indexOf(op));
    tileCost.emplace(kernel, *contraction, target, width, grouped, groupBytes,
                     operand, sums ? sums->copies : 0);
    tileCost->sliceDepth = sliceDepth();
    return;
  }
}

/// The steps of the sums for a tile that follow each other, inside of all loops
/// over other tiles.
int64_t OpCost::sliceDepth() const {
  double outside = 1, since = 1;
  for (const LoopUse &use : body.loops)
    if (use.reduced)
      since *= extent(use.loop);
    else if (use.role == RegisterRole::None)
      outside *= std::exchange(since, 1);
  return std::max<int64_t>(int64_t(double(tileCost->depth) / outside), 1);
}

double OpCost::axisExtent(unsigned axis) const {
  return tileCost ? double(tileCost->assumedExtent(nest.loop(axis).name))
                  : assumedExtent(nest, axis);
}

double OpCost::axesExtent(unsigned loop) const {
  double product = 1;
  for (unsigned axis : nest.axesOf(loop))
    product *= axisExtent(axis);
  return product;
}

double OpCost::extent(unsigned loop) const {
  const Loop &which = nest.loop(loop);
  return which.isDynamic() ? axesExtent(loop) : double(which.extent);
}

/// Iterations that a step has of a loop, all lanes of a vector being one.
double OpCost::unrolled(const LoopUse &use) const {
  const Loop &loop = nest.loop(use.loop);
  if (use.role == RegisterRole::Row)
    return double(loop.extent);
  if (use.role == RegisterRole::Column)
    return std::ceil(double(loop.extent) / double(lanes));
  return double(use.unroll);
}

/// Instances of a loop in a step: a long group of bytes is one instruction.
double OpCost::instancesOf(const LoopUse &use) const {
  return use.dot && use.unroll == bytesOfLongDot ? 1 : unrolled(use);
}

/// Vectors for each iteration of the loop that has the lanes. Register tiles
/// are compared by usual dynamic extents, so the lanes of other recipes of a
/// contraction are, too: short rows leave most of many vectors empty.
double OpCost::vectorsPerIteration() const {
  double along = axesExtent(lanesUse->loop);
  SmallVector<unsigned> axes = nest.axesOf(lanesUse->loop);
  bool isDynamic = axes.size() == 1 && nest.loop(axes[0]).isDynamic();
  if (target.isDevice() || tileCost || !isDynamic || lanesUse->reduced ||
      llvm::none_of(findContractions(kernel),
                    [&](const Contraction &way) { return way.op == op; }))
    return std::ceil(along / double(lanes)) / std::max(along, 1.0);
  auto width = double(lanes * lanesUse->unroll);
  double vectors = 0;
  for (int64_t usual : usualRows)
    vectors += std::ceil(double(usual) / width) * double(lanesUse->unroll) /
               double(usual);
  return vectors / double(std::size(usualRows));
}

void OpCost::findSteps() {
  for (const LoopUse &use : body.loops)
    if (use.lanes > 1)
      lanesUse = &use;
  if (lanesUse)
    lanes = lanesUse->lanes;
  double points = 1, together = 1;
  for (unsigned axis : body.axes)
    points *= axisExtent(axis);
  if (lanesUse)
    points *= vectorsPerIteration();
  for (const LoopUse &use : body.loops) {
    double here = unrolled(use);
    together *= here;
    if (extent(use.loop) > here * double(&use == lanesUse ? lanes : 1) &&
        !llvm::is_contained(loopsOfThreads, use.loop))
      steps = &use;
    points *= visibleShare(nest, number, use.loop);
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

/// The cycles to load or store an operand in one step.
double OpCost::accessCycles(OpOperand &operand, bool isStore) {
  // Ops pass their results in registers.
  if (isStore ? isIntermediate(op)
              : bool(operand.get().getDefiningOp<ComputeOp>()))
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
    double here = instancesOf(use);
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

/// Returns true if the elements of all lanes are read one by one.
bool OpCost::isGather(tensor::ExtractOp read) {
  // All reads of a payload are examined.
  for (unsigned dim : llvm::reverse(llvm::seq<unsigned>(body.axes.size())))
    if (!payload && lanesUse && nest.stemsFrom(lanesUse->loop, body.axes[dim]))
      payload.emplace(op, dim);
  return !payload || payload->isGather(read);
}

bool isFunction(Operation &inner) {
  return isa<math::MathDialect>(inner.getDialect()) &&
         !isa<math::AbsFOp, math::FmaOp, math::CopySignOp>(inner);
}

double operationWeight(Operation &inner, const Processor &target) {
  if (isFunction(inner))
    return double(target.functionOperations);
  if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
          arith::RemUIOp>(inner))
    return double(target.divisionOperations);
  return 1;
}

/// Operations that one of a payload takes for an element. Where e^x is no more
/// than a product and an instruction for powers of 2, each of these takes the
/// place of a multiply-add.
double OpCost::weightOf(Operation &inner) const {
  if (powerInstructionFor(&inner, TargetAttr::of(op)) &&
      isRoundedToHalf(&inner))
    return 2 + 2;
  return operationWeight(inner, target);
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
  if (isa<LookupOp>(inner))
    if (auto form = lookupFormOf(TargetAttr::of(op), lanes))
      return double(form->operations(lanes));
  double weight = weightOf(inner);
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
      chain *= instancesOf(use);
  return chain * target.fmaLatency;
}

/// The cycles to add up the lanes of sums.
double OpCost::sumOfLanes() const {
  if (!lanesUse || !lanesUse->reduced)
    return 0;
  double sums = 1, together = 1;
  for (auto [axis, reduced] : llvm::zip_equal(body.axes, body.reduced))
    if (!reduced)
      sums *= axisExtent(axis);
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
    instances *= instancesOf(use);
  for (OpOperand *input : readInputs(op))
    accesses += accessCycles(*input, /*isStore=*/false);
  for (OpOperand &result : op.getDpsInitsMutable())
    accesses += accessCycles(result, /*isStore=*/true);
  double perStep =
      std::max({operations * instances / double(target.operationsPerCycle()),
                accesses, latency()});
  return numSteps * (perStep + target.tileCycles) + sumOfLanes();
}

double packTileCycles(const LoopNest &nest, const Pack &pack,
                      const Processor &target) {
  double cycles =
      pack.lanes > 0 && !pack.shuffle
          ? copyCycles(target, nest.operand(pack.operand).elementBytes)
          : target.packCycles;
  SmallVector<unsigned> loops = packedLoops(nest, pack);
  for (unsigned loop : llvm::drop_begin(loops))
    cycles *= assumedExtent(nest, loop);
  return cycles;
}

NestCost nestCost(KernelOp kernel, const LoopNest &nest,
                  const Processor &target) {
  if (target.isDevice())
    return deviceCost(kernel, nest, target);
  NestCost cost;
  for (unsigned number : llvm::seq<unsigned>(nest.ops().size())) {
    // Those that read slices compute them.
    if (isInSlices(nest, number))
      continue;
    OpCost op(kernel, nest, number, target);
    CostTerm term{op.cycles(), {}};
    cost.tileCycles += term.cycles;
    for (unsigned axis : nest.op(number).axes)
      if (nest.loop(axis).isDynamic()) {
        term.cycles /= op.axisExtent(axis);
        term.axes.push_back(axis);
      }
    llvm::sort(term.axes);
    double iterations = 1;
    for (unsigned axis : term.axes)
      iterations *= assumedExtent(nest, axis);
    cost.cycles += term.cycles * iterations;
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
    cost.tileCycles /= std::max(assumedExtent(nest, loop), 1.0);
  return cost;
}

} // namespace onnxc
