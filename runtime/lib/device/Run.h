//===- Run.h - The memory and stream of a context on a device ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Each context has a stream and an arena of its own, so that runs on several
// threads share the code and the constants alone.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_LIB_DEVICE_RUN_H
#define ONNXC_RUNTIME_LIB_DEVICE_RUN_H

#include "device/Code.h"
#include "device/Launches.h"

namespace onnxc::rt::device {

/// Device memory that runs of a context use again.
struct DeviceBlock {
  DeviceBlock *next;
  OnnxcDevicePointer memory;
  int64_t bytes;
  bool isUsed;
};

/// What kernels have reported for a row of OnnxcDeviceCode.errors; -1: nothing.
struct ErrorWords {
  int64_t index, size;
};

} // namespace onnxc::rt::device

struct onnxc::rt::DeviceContext {
  device::LoadedCode *code;
  bool isEntered;  ///< the CUDA context is the thread's current one
  int captureMode; ///< the thread's own during a run, else that of the run
  device::Stream ownStream;
  device::Stream stream; ///< of the run
  device::DeviceBlock *blocks;
  OnnxcDevicePointer errors; ///< the words of kernels, a row for each error
  device::ErrorWords *found; ///< their copy
  /// Kernels launched since the stream was waited for; -1: none.
  int32_t firstLaunch, lastLaunch;
  device::Launches launches;
};

namespace onnxc::rt::device {

inline const Driver &driverOf(const DeviceContext &device) {
  return *device.code->driver;
}

/// Records the error of a function of the driver; false if there is one. An
/// error that kernels have caused is reported by whatever is called next.
bool check(OMContext &context, const DeviceContext &device, Result error,
           const char *function);

/// Calls a function of the driver; false, with the error recorded, on failure.
#define ONNXC_TRY(NAME, ...)                                                   \
  check(*call, device, driverOf(device).NAME(__VA_ARGS__), #NAME)

/// The context's part of the device, ready for calls of the driver. Null after
/// an error of the run.
DeviceContext *enter(OnnxcCall *call);

/// Bytes of the blocks that the context has on the device.
int64_t heldBytes(const OMContext &context);

/// Waits for the stream, and records what kernels have reported.
void synchronize(OnnxcCall *call, DeviceContext &device);

} // namespace onnxc::rt::device

#endif // ONNXC_RUNTIME_LIB_DEVICE_RUN_H
