//===- UnrollAndJam.cpp - Rows that are unrolled ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Which loop, beside the one of the lanes, is unrolled in registers: rows
// that are read together, transposed, or wait for their sums.
//
//===----------------------------------------------------------------------===//

#include "Planners/LoopPlanner.h"
#include "onnxc/Recipe/CostModel.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

/// Lanes a few elements apart are written with those that lie between them: the
/// loop over these is the last of a result.
bool LoopPlanner::unrollInterleaved() {
  if (lanes == 1 || !vectorIsCommon)
    return false;
  for (ComputeOp op : ops)
    for (OpOperand &result : op.getDpsInitsMutable()) {
      SmallVector<std::string> loops = loopsAlongMemory(op, result);
      if (loops.size() < 2 || loops.back().empty() ||
          loops.back() == vectorLoop || loops.end()[-2] != vectorLoop ||
          !llvm::is_contained(common, loops.back()) ||
          !isStatic(kernel, loops.back()) ||
          extent(loops.back()) > target.shuffledStep)
        continue;
      jammedLoop = loops.back();
      rows = extent(jammedLoop);
      vectors = std::min(vectors, maxInterleavedVectors / rows);
      cut = !isStatic(kernel, vectorLoop) || extent(vectorLoop) > width();
      return true;
    }
  return false;
}

/// Vectors that start anywhere cross half as many lines of the cache if they
/// are half as wide, and leave less of short rows. A processor that does a wide
/// one in two halves loses nothing, unless each is multiplied by an element
/// that is loaded for it. The cost model assumes long rows.
void LoopPlanner::planForShortRows() {
  hasShortRows = true;
  bool multiplies = llvm::any_of(ops, [](ComputeOp op) {
    return op.getNumReductionLoops() > 0 && readInputs(op).size() > 1;
  });
  if (target.fmaPerCycle == 1 && lanes > minHalved && !multiplies)
    lanes /= 2;
}

/// The iterations of a window beside those of `windowLoop` that are unrolled
/// because the lanes of all of them are shuffled out of the same vectors, or 1;
/// nothing if their number is dynamic.
std::optional<int64_t> LoopPlanner::shuffledPositions(ComputeOp op) {
  unsigned across = dimOf(op, vectorLoop);
  if (llvm::none_of(readInputs(op), [&](OpOperand *input) {
        int64_t step = Access(*input).stride(across);
        return step > 1 && step <= target.shuffledStep;
      }))
    return 1;
  int64_t positions = 1;
  for (const std::string &loop : reducedLoops(op)) {
    if (!isStatic(kernel, loop))
      return std::nullopt;
    if (loop != windowLoop)
      positions = estimatedProduct(positions, extent(loop));
  }
  return positions;
}

/// Rows of results under a window that moves down by so few of its positions
/// that each element is read at two of them: unrolled and jammed they read it
/// once. Half of the registers hold results, the rest elements of the window.
/// Of dynamic sizes a few rows and one vector of each leave little.
bool LoopPlanner::unrollWindow() {
  if (lanes == 1 || !vectorIsCommon)
    return false;
  std::string moving;
  std::optional<int64_t> beside;
  for (ComputeOp op : ops) {
    if (op.getNumReductionLoops() == 0)
      continue;
    std::optional<Slide> slide = findSlide(op);
    if (!slide || !moving.empty() || isOrdered(op) || op.getNumDpsInits() != 1)
      return false;
    moving = op.getAxes()[slide->loop].str();
    windowLoop = op.getAxes()[slide->window].str();
    beside = shuffledPositions(op);
    if (!beside || !isStatic(kernel, windowLoop) ||
        extent(windowLoop) < 2 * slide->stride)
      return false;
  }
  if (!llvm::is_contained(common, moving) || moving == vectorLoop)
    return false;
  bool known = isStatic(kernel, moving) && isStatic(kernel, vectorLoop);
  int64_t side = equalPart(llvm::divideCeil(extent(vectorLoop), lanes),
                           known ? std::min(vectors, maxWindowVectors) : 1);
  int64_t maxRows = std::min(
      (int64_t(target.vectorRegs) / 2 - 1) / side,
      maxWindowInstances /
          std::max<int64_t>(
              estimatedProduct(side * extent(windowLoop), *beside), 1));
  int64_t count =
      isStatic(kernel, moving)
          ? largestDivisor(extent(moving), maxRows)
          : llvm::bit_floor(uint64_t(std::min(maxRows, dynamicWindowRows)));
  if (count <= 1)
    return false;
  vectors = side;
  if (!isStatic(kernel, vectorLoop))
    planForShortRows();
  jammedLoop = moving;
  wholeWindow = *beside > 1;
  rows = count;
  cut = !isStatic(kernel, vectorLoop) || extent(vectorLoop) > width();
  return true;
}

/// The common loop of which a few iterations stand side by side, with windows
/// along the lanes: one whose iterations share elements, such as the filter of
/// a channel for all rows of its image; of others the rows may as well be those
/// of several channels, which leave no rest. Empty if none has enough.
std::string LoopPlanner::loopBesideWindows() {
  auto countShared = [&](const std::string &loop) {
    int64_t shared = 0;
    for (ComputeOp op : ops)
      if (op.getNumReductionLoops() > 0)
        shared += llvm::count_if(readInputs(op), [&](OpOperand *input) {
          return !Access(*input).dependsOn(dimOf(op, loop));
        });
    return shared;
  };
  std::string best;
  std::pair<int64_t, bool> bestGain;
  for (const std::string &loop : llvm::reverse(common)) {
    if (loop == vectorLoop || extent(loop) < target.independentSums)
      continue;
    std::pair gain(countShared(loop),
                   isStatic(kernel, loop) &&
                       extent(loop) % target.independentSums == 0);
    if (!best.empty() && gain <= bestGain)
      continue;
    best = loop;
    bestGain = gain;
  }
  return best;
}

/// Where the length of a row of results is dynamic, it may have less than
/// a vector: the sums of short windows along it wait for each other, those of a
/// few rows side by side do not.
bool LoopPlanner::unrollRowsOfWindows() {
  int64_t sideBySide = target.independentSums;
  if (lanes == 1 || !vectorIsCommon || isStatic(kernel, vectorLoop))
    return false;
  bool isWindow = false;
  for (ComputeOp op : ops) {
    int64_t steps = 1;
    for (const std::string &loop : reducedLoops(op))
      steps = isStatic(kernel, loop) ? estimatedProduct(steps, extent(loop))
                                     : longestWindow + 1;
    if (isOrdered(op) || steps > longestWindow)
      return false;
    isWindow |= llvm::any_of(readInputs(op), [](OpOperand *input) {
      return Access(*input).isWindow();
    });
  }
  std::string outside = isWindow ? loopBesideWindows() : std::string();
  if (outside.empty())
    return false;
  jammedLoop = outside;
  rows = sideBySide;
  vectors = 1;
  planForShortRows();
  cut = true;
  return true;
}

/// Operations of the payload of an elementwise op; of others more than copies
/// have.
static size_t payloadOf(ComputeOp op) {
  return op.getNumReductionLoops() != 0 ? smallPayload + 1
                                        : op.getBlock()->getOperations().size();
}

/// Returns true if all ops are elementwise, with little arithmetic in total.
static bool areCopies(ArrayRef<ComputeOp> ops) {
  size_t payload = 0;
  for (ComputeOp op : ops)
    payload += payloadOf(op);
  return payload <= smallPayload;
}

/// The loop of `among` that indexes the last dimension of an operand which the
/// lanes, along another dimension, do not run along; else empty.
std::string LoopPlanner::loopAcross(OpOperand &operand,
                                    ArrayRef<std::string> among) {
  SmallVector<std::string> loops =
      loopsAlongMemory(cast<ComputeOp>(operand.getOwner()), operand);
  bool isAcross = !loops.empty() && loops.back() != vectorLoop &&
                  llvm::is_contained(loops, vectorLoop) &&
                  llvm::is_contained(among, loops.back()) &&
                  extent(loops.back()) >= minLanes;
  return isAcross ? loops.back() : std::string();
}

void LoopPlanner::transposeLanes(int64_t maxLanes) {
  lanes = std::min(lanes, maxLanes);
  vectors = 1;
  cut = !isStatic(kernel, vectorLoop) || extent(vectorLoop) != lanes;
}

/// Cuts the loop of the lanes, along what is read, into blocks: of a few lines,
/// or of as many pairs of vectors if these are shorter, as far as the second
/// cache keeps as many rows of the results that are written across. Of rows of
/// which it keeps 32, a copy of 32 at a time takes 1.7 times as long as of 16,
/// one of 8 as long (2026-11-30).
void LoopPlanner::cutLines() {
  int64_t block = INT64_MAX;
  for (ComputeOp op : ops)
    for (OpOperand &result : op.getDpsInitsMutable()) {
      auto type = cast<ShapedType>(result.get().getType());
      int64_t line = target.lineBytes /
                     std::max<int64_t>(type.getElementTypeBitWidth() / 8, 1);
      int64_t pitch = Access(result).pitch(dimOf(op, vectorLoop));
      int64_t lines = pitch == 0 ? linesOfReads / 2 : linesOfReads;
      auto rows =
          int64_t(double(maxRowsInL2(target, pitch)) * target.rowsShare);
      block = std::min({block, lines * std::min(line, 2 * lanes), rows});
    }
  bool known = isStatic(kernel, vectorLoop);
  strip = known ? std::min(block, extent(vectorLoop)) : block;
  strip = int64_t(llvm::divideCeil(strip, lanes)) * lanes;
  cut = !known || extent(vectorLoop) > width();
}

/// Rows that become columns are loaded as vectors and transposed in registers.
bool LoopPlanner::unrollTransposed() {
  if (lanes < minLanes || !vectorIsCommon || !areCopies(ops))
    return false;
  for (ComputeOp op : ops)
    for (OpOperand *input : readInputs(op))
      if (std::string loop = loopAcross(*input, common); !loop.empty())
        jammedLoop = loop;
  if (jammedLoop.empty())
    return false;
  transposes = true;
  transposeLanes(target.squareLanes);
  rows = isStatic(kernel, jammedLoop) ? std::min(lanes, extent(jammedLoop))
                                      : lanes;
  tileLines();
  return true;
}

/// Long rows of the result of a transposition are written in tiles. Along a
/// whole row each vector reads a part of another row of the operand, and few of
/// these are still in the cache for the part after it. Rows of two tiles are
/// too short for that.
void LoopPlanner::tileLines() {
  SmallVector<std::string> order = orderOfCommon();
  auto *lines = llvm::find(order, jammedLoop);
  if (std::next(lines) == order.end() || *std::next(lines) != vectorLoop ||
      !isStatic(kernel, jammedLoop) || !isStatic(kernel, vectorLoop))
    return;
  auto type = cast<ShapedType>(ops[0].getDpsInits()[0].getType());
  int64_t tile = transposedRun * target.lineBytes /
                 std::max<int64_t>(type.getElementTypeBitWidth() / 8, 1);
  if (extent(vectorLoop) > 2 * tile && extent(jammedLoop) > rows)
    lineTile = tile;
}

/// The loop along the result of a copy whose lanes lie along what it reads;
/// else empty.
std::string LoopPlanner::loopAlongResult() {
  if (!vectorIsCommon || ops.size() != 1 || !areCopies(ops) ||
      ops[0].getNumDpsInits() != 1)
    return {};
  return loopAcross(*ops[0].getDpsInitOperand(0), common);
}

/// Where both sides are dynamic, the lanes of a copy that transposes lie along
/// what it reads, unless that is known to have fewer columns: whole vectors are
/// loaded, and of few rows few elements are stored, where lanes along the
/// result would be loaded as full squares.
bool LoopPlanner::takeReadsOfCopyAsLanes() {
  if (ops.size() != 1)
    return false;
  SmallVector<OpOperand *> read = readInputs(ops[0]);
  SmallVector<std::string> loops;
  if (read.size() == 1)
    loops = loopsAlongMemory(ops[0], *read.front());
  if (loops.empty() || !llvm::is_contained(common, loops.back()) ||
      extent(loops.back()) < extent(vectorLoop))
    return false;
  vectorLoop = loops.back();
  vectorIsCommon = true;
  std::string along = loopAlongResult();
  return !along.empty() && !isStatic(kernel, along) &&
         !isStatic(kernel, vectorLoop);
}

/// Vectors of rows become columns, which are stored as lines of the result.
bool LoopPlanner::unrollTransposedResult() {
  std::string along = loopAlongResult();
  if (lanes < minLanes || along.empty())
    return false;
  jammedLoop = lanesOutside = along;
  transposes = true;
  transposeLanes(target.squareLanes);
  rows = isStatic(kernel, along) ? std::min(lanes, extent(along)) : lanes;
  cutLines();
  return true;
}

/// Rows of a known number that are transposed together, none of which is left:
/// a power of two, which takes the fewest steps, or all of a few. Else 0.
static int64_t equalRows(int64_t extent, int64_t maxRows) {
  int64_t power = std::min(extent & -extent, maxRows),
          equal = largestDivisor(extent, maxRows);
  if (2 * power >= maxRows)
    return power;
  return equal == extent || 2 * equal > maxRows ? equal : 0;
}

/// The loops of single ops that index the last dimension of an input or a
/// result which the lanes do not run along. Ops pass nothing to others beside
/// them.
SmallVector<LoopPlan::Transposed> LoopPlanner::ownAcross() {
  SmallVector<Transposed> found;
  if (lanes < minLanes || !vectorIsCommon || ops.empty() ||
      llvm::any_of(
          ops, [](ComputeOp op) { return payloadOf(op) > smallPayload; }))
    return found;
  for (auto [number, op] : llvm::enumerate(ops))
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isAccessed(operand))
        continue;
      std::string loop = loopAcross(operand, own);
      bool isNew = llvm::none_of(found, [&](const Transposed &other) {
        return other.op == number && other.loop == loop;
      });
      if (!loop.empty() && isNew)
        found.push_back({unsigned(number), loop, 0, op.isDpsInit(&operand)});
    }
  return found;
}

/// Unrolls loops of single ops along which rows are transposed in registers, as
/// in the copy into a padded tensor, and in the parts of a concatenation. Lines
/// of half a register at least are stored. Parts of results are written for a
/// few lines of what is read, so that the caches keep both until they are
/// whole.
bool LoopPlanner::unrollOwnTransposed() {
  SmallVector<Transposed> found = ownAcross();
  if (found.empty())
    return false;
  transposeLanes(std::max(target.squareLanes, lanes / 2));
  int64_t maxRows = std::min(lanes, target.squareLanes);
  for (Transposed &entry : found) {
    int64_t equal = isStatic(kernel, entry.loop)
                        ? equalRows(extent(entry.loop), maxRows)
                        : 0;
    entry.rows = equal > 0 ? equal : maxRows;
  }
  if (llvm::any_of(found, [](const Transposed &entry) { return entry.stores; }))
    cutLines();
  transposed = std::move(found);
  return true;
}

/// Short rows stay in registers from one op to the next: each is unrolled as a
/// whole, with others beside it, as each waits for its sums. Half of the
/// registers hold elements.
bool LoopPlanner::unrollWholeRows() {
  int64_t sideBySide = target.independentSums;
  if (lanes == 1 || vectorIsCommon || options.keepOrder || ops.size() == 1 ||
      own.size() != 1 || common.empty() || !isStatic(kernel, vectorLoop) ||
      !isStatic(kernel, common.back()) ||
      extent(common.back()) % sideBySide != 0)
    return false;
  int64_t payload = 0;
  for (auto [number, op] : llvm::enumerate(ops)) {
    bool reduces = op.getNumReductionLoops() > 0;
    if (isOrdered(op) || (reduces && !isCombinable(op)) ||
        !op.getBlock()->getOps<tensor::ExtractOp>().empty())
      return false;
    if (has(number, vectorLoop))
      payload += op.getBlock()->getOperations().size();
  }
  int64_t whole = llvm::divideCeil(extent(vectorLoop), lanes);
  if (whole * sideBySide > int64_t(target.vectorRegs) / 2 ||
      whole * sideBySide * payload > maxRowInstances)
    return false;
  vectors = whole;
  wholeRows = true;
  jammedLoop = common.back();
  rows = sideBySide;
  return true;
}

/// Sums of rows that lie in a line, as those of a matrix times a vector: what
/// comes before and after each sum has lanes along the line. As no other op
/// passes over the rows, a line of them need not stay in the first cache.
bool LoopPlanner::unrollLineOfRows() {
  int64_t sideBySide = target.independentSums;
  if (lanes == 1 || vectorIsCommon || options.keepOrder || common.empty() ||
      !isStatic(kernel, vectorLoop) || extent(vectorLoop) > target.rowElements)
    return false;
  const std::string &along = common.back();
  unsigned sums = 0, bits = 0;
  for (auto [number, op] : llvm::enumerate(ops)) {
    bool passes = has(number, vectorLoop);
    LaneAnalysis payload(op, passes ? vectorLoop : along);
    bits = std::max(bits, payload.vectorBits());
    if (passes && (isOrdered(op) || !isCombinable(op)))
      return false;
    sums += passes;
    auto isInLine = [&](OpOperand &operand) {
      Access access(operand);
      unsigned dim = dimOf(op, along);
      return !isAccessed(operand) || !access.dependsOn(dim) ||
             access.hasUnitStride(dim);
    };
    if (!passes &&
        (payload.vectorBits() == 0 || !payload.areGathersProfitable(target) ||
         !llvm::all_of(op->getOpOperands(), isInLine)))
      return false;
  }
  int64_t wide = target.lanes(bits);
  if (sums != 1 || wide != lanes || extent(along) < lanes)
    return false;
  jammedLoop = along;
  rows = sideBySide;
  line = lanes * std::min(extent(along) / lanes, sideBySide);
  vectors = std::clamp<int64_t>(extent(vectorLoop) / lanes, 1,
                                target.independentSums);
  return true;
}

/// Ops that pass over rows one after the other wait for each sum of a row; a
/// few rows side by side do not. Together they must not be too long for the
/// stack.
bool LoopPlanner::unrollRows() {
  int64_t sideBySide = target.independentSums;
  bool waits = llvm::any_of(ops, [&](ComputeOp op) {
    return llvm::is_contained(reducedLoops(op), vectorLoop);
  });
  if (lanes == 1 || vectorIsCommon || !waits || common.empty() ||
      (isStatic(kernel, vectorLoop) &&
       extent(vectorLoop) > target.rowElements) ||
      extent(common.back()) < sideBySide)
    return false;
  jammedLoop = common.back();
  rows = sideBySide;
  return true;
}

} // namespace onnxc
