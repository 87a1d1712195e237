//===- Machine.h - The processor that code is made for ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_CPU_MACHINE_H
#define ONNXC_TARGET_CPU_MACHINE_H

#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace onnxc::target {

/// Triple, processor and features by LLVM's names, all spelled out.
struct Machine {
  std::string triple;
  std::string cpu;
  /// "+avx2,-avx512f,...": what differs from the processor's usual set.
  std::string features;
  /// 0 to 3, as in -O2.
  unsigned level = 3;
};

/// Completes what a user says: an empty triple is this machine's; cpu "native"
/// is this machine's processor with its features, "generic" the least processor
/// of the triple. Fails for names LLVM does not know.
llvm::Expected<Machine> resolveMachine(llvm::StringRef triple,
                                       llvm::StringRef cpu,
                                       llvm::StringRef features,
                                       unsigned level);

/// Position independent, a section per function; never null for a machine that
/// resolveMachine made. One thread may use it at a time.
std::unique_ptr<llvm::TargetMachine>
createTargetMachine(const Machine &machine);

/// All features that code for the machine may use: "+avx2,+fma,...".
std::string requiredFeatures(const Machine &machine);

} // namespace onnxc::target

#endif // ONNXC_TARGET_CPU_MACHINE_H
