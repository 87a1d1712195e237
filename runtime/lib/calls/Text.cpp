//===- Text.cpp - StringSplit and StringNormalizer --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "StringTable.h"
#include "Unicode.h"

#include <string.h>

using namespace onnxc;
using namespace onnxc::rt;

//===----------------------------------------------------------------------===//
// StringSplit
//===----------------------------------------------------------------------===//

namespace {

/// Gives the parts of a string one by one.
class Splitter {
public:
  /// No delimiter: runs of blanks separate, and lead to no empty parts.
  Splitter(const char *text, const char *delimiter, int64_t maxSplits)
      : rest(text), delimiter(delimiter), left(maxSplits) {}

  /// Returns false when there are no more parts.
  bool next(const char *&part, int64_t &length) {
    return *delimiter ? nextByDelimiter(part, length)
                      : nextByBlanks(part, length);
  }

private:
  bool nextByDelimiter(const char *&part, int64_t &length) {
    if (!rest)
      return false;
    part = rest;
    const char *found = left == 0 ? nullptr : strstr(rest, delimiter);
    length = found ? found - rest : int64_t(strlen(rest));
    rest = found ? found + strlen(delimiter) : nullptr;
    --left;
    return true;
  }

  static const char *skip(const char *text, bool blanks) {
    while (*text) {
      const char *next = text;
      if (isBlank(readUtf8(next)) != blanks)
        break;
      text = next;
    }
    return text;
  }

  bool nextByBlanks(const char *&part, int64_t &length) {
    part = skip(rest, true);
    if (!*part)
      return false;
    rest = left == 0 ? part + strlen(part) : skip(part, false);
    length = rest - part;
    --left;
    return true;
  }

  const char *rest;
  const char *delimiter;
  int64_t left; ///< splits to be made; negative: any number
};

} // namespace

/// Finds the parts of each string once; counts[i]: those of string i. Returns
/// the most that a string has, or -1, the error being recorded, if memory is
/// short.
static int64_t split(const OnnxcValue &strings, const char *delimiter,
                     int64_t maxSplits, Tokens &parts, int64_t *counts) {
  int64_t count = elementsOf(strings), maxCount = 0, length;
  const char *part;
  for (int64_t i = 0; i < count; ++i) {
    Splitter splitter(stringsOf(strings)[i], delimiter, maxSplits);
    int64_t before = parts.size();
    while (splitter.next(part, length))
      if (!parts.add(part, length))
        return -1;
    counts[i] = parts.size() - before;
    maxCount = counts[i] > maxCount ? counts[i] : maxCount;
  }
  return maxCount;
}

/// ins: strings, a table with the delimiter. outs: the parts, filled up with
/// empty strings; the number of parts. The parameter is the most splits to be
/// made, -1: any number.
ONNXC_CALL(onnxc_call_string_split) {
  constexpr int32_t maxDims = 64;
  int64_t dims[maxDims];
  if (ins[0].rank >= maxDims)
    return onnxc_rt_fail(call, ONNXC_ERR_UNSUPPORTED,
                         "StringSplit: a tensor of 64 dimensions or more");
  if (!makeResult(call, outs[1], ins[0].dims, sizeof(int64_t)))
    return onnxc_rt_status(call);
  int64_t *counts = static_cast<int64_t *>(outs[1].data);
  Tokens parts(call);
  int64_t maxCount =
      split(ins[0], StringTable(ins[1])[0], params[0], parts, counts);
  if (maxCount < 0)
    return onnxc_rt_status(call);
  for (int32_t d = 0; d < ins[0].rank; ++d)
    dims[d] = ins[0].dims[d];
  dims[ins[0].rank] = maxCount;
  if (!makeResult(call, outs[0], dims, sizeof(char *)))
    return onnxc_rt_status(call);
  static char none[1] = "";
  char **to = static_cast<char **>(outs[0].data);
  for (int64_t i = 0, begin = 0, count = elementsOf(ins[0]); i < count;
       begin += counts[i++])
    for (int64_t k = 0; k < maxCount; ++k)
      *to++ = k < counts[i] ? *parts.from(begin + k) : none;
  return ONNXC_OK;
}

//===----------------------------------------------------------------------===//
// StringNormalizer
//===----------------------------------------------------------------------===//

namespace {
enum CaseChange { kNone, kLower, kUpper };
} // namespace

/// `text` in one case; null, the error being recorded, if memory is short. A
/// letter and its other case may differ in length, by no more than twice.
static char *changeCase(Characters &characters, const char *text,
                        int64_t change) {
  char *result = characters.make(int64_t(2 * strlen(text)));
  if (!result)
    return nullptr;
  char *to = result;
  char first = change == kLower ? 'A' : 'a';
  while (*text) {
    // Most are letters of ASCII, whose cases differ in one bit.
    if ((*text & 0x80) == 0) {
      bool isLetter = *text >= first && *text < first + 26;
      *to++ = char(*text++ ^ (isLetter ? 0x20 : 0));
      continue;
    }
    uint32_t code = readUtf8(text);
    to = writeUtf8(to, change == kLower ? lowerCase(code) : upperCase(code));
  }
  *to = 0;
  return result;
}

/// ins: strings, a table with the words to leave out. outs: the other strings
/// in the given case; one empty string if there are none. The parameters are
/// the change of case, and whether words are compared as they are; if not, the
/// table has them in lower case.
ONNXC_CALL(onnxc_call_string_normalize) {
  StringTable leftOut(ins[1]);
  int64_t change = params[0];
  bool asTheyAre = params[1] != 0;
  int64_t count = elementsOf(ins[0]), kept = 0;
  if (ins[0].rank == 2 && ins[0].dims[0] != 1)
    return call->fail(
        ONNXC_ERR_VALUE,
        "StringNormalizer: expects one row of strings, not %.240s",
        shapeText(ins[0].rank, ins[0].dims).text);
  int64_t room = count > 0 ? count : 1;
  char **words = static_cast<char **>(
      onnxc_rt_alloc(call, room * int64_t(sizeof(char *))));
  if (onnxc_rt_status(call) != ONNXC_OK)
    return onnxc_rt_status(call);
  Characters characters(call);
  for (int64_t i = 0; i < count; ++i) {
    char *word = stringsOf(ins[0])[i];
    char *compared = word;
    if (leftOut.size() > 0 && !asTheyAre)
      compared = changeCase(characters, word, kLower);
    if (compared && leftOut.size() > 0 && leftOut.find(compared) >= 0)
      continue;
    if (compared && change != kNone)
      word = changeCase(characters, word, change);
    if (!compared || !word)
      return onnxc_rt_status(call);
    words[kept++] = word;
  }
  static char none[1] = "";
  if (kept == 0)
    words[kept++] = none;
  outs[0].dims[0] = 1;
  outs[0].dims[outs[0].rank - 1] = kept;
  outs[0].data = words;
  return ONNXC_OK;
}
