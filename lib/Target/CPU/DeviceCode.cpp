//===- DeviceCode.cpp - Images of kernels for devices ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "DeviceCode.h"

#include "AlignAccesses.h"
#include "DescriptorConstants.h"
#include "DeviceInstructions.h"
#include "Linker.h"
#include "onnxc/Target/CPU/NewFile.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "onnxc/Conversion/KrnlToLLVM/Passes.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/Launches.h"
#include "onnxc/rt/device.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Instrumentation/ThreadSanitizer.h"
#include "llvm/Transforms/Scalar/InferAlignment.h"
#include "llvm/Transforms/Scalar/ScalarizeMaskedMemIntrin.h"

using namespace mlir;

namespace onnxc::target {

bool hasDevice(ModuleOp module) {
  return module->hasAttr(krnl::TargetAttr::hostAttrName);
}

StringRef levelName(ModuleOp module) {
  return hasDevice(module) ? module.getSymName().value_or("")
                           : krnl::TargetAttr::of(module).getCpu();
}

bool isOfDevice(Operation *symbol) {
  if (auto global = dyn_cast<LLVM::GlobalOp>(symbol))
    return global.getAddrSpace() == krnl::sharedMemorySpace;
  return symbol->hasAttr(krnl::KrnlDialect::threadsAttrName);
}

static SmallVector<LLVM::LLVMFuncOp> kernelsOf(ModuleOp module) {
  return llvm::filter_to_vector(
      module.getOps<LLVM::LLVMFuncOp>(), [](LLVM::LLVMFuncOp function) {
        return function->hasAttr(krnl::KrnlDialect::threadsAttrName);
      });
}

/// The kernels and the memory that their threads share. `expand` is for
/// operations that LLVM has no intrinsic for.
static std::unique_ptr<llvm::Module>
translateKernels(ModuleOp module, llvm::LLVMContext &context,
                 void (*expand)(ModuleOp)) {
  OwningOpRef<ModuleOp> copy = ModuleOp::create(module.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(copy->getBody());
  for (Operation &symbol : *module.getBody())
    if (isOfDevice(&symbol))
      builder.clone(symbol);
  expand(*copy);
  return translateModuleToLLVMIR(*copy, context, "kernels");
}

FailureOr<CodeFile> emitDeviceCode(ModuleOp module, unsigned level) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> kernels =
      translateKernels(module, context, expandInstructions);
  if (!kernels)
    return failure();
  CodeFile file = emitModule(*kernels, krnl::TargetAttr::of(module), level,
                             CodeKind::Assembly);
  file.name = "kernels";
  return file;
}

//===----------------------------------------------------------------------===//
// The simulator
//===----------------------------------------------------------------------===//

/// Memory that threads share is one section, in the memory of all others; what
/// launches ask for is the simulator's.
static void makeSharedSimulated(llvm::Module &module) {
  for (llvm::GlobalVariable &shared :
       llvm::make_early_inc_range(module.globals())) {
    if (shared.getAddressSpace() != krnl::sharedMemorySpace)
      continue;
    bool isDynamic = shared.isDeclaration();
    auto *simulated = new llvm::GlobalVariable(
        module, shared.getValueType(), /*isConstant=*/false,
        isDynamic ? llvm::GlobalValue::ExternalLinkage
                  : llvm::GlobalValue::InternalLinkage,
        isDynamic ? nullptr
                  : llvm::Constant::getNullValue(shared.getValueType()),
        isDynamic ? "sim_dynamic_shared" : shared.getName());
    if (!isDynamic)
      simulated->setSection("sim_shared");
    simulated->setAlignment(
        std::max(llvm::Align(16), shared.getAlign().valueOrOne()));
    shared.replaceAllUsesWith(
        llvm::ConstantExpr::getAddrSpaceCast(simulated, shared.getType()));
    shared.eraseFromParent();
  }
}

/// Replaces calls of an intrinsic of vectors or records, which functions in C++
/// pass in other ways, by those of `void (result *, const arguments *)`.
static void passInMemory(llvm::Function &intrinsic, StringRef replacement) {
  llvm::Module &module = *intrinsic.getParent();
  auto *pointer = llvm::PointerType::getUnqual(module.getContext());
  llvm::FunctionCallee callee = module.getOrInsertFunction(
      replacement, llvm::Type::getVoidTy(module.getContext()), pointer,
      pointer);
  auto *arguments = llvm::StructType::get(
      module.getContext(), intrinsic.getFunctionType()->params());
  for (llvm::User *user : llvm::make_early_inc_range(intrinsic.users())) {
    auto *call = cast<llvm::CallInst>(user);
    llvm::IRBuilder<> entry(&call->getFunction()->getEntryBlock(),
                            call->getFunction()->getEntryBlock().begin());
    llvm::Value *in = entry.CreateAlloca(arguments);
    llvm::Value *out = entry.CreateAlloca(call->getType());
    llvm::IRBuilder<> builder(call);
    for (auto [i, argument] : llvm::enumerate(call->args()))
      builder.CreateStore(argument,
                          builder.CreateStructGEP(arguments, in, unsigned(i)));
    builder.CreateCall(callee, {out, in});
    call->replaceAllUsesWith(builder.CreateLoad(call->getType(), out));
    call->eraseFromParent();
  }
}

/// Are all arguments and the result numbers or pointers?
static bool isPlain(llvm::FunctionType *type) {
  return !type->getReturnType()->isStructTy() &&
         llvm::none_of(type->params(),
                       [](llvm::Type *it) { return it->isVectorTy(); });
}

/// Makes functions that a simulator calls of kernels: an intrinsic
/// llvm.nvvm.a.b is a call of sim_a_b, which the simulator has.
static void makeSimulated(llvm::Module &module) {
  for (llvm::Function &function :
       llvm::make_early_inc_range(module.functions())) {
    StringRef name = function.getName();
    if (name.consume_front("llvm.nvvm.")) {
      std::string replacement = "sim_" + name.str();
      llvm::replace(replacement, '.', '_');
      if (isPlain(function.getFunctionType()))
        function.replaceAllUsesWith(
            module.getOrInsertFunction(replacement, function.getFunctionType())
                .getCallee());
      else
        passInMemory(function, replacement);
      function.eraseFromParent();
    } else if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel) {
      function.setCallingConv(llvm::CallingConv::C);
      auto *count = llvm::ConstantInt::get(
          llvm::Type::getInt32Ty(module.getContext()), function.arg_size());
      new llvm::GlobalVariable(module, count->getType(), /*isConstant=*/true,
                               llvm::GlobalValue::ExternalLinkage, count,
                               "sim_parameters_" + function.getName());
    }
  }
}

/// Makes loads and stores calls of the simulator, which checks and counts them:
/// those that ThreadSanitizer's library would have. They are aligned as those
/// of a GPU are.
static void instrumentAccesses(llvm::Module &module) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      function.addFnAttr(llvm::Attribute::SanitizeThread);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  llvm::ModulePassManager passes;
  // Gathers, scatters and masked vectors are accesses to elements on a GPU.
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(
      llvm::ScalarizeMaskedMemIntrinPass()));
  passes.addPass(
      llvm::createModuleToFunctionPassAdaptor(llvm::InferAlignmentPass()));
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(AlignAccessesPass()));
  passes.addPass(llvm::ModuleThreadSanitizerPass());
  passes.addPass(
      llvm::createModuleToFunctionPassAdaptor(llvm::ThreadSanitizerPass()));
  passes.run(module, modules);
}

/// The same kernels as a shared object for the processor.
static FailureOr<CodeFile> emitSimulated(ModuleOp module, unsigned level) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> kernels =
      translateKernels(module, context, callSimulator);
  if (!kernels)
    return failure();
  makeSharedSimulated(*kernels);
  krnl::TargetAttr host = hostTarget(module);
  std::unique_ptr<llvm::TargetMachine> machine =
      createTargetMachine(host, level);
  kernels->setTargetTriple(machine->getTargetTriple());
  kernels->setDataLayout(machine->createDataLayout());
  optimizeModule(*kernels, *machine, level);
  makeSimulated(*kernels);
  instrumentAccesses(*kernels);
  CodeFile object = emitModule(*kernels, host, level, CodeKind::Object);
  NewFile file = NewFile::inMemory("kernels");
  llvm::Error error = file.create();
  if (!error)
    error = file.append(StringRef(object.bytes.data(), object.bytes.size()));
  if (error)
    return module.emitError(llvm::toString(std::move(error)));
  auto linked = runLinker({"--shared", file.path().str()});
  if (!linked)
    return module.emitError(llvm::toString(linked.takeError()));
  return CodeFile{"kernels", std::move(*linked)};
}

//===----------------------------------------------------------------------===//
// The record of the descriptor
//===----------------------------------------------------------------------===//

/// The nodes that launches of the kernel come from.
static std::string nodesOf(ModuleOp module, LLVM::LLVMFuncOp kernel) {
  auto launches = module->getAttrOfType<ArrayAttr>(krnl::launchesAttrName);
  SmallVector<StringRef> names;
  if (!launches)
    return "";
  for (auto launch : launches.getAsRange<DictionaryAttr>()) {
    auto function = launch.getAs<FlatSymbolRefAttr>("function");
    auto nodes = launch.getAs<ArrayAttr>("nodes");
    if (!function || function.getValue() != kernel.getName() || !nodes)
      continue;
    // Names and operators in turn.
    for (size_t i = 0; i + 1 < nodes.size(); i += 2)
      if (auto name = dyn_cast<StringAttr>(nodes[i]);
          name && !llvm::is_contained(names, name.getValue()))
        names.push_back(name.getValue());
  }
  return llvm::join(names, ", ");
}

static llvm::Constant *makeKernel(Constants &make, ModuleOp module,
                                  LLVM::LLVMFuncOp kernel) {
  auto threads =
      kernel->getAttrOfType<IntegerAttr>(krnl::KrnlDialect::threadsAttrName);
  auto shared = kernel->getAttrOfType<IntegerAttr>(
      krnl::KrnlDialect::sharedBytesAttrName);
  return make.record(
      {make.text(kernel.getName()), make.text(nodesOf(module, kernel)),
       make.number(kernel.getNumArguments()), make.number(threads.getInt()),
       make.number(shared ? shared.getInt() : 0)});
}

FailureOr<llvm::Constant *> makeDeviceCode(Constants &make, ModuleOp module,
                                           int64_t weightsBytes,
                                           unsigned level) {
  FailureOr<CodeFile> ptx = emitDeviceCode(module, level);
  if (failed(ptx))
    return failure();
  ptx->bytes.push_back('\0');
  auto [capability, isExact] =
      computeCapability(krnl::TargetAttr::of(module).getCpu());
  auto image = [&](int64_t kind, int64_t capability, bool isExact,
                   const CodeFile &file) {
    return make.record({make.number(kind), make.number(capability),
                        make.number(isExact), make.number(0),
                        make.bytes(file.bytes),
                        make.number(int64_t(file.bytes.size()))});
  };
  SmallVector<llvm::Constant *> images = {
      image(ONNXC_IMAGE_PTX, capability, isExact, *ptx)};
  if (module->hasAttr(simulatedAttrName)) {
    FailureOr<CodeFile> simulated = emitSimulated(module, level);
    if (failed(simulated))
      return failure();
    images.push_back(image(ONNXC_IMAGE_SIMULATOR, ONNXC_SIMULATOR_CAPABILITY,
                           true, *simulated));
  }
  SmallVector<llvm::Constant *> kernels, constants, errors;
  for (LLVM::LLVMFuncOp kernel : kernelsOf(module))
    kernels.push_back(makeKernel(make, module, kernel));
  if (weightsBytes > 0)
    constants.push_back(make.record(
        {make.number(0), make.number(weightsBytes), make.number(0)}));
  if (auto messages =
          module->getAttrOfType<ArrayAttr>(krnl::deviceErrorsAttrName))
    for (auto message : messages.getAsRange<StringAttr>())
      errors.push_back(make.record(
          {make.number(ONNXC_ERR_VALUE), make.text(message.getValue())}));
  return make.array(make.record(
      {make.external("onnxc_device_runtime"), make.number(images.size()),
       make.array(images), make.number(kernels.size()), make.array(kernels),
       make.number(constants.size()), make.array(constants),
       make.number(weightsBytes), make.number(errors.size()),
       make.array(errors), make.zeroWords(ONNXC_DEVICE_STATE_BYTES / 8)}));
}

} // namespace onnxc::target
