//===- Subcommands.cpp - The table of subcommands --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Subcommand.h"

extern const Subcommand compileCommand, simplifyCommand;

llvm::ArrayRef<const Subcommand *> subcommands() {
  static constexpr const Subcommand *table[] = {
      &compileCommand,
      &simplifyCommand,
  };
  return table;
}
