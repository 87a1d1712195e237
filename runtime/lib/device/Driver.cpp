//===- Driver.cpp - The NVIDIA driver, loaded when it is needed -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "device/Driver.h"

#include "Context.h"
#include "device/Lock.h"
#include "os/OS.h"

using namespace onnxc;
using namespace onnxc::rt;
using namespace onnxc::rt::device;

static constexpr char kLibrary[] = "libcuda.so.1";
#define ADVICE                                                                 \
  "; a model compiled with --device=cuda,cpu runs without, on the processor"
static constexpr char kNoDevice[] =
    "there is no NVIDIA GPU, or CUDA_VISIBLE_DEVICES hides it" ADVICE;

static Lock loading;
static Driver driver;
/// The process that has begun to load the driver; 0: none has.
static std::atomic<int64_t> owner;
static std::atomic<bool> isReady;

bool device::isForked() {
  int64_t process = owner.load(std::memory_order_acquire);
  return process != 0 && process != os::processNumber();
}

void Driver::explain(Result error, const char *function,
                     Message &message) const {
  const char *name = nullptr, *text = nullptr;
  cuGetErrorName(error, &name);
  cuGetErrorString(error, &text);
  if (name)
    message.set("%s: %s (%s)", function, name, text ? text : "");
  else
    message.set("%s: error %d", function, error);
}

/// Fills `driver`; false, with the reason, without the library or a function.
static bool resolve(Message &reason) {
  const char *problem = nullptr;
  void *library = os::openLibrary(kLibrary, problem);
  if (!library) {
    reason.set("no NVIDIA driver: %.200s" ADVICE, problem);
    return false;
  }
#define ONNXC_DRIVER_FUNCTION(NAME, SYMBOL, PARAMETERS)                        \
  driver.NAME = reinterpret_cast<Result(*) PARAMETERS>(                        \
      os::findSymbol(library, #SYMBOL));                                       \
  if (!driver.NAME) {                                                          \
    reason.set("the NVIDIA driver is too old: %s has no function %s",          \
               kLibrary, #SYMBOL);                                             \
    return false;                                                              \
  }
#define ONNXC_DRIVER_FUNCTION_OF_GRAPHS(NAME, SYMBOL, PARAMETERS)              \
  driver.NAME = reinterpret_cast<Result(*) PARAMETERS>(                        \
      os::findSymbol(library, #SYMBOL));
#define ONNXC_DRIVER_FUNCTION_OF_TENSORS ONNXC_DRIVER_FUNCTION_OF_GRAPHS
#include "device/Driver.def"
  return true;
}

static bool initialize(Message &reason) {
  if (!resolve(reason))
    return false;
  Result error = driver.cuInit(0);
  if (error == NoDevice)
    reason.set("%s", kNoDevice);
  else if (error)
    driver.explain(error, "the NVIDIA driver cannot be used: cuInit", reason);
  return !error;
}

const Driver *device::loadDriver(Message &reason) {
  if (isReady.load(std::memory_order_acquire))
    return &driver;
  // Before the lock, which a child that is forked now would find held.
  owner.store(os::processNumber(), std::memory_order_release);
  Locked locked(loading);
  if (isReady.load(std::memory_order_relaxed) || initialize(reason)) {
    isReady.store(true, std::memory_order_release);
    return &driver;
  }
  owner.store(0, std::memory_order_release);
  return nullptr;
}

bool device::findDevice(const Driver &driver, int number, DeviceInfo &info,
                        Message &reason) {
  int count = 0, major = 0, minor = 0;
  Result error = driver.cuDeviceGetCount(&count);
  if (error == NoDevice || (!error && count == 0)) {
    reason.set("%s", kNoDevice);
    return false;
  }
  if (!error && number >= count) {
    reason.set("there is no GPU %d: the process sees %d, which "
               "CUDA_VISIBLE_DEVICES may restrict",
               number, count);
    return false;
  }
  const char *function = "cuDeviceGetCount";
#define TRY(NAME, ...)                                                         \
  if (!error) {                                                                \
    function = #NAME;                                                          \
    error = driver.NAME(__VA_ARGS__);                                          \
  }
  TRY(cuDeviceGet, &info.device, number)
  TRY(cuDeviceGetName, info.name, sizeof info.name, info.device)
  TRY(cuDeviceGetAttribute, &major, CapabilityMajor, info.device)
  TRY(cuDeviceGetAttribute, &minor, CapabilityMinor, info.device)
#undef TRY
  info.number = number;
  info.capability = 10 * major + minor;
  if (error)
    driver.explain(error, function, reason);
  return !error;
}
