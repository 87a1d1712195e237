//===- EmitModule.h - An LLVM module to machine code ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_CODE_EMITMODULE_H
#define ONNXC_TARGET_CODE_EMITMODULE_H

#include "onnxc/Target/Target.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace llvm {
class Module;
}

namespace onnxc::target {

/// An object file or a piece of assembly.
struct CodeFile {
  /// The name of the kernel that the code belongs to, for messages.
  std::string name;
  llvm::SmallVector<char, 0> bytes;
};

enum class CodeKind { Object, Assembly };

/// Compiles one LLVM module, optimised by the short pipeline. If `quick`,
/// registers and instructions are then chosen without looking around.
CodeFile emitModule(llvm::Module &module, krnl::TargetAttr target,
                    unsigned level, CodeKind kind, bool quick = false);

/// Accesses of memory in a row, without a call or branch between them, of code
/// that is chosen and scheduled with all of them in sight.
constexpr unsigned maxScheduledAccesses = 1024;

/// Returns true if there are more in a function: to choose and schedule their
/// instructions takes the square of their number.
bool hasLongBlock(const llvm::Module &module);

/// The short pipeline: clean up, hoist, no unrolling and no vectorising, which
/// recipes have done already. If `quick`, only passes of linear time in long
/// functions.
void optimizeModule(llvm::Module &module, llvm::TargetMachine &target,
                    unsigned level, bool quick = false);

} // namespace onnxc::target

#endif // ONNXC_TARGET_CODE_EMITMODULE_H
