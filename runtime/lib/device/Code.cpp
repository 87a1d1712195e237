//===- Code.cpp - Device code on a device -----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "device/Code.h"

#include "device/Lock.h"

#include <stdlib.h>
#include <string.h>

using namespace onnxc;
using namespace onnxc::rt;
using namespace onnxc::rt::device;

namespace {
/// In OnnxcDeviceCode.state.
struct State {
  Lock lock;
  LoadedCode *first; ///< of a list by device
};
static_assert(sizeof(State) <= ONNXC_DEVICE_STATE_BYTES);
} // namespace

static State &stateOf(const OnnxcDeviceCode &code) {
  return *static_cast<State *>(code.state);
}

void device::fail(OMContext &context, const Driver &driver, Result error,
                  const char *function) {
  Message message;
  driver.explain(error, function, message);
  context.fail(error == OutOfMemory ? ONNXC_ERR_MEMORY : ONNXC_ERR_INTERNAL,
               "%s", message.text);
}

//===----------------------------------------------------------------------===//
// The choice of an image
//===----------------------------------------------------------------------===//

/// How well an image suits a device; 0: not at all.
static int64_t rankOf(const OnnxcDeviceImage &image, int capability,
                      int driverVersion) {
  bool isSame = image.capability == capability;
  bool isOlder = image.capability < capability;
  bool isSameMajor = image.capability / 10 == capability / 10;
  if (image.driver > driverVersion || (!isSame && image.isExact))
    return 0;
  switch (image.kind) {
  case ONNXC_IMAGE_PTX:
    return isSame || isOlder ? 10000 + image.capability : 0;
  case ONNXC_IMAGE_CUBIN:
    return isSame                   ? 30000 + image.isExact
           : isOlder && isSameMajor ? 20000 + image.capability
                                    : 0;
  case ONNXC_IMAGE_SIMULATOR:
    return isSame ? 30000 : 0;
  default:
    return 0; // of a later compiler
  }
}

/// The best image of a rank below `limit`; null if there is none.
static const OnnxcDeviceImage *chooseImage(const OnnxcDeviceCode &code,
                                           int capability, int driverVersion,
                                           int64_t &limit) {
  const OnnxcDeviceImage *best = nullptr;
  int64_t bestRank = 0;
  for (int64_t i = 0; i < code.numImages; ++i) {
    int64_t rank = rankOf(code.images[i], capability, driverVersion);
    if (rank < limit && rank > bestRank) {
      best = &code.images[i];
      bestRank = rank;
    }
  }
  limit = bestRank;
  return best;
}

/// "PTX of sm_80", "cubin of sm_90a"
static Message nameOf(const OnnxcDeviceImage &image) {
  Message name;
  name.set("%s of sm_%lld%s",
           image.kind == ONNXC_IMAGE_PTX     ? "PTX"
           : image.kind == ONNXC_IMAGE_CUBIN ? "cubin"
                                             : "code",
           (long long)image.capability, image.isExact ? "a" : "");
  return name;
}

/// "PTX of sm_80, cubin of sm_90a", cut off where it is too long.
static Message namesOf(const OnnxcDeviceCode &code) {
  Message names = {};
  for (int64_t i = 0; i < code.numImages; ++i) {
    Message sofar = names;
    names.set("%s%s%s", sofar.text, i ? ", " : "", nameOf(code.images[i]).text);
  }
  return names;
}

static void explainNoImage(const OnnxcDeviceCode &code, const DeviceInfo &info,
                           int driverVersion, Message &reason) {
  reason.set(
      "the model has no code for %.100s of compute capability %d.%d with "
      "a driver for CUDA %d.%d: it has %.200s "
      "(--device=cuda:sm_%d adds code)",
      info.name, info.capability / 10, info.capability % 10,
      driverVersion / 1000, driverVersion % 1000 / 10, namesOf(code).text,
      info.capability);
}

/// The driver, unless this is a forked child of a process that has used it.
static const Driver *openDriver(Message &reason) {
  if (!isForked())
    return loadDriver(reason);
  reason.set("CUDA does not work in a forked child of a process that has used "
             "it: fork before the first run, or start a new program (in "
             "Python: multiprocessing's start method 'spawn')");
  return nullptr;
}

/// Returns true if kernels read maps of tensors, which older drivers do not
/// make.
static bool hasMaps(const OnnxcDeviceCode &code) {
  for (int64_t i = 0; i < code.numKernels; ++i)
    if (code.kernels[i].numMaps > 0)
      return true;
  return false;
}

/// Driver, device and at least one image; false, with the reason, without.
static bool findAll(const OnnxcDeviceCode &code, int number,
                    const Driver *&driver, DeviceInfo &info, int &version,
                    Message &reason) {
  driver = openDriver(reason);
  if (!driver || !findDevice(*driver, number, info, reason))
    return false;
  if (Result error = driver->cuDriverGetVersion(&version)) {
    driver->explain(error, "cuDriverGetVersion", reason);
    return false;
  }
  if (hasMaps(code) && !driver->hasTensorMaps()) {
    reason.set("the model copies tensors by cuTensorMapEncodeTiled, for which "
               "the NVIDIA driver is too old: it is one for CUDA %d.%d, and "
               "12.0 is needed (--device=cuda:sm_80 does without)",
               version / 1000, version % 1000 / 10);
    return false;
  }
  int64_t limit = INT64_MAX;
  if (chooseImage(code, info.capability, version, limit))
    return true;
  explainNoImage(code, info, version, reason);
  return false;
}

bool device::isAvailable(const OnnxcDeviceCode &code, int32_t number,
                         Message &reason) {
  const Driver *driver;
  DeviceInfo info;
  int version;
  return findAll(code, number, driver, info, version, reason);
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// Returns true if the driver might take another image.
static bool isAboutImage(Result error) {
  switch (error) {
  case 200: // CUDA_ERROR_INVALID_IMAGE
  case 209: // CUDA_ERROR_NO_BINARY_FOR_GPU
  case 218: // CUDA_ERROR_INVALID_PTX
  case 221: // CUDA_ERROR_JIT_COMPILER_NOT_FOUND
  case 222: // CUDA_ERROR_UNSUPPORTED_PTX_VERSION
  case 223: // CUDA_ERROR_JIT_COMPILATION_DISABLED
  case 300: // CUDA_ERROR_INVALID_SOURCE
    return true;
  default:
    return false;
  }
}

/// Adds to `problem` why the driver has refused an image.
static void addRefusal(const OnnxcDeviceImage &image, const Driver &driver,
                       Result error, const char *log, Message &problem) {
  Message reason, sofar = problem;
  driver.explain(error, "cuModuleLoadDataEx", reason);
  problem.set("%s%s %s by %.150s%s%s", sofar.text,
              *sofar.text ? ";" : "the driver refuses", nameOf(image).text,
              reason.text, *log ? " " : "", log);
}

/// Loads the best image that the driver takes. A cubin may be too new for it
/// where PTX is not.
static bool loadModule(OMContext &context, LoadedCode &loaded, int version) {
  const OnnxcDeviceCode &code = *context.device;
  Message problem = {};
  int64_t limit = INT64_MAX;
  while (const OnnxcDeviceImage *image =
             chooseImage(code, loaded.info.capability, version, limit)) {
    char log[200] = "";
    int options[] = {ErrorLogBuffer, ErrorLogBufferBytes};
    void *values[] = {log, reinterpret_cast<void *>(sizeof log - 1)};
    Result error = loaded.driver->cuModuleLoadDataEx(
        &loaded.module, image->code, 2, options, values);
    if (!error)
      return true;
    loaded.module = nullptr;
    if (!isAboutImage(error)) {
      fail(context, *loaded.driver, error, "cuModuleLoadDataEx");
      return false;
    }
    addRefusal(*image, *loaded.driver, error, log, problem);
  }
  context.fail(ONNXC_ERR_TARGET, "%s", problem.text);
  return false;
}

static bool findKernels(OMContext &context, LoadedCode &loaded) {
  const OnnxcDeviceCode &code = *context.device;
  const Driver &driver = *loaded.driver;
  loaded.functions = static_cast<Function *>(
      calloc(size_t(code.numKernels) + 1, sizeof(Function)));
  if (!loaded.functions) {
    context.fail(ONNXC_ERR_MEMORY, "no memory for the table of kernels");
    return false;
  }
  constexpr int64_t freeSharedBytes = 48 << 10; // more has to be asked for
  for (int64_t i = 0; i < code.numKernels; ++i) {
    const OnnxcDeviceKernel &kernel = code.kernels[i];
    const char *function = "cuModuleGetFunction";
    Result error = driver.cuModuleGetFunction(&loaded.functions[i],
                                              loaded.module, kernel.name);
    if (!error && kernel.sharedBytes > freeSharedBytes) {
      function = "cuFuncSetAttribute";
      error = driver.cuFuncSetAttribute(
          loaded.functions[i], MaxDynamicSharedBytes, int(kernel.sharedBytes));
    }
    if (!error)
      continue;
    Message what;
    what.set("kernel '%.100s': %s", kernel.name, function);
    fail(context, driver, error, what.text);
    return false;
  }
  return true;
}

/// Copies the constants to the device, and waits: the weights may be a file.
/// The stream is one of their own, because the default one waits for other
/// streams of the program, and fails while one of them is captured.
static bool copyConstants(OMContext &context, LoadedCode &loaded) {
  const OnnxcDeviceCode &code = *context.device;
  const Driver &driver = *loaded.driver;
  if (code.constantBytes == 0)
    return true;
  auto *weights = static_cast<const char *>(
      onnxc_rt_weights(static_cast<OnnxcCall *>(&context)));
  if (context.status.load(std::memory_order_relaxed) != ONNXC_OK)
    return false;
  const char *function = "no memory on the GPU for the weights: cuMemAlloc";
  Result error =
      driver.cuMemAlloc(&loaded.constants, size_t(code.constantBytes));
  if (error)
    loaded.constants = 0;
  if (!error) {
    function = "cuStreamCreate";
    error = driver.cuStreamCreate(&loaded.uploads, NonBlocking);
    loaded.hasUploads = !error;
  }
  for (int64_t i = 0; !error && i < code.numConstants; ++i) {
    const OnnxcDeviceConstant &constant = code.constants[i];
    function = "cuMemcpyHtoDAsync";
    error = driver.cuMemcpyHtoDAsync(
        loaded.constants + uint64_t(constant.deviceOffset),
        weights + constant.offset, size_t(constant.bytes), loaded.uploads);
  }
  if (!error) {
    function = "cuStreamSynchronize";
    error = driver.cuStreamSynchronize(loaded.uploads);
  }
  if (!error) {
    function = "cuStreamDestroy";
    error = driver.cuStreamDestroy(loaded.uploads);
    loaded.hasUploads = error;
  }
  if (error)
    fail(context, driver, error, function);
  return !error;
}

/// Frees what has been loaded. Errors say nothing that helps: when a process
/// ends, the driver may have ended before.
static void unload(LoadedCode *loaded) {
  const Driver &driver = *loaded->driver;
  WhileOthersCapture relaxed(driver);
  if (loaded->hasUploads) {
    // Copies before one that has failed; cuMemFree need not wait for them.
    driver.cuStreamSynchronize(loaded->uploads);
    driver.cuStreamDestroy(loaded->uploads);
  }
  if (loaded->constants)
    driver.cuMemFree(loaded->constants);
  if (loaded->module)
    driver.cuModuleUnload(loaded->module);
  if (loaded->context) {
    Context popped;
    driver.cuCtxPopCurrent(&popped);
    driver.cuDevicePrimaryCtxRelease(loaded->info.device);
  }
  free(loaded->functions);
  free(loaded);
}

/// Makes the primary context of the device current.
static bool enter(OMContext &context, LoadedCode &loaded) {
  const Driver &driver = *loaded.driver;
  const char *function = "cuDevicePrimaryCtxRetain";
  Result error =
      driver.cuDevicePrimaryCtxRetain(&loaded.context, loaded.info.device);
  if (error) {
    loaded.context = nullptr;
  } else {
    function = "cuCtxPushCurrent";
    error = driver.cuCtxPushCurrent(loaded.context);
    if (error) {
      driver.cuDevicePrimaryCtxRelease(loaded.info.device);
      loaded.context = nullptr;
    }
  }
  if (error)
    fail(context, driver, error, function);
  return !error;
}

static LoadedCode *load(OMContext &context) {
  const Driver *driver;
  DeviceInfo info;
  int version;
  Message reason;
  if (!findAll(*context.device, context.deviceNumber, driver, info, version,
               reason)) {
    context.fail(ONNXC_ERR_TARGET, "%s", reason.text);
    return nullptr;
  }
  auto *loaded = static_cast<LoadedCode *>(calloc(1, sizeof(LoadedCode)));
  if (!loaded) {
    context.fail(ONNXC_ERR_MEMORY, "no memory for the device's state");
    return nullptr;
  }
  loaded->code = context.device;
  loaded->driver = driver;
  loaded->info = info;
  WhileOthersCapture relaxed(*driver);
  if (enter(context, *loaded) && loadModule(context, *loaded, version) &&
      findKernels(context, *loaded) && copyConstants(context, *loaded)) {
    context.info("%s of compute capability %d.%d runs the model, with %lld "
                 "bytes of weights",
                 info.name, info.capability / 10, info.capability % 10,
                 (long long)context.device->constantBytes);
    return loaded;
  }
  unload(loaded);
  return nullptr;
}

LoadedCode *device::acquireCode(OMContext &context) {
  Message reason;
  // Before the lock, which threads that do not exist in a child may hold.
  if (!openDriver(reason)) {
    context.fail(ONNXC_ERR_TARGET, "%s", reason.text);
    return nullptr;
  }
  State &state = stateOf(*context.device);
  Locked locked(state.lock);
  LoadedCode *loaded = state.first;
  while (loaded && loaded->info.number != context.deviceNumber)
    loaded = loaded->next;
  if (loaded) {
    const Driver &driver = *loaded->driver;
    if (Result error = driver.cuCtxPushCurrent(loaded->context)) {
      fail(context, driver, error, "cuCtxPushCurrent");
      return nullptr;
    }
  } else if ((loaded = load(context))) {
    loaded->next = state.first;
    state.first = loaded;
  } else {
    return nullptr;
  }
  ++loaded->references;
  return loaded;
}

void device::releaseCode(LoadedCode &loaded) {
  State &state = stateOf(*loaded.code);
  Locked locked(state.lock);
  if (--loaded.references > 0) {
    Context popped;
    loaded.driver->cuCtxPopCurrent(&popped);
    return;
  }
  LoadedCode **link = &state.first;
  while (*link != &loaded)
    link = &(*link)->next;
  *link = loaded.next;
  unload(&loaded);
}

//===----------------------------------------------------------------------===//
// Outputs of the caller
//===----------------------------------------------------------------------===//

/// Waits for all work of the current CUDA context, in streams of any library.
/// False if that cannot be: a wait is an error while a stream is captured, and
/// may end the capture, which the default stream reports to blocking streams.
static bool waitForContext(const Driver &driver) {
  int status = NoCapture;
  return driver.cuStreamIsCapturing(nullptr, &status) !=
             StreamCaptureImplicit &&
         driver.cuCtxSynchronize() == Success;
}

static void addReturned(LoadedCode &loaded, OwnedOutput &output) {
  output.next = loaded.returned.load(std::memory_order_relaxed);
  while (!loaded.returned.compare_exchange_weak(output.next, &output,
                                                std::memory_order_release))
    ;
}

void device::freeOwned(OwnedOutput &output) {
  LoadedCode &loaded = *output.code;
  const Driver &driver = *loaded.driver;
  WhileOthersCapture relaxed(driver);
  if (waitForContext(driver)) {
    driver.cuMemFree(output.memory);
    free(&output);
    releaseCode(loaded);
    return;
  }
  // Another thread may free output and code from here on.
  addReturned(loaded, output);
  Context popped;
  driver.cuCtxPopCurrent(&popped);
}

void device::freeReturned(LoadedCode &loaded) {
  OwnedOutput *next =
      loaded.returned.exchange(nullptr, std::memory_order_acquire);
  if (!next)
    return;
  const Driver &driver = *loaded.driver;
  WhileOthersCapture relaxed(driver);
  bool isOver = waitForContext(driver);
  int64_t freed = 0;
  while (OwnedOutput *output = next) {
    next = output->next;
    if (!isOver) {
      addReturned(loaded, *output);
      continue;
    }
    driver.cuMemFree(output->memory);
    free(output);
    ++freed;
  }
  Locked locked(stateOf(*loaded.code).lock);
  loaded.references -= freed;
}
