//===- UnusedLLVM.cpp - Left out of self-contained programs ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// lld initializes all targets of LLVM, and its link-time optimization asks for
// the passes of Polly. Linked before LLVM's archives, these definitions keep
// the targets that no code is made for out of a program: half of its size.
//
//===----------------------------------------------------------------------===//

#include "llvm/Plugins/PassPlugin.h"

#define ONNXC_UNUSED(NAME)                                                     \
  extern "C" void LLVMInitialize##NAME##TargetInfo() {}                        \
  extern "C" void LLVMInitialize##NAME##Target() {}                            \
  extern "C" void LLVMInitialize##NAME##TargetMC() {}                          \
  extern "C" void LLVMInitialize##NAME##AsmPrinter() {}                        \
  extern "C" void LLVMInitialize##NAME##AsmParser() {}
// The build lists LLVM's targets without those of lib/Target/Target.cpp.
ONNXC_UNUSED_TARGETS
#undef ONNXC_UNUSED

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Polly", LLVM_VERSION_STRING,
          [](llvm::PassBuilder &) {}, nullptr};
}
