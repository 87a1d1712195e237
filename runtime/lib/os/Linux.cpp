//===- Linux.cpp - The operating system, on Linux ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "os/OS.h"

#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/futex.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// In old C libraries threads are in libpthread and the dynamic linker's
// functions in libdl, which an artefact must not need. A weak reference finds
// them wherever the process has them (since glibc 2.34: always); in a process
// without threads a model runs alone.
extern "C" {
int pthread_create(unsigned long *, const void *, void *(*)(void *), void *)
    __attribute__((weak));
int pthread_join(unsigned long, void **) __attribute__((weak));
unsigned long pthread_self(void);
}
#pragma weak dlopen
#pragma weak dlsym
#pragma weak dlerror

namespace onnxc::rt::os {

int64_t now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return int64_t(t.tv_sec) * 1000000000 + t.tv_nsec;
}

void futexWait(uint32_t *word, uint32_t expected) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

void futexWake(uint32_t *word, int count) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

void *allocateWipedOnFork(size_t bytes) {
  constexpr int wipeOnFork = 18; // MADV_WIPEONFORK, Linux 4.14
  void *pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    return nullptr;
  if (madvise(pages, bytes, wipeOnFork) != 0) {
    munmap(pages, bytes);
    return nullptr;
  }
  return pages;
}

void freePages(void *pages, size_t bytes) { munmap(pages, bytes); }

void adviseHuge(void *memory, size_t bytes) {
  madvise(memory, bytes, MADV_HUGEPAGE);
}

/// Signals of the program, for its own threads. Others stay: 32 to 34, by which
/// the C libraries change the user of all threads, and what a fault of the
/// thread itself sends, for the program's handler.
static uint64_t programSignals() {
  constexpr int others[] = {SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV,
                            SIGSYS, 32,      33,     34};
  uint64_t signals = ~uint64_t(0);
  for (int number : others)
    signals &= ~(uint64_t(1) << (number - 1));
  return signals;
}

bool startThread(Thread &thread, ThreadFn fn, void *argument) {
  if (!pthread_create || !pthread_join)
    return false;
  // The new thread inherits this thread's mask. 8 bytes is the kernel's own
  // size of a signal set.
  uint64_t blocked = programSignals(), old = 0;
  syscall(SYS_rt_sigprocmask, 0 /*SIG_BLOCK*/, &blocked, &old, sizeof blocked);
  int error = pthread_create(&thread.handle, nullptr, fn, argument);
  syscall(SYS_rt_sigprocmask, 2 /*SIG_SETMASK*/, &old, nullptr, sizeof old);
  return error == 0;
}

void joinThread(const Thread &thread) { pthread_join(thread.handle, nullptr); }

uintptr_t threadId() { return pthread_self(); }

int64_t threadNumber() { return syscall(SYS_gettid); }

int64_t processNumber() { return getpid(); }

// The locale "C" is a constant of the library: nothing is allocated.
PlainNumbers::PlainNumbers()
    : before(uselocale(newlocale(LC_ALL_MASK, "C", nullptr))) {}

PlainNumbers::~PlainNumbers() { uselocale(static_cast<locale_t>(before)); }

//===----------------------------------------------------------------------===//
// Libraries
//===----------------------------------------------------------------------===//

void *openLibrary(const char *name, const char *&problem) {
  if (!dlopen || !dlsym || !dlerror) {
    problem = "the program is linked without the dynamic linker (-ldl)";
    return nullptr;
  }
  void *library = dlopen(name, RTLD_NOW);
  if (!library)
    problem = dlerror();
  return library;
}

void *findSymbol(void *library, const char *name) {
  return dlsym(library, name);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// Size and identity of an open file, where the system has statx (4.11).
static File statusOf(int number) {
  struct statx status;
  File file;
  if (syscall(SYS_statx, number, "", AT_EMPTY_PATH,
              STATX_INO | STATX_SIZE | STATX_MTIME, &status) != 0)
    return file;
  file.number = number;
  file.bytes = int64_t(status.stx_size);
  file.written =
      status.stx_mtime.tv_sec * 1000000000 + int64_t(status.stx_mtime.tv_nsec);
  file.inode = status.stx_ino;
  file.device = uint64_t(status.stx_dev_major) << 32 | status.stx_dev_minor;
  return file;
}

File openFile(const char *path) {
  File file;
  // A pipe in its place has no size, and is not waited for.
  int number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (number < 0)
    return file;
  file = statusOf(number);
  file.number = number;
  file.bytes = lseek(number, 0, SEEK_END);
  return file;
}

void closeFile(const File &file) { close(file.number); }

bool readFile(const File &file, int64_t offset, void *to, size_t count) {
  char *at = static_cast<char *>(to);
  while (count > 0) {
    // Several threads may read from one file.
    long n = syscall(SYS_pread64, file.number, at, count, offset);
    if (n <= 0)
      return false;
    at += n;
    offset += n;
    count -= size_t(n);
  }
  return true;
}

const void *mapFile(const File &file, int64_t bytes) {
  void *memory = MAP_FAILED;
  if (bytes > 0)
    memory =
        mmap(nullptr, size_t(bytes), PROT_READ, MAP_PRIVATE, file.number, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

void unmapFile(const void *memory, int64_t bytes) {
  munmap(const_cast<void *>(memory), size_t(bytes));
}

bool hasChanged(const File &file, File &now) {
  now = statusOf(file.number);
  return now.inode != 0 && now.inode == file.inode &&
         now.device == file.device &&
         (now.bytes != file.bytes || now.written != file.written);
}

namespace {
struct PathQuery {
  uintptr_t address;
  char *path;
  size_t capacity;
};
} // namespace

/// The dynamic linker has no name for the program itself.
static bool pathOfProgram(PathQuery &query) {
  long length = syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", query.path,
                        query.capacity - 1);
  query.path[length > 0 ? length : 0] = 0;
  return length > 0;
}

static int findObject(dl_phdr_info *info, size_t, void *data) {
  PathQuery &query = *static_cast<PathQuery *>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    if (header.p_type != PT_LOAD || query.address < begin ||
        query.address - begin >= header.p_memsz)
      continue;
    const char *name = info->dlpi_name;
    size_t length = name ? strlen(name) : 0;
    if (length >= query.capacity)
      return 2;
    memcpy(query.path, name ? name : "", length + 1);
    return length > 0 || pathOfProgram(query) ? 1 : 2;
  }
  return 0;
}

bool pathOfAddress(const void *address, char *path, size_t capacity) {
  PathQuery query = {uintptr_t(address), path, capacity};
  return dl_iterate_phdr(findObject, &query) == 1;
}

/// Reads a small text file; false if it cannot be read.
static bool readText(const char *path, char *text, size_t capacity) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  size_t length = 0;
  while (length + 1 < capacity) {
    ssize_t n = read(fd, text + length, capacity - 1 - length);
    if (n <= 0)
      break;
    length += size_t(n);
  }
  close(fd);
  text[length] = 0;
  return length > 0;
}

//===----------------------------------------------------------------------===//
// Processors
//===----------------------------------------------------------------------===//

/// A decimal number at `text`, -1 if there is none; moves `text` past it.
static int64_t parseNumber(const char *&text) {
  while (*text == ' ')
    ++text;
  if (*text < '0' || *text > '9')
    return -1;
  int64_t value = 0;
  for (; *text >= '0' && *text <= '9'; ++text)
    if (value < INT64_MAX / 16)
      value = value * 10 + (*text - '0');
  return value;
}

/// Processors that `quota` of every `period` microseconds amounts to.
static int processorsOfQuota(int64_t quota, int64_t period) {
  if (quota <= 0 || period <= 0)
    return INT_MAX;
  int64_t count = (quota + period - 1) / period;
  return count < INT_MAX ? int(count) : INT_MAX;
}

/// The quota of one cgroup folder in either version's files.
static int folderQuota(const char *folder) {
  char path[PATH_MAX], text[128];
  size_t length = strlen(folder);
  if (length + 32 > sizeof path)
    return INT_MAX;
  memcpy(path, folder, length);
  strcpy(path + length, "/cpu.max");
  if (readText(path, text, sizeof text)) {
    const char *cursor = text;
    int64_t quota = parseNumber(cursor); // "max" gives -1
    return processorsOfQuota(quota, parseNumber(cursor));
  }
  strcpy(path + length, "/cpu.cfs_quota_us");
  if (!readText(path, text, sizeof text))
    return INT_MAX;
  const char *cursor = text;
  int64_t quota = parseNumber(cursor);
  strcpy(path + length, "/cpu.cfs_period_us");
  if (!readText(path, text, sizeof text))
    return INT_MAX;
  cursor = text;
  return processorsOfQuota(quota, parseNumber(cursor));
}

/// The smallest quota from `root` + `group` up to `root`.
static int quotaUpwards(const char *root, const char *group, size_t length) {
  char path[PATH_MAX];
  size_t rootLength = strlen(root);
  if (rootLength + length + 1 > sizeof path)
    return INT_MAX;
  memcpy(path, root, rootLength);
  memcpy(path + rootLength, group, length);
  int minQuota = INT_MAX;
  for (size_t end = rootLength + length;;) {
    path[end] = 0;
    int quota = folderQuota(path);
    minQuota = quota < minQuota ? quota : minQuota;
    if (end <= rootLength)
      return minQuota;
    do
      --end;
    while (end > rootLength && path[end] != '/');
  }
}

/// The quota of the group of one line `id:controllers:path`; no controllers
/// means version 2.
static int lineQuota(const char *line, const char *end, const char *root) {
  const char *first =
      static_cast<const char *>(memchr(line, ':', size_t(end - line)));
  const char *second = first ? static_cast<const char *>(memchr(
                                   first + 1, ':', size_t(end - first - 1)))
                             : nullptr;
  if (!second)
    return INT_MAX;
  bool version2 = second == first + 1;
  if (!version2 && !memmem(first, size_t(second - first), "cpu", 3))
    return INT_MAX;
  char folder[PATH_MAX];
  if (snprintf(folder, sizeof folder, "%s%s", root, version2 ? "" : "/cpu") >=
      int(sizeof folder))
    return INT_MAX;
  const char *group = second + 1;
  size_t length = size_t(end - group);
  return quotaUpwards(folder, group, length == 1 ? 0 : length); // "/": the root
}

int cgroupProcessors(const char *file, const char *root) {
  char text[4096];
  if (!readText(file, text, sizeof text))
    return INT_MAX;
  int minQuota = INT_MAX;
  for (const char *line = text; *line;) {
    const char *end = strchrnul(line, '\n');
    int quota = lineQuota(line, end, root);
    minQuota = quota < minQuota ? quota : minQuota;
    line = *end ? end + 1 : end;
  }
  return minQuota;
}

uint64_t entropy() {
  uint64_t number = 0;
  if (syscall(SYS_getrandom, &number, sizeof number, 0) == sizeof number)
    return number;
  // Before Linux 3.17: the time, and the address of the stack.
  return uint64_t(now()) * 0x9e3779b97f4a7c15 ^ uint64_t(uintptr_t(&number)) ^
         uint64_t(getpid()) << 32;
}

int processorCount() {
  unsigned long mask[128] = {}; // 8192 processors
  long bytes = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
  int count = 0;
  for (long i = 0; i < bytes / long(sizeof mask[0]); ++i)
    count += __builtin_popcountl(mask[i]);
  int quota = cgroupProcessors("/proc/self/cgroup", "/sys/fs/cgroup");
  count = quota < count ? quota : count;
  return count > 1 ? count : 1;
}

} // namespace onnxc::rt::os
