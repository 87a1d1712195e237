//===- Phases.cpp - The table of phases ------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Pipeline/Phases.h"

#include "Contracts.h"
#include "Evaluate.h"
#include "SelectTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "onnxc/Conversion/KrnlToLLVM/Passes.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Conversion/ONNXToKrnl/Passes.h"
#include "onnxc/Dialect/Krnl/Emit/Passes.h"
#include "onnxc/Dialect/Krnl/Transforms/Passes.h"
#include "onnxc/Dialect/ONNX/Ranks/Passes.h"
#include "onnxc/Dialect/ONNX/Transforms/Passes.h"
#include "onnxc/Importer/Passes.h"
#include "onnxc/Recipe/Passes.h"
#include "onnxc/Training/Passes.h"

using namespace mlir;
using namespace onnxc;

static void buildOnnx(OpPassManager &passes, const PhaseInputs &inputs) {
  onnx::Evaluator evaluator;
  if (inputs.options.level > 0)
    evaluator = makeEvaluator(inputs.options);
  passes.addPass(training::createExpandGradient());
  if (!inputs.options.strictDims)
    passes.addPass(onnx::createSplitDimNames());
  // A model file has the graph once, whatever the ranks.
  if (inputs.options.emit == modelKind) {
    passes.addPass(onnx::createSimplify(evaluator));
    return;
  }
  passes.addPass(onnx::createCheckDeclaredRanks());
  passes.addPass(onnx::createSpecializeRanks(evaluator));
  // Operators without a lowering of their own become what defines them.
  passes.addPass(importer::createExpandFunctions(
      [strict = inputs.options.strict](MLIRContext *context) {
        return directlyLoweredForms(context, strict);
      }));
  if (inputs.options.level > 0 && !inputs.options.strict)
    passes.addPass(onnx::createFuseQuantization());
  passes.addPass(onnx::createSpecializeRanks(evaluator));
}

static void buildKrnl(OpPassManager &passes, const PhaseInputs &inputs) {
  passes.addPass(createSelectTargetPass(inputs.machine));
  OpPassManager &target = passes.nest<ModuleOp>();
  if (inputs.options.level > 1 && !inputs.options.strict)
    target.addPass(createONNXChooseConvolutionsPass());
  target.addPass(createConvertONNXToKrnlPass());
  target.addPass(krnl::createKrnlCheckSizesPass());
  // Sizes of results become sizes of what they are made from, so that equal
  // ones are seen to be equal and no copy stands between kernels.
  target.addPass(krnl::createKrnlSimplifyHostPass());
  target.addPass(krnl::createKrnlResolveSizesPass());
  target.addPass(onnx::createShareInputSizes());
  target.addPass(krnl::createKrnlCSEPass());
  target.addPass(krnl::createKrnlSimplifyHostPass());
  // Branches that are gone leave sizes of the results that they gave.
  target.addPass(krnl::createKrnlResolveSizesPass());
  target.addPass(krnl::createKrnlRefuseFailuresPass());
  target.addPass(krnl::createKrnlCSEPass());
  if (inputs.options.level > 0) {
    krnl::KrnlFusePassOptions fuse;
    // Loops are collapsed once it is known how tensors lie in memory.
    if (inputs.options.level > 1 && !inputs.options.strict) {
      fuse.collapse = false;
      fuse.attention = true;
      target.addPass(krnl::createKrnlFusePass(fuse));
      target.addPass(krnl::createKrnlSimplifyHostPass());
      target.addPass(krnl::createKrnlCSEPass());
      target.addPass(krnl::createKrnlFoldCopiesPass());
      target.addPass(krnl::createKrnlChooseLayoutsPass());
      fuse.collapse = true;
      fuse.attention = false;
    }
    target.addPass(krnl::createKrnlFusePass(fuse));
    target.addPass(krnl::createKrnlSimplifyHostPass());
    target.addPass(krnl::createKrnlCSEPass());
  }
  KrnlWriteRecipesPassOptions write;
  write.triple = inputs.machine.triple;
  write.cpu = inputs.machine.cpu;
  write.features = target::requiredFeatures(inputs.machine);
  write.choose = inputs.options.level > 0;
  write.keepOrder = inputs.options.strict;
  write.recipes = inputs.options.recipes;
  write.emitRecipes = inputs.options.emitRecipes;
  target.addPass(createKrnlWriteRecipesPass(write));
  if (inputs.options.level > 1)
    target.addPass(krnl::createKrnlMergePass());
}

/// Each function for itself: one that needs another round needs it alone, and
/// threads share the work.
static void addCleanUp(OpPassManager &target) {
  target.addNestedPass<func::FuncOp>(krnl::createKrnlCSEPass());
  target.addNestedPass<func::FuncOp>(createCanonicalizerPass());
}

static void buildLoops(OpPassManager &passes, const PhaseInputs &inputs) {
  OpPassManager &target = passes.nest<ModuleOp>();
  krnl::KrnlLowerKernelsPassOptions lower;
  lower.strict = inputs.options.strict;
  lower.vectorBytes = nativeVectorBytes(inputs.machine);
  target.addPass(krnl::createKrnlLowerKernelsPass(lower));
  addCleanUp(target);
  target.addPass(krnl::createKrnlBufferizeHostPass());
  addCleanUp(target);
  target.addPass(krnl::createKrnlPlanMemoryPass());
  target.addNestedPass<func::FuncOp>(krnl::createKrnlCSEPass());
  target.addPass(krnl::createKrnlCountObjectsPass());
  target.addPass(krnl::createKrnlFormRegionsPass());
}

static void buildLLVM(OpPassManager &passes, const PhaseInputs &) {
  OpPassManager &target = passes.nest<ModuleOp>();
  target.addNestedPass<func::FuncOp>(createKrnlExpandMathPass());
  target.addPass(createConvertKrnlToLLVMPass());
}

static constexpr Phase phaseTable[] = {
    // name, what holds afterwards, builder, contract, about the model
    {"onnx-basic", "the model, as written, newest opset", nullptr, isOnnxOnly,
     true},
    {"onnx", "shapes known where knowable, graph simplified", buildOnnx,
     isOnnxTyped, true},
    {"krnl", "host program and kernels; every kernel has a recipe", buildKrnl,
     isKrnlOnly, true},
    {"loops", "recipes carried out: loops, vectors and buffers", buildLoops,
     isLoopsOnly, false},
    {"llvm", "the LLVM dialect, nothing else", buildLLVM, isLLVMOnly, false},
};

ArrayRef<Phase> onnxc::phases() { return phaseTable; }

SmallVector<ModuleOp> onnxc::targetModules(ModuleOp module) {
  SmallVector<ModuleOp> nested(module.getOps<ModuleOp>());
  if (nested.empty())
    nested.push_back(module);
  return nested;
}

LogicalResult onnxc::runPasses(const Phase &phase, ModuleOp module,
                               const PhaseInputs &inputs,
                               std::unique_ptr<PassInstrumentation> observer) {
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  bool verifiesEach = phase.isAboutModel || inputs.options.verifyEach;
  passes.enableVerifier(verifiesEach);
  phase.build(passes, inputs);
  if (observer)
    passes.addInstrumentation(std::move(observer));
  if (failed(passes.run(module)))
    return failure();
  return verifiesEach ? success() : verify(module);
}

void onnxc::registerPhasePipelines() {
  for (const Phase &phase : phases()) {
    if (!phase.build)
      continue;
    registerPassPipeline(
        ("phase-" + phase.name).str(), phase.meaning,
        [&phase](
            OpPassManager &passes, StringRef text,
            function_ref<LogicalResult(const Twine &)> error) -> LogicalResult {
          CompileOptions options;
          SmallVector<StringRef> words;
          text.split(words, ' ', -1, /*KeepEmpty=*/false);
          for (StringRef word : words) {
            auto [key, value] = word.split('=');
            if (llvm::Error failed = setOption(options, key, value))
              return error(llvm::toString(std::move(failed)));
          }
          llvm::Expected<target::Machine> machine = target::resolveMachine(
              options.triple, options.cpu, options.features, options.level);
          if (!machine)
            return error(llvm::toString(machine.takeError()));
          phase.build(passes, {options, *machine});
          return success();
        },
        [](function_ref<void(const detail::PassOptions &)>) {});
  }
}
