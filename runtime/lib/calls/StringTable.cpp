//===- StringTable.cpp - Strings that generated code works on ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "StringTable.h"

#include <string.h>

using namespace onnxc;
using namespace onnxc::rt;

int64_t StringTable::find(const char *text, size_t length) const {
  int64_t count = words[1];
  if (count == 0)
    return -1;
  uint64_t mask = uint64_t(count) - 1;
  for (uint64_t at = hashString(text, length) & mask;; at = (at + 1) & mask) {
    int64_t candidate = slots()[at];
    if (candidate < 0)
      return -1;
    const char *other = (*this)[candidate];
    if (strncmp(other, text, length) == 0 && other[length] == 0)
      return candidate;
  }
}

int64_t StringTable::find(const char *text) const {
  return find(text, strlen(text));
}

int64_t rt::elementsOf(const OnnxcValue &value) {
  int64_t count = 1;
  for (int32_t d = 0; d < value.rank; ++d)
    count *= value.dims[d];
  return count;
}

bool rt::makeResult(OnnxcCall *call, OnnxcValue &out, const int64_t *dims,
                    int64_t bytes) {
  int64_t total = bytes;
  for (int32_t d = 0; d < out.rank; ++d) {
    out.dims[d] = dims[d];
    if (__builtin_mul_overflow(total, dims[d], &total)) {
      onnxc_rt_fail(call, ONNXC_ERR_MEMORY, "a result has an invalid size");
      return false;
    }
  }
  out.data = onnxc_rt_alloc(call, total);
  return onnxc_rt_status(call) == ONNXC_OK;
}

char *Characters::make(int64_t length) {
  constexpr int64_t block = 4096 - 64;
  if (length + 1 > left) {
    left = length + 1 > block ? length + 1 : block;
    next = static_cast<char *>(onnxc_rt_alloc(call, left));
    if (onnxc_rt_status(call) != ONNXC_OK)
      return nullptr;
  }
  char *result = next;
  next += length + 1;
  left -= length + 1;
  result[length] = 0;
  return result;
}

char *Characters::copy(const char *text, int64_t length) {
  char *result = make(length);
  if (result)
    memcpy(result, text, size_t(length));
  return result;
}

bool Tokens::add(const char *token, int64_t length) {
  if (count == room && !grow())
    return false;
  char *made = characters.copy(token, length);
  list[count] = made;
  count += made != nullptr;
  return made != nullptr;
}

char *Tokens::copy(const char *text) {
  return characters.copy(text, int64_t(strlen(text)));
}

bool Tokens::grow() {
  int64_t larger = room ? 2 * room : 64;
  auto **made = static_cast<char **>(
      onnxc_rt_alloc(call, larger * int64_t(sizeof(char *))));
  if (onnxc_rt_status(call))
    return false;
  if (count)
    memcpy(made, list, size_t(count) * sizeof(char *));
  if (list)
    onnxc_rt_release(call, list);
  list = made;
  room = larger;
  return true;
}
