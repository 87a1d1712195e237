//===- Header.h - C and C++ header of a model ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_ARTEFACT_HEADER_H
#define ONNXC_TARGET_ARTEFACT_HEADER_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace onnxc::target {

/// `text` as a name of C: other characters become '_'; one that C or C++ has
/// for itself, or that begins with a digit or '_', gets another beginning.
std::string cIdentifier(llvm::StringRef text);

/// The second name that `function` of the model in `module` has for its header
/// alone. It ends in a digest of what programs take from the header: the names,
/// types, sizes and order of inputs and outputs, and the memory of a real-time
/// run. So a program with the header of another model does not link.
std::string nameForHeader(llvm::StringRef function, mlir::ModuleOp module,
                          bool isRealTime = false);

/// A header for C99 and C++17 with the inputs and outputs of the entry point in
/// `module` as fields of two structs, and one function that runs it. Names
/// begin with `prefix`, an identifier; `tag` is that of the model, or empty;
/// `source` says where it comes from. That of a real-time model
/// (onnxc/Target/Artefact/RealTime.h) includes no other header of the runtime.
std::string headerText(mlir::ModuleOp module, llvm::StringRef prefix,
                       llvm::StringRef tag, llvm::StringRef source,
                       bool isRealTime = false);

} // namespace onnxc::target

#endif // ONNXC_TARGET_ARTEFACT_HEADER_H
