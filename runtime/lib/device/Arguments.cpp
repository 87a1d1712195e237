//===- Arguments.cpp - What launches pass to a kernel -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "device/Arguments.h"

#include "device/Run.h"

using namespace onnxc;
using namespace onnxc::rt;
using namespace onnxc::rt::device;

/// CU_TENSOR_MAP_DATA_TYPE_ of elements that are copied as they are; -1: none.
static int elementTypeOf(const OnnxcTensorMap &map) {
  switch (map.elementBytes) {
  case 1:
    return UInt8;
  case 2:
    return UInt16;
  case 4:
    return UInt32;
  case 8:
    return UInt64;
  default:
    return -1;
  }
}

/// CU_TENSOR_MAP_SWIZZLE_; -1: none.
static int swizzleOf(const OnnxcTensorMap &map) {
  return map.swizzle == 128  ? Swizzle128B
         : map.swizzle == 64 ? Swizzle64B
         : map.swizzle == 32 ? Swizzle32B
                             : -1;
}

static bool isKnown(const OnnxcTensorMap &map, int64_t numArguments) {
  if (elementTypeOf(map) < 0 || swizzleOf(map) < 0 || map.rank < 1 ||
      map.rank > ONNXC_TENSOR_MAP_RANK || map.pointer < 0 ||
      map.pointer >= numArguments)
    return false;
  for (int64_t i = 0; i < map.rank; ++i)
    if (map.sizes[i] < 0 && ~map.sizes[i] >= numArguments)
      return false;
  return true;
}

/// Makes the map of a tensor at the address words[tensor.pointer]. Kernels copy
/// no box of a tensor without elements, which has no map.
static bool encode(OnnxcCall *call, DeviceContext &device,
                   const OnnxcTensorMap &tensor, const uint64_t *words,
                   TensorMap &map) {
  // Coordinates of kernels are signed words.
  constexpr uint64_t kMaxSize = INT32_MAX;
  uint64_t sizes[ONNXC_TENSOR_MAP_RANK], strides[ONNXC_TENSOR_MAP_RANK];
  uint32_t box[ONNXC_TENSOR_MAP_RANK], steps[ONNXC_TENSOR_MAP_RANK];
  auto stride = uint64_t(tensor.elementBytes);
  bool isEmpty = false;
  for (int64_t i = 0; i < tensor.rank; ++i) {
    int64_t size = tensor.sizes[i];
    sizes[i] = size < 0 ? words[~size] : uint64_t(size);
    if (sizes[i] > kMaxSize) {
      call->fail(ONNXC_ERR_UNSUPPORTED,
                 "a dimension of %lld elements has more than the 2^31 - 1 that "
                 "copies of boxes reach",
                 (long long)sizes[i]);
      return false;
    }
    isEmpty |= sizes[i] == 0;
    box[i] = uint32_t(tensor.box[i]);
    steps[i] = 1;
    strides[i] = stride *= sizes[i]; // of the next dimension
  }
  return isEmpty ||
         ONNXC_TRY(cuTensorMapEncodeTiled, &map, elementTypeOf(tensor),
                   uint32_t(tensor.rank), words[tensor.pointer], sizes, strides,
                   box, steps, /*interleave=*/0, swizzleOf(tensor),
                   Promotion256B, /*outsideFill=*/0);
}

bool Arguments::set(OnnxcCall *call, DeviceContext &device,
                    const OnnxcDeviceKernel &kernel, uint64_t *words) {
  for (int64_t i = 0; i < kernel.numArguments; ++i)
    pointers[i] = &words[i];
  for (int64_t i = 0; i < kernel.numMaps; ++i) {
    const OnnxcTensorMap &tensor = kernel.maps[i];
    if (!isKnown(tensor, kernel.numArguments)) {
      call->fail(ONNXC_ERR_INTERNAL, "map %lld of kernel '%s' is unknown",
                 (long long)i, kernel.name);
      return false;
    }
    if (!encode(call, device, tensor, words, maps[i]))
      return false;
    pointers[kernel.numArguments + i] = &maps[i];
  }
  return true;
}
