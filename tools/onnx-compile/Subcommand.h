//===- Subcommand.h - One of the things onnx-compile does ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A subcommand is one file with one `extern const Subcommand`, listed in
// Subcommands.cpp. The parser, --help, completion and manual pages read it.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TOOLS_ONNX_COMPILE_SUBCOMMAND_H
#define ONNXC_TOOLS_ONNX_COMPILE_SUBCOMMAND_H

#include "onnxc/Compile.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

struct CommandLine;
class Console;

/// An option of a subcommand that is none of a compilation.
struct OwnOption {
  llvm::StringLiteral name;
  /// "FILE", "text|json"; empty for a flag; in brackets, as "[=json]", if the
  /// option may stand without it.
  llvm::StringLiteral value;
  llvm::StringLiteral help;
};

struct Subcommand {
  /// The first word of the command line; empty for the one without a word.
  llvm::StringLiteral name;
  /// One line, as "list ...".
  llvm::StringLiteral summary;
  /// "MODEL NODE"; those in brackets, as in "MODEL [NODE]", may be missing.
  llvm::StringLiteral operands;
  /// The text after the summary in the help: what the command prints, with
  /// examples.
  llvm::StringLiteral description;
  llvm::ArrayRef<OwnOption> options;
  /// Options of a compilation that it does not take.
  llvm::ArrayRef<llvm::StringLiteral> without;
  /// "3 ..." in the line of exit statuses; empty if it has none of its own.
  llvm::StringLiteral ownStatus;
  /// Returns the exit status.
  int (*run)(CommandLine &line);
};

/// A parsed command line.
struct CommandLine {
  const Subcommand *command = nullptr;
  /// Words that are no options. A model is a path, or "-" for the standard
  /// input.
  std::vector<std::string> operands;
  /// Keys and values for omCompilerSetOption.
  std::vector<std::pair<std::string, std::string>> options;
  /// Given options of the subcommand itself; a flag has the value "".
  std::map<llvm::StringRef, std::string> own;
  bool help = false;
  bool version = false;
  bool quiet = false;
  /// The error in it; empty if there is none.
  std::string error;

  bool has(llvm::StringRef name) const { return own.count(name) != 0; }
  /// The value of an own option; empty if it is not given.
  std::string valueOf(llvm::StringRef name) const {
    auto found = own.find(name);
    return found == own.end() ? "" : found->second;
  }
};

/// All, the one without a word first.
llvm::ArrayRef<const Subcommand *> subcommands();

CommandLine parseCommandLine(int argc, char **argv);

/// What --help prints.
std::string helpText(const Subcommand &command);

/// Reports what is wrong with the command line; returns the exit status.
int usageError(const CommandLine &line, const std::string &message);

/// Does the work with a compiler that has the options of the line, shows its
/// messages and progress, and is cancelled by an interrupt. Returns the status
/// of the work, or of the option that is refused.
int withCompiler(const CommandLine &line,
                 llvm::function_ref<int(OMCompiler *, Console &)> work);

/// Reads the standard input to its end; false if that fails.
bool readInput(std::string &bytes);

/// Compiles a file, or with "-" the standard input.
OM_COMPILE_STATUS compileInput(OMCompiler *compiler, const std::string &input);

#endif // ONNXC_TOOLS_ONNX_COMPILE_SUBCOMMAND_H
