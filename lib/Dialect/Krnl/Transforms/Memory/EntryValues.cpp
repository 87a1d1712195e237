//===- EntryValues.cpp - Values known at entry -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "EntryValues.h"

#include "Host/HostBuffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace onnxc::krnl {

/// Returns true for a load of an element that exists in every run.
static bool isSafeLoad(memref::LoadOp load) {
  MemRefType type = load.getMemRefType();
  for (auto [index, size] : llvm::zip(load.getIndices(), type.getShape())) {
    APInt at;
    if (ShapedType::isDynamic(size) || !matchPattern(index, m_ConstantInt(&at)))
      return false;
    if (at.getSExtValue() < 0 || at.getSExtValue() >= size)
      return false;
  }
  return true;
}

/// An input of the function, which nothing writes.
static BlockArgument inputOf(Value buffer, func::FuncOp host) {
  auto argument = dyn_cast<BlockArgument>(viewBase(buffer));
  return argument && argument.getOwner() == &host.getBody().front()
             ? argument
             : BlockArgument();
}

EntryValues::EntryValues(func::FuncOp host)
    : host(host), builder(host.getContext()) {
  int64_t next = 0;
  for (BlockArgument argument : host.getArguments())
    if (!isa<ShapedType>(argument.getType()))
      known.insert(argument);
  host.walk<WalkOrder::PreOrder>([&](Operation *op) {
    numbers[op] = next++;
    if (op != host && followsFromInputs(*op))
      known.insert_range(op->getResults());
  });
}

OpBuilder &EntryValues::entry() {
  if (!anchor) {
    builder.setInsertionPointToStart(&host.getBody().front());
    anchor = arith::ConstantIndexOp::create(builder, host.getLoc(), 0);
    builder.setInsertionPoint(anchor);
  }
  return builder;
}

bool EntryValues::followsFromInputs(Operation &op) const {
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    // Only of the input itself: of views, sizes have been folded.
    auto argument = dyn_cast<BlockArgument>(dim.getSource());
    std::optional<int64_t> index = dim.getConstantIndex();
    return argument && argument == inputOf(argument, host) && index &&
           *index < cast<MemRefType>(argument.getType()).getRank() &&
           isKnown(dim.getIndex());
  }
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    auto argument = dyn_cast<BlockArgument>(load.getMemRef());
    return argument && argument == inputOf(argument, host) &&
           isSafeLoad(load) && areKnown(load.getIndices());
  }
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  return op.getNumRegions() == 0 && op.getNumResults() == 1 &&
         llvm::all_of(op.getResultTypes(), isScalar) && isPure(&op) &&
         isSpeculatable(&op) && areKnown(op.getOperands());
}

SmallVector<Operation *>
EntryValues::needed(Value value, llvm::function_ref<bool(Value)> isDone) {
  SmallVector<Operation *> ops;
  SmallVector<Value> worklist{value};
  llvm::DenseSet<Operation *> seen;
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op || isDone(next) || !seen.insert(op).second)
      continue;
    ops.push_back(op);
    for (Value operand : op->getOperands())
      if (!isa<ShapedType>(operand.getType()))
        worklist.push_back(operand);
  }
  llvm::sort(ops, [&](Operation *a, Operation *b) {
    return numbers.lookup(a) < numbers.lookup(b);
  });
  return ops;
}

Value EntryValues::atEntry(Value value) {
  if (isa<BlockArgument>(value))
    return value;
  auto isDone = [&](Value v) { return copies.contains(v); };
  for (Operation *op : needed(value, isDone))
    entry().clone(*op, copies);
  return copies.lookup(value);
}

//===----------------------------------------------------------------------===//
// Branches and loops
//===----------------------------------------------------------------------===//

/// Whether the branch or loop that a block belongs to runs it; null where that
/// is not known.
Value EntryValues::ownCondition(Block *block) {
  Operation *op = block->getParentOp();
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    if (!isKnown(branch.getCondition()))
      return {};
    Value condition = atEntry(branch.getCondition());
    if (block == branch.thenBlock())
      return condition;
    Value yes = arith::ConstantIntOp::create(entry(), op->getLoc(), 1, 1);
    return arith::XOrIOp::create(entry(), op->getLoc(), condition, yes);
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return firstCondition(loop);
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop || !areKnown({loop.getLowerBound(), loop.getUpperBound()}))
    return {};
  Value first = atEntry(loop.getLowerBound()),
        end = atEntry(loop.getUpperBound());
  return arith::CmpIOp::create(entry(), op->getLoc(), arith::CmpIPredicate::slt,
                               first, end);
}

/// Whether a loop that compares a counter has an iteration; null where that is
/// not known.
Value EntryValues::firstCondition(scf::WhileOp loop) {
  auto compare =
      loop.getConditionOp().getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return {};
  SmallVector<Value> first;
  for (Value operand : compare->getOperands()) {
    auto argument = dyn_cast<BlockArgument>(operand);
    if (argument && argument.getOwner() == loop.getBeforeBody())
      operand = loop.getInits()[argument.getArgNumber()];
    if (!isKnown(operand))
      return {};
    first.push_back(atEntry(operand));
  }
  return arith::CmpIOp::create(entry(), compare.getLoc(),
                               compare.getPredicate(), first[0], first[1]);
}

bool EntryValues::mayBeSkipped(Block *block) {
  for (; block != &host.getBody().front();
       block = block->getParentOp()->getBlock())
    if (auto branch = dyn_cast<scf::IfOp>(block->getParentOp());
        branch && !isKnown(branch.getCondition()))
      return true;
  return false;
}

Value EntryValues::runsAtEntry(Block *block) {
  if (block == &host.getBody().front())
    return {};
  if (auto found = blockRuns.find(block); found != blockRuns.end())
    return found->second;
  Operation *op = block->getParentOp();
  Value around = runsAtEntry(op->getBlock()), own = ownCondition(block);
  if (around && own)
    own = arith::AndIOp::create(entry(), op->getLoc(), around, own);
  return blockRuns[block] = own ? own : around;
}

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

/// The name of the size of an input: its symbol, or "input.dimension".
std::string EntryValues::nameOfSize(Operation *op) {
  auto argument = cast<BlockArgument>(op->getOperand(0));
  std::string input = "input" + std::to_string(argument.getArgNumber());
  auto all = host->getAttrOfType<ArrayAttr>("krnl.inputs");
  DictionaryAttr entry;
  if (all && argument.getArgNumber() < all.size())
    entry = dyn_cast<DictionaryAttr>(all[argument.getArgNumber()]);
  if (entry)
    if (auto name = entry.getAs<StringAttr>("name"))
      input = name.str();
  if (isa<memref::LoadOp>(op))
    return "an element of " + input;
  int64_t number = *cast<memref::DimOp>(op).getConstantIndex();
  auto dims = entry ? entry.getAs<ArrayAttr>("dims") : ArrayAttr();
  if (dims && number < int64_t(dims.size()))
    if (auto symbol = dyn_cast<StringAttr>(dims[number]);
        symbol && !symbol.empty())
      return symbol.str();
  return input + "." + std::to_string(number);
}

SizeFormula EntryValues::formulaOf(Operation *op) {
  APInt constant;
  if (matchPattern(op, m_ConstantInt(&constant)))
    return SizeFormula(constant.getSExtValue());
  if (isa<memref::DimOp, memref::LoadOp>(op))
    return SizeFormula::named(nameOfSize(op));
  auto of = [&](unsigned i) {
    auto found = formulas.find(op->getOperand(i));
    return found == formulas.end() ? SizeFormula::named("?") : found->second;
  };
  if (isa<arith::AddIOp>(op))
    return of(0).plus(of(1));
  if (isa<arith::SubIOp>(op))
    return of(0).plus(of(1), -1);
  if (isa<arith::MulIOp>(op))
    return of(0).times(of(1));
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(op))
    return of(0);
  if (isa<arith::CeilDivSIOp, arith::DivSIOp, arith::FloorDivSIOp>(op))
    if (std::optional<SizeFormula> exact = of(0).dividedBy(of(1)))
      return *exact;
  // max(0, n) and the like: written as calls.
  StringRef name = op->getName().stripDialect();
  (void)(name.consume_back("si") || name.consume_back("ui"));
  std::string text = name.str() + "(";
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    text += (i ? ", " : "") + of(i).text();
  return SizeFormula::named(text + ")");
}

SizeFormula EntryValues::formula(Value value) {
  if (!value.getDefiningOp())
    return SizeFormula::named("?");
  auto isDone = [&](Value v) { return formulas.contains(v); };
  for (Operation *op : needed(value, isDone))
    formulas[op->getResult(0)] = formulaOf(op);
  return formulas.lookup(value);
}

} // namespace onnxc::krnl
