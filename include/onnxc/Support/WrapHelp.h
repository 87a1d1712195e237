//===- WrapHelp.h - The help of LLVM's options in short lines ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_SUPPORT_WRAPHELP_H
#define ONNXC_SUPPORT_WRAPHELP_H

#include "onnxc/Support/HelpText.h"
#include "onnxc/Version.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <sys/wait.h>

namespace onnxc {

/// A line of the help that LLVM prints, "    =value    -   description" or a
/// text, in lines of at most `width` columns.
inline std::string wrapHelpLine(llvm::StringRef line, size_t width) {
  constexpr size_t column = 26;
  auto [left, description] = line.split(" - ");
  if (line.starts_with("  ") && !description.empty())
    return helpEntry(left.rtrim().drop_front(2), description.ltrim(), column,
                     width);
  // A description goes on below its beginning.
  size_t indent = std::min<size_t>(line.size() - line.ltrim().size(), column);
  return std::string(indent, ' ') + wrapText(line.ltrim(), indent, width) +
         "\n";
}

/// Lets --version of a tool whose options are LLVM's print that of the
/// compiler.
inline void setVersion(const char *tool) {
  llvm::cl::SetVersionPrinter([tool](llvm::raw_ostream &os) {
    os << tool << " " ONNXC_VERSION " (LLVM " LLVM_VERSION_STRING ")\n";
  });
}

/// Runs `main`, whose options are LLVM's. Where --help is among the words of
/// the command line, it runs in a process of its own, whose output is wrapped.
inline int wrapHelp(int argc, char **argv, llvm::function_ref<int()> main) {
  bool asks = std::any_of(argv, argv + argc, [](llvm::StringRef word) {
    return word.ltrim('-') == "help" || word == "-h";
  });
  int ends[2];
  if (!asks || ::pipe(ends) != 0)
    return main();
  pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    return main();
  }
  ::close(ends[1]);
  std::string text;
  char buffer[4096];
  while (ssize_t count = ::read(ends[0], buffer, sizeof buffer)) {
    if (count < 0)
      break;
    text.append(buffer, size_t(count));
  }
  ::close(ends[0]);
  for (llvm::StringRef rest = text; !rest.empty();) {
    auto [line, after] = rest.split('\n');
    std::fputs(wrapHelpLine(line, helpWidth()).c_str(), stdout);
    rest = after;
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child)
    return 1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

} // namespace onnxc

#endif // ONNXC_SUPPORT_WRAPHELP_H
