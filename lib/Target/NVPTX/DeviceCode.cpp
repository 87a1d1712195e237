//===- DeviceCode.cpp - The text of kernels for a driver --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/NVPTX/DeviceCode.h"

#include "DeviceInstructions.h"
#include "TranslateKernels.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/Launches.h"
#include "onnxc/Target/IR/Target.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace onnxc::target {

bool isOfDevice(Operation *symbol) {
  if (auto global = dyn_cast<LLVM::GlobalOp>(symbol))
    return global.getAddrSpace() == krnl::sharedMemorySpace;
  return symbol->hasAttr(krnl::KrnlDialect::threadsAttrName);
}

std::unique_ptr<llvm::Module>
translateKernels(ModuleOp module, llvm::LLVMContext &context,
                 void (*expand)(ModuleOp),
                 function_ref<bool(Operation *)> isWanted) {
  OwningOpRef<ModuleOp> copy = ModuleOp::create(module.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(copy->getBody());
  for (Operation &symbol : *module.getBody())
    if (isOfDevice(&symbol) && (!isWanted || isWanted(&symbol)))
      builder.clone(symbol);
  expand(*copy);
  return translateModuleToLLVMIR(*copy, context, "kernels");
}

FailureOr<CodeFile> emitDeviceCode(ModuleOp module, unsigned level,
                                   function_ref<bool(Operation *)> isWanted) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> kernels =
      translateKernels(module, context, expandInstructions, isWanted);
  if (!kernels)
    return failure();
  auto target = krnl::TargetAttr::of(module);
  if (StringRef version = versionFor(module); !version.empty())
    target = krnl::TargetAttr::get(
        target.getContext(), target.getFamily(), target.getTriple(),
        target.getCpu(),
        target.getFeatures().empty()
            ? version.str()
            : (target.getFeatures() + "," + version).str(),
        target.getProcessor(), target.getInstructions());
  CodeFile file = emitModule(*kernels, target, level, CodeKind::Assembly);
  file.name = "kernels";
  return file;
}

} // namespace onnxc::target
