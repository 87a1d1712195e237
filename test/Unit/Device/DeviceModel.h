//===- DeviceModel.h - A model by hand whose kernels run on a GPU ---------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TEST_UNIT_DEVICE_DEVICEMODEL_H
#define ONNXC_TEST_UNIT_DEVICE_DEVICEMODEL_H

#include "onnxc/Runtime.h"

#include <cstddef>

/// Sizes of the inputs of "add", "softmax", "transpose" and the others, whose
/// inputs and outputs are vectors.
inline constexpr size_t kAddends = 1000, kRows = 5, kColumns = 300, kSide = 64,
                        kThreads = 64;

/// Shared memory that "reverse" asks for, more than all launches may have.
inline constexpr int kSharedBytes = 64 << 10;

/// Launches of "steps", and of "long".
inline constexpr int kSteps = 70, kLongSteps = 600;

/// The constant that "add" adds to element `i`.
inline float modelWeight(size_t i) { return float(i) / 8; }

#endif // ONNXC_TEST_UNIT_DEVICE_DEVICEMODEL_H
