//===- KernelShape.cpp - Facts about kernels for recipes -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Kernels/KernelShape.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/OperationSupport.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/LoopEnds.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PaddedLoops.h"
#include "onnxc/Dialect/Krnl/IR/MaskedElements.h"

#include <cmath>

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

int64_t estimatedProduct(int64_t a, int64_t b) {
  constexpr int64_t largest = int64_t(1) << 52;
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? largest
                                          : std::min(product, largest);
}

SumTile sumTile(const Processor &target) {
  SumTile tile;
  tile.columns = target.independentSums;
  int64_t forSums = int64_t(target.vectorRegs) - tile.columns - 1;
  tile.rows = std::clamp<int64_t>(forSums / tile.columns, 1, tile.columns);
  return tile;
}

int64_t largestDivisor(int64_t whole, int64_t maxPart) {
  for (int64_t part = std::min(whole, maxPart); part > 1; --part)
    if (whole % part == 0)
      return part;
  return 1;
}

SmallVector<int64_t> numbersOfParts(int64_t whole, int64_t terms) {
  SmallVector<int64_t> numbers;
  int64_t parts = 1;
  for (int64_t maxPart = 2; maxPart <= maxSumParts; maxPart *= 2) {
    int64_t before = std::exchange(parts, largestDivisor(whole, maxPart));
    if (parts != before && terms / parts >= minTermsOfPart)
      numbers.push_back(parts);
  }
  return numbers;
}

int64_t extentOf(KernelOp kernel, StringRef loop, int64_t unknown) {
  LoopAttr attribute = kernel.getLoop(*kernel.findLoop(loop));
  if (!attribute.isDynamic())
    return attribute.getExtent();
  if (unknown >= 2)
    unknown = std::max(unknown, attribute.getAtLeast());
  int64_t limit = attribute.getLimit();
  return limit ? std::min(unknown, limit - 1) : unknown;
}

/// The kernel of the ops; null where a nest was built without them.
static KernelOp kernelOf(const LoopNest &nest) {
  Operation *op = nest.ops().empty() ? nullptr : nest.op(0).op;
  return op ? op->getParentOfType<KernelOp>() : KernelOp();
}

double assumedExtent(const LoopNest &nest, unsigned number) {
  const Loop &loop = nest.loop(number);
  if (!loop.isDynamic())
    return double(loop.extent);
  KernelOp kernel = kernelOf(nest);
  return double(kernel && loop.kind == Loop::Kind::Axis
                    ? extentOf(kernel, loop.name, outerExtent)
                    : outerExtent);
}

SmallVector<int64_t> assumedShape(KernelOp kernel, BlockArgument operand,
                                  int64_t unknown) {
  auto type = cast<RankedTensorType>(operand.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size))
      size = unknown;
  for (OpOperand &use : operand.getUses()) {
    auto op = dyn_cast<ComputeOp>(use.getOwner());
    if (!op || !isAccessed(use))
      continue;
    Access access(use);
    for (auto [position, size] : llvm::enumerate(shape))
      if (std::optional<unsigned> dim = access.loopAt(position);
          dim && type.isDynamicDim(position))
        size = std::min(size, extentOf(kernel, op.getAxes()[*dim], unknown));
  }
  return shape;
}

double iterationsOf(const LoopNest &nest, unsigned number) {
  const Loop &loop = nest.loop(number);
  if (!loop.isDynamic() || loop.kind == Loop::Kind::Axis)
    return assumedExtent(nest, number);
  double iterations = iterationsOf(nest, loop.parents[0]);
  return loop.kind == Loop::Kind::Fused
             ? iterations * iterationsOf(nest, loop.parents[1])
             : std::ceil(iterations / double(loop.blockSize));
}

namespace {
/// Tiles of a kernel, and iterations of a loop around an op in them: the
/// visible elements, those that bound the loop around, and how many tiles this
/// stands for.
struct VisibleSample {
  AffineExpr elements, around;
  double weight = 1;
};
} // namespace

/// Of `all` iterations those of which an element is visible; none where the
/// number of these is not known.
static std::optional<double> visibleOf(const VisibleIterations &visible,
                                       AffineExpr elements, double all) {
  auto number = dyn_cast_if_present<AffineConstantExpr>(elements);
  if (!number)
    return std::nullopt;
  auto count = double(std::max(number.getValue(), visible.minElements));
  double here = visible.each > 0 ? std::ceil(count / double(visible.each))
                : count > 0      ? all
                                 : 0;
  return std::clamp(here, 0.0, all);
}

/// Takes some of `count` iterations of the loop for each sample, by which it
/// knows how many there are.
static SmallVector<VisibleSample>
sampleLoop(const LoopNest &nest, ArrayRef<VisibleSample> samples, unsigned loop,
           function_ref<double(const VisibleSample &)> count) {
  MLIRContext *context = nest.getContext();
  SmallVector<VisibleSample> next;
  for (const VisibleSample &sample : samples) {
    double extent = count(sample);
    int64_t taken = std::min(int64_t(extent), sampledTiles);
    for (int64_t i : llvm::seq(taken)) {
      AffineExpr dim = getAffineDimExpr(loop, context),
                 value = getAffineConstantExpr(
                     int64_t(double(2 * i + 1) * extent / double(2 * taken)),
                     context);
      next.push_back(
          {sample.elements.replace(dim, value),
           sample.around ? sample.around.replace(dim, value) : AffineExpr(),
           sample.weight * extent / double(taken)});
    }
  }
  return next;
}

double visibleShare(const LoopNest &nest, unsigned op, unsigned loop) {
  std::optional<VisibleIterations> visible = visibleIterations(nest, op, loop),
                                   around;
  double all = iterationsOf(nest, loop);
  // How many are seen is not known before the run where values of it count.
  if (!visible || !nest.maskedElements()->form().values.empty() || all <= 0)
    return 1;
  SmallVector<AffineExpr> symbols;
  for (unsigned axis : llvm::seq(nest.numAxes()))
    symbols.push_back(getAffineConstantExpr(int64_t(iterationsOf(nest, axis)),
                                            nest.getContext()));
  VisibleSample first{visible->elements.replaceSymbols(symbols), {}};
  // Iterations of a loop around the op that are left out do not count.
  std::optional<unsigned> outermost = nest.computeAtLoop();
  if (outermost && visible->elements.isFunctionOfDim(*outermost))
    around = visibleIterations(nest, op, *outermost);
  if (around)
    first.around = around->elements.replaceSymbols(symbols);
  SmallVector<VisibleSample> samples{first};
  for (unsigned other : llvm::seq<unsigned>(nest.loops().size()))
    if ((!around || other != *outermost) &&
        (first.elements.isFunctionOfDim(other) ||
         (around && first.around.isFunctionOfDim(other))))
      samples = sampleLoop(nest, samples, other, [&](const auto &) {
        return std::max(iterationsOf(nest, other), 1.0);
      });
  if (around)
    samples = sampleLoop(nest, samples, *outermost, [&](const auto &sample) {
      double extent = iterationsOf(nest, *outermost);
      return visibleOf(*around, sample.around, extent).value_or(extent);
    });
  double share = 0, weight = 0;
  for (const VisibleSample &sample : samples) {
    std::optional<double> here = visibleOf(*visible, sample.elements, all);
    if (!here)
      return 1;
    share += sample.weight * *here / all;
    weight += sample.weight;
  }
  return weight > 0 ? share / weight : 0;
}

double paddingFactor(const LoopNest &nest, unsigned op) {
  double padding = 1;
  for (unsigned padded : paddedLoops(nest, op)) {
    double size = double(nest.loop(nest.childOf(op, padded)).blockSize),
           extent = std::max(iterationsOf(nest, padded), 1.0);
    padding *= std::ceil(extent / size) * size / extent;
  }
  return padding;
}

bool isPaddingForOne(KernelOp kernel) {
  return kernel && isPadding(kernel) && kernel->getResult(0).hasOneUse() &&
         kernel.getOuts()[0].getDefiningOp<tensor::EmptyOp>();
}

bool isStorable(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant && !constant.getLayout();
}

SmallVector<bool> surroundingsOf(KernelOp kernel) {
  SmallVector<bool> facts;
  for (Value in : kernel.getIns())
    facts.append({isConstantView(in), isStorable(in),
                  isPaddingForOne(in.getDefiningOp<KernelOp>())});
  return facts;
}

bool areAlike(KernelOp a, KernelOp b) {
  return a.getLoops() == b.getLoops() &&
         a.getIns().size() == b.getIns().size() &&
         a->getOperandTypes() == b->getOperandTypes() &&
         OperationEquivalence::isRegionEquivalentTo(
             &a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

bool isStatic(KernelOp kernel, StringRef loop) {
  return !kernel.getLoop(*kernel.findLoop(loop)).isDynamic();
}

SmallVector<std::string> loopNames(KernelOp kernel) {
  SmallVector<std::string> names;
  for (auto loop : kernel.getLoops().getAsRange<LoopAttr>())
    names.push_back(loop.getName().str());
  return names;
}

SmallVector<std::string> accessLoops(ComputeOp op, OpOperand &operand) {
  return llvm::to_vector_of<std::string>(op.getLoopsAlong(operand));
}

SmallVector<std::string> loopsAlongMemory(ComputeOp op, OpOperand &operand) {
  Access access(operand);
  SmallVector<StringRef> axes = op.getAxes();
  SmallVector<std::string> loops;
  for (unsigned position : llvm::seq(access.rankAlongMemory())) {
    std::optional<unsigned> loop = access.shiftedLoopAt(position);
    loops.push_back(loop ? axes[*loop].str() : "");
  }
  return loops;
}

/// Returns true if the index has a different value for each iteration of its
/// loops, as the digits of a number have: part * 64 + element, for 64 elements.
static bool isNumber(ComputeOp op, const Access &access, unsigned position) {
  auto kernel = op->getParentOfType<KernelOp>();
  SmallVector<std::pair<int64_t, int64_t>> digits;
  for (auto [dim, axis] : llvm::enumerate(op.getAxes()))
    if (access.dependsOnAt(position, dim)) {
      std::optional<int64_t> step = access.stepAt(position, dim);
      if (!step || *step <= 0)
        return false;
      digits.emplace_back(*step, extentOf(kernel, axis, guessedRow));
    }
  llvm::sort(digits);
  int64_t spanned = 1;
  return llvm::all_of(digits, [&](auto digit) {
    auto [step, extent] = digit;
    bool isApart = step >= spanned;
    spanned = estimatedProduct(step, extent);
    return isApart;
  });
}

bool hasElementEach(ComputeOp op, OpOperand &operand,
                    ArrayRef<std::string> without) {
  Access access(operand);
  for (unsigned position : llvm::seq(access.getRank()))
    if (!access.loopAt(position) && !isNumber(op, access, position))
      return false;
  auto kernel = op->getParentOfType<KernelOp>();
  return llvm::all_of(llvm::enumerate(op.getAxes()), [&](auto axis) {
    return access.dependsOn(axis.index()) ||
           llvm::is_contained(without, axis.value()) ||
           extentOf(kernel, axis.value(), 2) == 1;
  });
}

bool hasRangesAlong(KernelOp kernel, StringRef loop) {
  auto ops = kernel.getBody().getOps<ComputeOp>();
  return llvm::any_of(ops, [&](ComputeOp op) {
    return llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
      return Access(operand).hasRangeAlong(dimOf(op, loop));
    });
  });
}

SmallVector<std::string> reducedLoops(ComputeOp op) {
  SmallVector<std::string> loops;
  for (auto [axis, kind] :
       llvm::zip_equal(op.getAxes(), op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      loops.push_back(axis.str());
  return loops;
}

bool isIntermediate(ComputeOp op) {
  return llvm::all_of(op->getUsers(),
                      [](Operation *user) { return isa<ComputeOp>(user); });
}

int64_t workBytesOf(KernelOp kernel, ComputeOp op, const Processor &target,
                    int64_t unknown) {
  int64_t points = extentOfAll(kernel, op.getAxes(), unknown), perPoint = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isAccessed(operand))
      continue;
    Type element = getElementTypeOrSelf(operand.get().getType());
    int64_t bits =
        element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
    perPoint += std::max<int64_t>(bits / 8, 1);
  }
  for (Operation &inner : op.getBlock()->without_terminator())
    perPoint +=
        isa<math::MathDialect>(inner.getDialect()) ? target.functionBytes : 1;
  return estimatedProduct(points, perPoint);
}

int64_t trafficBytes(KernelOp kernel, int64_t unknown) {
  int64_t bytes = 0;
  for (BlockArgument operand : kernel.getBody().getArguments()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || !type.getElementType().isIntOrFloat())
      continue;
    int64_t elements = 1;
    for (int64_t size : assumedShape(kernel, operand, unknown))
      elements = estimatedProduct(elements, size);
    bytes += estimatedProduct(
        elements, std::max<int64_t>(type.getElementTypeBitWidth() / 8, 1));
  }
  return bytes;
}

} // namespace onnxc
