//===- Artefact.cpp - A compiled model, loaded ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Artefact.h"

#include "llvm/Support/FileSystem.h"

#include <dlfcn.h>

using namespace llvm;
using namespace onnxc::run;

Error Artefact::resolve(StringRef path) {
  const char *missing = nullptr;
  auto find = [&](auto &function, const char *name) {
    void *address = dlsym(handle, name);
    if (!address)
      missing = name;
    function = reinterpret_cast<std::decay_t<decltype(function)>>(address);
  };
  find(queryEntryPoints, "omQueryEntryPoints");
  find(inputSignature, "omInputSignature");
  find(outputSignature, "omOutputSignature");
  find(compilationInfo, "omCompilationInfo");
  find(contextCreate, "omContextCreate");
  find(contextDestroy, "omContextDestroy");
  find(contextRun, "omContextRun");
  find(contextGetMessage, "omContextGetMessage");
  find(contextGetMemory, "omContextGetMemory");
  find(getInput, "omGetInput");
  find(getNumInputs, "omGetNumInputs");
  find(getOutput, "omGetOutput");
  find(getNumOutputs, "omGetNumOutputs");
  find(getLastError, "omGetLastError");
  find(setThreads, "omSetThreads");
  find(getThreads, "omGetThreads");
  find(valueGetKind, "omValueGetKind");
  find(valueGetSize, "omValueGetSize");
  find(valueGetElement, "omValueGetElement");
  find(valueGetKey, "omValueGetKey");
  find(valueGetTensor, "omValueGetTensor");
  find(valueCreateTensor, "omValueCreateTensor");
  find(valueCreateSequence, "omValueCreateSequence");
  find(valueCreateMap, "omValueCreateMap");
  find(valueCreateOptional, "omValueCreateOptional");
  find(valueDestroy, "omValueDestroy");
  find(tensorCreate, "omTensorCreate");
  find(tensorGetDataPtr, "omTensorGetDataPtr");
  find(tensorGetDataType, "omTensorGetDataType");
  find(tensorGetRank, "omTensorGetRank");
  find(tensorGetShape, "omTensorGetShape");
  find(tensorGetBufferSize, "omTensorGetBufferSize");
  find(tensorPrint, "omTensorPrint");
  if (missing)
    return failure("%s is no compiled model: it does not define %s",
                   path.str().c_str(), missing);
  return Error::success();
}

Expected<std::unique_ptr<Artefact>> Artefact::load(StringRef path,
                                                   std::string entry) {
  if (!sys::fs::exists(path))
    return failure("%s: no such file", path.str().c_str());
  // Without a slash dlopen would look in the library path.
  std::string file = path.contains('/') ? path.str() : "./" + path.str();
  std::unique_ptr<Artefact> artefact(new Artefact);
  artefact->handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!artefact->handle)
    return failure("cannot load %s: %s", file.c_str(), dlerror());
  if (Error error = artefact->resolve(path))
    return std::move(error);
  int64_t count = 0;
  const char *const *names = artefact->queryEntryPoints(&count);
  artefact->entryName = entry.empty() && count ? names[0] : entry;
  const char *name = artefact->entryName.c_str();
  if (artefact->getNumInputs(name) < 0) {
    std::string known;
    for (int64_t i = 0; i < count; ++i)
      known += std::string(i ? ", " : "") + names[i];
    return failure("%s has no entry point '%s', but: %s", path.str().c_str(),
                   name, known.c_str());
  }
  for (int64_t i = 0; i < artefact->getNumInputs(name); ++i)
    artefact->inputArguments.push_back(artefact->getInput(name, i));
  for (int64_t i = 0; i < artefact->getNumOutputs(name); ++i)
    artefact->outputArguments.push_back(artefact->getOutput(name, i));
  return std::move(artefact);
}

Artefact::~Artefact() {
  if (handle)
    dlclose(handle);
}
