//===- Console.cpp - Progress and messages for people ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Console.h"

#include "onnxc/Support/ByteCount.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <cstdio>
#include <sys/resource.h>
#include <unistd.h>

Console::Console(OMCompiler *compiler, bool quiet)
    : showsSteps(!quiet && isatty(STDERR_FILENO)),
      isTerminal(isatty(STDERR_FILENO)) {
  omCompilerSetMessageHandler(compiler, onMessage, this);
  omCompilerSetProgressHandler(compiler, onProgress, this);
}

void Console::onMessage(void *self, OM_SEVERITY severity, const char *location,
                        const char *text) {
  static const char *const names[] = {"error", "warning", "remark", "note"};
  static const char *const colours[] = {"\033[1;31m", "\033[1;35m",
                                        "\033[1;34m", "\033[1;36m"};
  bool colour = static_cast<Console *>(self)->isTerminal;
  std::fprintf(stderr, "%s%s%s%s%s: %s\n", location, *location ? ": " : "",
               colour ? colours[severity] : "", names[severity],
               colour ? "\033[0m" : "", text);
}

void Console::onProgress(void *self, unsigned number, unsigned total,
                         const char *name, double seconds) {
  auto *console = static_cast<Console *>(self);
  if (seconds >= 0)
    console->total += seconds;
  if (!console->showsSteps)
    return;
  if (seconds < 0)
    std::fprintf(stderr, "[%u/%u] %-12s", number, total, name);
  else
    std::fprintf(stderr, "\r[%u/%u] %-12s %6.2f s\n", number, total, name,
                 seconds);
}

/// " for x86_64-pc-linux-gnu znver4": the target that the report names.
static std::string machineOf(const char *report) {
  auto facts = llvm::json::parse(report);
  if (!facts) {
    llvm::consumeError(facts.takeError());
    return "";
  }
  auto target = facts->getAsObject()->getString("target");
  return target && !target->empty() ? (" for " + *target).str() : "";
}

void Console::finish(OMCompiler *compiler) {
  llvm::StringRef output = omCompilerGetOutput(compiler);
  if (!showsSteps || output == "-")
    return;
  struct rusage usage;
  int64_t peak =
      getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss * 1024 : 0;
  std::string machine;
  if (!output.ends_with(".onnx"))
    machine = machineOf(omCompilerGetReport(compiler, "json"));
  std::fprintf(stderr, "wrote %s%s in %.2f s, with at most %s\n",
               output.str().c_str(), machine.c_str(), total,
               onnxc::sizeText(peak).c_str());
  if (output.ends_with(".so"))
    std::fprintf(stderr, "run it with: onnx-run %s\n", output.str().c_str());
}
