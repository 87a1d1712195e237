//===- Driver.h - The NVIDIA driver, loaded when it is needed ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The driver API alone, declared here from its manual: neither building nor
// running needs the CUDA toolkit.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_LIB_DEVICE_DRIVER_H
#define ONNXC_RUNTIME_LIB_DEVICE_DRIVER_H

#include "onnxc/rt/device.h"

#include <stddef.h>

namespace onnxc::rt {
struct Message;
}

namespace onnxc::rt::device {

/// Types of the manual, CUresult to CUstream.
using Result = int;
using Device = int;
using Context = struct ContextHandle *;
using Module = struct ModuleHandle *;
using Function = struct FunctionHandle *;
using Stream = struct StreamHandle *;
using Event = struct EventHandle *;
using Graph = struct GraphHandle *;
using GraphNode = struct GraphNodeHandle *;
using GraphExec = struct GraphExecHandle *;

/// CUDA_KERNEL_NODE_PARAMS of the first version.
struct KernelNode {
  Function function;
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  void **arguments, **extra;
};

/// CUDA_MEMCPY3D. All of it is 0 but types, addresses and sizes where bytes lie
/// one after the other.
struct MemoryCopy {
  struct Side {
    size_t x, y, z, level;
    unsigned type; ///< of memory
    const void *host;
    OnnxcDevicePointer device;
    void *array, *reserved;
    size_t pitch, height;
  };
  Side from, to;
  size_t bytes, height, depth;
};

/// CUtensorMap.
struct alignas(ONNXC_TENSOR_MAP_ALIGNMENT) TensorMap {
  unsigned char bytes[ONNXC_TENSOR_MAP_BYTES];
};

/// Errors of the driver that are distinguished (CUDA_ERROR_...).
enum : Result {
  Success = 0,
  OutOfMemory = 2,
  NoDevice = 100,
  StreamCaptureImplicit = 906,
};

/// CU_DEVICE_ATTRIBUTE_...
enum { CapabilityMajor = 75, CapabilityMinor = 76 };
/// CU_FUNC_ATTRIBUTE_...
enum { MaxDynamicSharedBytes = 8 };
/// CU_MEMORYTYPE_...
enum : unsigned { DeviceMemory = 2 };
/// CU_JIT_...
enum { ErrorLogBuffer = 5, ErrorLogBufferBytes = 6 };
/// CU_TENSOR_MAP_DATA_TYPE_..., CU_TENSOR_MAP_SWIZZLE_... and
/// CU_TENSOR_MAP_L2_PROMOTION_...
enum { UInt8 = 0, UInt16 = 1, UInt32 = 2, UInt64 = 4 };
enum { Swizzle32B = 1, Swizzle64B = 2, Swizzle128B = 3 };
enum { Promotion256B = 3 };
/// CU_STREAM_CAPTURE_STATUS_... and CU_STREAM_CAPTURE_MODE_...
enum { NoCapture = 0, CaptureRelaxed = 2 };
/// CU_STREAM_NON_BLOCKING: other streams of the program do not wait.
inline constexpr unsigned NonBlocking = 1;

/// The functions of the driver.
struct Driver {
#define ONNXC_DRIVER_FUNCTION(NAME, SYMBOL, PARAMETERS)                        \
  Result(*NAME) PARAMETERS;
#include "device/Driver.def"

  bool hasGraphs() const { return cuGraphInstantiateWithFlags; }
  bool hasTensorMaps() const { return cuTensorMapEncodeTiled; }

  /// Describes the error of a function: its name and text, or its number.
  void explain(Result error, const char *function, Message &message) const;
};

/// Lets the thread allocate, free and load while another thread captures a
/// stream: in any mode but the relaxed one such calls fail, and end the capture
/// (CUDA driver API, cuThreadExchangeStreamCaptureMode).
class WhileOthersCapture {
public:
  explicit WhileOthersCapture(const Driver &driver) : driver(driver) {
    driver.cuThreadExchangeStreamCaptureMode(&mode);
  }
  ~WhileOthersCapture() { driver.cuThreadExchangeStreamCaptureMode(&mode); }
  WhileOthersCapture(const WhileOthersCapture &) = delete;
  WhileOthersCapture &operator=(const WhileOthersCapture &) = delete;

private:
  const Driver &driver;
  int mode = CaptureRelaxed; ///< that the thread has not at the time
};

/// The loaded and initialised driver, the same for all calls; null, with the
/// reason, if there is none. It stays loaded. Not for a forked child of a
/// process that has used it (isForked).
const Driver *loadDriver(Message &reason);

/// Returns true in a child that was forked after the driver was used. There the
/// driver fails, and its locks may be held by threads that do not exist.
bool isForked();

/// A device of the machine.
struct DeviceInfo {
  Device device;
  int number;     ///< as CUDA numbers those of the process
  int capability; ///< 10 * major + minor
  char name[128];
};
/// The device with a number; false, with the reason, if there is none.
bool findDevice(const Driver &driver, int number, DeviceInfo &info,
                Message &reason);

} // namespace onnxc::rt::device

#endif // ONNXC_RUNTIME_LIB_DEVICE_DRIVER_H
