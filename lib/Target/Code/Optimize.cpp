//===- Optimize.cpp - The short LLVM pipeline ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Recipes have tiled, unrolled and vectorised; LLVM cleans up. Its unroller and
// vectorisers would spill register tiles, and the rest of -O2 takes twice the
// time for nothing. So would the canonical form of counters: they are in it,
// and the analysis of all sums of dynamic sizes takes longer than all else
// here.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/Code/EmitModule.h"

#include "onnxc/Target/Code/AlignAccesses.h"
#include "onnxc/Target/Code/FenceConversions.h"
#include "onnxc/Target/Code/InterleaveInstances.h"
#include "onnxc/Target/Code/PackBytes.h"
#include "onnxc/Target/Code/SpillAroundLoops.h"
#include "onnxc/Target/Target.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/InferAlignment.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

using namespace llvm;
using onnxc::target::AlignAccessesPass;
using onnxc::target::FenceConversionsPass;
using onnxc::target::InterleaveInstancesPass;
using onnxc::target::PackBytesPass;
using onnxc::target::SpillAroundLoopsPass;

namespace {

/// Hoists loads out of innermost loops that may have no iteration: the loop is
/// rotated, and entered only if the loads of its body are executed. Loops
/// without such loads stay as they are, for rotated ones use more registers.
struct HoistLoadsPass : PassInfoMixin<HoistLoadsPass> {
  PreservedAnalyses run(Loop &loop, LoopAnalysisManager &analyses,
                        LoopStandardAnalysisResults &results,
                        LPMUpdater &updater);
};

} // namespace

/// Whether the load has the same result in each iteration.
static bool isInvariant(const LoadInst &load, const Loop &loop,
                        MemorySSA &memory) {
  if (!load.isUnordered() || !loop.isLoopInvariant(load.getPointerOperand()))
    return false;
  MemoryAccess *writer = memory.getWalker()->getClobberingMemoryAccess(&load);
  return memory.isLiveOnEntryDef(writer) || !loop.contains(writer->getBlock());
}

PreservedAnalyses HoistLoadsPass::run(Loop &loop, LoopAnalysisManager &analyses,
                                      LoopStandardAnalysisResults &results,
                                      LPMUpdater &updater) {
  bool hasLoads = loop.isInnermost() && results.MSSA &&
                  any_of(loop.blocks(), [&](BasicBlock *block) {
                    return any_of(*block, [&](const Instruction &instruction) {
                      auto *load = dyn_cast<LoadInst>(&instruction);
                      return load && isInvariant(*load, loop, *results.MSSA);
                    });
                  });
  if (!hasLoads)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved =
      LoopRotatePass().run(loop, analyses, results, updater);
  preserved.intersect(
      LICMPass(LICMOptions()).run(loop, analyses, results, updater));
  return preserved;
}

static FunctionPassManager shortPipeline(unsigned level, bool quick) {
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(SimplifyCFGPass());
  // InstCombine visits all users of a stack slot each time that one of them has
  // changed, and GVN all checks that leave a function for each that it removes.
  if (quick)
    return passes;
  passes.addPass(InstCombinePass());
  if (level < 2)
    return passes;
  LoopPassManager loops;
  loops.addPass(LICMPass(LICMOptions()));
  loops.addPass(HoistLoadsPass());
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops),
                                                 /*UseMemorySSA=*/true));
  passes.addPass(GVNPass());
  passes.addPass(DSEPass());
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  return passes;
}

/// A function that does the atomic operation on the memory of its first operand
/// and its second one. Calls leave registers and loops as they are.
static Function *outlineUpdate(Module &module, AtomicRMWInst &update) {
  Type *word = update.getValOperand()->getType(),
       *pointer = update.getPointerOperand()->getType();
  auto *type = FunctionType::get(Type::getVoidTy(module.getContext()),
                                 {pointer, word}, /*isVarArg=*/false);
  auto *function = Function::Create(type, GlobalValue::InternalLinkage,
                                    "note_error", module);
  const Triple &triple = module.getTargetTriple();
  function->setCallingConv(triple.isX86() || triple.isAArch64()
                               ? CallingConv::PreserveMost
                               : CallingConv::C);
  function->addFnAttr(Attribute::NoInline);
  function->addFnAttr(Attribute::Cold);
  function->setDoesNotThrow();
  function->setOnlyAccessesArgMemory();
  AttributeList ofCaller = update.getFunction()->getAttributes();
  for (StringRef name : {"target-cpu", "target-features"})
    if (Attribute attribute = ofCaller.getFnAttr(name); attribute.isValid())
      function->addFnAttr(attribute);
  IRBuilder<> b(BasicBlock::Create(module.getContext(), "", function));
  b.CreateAtomicRMW(update.getOperation(), function->getArg(0),
                    function->getArg(1), update.getAlign(),
                    AtomicOrdering::Monotonic);
  b.CreateRetVoid();
  return function;
}

/// Atomic operations note errors alone, which are read after all threads have
/// been waited for, so they order no other access. Where they would be loops
/// within a loop they are called. Without an operating system, where nothing
/// starts threads, they become loads and stores: not every processor there has
/// operations of 64 bits, and those of LLVM's runtime are not linked.
static void expandAtomics(Module &module) {
  const Triple &triple = module.getTargetTriple();
  SmallVector<AtomicRMWInst *> updates;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *update = dyn_cast<AtomicRMWInst>(&instruction))
        updates.push_back(update);
  Function *noted = nullptr;
  for (AtomicRMWInst *update : updates) {
    update->setOrdering(AtomicOrdering::Monotonic);
    if (!onnxc::target::hasOperatingSystem(triple)) {
      lowerAtomicRMWInst(update);
    } else if (!triple.isNVPTX() &&
               update->getOperation() == AtomicRMWInst::UMin &&
               update->use_empty()) {
      if (!noted)
        noted = outlineUpdate(module, *update);
      IRBuilder<> b(update);
      CallInst *call = b.CreateCall(
          noted, {update->getPointerOperand(), update->getValOperand()});
      call->setCallingConv(noted->getCallingConv());
      update->eraseFromParent();
    }
  }
}

/// Passes for the instructions of a target, which see what the others leave.
static FunctionPassManager targetPipeline(const TargetMachine &target,
                                          unsigned level) {
  FunctionPassManager passes;
  const Triple &triple = target.getTargetTriple();
  // Of a GPU, only aligned vectors are one access.
  if (triple.isNVPTX() && level > 0) {
    passes.addPass(InferAddressSpacesPass());
    passes.addPass(InferAlignmentPass());
    passes.addPass(AlignAccessesPass());
    passes.addPass(PackBytesPass());
  }
  if (triple.isThumb() && target.getMCSubtargetInfo()->checkFeatures("+mve.fp"))
    passes.addPass(FenceConversionsPass());
  if (!triple.isNVPTX() && level > 1) {
    passes.addPass(InterleaveInstancesPass());
    passes.addPass(SpillAroundLoopsPass());
  }
  return passes;
}

void onnxc::target::optimizeModule(Module &module, TargetMachine &target,
                                   unsigned level, bool quick) {
  expandAtomics(module);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager callGraph;
  ModuleAnalysisManager modules;
  PassBuilder builder(&target);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  FunctionPassManager passes;
  if (level > 0)
    passes = shortPipeline(level, quick);
  passes.addPass(targetPipeline(target, level));
  createModuleToFunctionPassAdaptor(std::move(passes)).run(module, modules);
}
