//===- Linker.cpp - lld in this process ------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// lld writes a file on a disk through a mapping of a temporary one: a full disk
// ends the process by a signal, and a process that is killed leaves the file.
// Output to a pipe is made in memory.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/Code/Linker.h"

#include "lld/Common/Driver.h"
#include "llvm/Support/FileSystem.h"

#include <fcntl.h>
#include <mutex>
#include <pthread.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace onnxc::target {

namespace {

/// A pipe and a thread that reads all that is written to it.
class PipeReader {
public:
  PipeReader() = default;
  PipeReader(const PipeReader &) = delete;
  PipeReader &operator=(const PipeReader &) = delete;
  ~PipeReader() { finish(); }

  Error start() {
    int result = ::pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
    if (result == 0)
      result = ::pthread_create(&thread, nullptr, read, this);
    isReading = result == 0;
    if (isReading)
      return Error::success();
    std::error_code code(result, std::generic_category());
    return createStringError(code, "cannot link: " + code.message());
  }

  /// Where to write, by opening it.
  std::string path() const {
    return "/proc/self/fd/" + std::to_string(ends[1]);
  }

  /// All that was written, once all writers are done.
  SmallVector<char, 0> finish() {
    if (ends[1] >= 0)
      ::close(std::exchange(ends[1], -1));
    if (std::exchange(isReading, false))
      ::pthread_join(thread, nullptr);
    if (ends[0] >= 0)
      ::close(std::exchange(ends[0], -1));
    return std::move(bytes);
  }

private:
  static void *read(void *reader) {
    auto *self = static_cast<PipeReader *>(reader);
    (void)errorToErrorCode(
        sys::fs::readNativeFileToEOF(self->ends[0], self->bytes, 1 << 16));
    return nullptr;
  }

  int ends[2] = {-1, -1};
  pthread_t thread;
  bool isReading = false;
  SmallVector<char, 0> bytes;
};

} // namespace

/// lld keeps its state in globals. More threads would remain in the process of
/// the caller, and a child that it forks would wait for them for ever.
Expected<SmallVector<char, 0>> runLinker(ArrayRef<std::string> arguments) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  PipeReader output;
  if (Error error = output.start())
    return std::move(error);
  std::string path = output.path();
  SmallVector<const char *> pointers = {"ld.lld", "--threads=1", "-o",
                                        path.c_str()};
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());
  std::string messages;
  raw_string_ostream os(messages);
  lld::Result result =
      lld::lldMain(pointers, os, os, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode == 0)
    return output.finish();
  return createStringError("linking failed: " + StringRef(messages).trim());
}

} // namespace onnxc::target
