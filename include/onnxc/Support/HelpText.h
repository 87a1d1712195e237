//===- HelpText.h - The layout of what --help prints ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_SUPPORT_HELPTEXT_H
#define ONNXC_SUPPORT_HELPTEXT_H

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

namespace onnxc {

/// The columns of the terminal that shows the standard output, at least 40; 80
/// if it is no terminal.
inline size_t helpWidth() {
  struct winsize size = {};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return 80;
  return std::max<size_t>(size.ws_col, 40);
}

/// The words of a paragraph in lines of at most `width` columns, without a last
/// line end. The first line continues at column `indent`; the others begin with
/// that many blanks. A word that is longer than a line has one of its own.
inline std::string wrapText(llvm::StringRef paragraph, size_t indent,
                            size_t width) {
  std::string text;
  size_t column = indent;
  for (llvm::StringRef rest = paragraph; !rest.empty();) {
    auto [word, after] = rest.split(' ');
    rest = after;
    if (column == indent) {
      text += word;
    } else if (column + 1 + word.size() <= width) {
      text += (" " + word).str();
      ++column;
    } else {
      text += "\n" + std::string(indent, ' ') + word.str();
      column = indent;
    }
    column += word.size();
  }
  return text;
}

/// An entry of a list of options or commands: `left`, and from `column` on its
/// description. If `left` ends less than two columns before that, the
/// description begins on the next line.
inline std::string helpEntry(llvm::StringRef left, llvm::StringRef description,
                             size_t column, size_t width = helpWidth()) {
  std::string text = "  " + left.str();
  if (text.size() + 2 > column)
    text += "\n" + std::string(column, ' ');
  else
    text.resize(column, ' ');
  return text + wrapText(description, column, width) + "\n";
}

} // namespace onnxc

#endif // ONNXC_SUPPORT_HELPTEXT_H
