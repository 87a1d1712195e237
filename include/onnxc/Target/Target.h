//===- Target.h - From names of a processor to a target --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_TARGET_H
#define ONNXC_TARGET_TARGET_H

#include "mlir/IR/BuiltinOps.h"
#include "onnxc/Target/IR/Target.h"
#include "onnxc/Target/ProcessorTable.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace onnxc::target {

/// Completes the options of a user and fills in the numbers of the table: an
/// empty triple is this machine's; cpu "native" or empty is this machine's
/// processor with its features, "generic" the baseline processor of the triple.
/// Fails for names unknown to LLVM.
llvm::Expected<krnl::TargetAttr>
resolveTarget(mlir::MLIRContext *context, llvm::StringRef triple,
              llvm::StringRef cpu, llvm::StringRef features,
              const ProcessorTable &table = processorTable());

/// Resolves a list of names with ',' between them, the levels of an artefact.
/// In the result, a level that has the features of another one follows it.
/// Fails for names unknown to LLVM, and for a name that is empty or there
/// twice.
llvm::Expected<llvm::SmallVector<krnl::TargetAttr>>
resolveTargets(mlir::MLIRContext *context, llvm::StringRef triple,
               llvm::StringRef cpus, llvm::StringRef features);

/// The devices of "cuda" or "cuda:sm_90a,sm_80", with or without ",cpu", in
/// ascending order. Fails for a processor that LLVM does not know, or that is
/// there twice.
llvm::Expected<llvm::SmallVector<krnl::TargetAttr>>
resolveDevices(mlir::MLIRContext *context, llvm::StringRef device);

/// The compute capability of "sm_90a", 90, and whether its code is for this one
/// alone.
std::pair<int64_t, bool> computeCapability(llvm::StringRef processor);
/// The target with products of tf32 for those of f32, where it has them.
krnl::TargetAttr withReducedProducts(krnl::TargetAttr target);

/// Returns true for "cuda:simulator", sm_80 and the simulator of the tests, and
/// for "cuda:simulator:sm_80,sm_90a".
bool isSimulated(llvm::StringRef device);
/// Returns true for "cpu", and for "cuda:sm_80,cpu": there is code for the
/// processor.
bool hasProcessor(llvm::StringRef device);

/// Returns true if the target of `module` is a device, with a host program for
/// a processor.
bool hasDevice(mlir::ModuleOp module);
/// The target of the host program of a module.
krnl::TargetAttr hostTarget(mlir::ModuleOp module);

/// "x86-64-v2,x86-64-v3": the names of the processors.
std::string processorNames(llvm::ArrayRef<krnl::TargetAttr> targets);

/// Returns false for a triple such as thumbv7em-none-eabi: code runs on the
/// machine itself, without threads, files and shared objects.
bool hasOperatingSystem(const llvm::Triple &triple);

/// Position independent where there is an operating system, a section per
/// function; level is 0 to 3, as in -O2.
/// Never null for the names of a target that resolveTarget made. One thread may
/// use it at a time.
std::unique_ptr<llvm::TargetMachine>
createTargetMachine(krnl::TargetAttr target, unsigned level);

/// All features that code for the target may use: "+avx2,+fma,...".
std::string requiredFeatures(krnl::TargetAttr target);

} // namespace onnxc::target

#endif // ONNXC_TARGET_TARGET_H
