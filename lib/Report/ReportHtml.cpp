//===- ReportHtml.cpp - Report of a compilation as a page -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The page is Report.html, a constant, with the JSON of the report in it: the
// page's program makes all of its text, of names of the model too, which
// therefore are never markup.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Report/Report.h"

#include "llvm/ADT/StringRef.h"

using namespace onnxc;

static constexpr llvm::StringLiteral page =
#include "ReportPage.inc"
    ;

/// JSON inside a script element: no name ends the element.
static std::string inScript(llvm::StringRef json) {
  std::string text;
  for (char c : json)
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  return text;
}

std::string Report::html() const {
  constexpr llvm::StringLiteral mark = "@report@";
  auto [before, after] = page.split(mark);
  return before.str() + inScript(json()) + after.str();
}
