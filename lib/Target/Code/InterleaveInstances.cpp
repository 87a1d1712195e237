//===- InterleaveInstances.cpp - Instances of one payload -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//   %a0 = load %x                      %a0 = load %x
//   %a1 = fma %a0, c1, c0              %b0 = load %x.8
//   %a2 = fma %a1, %a0, c2     ->      %a1 = fma %a0, c1, c0
//   store %a2, %y                      %b1 = fma %b0, c1, c0
//   %b0 = load %x.8                    ...
//   ...
//
// An instance is what vectors of one basic block connect. Numbers, such as
// indices, stay where they are, before all that moves down past them.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/Code/InterleaveInstances.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace onnxc::target {

namespace {
/// The instructions of an instance, in their order.
using Instance = SmallVector<Instruction *>;

class Interleaver {
public:
  Interleaver(Function &function, FunctionAnalysisManager &analyses)
      : aliases(analyses.getResult<AAManager>(function)),
        registers(numberOfRegisters(function, analyses)) {}

  bool run(BasicBlock &block);

private:
  static int64_t numberOfRegisters(Function &function,
                                   FunctionAnalysisManager &analyses);
  bool keepsOrder(ArrayRef<Instance> group) const;

  AAResults &aliases;
  int64_t registers;
};
} // namespace

/// Shorter sequences overlap in the processor as they are.
static constexpr size_t minLength = 12;
/// More of them at once hide no more of their waiting.
static constexpr size_t maxInstances = 4;

int64_t Interleaver::numberOfRegisters(Function &function,
                                       FunctionAnalysisManager &analyses) {
  const auto &costs = analyses.getResult<TargetIRAnalysis>(function);
  return costs.getNumberOfRegisters(
      costs.getRegisterClassForType(/*Vector=*/true));
}

static bool isMember(const Value *value, const BasicBlock &block) {
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || instruction->getParent() != &block ||
      isa<PHINode>(instruction))
    return false;
  auto *store = dyn_cast<StoreInst>(instruction);
  const Value *vector = store ? store->getValueOperand() : instruction;
  return isa<FixedVectorType>(vector->getType());
}

/// In the order of their first instructions.
static SmallVector<Instance> instancesOf(BasicBlock &block) {
  EquivalenceClasses<Instruction *> classes;
  for (Instruction &instruction : block) {
    if (!isMember(&instruction, block))
      continue;
    classes.insert(&instruction);
    for (Value *operand : instruction.operands())
      if (isMember(operand, block))
        classes.unionSets(&instruction, cast<Instruction>(operand));
  }
  MapVector<Instruction *, Instance> instances;
  for (Instruction &instruction : block)
    if (isMember(&instruction, block))
      instances[classes.getLeaderValue(&instruction)].push_back(&instruction);
  SmallVector<Instance> all;
  for (auto &[leader, instance] : instances)
    all.push_back(std::move(instance));
  return all;
}

static bool areAlike(const Instance &x, const Instance &y) {
  return x.size() == y.size() && all_of(zip(x, y), [](auto pair) {
           return std::get<0>(pair)->isSameOperationAs(
               std::get<1>(pair), Instruction::CompareIgnoringAlignment);
         });
}

/// The most values of the instance that are live at once, and the vectors that
/// it reads from elsewhere.
static int64_t registersOf(const Instance &instance) {
  SmallPtrSet<const Value *, 16> all(instance.begin(), instance.end()), live,
      outside;
  unsigned most = 0;
  for (const Instruction *instruction : reverse(instance)) {
    live.erase(instruction);
    for (const Value *operand : instruction->operands())
      if (all.contains(operand))
        live.insert(operand);
      else if (isa<FixedVectorType>(operand->getType()) &&
               !isa<Constant>(operand))
        outside.insert(operand);
    most = std::max(most, live.size());
  }
  return most + outside.size();
}

/// Returns true for a function: constants are operands of at least half of its
/// instructions. Sums of products share registers already.
static bool hasManyConstants(const Instance &instance) {
  auto readsConstant = [](const Instruction *instruction) {
    return any_of(instruction->operands(), [](const Value *operand) {
      return isa<Constant>(operand) && isa<FixedVectorType>(operand->getType());
    });
  };
  return 2 * size_t(count_if(instance, readsConstant)) >= instance.size();
}

/// Returns true if nothing else than the instance reads its values before the
/// end of the block.
static bool isClosed(const Instance &instance) {
  const BasicBlock *block = instance.front()->getParent();
  return all_of(instance, [&](const Instruction *value) {
    return all_of(value->users(), [&](const User *user) {
      return cast<Instruction>(user)->getParent() != block ||
             isa<PHINode>(user) || isMember(user, *block);
    });
  });
}

/// Returns true if memory is read and written as before when the instances have
/// moved down to the last instruction of all.
bool Interleaver::keepsOrder(ArrayRef<Instance> group) const {
  DenseMap<const Instruction *, size_t> instanceOf;
  Instruction *first = group.front().front(), *last = first;
  for (auto [number, instance] : enumerate(group)) {
    for (Instruction *instruction : instance)
      instanceOf[instruction] = number;
    if (last->comesBefore(instance.back()))
      last = instance.back();
  }
  SmallVector<StoreInst *> stores;
  SmallVector<Instruction *> accesses;
  for (Instruction &instruction :
       make_range(first->getIterator(), std::next(last->getIterator()))) {
    auto *store = dyn_cast<StoreInst>(&instruction);
    bool isPlain = store && store->isSimple() && instanceOf.contains(store);
    if (isPlain)
      stores.push_back(store);
    else if (instruction.mayHaveSideEffects())
      return false;
    if (instruction.mayReadOrWriteMemory())
      accesses.push_back(&instruction);
  }
  return all_of(stores, [&](StoreInst *store) {
    return all_of(accesses, [&](Instruction *access) {
      auto number = instanceOf.find(access);
      bool isOwn =
          number != instanceOf.end() && number->second == instanceOf.at(store);
      return isOwn || !isModOrRefSet(aliases.getModRefInfo(
                          access, MemoryLocation::get(store)));
    });
  });
}

static void interleave(ArrayRef<Instance> group) {
  Instruction *last = group.front().back();
  for (const Instance &instance : group)
    if (last->comesBefore(instance.back()))
      last = instance.back();
  BasicBlock::iterator end = std::next(last->getIterator());
  for (size_t i : seq(group.front().size()))
    for (const Instance &instance : group)
      instance[i]->moveBefore(*last->getParent(), end);
}

bool Interleaver::run(BasicBlock &block) {
  SmallVector<Instance> all = instancesOf(block);
  bool isChanged = false;
  for (size_t i = 0; i < all.size();) {
    size_t begin = i++;
    const Instance &like = all[begin];
    if (like.size() < minLength || !hasManyConstants(like) || !isClosed(like))
      continue;
    size_t count = std::min<size_t>(
        maxInstances,
        size_t(registers / std::max<int64_t>(registersOf(like), 1)));
    while (i < all.size() && i - begin < count && areAlike(like, all[i]) &&
           isClosed(all[i]))
      ++i;
    ArrayRef<Instance> group = ArrayRef(all).slice(begin, i - begin);
    if (group.size() < 2 || !keepsOrder(group))
      continue;
    interleave(group);
    isChanged = true;
  }
  return isChanged;
}

PreservedAnalyses
InterleaveInstancesPass::run(Function &function,
                             FunctionAnalysisManager &analyses) {
  if (function.isDeclaration())
    return PreservedAnalyses::all();
  Interleaver interleaver(function, analyses);
  bool isChanged = false;
  for (BasicBlock &block : function)
    isChanged |= interleaver.run(block);
  if (!isChanged)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace onnxc::target
