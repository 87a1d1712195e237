//===- FoldConditions.cpp - Choices with one outcome -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Simplify.h"
#include "onnxc/Dialect/ONNX/IR/Axes.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"

#include "onnxc/Schema/TypeLattice.h"

using namespace mlir;
using namespace onnxc::onnx;

/// The number that all elements of the tensor are; nothing for other tensors,
/// and for those of other elements than numbers with a fraction.
static std::optional<APFloat> uniformNumber(Value value) {
  auto fill = value.getDefiningOp<ConstantOfShapeOp>();
  TypedAttr attribute = fill ? fill.getValueAttr() : constantValue(value);
  if (fill && !attribute)
    return APFloat(0.0f);
  auto elements = dyn_cast_if_present<DenseElementsAttr>(attribute);
  if (!elements || !elements.isSplat() ||
      !isa<FloatType>(elements.getElementType()))
    return std::nullopt;
  return elements.getSplatValue<APFloat>();
}

/// The bool that all elements of the constant or fill are; nothing for others.
static std::optional<bool> uniformBool(Value value) {
  auto fill = value.getDefiningOp<ConstantOfShapeOp>();
  TypedAttr attribute = fill ? fill.getValueAttr() : constantValue(value);
  SmallVector<char> scratch;
  ArrayRef<char> bytes =
      attribute ? constantBytes(attribute, scratch) : ArrayRef<char>();
  if (bytes.empty() || !llvm::all_equal(bytes))
    return std::nullopt;
  return bytes.front() != 0;
}

/// The tensor that the op takes the largest or smallest elements of, if
/// `result` is empty in each run in which there are none; else null.
static Value reducedWhereNotEmpty(Operation *op, Value result,
                                  DimAnalysis &analysis) {
  if (!isa_and_present<ReduceMaxOp, ReduceMinOp>(op) ||
      op->getNumOperands() < 2 || !op->getOperand(1) ||
      !isa<RankedTensorType>(analysis.type(op->getOperand(0))) ||
      !isa<RankedTensorType>(analysis.type(result)))
    return Value();
  auto axes = constantInts(op->getOperand(1));
  auto sizes = analysis.info(op->getOperand(0)).dims,
       others = analysis.info(result).dims;
  bool isCovered =
      axes && llvm::all_of(*axes, [&](int64_t given) {
        std::optional<int64_t> axis = normalizeAxis(given, sizes.size());
        return axis && (constantValue(sizes[*axis]).value_or(0) > 0 ||
                        llvm::is_contained(others, sizes[*axis]));
      });
  return isCovered && !axes->empty() ? op->getOperand(0) : Value();
}

/// What equal(reduceMax(fill(0, [n, m])), -inf) is for each element of
/// `result`; nothing where it is another condition, or not the same for all.
static std::optional<bool> comparedExtremes(Value condition, Value result,
                                            DimAnalysis &analysis) {
  auto equal = condition.getDefiningOp<EqualOp>();
  for (unsigned side : {0, 1}) {
    Value reduced =
        equal ? reducedWhereNotEmpty(equal->getOperand(side).getDefiningOp(),
                                     result, analysis)
              : Value();
    auto number = reduced ? uniformNumber(reduced) : std::nullopt,
         other = reduced ? uniformNumber(equal->getOperand(1 - side))
                         : std::nullopt;
    if (number && other && &number->getSemantics() == &other->getSemantics())
      return number->compare(*other) == APFloat::cmpEqual;
  }
  return std::nullopt;
}

/// where(false, 0, x[n, m]) -> x; also where the condition is a comparison of
/// the extremes of a fill: whatever is chosen for rows without an element is
/// empty.
bool onnxc::onnx::foldCondition(Operation *op, DimAnalysis &analysis,
                                RewriterBase &rewriter) {
  auto where = dyn_cast<WhereOp>(op);
  if (!where || !llvm::all_of(op->getOperands(), [&](Value operand) {
        return alwaysBroadcasts(operand, op->getResult(0), analysis);
      }))
    return false;
  std::optional<bool> isTrue = uniformBool(where.getCondition());
  if (!isTrue)
    isTrue = comparedExtremes(where.getCondition(), op->getResult(0), analysis);
  if (!isTrue)
    return false;
  Value chosen = *isTrue ? where.getX() : where.getY();
  if (!analysis.haveSameShape(chosen, op->getResult(0)) ||
      !onnxc::schema::isAtLeastAsSharp(analysis.type(chosen),
                                       analysis.type(op->getResult(0))))
    return false;
  rewriter.replaceOp(op, chosen);
  return true;
}
