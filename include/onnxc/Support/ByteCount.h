//===- ByteCount.h - Numbers of bytes on command lines ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_SUPPORT_BYTECOUNT_H
#define ONNXC_SUPPORT_BYTECOUNT_H

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace onnxc {

/// 123, 4K, 5M or 6G, also as 4KB or 4KiB, of 1,024 bytes; nothing for other
/// texts and above 2^63.
inline std::optional<int64_t> readByteCount(llvm::StringRef text) {
  if (!text.consume_back("iB"))
    text.consume_back("B");
  unsigned shift = text.consume_back("K")   ? 10
                   : text.consume_back("M") ? 20
                   : text.consume_back("G") ? 30
                                            : 0;
  uint64_t value;
  if (text.getAsInteger(10, value) || value > uint64_t(INT64_MAX) >> shift)
    return std::nullopt;
  return int64_t(value << shift);
}

} // namespace onnxc

#endif // ONNXC_SUPPORT_BYTECOUNT_H
