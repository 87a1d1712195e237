//===- NewFile.h - Files that appear whole ----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_CPU_NEWFILE_H
#define ONNXC_TARGET_CPU_NEWFILE_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"

#include <string>

namespace onnxc::target {

/// A file that appears complete or not at all: it is written beside its place,
/// and takes it when it is done. Unlike LLVM's own it leaves the signals of the
/// process alone, which may be our caller's.
class NewFile {
public:
  explicit NewFile(llvm::StringRef name);
  /// Removes what was not kept.
  ~NewFile();
  NewFile(const NewFile &) = delete;
  NewFile &operator=(const NewFile &) = delete;

  /// Makes the file, empty: whether it can be written is known before the work.
  llvm::Error create();
  /// Where to write.
  llvm::StringRef path() const { return temporary; }
  /// Gives the file its name.
  llvm::Error keep();
  /// What to say where it cannot be written.
  llvm::Error failed(std::error_code code) const;

private:
  std::string name;
  llvm::SmallString<128> temporary;
};

/// True for a device or a pipe, which no file may take the place of.
bool isStream(llvm::StringRef name);

/// The file itself where `name` is a link to it: links stay what they are.
std::string behindLinks(llvm::StringRef name);

} // namespace onnxc::target

#endif // ONNXC_TARGET_CPU_NEWFILE_H
