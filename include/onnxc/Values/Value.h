//===- Value.h - Tensors, sequences, optionals and maps ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_VALUES_VALUE_H
#define ONNXC_VALUES_VALUE_H

#include "onnxc/Values/Artefact.h"

#include <memory>

namespace onnxc::run {

/// A value in memory of the tool.
struct Value {
  int64_t kind = OM_VALUE_TENSOR;
  Tensor tensor;               ///< itself; the keys of a map
  std::vector<Value> elements; ///< of the other kinds

  Value() = default;
  explicit Value(Tensor tensor) : tensor(std::move(tensor)) {}

  /// A copy of an output.
  static Value copyOf(const Artefact &artefact, const OMArgument &argument,
                      const OMBuffer &buffer);
};

/// Reads a value that the model expects. A .pb file may hold any, other files
/// hold a tensor, which may be the element of an optional.
llvm::Expected<Value> readValue(llvm::StringRef path,
                                const OMArgument &expected);
/// Reads the content of a .pb file; `path` is for messages.
llvm::Expected<Value> readValueProto(llvm::StringRef path,
                                     llvm::StringRef content,
                                     const OMArgument &expected);
/// Writes NAME.npy, or a file for each tensor inside: NAME_0.npy, ...; the keys
/// of a map are NAME_keys.npy.
llvm::Error writeValue(const std::string &stem, const Value &value);
/// Types and values, a line or more for each tensor inside.
std::string valueText(const std::string &name, const Value &value);
/// The key of entry `index` of a map.
std::string keyText(const Value &map, size_t index);

/// The inputs of a run in the order of the model, with their memory.
class InputSet {
public:
  InputSet(const Artefact &artefact, std::vector<Value> values);

  llvm::ArrayRef<OMBuffer> buffers() const { return allBuffers; }
  llvm::ArrayRef<Value> getValues() const { return values; }

  /// Options that would set the sizes which were not given.
  void setGuesses(std::string options) { guesses = std::move(options); }
  /// The error that the model refused these inputs with. Where sizes were
  /// guessed, these may be why.
  llvm::Error refusal(const char *message) const;

private:
  OMValue *make(const Artefact &artefact, Value &value);
  OMTensor *make(const Artefact &artefact, Tensor &tensor);

  using Owned = std::unique_ptr<OMValue, void (*)(OMValue *)>;

  std::vector<Value> values;
  std::deque<std::vector<char *>> pointers; ///< data of string tensors
  std::vector<Owned> owned;
  std::vector<OMBuffer> allBuffers;
  std::string guesses;
};

} // namespace onnxc::run

#endif // ONNXC_VALUES_VALUE_H
