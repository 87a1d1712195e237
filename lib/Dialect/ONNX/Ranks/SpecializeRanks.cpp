//===- SpecializeRanks.cpp - A variant for each rank -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Kernels are written for one rank. Where a rank is known at run time only, the
// operations that depend on it exist once for each possible rank, in branches
// of nested Ifs that compare. Why: docs/Passes/RationaleRanks.md.
//
//===----------------------------------------------------------------------===//
#include "RankAgnostic.h"
#include "RankCandidates.h"
#include "RankVariants.h"

#include "onnxc/Dialect/ONNX/IR/OpSignature.h"
#include "onnxc/Dialect/ONNX/Ranks/Passes.h"
#include "onnxc/Dialect/ONNX/Transforms/RefineOperands.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace onnxc::onnx {
#define GEN_PASS_DEF_SPECIALIZERANKS
#include "onnxc/Dialect/ONNX/Ranks/Passes.h.inc"
} // namespace onnxc::onnx

using namespace mlir;
using namespace onnxc::onnx;

/// The graph is simplified and visited again so often at most.
static constexpr unsigned maxRounds = 50;

/// Where nothing bounds a rank, ranks up to this are tried, unless they cost
/// copies of few operations only: fewer inside of variants for another rank.
static constexpr int64_t maxLargeRank = 5;
static constexpr unsigned maxCheapDependents = 40;
static constexpr unsigned maxCheapNestedDependents = 4;
/// More copies of operations than this are not made of a model.
static constexpr unsigned maxCopies = 5'000;

//===----------------------------------------------------------------------===//
// One rank only
//===----------------------------------------------------------------------===//

/// Sets the rank of an input that can have no other; false if `value` is none
/// of the model whose graph `block` is.
static bool declareRank(Value value, RankedTensorType type, Block &block) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto function = dyn_cast<func::FuncOp>(block.getParentOp());
  if (!argument || !function || argument.getOwner() != &block)
    return false;
  argument.setType(type);
  function.setFunctionType(FunctionType::get(function.getContext(),
                                             block.getArgumentTypes(),
                                             function.getResultTypes()));
  SmallVector<StringRef> names(type.getRank());
  function.setArgAttr(argument.getArgNumber(), "onnx.dims",
                      Builder(function.getContext()).getStrArrayAttr(names));
  return true;
}

/// Sets the only possible type of a value: of an input, or by a cast.
static void assume(const Unknown &unknown, const RankDependents &dependents,
                   Block &block, int64_t number) {
  RankedTensorType type = unknown.typeFor(number);
  if (!unknown.dim && declareRank(unknown.value, type, block))
    return;
  OpBuilder builder(dependents.ops.front());
  Location loc = dependents.needing.front()->getLoc();
  Value known = IdentityOp::create(builder, loc, TypeRange(type),
                                   ValueRange(unknown.value))
                    .getResult();
  llvm::SmallPtrSet<Operation *, 32> inside(dependents.ops.begin(),
                                            dependents.ops.end());
  Value value = unknown.value;
  value.replaceUsesWithIf(known, [&](OpOperand &use) {
    return inside.contains(block.findAncestorOpInBlock(*use.getOwner()));
  });
}

/// Returns true for an operation that gives an unknown rank a known one.
static bool isCast(Operation *op) {
  return isa<IdentityOp>(op) &&
         isa<RankedTensorType>(op->getResult(0).getType());
}

/// Gives values that have one rank only, where `block` runs to its end, that
/// rank; true if there were any.
static bool castSettled(Block &block) {
  bool changed = false;
  for (auto [value, user, rank] : RankBounds(block).settled()) {
    RankedTensorType type = Unknown{value, std::nullopt}.typeFor(rank);
    if (isCast(user) && user->getOperand(0) == value)
      continue;
    if (!declareRank(value, type, block))
      castInBlock(user, value, type);
    changed = true;
  }
  return changed;
}

//===----------------------------------------------------------------------===//
// All of a model
//===----------------------------------------------------------------------===//

namespace {

/// How many operations one counts for: a cubic sample is made of 4 to the power
/// of its dimensions, and a window has loops for each of them.
unsigned sizeOfCode(Operation *op) {
  auto sample = dyn_cast<GridSampleOp>(op);
  bool isLarge =
      (sample && sample.getMode() == "cubic") ||
      isa<ConvIntegerOp, ConvOp, ConvTransposeOp, DeformConvOp,
          MicrosoftFusedConvOp, MicrosoftQLinearConvOp, QLinearConvOp>(op);
  return isLarge ? maxCheapDependents + 1 : 1;
}

/// One round over a model: specialises unknowns independent of each other.
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
    llvm::SetVector<Block *> blocks;
    for (Operation *op : work)
      for (Operation *around = op; around; around = around->getParentOp())
        if (around == op || isa<LoopOp, ScanOp>(around))
          blocks.insert(around->getBlock());
    for (Block *block : blocks)
      changed |= castSettled(*block);
    if (changed)
      return success();
    for (Operation *op : work)
      changed |= flattenStructuralOperands(op) || padToResult(op);
    // Values with one possible rank constrain others more than variants would.
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
    auto &bounds = boundsOf[block];
    if (!bounds)
      bounds = std::make_unique<RankBounds>(*block);
    SmallVector<int64_t> numbers = rankCandidates(
        *unknown, *block, *bounds, analysis, /*enough=*/2, reasons);
    if (numbers.size() != 1)
      return;
    assume(*unknown, dependentsOf(*block, unknown->value), *block,
           numbers.front());
    changed = true;
  }

  LogicalResult visit(Operation *op) {
    // An operation before may have made it known.
    if (!unknownOf(op))
      return success();
    if (rankFreeForm(op) == RankFreeForm::Always) {
      writeWithoutRank(op);
      return success();
    }
    Unknown unknown = *unknownOf(op);
    Block *block = blockOfSwitch(op, unknown.value);
    RankDependents dependents = dependentsOf(*block, unknown.value);
    // In a variant, a list whose length is not known may come from outside.
    if (dependents.needing.empty() && rankFreeForm(op) >= RankFreeForm::Cheap) {
      writeWithoutRank(op);
      return success();
    }
    auto needsNoVariant = [](Operation *o) {
      return rankFreeForm(o) >= RankFreeForm::Cheap;
    };
    if (!unknown.dim && llvm::all_of(dependents.needing, needsNoVariant)) {
      llvm::for_each(dependents.needing,
                     [&](Operation *o) { writeWithoutRank(o); });
      return success();
    }
    if (hasOtherUnknowns(op, unknown, dependents) &&
        writeAllWithoutRank(dependents))
      return success();
    bool isFresh = llvm::any_of(dependents.ops, [&](Operation *other) {
      return fresh.contains(other);
    });
    return isFresh ? success() : specialize(op, unknown, dependents, *block);
  }

  /// Operations written before may have given `op` the ranks that it needs.
  void writeWithoutRank(Operation *op) {
    bool isKnown = !unknownOf(op);
    forget(op);
    if (!isKnown)
      makeRankFree(op);
    changed = true;
  }

  /// Writes the dependents that can be written so that they need no rank.
  /// Returns false if there are none.
  bool writeAllWithoutRank(const RankDependents &dependents) {
    bool any = false;
    for (Operation *op : dependents.needing) {
      if (gone.contains(op) || rankFreeForm(op) == RankFreeForm::None)
        continue;
      writeWithoutRank(op);
      any = true;
    }
    return any;
  }

  /// Returns true if variants for `unknown` would be inside of some or have
  /// others inside.
  bool hasOtherUnknowns(Operation *op, const Unknown &unknown,
                        const RankDependents &dependents) {
    if (alternativeAround(op))
      return true;
    llvm::SmallPtrSet<Operation *, 32> inside(dependents.ops.begin(),
                                              dependents.ops.end());
    return llvm::any_of(dependents.needing, [&](Operation *needing) {
      return rankFreeForm(needing) == RankFreeForm::Several ||
             llvm::any_of(needing->getOperands(), [&](Value operand) {
               Operation *from = operand.getDefiningOp();
               return isUnranked(operand) && operand != unknown.value &&
                      (!from || !inside.contains(from));
             });
    });
  }

  LogicalResult specialize(Operation *op, const Unknown &unknown,
                           const RankDependents &dependents, Block &block) {
    SmallVector<std::string> reasons;
    SmallVector<int64_t> numbers = rankCandidates(
        unknown, block, RankBounds(block), analysis, maxRank + 1, reasons);
    if (numbers.empty())
      return refuse(op, unknown, reasons);
    unsigned count = 0;
    for (Operation *inner : dependents.ops)
      inner->walk([&](Operation *o) { count += sizeOfCode(o); });
    bool isCheap = count <= (alternativeAround(op) ? maxCheapNestedDependents
                                                   : maxCheapDependents);
    if (!isCheap && numbers.front() <= maxLargeRank &&
        numbers.back() == maxRank)
      llvm::erase_if(numbers, [](int64_t n) { return n > maxLargeRank; });
    if (numbers.size() > 1 && copies + count * numbers.size() > maxCopies) {
      if (writeAllWithoutRank(dependents))
        return success();
      if (!squeezedRanks(unknown.value))
        return success(); // the lowering reports that it needs the rank
      // Other frameworks usually assume that no unknown size is 1.
      numbers = {numbers.back()};
    }
    changed = true;
    if (numbers.size() == 1) {
      for (Operation *inner : dependents.needing)
        gone.insert(inner);
      assume(unknown, dependents, block, numbers.front());
      return success();
    }
    copies += count * numbers.size();
    for (Operation *inner : dependents.ops)
      forget(inner);
    fresh.insert(writeVariants(unknown, dependents, block, numbers));
    return success();
  }

  /// No rank makes the model valid: then the ranks around are not possible
  /// either.
  LogicalResult refuse(Operation *op, const Unknown &unknown,
                       ArrayRef<std::string> reasons) {
    Block *variant = alternativeAround(op);
    if (!variant) {
      InFlightDiagnostic error =
          op->emitOpError("accepts no ")
          << (unknown.dim ? "number of elements" : "rank") << " up to "
          << maxRank << " of ";
      auto found = llvm::find(op->getOperands(), unknown.value);
      if (found != op->operand_end())
        error << inputName(op->getOpOperand(found.getIndex()));
      else
        error << "what its inputs are made of";
      if (!reasons.empty())
        error.attachNote() << "of " << reasons.back();
      return error;
    }
    variant->getParentOp()->walk([&](Operation *inner) { gone.insert(inner); });
    llvm::DenseSet<Block *> blocks;
    dropBranch(variant, blocks);
    changed = true;
    return success();
  }

  void forget(Operation *op) {
    op->walk([&](Operation *inner) { gone.insert(inner); });
  }

  DimAnalysis &analysis;
  unsigned &copies;
  /// The bounds of the blocks, as long as nothing but casts is written.
  llvm::DenseMap<Block *, std::unique_ptr<RankBounds>> boundsOf;
  /// The values whose only rank or size has been searched for.
  llvm::DenseSet<std::pair<Value, unsigned>> seen;
  /// Operations that are erased, or that the next round visits.
  llvm::DenseSet<Operation *> gone;
  /// The switches of this round: types inside have not been inferred yet.
  llvm::DenseSet<Operation *> fresh;
};

} // namespace

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static bool hasUnknownRanks(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return unknownOf(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {

struct SpecializeRanks final
    : public onnxc::onnx::impl::SpecializeRanksBase<SpecializeRanks> {
  explicit SpecializeRanks(Evaluator evaluator = {}) {
    simplify.addPass(createSimplify(std::move(evaluator), /*compiles=*/true));
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    SpecializeRanksBase::getDependentDialects(registry);
    simplify.getDependentDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    // Equal casts must not differ by an annotation of a run before.
    module.walk([](IdentityOp op) { op->removeAttr(acceptedAttrName); });
    unsigned copies = 0;
    for (unsigned round = 0;; ++round) {
      if (failed(runPipeline(simplify, module)))
        return signalPassFailure();
      if (round == maxRounds || !hasUnknownRanks(module))
        break;
      DimAnalysis analysis(module);
      RankSpecializer specializer(analysis, copies);
      if (failed(specializer.run(module)))
        return signalPassFailure();
      if (!specializer.changed)
        break;
    }
    annotateRankChoices(module);
  }

private:
  OpPassManager simplify{ModuleOp::getOperationName()};
};

} // namespace

std::unique_ptr<Pass> onnxc::onnx::createSpecializeRanks(Evaluator evaluator) {
  return std::make_unique<SpecializeRanks>(std::move(evaluator));
}
