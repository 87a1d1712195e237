//===- MutateProto.h - Changes of protobuf messages ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Bytes changed at random are rarely a message. A change of a field is one.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TEST_FUZZ_TARGETS_MUTATEPROTO_H
#define ONNXC_TEST_FUZZ_TARGETS_MUTATEPROTO_H

#include <google/protobuf/message.h>

#include <cstddef>
#include <cstdint>
#include <random>

namespace onnxc::fuzz {

/// Changes one field of `message`, or of a message inside it: sets a number or
/// a text, or removes, repeats or swaps elements.
void mutateMessage(google::protobuf::Message &message, std::mt19937 &random);

/// The body of LLVMFuzzerCustomMutator: changes fields of the message of type
/// `Message` in the first `size` bytes of `data`, which holds `maxSize`, and
/// returns the new size. What is not a message, and one file in ten, is changed
/// as bytes.
template <typename Message>
size_t mutateProto(uint8_t *data, size_t size, size_t maxSize, unsigned seed);

/// The same for a message to read into.
size_t mutateProtoBytes(google::protobuf::Message &message, uint8_t *data,
                        size_t size, size_t maxSize, unsigned seed);

template <typename Message>
size_t mutateProto(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  Message message;
  return mutateProtoBytes(message, data, size, maxSize, seed);
}

} // namespace onnxc::fuzz

#endif // ONNXC_TEST_FUZZ_TARGETS_MUTATEPROTO_H
