//===- RankCandidates.cpp - The ranks that there can be --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "RankCandidates.h"
#include "RankAgnostic.h"
#include "onnxc/Dialect/ONNX/IR/TypeText.h"
#include "onnxc/Dialect/ONNX/Transforms/RefineOperands.h"

#include "onnxc/Schema/TypeLattice.h"

using namespace mlir;
using namespace onnxc::onnx;

namespace {

/// Types as the analysis has them, but for one value.
class AssumedType : public onnxc::schema::ValueFacts {
public:
  AssumedType(const DimAnalysis &facts, Value value, Type type)
      : facts(facts), assumed(value), assumedType(type) {}

  Type type(Value value) const override {
    return value == assumed ? assumedType : facts.type(value);
  }
  std::string dimSymbol(Value value, unsigned dim) const override {
    return value == assumed ? std::string() : facts.dimSymbol(value, dim);
  }
  bool contents(
      Value value,
      SmallVectorImpl<onnxc::schema::SymbolicInt> &elements) const override {
    return value != assumed && facts.contents(value, elements);
  }

private:
  const DimAnalysis &facts;
  Value assumed;
  Type assumedType;
};

} // namespace

//===----------------------------------------------------------------------===//
// The ranks that there can be
//===----------------------------------------------------------------------===//

/// The bits from `min` to `max`, as far as there are variants.
static uint32_t bitsBetween(int64_t min, int64_t max) {
  return ((2u << std::clamp<int64_t>(max, 0, maxRank)) - 1) &
         ~((1u << std::clamp<int64_t>(min, 0, maxRank + 1)) - 1);
}

/// Bit k is set where `value` may be of rank k.
static uint32_t possibleRanks(Value value) {
  if (auto type = dyn_cast<RankedTensorType>(value.getType()))
    return type.getRank() <= maxRank ? 1u << type.getRank() : 0;
  if (std::optional<SqueezedRanks> ranks = squeezedRanks(value))
    return bitsBetween(ranks->min, ranks->max);
  Operation *op = value.getDefiningOp();
  if (isa_and_present<IdentityOp>(op) ||
      (isa_and_present<CastOp>(op) && op->getNumOperands() == 1))
    return possibleRanks(op->getOperand(0));
  if (auto reshape = dyn_cast_or_null<ReshapeOp>(op))
    return bitsBetween(listLength(reshape.getShape()).min,
                       listLength(reshape.getShape()).max.value_or(maxRank));
  auto branches = dyn_cast_or_null<IfOp>(op);
  if (!branches)
    return bitsBetween(0, maxRank);
  unsigned number = cast<OpResult>(value).getResultNumber();
  auto yielded = [&](Region &branch) {
    return branch.front().getTerminator()->getOperand(number);
  };
  return possibleRanks(yielded(branches.getThenBranch())) |
         possibleRanks(yielded(branches.getElseBranch()));
}

/// Why `op` does not accept `type` for `value`, by its schema and the rules
/// beside it.
static std::optional<std::string> refusal(Operation *op, Value value,
                                          RankedTensorType type,
                                          DimAnalysis &analysis) {
  AssumedType facts(analysis, value, type);
  if (auto error = checkRanks(op, [&](Value v) { return facts.type(v); }))
    return error;
  if (op->getNumRegions() != 0)
    return std::nullopt; // operations inside are visited in the variant
  std::string message = "a result is not of its declared rank";
  ScopedDiagnosticHandler keep(op->getContext(), [&](Diagnostic &diagnostic) {
    message = messageText(diagnostic);
    return success();
  });
  auto inferred =
      onnxc::schema::inferResults(op, facts, [op] { return op->emitError(); });
  if (failed(inferred))
    return message;
  for (auto [result, found] : llvm::zip_equal(op->getResults(), *inferred))
    if (failed(onnxc::schema::meetTypes(result.getType(), found.type)))
      return message;
  return std::nullopt;
}

SmallVector<int64_t>
onnxc::onnx::rankCandidates(const Unknown &unknown, Block &block,
                            const RankBounds &bounds, DimAnalysis &analysis,
                            size_t enough,
                            SmallVectorImpl<std::string> &reasons) {
  Value value = unknown.value;
  RankBounds::Bounds range = bounds.of(value);
  uint32_t possible =
      unknown.dim ? bitsBetween(listLength(value).min,
                                listLength(value).max.value_or(maxRank))
                  : possibleRanks(value) & bitsBetween(range.min, range.max);
  llvm::SmallSetVector<Operation *, 4> users;
  for (Operation *user : unknown.value.getUsers())
    if (user->getBlock() == &block)
      users.insert(user);
  SmallVector<int64_t> numbers;
  for (int64_t number = 0; number <= maxRank && numbers.size() < enough;
       ++number) {
    if ((possible >> number & 1) == 0)
      continue;
    std::optional<std::string> reason;
    for (Operation *op : users)
      if (!reason)
        reason = refusal(op, unknown.value, unknown.typeFor(number), analysis);
    if (!reason)
      numbers.push_back(number);
    else
      reasons.push_back(std::to_string(number) + ": " + *reason);
  }
  return numbers;
}
