//===- main.cpp - From an ONNX model to a shared object --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Console.h"

#include "onnxc/Version.h"

#include "llvm/Config/llvm-config.h"

#include <csignal>
#include <cstdio>
#include <string>
#include <unistd.h>

static constexpr char versionText[] =
    "onnx-compile " ONNXC_VERSION " (LLVM " LLVM_VERSION_STRING ")\n";

/// The compilation that an interrupt cancels.
static OMCompiler *running = nullptr;

/// The first signal lets the compiler clean up, the second one does not.
static void onInterrupt(int signal) {
  std::signal(signal, SIG_DFL);
  omCompilerCancel(running);
}

static void printOutput(void *, const char *data, size_t size) {
  std::fwrite(data, 1, size, stdout);
}

/// Whether all output was written; reports an error if not.
static bool wasPrinted() {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return true;
  std::fprintf(stderr, "onnx-compile: cannot write to the standard output\n");
  return false;
}

static int usageError(const std::string &message) {
  std::fprintf(stderr, "onnx-compile: %s\nTry onnx-compile --help.\n",
               message.c_str());
  return OM_COMPILE_USAGE;
}

static OM_COMPILE_STATUS compileInput(OMCompiler *compiler,
                                      const std::string &input) {
  if (input != "-")
    return omCompilerCompileFile(compiler, input.c_str());
  std::string bytes;
  char buffer[65536];
  while (ssize_t count = read(STDIN_FILENO, buffer, sizeof buffer)) {
    if (count < 0)
      return OM_COMPILE_USAGE;
    bytes.append(buffer, count);
  }
  return omCompilerCompileMemory(compiler, bytes.data(), bytes.size(), "-");
}

int main(int argc, char **argv) {
  CommandLine line = parseCommandLine(argc, argv);
  if (!line.error.empty())
    return usageError(line.error);
  if (line.help || line.version) {
    std::fputs(line.help ? helpText().c_str() : versionText, stdout);
    return wasPrinted() ? OM_COMPILE_OK : OM_COMPILE_USAGE;
  }
  OMCompiler *compiler = omCompilerCreate();
  for (const auto &[key, value] : line.options)
    if (omCompilerSetOption(compiler, key.c_str(), value.c_str()) !=
        OM_COMPILE_OK)
      return usageError(omCompilerGetMessages(compiler));
  Console console(compiler, line.quiet);
  omCompilerSetOutputHandler(compiler, printOutput, nullptr);
  running = compiler;
  // Signals that nohup ignores stay ignored: the terminal may be closed.
  for (int signal : {SIGINT, SIGTERM, SIGHUP})
    if (std::signal(signal, onInterrupt) == SIG_IGN)
      std::signal(signal, SIG_IGN);
  // A file that may not become so large is an error of writing it.
  std::signal(SIGXFSZ, SIG_IGN);
  OM_COMPILE_STATUS status = compileInput(compiler, line.input);
  if (status == OM_COMPILE_OK) {
    console.finish(compiler);
    if (!line.report.empty())
      std::fputs(omCompilerGetReport(compiler, line.report.c_str()), stdout);
  }
  omCompilerDestroy(compiler);
  if (!wasPrinted() && status == OM_COMPILE_OK)
    return OM_COMPILE_USAGE;
  return status;
}
