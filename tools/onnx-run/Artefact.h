//===- Artefact.h - A compiled model, loaded --------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNXRUN_ARTEFACT_H
#define ONNXC_TOOLS_ONNXRUN_ARTEFACT_H

#include "Tensor.h"

#include <memory>

namespace onnxc::run {

/// The functions of the artefact that the tool calls, and one entry point.
class Artefact {
public:
  /// An empty entry name is the first entry point.
  static llvm::Expected<std::unique_ptr<Artefact>> load(llvm::StringRef path,
                                                        std::string entry);
  ~Artefact();

  llvm::ArrayRef<const OMArgument *> inputs() const { return inputArguments; }
  llvm::ArrayRef<const OMArgument *> outputs() const { return outputArguments; }
  const std::string &entry() const { return entryName; }

  decltype(&omQueryEntryPoints) queryEntryPoints;
  decltype(&omInputSignature) inputSignature;
  decltype(&omOutputSignature) outputSignature;
  decltype(&omCompilationInfo) compilationInfo;
  decltype(&omContextCreate) contextCreate;
  decltype(&omContextDestroy) contextDestroy;
  decltype(&omContextRun) contextRun;
  decltype(&omContextGetMessage) contextGetMessage;
  decltype(&omContextGetMemory) contextGetMemory;
  decltype(&omGetInput) getInput;
  decltype(&omGetNumInputs) getNumInputs;
  decltype(&omGetOutput) getOutput;
  decltype(&omGetNumOutputs) getNumOutputs;
  decltype(&omGetLastError) getLastError;
  decltype(&omSetThreads) setThreads;
  decltype(&omGetThreads) getThreads;
  decltype(&omValueGetKind) valueGetKind;
  decltype(&omValueGetSize) valueGetSize;
  decltype(&omValueGetElement) valueGetElement;
  decltype(&omValueGetKey) valueGetKey;
  decltype(&omValueGetTensor) valueGetTensor;
  decltype(&omValueCreateTensor) valueCreateTensor;
  decltype(&omValueCreateSequence) valueCreateSequence;
  decltype(&omValueCreateMap) valueCreateMap;
  decltype(&omValueCreateOptional) valueCreateOptional;
  decltype(&omValueDestroy) valueDestroy;
  decltype(&omTensorCreate) tensorCreate;
  decltype(&omTensorGetDataPtr) tensorGetDataPtr;
  decltype(&omTensorGetDataType) tensorGetDataType;
  decltype(&omTensorGetRank) tensorGetRank;
  decltype(&omTensorGetShape) tensorGetShape;
  decltype(&omTensorGetBufferSize) tensorGetBufferSize;
  decltype(&omTensorPrint) tensorPrint;

private:
  Artefact() = default;
  llvm::Error resolve(llvm::StringRef path);

  void *handle = nullptr;
  std::string entryName;
  std::vector<const OMArgument *> inputArguments, outputArguments;
};

} // namespace onnxc::run

#endif // ONNXC_TOOLS_ONNXRUN_ARTEFACT_H
