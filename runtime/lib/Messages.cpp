//===- Messages.cpp - Error messages and the log ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "os/OS.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

using namespace onnxc;
using namespace onnxc::rt;

void Message::set(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
}

int32_t OMContext::fail(int32_t code, const char *format, ...) {
  int32_t none = ONNXC_OK;
  code = code == ONNXC_OK ? ONNXC_ERR_INTERNAL : code;
  if (!status.compare_exchange_strong(none, code))
    return none;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message.text, sizeof message.text, format, arguments);
  va_end(arguments);
  return code;
}

void OMContext::info(const char *format, ...) {
  if (!log)
    return;
  Message line;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line.text, sizeof line.text, format, arguments);
  va_end(arguments);
  log(logUser, OM_LOG_INFO, line.text);
}

int32_t onnxc_rt_fail(OnnxcCall *call, int32_t code, const char *message) {
  return call->fail(code, "%s", message ? message : "unknown error");
}

int32_t onnxc_rt_fail_sizes(OnnxcCall *call, int32_t code, const char *message,
                            int64_t size, int64_t other) {
  return call->fail(code, "%s: %lld and %lld", message, (long long)size,
                    (long long)other);
}

int32_t onnxc_rt_blame(OnnxcCall *call, const char *node) {
  Message blamed;
  blamed.set("node '%s': %s", node, call->message.text);
  call->message = blamed;
  return onnxc_rt_status(call);
}

int32_t onnxc_rt_status(OnnxcCall *call) {
  return call->status.load(std::memory_order_relaxed);
}

const char *omStatusName(OM_STATUS status) {
  switch (status) {
  case OM_STATUS_OK:
    return "ok";
  case OM_STATUS_INVALID:
    return "invalid argument";
  case OM_STATUS_VALUE:
    return "invalid value";
  case OM_STATUS_MEMORY:
    return "out of memory";
  case OM_STATUS_TARGET:
    return "wrong processor";
  case OM_STATUS_DEADLINE:
    return "deadline passed";
  case OM_STATUS_UNSUPPORTED:
    return "unsupported";
  case OM_STATUS_INTERNAL:
    return "internal error";
  }
  return "unknown status";
}

//===----------------------------------------------------------------------===//
// The last error of each thread
//===----------------------------------------------------------------------===//

// Thread-local storage would need the dynamic linker as a library, or space in
// the static block that many models would use up. A table of the threads that
// failed lately does: errors are rare.
namespace {
struct LastError {
  std::atomic<uint32_t> lock;
  uintptr_t thread;
  Message message;
};
} // namespace

static LastError lastErrors[32];
static std::atomic<uint32_t> nextError;

namespace {
/// Holds one slot of the table.
class SlotLock {
public:
  explicit SlotLock(LastError &slot) : slot(slot) {
    while (slot.lock.exchange(1, std::memory_order_acquire) != 0) {
    }
  }
  ~SlotLock() { slot.lock.store(0, std::memory_order_release); }

private:
  LastError &slot;
};
} // namespace

void rt::setLastError(const char *message) {
  uintptr_t self = os::threadId();
  LastError *mine = nullptr;
  for (LastError &slot : lastErrors) {
    SlotLock lock(slot);
    if (slot.thread == self)
      mine = &slot;
  }
  if (!mine && !*message)
    return;
  if (!mine)
    mine = &lastErrors[nextError.fetch_add(1, std::memory_order_relaxed) %
                       (sizeof lastErrors / sizeof lastErrors[0])];
  SlotLock lock(*mine);
  mine->thread = self;
  mine->message.set("%s", message);
}

const char *omGetLastError(void) {
  uintptr_t self = os::threadId();
  for (LastError &slot : lastErrors) {
    SlotLock lock(slot);
    if (slot.thread == self)
      return slot.message.text;
  }
  return "";
}
