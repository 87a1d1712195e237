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

namespace {
/// The mapped side file. It stays open to be asked for its size.
struct MappedWeights {
  const void *memory;
  os::File file;
};
} // namespace

static std::atomic<MappedWeights *> mapped;

/// Opens the side file beside the artefact.
static os::File openSideFile() {
  char path[PATH_MAX];
  const char *name = onnxc_model.weightsFile;
  if (!os::pathOfAddress(&onnxc_model, path, sizeof path))
    path[0] = 0;
  char *slash = strrchr(path, '/');
  size_t folder = slash ? size_t(slash - path) + 1 : 0;
  size_t length = strlen(name) + 1;
  if (folder + length > sizeof path || strchr(name, '/'))
    return {};
  memcpy(path + folder, name, length);
  return os::openFile(path);
}

/// What is wrong with the side file, or null. It is bound to the artefact by
/// the digest in its footer, which is not computed again: that would read it
/// all.
static const char *checkSideFile(const os::File &file) {
  OnnxcWeightsFooter footer;
  if (file.number < 0)
    return "is not beside the model";
  if (file.bytes != onnxc_model.weightsBytes + int64_t(sizeof footer))
    return "has another size: it was cut off, or is that of another model";
  if (!os::readFile(file, onnxc_model.weightsBytes, &footer, sizeof footer) ||
      memcmp(footer.magic, ONNXC_WEIGHTS_MAGIC, sizeof footer.magic) != 0 ||
      footer.bytes != onnxc_model.weightsBytes)
    return "does not end like one";
  if (memcmp(footer.digest, onnxc_model.weightsDigest, sizeof footer.digest))
    return "has the weights of another model: compile the model again";
  return nullptr;
}

static const char *mapSideFile(MappedWeights &weights) {
  weights.file = openSideFile();
  if (const char *problem = checkSideFile(weights.file))
    return problem;
  weights.memory = os::mapFile(weights.file, onnxc_model.weightsBytes);
  return weights.memory ? nullptr : "cannot be mapped";
}

static void unmap(MappedWeights *weights) {
  if (weights->memory)
    os::unmapFile(weights->memory, onnxc_model.weightsBytes);
  if (weights->file.number >= 0)
    os::closeFile(weights->file);
  free(weights);
}

const void *rt::modelWeights(const char *&problem) {
  problem = nullptr;
  if (!onnxc_model.weightsFile)
    return onnxc_model.weights;
  MappedWeights *known = mapped.load(std::memory_order_acquire);
  if (!known) {
    auto *fresh =
        static_cast<MappedWeights *>(calloc(1, sizeof(MappedWeights)));
    problem = fresh ? mapSideFile(*fresh) : "cannot be mapped";
    if (!problem && mapped.compare_exchange_strong(known, fresh))
      known = fresh;
    else if (fresh)
      unmap(fresh); // unless it is wrong, another call was faster
    if (problem)
      return nullptr;
  }
  if (os::wasTruncated(known->file))
    problem = "was cut off after it was mapped";
  return problem ? nullptr : known->memory;
}

void rt::unmapWeights() {
  if (MappedWeights *weights = mapped.exchange(nullptr))
    unmap(weights);
}
