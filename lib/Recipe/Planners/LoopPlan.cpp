//===- LoopPlan.cpp - How the loops of a kernel run ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Planners/LoopPlanner.h"
#include "onnxc/Dialect/Krnl/IR/Traversal.h"
#include "onnxc/Recipe/CostModel.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

int64_t LoopPlanner::workBytes() {
  int64_t work = 0;
  for (ComputeOp op : ops)
    work += workBytesOf(kernel, op, target, outerExtent);
  return work;
}

void LoopPlanner::findCommon() {
  for (const std::string &loop : loopNames(kernel)) {
    bool everywhere =
        llvm::all_of(llvm::seq<unsigned>(ops.size()), [&](unsigned op) {
          return has(op, loop) &&
                 !llvm::is_contained(reducedLoops(ops[op]), loop);
        });
    (everywhere ? common : own).push_back(loop);
  }
}

/// The loop that indexes the last dimension of most operands.
void LoopPlanner::findVectorLoop() {
  llvm::StringMap<double> score;
  // Lanes along another loop than the ordered one would be far apart in memory.
  bool ordered = llvm::any_of(ops, [](ComputeOp op) { return isOrdered(op); });
  for (ComputeOp op : ops)
    for (OpOperand &operand :
         llvm::make_filter_range(op->getOpOperands(), isAccessed)) {
      SmallVector<std::string> loops =
          ordered ? accessLoops(op, operand) : loopsAlongMemory(op, operand);
      if (loops.empty() || loops.back().empty() || extent(loops.back()) == 1)
        continue;
      double elements = 1;
      for (const std::string &loop : loops)
        if (!loop.empty())
          elements *= double(extent(loop));
      // Too short for vectors; another one may do, if there is any. Lanes along
      // the one outside are a few elements apart.
      if (extent(loops.back()) < minLanes) {
        if (loops.size() > 1 && !loops.end()[-2].empty() &&
            extent(loops.end()[-2]) >= minLanes)
          score[loops.end()[-2]] += elements / 1e3;
        elements /= 1e6;
      }
      // Lanes that are gathered one by one would leave the kernel without any.
      if (!LaneAnalysis(op, loops.back()).areGathersProfitable(target))
        elements /= 1e6;
      score[loops.back()] += elements;
    }
  // Ordered loops have no lanes.
  for (ComputeOp op : ops)
    if (isOrdered(op))
      for (const std::string &loop : reducedLoops(op))
        score.erase(loop);
  double best = 0;
  for (const std::string &loop : loopNames(kernel))
    if (score.lookup(loop) >= best && score.contains(loop)) {
      best = score.lookup(loop);
      vectorLoop = loop;
    }
  vectorIsCommon = llvm::is_contained(common, vectorLoop);
}

/// Short sums for a few columns: as lanes of a sum, the elements of one row
/// take longer to be brought together than to be added, and later ops have no
/// lanes at all. Rows as lanes, their elements are transposed in registers.
bool LoopPlanner::takeRowsAsLanes() {
  if (vectorIsCommon || vectorLoop.empty() || !isStatic(kernel, vectorLoop) ||
      extent(vectorLoop) > shortSum)
    return false;
  std::string rows;
  for (ComputeOp op : ops)
    for (OpOperand &result : op.getDpsInitsMutable()) {
      SmallVector<std::string> loops = loopsAlongMemory(op, result);
      if (loops.size() < 2 || loops.back().empty() || loops.end()[-2].empty() ||
          !isStatic(kernel, loops.back()) || extent(loops.back()) > fewColumns)
        return false;
      rows = loops.end()[-2];
      if (!llvm::is_contained(common, rows) ||
          !llvm::is_contained(common, loops.back()) || extent(rows) < minRows)
        return false;
    }
  if (rows.empty())
    return false;
  vectorLoop = rows;
  vectorIsCommon = true;
  return true;
}

/// Returns true if an op reduces a few rows at computed indices. The indices
/// are computed once for a row of results in one loop of vectors, not in its
/// rest.
bool LoopPlanner::readsComputedRows() {
  return llvm::any_of(ops, [&](ComputeOp op) {
    SmallVector<std::string> reduced = reducedLoops(op);
    return !reduced.empty() &&
           !op.getBlock()->getOps<tensor::ExtractOp>().empty() &&
           llvm::all_of(reduced,
                        [&](StringRef loop) { return isStatic(kernel, loop); });
  });
}

void LoopPlanner::chooseLanes() {
  unsigned bits = 0;
  LaneAnalysis::PayloadSize payload;
  for (ComputeOp op : ops) {
    LaneAnalysis analysis(op, vectorLoop);
    unsigned wide = analysis.vectorBits();
    if (wide == 0 || isTraversal(op) || !analysis.areGathersProfitable(target))
      return chooseInstances();
    bits = std::max(bits, wide);
    LaneAnalysis::PayloadSize here = analysis.payloadSize();
    payload.perLane += here.perLane + 1;
    payload.once += here.once;
  }
  if (vectorLoop.empty())
    return;
  lanes = std::min<int64_t>(llvm::bit_floor(uint64_t(target.lanes(bits))), 64);
  bool known = isStatic(kernel, vectorLoop);
  // Half-empty vectors are narrowed; nearly empty ones are not profitable.
  if (known && extent(vectorLoop) < lanes)
    lanes = extent(vectorLoop) < minLanes
                ? 1
                : llvm::bit_ceil(uint64_t(extent(vectorLoop)));
  if (lanes == 1)
    return;
  for (const VectorsOfPayload &row : llvm::reverse(vectorsOfPayload))
    if (payload.perLane <= row.maxOperations)
      vectors = row.vectors;
  // More lanes make up for work that is done once.
  if (payload.once > payload.perLane && payload.perLane <= sharingPayload)
    vectors = vectorsOfPayload[0].vectors;
  if (!known && vectorIsCommon && readsComputedRows())
    vectors = 1;
  if (vectorIsCommon)
    chooseColumns();
  if (known && vectorIsCommon)
    vectors = equalPart(llvm::divideCeil(extent(vectorLoop), lanes), vectors);
  else if (known)
    vectors = std::clamp<int64_t>(extent(vectorLoop) / lanes, 1, vectors);
  cut = vectorIsCommon && (!known || extent(vectorLoop) > width());
}

/// Sums of columns iterate over rows, which are far apart in memory: reading
/// many elements of each row at once is profitable. As many sums as fit the
/// registers; where partial results are written at every step, the sums may be
/// in memory as well.
void LoopPlanner::chooseColumns() {
  unsigned sums = 0;
  bool traces = false;
  for (ComputeOp op : ops) {
    int64_t rows = extentOfAll(kernel, reducedLoops(op), outerExtent);
    if (rows == 1)
      continue;
    if (rows < minRows || op.getBlock()->getOperations().size() > smallSum)
      return;
    for (unsigned i : llvm::seq<unsigned>(op.getNumDpsInits()))
      if (isTrace(op, i))
        traces = true;
      else
        ++sums;
  }
  if (sums == 0)
    return;
  if (traces && isStatic(kernel, vectorLoop)) {
    int64_t whole = llvm::divideCeil(extent(vectorLoop), lanes);
    strip = lanes * equalPart(whole, maxStrip / lanes);
  } else if (!traces)
    vectors = std::max<int64_t>(vectors, target.vectorRegs / 2 / sums);
}

/// The few terms of each sum are unrolled with fewer sums beside it: indices
/// and weights are then computed once for the sums that share them, and no loop
/// is around two loads.
void LoopPlanner::unrollTerms() {
  int64_t terms = 1;
  for (ComputeOp op : ops) {
    if (isTraversal(op) || isOrdered(op))
      return;
    int64_t here = 1;
    for (const std::string &loop : reducedLoops(op)) {
      if (!isStatic(kernel, loop))
        return;
      here = estimatedProduct(here, extent(loop));
    }
    terms = std::max(terms, here);
  }
  if (terms == 1 || terms > instances / 2)
    return;
  unrollsTerms = true;
  instances /= terms;
}

/// Elements at computed indices are loaded one by one: gathers are no faster on
/// the processors of the table, and slower on some, unless vectors of all other
/// arithmetic make up for it. But several side by side overlap their latencies.
void LoopPlanner::chooseInstances() {
  bool gathers = false, moves = true;
  for (ComputeOp op : ops) {
    bool isSmall = op.getBlock()->getOperations().size() <= smallPayload;
    bool reduces = op.getNumReductionLoops() > 0;
    gathers |= isTraversal(op) || (reduces && isSmall);
    moves &= !isTraversal(op) && !reduces && isSmall;
  }
  if ((!gathers && !moves) || vectorLoop.empty() || !vectorIsCommon)
    return;
  // Instances of elements gain little from more than half of them.
  instances = moves ? target.scalarCopies / 2 : target.scalarCopies;
  unrollTerms();
  bool known = isStatic(kernel, vectorLoop);
  if (known)
    instances = std::min<int64_t>(instances, extent(vectorLoop));
  cut = instances > 1 && (!known || extent(vectorLoop) != instances);
}

/// The common loops, outermost first: those of the kernel, which are in the
/// order of the results. But what a copy reads in one line comes at once, or
/// other loops would read each line again, and where the results are no more
/// than a few streams all is read in order.
SmallVector<std::string> LoopPlanner::orderOfCommon() {
  if (ops.size() != 1 || ops[0].getNumReductionLoops() > 0 ||
      readInputs(ops[0]).size() != 1)
    return common;
  Access read(*readInputs(ops[0]).front());
  auto pitch = [&](const std::string &loop) {
    return std::abs(read.pitch(dimOf(ops[0], loop)));
  };
  SmallVector<std::string> outer, inner;
  int64_t streams = 1;
  for (auto [position, loop] : llvm::enumerate(common)) {
    bool isBefore = llvm::any_of(
        ArrayRef(common).drop_front(position),
        [&](const std::string &later) { return pitch(later) > pitch(loop); });
    int64_t together = isStatic(kernel, loop)
                           ? estimatedProduct(streams, extent(loop))
                           : maxStreams + 1;
    bool moves = loop != vectorLoop && pitch(loop) > 0 && isBefore &&
                 (pitch(loop) < target.lineBytes || together <= maxStreams);
    if (!moves) {
      outer.push_back(loop);
      continue;
    }
    streams = together;
    inner.insert(llvm::find_if(inner,
                               [&](const std::string &other) {
                                 return pitch(other) < pitch(loop);
                               }),
                 loop);
  }
  // The loop of the lanes, where it is the last one, stays so.
  bool lanesLast = !outer.empty() && outer.back() == vectorLoop;
  if (lanesLast)
    outer.pop_back();
  llvm::append_range(outer, inner);
  if (lanesLast)
    outer.push_back(vectorLoop);
  return outer;
}

void LoopPlanner::planOuterLoops() {
  auto tiles = [&](const std::string &loop, int64_t size) {
    return int64_t(llvm::divideCeil(extent(loop), size));
  };
  for (const std::string &loop : orderOfCommon())
    if (loop == jammedLoop) {
      if (lineTile > 0)
        outerLoops.push_back(
            {vectorLoop, tiles(vectorLoop, lineTile), lineTile});
      outerLoops.push_back({loop, tiles(loop, piece(loop))});
    } else if (loop != vectorLoop || !hasRegisterLoop())
      outerLoops.push_back({loop, extent(loop)});
  if (cut)
    outerLoops.insert(llvm::find_if(outerLoops,
                                    [&](const OuterLoop &loop) {
                                      return loop.name == lanesOutside;
                                    }),
                      {vectorLoop, lineTile > 0 ? lineTile / width()
                                                : tiles(vectorLoop, width())});
}

/// The padded operand of a window need not go through memory: where the shared
/// loops are no more than the dimensions that have no border, all that one
/// visit pads stays in the caches. Returns how many loops these are; 0 if none
/// of it is profitable.
unsigned LoopPlanner::loopsBesidePadding() {
  // Both are of a core's own cache: smaller tensors stay there anyway.
  int64_t maxLocal =
              std::min<int64_t>(int64_t(double(target.l2) * target.paddedShare),
                                target.paddedBytes),
          minWhole = int64_t(double(target.l2) * target.unpaddedShare);
  for (ComputeOp op : ops)
    for (OpOperand *input : op.getDpsInputOperands()) {
      int number = inputNumber(kernel, input->get());
      auto type = dyn_cast<RankedTensorType>(input->get().getType());
      if (number < 0 || !type || !type.hasStaticShape() ||
          !type.getElementType().isIntOrFloat())
        continue;
      auto producer = kernel.getIns()[number].getDefiningOp<KernelOp>();
      if (!isPaddingForOne(producer))
        continue;
      unsigned count = 0;
      int64_t local = type.getNumElements() *
                      std::max<int64_t>(type.getElementTypeBitWidth() / 8, 1);
      if (local < minWhole)
        continue;
      AffineMap map = op.getMatchingIndexingMap(input);
      for (auto [index, loop] :
           llvm::zip_equal(map.getResults(), accessLoops(op, *input))) {
        if (isa<AffineConstantExpr>(index))
          continue;
        if (loop.empty() || count == outerLoops.size() ||
            outerLoops[count].name != loop)
          break;
        local /= std::max<int64_t>(extent(loop), 1);
        ++count;
      }
      if (count > 0 && local <= maxLocal)
        return count;
    }
  return 0;
}

/// Returns true if the outer loop at `position` may run parallel in blocks. The
/// lines of a tile are blocks already: a loop is peeled for each size that its
/// blocks do not divide, and an op has at most three of these.
bool LoopPlanner::canHaveGrain(unsigned position, int64_t blocks) {
  if (lineTile == 0 || outerLoops[position].tile > 0)
    return true;
  StringRef loop = outerLoops[position].name;
  if (loop != jammedLoop)
    return loop != vectorLoop;
  auto isPeeled = [&](StringRef name, int64_t size) {
    return unsigned(extent(name) % size != 0);
  };
  return isPeeled(vectorLoop, lineTile) + isPeeled(vectorLoop, width()) +
             isPeeled(loop, rows) + isPeeled(loop, rows * blocks) <=
         3;
}

/// Returns true if no op reads what another one computes, and some have loops
/// of their own, as the parts of a concatenation and of a border.
bool LoopPlanner::writesPartsApart() {
  auto isComputed = [](Value value) {
    return bool(value.getDefiningOp<ComputeOp>());
  };
  return !own.empty() && llvm::all_of(ops, [&](ComputeOp op) {
    return op.getNumReductionLoops() == 0 &&
           llvm::none_of(
               readInputs(op),
               [&](OpOperand *input) { return isComputed(input->get()); }) &&
           llvm::none_of(op.getBlock()->getOps<tensor::ExtractOp>(),
                         [&](tensor::ExtractOp read) {
                           return isComputed(read.getTensor());
                         });
  });
}

/// Parts that are written one after the other need no blocks of the vector loop
/// around them, which would leave each line after some vectors. A longer line
/// is divided for other threads, in tiles of several lines of the caches.
void LoopPlanner::keepLines() {
  if (!cut || lanes == 1 || !vectorIsCommon || !lanesOutside.empty() ||
      strip > 1 || !jammedLoop.empty() || !writesPartsApart())
    return;
  blocksInside = true;
  auto position = unsigned(outerLoops.size() - 1);
  int64_t tile = std::max(target.rowElements / 4, 2 * width());
  bool isLong = !isStatic(kernel, vectorLoop) || extent(vectorLoop) >= 2 * tile;
  if (numParallel > position && isLong) {
    int64_t blocks = tile / width();
    grain = std::max(grain, isStatic(kernel, vectorLoop)
                                ? equalPart(outerLoops.back().extent, blocks)
                                : blocks);
    return;
  }
  if (numParallel > position) {
    numParallel = position;
    grain = 1;
  }
  numFusedOuter = std::min(numFusedOuter, position);
}

/// Outer loops run parallel as far as a tile keeps enough work.
void LoopPlanner::planParallel() {
  bool known = llvm::all_of(loopNames(kernel), [&](const std::string &loop) {
    return isStatic(kernel, loop);
  });
  int64_t work = workBytes();
  numFusedOuter = outerLoops.size();
  if (unsigned few = loopsBesidePadding())
    numFusedOuter = few;
  if (known && work < target.parallelBytes)
    return;
  for (const OuterLoop &loop : ArrayRef(outerLoops).take_front(numFusedOuter))
    work /= std::max<int64_t>(loop.extent, 1);
  for (unsigned position = numFusedOuter; position-- > 0;) {
    // A tile has at least half of the work at which other threads are
    // profitable.
    int64_t wanted =
        llvm::divideCeil(target.parallelBytes / 2, std::max<int64_t>(work, 1));
    int64_t extentHere = outerLoops[position].extent;
    bool dynamic = !isStatic(kernel, outerLoops[position].name);
    int64_t blocks = llvm::bit_floor(uint64_t(std::max<int64_t>(wanted, 1)));
    if (canHaveGrain(position, blocks) &&
        (wanted <= 1 || extentHere >= 2 * wanted ||
         (dynamic && position == 0))) {
      numParallel = position + 1;
      // Loops over tiles of a dynamic number cost no more than those inside.
      if (!dynamic || position == 0)
        grain = blocks;
      return;
    }
    work = estimatedProduct(work, std::max<int64_t>(extentHere, 1));
  }
}

/// Blocks of a few vectors are for ops that pass values in registers, or for
/// sums. One op needs none in rows of dynamic length, which may be shorter.
void LoopPlanner::dropBlocks() {
  if (!cut || ops.size() > 1 || ops[0].getNumReductionLoops() > 0 ||
      isStatic(kernel, vectorLoop) || !jammedLoop.empty() ||
      !transposed.empty() || lanes == 1 || numParallel == outerLoops.size())
    return;
  cut = false;
  outerLoops.pop_back();
  numFusedOuter = std::min<unsigned>(numFusedOuter, outerLoops.size());
}

LoopPlanner::LoopPlanner(KernelOp kernel, const Processor &target,
                         const RecipeOptions &options)
    : LoopPlan(kernel, target, options) {
  findCommon();
  findVectorLoop();
}

std::vector<LoopPlan> LoopPlanner::propose() const {
  std::vector<LoopPlanner> starts;
  if (LoopPlanner rows(*this); rows.takeRowsAsLanes())
    starts.push_back(std::move(rows));
  if (LoopPlanner reads(*this); reads.takeReadsOfCopyAsLanes())
    starts.push_back(std::move(reads));
  starts.push_back(*this);
  if (LoopPlanner reads(*this); reads.takeReadsAsLanes())
    starts.push_back(std::move(reads));
  std::vector<LoopPlan> plans;
  for (LoopPlanner &start : starts) {
    start.chooseLanes();
    for (auto unroll :
         {&LoopPlanner::unrollTransposedSums, &LoopPlanner::unrollWindow,
          &LoopPlanner::unrollRowsOfWindows, &LoopPlanner::unrollInterleaved,
          &LoopPlanner::unrollTransposed, &LoopPlanner::unrollTransposedResult,
          &LoopPlanner::unrollOwnTransposed, &LoopPlanner::unrollLineOfRows,
          &LoopPlanner::unrollWholeRows, &LoopPlanner::unrollRows,
          &LoopPlanner::unrollNothing}) {
      LoopPlanner plan(start);
      if (!(plan.*unroll)())
        continue;
      plan.planOuterLoops();
      plan.planParallel();
      plan.keepLines();
      plan.dropBlocks();
      plans.push_back(std::move(plan));
      if (plans.back().hasShortRows)
        break;
    }
  }
  return plans;
}

} // namespace onnxc
