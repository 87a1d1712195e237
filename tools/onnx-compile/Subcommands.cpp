//===- Subcommands.cpp - The table of subcommands --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Subcommand.h"

extern const Subcommand checkCommand, compileCommand, explainCommand,
    reportCommand, simplifyCommand;

llvm::ArrayRef<const Subcommand *> subcommands() {
  static constexpr const Subcommand *table[] = {
      &compileCommand,  &checkCommand,  &explainCommand,
      &simplifyCommand, &reportCommand,
  };
  return table;
}
