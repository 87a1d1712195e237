//===- Artefact.h - A compiled model, loaded --------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_VALUES_ARTEFACT_H
#define ONNXC_VALUES_ARTEFACT_H

#include "onnxc/Values/Tensor.h"
#include "onnxc/rt/Functions.h"

#include <memory>

namespace onnxc::run {

/// The functions of the artefact, and one entry point.
class Artefact : public rt::Functions {
public:
  /// An empty entry name is the first entry point.
  static llvm::Expected<std::unique_ptr<Artefact>>
  load(llvm::StringRef path, const std::string &entry);
  ~Artefact();

  llvm::ArrayRef<const OMArgument *> inputs() const { return inputArguments; }
  llvm::ArrayRef<const OMArgument *> outputs() const { return outputArguments; }
  const std::string &entry() const { return entryName; }
  /// A context for runs on the GPU with this number, if the model runs on one;
  /// it is destroyed by omContextDestroy.
  llvm::Expected<OMContext *> createContext(int64_t device) const;
  /// A function that not all artefacts have; null where this has none.
  template <typename Function>
  Function *find(const char *name) const {
    return reinterpret_cast<Function *>(dlsym(handle, name));
  }

private:
  Artefact() = default;

  void *handle = nullptr;
  std::string entryName;
  std::vector<const OMArgument *> inputArguments, outputArguments;
};

} // namespace onnxc::run

#endif // ONNXC_VALUES_ARTEFACT_H
