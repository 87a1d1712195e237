//===- EmitModule.cpp - An LLVM module to machine code ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/Code/EmitModule.h"
#include "onnxc/Target/IR/CodeAttributes.h"
#include "onnxc/Target/IR/Target.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/RuntimeLibcallInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/CodeGen/CodeGenTargetMachineImpl.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/MC/MCSubtargetInfo.h"

namespace onnxc::target {

namespace {
/// Leaves out passes that make the code of kernels slower.
class KernelPasses : public llvm::OptPassGate {
public:
  KernelPasses(const llvm::Module &module, const llvm::TargetMachine &target);

  bool isEnabled() const override { return true; }
  bool shouldRunPass(llvm::StringRef pass,
                     llvm::StringRef unit) const override {
    if (pass == "Loop Strength Reduction")
      return !keepsAddresses;
    return pass != "machine-scheduler" || !inOrder.contains(unit);
  }

private:
  bool keepsAddresses;
  /// The functions whose instructions keep their order, as gates name them.
  llvm::StringSet<> inOrder;
};
} // namespace

/// Returns true if an address of the target may have a base, an index with a
/// factor and an offset.
static bool hasIndexedAddresses(const llvm::Module &module,
                                const llvm::TargetMachine &target) {
  constexpr int64_t offset = 64, factor = 4;
  auto defined = llvm::find_if(module, [](const llvm::Function &function) {
    return !function.isDeclaration();
  });
  return defined != module.end() &&
         target.getTargetTransformInfo(*defined).isLegalAddressingMode(
             llvm::Type::getFloatTy(module.getContext()), /*BaseGV=*/nullptr,
             offset, /*HasBaseReg=*/true, factor);
}

/// Loop strength reduction gives each row that a loop reads an address that
/// grows: squares that are transposed and their rests have more of them than
/// there are registers. Where an address may be a sum, all rows have one index.
/// The scheduler before register allocation moves the loads of all rows of a
/// tile before its products. A processor that reorders instructions does not
/// need it where the sums of the tile would go to memory for that.
KernelPasses::KernelPasses(const llvm::Module &module,
                           const llvm::TargetMachine &target)
    : keepsAddresses(hasIndexedAddresses(module, target)) {
  if (!target.getMCSubtargetInfo()->getSchedModel().isOutOfOrder())
    return;
  for (const llvm::Function &function : module)
    if (function.hasFnAttribute(keepsOrderAttrName))
      inOrder.insert(("function (" + function.getName() + ")").str());
}

static void runCodeGen(llvm::legacy::PassManager &passes, llvm::Module &module,
                       const llvm::TargetMachine &target) {
  llvm::LLVMContext &context = module.getContext();
  llvm::OptPassGate &before = context.getOptPassGate();
  KernelPasses gate(module, target);
  context.setOptPassGate(gate);
  passes.run(module);
  context.setOptPassGate(before);
}

/// The passes of addPassesToEmitFile, but the second scheduler: it takes
/// quadratic time in the stores of a block, and the processor reorders
/// instructions itself.
static void addCodeGenPasses(llvm::legacy::PassManager &passes,
                             llvm::TargetMachine &target,
                             llvm::raw_pwrite_stream &os, CodeKind kind) {
  auto &machine = static_cast<llvm::CodeGenTargetMachineImpl &>(target);
  auto *info = new llvm::MachineModuleInfoWrapperPass(&machine);
  llvm::TargetPassConfig *config = machine.createPassConfig(passes);
  config->setDisableVerify(true);
  config->disablePass(&llvm::PostRASchedulerID);
  passes.add(config);
  passes.add(info);
  // Without it copies of memory become loops over bytes.
  const llvm::TargetOptions &options = machine.Options;
  passes.add(new llvm::RuntimeLibraryInfoWrapper(
      machine.getTargetTriple(), options.ExceptionModel, options.FloatABIType,
      options.EABIVersion, options.MCOptions.ABIName, options.VecLib));
  bool unsupported = config->addISelPasses();
  config->addMachinePasses();
  config->setInitialized();
  unsupported |= machine.addAsmPrinter(
      passes, os, nullptr,
      kind == CodeKind::Object ? llvm::CodeGenFileType::ObjectFile
                               : llvm::CodeGenFileType::AssemblyFile,
      info->getMMI().getContext());
  passes.add(llvm::createFreeMachineFunctionPass());
  assert(!unsupported && "target emits no files of this kind");
  (void)unsupported;
}

static bool isLong(const llvm::BasicBlock &block) {
  unsigned accesses = 0;
  for (const llvm::Instruction &instruction : block) {
    if (llvm::isa<llvm::CallBase>(instruction))
      accesses = 0;
    else if (instruction.mayReadOrWriteMemory() &&
             ++accesses > maxScheduledAccesses)
      return true;
  }
  return false;
}

bool hasLongBlock(const llvm::Module &module) {
  return llvm::any_of(module, [](const llvm::Function &function) {
    return llvm::any_of(function, isLong);
  });
}

CodeFile emitModule(llvm::Module &module, krnl::TargetAttr target,
                    unsigned level, CodeKind kind, bool quick) {
  std::unique_ptr<llvm::TargetMachine> machine =
      createTargetMachine(target, level);
  if (quick)
    machine->setOptLevel(llvm::CodeGenOptLevel::None);
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  for (llvm::Function &function : module)
    function.setDoesNotThrow();
  optimizeModule(module, *machine, level, quick);
  CodeFile file;
  llvm::raw_svector_ostream os(file.bytes);
  llvm::legacy::PassManager passes;
  addCodeGenPasses(passes, *machine, os, kind);
  runCodeGen(passes, module, *machine);
  return file;
}

} // namespace onnxc::target
