//===- RankChoices.cpp - What ranks there is code for ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "RankTail.h"
#include "Simplify/Simplify.h"

using namespace mlir;
using namespace onnxc::onnx;

/// What the condition of a variant compares, as `numberOf` writes it.
static Value comparedValue(Value number) {
  if (auto size = number.getDefiningOp<SizeOp>())
    number = size.getData();
  auto shape = number.getDefiningOp<ShapeOp>();
  return shape ? shape.getData() : Value();
}

/// The numbers for which `cast` is not reached, as the Ifs around say; nothing
/// where it is reached for one number only.
static SmallVector<int64_t> otherChoices(IdentityOp cast) {
  SmallVector<int64_t> others;
  Region *region = cast->getParentRegion();
  while (auto choice = dyn_cast_or_null<IfOp>(region->getParentOp())) {
    auto isIt = choice.getCond().getDefiningOp<EqualOp>();
    if (!choice->hasAttr(rankSwitchAttrName) || !isIt ||
        comparedValue(isIt->getOperand(0)) != cast->getOperand(0))
      break;
    std::optional<SmallVector<int64_t>> given =
        constantInts(isIt->getOperand(1));
    if (!given || given->size() != 1 || region == &choice.getThenBranch())
      break;
    others.push_back(given->front());
    region = choice->getParentRegion();
  }
  return others;
}

/// The rank that `cast` takes for granted, or the length of a list.
static std::optional<int64_t> ownChoice(IdentityOp cast) {
  auto to = dyn_cast<RankedTensorType>(cast->getResult(0).getType());
  if (to && isa<UnrankedTensorType>(cast->getOperand(0).getType()))
    return to.getRank();
  if (to && to.getRank() == 1 && !to.isDynamicDim(0))
    return to.getDimSize(0);
  return std::nullopt;
}

void onnxc::onnx::annotateRankChoices(ModuleOp module) {
  module.walk([](IdentityOp cast) {
    cast->removeAttr(rankChoicesAttrName);
    std::optional<int64_t> own = ownChoice(cast);
    SmallVector<int64_t> choices = otherChoices(cast);
    if (!own || choices.empty())
      return;
    choices.push_back(*own);
    llvm::sort(choices);
    cast->setAttr(rankChoicesAttrName,
                  DenseI64ArrayAttr::get(cast->getContext(), choices));
  });
}
