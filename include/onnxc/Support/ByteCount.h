//===- ByteCount.h - Numbers of bytes as text -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_SUPPORT_BYTECOUNT_H
#define ONNXC_SUPPORT_BYTECOUNT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"

#include <optional>
#include <string>

namespace onnxc {

/// 123, 4K, 5M or 6G, also as 4KB or 4KiB, of 1,024 bytes; nothing for other
/// texts and above 2^63.
inline std::optional<int64_t> readByteCount(llvm::StringRef text) {
  bool isBinary = text.consume_back("iB");
  if (!isBinary)
    text.consume_back("B");
  unsigned shift = text.consume_back("K")   ? 10
                   : text.consume_back("M") ? 20
                   : text.consume_back("G") ? 30
                                            : 0;
  uint64_t value;
  if ((isBinary && !shift) || text.getAsInteger(10, value) ||
      value > uint64_t(INT64_MAX) >> shift)
    return std::nullopt;
  return int64_t(value << shift);
}

/// A unit that numbers of bytes are shown in.
struct ByteUnit {
  double bytes;
  llvm::StringLiteral name;
};

/// The largest unit of which `bytes` are one or more, up to GiB.
inline ByteUnit byteUnitOf(double bytes) {
  constexpr ByteUnit units[] = {
      {1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}};
  for (const ByteUnit &unit : units)
    if (bytes >= unit.bytes)
      return unit;
  return {1, "B"};
}

/// 300 B, 64.0 KiB, 1.5 MiB, 2.0 GiB
inline std::string sizeText(int64_t bytes) {
  ByteUnit unit = byteUnitOf(double(bytes));
  return unit.bytes == 1 ? llvm::formatv("{0} B", bytes).str()
                         : llvm::formatv("{0:F1} {1}",
                                         double(bytes) / unit.bytes, unit.name)
                               .str();
}

} // namespace onnxc

#endif // ONNXC_SUPPORT_BYTECOUNT_H
