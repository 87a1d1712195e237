//===- ContainerMemory.h - The memory that a container allows ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_SUPPORT_CONTAINERMEMORY_H
#define ONNXC_SUPPORT_CONTAINERMEMORY_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace onnxc {

/// Bytes that the control groups of `groups` (/proc/self/cgroup) and those
/// above them allow, by their folders in `root` (/sys/fs/cgroup), in either
/// version; none if there is no limit.
std::optional<uint64_t> containerMemory(llvm::StringRef groups,
                                        llvm::StringRef root);

} // namespace onnxc

#endif // ONNXC_SUPPORT_CONTAINERMEMORY_H
