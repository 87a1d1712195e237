//===- ValueMemory.h - Memory of a value as a whole -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A sequence of maps, as classifiers give it, has several small parts for each
// number. Those of a result lie in few chunks that end with it.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_LIB_VALUEMEMORY_H
#define ONNXC_RUNTIME_LIB_VALUEMEMORY_H

#include <stdint.h>

namespace onnxc::rt {

/// Chunks of memory, each of which knows the one before.
class ValueMemory {
public:
  struct Chunk {
    Chunk *previous;
    char *next, *end; ///< what is free
  };

  /// Uninitialised memory, aligned to 64 bytes if it is as large, else to 16;
  /// null if there is none.
  void *allocate(int64_t bytes);
  /// The last chunk, with which freeChunks() finds all of them.
  Chunk *chunks() const { return last; }

private:
  void *allocateApart(int64_t bytes);

  Chunk *last = nullptr;
  int64_t chunkBytes = 1024; ///< of the next chunk
};

void freeChunks(ValueMemory::Chunk *last);

} // namespace onnxc::rt

#endif // ONNXC_RUNTIME_LIB_VALUEMEMORY_H
