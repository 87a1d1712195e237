//===- Artefact.cpp - A compiled model, loaded ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Values/Artefact.h"

#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

Expected<std::unique_ptr<Artefact>> Artefact::load(StringRef path,
                                                   const std::string &entry) {
  if (!sys::fs::exists(path))
    return failure("%s: no such file", path.str().c_str());
  std::unique_ptr<Artefact> artefact(new Artefact);
  std::string message;
  artefact->handle = rt::loadArtefact(path.str(), message);
  if (!artefact->handle)
    return failure("%s", message.c_str());
  if (const char *missing = artefact->resolve(artefact->handle))
    return failure(
        "%s", rt::explainLack(artefact->handle, path.str(), missing).c_str());
  int64_t count = 0;
  const char *const *names = artefact->omQueryEntryPoints(&count);
  artefact->entryName = entry.empty() && count ? names[0] : entry;
  const char *name = artefact->entryName.c_str();
  if (artefact->omGetNumInputs(name) < 0)
    return failure("%s: %s", path.str().c_str(), artefact->omGetLastError());
  for (int64_t i = 0; i < artefact->omGetNumInputs(name); ++i)
    artefact->inputArguments.push_back(artefact->omGetInput(name, i));
  for (int64_t i = 0; i < artefact->omGetNumOutputs(name); ++i)
    artefact->outputArguments.push_back(artefact->omGetOutput(name, i));
  return std::move(artefact);
}

Expected<OMContext *> Artefact::createContext(int64_t device) const {
  OMContext *context = omContextCreate(entryName.c_str());
  if (!context)
    return failure("%s", omGetLastError());
  OM_STATUS status = device == 0          ? OM_STATUS_OK
                     : omContextSetDevice ? omContextSetDevice(context, device)
                                          : OM_STATUS_UNSUPPORTED;
  if (status == OM_STATUS_OK)
    return context;
  omContextDestroy(context);
  if (status == OM_STATUS_INVALID)
    return failure("--device=%lld: no GPU has this number", (long long)device);
  return failure("--device=%lld: the code of the model that runs here is for "
                 "the processor",
                 (long long)device);
}

Artefact::~Artefact() {
  if (handle)
    dlclose(handle);
}
