//===- CacheTraffic.cpp - Bytes between the caches -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A cache keeps the elements that the innermost loops of an op touch, as many
// of them as fit. Of the loops outside, the ones next to them that an operand
// is independent of touch the same elements again, and the next ones that it
// depends on touch others; what is outside of those reads all of them again.
//
//   y[m, n] += a[m, k] * b[k, n]    order m, n, k; b does not fit
//
//   a   k stays in the cache along n    m * k elements
//   b   is read again for each m        m * k * n elements
//
// Of rows that are accessed across, a line is kept until its next element is
// accessed, or read again: rows of a line each whose distances are multiples of
// a large power of two share a few sets of the cache.
//
//===----------------------------------------------------------------------===//

#include "Cost/CacheTraffic.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Recipe/CostModel.h"

#include "Kernels/KernelShape.h"

#include <cmath>
#include <vector>

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

/// The operand of the kernel that an op accesses; null where ops pass the
/// elements in registers. What writes another part of a result than the op
/// before it reads nothing of that one.
static BlockArgument memoryOf(OpOperand &operand) {
  Value memory = operand.get();
  auto op = cast<ComputeOp>(operand.getOwner());
  if (op.isDpsInit(&operand) && !op.payloadUsesValueFromOperand(&operand))
    while (auto before = memory.getDefiningOp<ComputeOp>())
      memory = before.getTiedOpOperand(cast<OpResult>(memory))->get();
  return dyn_cast<BlockArgument>(memory);
}

namespace {

/// The elements of an operand that loops of an op touch.
class Touched {
public:
  Touched(KernelOp kernel, const LoopNest &nest, unsigned number,
          OpOperand &operand, const Processor &target);

  /// Bytes that the loops of the op from number `first` on touch.
  double bytes(unsigned first) const { return from[first]; }
  /// Returns true if rows that the loops from number `first` on touch share too
  /// few sets of the second cache.
  bool conflicts(unsigned first) const { return conflicting[first]; }
  /// Bytes that a cache reads that keeps those of the loops from `kept` on, of
  /// which there is at least one more outside.
  double traffic(unsigned kept) const;

private:
  double partOfLines() const;
  double countBytes(ArrayRef<double> spans) const;
  bool haveConflict(const Processor &target) const;

  Access access;
  RankedTensorType type;
  SmallVector<int64_t> shape;
  double element;
  int64_t lineBytes;
  bool isPacked = false;
  /// Positions of each dimension that the loops so far are at.
  SmallVector<double> points;
  /// For each loop of the op and for none at the end, what it and those inside
  /// of it touch: the bytes, the part of their lines that a row has, and
  /// whether rows share too few sets of the second cache.
  SmallVector<double> from, lines;
  SmallVector<bool> conflicting;
  SmallVector<double> extents;
  SmallVector<bool> depends;
};

} // namespace

/// The part of its lines that a row of the loops so far has.
double Touched::partOfLines() const {
  if (points.empty() || isPacked)
    return 1;
  double row =
      std::clamp(points.back(), 1.0, std::max(double(shape.back()), 1.0)) *
      element;
  return std::min(row / double(lineBytes), 1.0);
}

/// Bytes of the lines that loops touch which reach so many positions of each
/// dimension.
double Touched::countBytes(ArrayRef<double> spans) const {
  double bytes = element, all = element;
  for (unsigned d : llvm::seq(access.getRank())) {
    bytes *= std::min({spans[d], points[d], double(shape[d])});
    all *= double(shape[d]);
  }
  return std::min(bytes / partOfLines(), all);
}

/// Returns true if the second cache has room for the rows of the loops so far,
/// but not in the sets that they share.
bool Touched::haveConflict(const Processor &target) const {
  if (points.empty() || isPacked)
    return false;
  auto pitch = int64_t(element);
  double run = std::max(points.back() * element, double(lineBytes));
  for (unsigned d = points.size() - 1; d > 0; --d) {
    if (type.isDynamicDim(d))
      return false;
    pitch *= type.getDimSize(d);
    double rows = std::min(points[d - 1], double(shape[d - 1])),
           kept = double(maxRowsInL2(target, pitch));
    if (rows > kept && kept * run < double(target.l2))
      return true;
    run *= rows;
  }
  return false;
}

Touched::Touched(KernelOp kernel, const LoopNest &nest, unsigned number,
                 OpOperand &operand, const Processor &target)
    : access(nest, number, operand),
      type(cast<RankedTensorType>(operand.get().getType())),
      shape(assumedShape(kernel, memoryOf(operand), outerExtent)),
      element(double(std::max<int64_t>(type.getElementTypeBitWidth() / 8, 1))),
      lineBytes(target.lineBytes), points(access.getRank(), 1) {
  int input = inputNumber(kernel, operand.get());
  isPacked = input >= 0 && nest.packOf(input);
  ArrayRef<LoopUse> loops = nest.op(number).loops;
  // Of each dimension the positions that loops so far reach.
  SmallVector<double> spans(points);
  auto note = [&](unsigned position) {
    from[position] = countBytes(spans);
    lines[position] = partOfLines();
    conflicting[position] = haveConflict(target);
  };
  from.resize(loops.size() + 1);
  lines.resize(loops.size() + 1);
  conflicting.resize(loops.size() + 1);
  note(loops.size());
  for (unsigned position = loops.size(); position-- > 0;) {
    unsigned loop = loops[position].loop;
    double extent = iterationsOf(nest, loop);
    for (unsigned d : llvm::seq(access.getRank())) {
      if (!access.dependsOnAt(d, loop))
        continue;
      points[d] *= extent;
      std::optional<int64_t> step = access.stepAt(d, loop);
      spans[d] = step ? spans[d] + double(std::abs(*step)) * (extent - 1)
                      : spans[d] * extent;
    }
    note(position);
  }
  for (const LoopUse &use : loops) {
    extents.push_back(iterationsOf(nest, use.loop));
    depends.push_back(access.dependsOn(use.loop));
  }
}

double Touched::traffic(unsigned kept) const {
  unsigned first = kept;
  while (first > 0 && !depends[first - 1])
    --first;
  while (first > 0 && depends[first - 1])
    --first;
  // A line whose next element the loop around those is at is still there.
  double bytes = from[first] * lines[first] / lines[kept - 1];
  for (unsigned outside : llvm::seq(first))
    bytes *= extents[outside];
  return bytes;
}

/// The operands of the kernel that an op accesses.
static SmallVector<OpOperand *> accessedBy(const LoopNest &nest,
                                           unsigned number) {
  SmallVector<OpOperand *> all;
  for (OpOperand &operand : nest.op(number).op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (type && type.getElementType().isIntOrFloat() && isAccessed(operand) &&
        memoryOf(operand))
      all.push_back(&operand);
  }
  return all;
}

//===----------------------------------------------------------------------===//
// Tiles of a device
//===----------------------------------------------------------------------===//

namespace {
/// The least and the largest value of an index.
struct Range {
  double min, max;
};
} // namespace

/// The values of an index while loop i runs over extents[i] iterations;
/// nothing where they depend on sizes of the run.
static std::optional<Range> rangeOf(AffineExpr index,
                                    ArrayRef<double> extents) {
  if (auto constant = dyn_cast<AffineConstantExpr>(index))
    return Range{double(constant.getValue()), double(constant.getValue())};
  if (auto loop = dyn_cast<AffineDimExpr>(index))
    return Range{0, extents[loop.getPosition()] - 1};
  auto binary = dyn_cast<AffineBinaryOpExpr>(index);
  if (!binary)
    return std::nullopt;
  std::optional<Range> left = rangeOf(binary.getLHS(), extents),
                       right = rangeOf(binary.getRHS(), extents);
  if (!left || !right)
    return std::nullopt;
  if (index.getKind() == AffineExprKind::Add)
    return Range{left->min + right->min, left->max + right->max};
  // The others are of a constant.
  double number = right->min;
  if (number != right->max || number == 0)
    return std::nullopt;
  Range at{left->min / number, left->max / number};
  switch (index.getKind()) {
  case AffineExprKind::Mul: {
    auto [min, max] = std::minmax({left->min * number, left->max * number});
    return Range{min, max};
  }
  case AffineExprKind::FloorDiv:
    return Range{std::floor(at.min), std::floor(at.max)};
  case AffineExprKind::CeilDiv:
    return Range{std::ceil(at.min), std::ceil(at.max)};
  case AffineExprKind::Mod:
    if (std::floor(at.min) == std::floor(at.max))
      return Range{left->min - number * std::floor(at.min),
                   left->max - number * std::floor(at.min)};
    return Range{0, number - 1};
  default:
    return std::nullopt;
  }
}

/// The sizes of the dimensions of an operand: dynamic ones have at least the
/// positions that all iterations of the op are at, such as those of keys in
/// parts, whose number is dynamic.
static SmallVector<double> sizesOf(const LoopNest &nest, unsigned number,
                                   OpOperand &operand) {
  Access access(operand);
  auto type = cast<RankedTensorType>(operand.get().getType());
  SmallVector<double> extents =
      llvm::map_to_vector(nest.op(number).axes, [&](unsigned axis) {
        return iterationsOf(nest, axis);
      });
  SmallVector<double> sizes;
  for (auto [d, size] : llvm::enumerate(
           assumedShape(nest.op(number).op->getParentOfType<KernelOp>(),
                        memoryOf(operand), outerExtent))) {
    std::optional<Range> range = type.isDynamicDim(d)
                                     ? rangeOf(access.getIndex(d), extents)
                                     : std::nullopt;
    sizes.push_back(std::max(double(size), range ? range->max + 1 : 0));
  }
  return sizes;
}

/// Bytes of an operand that a tile touches. A dimension has as many positions
/// as its index takes values, and all of them together at most one for each
/// iteration of the loops: of 64 pixels in rows of 56, as one loop, that are 64
/// of 2 * 56.
static double bytesOfTile(const LoopNest &nest, unsigned number,
                          OpOperand &operand, const Processor &target) {
  Access access(nest, number, operand);
  auto type = cast<RankedTensorType>(operand.get().getType());
  SmallVector<double> sizes = sizesOf(nest, number, operand);
  SmallVector<unsigned> parallel = nest.parallelLoops();
  SmallVector<double> running(nest.loops().size(), 1);
  double iterations = 1;
  for (const LoopUse &use : nest.op(number).loops)
    if (!llvm::is_contained(parallel, use.loop)) {
      running[use.loop] = iterationsOf(nest, use.loop);
      iterations *= access.dependsOn(use.loop) ? running[use.loop] : 1;
    }
  double element =
      double(std::max<int64_t>(type.getElementTypeBitWidth() / 8, 1));
  // Of the last dimensions, as far as they are whole, all is one line.
  double elements = 1, all = element, line = element;
  bool isLine = true;
  for (unsigned d : llvm::reverse(llvm::seq(access.getRank()))) {
    double size = sizes[d];
    std::optional<Range> range = rangeOf(access.getIndex(d), running);
    double positions =
        range ? std::clamp(range->max - range->min + 1, 0.0, size) : size;
    elements *= positions;
    all *= size;
    line *= isLine ? positions : 1;
    isLine &= positions == size;
  }
  // Dimensions without elements have no line.
  if (elements == 0)
    return 0;
  double sectors = std::max(double(target.lineBytes) / line, 1.0);
  return std::min(std::min(elements, iterations) * element * sectors, all);
}

double tileTraffic(const LoopNest &nest, unsigned number,
                   const Processor &target,
                   llvm::function_ref<bool(OpOperand &)> counts) {
  double bytes = 0;
  for (OpOperand *operand : accessedBy(nest, number))
    if (counts(*operand))
      bytes += bytesOfTile(nest, number, *operand, target);
  return bytes;
}

//===----------------------------------------------------------------------===//
// Caches of a processor
//===----------------------------------------------------------------------===//

double memoryCycles(KernelOp kernel, const LoopNest &nest,
                    const Processor &target) {
  int64_t bytes = trafficBytes(kernel, outerExtent);
  double cycles = double(bytes) / target.l2BytesPerCycle;
  // What the second cache has is read again while the core computes.
  if (bytes <= target.l2)
    return bytes <= target.l1 ? 0 : cycles;
  struct Level {
    int64_t size;
    double bytesPerCycle, traffic = 0;
  };
  Level levels[] = {{target.l2, target.l3BytesPerCycle},
                    {target.l3, target.memoryBytesPerCycle}};
  for (unsigned number : llvm::seq<unsigned>(nest.ops().size())) {
    std::vector<Touched> operands;
    for (OpOperand *operand : accessedBy(nest, number))
      operands.emplace_back(kernel, nest, number, *operand, target);
    auto touched = [&](unsigned first) {
      double sum = 0;
      for (const Touched &operand : operands)
        sum += operand.bytes(first);
      return sum;
    };
    unsigned kept = 0, numLoops = nest.op(number).loops.size();
    for (Level &level : llvm::reverse(levels)) {
      auto isTooMuch = [&] {
        return touched(kept) > double(level.size) ||
               (&level == levels && llvm::any_of(operands, [&](auto &operand) {
                 return operand.conflicts(kept);
               }));
      };
      while (kept < numLoops && isTooMuch())
        ++kept;
      for (const Touched &operand : operands)
        level.traffic += kept == 0 ? 0 : operand.traffic(kept);
    }
  }
  for (const Level &level : levels)
    if (bytes > level.size)
      cycles = std::max(cycles, std::max(level.traffic, double(bytes)) /
                                    level.bytesPerCycle);
  return cycles;
}

} // namespace onnxc
