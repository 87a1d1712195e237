//===- RankVariants.cpp - Variants for each rank ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "RankVariants.h"

#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/Transforms/NodeMaker.h"

using namespace mlir;
using namespace onnxc::onnx;

//===----------------------------------------------------------------------===//
// Writing them
//===----------------------------------------------------------------------===//

/// The rank or size that is unknown, as a tensor of one i64.
static Value comparedValue(NodeMaker &maker, const Unknown &unknown) {
  if (!unknown.dim)
    return maker.make("Size", maker.shapeOf(unknown.value));
  return maker.make("Shape", unknown.value,
                    {maker.integer("start", *unknown.dim),
                     maker.integer("end", *unknown.dim + 1)});
}

namespace {

/// Writes the variants of the dependents of a rank.
class VariantWriter {
public:
  VariantWriter(const Unknown &unknown, const RankDependents &dependents,
                Block &block)
      : unknown(unknown), dependents(dependents),
        builder(block.getParent()->getContext()),
        loc(dependents.needing.front()->getLoc()), maker(builder, loc) {
    llvm::SmallPtrSet<Operation *, 32> inside(dependents.ops.begin(),
                                              dependents.ops.end());
    for (Operation *op : dependents.ops)
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              return !inside.contains(block.findAncestorOpInBlock(*user));
            }))
          results.push_back(result);
  }

  /// One variant for each of `numbers`, of which there are at least two;
  /// returns the operation that chooses.
  Operation *write(ArrayRef<int64_t> numbers) {
    builder.setInsertionPoint(dependents.ops.back());
    Value number = comparedValue(maker, unknown);
    IfOp outermost;
    for (int64_t candidate : numbers.drop_back()) {
      IfOp choice = createSwitch(
          maker.make("Equal", {number, maker.integerScalar(candidate)}));
      if (outermost)
        createYield(choice.getResults());
      else
        outermost = choice;
      builder.setInsertionPointToEnd(&choice.getThenBranch().front());
      writeVariant(candidate);
      builder.setInsertionPointToEnd(&choice.getElseBranch().front());
    }
    writeVariant(numbers.back());
    replaceTail(outermost);
    return outermost;
  }

private:
  IfOp createSwitch(Value condition) {
    OperationState state(loc, IfOp::getOperationName());
    state.addOperands(condition);
    state.addTypes(ValueRange(results).getTypes());
    state.addAttribute(alternativesAttrName, builder.getUnitAttr());
    state.addRegion()->emplaceBlock();
    state.addRegion()->emplaceBlock();
    return cast<IfOp>(builder.create(state));
  }

  void createYield(ValueRange values) {
    OperationState state(loc, YieldOp::getOperationName());
    state.addOperands(values);
    builder.create(state);
  }

  void writeVariant(int64_t number) {
    IRMapping mapping;
    mapping.map(unknown.value,
                maker.make<IdentityOp>(unknown.typeFor(number), unknown.value));
    for (Operation *op : dependents.ops)
      builder.clone(*op, mapping);
    createYield(llvm::map_to_vector(
        results, [&](Value result) { return mapping.lookup(result); }));
  }

  void replaceTail(IfOp choice) {
    for (Operation *op : llvm::reverse(dependents.later))
      op->moveAfter(choice);
    for (auto [result, chosen] : llvm::zip_equal(results, choice.getResults()))
      result.replaceAllUsesWith(chosen);
    for (Operation *op : llvm::reverse(dependents.ops))
      op->erase();
  }

  const Unknown &unknown;
  const RankDependents &dependents;
  OpBuilder builder;
  Location loc;
  NodeMaker maker;
  SmallVector<Value> results;
};

} // namespace

Operation *onnxc::onnx::writeVariants(const Unknown &unknown,
                                      const RankDependents &dependents,
                                      Block &block, ArrayRef<int64_t> numbers) {
  return VariantWriter(unknown, dependents, block).write(numbers);
}

//===----------------------------------------------------------------------===//
// The variants that there are
//===----------------------------------------------------------------------===//

/// The value that the condition of a variant compares, as in `comparedValue`.
static Value comparedValue(Value number) {
  if (auto size = number.getDefiningOp<SizeOp>())
    number = size.getData();
  auto shape = number.getDefiningOp<ShapeOp>();
  return shape ? shape.getData() : Value();
}

/// The numbers for which `cast` is not reached, by the Ifs around; nothing
/// where it is reached for one number only.
static SmallVector<int64_t> otherChoices(IdentityOp cast) {
  SmallVector<int64_t> others;
  Region *region = cast->getParentRegion();
  while (auto choice = dyn_cast_or_null<IfOp>(region->getParentOp())) {
    auto isIt = choice.getCond().getDefiningOp<EqualOp>();
    if (!choice->hasAttr(alternativesAttrName) || !isIt ||
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
    cast->removeAttr(acceptedAttrName);
    std::optional<int64_t> own = ownChoice(cast);
    SmallVector<int64_t> choices = otherChoices(cast);
    if (!own || choices.empty())
      return;
    choices.push_back(*own);
    llvm::sort(choices);
    cast->setAttr(acceptedAttrName,
                  DenseI64ArrayAttr::get(cast->getContext(), choices));
  });
}
