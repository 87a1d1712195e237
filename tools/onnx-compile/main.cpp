//===- main.cpp - From an ONNX model to a shared object --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Console.h"
#include "Subcommand.h"

#include "onnxc/Support/Tool.h"
#include "onnxc/Version.h"

#include "llvm/Config/llvm-config.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
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

/// Signals that nohup ignores stay ignored: the terminal may be closed.
static void handleInterrupts(void (*handler)(int)) {
  for (int signal : {SIGINT, SIGTERM, SIGHUP})
    if (std::signal(signal, handler) == SIG_IGN)
      std::signal(signal, SIG_IGN);
}

/// A reader of the output has gone.
static volatile std::sig_atomic_t isPipeClosed = 0;

static void printOutput(void *, const char *data, size_t size) {
  std::fwrite(data, 1, size, stdout);
}

/// Whether all output was written; reports an error if not, or ends the process
/// as programs in pipelines end whose reader has gone.
static bool wasPrinted() {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return true;
  if (isPipeClosed) {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  std::fprintf(stderr,
               "onnx-compile: error: cannot write to the standard output\n");
  return false;
}

int usageError(const CommandLine &line, const std::string &message) {
  std::string program = "onnx-compile";
  if (!line.command->name.empty())
    program += " " + line.command->name.str();
  // Messages of the compiler have their severity, and end their line.
  llvm::StringRef text = llvm::StringRef(message).rtrim('\n');
  text.consume_front("error: ");
  std::fprintf(stderr, "onnx-compile: error: %s\nTry %s --help.\n",
               text.str().c_str(), program.c_str());
  return OM_COMPILE_USAGE;
}

bool readInput(std::string &bytes) {
  char buffer[65536];
  while (ssize_t count = read(STDIN_FILENO, buffer, sizeof buffer)) {
    if (count < 0) {
      std::fprintf(stderr,
                   "onnx-compile: error: cannot read the standard input: %s\n",
                   std::strerror(errno));
      return false;
    }
    bytes.append(buffer, count);
  }
  return true;
}

OM_COMPILE_STATUS compileInput(OMCompiler *compiler, const std::string &input) {
  if (input != "-")
    return omCompilerCompileFile(compiler, input.c_str());
  std::string bytes;
  if (!readInput(bytes))
    return OM_COMPILE_USAGE;
  return omCompilerCompileMemory(compiler, bytes.data(), bytes.size(), "-");
}

int withCompiler(const CommandLine &line,
                 llvm::function_ref<int(OMCompiler *, Console &)> work) {
  OMCompiler *compiler = omCompilerCreate();
  for (const auto &[key, value] : line.options)
    if (omCompilerSetOption(compiler, key.c_str(), value.c_str()) !=
        OM_COMPILE_OK)
      return usageError(line, omCompilerGetMessages(compiler));
  Console console(compiler, line.quiet);
  omCompilerSetOutputHandler(compiler, printOutput, nullptr);
  running = compiler;
  handleInterrupts(onInterrupt);
  // Models are mapped: pages that are missing by now cannot be read.
  std::signal(SIGBUS, [](int) {
    onnxc::endTool("error: the model was truncated while it was compiled, "
                   "or its file cannot be read\n");
  });
  // Nobody reads on: temporary files are removed first.
  if (std::signal(SIGPIPE, [](int) { isPipeClosed = 1; }) == SIG_IGN)
    std::signal(SIGPIPE, SIG_IGN);
  // A file that may not become so large is an error of writing it.
  std::signal(SIGXFSZ, SIG_IGN);
  int status = work(compiler, console);
  // There is nothing to clean up any more, but output to be written.
  handleInterrupts(SIG_DFL);
  omCompilerDestroy(compiler);
  return status;
}

int main(int argc, char **argv) {
  onnxc::prepareTool();
  CommandLine line = parseCommandLine(argc, argv);
  if (!line.error.empty())
    return usageError(line, line.error);
  int status = OM_COMPILE_OK;
  if (line.help || line.version)
    std::fputs(line.help ? helpText(*line.command).c_str() : versionText,
               stdout);
  else
    status = line.command->run(line);
  return wasPrinted() || status != OM_COMPILE_OK ? status : OM_COMPILE_USAGE;
}
