//===- ProtoWire.h - The wire format of protobuf ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Test data are a handful of messages: no reason to link the onnx library.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_VALUES_PROTOWIRE_H
#define ONNXC_LIB_VALUES_PROTOWIRE_H

#include "llvm/ADT/StringRef.h"

#include <vector>

namespace onnxc::run {

/// One field: a number, or bytes.
struct Field {
  unsigned number = 0;
  unsigned wireType = 0;
  uint64_t value = 0;    ///< of varints
  llvm::StringRef bytes; ///< of the others
};

/// Takes a number or a field from the front; false if there is none.
bool readVarint(llvm::StringRef &text, uint64_t &value);
bool readField(llvm::StringRef &text, Field &field);
/// Appends repeated numbers, packed or single, of `width` bytes (0: varint).
bool readNumbers(const Field &field, unsigned width,
                 std::vector<uint64_t> &numbers);

} // namespace onnxc::run

#endif // ONNXC_LIB_VALUES_PROTOWIRE_H
