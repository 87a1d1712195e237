//===- TransposedSums.cpp - Results that are transposed -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//   y[c, i] = max over k of x[i + k, c]
//
// Lanes along c read adjacent elements, lanes along i write them. There are
// many reads for each result: the lanes run along c, and as many sums as a
// vector has lanes, side by side along i, are transposed in registers before
// they are stored.
//
//===----------------------------------------------------------------------===//

#include "Planners/LoopPlanner.h"

#include "onnxc/Dialect/Krnl/IR/TransposedSums.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

/// The loop that is not reduced along which an operand is read in memory, at
/// most `maxStep` elements from one iteration to the next; empty if there is
/// none.
static StringRef loopOfReads(ComputeOp op, OpOperand &input, int64_t maxStep) {
  Access access(input);
  unsigned rank = access.rankAlongMemory();
  for (auto [dim, axis] : llvm::enumerate(op.getAxes()))
    if (op.getIteratorTypesArray()[dim] == utils::IteratorType::parallel &&
        rank > 0 && access.dependsOnAt(rank - 1, dim) &&
        access.stride(dim) >= 1 && access.stride(dim) <= maxStep)
      return axis;
  return {};
}

/// Returns true if an index of the operand depends on both loops, as in windows
/// that move along `dim`.
static bool isWindowAlong(const Access &access, unsigned dim, unsigned window) {
  return llvm::any_of(llvm::seq(access.getRank()), [&](unsigned position) {
    return access.dependsOnAt(position, dim) &&
           access.dependsOnAt(position, window);
  });
}

/// Returns true if each reduced loop is one of a window: the operand depends on
/// it together with a loop that is not reduced.
static bool readsWindowAlone(ComputeOp op, OpOperand &input) {
  Access access(input);
  unsigned parallel = op.getNumParallelLoops();
  auto windows = llvm::seq<unsigned>(parallel, op.getNumLoops());
  return llvm::all_of(windows, [&](unsigned window) {
    return llvm::any_of(llvm::seq(parallel), [&](unsigned dim) {
      return isWindowAlong(access, dim, window);
    });
  });
}

/// The outermost loop that windows move along, if they do not along the lanes.
std::string LoopPlanner::outermostMoved() {
  auto isMoved = [&](const std::string &loop) {
    return llvm::any_of(ops, [&](ComputeOp op) {
      unsigned dim = dimOf(op, loop);
      return llvm::any_of(readInputs(op), [&](OpOperand *input) {
        auto windows =
            llvm::seq<unsigned>(op.getNumParallelLoops(), op.getNumLoops());
        return llvm::any_of(windows, [&](unsigned window) {
          return isWindowAlong(Access(*input), dim, window);
        });
      });
    });
  };
  auto found = llvm::find_if(common, isMoved);
  return found == common.end() || isMoved(vectorLoop) ? std::string() : *found;
}

bool LoopPlanner::isConstant(OpOperand &input) {
  int number = inputNumber(kernel, input.get());
  return number >= 0 && isConstantView(kernel.getIns()[number]);
}

/// The loops that windows are read and results are written along.
std::optional<LoopPlanner::Transposition> LoopPlanner::findTransposition() {
  Transposition found;
  auto agree = [&](std::string &loop, StringRef other) {
    bool isSame = loop.empty() || loop == other;
    loop = other.str();
    return isSame && llvm::is_contained(common, other);
  };
  for (ComputeOp op : ops) {
    if (isOrdered(op))
      return std::nullopt;
    if (!isIntermediate(op))
      for (OpOperand &result : op.getDpsInitsMutable()) {
        SmallVector<std::string> loops = loopsAlongMemory(op, result);
        if (loops.empty() || !agree(found.results, loops.back()))
          return std::nullopt;
      }
    if (op.getNumReductionLoops() == 0)
      continue;
    for (OpOperand *input : readInputs(op))
      if (!isConstant(*input) &&
          (!readsWindowAlone(op, *input) ||
           !agree(found.reads, loopOfReads(op, *input, target.shuffledStep))))
        return std::nullopt;
  }
  if (found.reads.empty() || found.results.empty() ||
      found.reads == found.results ||
      !canTransposeSums(extent(found.reads), extent(found.results)))
    return std::nullopt;
  return found;
}

bool LoopPlanner::takeReadsAsLanes() {
  std::optional<Transposition> found = findTransposition();
  if (!found || found->reads == vectorLoop)
    return false;
  vectorLoop = found->reads;
  vectorIsCommon = true;
  return true;
}

/// Constants that depend on the lanes are packed along them, so that they are
/// loaded as vectors. False where one depends on other results as well.
bool LoopPlanner::packAlongLanes() {
  for (auto [number, op] : llvm::enumerate(ops))
    for (OpOperand *input : readInputs(op)) {
      Access access(*input);
      unsigned lane = dimOf(op, vectorLoop);
      if (!isConstant(*input) || !access.dependsOn(lane) ||
          access.hasUnitStride(lane))
        continue;
      for (const std::string &loop : common)
        if (loop != vectorLoop && access.dependsOn(dimOf(op, loop)))
          return false;
      packed.push_back(
          {unsigned(inputNumber(kernel, input->get())), unsigned(number)});
    }
  return true;
}

/// Sums side by side along the results, a square of which is transposed.
bool LoopPlanner::unrollTransposedSums() {
  std::optional<Transposition> found =
      lanes < minLanes ? std::nullopt : findTransposition();
  if (!found || found->reads != vectorLoop || !packAlongLanes())
    return false;
  transposeLanes(target.squareLanes);
  if (!isStatic(kernel, vectorLoop))
    planForShortRows();
  jammedLoop = found->results;
  transposes = true;
  lanesOutside = outermostMoved();
  if (!isStatic(kernel, jammedLoop)) {
    rows = std::min(lanes, dynamicTransposedRows);
    return true;
  }
  int64_t equal = largestDivisor(extent(jammedLoop), lanes);
  rows = 2 * equal > lanes ? equal : std::min(lanes, extent(jammedLoop));
  return true;
}

} // namespace onnxc
