//===- LaunchCost.cpp - How much work a launch is --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The bounds of a kernel's loops are computed from sizes and from the loops
// around them. With these at their first iteration the same computation gives
// the extents of the loops of the first tile: numbers where sizes are known,
// and a few instructions of the host where they are not.
//
//===----------------------------------------------------------------------===//

#include "LaunchCost.h"

#include "HostNumbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::krnl;

/// Assumed for loops whose length depends on data.
static constexpr int64_t unknownTrips = 16;
/// Assumed by estimates for sizes that only the run knows.
static constexpr int64_t assumedSize = 64;
static constexpr int64_t instructionsOfFunction = 20;

namespace {

/// Counts the instructions of one kernel's first tile.
class TileCounter {
public:
  TileCounter(OpBuilder &builder, Location loc, func::FuncOp kernel,
              const LaunchCosts::Sizes &sizes)
      : builder(builder), numbers(builder, loc), kernel(kernel), sizes(sizes) {}

  OpFoldResult count(Block &block);

private:
  OpFoldResult countOp(Operation &op);
  OpFoldResult countLoop(scf::ForOp loop);
  OpFoldResult countBranches(scf::IfOp branches);
  /// The host's value of `value` in the first tile; null if it has none.
  OpFoldResult evaluate(Value value);
  OpFoldResult compute(OpResult result);
  OpFoldResult evaluateArgument(BlockArgument argument);
  OpFoldResult sizeOf(Value value, int64_t dim) const;

  OpBuilder &builder;
  HostNumbers numbers;
  func::FuncOp kernel;
  const LaunchCosts::Sizes &sizes;
  DenseMap<Value, OpFoldResult> known;
};

} // namespace

OpFoldResult TileCounter::sizeOf(Value value, int64_t dim) const {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner()->getParentOp() != kernel)
    return {};
  auto it = sizes.find({argument.getArgNumber(), dim});
  return it == sizes.end() ? OpFoldResult() : it->second;
}

OpFoldResult TileCounter::evaluateArgument(BlockArgument argument) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop)
    return sizeOf(argument, LaunchCosts::isNumber);
  OpOperand *init = loop.getTiedLoopInit(argument);
  return evaluate(init ? init->get() : loop.getLowerBound());
}

OpFoldResult TileCounter::evaluate(Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  auto argument = dyn_cast<BlockArgument>(value);
  OpFoldResult result =
      argument ? evaluateArgument(argument) : compute(cast<OpResult>(value));
  known[value] = result;
  return result;
}

static bool isZero(OpFoldResult number) {
  return number && isConstantIntValue(number, 0);
}

OpFoldResult TileCounter::compute(OpResult result) {
  Operation *op = result.getOwner();
  Attribute constant;
  if (matchPattern(op, m_Constant(&constant)))
    return constant;
  if (auto size = dyn_cast<memref::DimOp>(op)) {
    std::optional<int64_t> dim = size.getConstantIndex();
    return dim ? sizeOf(size.getSource(), *dim) : OpFoldResult();
  }
  // The first tile's position in a grid of dynamic size.
  if (isa<arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp>(op) &&
      isZero(evaluate(op->getOperand(0))))
    return numbers.number(0);
  if (!result.getType().isIntOrIndex() || op->getNumResults() != 1 ||
      op->getNumRegions() != 0 || !isPure(op))
    return {}; // also a division, unless by a number
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    OpFoldResult at = evaluate(operand);
    if (!at)
      return {};
    mapping.map(operand, numbers.value(at));
  }
  Operation *copy = builder.clone(*op, mapping);
  SmallVector<Value> folded;
  if (failed(builder.tryFold(copy, folded)) || folded.empty())
    return copy->getResult(0);
  copy->erase();
  return getAsOpFoldResult(folded.front());
}

/// ceil((to - from) / step)
static OpFoldResult tripsOf(HostNumbers &numbers, OpFoldResult from,
                            OpFoldResult to, OpFoldResult step) {
  if (std::optional<int64_t> known = getConstantIntValue(step))
    if (*known <= 0)
      return numbers.number(unknownTrips);
  OpFoldResult length =
      numbers.max(numbers.subtract(to, from), numbers.number(0));
  OpFoldResult less = numbers.subtract(step, numbers.number(1));
  return numbers.divide(numbers.add(length, less), step);
}

OpFoldResult TileCounter::countLoop(scf::ForOp loop) {
  OpFoldResult from = evaluate(loop.getLowerBound()),
               to = evaluate(loop.getUpperBound()),
               step = evaluate(loop.getStep());
  OpFoldResult trips = numbers.number(unknownTrips);
  if (isa<BlockArgument>(loop.getUpperBound()) &&
      isa<BlockArgument>(loop.getLowerBound()) && !to)
    trips = numbers.number(1); // over tiles
  else if (from && to && step)
    trips = tripsOf(numbers, from, to, step);
  if (getConstantIntValue(trips) == 0)
    return trips;
  return numbers.multiply(count(*loop.getBody()), trips);
}

OpFoldResult TileCounter::countBranches(scf::IfOp branches) {
  OpFoldResult yes = count(*branches.thenBlock());
  OpFoldResult no =
      branches.elseBlock() ? count(*branches.elseBlock()) : numbers.number(0);
  OpFoldResult condition = evaluate(branches.getCondition());
  if (!condition)
    return numbers.max(yes, no);
  if (auto isTrue = getConstantIntValue(condition))
    return *isTrue ? yes : no;
  return getAsOpFoldResult(builder.createOrFold<arith::SelectOp>(
      branches.getLoc(), numbers.value(condition), numbers.value(yes),
      numbers.value(no)));
}

/// Is it a product that becomes part of a sum's instruction?
static bool isContracted(Operation &op) {
  auto product = dyn_cast<arith::MulFOp>(op);
  return product &&
         bitEnumContainsAll(product.getFastmath(),
                            arith::FastMathFlags::contract) &&
         op.hasOneUse() && isa<arith::AddFOp>(*op.user_begin());
}

/// Instructions: without those for addresses and operands of others.
static int64_t instructionsOf(Operation &op) {
  bool isIndexValue =
      op.getNumResults() == 1 && op.getResult(0).getType().isIndex();
  if (isIndexValue || op.hasTrait<OpTrait::ConstantLike>() ||
      op.hasTrait<OpTrait::IsTerminator>() ||
      isa<ViewLikeOpInterface, vector::BroadcastOp>(op) || isContracted(op))
    return 0;
  return isa<math::MathDialect>(op.getDialect()) ? instructionsOfFunction : 1;
}

OpFoldResult TileCounter::countOp(Operation &op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return countLoop(loop);
  if (auto branches = dyn_cast<scf::IfOp>(op))
    return countBranches(branches);
  OpFoldResult cost = numbers.number(instructionsOf(op));
  for (Region &region : op.getRegions())
    for (Block &inner : region)
      cost = numbers.add(cost, count(inner));
  return cost;
}

OpFoldResult TileCounter::count(Block &block) {
  OpFoldResult fixed = numbers.number(0), computed = fixed;
  for (Operation &op : block) {
    OpFoldResult cost = countOp(op);
    OpFoldResult &sum = getConstantIntValue(cost) ? fixed : computed;
    sum = numbers.add(cost, sum);
  }
  return numbers.add(computed, fixed);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

const SmallVector<LaunchCosts::Input> &
LaunchCosts::inputsOf(func::FuncOp kernel) {
  auto [it, isNew] = inputs.try_emplace(kernel);
  if (!isNew)
    return it->second;
  SetVector<Input> found;
  kernel.walk([&](memref::DimOp op) {
    auto argument = dyn_cast<BlockArgument>(op.getSource());
    std::optional<int64_t> dim = op.getConstantIndex();
    if (argument && dim)
      found.insert({argument.getArgNumber(), *dim});
  });
  for (BlockArgument argument : kernel.getArguments())
    if (argument.getType().isIndex())
      found.insert({argument.getArgNumber(), isNumber});
  it->second = found.takeVector();
  return it->second;
}

OpFoldResult LaunchCosts::sizeOf(OpBuilder &builder, Value buffer,
                                 int64_t dim) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(dim))
    return builder.getIndexAttr(type.getDimSize(dim));
  OpFoldResult &size = known[{buffer, dim}];
  if (size)
    return size;
  Operation *maker = buffer.getDefiningOp();
  ValueRange made;
  if (auto view = dyn_cast_if_present<ArenaViewOp>(maker))
    made = view.getSizes();
  else if (isa_and_present<AllocOp, OutputOp>(maker))
    made = maker->getOperands();
  if (!made.empty())
    size = made[type.getDynamicDimIndex(dim)];
  else
    size = getAsOpFoldResult(
        builder.createOrFold<memref::DimOp>(buffer.getLoc(), buffer, dim));
  return size;
}

void LaunchCosts::leaveBlock() {
  known.clear();
  costs.clear();
}

OpFoldResult LaunchCosts::ofOneTile(OpBuilder &builder, LaunchOp launch) {
  auto kernel = symbols.lookup<func::FuncOp>(launch.getKernel());
  if (!kernel || kernel.isDeclaration())
    return builder.getIndexAttr(HostNumbers::largest);
  SmallVector<Value> operands(launch.getIns());
  llvm::append_range(operands, launch.getOuts());
  Sizes sizes;
  std::vector<void *> key{kernel.getOperation()};
  for (auto [number, dim] : inputsOf(kernel)) {
    if (number >= operands.size())
      continue;
    OpFoldResult size = dim == isNumber
                            ? getAsOpFoldResult(operands[number])
                            : sizeOf(builder, operands[number], dim);
    sizes[{number, dim}] = size;
    key.push_back(size.getOpaqueValue());
  }
  OpFoldResult &cost = costs[key];
  if (!cost)
    cost = countTile(builder, launch, kernel, std::move(sizes));
  return cost;
}

int64_t LaunchCosts::estimateOfOneTile(OpBuilder &builder, LaunchOp launch) {
  auto kernel = symbols.lookup<func::FuncOp>(launch.getKernel());
  if (!kernel || kernel.isDeclaration())
    return 0;
  auto [it, isNew] = estimates.try_emplace(kernel, HostNumbers::largest);
  if (!isNew)
    return it->second;
  Sizes sizes;
  for (auto [number, dim] : inputsOf(kernel)) {
    if (number + 2 >= kernel.getNumArguments())
      continue; // the tiles
    auto type = dyn_cast<MemRefType>(kernel.getArgument(number).getType());
    bool isKnown = type && !type.isDynamicDim(dim);
    sizes[{number, dim}] =
        builder.getIndexAttr(isKnown ? type.getDimSize(dim) : assumedSize);
  }
  OpFoldResult cost = countTile(builder, launch, kernel, std::move(sizes));
  if (std::optional<int64_t> known = getConstantIntValue(cost))
    it->second = *known;
  return it->second;
}

OpFoldResult LaunchCosts::countTile(OpBuilder &builder, LaunchOp launch,
                                    func::FuncOp kernel, Sizes sizes) {
  // The first of two arguments behind all others is the first tile.
  sizes[{kernel.getNumArguments() - 2, isNumber}] = builder.getIndexAttr(0);
  return TileCounter(builder, launch.getLoc(), kernel, sizes)
      .count(kernel.getBody().front());
}
