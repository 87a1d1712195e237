//===- SpillAroundLoops.cpp - Registers of innermost loops ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//   %a = phi ... loop of 12 sums      %a = phi ... loop of 12 sums
//                                     store %a, %slot
//   %b = phi ... loop of 12 sums  ->  %b = phi ... loop of 12 sums
//                                     %c = load %slot
//   fmul %a, %b                       fmul %c, %b
//
// What is the same each time, made before the loops around or a constant whose
// load the code generator moves there, would wait in registers, too: it is
// stored once and read after the loop.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/Code/SpillAroundLoops.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace onnxc::target {

namespace {
class LoopSpiller {
public:
  LoopSpiller(Function &function, FunctionAnalysisManager &analyses)
      : function(function),
        dominators(analyses.getResult<DominatorTreeAnalysis>(function)),
        loops(analyses.getResult<LoopAnalysis>(function)),
        costs(analyses.getResult<TargetIRAnalysis>(function)),
        registerBits(
            costs.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector)
                .getFixedValue()) {}

  bool run();

private:
  int64_t registersOf(const Type *type) const;
  int64_t registersOf(const Value *value) const;
  int64_t registersIn(const Loop &loop,
                      ArrayRef<const BasicBlock *> chain) const;
  void collectCrossing();
  bool isOnlyUsedAfter(Instruction *value, const Loop &loop,
                       BasicBlock *exit) const;
  bool isInvariant(const Value *value, const Loop &loop) const;
  SmallVector<Value *> invariantsAfter(const Loop &loop,
                                       BasicBlock *exit) const;
  bool spillAround(Loop &loop);
  void spill(Instruction *value, BasicBlock *before, BasicBlock *exit);
  void spillOnce(Value *value);

  Function &function;
  DominatorTree &dominators;
  LoopInfo &loops;
  const TargetTransformInfo &costs;
  int64_t registerBits;
  /// Vectors with uses in another block than their own.
  SmallVector<Instruction *> crossing;
};
} // namespace

/// The number of vector registers that a value of the type takes; 0 if it is no
/// vector.
int64_t LoopSpiller::registersOf(const Type *type) const {
  if (!isa<FixedVectorType>(type))
    return 0;
  int64_t bits = type->getPrimitiveSizeInBits().getFixedValue();
  return int64_t(divideCeil(bits, registerBits));
}

/// The same of a value that is computed.
int64_t LoopSpiller::registersOf(const Value *value) const {
  return isa<Instruction, Argument>(value) ? registersOf(value->getType()) : 0;
}

/// The blocks of the loop in their order; none if there are branches in it.
static SmallVector<const BasicBlock *> chainOf(const Loop &loop) {
  SmallVector<const BasicBlock *> chain{loop.getHeader()};
  while (chain.size() < loop.getNumBlocks()) {
    const BasicBlock *next = nullptr;
    for (const BasicBlock *successor : successors(chain.back())) {
      if (!loop.contains(successor))
        continue;
      if (next || successor == loop.getHeader())
        return {};
      next = successor;
    }
    chain.push_back(next);
  }
  return chain;
}

/// The number of vector registers that the blocks of the loop need: those of
/// the values that are live at once, in the order of the instructions, and of
/// what they read from outside.
int64_t LoopSpiller::registersIn(const Loop &loop,
                                 ArrayRef<const BasicBlock *> chain) const {
  SmallPtrSet<const Value *, 32> live, outside;
  int64_t now = 0, all = 0, ofOutside = 0;
  auto use = [&](const Value *value) {
    auto *instruction = dyn_cast<Instruction>(value);
    if (instruction && loop.contains(instruction))
      now += live.insert(value).second ? registersOf(value) : 0;
    else if (outside.insert(value).second)
      ofOutside += registersOf(value);
  };
  auto useAfterLoop = [&](const Instruction &instruction) {
    if (any_of(instruction.users(), [&](const User *user) {
          return !loop.contains(cast<Instruction>(user));
        }))
      use(&instruction);
  };
  for (const PHINode &phi : loop.getHeader()->phis())
    use(phi.getIncomingValueForBlock(chain.back()));
  for (const BasicBlock *block : reverse(chain)) {
    if (loop.isLoopExiting(block))
      for (const BasicBlock *before : chain)
        if (dominators.dominates(before, block))
          for_each(*before, useAfterLoop);
    for (const Instruction &instruction : reverse(*block)) {
      all = std::max(all, now);
      if (isa<PHINode>(instruction))
        break;
      now -= live.erase(&instruction) ? registersOf(&instruction) : 0;
      for_each(instruction.operand_values(), use);
    }
  }
  return std::max(all, now) + ofOutside;
}

void LoopSpiller::collectCrossing() {
  for (Instruction &instruction : instructions(function))
    if (registersOf(&instruction) > 0 &&
        any_of(instruction.users(), [&](const User *user) {
          return cast<Instruction>(user)->getParent() !=
                 instruction.getParent();
        }))
      crossing.push_back(&instruction);
}

/// Returns true if the value is there before the loop, and no run uses it again
/// until it has come to `exit`, which comes after the loop. A run that comes
/// back to the loop has another value, as it is made inside of the loop around.
bool LoopSpiller::isOnlyUsedAfter(Instruction *value, const Loop &loop,
                                  BasicBlock *exit) const {
  const Loop *around = loop.getParentLoop(),
             *own = loops.getLoopFor(value->getParent());
  if (loop.contains(value) || (around && !around->contains(value)) ||
      !dominators.dominates(value, loop.getHeader()))
    return false;
  bool isUsed = false;
  for (const Use &use : value->uses()) {
    auto *user = cast<Instruction>(use.getUser());
    auto *phi = dyn_cast<PHINode>(user);
    BasicBlock *block = phi ? phi->getIncomingBlock(use) : user->getParent();
    if (loop.contains(block) || loop.contains(user))
      return false;
    bool isBefore = (own != around && own->contains(block)) ||
                    dominators.dominates(block, loop.getHeader());
    bool isAfter = dominators.dominates(exit, block);
    if (!isBefore && !isAfter)
      return false;
    isUsed |= isAfter;
  }
  return isUsed;
}

/// Returns true for a vector that is made outside of the loop around and not
/// read inside of the loop: one that is computed, or a constant of floats.
/// Integers may have to be constants where they are read.
bool LoopSpiller::isInvariant(const Value *value, const Loop &loop) const {
  if (registersOf(value->getType()) == 0)
    return false;
  if (auto *constant = dyn_cast<Constant>(value))
    return constant->getType()->isFPOrFPVectorTy() &&
           !isa<UndefValue>(constant) && !constant->isNullValue();
  auto *instruction = dyn_cast<Instruction>(value);
  return instruction && !loop.getParentLoop()->contains(instruction) &&
         none_of(instruction->users(), [&](const User *user) {
           return loop.contains(cast<Instruction>(user));
         });
}

/// The vectors that are the same each time and read more than once after the
/// loop, inside of the loop around; one that is read once is an operand in
/// memory.
SmallVector<Value *> LoopSpiller::invariantsAfter(const Loop &loop,
                                                  BasicBlock *exit) const {
  MapVector<Value *, unsigned> reads;
  const Loop *around = loop.getParentLoop();
  if (!around)
    return {};
  for (BasicBlock *block : around->blocks()) {
    if (!dominators.dominates(exit, block))
      continue;
    for (Instruction &instruction : *block)
      for (Use &use : instruction.operands())
        if (!isa<PHINode>(instruction) && isInvariant(use, loop))
          ++reads[use];
  }
  SmallVector<Value *> found;
  for (auto [value, count] : reads)
    if (count > 1)
      found.push_back(value);
  return found;
}

/// Stores the value where it is made, a constant at the beginning of the
/// function. All blocks but those of innermost loops read it from there: in
/// another one it would wait in a register from the first loop on.
void LoopSpiller::spillOnce(Value *value) {
  IRBuilder<> b(&*function.getEntryBlock().getFirstInsertionPt());
  AllocaInst *slot = b.CreateAlloca(value->getType());
  auto *made = dyn_cast<Instruction>(value);
  if (made)
    b.SetInsertPoint(*made->getInsertionPointAfterDef());
  StoreInst *store = b.CreateStore(value, slot);
  for (BasicBlock &block : function) {
    const Loop *loop = loops.getLoopFor(&block);
    if ((loop && loop->isInnermost()) || (made && made->getParent() == &block))
      continue;
    LoadInst *again = nullptr;
    for (Instruction &instruction : block) {
      if (&instruction == store || isa<PHINode>(instruction) ||
          !is_contained(instruction.operands(), value))
        continue;
      if (!again) {
        b.SetInsertPoint(&instruction);
        again = b.CreateLoad(value->getType(), slot);
      }
      instruction.replaceUsesOfWith(value, again);
    }
  }
}

void LoopSpiller::spill(Instruction *value, BasicBlock *before,
                        BasicBlock *exit) {
  IRBuilder<> b(&*function.getEntryBlock().getFirstInsertionPt());
  AllocaInst *slot = b.CreateAlloca(value->getType());
  b.SetInsertPoint(before->getTerminator());
  b.CreateStore(value, slot);
  b.SetInsertPoint(exit, exit->getFirstInsertionPt());
  LoadInst *again = b.CreateLoad(value->getType(), slot);
  value->replaceUsesWithIf(
      again, [&](Use &use) { return dominators.dominates(again, use); });
  crossing.push_back(again);
}

bool LoopSpiller::spillAround(Loop &loop) {
  BasicBlock *exit = loop.getUniqueExitBlock();
  SmallVector<const BasicBlock *> chain = chainOf(loop);
  if (chain.empty() || !exit)
    return false;
  int64_t excess = registersIn(loop, chain);
  SmallVector<Instruction *> waiting;
  for (Instruction *value : crossing)
    if (isOnlyUsedAfter(value, loop, exit)) {
      waiting.push_back(value);
      excess += registersOf(value);
    }
  SmallVector<Value *> invariants = invariantsAfter(loop, exit);
  for (const Value *value : invariants)
    excess += registersOf(value->getType());
  excess -= costs.getNumberOfRegisters(
      costs.getRegisterClassForType(/*Vector=*/true));
  bool isChanged = false;
  for (Value *value : invariants)
    if (excess > 0) {
      excess -= registersOf(value->getType());
      spillOnce(value);
      isChanged = true;
    }
  if (excess <= 0 || waiting.empty())
    return isChanged;
  // A rotated loop that may have no iteration is passed by on another way.
  BasicBlock *before = dominators.getNode(exit)->getIDom()->getBlock();
  if (loop.contains(before))
    before = loop.getLoopPreheader();
  if (!before)
    before = InsertPreheaderForLoop(&loop, &dominators, &loops,
                                    /*MSSAU=*/nullptr, /*PreserveLCSSA=*/false);
  if (!before)
    return isChanged;
  for (Instruction *value : waiting)
    if (excess > 0) {
      excess -= registersOf(value);
      spill(value, before, exit);
    }
  return true;
}

bool LoopSpiller::run() {
  if (registerBits == 0)
    return false;
  collectCrossing();
  bool isChanged = false;
  for (Loop *loop : loops.getLoopsInPreorder())
    if (loop->isInnermost())
      isChanged |= spillAround(*loop);
  return isChanged;
}

PreservedAnalyses SpillAroundLoopsPass::run(Function &function,
                                            FunctionAnalysisManager &analyses) {
  bool isChanged =
      !function.isDeclaration() && LoopSpiller(function, analyses).run();
  return isChanged ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace onnxc::target
