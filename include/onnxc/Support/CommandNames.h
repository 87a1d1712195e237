//===- CommandNames.h - Commands of a tool that are misspelt ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_SUPPORT_COMMANDNAMES_H
#define ONNXC_SUPPORT_COMMANDNAMES_H

#include "onnxc/Support/SimilarName.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <string>

namespace onnxc {

/// The command whose name differs least from `word`, in two letters at most;
/// empty if there is none.
inline std::string similarCommand(llvm::StringRef word,
                                  llvm::ArrayRef<llvm::StringRef> names) {
  SimilarName similar(word, /*maxDistance=*/2);
  for (llvm::StringRef name : names)
    similar.offer(name);
  return similar.get();
}

/// What an error of an unknown option goes on with: "; similar: '--shape'", or
/// nothing.
inline std::string similarOption(const SimilarName &similar) {
  return similar.get().empty() ? "" : "; similar: '--" + similar.get() + "'";
}

/// What to report of the word in the place of a model, which is the only
/// operand or not, if it was meant as a command: it names no file. Else empty.
inline std::string explainCommand(llvm::StringRef word, bool isOnly,
                                  llvm::ArrayRef<llvm::StringRef> names) {
  std::string similar = similarCommand(word, names);
  if (word.empty() || word == "-" || word.contains('.') || word.contains('/') ||
      llvm::sys::fs::exists(word) || (isOnly && similar.empty()))
    return "";
  std::string text = ("unknown command '" + word + "'; ").str();
  if (!similar.empty())
    text += "similar: '" + similar + "'; ";
  return text + "commands are: " + llvm::join(names, ", ");
}

} // namespace onnxc

#endif // ONNXC_SUPPORT_COMMANDNAMES_H
