//===- Code.h - Device code on a device -------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// An image of a model that the driver has loaded, with its kernels and its
// constants: one for all contexts of the process on a device.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_LIB_DEVICE_CODE_H
#define ONNXC_RUNTIME_LIB_DEVICE_CODE_H

#include "Context.h"
#include "device/Driver.h"

#include <atomic>

namespace onnxc::rt {

/// What the rest of the runtime calls where a level has device code
/// (OnnxcDeviceCode.runtime).
struct DeviceRuntime {
  /// Returns true if driver, device and an image for it are there; else writes
  /// the reason.
  bool (*isAvailable)(const OnnxcDeviceCode &code, int32_t number,
                      Message &reason);
  /// Loads what the first run would load (omContextPrepare).
  void (*prepare)(OMContext &context);
  /// Waits for what the run has started, records what it has reported, and
  /// gives the thread its CUDA context back. After each run.
  void (*endRun)(OMContext &context);
  /// Frees what the context has on the device.
  void (*destroyContext)(OMContext &context);
  /// Bytes of the blocks that the context has there.
  int64_t (*heldBytes)(const OMContext &context);
  /// Copies that are complete when the functions return; errors are recorded.
  void (*copyToHost)(OMContext &context, void *to, OnnxcDevicePointer from,
                     int64_t bytes);
  void (*copyToDevice)(OMContext &context, OnnxcDevicePointer to,
                       const void *from, int64_t bytes);
  /// Memory for an output that outlives the context, and its owner; 0, with
  /// the error recorded, without.
  OnnxcDevicePointer (*allocateOutput)(OMContext &context, int64_t bytes,
                                       void *&owner);
  /// Frees it, on any thread.
  void (*freeOutput)(void *owner);
};

} // namespace onnxc::rt

struct OnnxcDeviceRuntime : onnxc::rt::DeviceRuntime {};

namespace onnxc::rt::device {

struct LoadedCode;

/// Memory of an output that the caller has; refers to the code.
struct OwnedOutput {
  OwnedOutput *next; ///< in the code's list
  LoadedCode *code;
  OnnxcDevicePointer memory;
};

/// Loaded code. Exists as long as contexts and outputs refer to it.
struct LoadedCode {
  LoadedCode *next; ///< on another device
  const OnnxcDeviceCode *code;
  const Driver *driver;
  DeviceInfo info;
  Context context; ///< the primary one, current on the thread while in use
  Module module;
  Function *functions; ///< by kernel number
  OnnxcDevicePointer constants;
  Stream uploads; ///< in which the constants are copied, while `hasUploads`
  bool hasUploads;
  int64_t references;
  /// Outputs that the caller has given back while work that may use them could
  /// not be waited for.
  std::atomic<OwnedOutput *> returned;
};

/// The code of the model's level, loaded on the context's device, whose CUDA
/// context is the thread's afterwards, pushed. Loads it if no other context
/// has. Null, with the error recorded in the context, on failure.
LoadedCode *acquireCode(OMContext &context);
/// The counterpart; the last one frees all. The CUDA context is current, and is
/// popped.
void releaseCode(LoadedCode &loaded);

/// Frees an output once all work of its CUDA context is over, and the reference
/// to the code with it. That context is current, and is popped. Where a stream
/// is being captured, which allows no wait, freeReturned() does so later.
void freeOwned(OwnedOutput &output);
/// Frees outputs that were given back during a capture, unless that goes on.
/// The CUDA context is current, and the caller has a reference to the code.
void freeReturned(LoadedCode &loaded);

/// Returns true if driver, device and image are there.
bool isAvailable(const OnnxcDeviceCode &code, int32_t number, Message &reason);

/// Records an error of a function of the driver.
void fail(OMContext &context, const Driver &driver, Result error,
          const char *function);

} // namespace onnxc::rt::device

#endif // ONNXC_RUNTIME_LIB_DEVICE_CODE_H
