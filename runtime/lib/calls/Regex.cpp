//===- Regex.cpp - RegexFullMatch by RE2 ------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The only file of the runtime that uses a C++ library, and only those parts of
// its headers that need no symbol of the C++ standard library. Artefacts with
// the operator need libre2 where they are loaded, others do not.
//
//===----------------------------------------------------------------------===//

#include "StringTable.h"

#include <re2/re2.h>

#include <new>
#include <stdio.h>

using namespace onnxc;
using namespace onnxc::rt;

/// ins: strings, a table with the pattern. outs: whether the whole of each
/// string matches.
ONNXC_CALL(onnxc_call_regex_full_match) {
  const char *pattern = StringTable(ins[1])[0];
  if (!makeResult(call, outs[0], ins[0].dims, 1))
    return onnxc_rt_status(call);
  re2::RE2::Options options;
  options.set_log_errors(false);
  // Not a static: calls on several threads share nothing.
  re2::RE2 expression(pattern, options);
  if (!expression.ok()) {
    char message[160];
    snprintf(message, sizeof message,
             "RegexFullMatch: '%.100s' is not a regular expression of RE2",
             pattern);
    return onnxc_rt_fail(call, ONNXC_ERR_VALUE, message);
  }
  bool *to = static_cast<bool *>(outs[0].data);
  int64_t count = elementsOf(ins[0]);
  for (int64_t i = 0; i < count; ++i)
    to[i] = re2::RE2::FullMatchN(stringsOf(ins[0])[i], expression, nullptr, 0);
  return ONNXC_OK;
}
