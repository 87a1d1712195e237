//===- OS.h - The runtime's interface to the operating system ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// One header between the runtime and the system; a port writes another body.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_LIB_OS_OS_H
#define ONNXC_RUNTIME_LIB_OS_OS_H

#include <stddef.h>
#include <stdint.h>

namespace onnxc::rt::os {

/// Nanoseconds of a clock that never goes back.
int64_t now();

/// Processors this process may use: the affinity mask of the calling thread,
/// cut down to the CPU quota of its cgroups. At least 1.
int processorCount();

/// Processors that the quotas of the groups in `file` (/proc/self/cgroup) and
/// of those above them amount to, rounded up; INT_MAX if there is no quota.
/// `root` is where the groups' folders are.
int cgroupProcessors(const char *file, const char *root);

/// Sleeps while *word == expected; may wake up early.
void futexWait(uint32_t *word, uint32_t expected);
/// Wakes up to `count` threads that sleep on `word`.
void futexWake(uint32_t *word, int count);

/// Zeroed pages that read as zeros again in a forked child; null on failure
/// (also when the system cannot wipe on fork).
void *allocateWipedOnFork(size_t bytes);
void freePages(void *pages, size_t bytes);

/// Asks for large pages for a big block. Only a hint.
void adviseHuge(void *memory, size_t bytes);

/// A thread that blocks the signals of the program. False if threads cannot be
/// had here.
using ThreadFn = void *(*)(void *);
struct Thread {
  unsigned long handle;
};
bool startThread(Thread &thread, ThreadFn fn, void *argument);
void joinThread(const Thread &thread);
/// A number that differs between the threads that are alive.
uintptr_t threadId();
/// A number that the system gives again to another thread only late, and
/// another one in a forked child.
int64_t threadNumber();

/// A number that a forked child does not share with its parent.
int64_t processNumber();

/// Until its end, functions of the C library on this thread read and write
/// numbers with a point, whatever the locale of the program.
class PlainNumbers {
public:
  PlainNumbers();
  ~PlainNumbers();
  PlainNumbers(const PlainNumbers &) = delete;

private:
  void *before;
};

/// Loads a shared library by its name, for as long as the process lives. Null,
/// with the reason, on failure.
void *openLibrary(const char *name, const char *&problem);
/// Null if the library does not define it.
void *findSymbol(void *library, const char *name);

/// A file that is open to be read; `number` is negative if it is not.
struct File {
  int number = -1;
  int64_t bytes = 0;
  uint64_t inode = 0; ///< 0: unknown to the system
  uint64_t device = 0;
  int64_t written = 0; ///< when its contents last changed, in nanoseconds
};
File openFile(const char *path);
void closeFile(const File &file);
/// Fills `to`; false if the file is shorter or cannot be read.
bool readFile(const File &file, int64_t offset, void *to, size_t count);
/// Maps the first bytes of the file; null on failure.
const void *mapFile(const File &file, int64_t bytes);
void unmapFile(const void *memory, int64_t bytes);
/// Returns true, with its state in `now`, if the open file has been written to
/// or cut off. A number that the program has given to another file is no
/// reason.
bool hasChanged(const File &file, File &now);

/// An unpredictable number.
uint64_t entropy();

/// Path of the loaded file that contains `address`; false if unknown.
bool pathOfAddress(const void *address, char *path, size_t capacity);

} // namespace onnxc::rt::os

#endif // ONNXC_RUNTIME_LIB_OS_OS_H
