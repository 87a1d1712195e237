//===- Simulate.cpp - Kernels that the simulator runs -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "DeviceInstructions.h"
#include "TranslateKernels.h"
#include "onnxc/Support/NewFile.h"
#include "onnxc/Target/Code/AlignAccesses.h"
#include "onnxc/Target/Code/Linker.h"
#include "onnxc/Target/NVPTX/DeviceCode.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "onnxc/Dialect/Krnl/IR/Launches.h"
#include "onnxc/Target/IR/Target.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Instrumentation/ThreadSanitizer.h"
#include "llvm/Transforms/Scalar/InferAlignment.h"
#include "llvm/Transforms/Scalar/ScalarizeMaskedMemIntrin.h"

using namespace mlir;

namespace onnxc::target {

/// The address space of LLVM's back end for PTX for shared memory of any block
/// of a cluster.
static constexpr unsigned clusterMemorySpace =
    unsigned(NVVM::NVVMMemorySpace::SharedCluster);

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

/// Returns true if all arguments and the result are numbers or pointers.
static bool isPlain(llvm::FunctionType *type) {
  return !type->getReturnType()->isStructTy() &&
         llvm::none_of(type->params(),
                       [](llvm::Type *it) { return it->isVectorTy(); });
}

/// Loads from shared memory of other blocks of a cluster are calls of the
/// simulator, which knows where it is: `void (value *, address, bytes)`.
static void makeClusterLoadsSimulated(llvm::Module &module) {
  llvm::LLVMContext &context = module.getContext();
  auto *local = llvm::PointerType::getUnqual(context);
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      auto *load = dyn_cast<llvm::LoadInst>(&instruction);
      if (!load || load->getPointerAddressSpace() != clusterMemorySpace)
        continue;
      llvm::FunctionCallee callee = module.getOrInsertFunction(
          "sim_ld_shared_cluster", llvm::Type::getVoidTy(context), local,
          load->getPointerOperandType(), llvm::Type::getInt32Ty(context));
      llvm::Type *type = load->getType();
      llvm::IRBuilder<> entry(&function.getEntryBlock(),
                              function.getEntryBlock().begin());
      llvm::Value *value = entry.CreateAlloca(type);
      llvm::IRBuilder<> builder(load);
      builder.CreateCall(callee,
                         {value, load->getPointerOperand(),
                          builder.getInt32(uint32_t(
                              module.getDataLayout().getTypeStoreSize(type)))});
      load->replaceAllUsesWith(builder.CreateLoad(type, value));
      load->eraseFromParent();
    }
}

/// Lets a simulator know how many parameters the kernel has, how many of them,
/// the last ones, are maps of tensors, and how many blocks are a cluster. It
/// passes the address of a map.
static void describeParameters(llvm::Module &module, llvm::Function &kernel) {
  unsigned maps = 0;
  for (llvm::Argument &argument : kernel.args())
    if (argument.hasByValAttr()) {
      argument.removeAttr(llvm::Attribute::ByVal);
      ++maps;
    }
  auto tell = [&](const Twine &name, uint64_t count) {
    llvm::Type *type = llvm::Type::getInt32Ty(module.getContext());
    new llvm::GlobalVariable(module, type, /*isConstant=*/true,
                             llvm::GlobalValue::ExternalLinkage,
                             llvm::ConstantInt::get(type, count), name);
  };
  tell("sim_parameters_" + kernel.getName(), kernel.arg_size() - maps);
  if (maps > 0)
    tell("sim_maps_" + kernel.getName(), maps);
  uint64_t blocks = 1;
  kernel.getFnAttribute("nvvm.cluster_dim")
      .getValueAsString()
      .getAsInteger(10, blocks);
  if (blocks > 1)
    tell("sim_cluster_" + kernel.getName(), blocks);
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
      describeParameters(module, function);
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

FailureOr<CodeFile> emitSimulatedCode(ModuleOp module, unsigned level) {
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
  makeClusterLoadsSimulated(*kernels);
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

} // namespace onnxc::target
