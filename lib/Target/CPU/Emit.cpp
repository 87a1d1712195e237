//===- Emit.cpp - LLVM dialect to machine code in memory -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/CPU/Emit.h"

#include "DebugInfo.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Support/Budget.h"
#include "onnxc/Target/IR/Levels.h"
#include "onnxc/Target/IR/Target.h"
#include "onnxc/Target/NVPTX/DeviceCode.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace onnxc::target {

namespace {

/// Functions compiled together.
struct Batch {
  std::string name;
  SmallVector<Operation *> symbols;
  size_t size = 0;
  bool isHost = false;
};

} // namespace

static size_t countOps(Operation *op) {
  size_t count = 0;
  op->walk([&](Operation *) { ++count; });
  return count;
}

/// Largest first, so that no thread ends with a long one.
static bool isLarger(const Batch &a, const Batch &b) {
  return std::tie(b.size, a.name) < std::tie(a.size, b.name);
}

/// Batches that all kernels of a model make at least, if they are large enough:
/// work for so many threads. Not those of this machine: the code depends on the
/// batches, and the same model has the same code wherever it is compiled.
static constexpr size_t minBatches = 32;

/// Code generation takes more than linear time in the size of a function, and
/// a fixed time per module: small kernels share one, a large one is alone.
static std::vector<Batch>
makeBatches(ModuleOp module, function_ref<bool(Operation *)> isWanted) {
  std::vector<Batch> batches(1);
  batches.front().name = "host";
  batches.front().isHost = true;
  std::vector<Batch> kernels;
  size_t total = 0;
  for (Operation &op : *module.getBody()) {
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    // Code for a device is made by emitDeviceCode().
    if ((function && function.isExternal()) || isOfDevice(&op))
      continue;
    if (isWanted && !isWanted(&op))
      continue;
    if (!function || !op.hasAttr(krnl::KrnlDialect::kernelAttrName)) {
      batches.front().symbols.push_back(&op);
      batches.front().size += countOps(&op);
      continue;
    }
    kernels.push_back({function.getName().str(), {&op}, countOps(&op)});
    total += kernels.back().size;
  }
  llvm::sort(kernels, isLarger);
  size_t limit = std::clamp<size_t>(total / minBatches, 300, 2000);
  bool isOpen = false;
  for (Batch &kernel : kernels) {
    if (isOpen && batches.back().size + kernel.size <= limit) {
      batches.back().symbols.push_back(kernel.symbols.front());
      batches.back().size += kernel.size;
      continue;
    }
    batches.push_back(std::move(kernel));
    isOpen = true;
  }
  llvm::erase_if(batches, [](const Batch &b) { return b.symbols.empty(); });
  llvm::sort(batches, isLarger);
  return batches;
}

/// The symbols of a batch with declarations of all that they use.
static OwningOpRef<ModuleOp> copyBatch(const Batch &batch,
                                       const SymbolTable &symbols) {
  OwningOpRef<ModuleOp> copy =
      ModuleOp::create(UnknownLoc::get(symbols.getOp()->getContext()));
  OpBuilder builder = OpBuilder::atBlockEnd(copy->getBody());
  DenseSet<StringRef> present;
  for (Operation *op : batch.symbols) {
    builder.clone(*op);
    present.insert(SymbolTable::getSymbolName(op));
  }
  for (Operation *op : batch.symbols) {
    op->walk([&](Operation *user) {
      StringRef name;
      if (auto call = dyn_cast<LLVM::CallOp>(user))
        name = call.getCallee().value_or("");
      else if (auto address = dyn_cast<LLVM::AddressOfOp>(user))
        name = address.getGlobalName();
      auto used = symbols.lookup<LLVM::LLVMFuncOp>(name);
      if (!used || !present.insert(name).second)
        return;
      Operation *declaration = builder.cloneWithoutRegions(*used);
      cast<LLVM::LLVMFuncOp>(declaration).setLinkage(LLVM::Linkage::External);
    });
  }
  return copy;
}

/// Operations of a host program that are compiled at the full level. Launches
/// of a longer one take so long that its own instructions do not count.
static constexpr size_t maxScheduledHost = 100000;

StringRef levelName(ModuleOp module) {
  return hasDevice(module) ? module.getSymName().value_or("")
                           : krnl::TargetAttr::of(module).getCpu();
}

std::string levelSuffix(ModuleOp module) {
  if (!isOneOfSeveral(module))
    return "";
  return ("." + module.getSymName().value_or("")).str();
}

/// Functions of several levels have the same names.
static void addSuffix(llvm::Module &module, const SymbolTable &symbols,
                      StringRef suffix) {
  for (llvm::GlobalObject &object : module.global_objects()) {
    Operation *symbol = symbols.lookup(object.getName());
    auto function = dyn_cast_or_null<LLVM::LLVMFuncOp>(symbol);
    if (symbol && !(function && function.isExternal()))
      object.setName(object.getName() + suffix);
  }
}

/// Begins kernels at cache lines, so that the time of a loop of few
/// instructions does not depend on the code before its kernel. Where there is
/// no operating system, memory for code is what lacks.
static void alignKernels(llvm::Module &module, krnl::TargetAttr target) {
  if (!hasOperatingSystem(llvm::Triple(target.getTriple())))
    return;
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      function.setAlignment(llvm::Align(64));
}

static FailureOr<CodeFile> emitBatch(const Batch &batch,
                                     const SymbolTable &symbols,
                                     krnl::TargetAttr target, unsigned level,
                                     CodeKind kind, StringRef debugFile,
                                     const NodeLines &lines) {
  OwningOpRef<ModuleOp> copy = copyBatch(batch, symbols);
  if (!debugFile.empty())
    addDebugInfo(*copy, debugFile, lines);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(*copy, context, batch.name);
  if (!module)
    return failure();
  std::string suffix = levelSuffix(cast<ModuleOp>(symbols.getOp()));
  if (!suffix.empty())
    addSuffix(*module, symbols, suffix);
  if (!batch.isHost && level >= 2)
    alignKernels(*module, target);
  // The host program only prepares for kernels. Scheduling and register
  // allocation take more than linear time in functions as long as the model.
  bool quick = batch.isHost && (level < 2 || batch.size > maxScheduledHost ||
                                hasLongBlock(*module));
  CodeFile file = emitModule(*module, target, level, kind, quick);
  file.name = batch.name;
  return file;
}

FailureOr<std::vector<CodeFile>> emitCode(ModuleOp module, unsigned level,
                                          CodeKind kind, StringRef debugFile,
                                          IsWantedFn isWanted) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);

  SymbolTable symbols(module);
  krnl::TargetAttr target = hostTarget(module);
  std::vector<Batch> batches = makeBatches(module, isWanted);
  NodeLines lines = debugFile.empty() ? NodeLines() : nodeLines(module);
  std::vector<CodeFile> files(batches.size());
  LogicalResult result = failableParallelForEachN(
      module.getContext(), 0, batches.size(), [&](size_t i) -> LogicalResult {
        if (isExhausted(module.getContext()))
          return failure();
        FailureOr<CodeFile> file = emitBatch(batches[i], symbols, target, level,
                                             kind, debugFile, lines);
        if (failed(file))
          return failure();
        files[i] = std::move(*file);
        return success();
      });
  if (failed(result))
    return failure();
  return files;
}

} // namespace onnxc::target
