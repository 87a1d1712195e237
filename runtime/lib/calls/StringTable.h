//===- StringTable.h - Strings that generated code works on -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Shared by the text families: tables of strings as the compiler lays them
// into the weights, results of a krnl.call, and characters made during a call.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_LIB_CALLS_STRINGTABLE_H
#define ONNXC_RUNTIME_LIB_CALLS_STRINGTABLE_H

#include "calls/StringHash.h"
#include "onnxc/rt/hooks.h"

#include <stddef.h>

namespace onnxc::rt {

/// A table of strings among the weights. Its words are 64 bits wide:
///   count, slots, count offsets of the characters from the table's beginning,
///   slots numbers (-1: empty), then the characters, each string ended by NUL.
/// The slots, a power of two or none, are a hash table with linear probing.
class StringTable {
public:
  explicit StringTable(const OnnxcValue &value)
      : words(static_cast<const int64_t *>(value.data)) {}

  int64_t size() const { return words[0]; }
  const char *operator[](int64_t i) const {
    return reinterpret_cast<const char *>(words) + words[2 + i];
  }
  /// The number of the first string equal to `text`, or -1. Needs slots.
  int64_t find(const char *text, size_t length) const;
  int64_t find(const char *text) const;

private:
  const int64_t *slots() const { return words + 2 + size(); }
  const int64_t *words;
};

/// Elements of a tensor.
int64_t elementsOf(const OnnxcValue &value);

inline char *const *stringsOf(const OnnxcValue &value) {
  return static_cast<char *const *>(value.data);
}

/// Gives a result the sizes `dims` and memory for its elements of `bytes` each.
/// False, the error being recorded, if there is none.
bool makeResult(OnnxcCall *call, OnnxcValue &out, const int64_t *dims,
                int64_t bytes);

/// Characters that live until the end of the call, taken from larger blocks.
class Characters {
public:
  explicit Characters(OnnxcCall *call) : call(call) {}
  /// Room for `length` characters and a NUL, which is set; null, the error
  /// being recorded, if memory is short.
  char *make(int64_t length);
  char *copy(const char *text, int64_t length);

private:
  OnnxcCall *call;
  char *next = nullptr;
  int64_t left = 0;
};

/// The tokens of all strings, one string after the other. They and their
/// characters live until the end of the call.
class Tokens {
public:
  explicit Tokens(OnnxcCall *call) : call(call), characters(call) {}

  /// Returns false, with the error recorded, if memory is short.
  bool add(const char *token, int64_t length);
  char *copy(const char *text);
  int64_t size() const { return count; }
  char *const *from(int64_t i) const { return list + i; }

private:
  bool grow();

  OnnxcCall *call;
  Characters characters;
  char **list = nullptr;
  int64_t count = 0, room = 0;
};

} // namespace onnxc::rt

#endif // ONNXC_RUNTIME_LIB_CALLS_STRINGTABLE_H
