//===- Levels.h - The code of a program for several targets -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_IR_LEVELS_H
#define ONNXC_TARGET_IR_LEVELS_H

#include "mlir/IR/BuiltinOps.h"

namespace onnxc::target {

/// Returns true if the program of the target's module `level` has modules of
/// other targets, too.
bool isOneOfSeveral(mlir::ModuleOp level);

/// "m.sm_80.ptx" for "m.ptx": a file that is about one of several targets.
std::string fileOfTarget(llvm::StringRef path, llvm::StringRef processor);

} // namespace onnxc::target

#endif // ONNXC_TARGET_IR_LEVELS_H
