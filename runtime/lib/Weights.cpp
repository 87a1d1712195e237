//===- Weights.cpp - Embedded weights, or a mapped side file ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "os/OS.h"

#include <limits.h>
#include <string.h>

using namespace onnxc;
using namespace onnxc::rt;

static std::atomic<const void *> mapped;

/// The side file beside the artefact; null if it is absent or has another size.
static const void *mapWeights() {
  char path[PATH_MAX];
  const char *name = onnxc_model.weightsFile;
  if (!os::pathOfAddress(&onnxc_model, path, sizeof path))
    path[0] = 0;
  char *slash = strrchr(path, '/');
  size_t folder = slash ? size_t(slash - path) + 1 : 0;
  size_t length = strlen(name) + 1;
  if (folder + length > sizeof path || strchr(name, '/'))
    return nullptr;
  memcpy(path + folder, name, length);
  int64_t bytes = 0;
  const void *memory = os::mapFile(path, bytes);
  if (memory && bytes != onnxc_model.weightsBytes) {
    os::unmapFile(memory, bytes);
    return nullptr;
  }
  return memory;
}

const void *rt::modelWeights() {
  if (!onnxc_model.weightsFile)
    return onnxc_model.weights;
  const void *memory = mapped.load(std::memory_order_acquire);
  if (memory)
    return memory;
  const void *fresh = mapWeights();
  if (!fresh || mapped.compare_exchange_strong(memory, fresh))
    return fresh;
  os::unmapFile(fresh, onnxc_model.weightsBytes); // another call was faster
  return memory;
}

void rt::unmapWeights() {
  if (const void *memory = mapped.exchange(nullptr))
    os::unmapFile(memory, onnxc_model.weightsBytes);
}
