//===- TensorMaps.cpp - Maps of tensors of the simulated driver -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The function that drivers before CUDA 12.0 lack.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace onnxc::simulator;

#pragma GCC visibility push(default)
extern "C" {

int cuTensorMapEncodeTiled(TensorMap *map, int elementType, uint32_t rank,
                           uint64_t address, const uint64_t *sizes,
                           const uint64_t *strides, const uint32_t *box,
                           const uint32_t *steps, int interleave, int swizzle,
                           int promotion, int fill) {
  ONNXC_ENTER(false);
  bool isMade =
      encodeTensorMap(map, {elementType, rank, address, sizes, strides, box,
                            steps, interleave, swizzle, promotion, fill});
  return isMade ? Success : InvalidValue;
}

} // extern "C"
#pragma GCC visibility pop
