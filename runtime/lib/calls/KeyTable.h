//===- KeyTable.h - Numbers that calls look up ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Hash tables without collisions, which the compiler has made
// (lib/Conversion/ONNXToKrnl/Classical/KeyTables.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_LIB_CALLS_KEYTABLE_H
#define ONNXC_RUNTIME_LIB_CALLS_KEYTABLE_H

#include "calls/KeyHash.h"

namespace onnxc::rt {

/// A table of numbers among the weights. Its words are 64 bits wide:
///   the multiplier of keys for their bucket, the bits of a bucket's number,
///   those of a slot's number; by bucket the multiplier of keys for their slot;
///   by slot its key; by slot the number of that key.
/// An empty slot has a key and a number of another one.
class KeyTable {
public:
  explicit KeyTable(const void *table)
      : words(static_cast<const int64_t *>(table)),
        keys(words + 3 + (int64_t(1) << words[1])),
        numbers(keys + (int64_t(1) << words[2])) {}

  /// The number of a key, or -1.
  int64_t find(int64_t key) const {
    uint64_t bucket = hashKey(uint64_t(key), uint64_t(words[0]), words[1]);
    uint64_t slot =
        hashKey(uint64_t(key), uint64_t(words[3 + bucket]), words[2]);
    return keys[slot] == key ? numbers[slot] : -1;
  }

private:
  const int64_t *words, *keys, *numbers;
};

} // namespace onnxc::rt

#endif // ONNXC_RUNTIME_LIB_CALLS_KEYTABLE_H
