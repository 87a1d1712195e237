//===- ValueRanges.cpp - Values that need less than 64 bits ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ValueRanges.h"

#include "mlir/Interfaces/Utils/InferIntRangeCommon.h"
#include "onnxc/Dialect/ONNX/IR/Axes.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Dialect/ONNX/IR/OpSignature.h"
#include "onnxc/Support/NodeLocations.h"

#include <cstring>
#include <numeric>

using namespace mlir;
using namespace onnxc;

/// Constants with more elements are not looked at.
static constexpr int64_t maxElements = int64_t(1) << 20;

/// The bits of all ranges: no result computed from two elements of 64 bits
/// wraps.
static constexpr unsigned rangeBits = 128;

using IntRange = std::optional<ConstantIntRanges>;

namespace {

/// Finds the ranges of integers, and the floats that have no more than 32 bits
/// of information, in the order of operations.
class RangeAnalysis {
public:
  void visit(Operation *op) {
    for (Value result : op->getResults()) {
      auto tensor = dyn_cast<ShapedType>(result.getType());
      if (!tensor)
        continue;
      if (tensor.getElementType().isF64() && isNarrowFloat(op))
        narrow.insert(result);
      if (!isa<IntegerType>(tensor.getElementType()))
        continue;
      if (IntRange range = rangeOf(cast<OpResult>(result)))
        ranges.try_emplace(result, *range);
    }
  }

  IntRange get(Value value) const {
    auto found = ranges.find(value);
    return found == ranges.end() ? std::nullopt : IntRange(found->second);
  }
  bool isNarrow(Value value) const { return narrow.contains(value); }

private:
  bool isNarrowFloat(Operation *op) const;
  IntRange rangeOf(OpResult result) const;
  IntRange infer(Operation *op) const;

  DenseMap<Value, ConstantIntRanges> ranges;
  llvm::DenseSet<Value> narrow;
};

} // namespace

static Type elementOf(Value value) {
  auto tensor = dyn_cast<ShapedType>(value.getType());
  return tensor ? tensor.getElementType() : Type();
}

static Attribute constantOf(Operation *op) {
  auto tensor = op->getNumResults() == 1
                    ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                    : RankedTensorType();
  bool isSmall = isa<onnx::ConstantOp>(op) && tensor &&
                 tensor.hasStaticShape() &&
                 tensor.getNumElements() <= maxElements;
  return isSmall ? op->getAttr("value") : Attribute();
}

/// Returns true if f32 can represent all elements of a constant of f64.
static bool hasNarrowElements(Attribute constant) {
  SmallVector<char> scratch;
  ArrayRef<char> bytes = onnx::constantBytes(constant, scratch);
  for (size_t i = 0; i + sizeof(double) <= bytes.size(); i += sizeof(double)) {
    double element;
    std::memcpy(&element, bytes.data() + i, sizeof element);
    if (double(float(element)) != element)
      return false;
  }
  return true;
}

bool RangeAnalysis::isNarrowFloat(Operation *op) const {
  if (Attribute constant = constantOf(op))
    return hasNarrowElements(constant);
  if (isa<onnx::CastOp>(op)) {
    Type from = elementOf(op->getOperand(0));
    return from && from.isIntOrFloat() && from.getIntOrFloatBitWidth() <= 32;
  }
  bool hasFloats = false;
  for (Value operand : op->getOperands()) {
    Type element = elementOf(operand);
    if (!element || !element.isF64())
      continue;
    hasFloats = true;
    if (!isNarrow(operand))
      return false;
  }
  return hasFloats && op->getNumRegions() == 0;
}

static ConstantIntRanges between(int64_t low, int64_t high) {
  return ConstantIntRanges::fromSigned(APInt(rangeBits, low, /*isSigned=*/true),
                                       APInt(rangeBits, high, true));
}

/// Positions along a dimension of so many elements.
static IntRange positions(int64_t size) {
  if (ShapedType::isDynamic(size) || size == 0)
    return std::nullopt;
  return between(0, size - 1);
}

static IntRange positionsAlong(Operation *op, int64_t axis) {
  auto tensor = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  if (auto given = op->getAttrOfType<IntegerAttr>("axis"))
    axis = given.getValue().getSExtValue();
  if (!tensor)
    return std::nullopt;
  std::optional<int64_t> along = onnx::normalizeAxis(axis, tensor.getRank());
  return along ? positions(tensor.getDimSize(unsigned(*along))) : std::nullopt;
}

/// Results that are positions or sizes.
static IntRange rangeOfPositions(OpResult result) {
  Operation *op = result.getOwner();
  if (isa<onnx::ArgMaxOp, onnx::ArgMinOp>(op))
    return positionsAlong(op, 0);
  if (isa<onnx::TopKOp>(op) && result.getResultNumber() == 1)
    return positionsAlong(op, -1);
  auto tensor = op->getNumOperands()
                    ? dyn_cast<RankedTensorType>(op->getOperand(0).getType())
                    : RankedTensorType();
  if (!tensor || !tensor.hasStaticShape() || tensor.getRank() == 0)
    return std::nullopt;
  int64_t largest = *llvm::max_element(tensor.getShape());
  if (isa<onnx::NonZeroOp>(op))
    return positions(largest);
  if (isa<onnx::ShapeOp>(op))
    return between(0, largest);
  return std::nullopt;
}

static ConstantIntRanges limitsOf(IntegerType type) {
  auto all = ConstantIntRanges::maxRange(type.getWidth());
  return type.isUnsigned() || type.getWidth() == 1
             ? intrange::extUIRange(all, rangeBits)
             : intrange::extSIRange(all, rangeBits);
}

/// The limits of narrow elements; those of others say nothing.
static IntRange rangeOfType(Type element) {
  auto integer = dyn_cast_or_null<IntegerType>(element);
  return integer && integer.getWidth() <= 32 ? IntRange(limitsOf(integer))
                                             : std::nullopt;
}

IntRange RangeAnalysis::rangeOf(OpResult result) const {
  Operation *op = result.getOwner();
  if (Attribute constant = constantOf(op)) {
    std::optional<SmallVector<int64_t>> elements = onnx::constantInts(constant);
    if (!elements || elements->empty())
      return std::nullopt;
    return between(*llvm::min_element(*elements),
                   *llvm::max_element(*elements));
  }
  if (IntRange range = rangeOfPositions(result))
    return range;
  // What does not fit wraps around.
  auto element = cast<IntegerType>(elementOf(result));
  IntRange range = infer(op);
  bool fits =
      range && limitsOf(element).rangeUnion(*range) == limitsOf(element);
  return fits ? range : rangeOfType(element);
}

/// Returns true if the operator takes its result's elements from its first
/// operand.
static bool moves(Operation *op) {
  return isa<onnx::IdentityOp, onnx::ReshapeOp, onnx::TransposeOp,
             onnx::SqueezeOp, onnx::UnsqueezeOp, onnx::SliceOp, onnx::GatherOp,
             onnx::GatherElementsOp, onnx::GatherNDOp, onnx::ExpandOp,
             onnx::TileOp, onnx::FlattenOp, onnx::ReduceMaxOp,
             onnx::ReduceMinOp, onnx::SplitOp, onnx::CompressOp, onnx::CastOp>(
      op);
}

/// The operands whose elements the results are computed of: the others are
/// indices and sizes, or the condition.
static ValueRange operandsOfValues(Operation *op) {
  ValueRange operands = op->getOperands();
  if (moves(op))
    return operands.take_front();
  return isa<onnx::WhereOp>(op) ? operands.drop_front() : operands;
}

/// The range of a result's elements, given the ranges of the operands' ones,
/// of which there is at least one.
static IntRange combine(Operation *op, ArrayRef<ConstantIntRanges> of) {
  auto each = [&](auto combine) {
    return std::accumulate(of.begin() + 1, of.end(), of.front(), combine);
  };
  const auto zero = between(0, 0);
  if (isa<onnx::AddOp>(op))
    return intrange::inferAdd(of);
  if (isa<onnx::SubOp>(op))
    return intrange::inferSub(of);
  if (isa<onnx::MulOp>(op))
    return intrange::inferMul(of);
  if (isa<onnx::DivOp>(op))
    return intrange::inferDivS(of);
  if (isa<onnx::NegOp>(op))
    return intrange::inferSub({zero, of[0]});
  if (isa<onnx::AbsOp>(op))
    return intrange::inferMaxS(
        {zero,
         intrange::inferMaxS({of[0], intrange::inferSub({zero, of[0]})})});
  if (isa<onnx::MaxOp>(op))
    return each([](const auto &a, const auto &b) {
      return intrange::inferMaxS({a, b});
    });
  if (isa<onnx::MinOp>(op))
    return each([](const auto &a, const auto &b) {
      return intrange::inferMinS({a, b});
    });
  if (moves(op) || isa<onnx::ConcatOp, onnx::WhereOp>(op))
    return each([](const auto &a, const auto &b) { return a.rangeUnion(b); });
  return std::nullopt;
}

IntRange RangeAnalysis::infer(Operation *op) const {
  SmallVector<ConstantIntRanges> of;
  for (Value operand : operandsOfValues(op)) {
    IntRange known = get(operand);
    if (!known)
      known = rangeOfType(elementOf(operand));
    if (!known)
      return std::nullopt;
    of.push_back(*known);
  }
  return of.empty() ? std::nullopt : combine(op, of);
}

static bool isWide(Type element) {
  return element && (element.isF64() || element.isInteger(64));
}

/// Returns true if an operand (or a result) of 64 bits belongs to a parameter
/// with a type variable, or the parameters are not known.
static bool hasChosenWidth(Operation *op, bool results) {
  FailureOr<SmallVector<int32_t>> sizes = onnx::getSegmentSizes(op, results);
  if (failed(sizes))
    return true;
  const auto *signature = onnx::OpSignature::find(op->getName().getStringRef());
  ValueRange values =
      results ? ValueRange(op->getResults()) : ValueRange(op->getOperands());
  for (auto [parameter, size] : llvm::zip_equal(
           results ? signature->getOutputs() : signature->getInputs(),
           *sizes)) {
    if (!parameter.typeVariable.empty() &&
        llvm::any_of(values.take_front(size),
                     [](Value value) { return isWide(elementOf(value)); }))
      return true;
    values = values.drop_front(size);
  }
  return false;
}

std::map<std::string, WideResults> onnxc::findWideResults(ModuleOp module) {
  RangeAnalysis analysis;
  std::map<std::string, WideResults> found;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    analysis.visit(op);
    SmallVector<NodeName> nodes = nodesOf(op->getLoc());
    bool isChosen = hasChosenWidth(op, /*results=*/false) ||
                    hasChosenWidth(op, /*results=*/true);
    for (Value result : op->getResults()) {
      Type element = elementOf(result);
      bool isFloat = element && element.isF64();
      if (!isWide(element))
        continue;
      IntRange range = analysis.get(result);
      for (const NodeName &node : nodes) {
        WideResults &of = found[node.name.str()];
        (isFloat ? of.hasFloats : of.hasIntegers) = true;
        of.isChosen |= isChosen;
        of.isKnown &= isFloat ? analysis.isNarrow(result) : range.has_value();
        if (range)
          of.range = of.range ? of.range->rangeUnion(*range) : *range;
      }
    }
  });
  return found;
}
