//===- SpecializeRanks.cpp - A variant for each rank -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Kernels are written for one rank. Where only the run knows a rank, what
// depends on it is there once for each rank that it can have, in branches of
// nested Ifs that compare. Why: docs/Passes/RationaleShapes.md.
//
//===----------------------------------------------------------------------===//
#include "RankCandidates.h"
#include "RankRules.h"
#include "RankTail.h"
#include "Simplify.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace onnxc::onnx;

/// Inside of variants for one rank, further ranks are tried up to this.
static constexpr int64_t maxNestedRank = 5;
/// More copies of operations than this are not made of a model.
static constexpr unsigned maxCopies = 5'000;

static bool isUnranked(Value value) {
  return isa<UnrankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Variants
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

/// The value is what it can only be: an input says so, others are cast.
static void assume(const Unknown &unknown, const Tail &tail, Block &block,
                   int64_t number) {
  RankedTensorType type = unknown.typeFor(number);
  auto argument = dyn_cast<BlockArgument>(unknown.value);
  auto function = dyn_cast<func::FuncOp>(block.getParentOp());
  if (!unknown.dim && argument && function && argument.getOwner() == &block) {
    argument.setType(type);
    function.setFunctionType(FunctionType::get(function.getContext(),
                                               block.getArgumentTypes(),
                                               function.getResultTypes()));
    SmallVector<StringRef> names(type.getRank());
    function.setArgAttr(argument.getArgNumber(), "onnx.dims",
                        Builder(function.getContext()).getStrArrayAttr(names));
    return;
  }
  OpBuilder builder(tail.ops.front());
  Value known =
      castTo(builder, tail.needing.front()->getLoc(), unknown.value, type);
  llvm::SmallPtrSet<Operation *, 32> inside(tail.ops.begin(), tail.ops.end());
  Value value = unknown.value;
  value.replaceUsesWithIf(known, [&](OpOperand &use) {
    return inside.contains(block.findAncestorOpInBlock(*use.getOwner()));
  });
}

//===----------------------------------------------------------------------===//
// Variants that cannot be
//===----------------------------------------------------------------------===//

/// The branch around `op` that takes a rank for granted, if there is one.
static Block *variantAround(Operation *op) {
  for (; op; op = op->getParentOp()) {
    Operation *around = op->getParentOp();
    if (around && around->hasAttr(rankSwitchAttrName))
      return op->getBlock();
  }
  return nullptr;
}

/// Leaves the other branch of the If whose branch `variant` is. Adds the blocks
/// that are no more to `gone`.
static void dropVariant(Block *variant, llvm::DenseSet<Block *> &gone) {
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

//===----------------------------------------------------------------------===//
// All of a model
//===----------------------------------------------------------------------===//

namespace {

/// One round over a model: what is independent of each other is specialised.
class RankSpecializer {
public:
  RankSpecializer(DimAnalysis &analysis, unsigned &copies)
      : analysis(analysis), copies(copies) {}

  LogicalResult run(ModuleOp module) {
    SmallVector<Operation *> work;
    module.walk([&](Operation *op) {
      if (unknownOf(op))
        work.push_back(op);
    });
    for (Operation *op : work)
      changed |= flattenStructuralOperands(op);
    // What can have one rank only says more of others than variants would.
    for (Operation *op : work)
      assumeIfCertain(op);
    if (changed)
      return success();
    for (Operation *op : work)
      if (!gone.contains(op) && failed(visit(op)))
        return failure();
    return success();
  }

  bool changed = false;

private:
  void assumeIfCertain(Operation *op) {
    std::optional<Unknown> unknown = unknownOf(op);
    if (!unknown ||
        !seen.insert({unknown->value, unknown->dim.value_or(~0u)}).second)
      return;
    Block *block = blockOfSwitch(op, unknown->value);
    SmallVector<std::string> reasons;
    SmallVector<int64_t> numbers =
        rankCandidates(*unknown, *block, analysis, /*enough=*/2, reasons);
    if (numbers.size() != 1)
      return;
    assume(*unknown, tailOf(*block, unknown->value), *block, numbers.front());
    changed = true;
  }

  LogicalResult visit(Operation *op) {
    // An operation before may have made it known.
    if (!unknownOf(op))
      return success();
    // Ranks of several operands are not told apart: variants would multiply.
    if (isOptimizer(op) ||
        ((isElementwise(op) || isMatrixProduct(op)) && countUnranked(op) > 1)) {
      forget(op);
      makeRankAgnostic(op);
      changed = true;
      return success();
    }
    Unknown unknown = *unknownOf(op);
    Block *block = blockOfSwitch(op, unknown.value);
    Tail tail = tailOf(*block, unknown.value);
    if (!unknown.dim && llvm::all_of(tail.needing, isElementwise)) {
      for (Operation *user : tail.needing) {
        forget(user);
        makeRankAgnostic(user);
      }
      changed = true;
      return success();
    }
    bool isFresh = llvm::any_of(
        tail.ops, [&](Operation *other) { return fresh.contains(other); });
    return isFresh ? success() : specialize(op, unknown, tail, *block);
  }

  LogicalResult specialize(Operation *op, const Unknown &unknown,
                           const Tail &tail, Block &block) {
    SmallVector<std::string> reasons;
    SmallVector<int64_t> numbers =
        rankCandidates(unknown, block, analysis, maxRank + 1, reasons);
    if (numbers.empty())
      return refuse(op, unknown, reasons);
    if (variantAround(op) && numbers.front() <= maxNestedRank)
      llvm::erase_if(numbers, [](int64_t n) { return n > maxNestedRank; });
    unsigned count = 0;
    for (Operation *inner : tail.ops)
      inner->walk([&](Operation *) { ++count; });
    if (numbers.size() > 1 && copies + count * numbers.size() > maxCopies) {
      if (!squeezedRanks(unknown.value))
        return success(); // the lowering says that it needs the rank
      // Others usually take for granted that no unknown size is 1.
      numbers = {numbers.back()};
    }
    changed = true;
    if (numbers.size() == 1) {
      for (Operation *inner : tail.needing)
        gone.insert(inner);
      assume(unknown, tail, block, numbers.front());
      return success();
    }
    copies += count * numbers.size();
    for (Operation *inner : tail.ops)
      forget(inner);
    fresh.insert(VariantWriter(unknown, tail, block).write(numbers));
    return success();
  }

  /// No rank makes the model valid: then the ranks around are not possible
  /// either.
  LogicalResult refuse(Operation *op, const Unknown &unknown,
                       ArrayRef<std::string> reasons) {
    Block *variant = variantAround(op);
    if (!variant) {
      unsigned number =
          llvm::find(op->getOperands(), unknown.value) - op->operand_begin();
      InFlightDiagnostic error =
          op->emitOpError("accepts no ")
          << (unknown.dim ? "number of elements" : "rank") << " up to "
          << maxRank << " of operand #" << number;
      if (!reasons.empty())
        error.attachNote() << "of " << reasons.back();
      return error;
    }
    variant->getParentOp()->walk([&](Operation *inner) { gone.insert(inner); });
    llvm::DenseSet<Block *> blocks;
    dropVariant(variant, blocks);
    changed = true;
    return success();
  }

  static size_t countUnranked(Operation *op) {
    llvm::SmallPtrSet<Value, 4> values;
    for (Value operand : op->getOperands())
      if (isUnranked(operand))
        values.insert(operand);
    return values.size();
  }

  void forget(Operation *op) {
    op->walk([&](Operation *inner) { gone.insert(inner); });
  }

  DimAnalysis &analysis;
  unsigned &copies;
  /// What has been looked at for its only rank or size.
  llvm::DenseSet<std::pair<Value, unsigned>> seen;
  /// Operations that are no more, or better looked at in the next round.
  llvm::DenseSet<Operation *> gone;
  /// The switches of this round: nobody has inferred yet what is known inside.
  llvm::DenseSet<Operation *> fresh;
};

} // namespace

FailureOr<bool> onnxc::onnx::specializeRanks(ModuleOp module,
                                             DimAnalysis &analysis,
                                             unsigned &copies) {
  RankSpecializer specializer(analysis, copies);
  if (failed(specializer.run(module)))
    return failure();
  return specializer.changed;
}
