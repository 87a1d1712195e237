//===- Arguments.h - What launches pass to a kernel -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_LIB_DEVICE_ARGUMENTS_H
#define ONNXC_RUNTIME_LIB_DEVICE_ARGUMENTS_H

#include "device/Driver.h"

namespace onnxc::rt {
struct DeviceContext;
} // namespace onnxc::rt

namespace onnxc::rt::device {

/// Pointers to the parameters of one launch, as the driver takes them: words,
/// and the maps of tensors that these are the addresses of. A kernel of many
/// operands fits as well: parameters take at most 4 KiB.
class Arguments {
public:
  static constexpr int64_t kMaxArguments = 512;

  /// Returns false, with the error recorded, if the driver makes no map. The
  /// words stay where they are as long as the arguments are used.
  bool set(OnnxcCall *call, DeviceContext &device,
           const OnnxcDeviceKernel &kernel, uint64_t *words);

  void *pointers[kMaxArguments + ONNXC_TENSOR_MAPS];

private:
  TensorMap maps[ONNXC_TENSOR_MAPS];
};

} // namespace onnxc::rt::device

#endif // ONNXC_RUNTIME_LIB_DEVICE_ARGUMENTS_H
