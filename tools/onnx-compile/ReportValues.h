//===- ReportValues.h - Tensors of a snapshot for a report -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TOOLS_ONNX_COMPILE_REPORTVALUES_H
#define ONNXC_TOOLS_ONNX_COMPILE_REPORTVALUES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

/// The .npy files below a folder that `onnx-run --snapshot` or --save has
/// written, as JSON: the runs, and of each tensor its numbers and, where it is
/// like one, an image. At most 16 MiB of text, of 1 GiB of files; it
/// says how many files are left out. A file that is none has its error. Fails
/// for a folder without such files.
llvm::Expected<std::string> readSnapshot(llvm::StringRef folder);

#endif // ONNXC_TOOLS_ONNX_COMPILE_REPORTVALUES_H
