//===- ContainerMemory.cpp - The memory that a container allows -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Support/ContainerMemory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace onnxc;
using llvm::StringRef;
namespace path = llvm::sys::path;

/// The text of a file without the blanks around it; empty if there is none.
static std::string readFile(const llvm::Twine &name) {
  // Files of the system have no size.
  auto file = llvm::MemoryBuffer::getFileAsStream(name);
  return file ? (*file)->getBuffer().trim().str() : "";
}

/// Kernels write this and a little less for no limit.
static constexpr uint64_t unlimited = uint64_t(1) << 62;

static std::optional<uint64_t> limitOf(StringRef folder, StringRef file) {
  uint64_t bytes;
  if (StringRef(readFile(folder + "/" + file)).getAsInteger(10, bytes) ||
      bytes >= unlimited)
    return std::nullopt;
  return bytes;
}

/// The least limit from the folder of `group` in `root` up to `root`.
static std::optional<uint64_t> limitUpwards(StringRef root, StringRef group,
                                            StringRef file) {
  std::optional<uint64_t> least;
  for (;; group = path::parent_path(group)) {
    llvm::SmallString<128> folder(root);
    path::append(folder, group);
    if (std::optional<uint64_t> bytes = limitOf(folder, file))
      least = std::min(*bytes, least.value_or(*bytes));
    if (group.empty() || group == "/")
      return least;
  }
}

std::optional<uint64_t> onnxc::containerMemory(StringRef groups,
                                               StringRef root) {
  std::optional<uint64_t> least;
  std::string text = readFile(groups);
  llvm::SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  for (StringRef line : lines) {
    // id:controllers:path, with commas between controllers that are mounted
    // together; version 2 has none.
    auto [controllers, group] = line.split(':').second.split(':');
    std::optional<uint64_t> bytes;
    if (controllers.empty())
      bytes = limitUpwards(root, group, "memory.max");
    else if (llvm::is_contained(llvm::split(controllers, ','), "memory"))
      bytes = limitUpwards((root + "/memory").str(), group,
                           "memory.limit_in_bytes");
    if (bytes)
      least = std::min(*bytes, least.value_or(*bytes));
  }
  return least;
}
