//===- ExternalData.h - Data beside a model's file -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_IMPORTER_EXTERNALDATA_H
#define ONNXC_LIB_IMPORTER_EXTERNALDATA_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace onnxc::importer {

/// Maps the file `path`, relative to `directory`, for reading. The path is
/// walked from the folder's handle, one name at a time and never through a
/// symbolic link, so that it cannot leave the folder even if the file system
/// changes meanwhile. Null on failure, and `why` is the reason.
std::shared_ptr<llvm::MemoryBuffer>
mapBeneath(llvm::StringRef directory, llvm::StringRef path, std::string &why);

} // namespace onnxc::importer

#endif // ONNXC_LIB_IMPORTER_EXTERNALDATA_H
