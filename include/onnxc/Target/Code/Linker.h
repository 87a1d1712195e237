//===- Linker.h - lld in this process --------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_CODE_LINKER_H
#define ONNXC_TARGET_CODE_LINKER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <string>

namespace onnxc::target {

/// Runs lld with the arguments that its program would have, without its name
/// and that of the output, which it returns. Fails with its messages. Calls
/// wait for each other.
llvm::Expected<llvm::SmallVector<char, 0>>
runLinker(llvm::ArrayRef<std::string> arguments);

} // namespace onnxc::target

#endif // ONNXC_TARGET_CODE_LINKER_H
