//===- ValueRanges.cpp - Values that need less than 64 bits ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ValueRanges.h"

#include "onnxc/Dialect/ONNX/IR/Axes.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Support/NodeLocations.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace onnxc;

/// Constants with more elements are not looked at.
static constexpr int64_t maxElements = int64_t(1) << 20;

namespace {

/// What becomes of the ranges of operands.
enum class Rule {
  Unknown,
  First,
  Union,
  Branches,
  Add,
  Sub,
  Mul,
  Neg,
  Abs,
  Div
};

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
      if (std::optional<IntRange> range = rangeOf(cast<OpResult>(result)))
        ranges.try_emplace(result, *range);
    }
  }

  std::optional<IntRange> get(Value value) const {
    auto found = ranges.find(value);
    return found == ranges.end() ? std::nullopt : std::optional(found->second);
  }
  bool isNarrow(Value value) const { return narrow.contains(value); }

private:
  bool isNarrowFloat(Operation *op) const;
  std::optional<IntRange> rangeOf(OpResult result) const;
  std::optional<IntRange> combine(Rule rule, OperandRange operands) const;

  DenseMap<Value, IntRange> ranges;
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

/// Are all elements of a constant of f64 numbers of f32?
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

static IntRange unite(IntRange a, IntRange b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

/// Positions along a dimension of so many elements.
static std::optional<IntRange> positions(int64_t size) {
  if (ShapedType::isDynamic(size) || size == 0)
    return std::nullopt;
  return IntRange{0, size - 1};
}

static std::optional<IntRange> positionsAlong(Operation *op, int64_t axis) {
  auto tensor = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  if (auto given = op->getAttrOfType<IntegerAttr>("axis"))
    axis = given.getValue().getSExtValue();
  if (!tensor)
    return std::nullopt;
  std::optional<int64_t> along = onnx::normalizeAxis(axis, tensor.getRank());
  return along ? positions(tensor.getDimSize(unsigned(*along))) : std::nullopt;
}

/// Results that are positions or sizes.
static std::optional<IntRange> rangeOfPositions(OpResult result) {
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
    return IntRange{0, largest};
  return std::nullopt;
}

static std::optional<IntRange> rangeOfType(Type element) {
  auto integer = dyn_cast_or_null<IntegerType>(element);
  if (!integer || integer.getWidth() > 32)
    return std::nullopt;
  int64_t count = int64_t(1) << integer.getWidth();
  if (integer.isUnsigned() || integer.getWidth() == 1)
    return IntRange{0, count - 1};
  return IntRange{-count / 2, count / 2 - 1};
}

static Rule ruleOf(Operation *op) {
  return llvm::StringSwitch<Rule>(op->getName().getStringRef())
      .Cases({"onnx.Identity", "onnx.Reshape", "onnx.Transpose", "onnx.Squeeze",
              "onnx.Unsqueeze", "onnx.Slice", "onnx.Gather",
              "onnx.GatherElements", "onnx.GatherND", "onnx.Expand",
              "onnx.Tile", "onnx.Flatten", "onnx.ReduceMax", "onnx.ReduceMin",
              "onnx.Split", "onnx.Compress", "onnx.Cast"},
             Rule::First)
      .Cases({"onnx.Concat", "onnx.Max", "onnx.Min"}, Rule::Union)
      .Case("onnx.Where", Rule::Branches)
      .Case("onnx.Add", Rule::Add)
      .Case("onnx.Sub", Rule::Sub)
      .Case("onnx.Mul", Rule::Mul)
      .Case("onnx.Neg", Rule::Neg)
      .Case("onnx.Abs", Rule::Abs)
      .Case("onnx.Div", Rule::Div)
      .Default(Rule::Unknown);
}

std::optional<IntRange> RangeAnalysis::rangeOf(OpResult result) const {
  Operation *op = result.getOwner();
  if (Attribute constant = constantOf(op)) {
    std::optional<SmallVector<int64_t>> elements = onnx::constantInts(constant);
    if (!elements || elements->empty())
      return std::nullopt;
    return IntRange{*llvm::min_element(*elements),
                    *llvm::max_element(*elements)};
  }
  if (std::optional<IntRange> range = rangeOfPositions(result))
    return range;
  auto element = cast<IntegerType>(elementOf(result));
  IntRange most{element.isUnsigned() ? 0 : INT64_MIN / 4, INT64_MAX / 4};
  std::optional<IntRange> ofType = rangeOfType(element);
  if (ofType)
    most = *ofType;
  // What does not fit wraps around.
  std::optional<IntRange> range = combine(ruleOf(op), op->getOperands());
  bool fits = range && range->low >= most.low && range->high <= most.high;
  return fits ? range : ofType;
}

/// The range of a result. Ends of ranges are at most a quarter of those of 64
/// bits.
std::optional<IntRange> RangeAnalysis::combine(Rule rule,
                                               OperandRange operands) const {
  SmallVector<IntRange> of;
  for (Value operand : operands) {
    // The others are indices and sizes, or the condition.
    if (rule == Rule::First && !of.empty())
      break;
    if (rule == Rule::Branches && operand == operands.front())
      continue;
    std::optional<IntRange> range = get(operand);
    if (!range)
      range = rangeOfType(elementOf(operand));
    if (!range)
      return std::nullopt;
    of.push_back(*range);
  }
  if (of.empty())
    return std::nullopt;
  IntRange a = of.front(), b = of.back();
  auto within = [](std::initializer_list<int64_t> ends) {
    return IntRange{std::min(ends), std::max(ends)};
  };
  auto times = [](int64_t x, int64_t y) {
    int64_t product;
    if (!llvm::MulOverflow(x, y, product))
      return product;
    return (x < 0) == (y < 0) ? INT64_MAX : INT64_MIN;
  };
  switch (rule) {
  case Rule::First:
    return a;
  case Rule::Union:
  case Rule::Branches:
    for (IntRange other : of)
      a = unite(a, other);
    return a;
  case Rule::Add:
    return IntRange{a.low + b.low, a.high + b.high};
  case Rule::Sub:
    return IntRange{a.low - b.high, a.high - b.low};
  case Rule::Mul:
    return within({times(a.low, b.low), times(a.low, b.high),
                   times(a.high, b.low), times(a.high, b.high)});
  case Rule::Neg:
    return IntRange{-a.high, -a.low};
  case Rule::Abs:
    return IntRange{0, std::max(std::abs(a.low), std::abs(a.high))};
  case Rule::Div:
    if (b.low < 1)
      return std::nullopt;
    return within({a.low, a.high, int64_t(0)});
  case Rule::Unknown:
    break;
  }
  return std::nullopt;
}

std::map<std::string, WideResults> onnxc::findWideResults(ModuleOp module) {
  RangeAnalysis analysis;
  std::map<std::string, WideResults> found;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    analysis.visit(op);
    SmallVector<NodeName> nodes = nodesOf(op->getLoc());
    for (Value result : op->getResults()) {
      Type element = elementOf(result);
      bool isFloat = element && element.isF64();
      if (!isFloat && !(element && element.isInteger(64)))
        continue;
      std::optional<IntRange> range = analysis.get(result);
      for (const NodeName &node : nodes) {
        WideResults &of = found[node.name.str()];
        (isFloat ? of.hasFloats : of.hasIntegers) = true;
        of.isKnown &= isFloat ? analysis.isNarrow(result) : range.has_value();
        if (range)
          of.range = of.range ? unite(*of.range, *range) : *range;
      }
    }
  });
  return found;
}
