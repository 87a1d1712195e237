//===- HostPrograms.h - Host programs of the model by hand ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TEST_UNIT_DEVICE_HOSTPROGRAMS_H
#define ONNXC_TEST_UNIT_DEVICE_HOSTPROGRAMS_H

#include "onnxc/rt/model.h"

#include <cstddef>

inline constexpr size_t kNumEntries = 57;
extern const OnnxcEntry modelEntries[kNumEntries];

/// One entry for each level of a model. Results tell which of two has run.
extern const OnnxcEntry eitherEntries[1], eitherHostEntries[1], bestEntries[1],
    bestOlderEntries[1];

#endif // ONNXC_TEST_UNIT_DEVICE_HOSTPROGRAMS_H
