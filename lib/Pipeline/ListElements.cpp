//===- ListElements.cpp - What lists of a graph have -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A list that a loop carries has a type before its elements are known.
//
//===----------------------------------------------------------------------===//

#include "ListElements.h"

#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Pipeline/TypeTexts.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace onnxc;

static Value yielded(Region &region, unsigned number) {
  return cast<onnx::YieldOp>(region.front().getTerminator())
      .getValues()[number];
}

/// Adds the lists that a state of a loop is; none for another result.
static bool addState(onnx::LoopOp loop, unsigned number,
                     llvm::SetVector<Value> &lists) {
  if (number >= loop.getVInitial().size())
    return false;
  lists.insert(loop.getVInitial()[number]);
  lists.insert(yielded(loop.getBody(), number + 1));
  return true;
}

/// Adds the lists that `list` comes from to `lists`, and to `elements` what it
/// has beside theirs; false if that is not known.
static bool addSources(Value list, llvm::SetVector<Value> &lists,
                       SmallVectorImpl<Value> &elements) {
  if (auto argument = dyn_cast<BlockArgument>(list)) {
    // After the counter and the condition.
    auto loop = dyn_cast<onnx::LoopOp>(argument.getOwner()->getParentOp());
    return loop && argument.getArgNumber() >= 2 &&
           addState(loop, argument.getArgNumber() - 2, lists);
  }
  Operation *op = list.getDefiningOp();
  unsigned number = cast<OpResult>(list).getResultNumber();
  if (auto insert = dyn_cast<onnx::SequenceInsertOp>(op)) {
    elements.push_back(insert.getTensor());
    lists.insert(insert.getInputSequence());
    return true;
  }
  if (auto choice = dyn_cast<onnx::IfOp>(op)) {
    for (Region &branch : choice->getRegions())
      lists.insert(yielded(branch, number));
    return true;
  }
  if (auto loop = dyn_cast<onnx::LoopOp>(op))
    return addState(loop, number, lists);
  return isa<onnx::SequenceEmptyOp>(op);
}

/// Leaves of `known` what `other` has as well.
static bool meet(ListElements &known, const ListElements &other) {
  if (known.type.getRank() != other.type.getRank() ||
      known.type.getElementType() != other.type.getElementType())
    return false;
  SmallVector<int64_t> shape(known.type.getShape());
  for (auto [size, its] : llvm::zip_equal(shape, other.type.getShape()))
    size = size == its ? size : ShapedType::kDynamic;
  known.type = known.type.clone(shape);
  for (auto [text, its] : llvm::zip_equal(known.sizes, other.sizes))
    text = text == its ? text : "";
  return true;
}

std::optional<ListElements> onnxc::elementsOf(Value list,
                                              onnx::DimAnalysis &analysis) {
  llvm::SetVector<Value> lists;
  SmallVector<Value> elements;
  lists.insert(list);
  for (size_t next = 0; next < lists.size(); ++next)
    if (!addSources(lists[next], lists, elements))
      return std::nullopt;
  std::optional<ListElements> all;
  for (Value element : elements) {
    auto type = dyn_cast<RankedTensorType>(analysis.type(element));
    if (!type)
      return std::nullopt;
    ListElements its{type, {}};
    SmallVector<AffineExpr, 4> dims = analysis.info(element).dims;
    for (auto [dim, size] : llvm::enumerate(dims))
      its.sizes.push_back(type.isDynamicDim(dim) ? dimText(analysis, size)
                                                 : "");
    if (!all)
      all = std::move(its);
    else if (!meet(*all, its))
      return std::nullopt;
  }
  return all;
}
