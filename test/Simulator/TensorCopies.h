//===- TensorCopies.h - Maps of tensors -------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TEST_SIMULATOR_TENSORCOPIES_H
#define ONNXC_TEST_SIMULATOR_TENSORCOPIES_H

#include <cstdint>

namespace onnxc::simulator {

/// CUtensorMap.
struct alignas(64) TensorMap {
  unsigned char bytes[128];
};

/// The parameters of cuTensorMapEncodeTiled.
struct TensorMapRequest {
  int elementType;
  uint32_t rank;
  uint64_t address;
  const uint64_t *sizes, *strides;
  const uint32_t *box, *steps;
  int interleave, swizzle, promotion, fill;
};

/// False for what the manual does not allow.
bool encodeTensorMap(TensorMap *map, const TensorMapRequest &request);

} // namespace onnxc::simulator

#endif // ONNXC_TEST_SIMULATOR_TENSORCOPIES_H
