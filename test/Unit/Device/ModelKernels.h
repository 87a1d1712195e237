//===- ModelKernels.h - Kernels of the model by hand ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TEST_UNIT_DEVICE_MODELKERNELS_H
#define ONNXC_TEST_UNIT_DEVICE_MODELKERNELS_H

#include "onnxc/rt/device.h"

/// Numbers of rows of `modelKernels`.
enum Kernel {
  Add,
  Softmax,
  Transpose,
  TransposeDirectly,
  Reverse,
  ReverseBeyond,
  Race,
  MissingBarrier,
  Beyond,
  Misaligned,
  Uninitialised,
  Warpgroup,
  WarpgroupRows,
  InFlight,
  WrittenInFlight,
  MissingProxyFence,
  MissingFence,
  Report,
  // Those with maps of tensors.
  Boxes,
  SizedBoxes,
  EarlyBox,
  ShortBox,
  UnfencedBox,
  UnknownElement,
  UnknownLine,
  UnknownRank,
  UnknownAddress,
  UnknownSize,
  ClusterBoxes,
  LeavingBlock,
  UnfencedCluster,
  EarlyCluster,
  EndedBlock,
  MissingBlock,
  ClusterSums,
  KeptSums,
  EarlySums,
  LeavingSums,
  ProducedBoxes,
  EarlyArrival,
  MissingArrival
};

/// Those before `Boxes` have no maps of tensors.
extern const OnnxcDeviceKernel modelKernels[];
inline constexpr int64_t kNumKernels = MissingArrival + 1;

/// Messages of rows that `Report` is for.
extern const OnnxcDeviceError modelErrors[];
inline constexpr int64_t kNumErrors = 2;

#endif // ONNXC_TEST_UNIT_DEVICE_MODELKERNELS_H
