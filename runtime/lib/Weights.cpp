//===- Weights.cpp - Embedded weights, or a mapped side file ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "os/OS.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

using namespace onnxc;
using namespace onnxc::rt;

/// The mapped side file. It stays open to see whether it has changed.
struct rt::MappedWeights {
  const void *memory;
  os::File file;
};

/// Opens the side file beside the artefact.
static os::File openSideFile(const OnnxcModel &model) {
  char path[PATH_MAX];
  const char *name = model.weightsFile;
  if (!os::pathOfAddress(&model, path, sizeof path))
    path[0] = 0;
  char *slash = strrchr(path, '/');
  size_t folder = slash ? size_t(slash - path) + 1 : 0;
  size_t length = strlen(name) + 1;
  if (folder + length > sizeof path || strchr(name, '/'))
    return {};
  memcpy(path + folder, name, length);
  return os::openFile(path);
}

/// The error in the side file, or null. It is bound to the artefact by
/// the digest in its footer, which is not computed again: that would read it
/// all.
static const char *checkSideFile(const OnnxcModel &model,
                                 const os::File &file) {
  OnnxcWeightsFooter footer;
  if (file.number < 0)
    return "is not beside the model";
  if (file.bytes != model.weightsBytes + int64_t(sizeof footer))
    return "has another size: it was cut off, or is that of another model";
  if (!os::readFile(file, model.weightsBytes, &footer, sizeof footer) ||
      memcmp(footer.magic, ONNXC_WEIGHTS_MAGIC, sizeof footer.magic) != 0 ||
      footer.bytes != model.weightsBytes)
    return "does not end like one";
  if (memcmp(footer.digest, model.weightsDigest, sizeof footer.digest) != 0)
    return "has the weights of another model: compile the model again";
  return nullptr;
}

static const char *mapSideFile(const OnnxcModel &model,
                               MappedWeights &weights) {
  weights.file = openSideFile(model);
  if (const char *problem = checkSideFile(model, weights.file))
    return problem;
  weights.memory = os::mapFile(weights.file, model.weightsBytes);
  return weights.memory ? nullptr : "cannot be mapped";
}

static void unmap(const OnnxcModel &model, MappedWeights *weights) {
  if (weights->memory)
    os::unmapFile(weights->memory, model.weightsBytes);
  if (weights->file.number >= 0)
    os::closeFile(weights->file);
  free(weights);
}

const void *rt::modelWeights(const OnnxcModel &model, const char *&problem) {
  problem = nullptr;
  if (!model.weightsFile)
    return model.weights;
  std::atomic<MappedWeights *> &mapped = stateOf(model).weights;
  MappedWeights *known = mapped.load(std::memory_order_acquire);
  if (!known) {
    auto *fresh =
        static_cast<MappedWeights *>(calloc(1, sizeof(MappedWeights)));
    problem = fresh ? mapSideFile(model, *fresh) : "cannot be mapped";
    if (!problem && mapped.compare_exchange_strong(known, fresh))
      known = fresh;
    else if (fresh)
      unmap(model, fresh); // unless it is wrong, another call was faster
    if (problem)
      return nullptr;
  }
  os::File now;
  if (os::hasChanged(known->file, now))
    problem = checkSideFile(model, now);
  return problem ? nullptr : known->memory;
}

void rt::unmapWeights(const OnnxcModel &model) {
  if (MappedWeights *weights = stateOf(model).weights.exchange(nullptr))
    unmap(model, weights);
}
