//===- NewFile.cpp - Files that appear whole --------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Support/NewFile.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace onnxc {

/// The pattern of the random part of a temporary name.
static constexpr StringLiteral model = ".%%%%%%.tmp";

bool isStream(StringRef name) {
  sys::fs::file_status status;
  return !sys::fs::status(name, status) && sys::fs::exists(status) &&
         !sys::fs::is_regular_file(status) && !sys::fs::is_directory(status);
}

std::string resolveLinks(StringRef name) {
  SmallString<128> file;
  bool isLink = sys::fs::is_symlink_file(name);
  return isLink && !sys::fs::real_path(name, file) ? file.str().str()
                                                   : name.str();
}

std::error_code writeTo(int file, StringRef bytes) {
  raw_fd_ostream os(file, /*shouldClose=*/false, /*unbuffered=*/true);
  os << bytes;
  std::error_code code = os.error();
  // An unchecked error ends the process.
  os.clear_error();
  return code;
}

NewFile::NewFile(StringRef name, unsigned mode)
    : name(resolveLinks(name)), mode(mode) {}

NewFile NewFile::inMemory(StringRef name) {
  NewFile file("");
  file.name = name.str();
  file.isInMemory = true;
  return file;
}

NewFile::NewFile(NewFile &&other)
    : name(std::move(other.name)), mode(other.mode),
      isInMemory(other.isInMemory), temporary(std::move(other.temporary)),
      file(std::exchange(other.file, -1)) {}

NewFile::~NewFile() {
  if (file < 0)
    return;
  if (!isInMemory)
    (void)sys::fs::remove(temporary);
  ::close(file);
}

/// Returns true if `path` still names the open file.
static bool isSameFile(int file, StringRef path) {
  struct stat opened, named;
  return ::fstat(file, &opened) == 0 &&
         ::stat(path.str().c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

/// Opens a file with a name of its own and locks it. Between the two another
/// process may take it for a stale one.
std::error_code NewFile::open() {
  while (true) {
    sys::fs::createUniquePath(name + model, temporary, /*MakeAbsolute=*/false);
    if (std::error_code code = sys::fs::openFileForReadWrite(
            temporary, file, sys::fs::CD_CreateNew, sys::fs::OF_None, mode)) {
      file = -1;
      if (code != std::errc::file_exists)
        return code;
      continue;
    }
    ::flock(file, LOCK_EX | LOCK_NB);
    if (isSameFile(file, temporary))
      return {};
    ::close(file);
    file = -1;
  }
}

/// Removes temporary files of killed processes for the same name.
void NewFile::removeStale() const {
  StringRef folder = sys::path::parent_path(name);
  StringRef own = sys::path::filename(name);
  std::error_code code;
  sys::fs::directory_iterator entry(folder.empty() ? "." : folder, code), end;
  for (; !code && entry != end; entry.increment(code)) {
    StringRef other = sys::path::filename(entry->path());
    if (!other.consume_front(own) || other.size() != model.size() ||
        !other.starts_with(".") || !other.ends_with(".tmp"))
      continue;
    int stale = ::open(entry->path().c_str(),
                       O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (stale < 0)
      continue;
    if (::flock(stale, LOCK_EX | LOCK_NB) == 0)
      (void)sys::fs::remove(entry->path());
    ::close(stale);
  }
}

Error NewFile::create() {
  if (isInMemory) {
    file = ::memfd_create(name.c_str(), MFD_CLOEXEC);
    temporary = "/proc/self/fd/" + std::to_string(file);
    return file < 0 ? failed(errnoAsErrorCode()) : Error::success();
  }
  removeStale();
  if (sys::fs::is_directory(name))
    return failed(std::make_error_code(std::errc::is_a_directory));
  std::error_code code = open();
  return code ? failed(code) : Error::success();
}

Error NewFile::append(StringRef bytes) {
  std::error_code code = writeTo(file, bytes);
  return code ? failed(code) : Error::success();
}

Error NewFile::reserve(int64_t bytes) {
  bool isFull = ::fallocate(file, 0, 0, bytes) != 0 && errno == ENOSPC;
  if (isFull || ::ftruncate(file, bytes) != 0)
    return failed(errnoAsErrorCode());
  return Error::success();
}

Expected<std::unique_ptr<WritableMemoryBuffer>> NewFile::read() const {
  auto bytes = WritableMemoryBuffer::getFile(path());
  if (!bytes)
    return failed(bytes.getError());
  return std::move(*bytes);
}

Error NewFile::keep() {
  if (isInMemory)
    return Error::success();
  if (std::error_code code = sys::fs::rename(temporary, name))
    return failed(code);
  ::close(std::exchange(file, -1));
  return Error::success();
}

static Error failedToWrite(StringRef name, std::error_code code) {
  return createStringError(code,
                           "cannot write '" + name + "': " + code.message());
}

Error NewFile::failed(std::error_code code) const {
  return failedToWrite(name, code);
}

//===----------------------------------------------------------------------===//
// Whole files
//===----------------------------------------------------------------------===//

Error writeFile(StringRef name, Writer write) {
  auto writeAll = [&](raw_fd_ostream &os) -> Error {
    Error error = write(os);
    os.flush();
    std::error_code code = os.error();
    // One that is destroyed with an unchecked error ends the process.
    os.clear_error();
    return error || !code ? std::move(error) : failedToWrite(name, code);
  };
  if (name == "-" || isStream(name)) {
    std::error_code code;
    raw_fd_ostream stream(name, code, sys::fs::CD_OpenExisting,
                          sys::fs::FA_Write, sys::fs::OF_None);
    return code ? failedToWrite(name, code) : writeAll(stream);
  }
  NewFile file(name);
  if (Error error = file.create())
    return error;
  raw_fd_ostream stream(file.handle(), /*shouldClose=*/false);
  if (Error error = writeAll(stream))
    return error;
  return file.keep();
}

} // namespace onnxc
