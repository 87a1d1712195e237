//===- Against.cpp - onnx-run --against -------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Other engines are packages of Python, and so is the comparison with them:
// onnx_compile.verify and bench. This process becomes an interpreter that calls
// it.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <csignal>
#include <cstdlib>
#include <unistd.h>

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

static const char script[] = R"py(import signal
import sys
# An interrupted comparison ends as this program does.
signal.signal(signal.SIGINT, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
try:
    from onnx_compile._peer_commands import main
except ImportError as error:
    sys.exit(f"onnx-run: error: --against needs the Python package onnx_compile: pip install . in the folder of the sources ({error})")
sys.exit(main(sys.argv[1:]))
)py";

/// Puts the package of this build, or the one that this program lies in, before
/// others.
static void preferOwnPackage() {
  static int anchor;
  SmallString<128> program(sys::fs::getMainExecutable("onnx-run", &anchor));
  StringRef folder = sys::path::parent_path(program);
  for (StringRef parent : {"../python", "../.."}) {
    SmallString<128> path(folder);
    sys::path::append(path, parent);
    SmallString<128> package(path);
    sys::path::append(package, "onnx_compile", "_peer_commands.py");
    if (!sys::fs::exists(package))
      continue;
    if (std::optional<std::string> others = sys::Process::GetEnv("PYTHONPATH"))
      path += ":" + *others;
    setenv("PYTHONPATH", path.c_str(), /*overwrite=*/1);
    return;
  }
}

Error run::runAgainst(ArrayRef<const char *> words) {
  preferOwnPackage();
  std::vector<const char *> command = {"python3", "-c", script};
  command.insert(command.end(), words.begin(), words.end());
  command.push_back(nullptr);
  // An interrupt waits until the script has decided what it does.
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  sigprocmask(SIG_BLOCK, &interrupt, nullptr);
  execvp(command[0], const_cast<char *const *>(command.data()));
  return failure("--against needs Python 3.10 or later: cannot start python3: "
                 "%s",
                 strerror(errno));
}
