//===- OptionTable.h - The commands and options of onnx-run -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// LLVM's own command line library would mix these options with those that
// libLLVM registers, some of the same name.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNX_RUN_OPTIONTABLE_H
#define ONNXC_TOOLS_ONNX_RUN_OPTIONTABLE_H

#include "Options.h"

namespace onnxc::run {

/// The commands that have an option.
enum Commands : unsigned {
  OfRun = 1u << unsigned(Command::Run),
  OfVerify = 1u << unsigned(Command::Verify),
  OfBench = 1u << unsigned(Command::Bench),
  OfProfile = 1u << unsigned(Command::Profile),
  OfInfo = 1u << unsigned(Command::Info),
  OfRefit = 1u << unsigned(Command::Refit),
  /// Of options that are refused with --against.
  Alone = 1u << 31,
  Checks = OfRun | OfVerify,
  Comparers = OfVerify | OfBench,
  Timers = OfBench | OfProfile,
  Runners = Checks | Timers,
  Readers = Runners | OfInfo,
  OfAll = Readers | OfRefit
};

struct CommandRow {
  llvm::StringRef name;
  Command command;
  llvm::StringRef help;
  llvm::StringRef operands;
  llvm::StringRef examples; ///< lines of the help
};

/// Takes the value; false if it is no good.
using Take = bool (*)(Options &, llvm::StringRef);

struct Option {
  llvm::StringRef name;
  llvm::StringRef value; ///< shown in the help; empty: the option takes none
  unsigned commands;
  Take take;
  llvm::StringRef help;
};

llvm::ArrayRef<CommandRow> commandTable();
llvm::ArrayRef<Option> optionTable();

inline bool accepts(unsigned commands, Command command) {
  return commands >> unsigned(command) & 1;
}

/// Short forms, as onnx-compile has them.
inline constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral>
    shortForms[] = {{"-q", "quiet"}, {"-h", "help"}};

} // namespace onnxc::run

#endif // ONNXC_TOOLS_ONNX_RUN_OPTIONTABLE_H
