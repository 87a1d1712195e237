//===- Messages.cpp - Error messages and the log ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "os/OS.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

using namespace onnxc;
using namespace onnxc::rt;

void Message::set(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
}

namespace {
/// A message that is put together; cut off when too long.
class MessageWriter {
public:
  void put(char letter) {
    if (length + 1 < sizeof written.text)
      written.text[length++] = letter;
    written.text[length] = 0;
  }
  void put(int64_t number) {
    char digits[24];
    snprintf(digits, sizeof digits, "%lld", (long long)number);
    for (const char *digit = digits; *digit; ++digit)
      put(*digit);
  }
  const Message &message() const { return written; }

private:
  Message written = {};
  size_t length = 0;
};
} // namespace

Message rt::shapeText(int64_t rank, const int64_t *dims) {
  MessageWriter writer;
  writer.put('[');
  for (int64_t d = 0; d < rank; ++d) {
    if (d > 0) {
      writer.put(',');
      writer.put(' ');
    }
    writer.put(dims[d]);
  }
  writer.put(']');
  return writer.message();
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
                            const char *format, ...) {
  MessageWriter sizes;
  va_list arguments;
  va_start(arguments, format);
  for (; *format; ++format)
    if (format[0] == '{' && format[1] == '}') {
      sizes.put(va_arg(arguments, int64_t));
      ++format;
    } else {
      sizes.put(*format);
    }
  va_end(arguments);
  return call->fail(code, "%s: %s", message, sizes.message().text);
}

int32_t onnxc_rt_fail_index(OnnxcCall *call, int32_t code, const char *message,
                            int64_t index, int64_t size, int64_t dimension) {
  if (dimension < 0)
    return onnxc_rt_fail_sizes(call, code, message, "{} and {}", index, size);
  return onnxc_rt_fail_sizes(call, code, message,
                             "{} for dimension {} of size {}", index, dimension,
                             size);
}

int32_t onnxc_rt_locate_error(OnnxcCall *call, const char *nodes) {
  Message located;
  located.set("%s: %s", nodes, call->message.text);
  call->message = located;
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
  case OM_STATUS_CANCELLED:
    return "cancelled";
  }
  return "unknown status";
}

//===----------------------------------------------------------------------===//
// The last error of each thread
//===----------------------------------------------------------------------===//

// Thread-local storage would need the dynamic linker as a library, or space in
// the static block that many models would use up. A list of the threads that
// failed does: errors are rare. Only its own thread writes to a record, and
// none is removed while threads run, so that no thread ever waits: in a child
// that was forked while other threads failed, the owner of a lock does not
// exist.
struct rt::LastError {
  LastError *next;
  uintptr_t thread; ///< the system gives it to later threads
  int64_t number;   ///< of the thread that wrote the message
  Message message;
};

static LastError *findLastError() {
  uintptr_t self = os::threadId();
  LastError *error = process().lastErrors.load(std::memory_order_acquire);
  while (error && error->thread != self)
    error = error->next;
  return error;
}

/// A new record of this thread; null without memory.
static LastError *addLastError() {
  LastError *error = static_cast<LastError *>(calloc(1, sizeof(LastError)));
  if (!error)
    return nullptr;
  error->thread = os::threadId();
  std::atomic<LastError *> &lastErrors = process().lastErrors;
  error->next = lastErrors.load(std::memory_order_relaxed);
  while (!lastErrors.compare_exchange_weak(error->next, error,
                                           std::memory_order_release,
                                           std::memory_order_relaxed)) {
  }
  return error;
}

void rt::setLastError(const char *message) {
  LastError *mine = findLastError();
  if (!mine && *message)
    mine = addLastError();
  if (!mine)
    return;
  mine->number = os::threadNumber();
  mine->message.set("%s", message);
}

void rt::freeLastErrors() {
  LastError *error = process().lastErrors.exchange(nullptr);
  while (error) {
    LastError *next = error->next;
    free(error);
    error = next;
  }
}

const char *omGetLastError(void) {
  LastError *mine = findLastError();
  return mine && mine->number == os::threadNumber() ? mine->message.text : "";
}
