//===- Accesses.cpp - How ops read and write along loops --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "LoopValues.h"

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/Lookup.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Target/IR/Processor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SmallBitVector.h"

#include <numeric>

using namespace mlir;

namespace onnxc::krnl {

static ComputeOp ownerOf(OpOperand &operand) {
  return cast<ComputeOp>(operand.getOwner());
}

Access::Access(OpOperand &operand)
    : subscripts(ownerOf(operand).getSubscripts(operand)),
      type(dyn_cast<ShapedType>(operand.get().getType())),
      memoryRank(subscripts.size()), numLoops(ownerOf(operand).getNumLoops()) {
  while (memoryRank > 0 && type.getDimSize(memoryRank - 1) == 1 &&
         isa<AffineConstantExpr>(getIndex(memoryRank - 1)))
    --memoryRank;
}

Access::Access(const LoopNest &nest, unsigned op, OpOperand &operand)
    : Access(operand) {
  LoopValues loops(nest, op);
  SmallVector<AffineExpr> values(numLoops);
  ArrayRef<unsigned> axes = nest.op(op).axes;
  for (unsigned dim : llvm::seq(numLoops))
    if (dependsOn(dim))
      values[dim] = loops.of(axes[dim]);
  // Sizes of dimensions do not matter any more.
  for (Subscript &at : subscripts) {
    at.index = at.index.replaceDims(values);
    at.isPart = false;
  }
  numLoops = nest.loops().size();
  numExtents = nest.numAxes();
}

std::optional<unsigned> Access::shiftedLoopAt(unsigned position) const {
  AffineExpr index = getIndex(position);
  auto sum = dyn_cast<AffineBinaryOpExpr>(index);
  if (sum && sum.getKind() == AffineExprKind::Add &&
      isa<AffineConstantExpr>(sum.getRHS()))
    index = sum.getLHS();
  auto loop = dyn_cast<AffineDimExpr>(index);
  return loop ? std::optional(loop.getPosition()) : std::nullopt;
}

std::optional<unsigned> Access::positionOf(unsigned loop) const {
  for (unsigned position : llvm::seq(getRank())) {
    AffineExpr index = getIndex(position);
    if (!index.isFunctionOfDim(loop))
      continue;
    bool isOnly = llvm::none_of(llvm::seq(numLoops), [&](unsigned other) {
      return other != loop && index.isFunctionOfDim(other);
    });
    return isOnly ? std::optional(position) : std::nullopt;
  }
  return std::nullopt;
}

/// How much an expression grows with each step of a loop, if its form says so.
static std::optional<int64_t> stepOf(AffineExpr expr, unsigned loop) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dim.getPosition() == loop ? 1 : 0;
  auto both = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!both)
    return 0;
  std::optional<int64_t> left = stepOf(both.getLHS(), loop),
                         right = stepOf(both.getRHS(), loop);
  if (left == 0 && right == 0)
    return 0;
  int64_t step;
  if (both.getKind() == AffineExprKind::Add)
    return left && right && !llvm::AddOverflow(*left, *right, step)
               ? std::optional(step)
               : std::nullopt;
  auto factor = dyn_cast<AffineConstantExpr>(both.getRHS());
  if (both.getKind() == AffineExprKind::Mul && factor && left &&
      !llvm::MulOverflow(*left, factor.getValue(), step))
    return step;
  return std::nullopt;
}

std::optional<int64_t> Access::stepAt(unsigned position, unsigned loop) const {
  AffineExpr index = getIndex(position);
  if (std::optional<int64_t> step = stepOf(index, loop))
    return step;
  AffineExpr here = getAffineDimExpr(loop, index.getContext());
  auto step = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(
      index.replace(here, here + 1) - index, numLoops, numExtents));
  return step ? std::optional(step.getValue()) : std::nullopt;
}

bool Access::isLinearAlong(unsigned loop) const {
  return llvm::all_of(llvm::seq(getRank()), [&](unsigned position) {
    return stepAt(position, loop).has_value();
  });
}

bool Access::hasRanges() const {
  return llvm::any_of(subscripts,
                      [](const Subscript &at) { return bool(at.range); });
}

TypedAttr Access::outside() const {
  const auto *found = llvm::find_if(
      subscripts, [](const Subscript &at) { return bool(at.range); });
  return found != subscripts.end() ? found->outside : TypedAttr();
}

bool Access::hasRangeAlong(unsigned loop) const {
  return llvm::any_of(subscripts, [&](const Subscript &at) {
    return at.range && at.index.isFunctionOfDim(loop);
  });
}

bool Access::dependsOn(unsigned loop) const {
  return llvm::any_of(subscripts, [&](const Subscript &at) {
    return at.index.isFunctionOfDim(loop);
  });
}

bool Access::hasUnitStride(unsigned loop) const {
  return memoryRank > 0 && stepAt(memoryRank - 1, loop) == 1 &&
         llvm::none_of(ArrayRef(subscripts).take_front(memoryRank - 1),
                       [&](const Subscript &at) {
                         return at.index.isFunctionOfDim(loop);
                       });
}

int64_t Access::stride(unsigned loop) const {
  int64_t total = 0, size = 1;
  for (unsigned position = getRank(); position-- > 0;) {
    std::optional<int64_t> step = stepAt(position, loop);
    bool isFar = ShapedType::isDynamic(size);
    if (!step || (isFar && *step != 0))
      return 0;
    if (!isFar)
      total += *step * size;
    bool isUnknown = isFar || type.isDynamicDim(position);
    size = isUnknown ? ShapedType::kDynamic : size * type.getDimSize(position);
  }
  return total;
}

int64_t Access::pitch(unsigned loop) const {
  if (!type || !type.getElementType().isIntOrFloat())
    return 0;
  return stride(loop) * (type.getElementTypeBitWidth() / 8);
}

int64_t Access::alignment(ArrayRef<unsigned> first,
                          int64_t maxAlignment) const {
  // Divisors of `maxAlignment`; rows of unknown length may have any.
  int64_t common = maxAlignment, row = 1;
  for (unsigned position = getRank(); position-- > 0;) {
    AffineExpr index = getIndex(position),
               zero = getAffineConstantExpr(0, index.getContext());
    for (unsigned loop : first)
      index = index.replace(getAffineDimExpr(loop, index.getContext()), zero);
    int64_t here = std::gcd(index.getLargestKnownDivisor(), maxAlignment);
    // Outside of the range the first index in it is read.
    if (subscripts[position].range)
      here = std::gcd(here, subscripts[position].range->first);
    common = std::gcd(common, here * row);
    if (!type.isDynamicDim(position))
      row = std::gcd(row * std::gcd(type.getDimSize(position), maxAlignment),
                     maxAlignment);
  }
  return common;
}

bool Access::isPlain() const {
  return llvm::all_of(subscripts, [](const Subscript &at) {
    return !at.range && (at.getLoop() || at.index == 0);
  });
}

bool Access::coversAll() const {
  return llvm::all_of(llvm::seq(getRank()), [&](unsigned position) {
    return loopAt(position) ||
           (getIndex(position) == 0 && type.getDimSize(position) == 1);
  });
}

bool Access::isOneToOne() const {
  llvm::SmallBitVector found(numLoops);
  unsigned covered = 0;
  for (const Subscript &at : subscripts)
    if (std::optional<unsigned> loop = at.getLoop()) {
      found.set(*loop);
      ++covered;
    }
  return coversAll() && covered == numLoops && found.all();
}

bool Access::isWindow() const {
  return !llvm::all_of(subscripts, [](const Subscript &at) {
    return isa<AffineDimExpr, AffineConstantExpr>(at.index) && !at.range;
  });
}

/// The direction in which the index changes along the loop: 1 if it grows, -1
/// if it falls, 0 if it does not depend on it. Nothing where it may do both.
static std::optional<int> directionOf(AffineExpr index, unsigned loop) {
  if (!index.isFunctionOfDim(loop))
    return 0;
  auto binary = dyn_cast<AffineBinaryOpExpr>(index);
  if (!binary)
    return 1;
  std::optional<int> left = directionOf(binary.getLHS(), loop),
                     right = directionOf(binary.getRHS(), loop);
  if (!left || !right)
    return std::nullopt;
  if (index.getKind() == AffineExprKind::Add)
    return *left * *right < 0 ? std::nullopt
                              : std::optional(*left ? *left : *right);
  // The others are of a constant.
  auto number = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!number || index.getKind() == AffineExprKind::Mod)
    return std::nullopt;
  return number.getValue() < 0 ? -*left : *left;
}

std::optional<std::pair<int64_t, int64_t>> valuesOf(AffineExpr index,
                                                    ArrayRef<int64_t> extents) {
  SmallVector<AffineExpr> atMin, atMax;
  for (auto [loop, extent] : llvm::enumerate(extents)) {
    std::optional<int> direction = directionOf(index, loop);
    if (!direction ||
        (*direction != 0 && (ShapedType::isDynamic(extent) || extent == 0)))
      return std::nullopt;
    AffineExpr first = getAffineConstantExpr(0, index.getContext()),
               last = getAffineConstantExpr(*direction ? extent - 1 : 0,
                                            index.getContext());
    atMin.push_back(*direction < 0 ? last : first);
    atMax.push_back(*direction > 0 ? last : first);
  }
  auto begin = dyn_cast<AffineConstantExpr>(index.replaceDims(atMin));
  auto end = dyn_cast<AffineConstantExpr>(index.replaceDims(atMax));
  if (!begin || !end)
    return std::nullopt;
  return std::pair(begin.getValue(), end.getValue());
}

bool isAccessed(OpOperand &operand) {
  ComputeOp op = ownerOf(operand);
  return op.isDpsInit(&operand) || op.payloadUsesValueFromOperand(&operand);
}

SmallVector<OpOperand *> readInputs(ComputeOp op) {
  return llvm::filter_to_vector(op.getDpsInputOperands(), [](OpOperand *input) {
    return isAccessed(*input);
  });
}

int inputNumber(KernelOp kernel, Value inside) {
  auto argument = dyn_cast<BlockArgument>(inside);
  bool isInput = argument && argument.getOwner() == &kernel.getBody().front() &&
                 argument.getArgNumber() < kernel.getIns().size();
  return isInput ? int(argument.getArgNumber()) : -1;
}

bool isPadding(KernelOp kernel) {
  auto ops = llvm::to_vector(kernel.getBody().getOps<ComputeOp>());
  return ops.size() > 1 && kernel->getNumResults() == 1 &&
         llvm::all_of(ops, [](ComputeOp op) {
           return op.getNumReductionLoops() == 0 &&
                  llvm::hasSingleElement(*op.getBlock());
         });
}

bool isConstantView(Value value) {
  Operation *view = value.getDefiningOp();
  while (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(view))
    view = view->getOperand(0).getDefiningOp();
  return isa_and_nonnull<ConstantOp>(view);
}

unsigned dimOf(ComputeOp op, StringRef loop) {
  SmallVector<StringRef> axes = op.getAxes();
  return llvm::find(axes, loop) - axes.begin();
}

/// The one parallel and the one reduced dimension that an index depends on.
static std::optional<Slide> slideOf(ComputeOp op, AffineExpr index) {
  int moving = -1, reduced = -1;
  for (unsigned dim : llvm::seq(op.getNumLoops())) {
    if (!index.isFunctionOfDim(dim))
      continue;
    int &found = dim >= op.getNumParallelLoops() ? reduced : moving;
    if (found >= 0)
      return std::nullopt;
    found = int(dim);
  }
  if (moving < 0 || reduced < 0)
    return std::nullopt;
  return Slide{unsigned(moving), unsigned(reduced), /*stride=*/1};
}

std::optional<Slide> findSlide(ComputeOp op) {
  for (OpOperand *input : readInputs(op)) {
    Access access(*input);
    for (unsigned position = 0; position + 1 < access.rankAlongMemory();
         ++position)
      if (auto slide = slideOf(op, access.getIndex(position))) {
        std::optional<int64_t> step = access.stepAt(position, slide->loop),
                               apart = access.stepAt(position, slide->window);
        if (!step || !apart || *apart < 1 || *step < 1 || *step % *apart != 0)
          continue;
        slide->stride = *step / *apart;
        return slide;
      }
  }
  return std::nullopt;
}

ReductionKind reductionKindOf(ComputeOp op) {
  if (op.getNumReductionLoops() == 0)
    return ReductionKind::None;
  if (isOrdered(op))
    return ReductionKind::Rows;
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  unsigned reading = 0;
  for (OpOperand *input : readInputs(op)) {
    Access access(*input);
    bool reads = false;
    for (unsigned position : llvm::seq(access.getRank())) {
      AffineExpr index = access.getIndex(position);
      bool isIn = llvm::any_of(
          reduced, [&](unsigned dim) { return index.isFunctionOfDim(dim); });
      if (isIn && !access.loopAt(position))
        return ReductionKind::Contraction;
      reads |= isIn;
    }
    reading += reads;
  }
  return reading > 1 ? ReductionKind::Contraction : ReductionKind::Rows;
}

ContractionDims contractionDimsOf(ComputeOp op, OpOperand &columns,
                                  OpOperand &rows) {
  ContractionDims dims;
  Access inColumns(columns), inRows(rows);
  for (unsigned dim : llvm::seq(op.getNumLoops())) {
    bool column = inColumns.dependsOn(dim), row = inRows.dependsOn(dim);
    (dim >= op.getNumParallelLoops() ? dims.reduced
     : column && row                 ? dims.batch
     : column                        ? dims.columns
     : row                           ? dims.rows
                                     : dims.others)
        .push_back(dim);
  }
  return dims;
}

LaneAnalysis::LaneAnalysis(ComputeOp op, unsigned dim) : body(op.getBlock()) {
  for (OpOperand &operand : op->getOpOperands())
    if (op.getMatchingIndexingMap(&operand).isFunctionOfDim(dim))
      strides[op.getMatchingBlockArgument(&operand)] = Stride::Other;
  for (Operation &inner : body->without_terminator()) {
    Stride max = Stride::None;
    unsigned moving = 0;
    for (Value operand : inner.getOperands()) {
      max = std::max(max, strides.lookup(operand));
      moving += !isUniform(operand);
    }
    if (auto loop = dyn_cast<IndexOp>(inner))
      max = loop.getDim() == dim ? Stride::Even : Stride::None;
    else if (max == Stride::Even && !isa<arith::AddIOp, arith::SubIOp>(inner) &&
             !(isa<arith::MulIOp>(inner) && moving < 2))
      max = Stride::Other;
    for (Value result : inner.getResults())
      strides[result] = max;
  }
}

bool LaneAnalysis::takesVector(Operation &inner) const {
  return !llvm::all_of(inner.getOperands(),
                       [&](Value operand) { return isUniform(operand); });
}

bool LaneAnalysis::isGather(tensor::ExtractOp read) const {
  ArrayRef<int64_t> shape = read.getTensor().getType().getShape();
  return llvm::any_of(llvm::enumerate(read.getIndices()), [&](auto indexed) {
    Stride stride = strides.lookup(indexed.value());
    // Dimensions of one element do not separate adjacent elements.
    bool last = llvm::all_of(shape.drop_front(indexed.index() + 1),
                             [](int64_t size) { return size == 1; });
    return stride == Stride::Other || (stride == Stride::Even && !last);
  });
}

bool LaneAnalysis::hasGathers() const {
  return llvm::any_of(body->getOps<tensor::ExtractOp>(),
                      [&](tensor::ExtractOp read) { return isGather(read); });
}

bool LaneAnalysis::areGathersProfitable(const target::Processor &target) const {
  int64_t gathers = 0, arithmetic = 0;
  for (Operation &inner : body->without_terminator()) {
    if (auto read = dyn_cast<tensor::ExtractOp>(inner)) {
      Type element = read.getType();
      bool isWord =
          element.isIntOrFloat() && element.getIntOrFloatBitWidth() >= 32;
      if (isGather(read) && !isWord)
        return false;
      gathers += isGather(read);
      continue;
    }
    arithmetic += takesVector(inner) && inner.getNumResults() == 1 &&
                  isa<FloatType>(inner.getResult(0).getType());
  }
  return arithmetic >= target.operationsBesideGather * gathers;
}

/// Operations on vectors that one of a payload takes.
static int64_t operationsOf(Operation &inner) {
  if (!isa<LookupOp>(inner))
    return 1;
  TargetAttr target = TargetAttr::of(&inner);
  int64_t lanes = target ? target.getProcessor().vectorBytes : 1;
  std::optional<LookupForm> form = lookupFormOf(target, lanes);
  return form ? form->operations(lanes) : 1;
}

LaneAnalysis::PayloadSize LaneAnalysis::payloadSize() const {
  PayloadSize size;
  for (Operation &inner : body->without_terminator()) {
    bool isEven = llvm::all_of(inner.getResults(), [&](Value result) {
      return result.getType().isIndex() &&
             strides.lookup(result) == Stride::Even;
    });
    if (!isEven)
      (takesVector(inner) ? size.perLane : size.once) += operationsOf(inner);
  }
  return size;
}

/// The bits of the widest value of the payload that `counts`, and 0 if any is
/// no number that fits a vector.
static unsigned widestOf(Block *body, function_ref<bool(Value)> counts) {
  unsigned widest = 8;
  auto widen = [&](Value value) {
    Type type = value.getType();
    unsigned bits = isa<IndexType>(type)  ? 64
                    : type.isIntOrFloat() ? type.getIntOrFloatBitWidth()
                                          : 0;
    if (bits == 0 || bits > 64)
      return false;
    if (counts(value))
      widest = std::max(widest, bits);
    return true;
  };
  bool fits = llvm::all_of(body->getArguments(), widen);
  for (Operation &inner : body->without_terminator())
    fits &= llvm::all_of(inner.getResults(), widen);
  return fits ? widest : 0;
}

bool fitsVectors(ComputeOp op) {
  return widestOf(op.getBlock(), [](Value) { return true; }) > 0;
}

unsigned LaneAnalysis::vectorBits() const {
  return widestOf(body, [&](Value value) {
    return !isUniform(value) && !isa<IndexType>(value.getType());
  });
}

} // namespace onnxc::krnl
