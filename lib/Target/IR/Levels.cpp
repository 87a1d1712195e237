//===- Levels.cpp - The code of a program for several targets ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/IR/Levels.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace onnxc;

bool target::isOneOfSeveral(ModuleOp level) {
  auto parent = level->getParentOfType<ModuleOp>();
  return parent && !llvm::hasSingleElement(parent.getOps<ModuleOp>());
}

std::string target::fileOfTarget(StringRef path, StringRef processor) {
  StringRef extension = llvm::sys::path::extension(path);
  return (path.drop_back(extension.size()) + "." + processor + extension).str();
}
