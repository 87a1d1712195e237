//===- Tool.h - What the tools have in common -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_SUPPORT_TOOL_H
#define ONNXC_SUPPORT_TOOL_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/PrettyStackTrace.h"

#include <cstdio>
#include <cstring>
#include <new>
#include <unistd.h>

namespace onnxc {

/// Ends the process with the status of a model that is refused. It allocates
/// nothing and is safe in a signal handler.
[[noreturn]] inline void endTool(const char *message) {
  (void)!::write(STDERR_FILENO, message, std::strlen(message));
  ::_exit(1);
}

/// A thread that the system refuses is no bug; other errors end as crashes do.
inline void reportFatalError(void *, const char *reason, bool) {
  if (llvm::StringRef(reason).starts_with("pthread_create"))
    endTool("error: the system starts no more threads: it has too little "
            "memory for them (ulimit -v), or too many (ulimit -u)\n");
  std::fprintf(stderr, "LLVM ERROR: %s\n", reason);
}

/// Sets what a tool prints when it crashes or when there is no memory. Call it
/// first in `main`.
inline void prepareTool() {
  llvm::install_fatal_error_handler(reportFatalError);
  llvm::setBugReportMsg(
      "This is a bug of onnx-compile. Please report it with the model, the "
      "command and the lines below.\n");
  static constexpr char noMemory[] = "error: out of memory\n";
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { endTool(noMemory); });
  std::set_new_handler([] { endTool(noMemory); });
}

} // namespace onnxc

#endif // ONNXC_SUPPORT_TOOL_H
