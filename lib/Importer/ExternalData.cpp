//===- ExternalData.cpp - Data beside a model's file -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "ExternalData.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace onnxc::importer;

/// Opens `name` in the folder of handle `folder`; -1 on failure.
static int openIn(int folder, llvm::StringRef name, bool isFolder) {
  int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  return openat(folder, name.str().c_str(),
                isFolder ? flags | O_DIRECTORY : flags);
}

static std::string describeErrno(int error) {
  if (error == ELOOP || error == ENOTDIR)
    return "it leads through a symbolic link or a file";
  return std::strerror(error);
}

/// Opens `path` beneath `directory`; -1 on failure.
static int openBeneath(llvm::StringRef directory, llvm::StringRef path,
                       std::string &why) {
  llvm::SmallVector<llvm::StringRef> names;
  path.split(names, '/', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  if (path.starts_with("/") || path.contains('\0') || path.contains('\\') ||
      names.empty() || llvm::is_contained(names, "..")) {
    why = "it is not a path beneath the model's folder";
    return -1;
  }
  int folder = open(directory.empty() ? "." : directory.str().c_str(),
                    O_RDONLY | O_CLOEXEC | O_DIRECTORY);
  for (size_t i = 0; i < names.size() && folder >= 0; ++i) {
    if (names[i] == ".")
      continue;
    int next = openIn(folder, names[i], /*isFolder=*/i + 1 < names.size());
    int error = errno;
    close(folder);
    errno = error;
    folder = next;
  }
  if (folder < 0)
    why = describeErrno(errno);
  return folder;
}

std::shared_ptr<llvm::MemoryBuffer>
onnxc::importer::mapBeneath(llvm::StringRef directory, llvm::StringRef path,
                            std::string &why) {
  int handle = openBeneath(directory, path, why);
  if (handle < 0)
    return nullptr;
  llvm::scope_exit closeHandle([&] { close(handle); });
  struct stat status;
  if (fstat(handle, &status) != 0 || !S_ISREG(status.st_mode)) {
    why = "it is not a regular file";
    return nullptr;
  }
  auto buffer = llvm::MemoryBuffer::getOpenFile(
      llvm::sys::fs::convertFDToNativeFile(handle), path, status.st_size,
      /*RequiresNullTerminator=*/false);
  if (!buffer) {
    why = buffer.getError().message();
    return nullptr;
  }
  return std::move(*buffer);
}
