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
#include "onnxc/Conversion/ExpandMath/Passes.h"
#include "onnxc/Conversion/KrnlToLLVM/Passes.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Conversion/ONNXToKrnl/Passes.h"
#include "onnxc/Dialect/Krnl/Emit/Passes.h"
#include "onnxc/Dialect/Krnl/Transforms/Passes.h"
#include "onnxc/Dialect/ONNX/Ranks/Passes.h"
#include "onnxc/Dialect/ONNX/Transforms/Passes.h"
#include "onnxc/Importer/Passes.h"
#include "onnxc/Recipe/Passes.h"
#include "onnxc/Recipe/TabulateBytes.h"
#include "onnxc/Training/Passes.h"

using namespace mlir;
using namespace onnxc;

static void buildOnnx(OpPassManager &passes, const CompileOptions &options) {
  onnx::Evaluator evaluator;
  if (options.level > 0)
    evaluator = makeEvaluator(options);
  passes.addPass(training::createExpandGradient());
  if (!options.strictDims)
    passes.addPass(onnx::createSplitDimNames());
  // A model file has the graph once, for all ranks.
  if (options.emit == modelKind) {
    passes.addPass(onnx::createSimplify(evaluator));
    return;
  }
  passes.addPass(onnx::createCheckDeclaredRanks());
  passes.addPass(onnx::createSpecializeRanks(evaluator));
  // Operators without a lowering are replaced by their function bodies.
  passes.addPass(importer::createExpandFunctions(
      [strict = options.strict](MLIRContext *context) {
        return directlyLoweredForms(context, strict);
      }));
  if (options.level > 0 && !options.strict) {
    passes.addPass(createSelectTargetPass(options, /*nest=*/false));
    passes.addPass(onnx::createFuseQuantization());
  }
  passes.addPass(onnx::createSpecializeRanks(evaluator));
}

/// The choice of how each kernel is executed.
static void addRecipes(OpPassManager &target, const CompileOptions &options) {
  if (options.level > 1) {
    target.addPass(createKrnlVersionKernelsPass({options.strict}));
    target.addPass(createKrnlSplitFactorsPass({options.strict}));
    target.addPass(createKrnlOrderConstantsPass());
    target.addPass(createKrnlFoldPaddingPass());
    target.addPass(createKrnlSplitReductionsPass({options.strict}));
    target.addPass(createKrnlSplitRowsPass({options.strict}));
    target.addPass(createKrnlJoinPartsPass());
    target.addPass(createKrnlJoinSiblingsPass({options.strict}));
  }
  KrnlWriteRecipesPassOptions write;
  write.choose = options.level > 0;
  write.keepOrder = options.strict;
  write.recipes = options.recipes;
  write.emitRecipes = options.emitRecipes;
  target.addPass(createKrnlWriteRecipesPass(write));
  if (options.level > 1)
    target.addPass(krnl::createKrnlMergePass());
  target.addPass(krnl::createKrnlLimitStackPass());
}

/// Turns operators into kernels, and sizes into values of the host program.
static void addKernels(OpPassManager &target, const CompileOptions &options) {
  target.addPass(onnx::createSplitConvTranspose());
  if (options.level > 1 && !options.strict) {
    target.addPass(onnx::createFuseMasks());
    target.addPass(createONNXChooseConvolutionsPass());
  }
  if (options.level > 0)
    target.addPass(createONNXChoosePoolsPass({options.strict}));
  target.addPass(createConvertONNXToKrnlPass());
  target.addPass(krnl::createKrnlCheckSizesPass());
  // Sizes of results become sizes of the operands, so that equal sizes are the
  // same value and there is no copy between kernels.
  target.addPass(krnl::createKrnlSimplifyHostPass());
  target.addPass(krnl::createKrnlResolveSizesPass());
  target.addPass(onnx::createShareInputSizes());
  target.addPass(krnl::createKrnlCSEPass());
  target.addPass(krnl::createKrnlSimplifyHostPass());
  // Branches that are gone leave sizes of the results that they gave.
  target.addPass(krnl::createKrnlResolveSizesPass());
  target.addPass(krnl::createKrnlRefuseFailuresPass());
  if (options.realTime)
    target.addPass(krnl::createKrnlCheckRealTimePass());
  target.addPass(krnl::createKrnlCSEPass());
}

/// Fuses kernels, and chooses the layouts of tensors between them.
static void addFusion(OpPassManager &target, const CompileOptions &options) {
  krnl::KrnlFusePassOptions fuse;
  // Loops are collapsed once the layouts of tensors are known.
  if (options.level > 1 && !options.strict) {
    fuse.collapse = false;
    fuse.attention = true;
    target.addPass(krnl::createKrnlFusePass(fuse));
    target.addPass(createKrnlFoldMasksPass());
    target.addPass(createKrnlJoinAttentionPass());
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

static void buildKrnl(OpPassManager &passes, const CompileOptions &options) {
  passes.addPass(createSelectTargetPass(options, /*nest=*/true));
  OpPassManager &target = passes.nest<ModuleOp>();
  addKernels(target, options);
  if (options.level > 0)
    addFusion(target, options);
  // Tables are computed for all targets at once, outside of their threads.
  if (options.level > 1)
    passes.addPass(createTabulateBytes(makeEvaluator(options)));
  addRecipes(passes.nest<ModuleOp>(), options);
}

/// Each function for itself: one that needs another round needs it alone, and
/// threads share the work.
static void addCleanUp(OpPassManager &target) {
  target.addNestedPass<func::FuncOp>(krnl::createKrnlCSEPass());
  target.addNestedPass<func::FuncOp>(createCanonicalizerPass());
}

static void buildLoops(OpPassManager &passes, const CompileOptions &options) {
  OpPassManager &target = passes.nest<ModuleOp>();
  target.addPass(krnl::createKrnlShareConstantsPass());
  target.addPass(createKrnlAnnotateCostsPass());
  krnl::KrnlLowerKernelsPassOptions lower;
  lower.strict = options.strict;
  target.addPass(krnl::createKrnlLowerKernelsPass(lower));
  addCleanUp(target);
  target.addPass(krnl::createKrnlBufferizeHostPass());
  addCleanUp(target);
  target.addPass(krnl::createKrnlPlanMemoryPass({options.explainNodes}));
  target.addNestedPass<func::FuncOp>(krnl::createKrnlCSEPass());
  target.addPass(krnl::createKrnlCountObjectsPass());
  target.addPass(krnl::createKrnlFormParallelRegionsPass());
  passes.addPass(krnl::createKrnlShareWeightsPass());
  // Constants have the same places on the device.
  if (options.hasDevice() && !options.emitsKernels())
    passes.nest<ModuleOp>().addPass(krnl::createKrnlPlaceLaunchesPass());
}

static void buildLLVM(OpPassManager &passes, const CompileOptions &options) {
  OpPassManager &target = passes.nest<ModuleOp>();
  target.addNestedPass<func::FuncOp>(
      createKrnlExpandMathPass({options.strict}));
  ConvertKrnlToLLVMPassOptions convert;
  convert.profile = options.profile;
  convert.kernelsOnly = options.emitsKernels();
  target.addPass(createConvertKrnlToLLVMPass(convert));
}

static constexpr Phase phaseTable[] = {
    // name, property that holds afterwards, builder, contract, about the model,
    // verified after each pass
    {"onnx-basic", "the model, as written, newest opset", nullptr, isOnnxOnly,
     true, true},
    {"onnx", "shapes known where knowable, graph simplified", buildOnnx,
     isOnnxTyped, true, true},
    {"krnl", "host program and kernels; every kernel has a recipe", buildKrnl,
     isKrnlOnly, true, false},
    {"loops", "recipes carried out: loops, vectors and buffers", buildLoops,
     isLoopsOnly, false, false},
    {"llvm", "the LLVM dialect, nothing else", buildLLVM, isLLVMOnly, false,
     false},
};

ArrayRef<Phase> onnxc::phases() { return phaseTable; }

size_t onnxc::phaseNumber(StringRef name) {
  size_t number = 0;
  for (const Phase &phase : phases()) {
    if (phase.name == name)
      break;
    ++number;
  }
  return number;
}

size_t onnxc::lastPhase(StringRef emit) {
  size_t number = phaseNumber(emit == modelKind ? "onnx" : emit);
  return std::min(number, phases().size() - 1);
}

SmallVector<ModuleOp> onnxc::targetModules(ModuleOp module) {
  SmallVector<ModuleOp> nested(module.getOps<ModuleOp>());
  if (nested.empty())
    nested.push_back(module);
  return nested;
}

LogicalResult onnxc::runPasses(const Phase &phase, ModuleOp module,
                               const CompileOptions &options,
                               PassObservers observers) {
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  bool verifiesEach = phase.verifiesEach || options.verifyEach;
  passes.enableVerifier(verifiesEach);
  phase.build(passes, options);
  for (std::unique_ptr<PassInstrumentation> &observer : observers)
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
          phase.build(passes, options);
          return success();
        },
        [](function_ref<void(const detail::PassOptions &)>) {});
  }
}
