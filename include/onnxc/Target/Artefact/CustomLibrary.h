//===- CustomLibrary.h - Files of custom operators -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_ARTEFACT_CUSTOMLIBRARY_H
#define ONNXC_TARGET_ARTEFACT_CUSTOMLIBRARY_H

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace onnxc::target {

/// A custom operator library (onnxc/CustomOp.h), loaded into this process: a
/// shared library, or an object file or archive, which is made one for the
/// compiler's own use.
class CustomLibrary {
public:
  /// Loads the file `path`. `runtimeDir` is the folder of the stubs of libc and
  /// libm. Fails with a message that names the file.
  static llvm::Expected<CustomLibrary> load(llvm::StringRef path,
                                            llvm::StringRef runtimeDir);
  CustomLibrary(CustomLibrary &&other);
  ~CustomLibrary();

  /// A function of the library that gives operators.
  struct Entry {
    std::string name;
    void *function;
  };
  const std::vector<Entry> &getEntries() const { return entries; }

  /// Absolute path of the file.
  const std::string &getPath() const { return path; }
  /// Returns true for a shared library, which artefacts need where they run;
  /// the code of others is linked into them.
  bool isShared() const { return shared; }

private:
  CustomLibrary() = default;
  llvm::Error open(llvm::StringRef file);
  llvm::Error readSymbols(llvm::StringRef file);

  std::string path;
  bool shared = false;
  void *handle = nullptr;
  std::vector<Entry> entries;
};

} // namespace onnxc::target

#endif // ONNXC_TARGET_ARTEFACT_CUSTOMLIBRARY_H
