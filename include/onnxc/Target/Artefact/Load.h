//===- Load.h - Running objects in this process ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_ARTEFACT_LOAD_H
#define ONNXC_TARGET_ARTEFACT_LOAD_H

#include "onnxc/Target/CPU/Emit.h"

namespace llvm::orc {
class LLJIT;
}

namespace onnxc::target {

/// The objects of an artefact, loaded into this process instead of linked:
/// objects of a model, its descriptor and the runtime. Functions that the
/// artefact would take from libc and libm are those of the process.
class LoadedModel {
public:
  /// Loads `objects` and the runtime of the folder `runtimeDir`. Fails with a
  /// message if they come to call one of the libraries that only some artefacts
  /// need. `functions` are functions of this process that `objects` call.
  static llvm::Expected<LoadedModel>
  load(llvm::ArrayRef<CodeFile> objects, llvm::StringRef runtimeDir,
       llvm::ArrayRef<std::pair<std::string, const void *>> functions = {});
  LoadedModel(LoadedModel &&);
  ~LoadedModel();

  /// A function of the public C API (OnnxMlirRuntime.h, onnxc/Runtime.h).
  template <typename Function>
  llvm::Expected<Function *> find(llvm::StringRef name) {
    llvm::Expected<void *> address = lookup(name);
    if (!address)
      return address.takeError();
    return reinterpret_cast<Function *>(*address);
  }

private:
  explicit LoadedModel(std::unique_ptr<llvm::orc::LLJIT> session);
  llvm::Expected<void *> lookup(llvm::StringRef name);

  std::unique_ptr<llvm::orc::LLJIT> session;
};

} // namespace onnxc::target

#endif // ONNXC_TARGET_ARTEFACT_LOAD_H
