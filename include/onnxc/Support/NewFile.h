//===- NewFile.h - Files that appear whole ----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_SUPPORT_NEWFILE_H
#define ONNXC_SUPPORT_NEWFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace onnxc {

/// A file that appears complete or not at all: it is written beside its
/// position as NAME.??????.tmp, and takes the place when it is done. Unlike
/// LLVM's own it leaves the signals of the process alone, which may be the
/// caller's. A process that is killed leaves its temporary file; the
/// file is locked while its process lives, and the next one to write NAME
/// removes it.
class NewFile {
public:
  /// `mode`: permissions of the file, less those of the umask.
  explicit NewFile(llvm::StringRef name, unsigned mode = 0666);
  /// A file that has a name in no folder and is deleted with this object.
  static NewFile inMemory(llvm::StringRef name);
  /// Removes the file unless it was kept.
  ~NewFile();
  NewFile(NewFile &&other);
  NewFile &operator=(NewFile &&) = delete;

  /// Makes the file, empty: whether it can be written is known before the work.
  llvm::Error create();
  /// The open file, after `create`.
  int handle() const { return file; }
  /// The path of the file while it is written.
  llvm::StringRef path() const { return temporary; }
  /// Writes `bytes` at the end.
  llvm::Error append(llvm::StringRef bytes);
  /// Makes the file `bytes` long and takes the room on the disk, where the
  /// file system can: a full disk is found before the work.
  llvm::Error reserve(int64_t bytes);
  /// Reads everything that has been written.
  llvm::Expected<std::unique_ptr<llvm::WritableMemoryBuffer>> read() const;
  /// Gives the file its name.
  llvm::Error keep();
  /// The error where it cannot be written.
  llvm::Error failed(std::error_code code) const;

private:
  std::error_code open();
  void removeStale() const;

  std::string name;
  unsigned mode;
  bool isInMemory = false;
  llvm::SmallString<128> temporary;
  int file = -1;
};

/// Writes to a stream, which keeps the errors.
using Writer = llvm::function_ref<llvm::Error(llvm::raw_ostream &)>;

/// Writes a file that appears complete or not at all, or to a device, a pipe
/// or, as "-", the standard output.
llvm::Error writeFile(llvm::StringRef name, Writer write);

/// Writes `bytes` to the open file; an error of the system otherwise.
std::error_code writeTo(int file, llvm::StringRef bytes);

/// Returns true for a device or a pipe, which no file may take the place of.
bool isStream(llvm::StringRef name);

/// The file itself where `name` is a link to it: links are not replaced.
std::string resolveLinks(llvm::StringRef name);

} // namespace onnxc

#endif // ONNXC_SUPPORT_NEWFILE_H
