//===- KrnlToLLVM.cpp - The conversion to the LLVM dialect -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Every function is converted on its own, in a module of its own, by all
// threads at once; only then do they meet again.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Conversion/KrnlToLLVM/Passes.h"

#include "Lowering.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ComplexToLLVM/ComplexToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Threading.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/Unlikely.h"
#include "onnxc/Target/IR/CodeAttributes.h"
#include "onnxc/Target/IR/Target.h"

namespace onnxc {
#define GEN_PASS_DEF_CONVERTKRNLTOLLVMPASS
#include "onnxc/Conversion/KrnlToLLVM/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

/// A mask is compared in 32 bits; more lanes than the vector has are all of
/// them.
static void clampMasks(Operation *root) {
  root->walk([](vector::CreateMaskOp op) {
    if (op.getType().getRank() != 1)
      return;
    OpBuilder builder(op);
    Value lanes = arith::ConstantIndexOp::create(builder, op.getLoc(),
                                                 op.getType().getDimSize(0));
    op.getOperandsMutable().assign(
        arith::MinSIOp::create(builder, op.getLoc(), op.getOperand(0), lanes)
            .getResult());
  });
}

/// Patterns here never fail once they have begun, so that no rollback is
/// needed; and foldable operations have been folded.
static ConversionConfig conversionConfig() {
  ConversionConfig config;
  config.allowPatternRollback = false;
  config.foldingMode = DialectConversionFoldingMode::Never;
  return config;
}

/// Lowers views with their shapes, and vector ops without an LLVM counterpart.
static LogicalResult simplifyAccesses(ModuleOp module) {
  expandMaskedStores(module);
  clampMasks(module);
  RewritePatternSet views(module.getContext());
  memref::populateExpandStridedMetadataPatterns(views);
  vector::populateVectorMaskMaterializationPatterns(
      views, /*force32BitVectorIndices=*/true);
  vector::populateVectorMaskOpLoweringPatterns(views);
  vector::populateVectorStepLoweringPatterns(views);
  vector::populateVectorShapeCastLoweringPatterns(views);
  vector::populateVectorGatherLoweringPatterns(views);
  vector::populateVectorInterleaveLoweringPatterns(views);
  // Most of a kernel is arithmetic, which no pattern is for.
  SmallVector<Operation *> candidates;
  module.walk([&](Operation *op) {
    if (isa<memref::MemRefDialect, vector::VectorDialect>(op->getDialect()))
      candidates.push_back(op);
  });
  GreedyRewriteConfig config;
  config.enableConstantCSE(false);
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  return applyOpPatternsGreedily(candidates, std::move(views), config);
}

/// Returns true for a branch of a kernel whose else region hardly runs: values
/// that do not fit the registers are to be in memory there.
static bool isUnlikelyOfKernel(Operation *op) {
  auto func = op->getParentOfType<FunctionOpInterface>();
  return isa<scf::IfOp>(op) && op->hasAttr(krnl::unlikelyAttrName) && func &&
         func->hasAttr(krnl::KrnlDialect::kernelAttrName);
}

/// Turns structured control flow into blocks. What contains others comes before
/// them, and the last of a block first: each moves what follows it to a new
/// block, which then is up to the next one only. The conversion that follows
/// reports what has no pattern.
static void flattenControlFlow(ModuleOp module) {
  RewritePatternSet set(module.getContext());
  populateSCFToControlFlowConversionPatterns(set);
  FrozenRewritePatternSet patterns(std::move(set));
  PatternApplicator applicator(patterns);
  applicator.applyDefaultCostModel();
  PatternRewriter rewriter(module.getContext());
  // Some become others first.
  bool changed = true;
  while (std::exchange(changed, false)) {
    SmallVector<Operation *> ops;
    module.walk<WalkOrder::PreOrder, ReverseIterator>([&](Operation *op) {
      if (isa_and_present<scf::SCFDialect>(op->getDialect()) &&
          !op->hasTrait<OpTrait::IsTerminator>())
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      rewriter.setInsertionPoint(op);
      Block *block = op->getBlock();
      bool isUnlikely = isUnlikelyOfKernel(op);
      bool isFlat = succeeded(applicator.matchAndRewrite(op, rewriter));
      changed |= isFlat;
      if (isFlat && isUnlikely)
        cast<cf::CondBranchOp>(block->getTerminator())
            .setBranchWeights(ArrayRef<int32_t>{1000, 1});
    }
  }
}

/// Lowers structured control flow, and functions that only libm has.
static LogicalResult simplifyControlFlow(ModuleOp module) {
  MLIRContext *context = module.getContext();
  RewritePatternSet flat(context);
  populateAffineToStdConversionPatterns(flat);
  populateMathToLibmConversionPatterns(flat);
  ConversionTarget target(*context);
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  target.addIllegalDialect<affine::AffineDialect>();
  // Left to LLVM: functions that processors have instructions for.
  target.addIllegalOp<math::AcosOp, math::AcoshOp, math::AsinOp, math::AsinhOp,
                      math::AtanOp, math::Atan2Op, math::AtanhOp, math::CbrtOp,
                      math::CosOp, math::CoshOp, math::ErfOp, math::ErfcOp,
                      math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp,
                      math::Log10Op, math::Log1pOp, math::Log2Op, math::PowFOp,
                      math::SinOp, math::SinhOp, math::TanOp, math::TanhOp>();
  if (failed(applyPartialConversion(module, target, std::move(flat),
                                    conversionConfig())))
    return failure();
  flattenControlFlow(module);
  return success();
}

static void addPatterns(LLVMTypeConverter &types, RewritePatternSet &patterns) {
  populateFuncToLLVMConversionPatterns(types, patterns);
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  populateComplexToLLVMConversionPatterns(types, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(types, patterns);
  populateMathToLLVMConversionPatterns(types, patterns,
                                       /*approximateLog1p=*/false);
  ub::populateUBToLLVMConversionPatterns(types, patterns);
  populateVectorToLLVMConversionPatterns(types, patterns,
                                         /*reassociateFPReductions=*/false,
                                         /*force32BitVectorIndices=*/true);
  populateCallToLLVMPatterns(types, patterns);
  populateDeviceToLLVMPatterns(types, patterns);
  populateHostToLLVMPatterns(types, patterns);
  populateMemoryToLLVMPatterns(types, patterns);
  populateCopyAsyncToLLVMPatterns(types, patterns);
  populateMmaToLLVMPatterns(types, patterns);
  populateParallelRegionToLLVMPatterns(types, patterns);
  populateTensorCopiesToLLVMPatterns(types, patterns);
  populateWgmmaToLLVMPatterns(types, patterns);
}

static LogicalResult convert(ModuleOp module) {
  MLIRContext *context = module.getContext();
  LowerToLLVMOptions options(context);
  options.overrideIndexBitwidth(
      unsigned(krnl::TargetAttr::processorOf(module).indexBits));
  options.allocLowering = LowerToLLVMOptions::AllocLowering::None;
  LLVMTypeConverter types(context, options);
  types.addConversion(
      [&](krnl::StrType) { return LLVM::LLVMPointerType::get(context); });
  types.addConversion(
      [&](krnl::ObjType) { return LLVM::LLVMPointerType::get(context); });

  RewritePatternSet patterns(context);
  addPatterns(types, patterns);

  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  target.addLegalDialect<NVVM::NVVMDialect>();
  if (failed(applyFullConversion(module, target, std::move(patterns),
                                 conversionConfig())))
    return failure();
  SmallVector<UnrealizedConversionCastOp> casts;
  module.walk([&](UnrealizedConversionCastOp op) { casts.push_back(op); });
  reconcileUnrealizedCasts(casts);
  return success();
}

/// The target of a function by itself: kernels of a device have indices of 32
/// bits where these reach all elements; the host program is the processor's.
static krnl::TargetAttr targetOf(func::FuncOp function,
                                 krnl::TargetAttr target) {
  auto host =
      function->getParentOfType<ModuleOp>()->getAttrOfType<krnl::TargetAttr>(
          krnl::TargetAttr::hostAttrName);
  if (host && !function->hasAttr(krnl::KrnlDialect::kernelAttrName))
    return host;
  constexpr int64_t maxElements = int64_t(1) << 30;
  auto isSmall = [](Type type) {
    auto buffer = dyn_cast<MemRefType>(type);
    return buffer ? buffer.hasStaticShape() &&
                        buffer.getNumElements() <= maxElements
                  : !type.isIndex();
  };
  if (!function->hasAttr(krnl::KrnlDialect::threadsAttrName) || !target ||
      !llvm::all_of(function.getArgumentTypes(), isSmall))
    return target;
  target::Processor processor = target.getProcessor();
  processor.indexBits = 32;
  return krnl::TargetAttr::get(target.getContext(), target.getFamily(),
                               target.getTriple(), target.getCpu(),
                               target.getFeatures(), processor,
                               target.getInstructions());
}

/// The name of the function that an operation is a call of on a device, which
/// has none to call; empty for others.
static StringRef libraryFunction(Operation *op) {
  if (auto call = dyn_cast<LLVM::CallOp>(op))
    return call.getCallee().value_or("a function");
  if (isa<LLVM::SinOp, LLVM::CosOp, LLVM::TanOp, LLVM::ExpOp, LLVM::Exp2Op,
          LLVM::LogOp, LLVM::Log2Op, LLVM::Log10Op, LLVM::PowOp>(op))
    return op->getName().stripDialect();
  return "";
}

/// Lets devices launch the kernels whose tiles are shared by threads.
static LogicalResult finishDeviceKernels(ModuleOp module) {
  for (auto kernel : module.getOps<LLVM::LLVMFuncOp>()) {
    auto threads =
        kernel->getAttrOfType<IntegerAttr>(krnl::KrnlDialect::threadsAttrName);
    if (!threads)
      continue;
    WalkResult result = kernel.walk([](Operation *op) {
      StringRef name = libraryFunction(op);
      if (name.empty())
        return WalkResult::advance();
      op->emitError("a device has no '")
          << name << "': compile the model for the processor, by --device=cpu";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return failure();
    Builder builder(module.getContext());
    kernel.setCConv(LLVM::CConv::PTX_Kernel);
    SmallVector<Attribute> known;
    auto tell = [&](StringRef name, int64_t count) {
      std::string text = std::to_string(count);
      known.push_back(builder.getStrArrayAttr({name, StringRef(text)}));
    };
    tell("nvvm.reqntid", threads.getInt());
    // PTX ISA, .reqnctapercluster: launches need no attribute then.
    if (auto blocks = kernel->getAttrOfType<IntegerAttr>(
            krnl::KrnlDialect::clusterAttrName))
      tell("nvvm.cluster_dim", blocks.getInt());
    kernel.setPassthroughAttr(builder.getArrayAttr(known));
    markTensorMaps(kernel);
  }
  return success();
}

/// Says in LLVM IR which kernels of a processor keep their order.
static void markKeptOrder(ModuleOp module) {
  Builder builder(module.getContext());
  for (auto kernel : module.getOps<LLVM::LLVMFuncOp>())
    if (kernel->hasAttr(krnl::KrnlDialect::keepsOrderAttrName) &&
        !kernel->hasAttr(krnl::KrnlDialect::threadsAttrName))
      kernel.setPassthroughAttr(
          builder.getStrArrayAttr({target::keepsOrderAttrName}));
}

/// Converts the functions of one module, kernels to their bare signature and
/// the host function to the entry point.
static LogicalResult convertAlone(ModuleOp module) {
  for (func::FuncOp function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    if (function.isDeclaration())
      continue;
    if (failed(function->hasAttr(krnl::KrnlDialect::kernelAttrName)
                   ? makeBareKernel(function)
                   : makeEntry(function)))
      return failure();
  }
  if (failed(simplifyAccesses(module)) || failed(simplifyControlFlow(module)) ||
      failed(convert(module)))
    return failure();
  markKeptOrder(module);
  return finishDeviceKernels(module);
}

/// Hidden, so that calls between objects need no table.
static void setVisibility(LLVM::LLVMFuncOp function) {
  if (function.getLinkage() == LLVM::Linkage::Internal ||
      function.getCConv() == LLVM::CConv::PTX_Kernel)
    return;
  function.setVisibility_(function.isExternal() &&
                                  !function.getName().starts_with("onnxc_") &&
                                  !function->hasAttr("krnl.hidden")
                              ? LLVM::Visibility::Default
                              : LLVM::Visibility::Hidden);
}

/// The buffer as one of the type, which may have fewer static sizes; null where
/// the two contradict.
static Value castBuffer(Value buffer, Type type,
                        DenseMap<std::pair<Value, Type>, Value> &casts) {
  auto from = dyn_cast<MemRefType>(buffer.getType()),
       to = dyn_cast<MemRefType>(type);
  if (!from || !to || !memref::CastOp::areCastCompatible(from, to) ||
      !llvm::all_of_zip(from.getShape(), to.getShape(),
                        [](int64_t size, int64_t known) {
                          return size == known || ShapedType::isDynamic(known);
                        }))
    return Value();
  Value &cast = casts[{buffer, type}];
  if (!cast) {
    OpBuilder builder(buffer.getContext());
    builder.setInsertionPointAfterValue(buffer);
    cast = memref::CastOp::create(builder, buffer.getLoc(), type, buffer);
  }
  return cast;
}

/// Every launch passes operands of the types of its kernel: one that several
/// launches share has fewer static sizes.
static LogicalResult matchLaunches(ModuleOp module) {
  SymbolTable symbols(module);
  DenseMap<std::pair<Value, Type>, Value> casts;
  WalkResult result = module.walk([&](krnl::LaunchOp launch) {
    auto kernel = symbols.lookup<func::FuncOp>(launch.getKernel());
    if (!kernel)
      return WalkResult::advance();
    unsigned passed = launch.getIns().size() + launch.getOuts().size();
    for (OpOperand &operand : launch->getOpOperands().take_front(passed)) {
      unsigned i = operand.getOperandNumber();
      Type type = operand.get().getType(), taken = kernel.getArgumentTypes()[i];
      if (type == taken)
        continue;
      Value cast = castBuffer(operand.get(), taken, casts);
      if (!cast) {
        launch.emitOpError("passes ")
            << type << " as argument " << i << " of '" << launch.getKernel()
            << "', which takes " << taken;
        return WalkResult::interrupt();
      }
      operand.set(cast);
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {

struct ConvertKrnlToLLVM
    : onnxc::impl::ConvertKrnlToLLVMPassBase<ConvertKrnlToLLVM> {
  using ConvertKrnlToLLVMPassBase::ConvertKrnlToLLVMPassBase;
  void runOnOperation() override;
};

} // namespace

/// Moves each function to a module of its own, with the function's target.
static SmallVector<OwningOpRef<ModuleOp>> takeFunctions(ModuleOp module) {
  auto target = krnl::TargetAttr::of(module);
  SmallVector<OwningOpRef<ModuleOp>> parts;
  for (func::FuncOp function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    parts.push_back(ModuleOp::create(function.getLoc()));
    if (krnl::TargetAttr own = targetOf(function, target))
      (*parts.back())->setAttr(krnl::TargetAttr::attrName, own);
    function->moveBefore(parts.back()->getBody(),
                         parts.back()->getBody()->end());
  }
  return parts;
}

/// Moves what the parts have to the module; their constants, which are in
/// modules of their own, come last.
static void joinParts(ModuleOp module,
                      MutableArrayRef<OwningOpRef<ModuleOp>> parts) {
  SymbolTable symbols(module);
  auto move = [&](Operation &op) {
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    if (function && function.isExternal() && symbols.lookup(function.getName()))
      return; // a hook or libm function that another part declared
    op.remove();
    symbols.insert(&op);
    if (function)
      setVisibility(function);
  };
  for (OwningOpRef<ModuleOp> &part : parts) {
    for (Operation &op : llvm::make_early_inc_range(*part->getBody()))
      if (!isa<ModuleOp>(op))
        move(op);
    for (auto constants : part->getOps<ModuleOp>())
      for (Operation &op : llvm::make_early_inc_range(*constants.getBody()))
        move(op);
  }
}

void ConvertKrnlToLLVM::runOnOperation() {
  ModuleOp module = getOperation();
  if (failed(matchLaunches(module)))
    return signalPassFailure();
  describeDeviceArguments(module);
  expandUnalignedCopies(module);
  if (kernelsOnly)
    for (func::FuncOp function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (!function->hasAttr(krnl::KrnlDialect::kernelAttrName))
        function.erase();
  expandDots(module);
  if (failed(expandLookups(module)))
    return signalPassFailure();
  listLaunches(module, profile);
  SmallVector<OwningOpRef<ModuleOp>> parts = takeFunctions(module);
  bool ok = succeeded(failableParallelForEach(
      &getContext(), parts,
      [](OwningOpRef<ModuleOp> &part) { return convertAlone(*part); }));
  joinParts(module, parts);
  if (!ok)
    signalPassFailure();
}
