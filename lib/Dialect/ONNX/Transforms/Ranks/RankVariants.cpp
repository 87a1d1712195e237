//===- RankVariants.cpp - Variants of what needs a rank --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "RankVariants.h"
#include "Simplify/Simplify.h"

using namespace mlir;
using namespace onnxc::onnx;

//===----------------------------------------------------------------------===//
// Writing them
//===----------------------------------------------------------------------===//

static Value castTo(OpBuilder &b, Location loc, Value value, Type type) {
  return IdentityOp::create(b, loc, TypeRange(type), ValueRange(value))
      .getResult();
}

static IfOp createSwitch(OpBuilder &b, Location loc, TypeRange types,
                         Value condition) {
  OperationState state(loc, IfOp::getOperationName());
  state.addOperands(condition);
  state.addTypes(types);
  state.addAttribute(rankSwitchAttrName, b.getUnitAttr());
  state.addRegion()->emplaceBlock();
  state.addRegion()->emplaceBlock();
  return cast<IfOp>(b.create(state));
}

static void createYield(OpBuilder &b, Location loc, ValueRange values) {
  OperationState state(loc, YieldOp::getOperationName());
  state.addOperands(values);
  b.create(state);
}

/// The rank or size that is unknown, as a tensor of one i64.
static Value numberOf(OpBuilder &b, Location loc, const Unknown &unknown) {
  Type element = b.getI64Type();
  SmallVector<NamedAttribute> range;
  int64_t length = ShapedType::kDynamic;
  if (unknown.dim) {
    range = {b.getNamedAttr("start", b.getI64IntegerAttr(*unknown.dim)),
             b.getNamedAttr("end", b.getI64IntegerAttr(*unknown.dim + 1))};
    length = 1;
  }
  Value shape =
      ShapeOp::create(b, loc, TypeRange(RankedTensorType::get(length, element)),
                      ValueRange(unknown.value), range)
          .getResult();
  if (unknown.dim)
    return shape;
  return SizeOp::create(b, loc, TypeRange(RankedTensorType::get({}, element)),
                        ValueRange(shape))
      .getResult();
}

namespace {

/// Writes the variants of a tail.
class VariantWriter {
public:
  VariantWriter(const Unknown &unknown, const Tail &tail, Block &block)
      : unknown(unknown), tail(tail), builder(block.getParent()->getContext()),
        loc(tail.needing.front()->getLoc()) {
    llvm::SmallPtrSet<Operation *, 32> inside(tail.ops.begin(), tail.ops.end());
    for (Operation *op : tail.ops)
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              return !inside.contains(block.findAncestorOpInBlock(*user));
            }))
          results.push_back(result);
  }

  /// One variant for each of `numbers`, of which there are at least two;
  /// returns the operation that chooses.
  Operation *write(ArrayRef<int64_t> numbers) {
    builder.setInsertionPoint(tail.ops.back());
    Value number = numberOf(builder, loc, unknown);
    SmallVector<Type> types(ValueRange(results).getTypes());
    IfOp outermost;
    for (int64_t candidate : numbers.drop_back()) {
      Value given = createNumber(builder, loc, candidate);
      Value isIt =
          EqualOp::create(
              builder, loc,
              TypeRange(RankedTensorType::get(unknown.dim ? ArrayRef<int64_t>(1)
                                                          : ArrayRef<int64_t>(),
                                              builder.getI1Type())),
              ValueRange{number, given})
              .getResult();
      IfOp choice = createSwitch(builder, loc, types, isIt);
      if (outermost)
        createYield(builder, loc, choice.getResults());
      else
        outermost = choice;
      writeVariant(choice.getThenBranch(), candidate);
      builder.setInsertionPointToEnd(&choice.getElseBranch().front());
    }
    Region *last = builder.getInsertionBlock()->getParent();
    writeVariant(*last, numbers.back());
    replaceTail(outermost);
    return outermost;
  }

private:
  void writeVariant(Region &region, int64_t number) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&region.front());
    IRMapping mapping;
    mapping.map(unknown.value,
                castTo(builder, loc, unknown.value, unknown.typeFor(number)));
    for (Operation *op : tail.ops)
      builder.clone(*op, mapping);
    SmallVector<Value> yielded;
    for (Value result : results)
      yielded.push_back(mapping.lookup(result));
    createYield(builder, loc, yielded);
  }

  void replaceTail(IfOp choice) {
    for (Operation *op : llvm::reverse(tail.later))
      op->moveAfter(choice);
    for (auto [result, chosen] : llvm::zip_equal(results, choice.getResults()))
      result.replaceAllUsesWith(chosen);
    for (Operation *op : llvm::reverse(tail.ops))
      op->erase();
  }

  const Unknown &unknown;
  const Tail &tail;
  OpBuilder builder;
  Location loc;
  SmallVector<Value> results;
};

} // namespace

Operation *onnxc::onnx::writeVariants(const Unknown &unknown, const Tail &tail,
                                      Block &block, ArrayRef<int64_t> numbers) {
  return VariantWriter(unknown, tail, block).write(numbers);
}

//===----------------------------------------------------------------------===//
// Taking them away
//===----------------------------------------------------------------------===//

Block *onnxc::onnx::variantAround(Operation *op) {
  for (; op; op = op->getParentOp()) {
    Operation *around = op->getParentOp();
    if (around && around->hasAttr(rankSwitchAttrName))
      return op->getBlock();
  }
  return nullptr;
}

void onnxc::onnx::dropVariant(Block *variant, llvm::DenseSet<Block *> &gone) {
  auto choice = cast<IfOp>(variant->getParentOp());
  Region &other = &choice.getThenBranch() == variant->getParent()
                      ? choice.getElseBranch()
                      : choice.getThenBranch();
  Block &block = other.front();
  Operation *yield = block.getTerminator();
  choice->replaceAllUsesWith(yield->getOperands());
  yield->erase();
  choice->getBlock()->getOperations().splice(choice->getIterator(),
                                             block.getOperations());
  gone.insert(&block);
  gone.insert(variant);
  variant->walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &inner : region)
        gone.insert(&inner);
  });
  choice->erase();
}

static bool hasVariants(ModuleOp module) {
  return module
      .walk([](IfOp op) {
        return op->hasAttr(rankSwitchAttrName) ? WalkResult::interrupt()
                                               : WalkResult::advance();
      })
      .wasInterrupted();
}

void onnxc::onnx::dropImpossibleRanks(ModuleOp module) {
  while (hasVariants(module)) {
    DimAnalysis analysis(module);
    llvm::SetVector<Block *> variants;
    for (Operation *op : analysis.getRejected())
      if (Block *variant = variantAround(op))
        variants.insert(variant);
    if (variants.empty())
      return;
    llvm::DenseSet<Block *> gone;
    for (Block *variant : variants)
      if (!gone.contains(variant))
        dropVariant(variant, gone);
  }
}
