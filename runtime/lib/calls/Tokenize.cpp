//===- Tokenize.cpp - Tokenizer of com.microsoft ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// This file uses RE2 under the rules in Regex.cpp.
//
//===----------------------------------------------------------------------===//

#include "StringTable.h"
#include "Unicode.h"

#include <re2/re2.h>

#include <initializer_list>
#include <new>
#include <stdio.h>
#include <string.h>

using namespace onnxc;
using namespace onnxc::rt;
using re2::RE2;
using re2::StringPiece;

namespace {

/// How strings are split; the compiler uses these numbers.
enum Way : int64_t { kMatches, kSeparators, kCharacters };

/// The parameters of the call.
struct Options {
  bool hasMarks;
  int64_t shortest; ///< of a token, in code points
  Way way;
};

/// The expressions of a table from its second string on.
class Expressions {
public:
  Expressions(OnnxcCall *call, const StringTable &table) {
    count = table.size() - 1;
    data = static_cast<RE2 *>(onnxc_rt_alloc(call, count * sizeof(RE2)));
    RE2::Options options;
    options.set_log_errors(false);
    for (; !onnxc_rt_status(call) && made < count; ++made) {
      new (data + made) RE2(table[1 + made], options);
      if (!data[made].ok())
        refuse(call, table[1 + made]);
    }
  }
  ~Expressions() {
    while (made > 0)
      data[--made].~RE2();
  }
  Expressions(const Expressions &) = delete;
  Expressions &operator=(const Expressions &) = delete;

  int64_t size() const { return count; }
  const RE2 &operator[](int64_t i) const { return data[i]; }

private:
  static void refuse(OnnxcCall *call, const char *pattern) {
    char message[160];
    snprintf(message, sizeof message,
             "Tokenizer: '%.100s' is not a regular expression of RE2", pattern);
    onnxc_rt_fail(call, ONNXC_ERR_VALUE, message);
  }

  RE2 *data;
  int64_t count, made = 0;
};

/// Gives the tokens of a string to `take(const char *, int64_t)`.
template <typename Take>
class Tokenizer {
public:
  Tokenizer(const Expressions &expressions, const Options &options, Take take)
      : expressions(expressions), options(options), take(take) {}

  void run(const char *text) {
    StringPiece whole(text, strlen(text));
    if (options.way == kCharacters)
      characters(whole);
    else if (options.way == kMatches)
      matches(whole);
    else
      separate(whole, 0);
  }

private:
  void give(StringPiece token) {
    int64_t length = 0;
    for (const char *at = token.data(), *end = at + token.size(); at < end;
         ++length)
      readUtf8(at);
    if (length >= options.shortest && !token.empty())
      take(token.data(), int64_t(token.size()));
  }

  void characters(StringPiece text) {
    for (const char *at = text.data(), *end = at + text.size(); at < end;) {
      const char *from = at;
      readUtf8(at);
      give(StringPiece(from, size_t(at - from)));
    }
  }

  /// The next match from `start` on that is not empty. One that begins there is
  /// the first one; to find only that takes RE2 one pass instead of two.
  static bool find(const RE2 &expression, StringPiece text, size_t start,
                   StringPiece &match) {
    for (; start <= text.size(); ++start) {
      bool found = false;
      for (auto anchor : {RE2::ANCHOR_START, RE2::UNANCHORED})
        found = found ||
                expression.Match(text, start, text.size(), anchor, &match, 1);
      if (!found)
        return false;
      if (!match.empty())
        return true;
      start = size_t(match.data() - text.data());
    }
    return false;
  }

  void matches(StringPiece text) {
    StringPiece match;
    for (size_t at = 0; find(expressions[0], text, at, match);) {
      give(match);
      at = size_t(match.data() + match.size() - text.data());
    }
  }

  /// Splits by one expression after the other.
  void separate(StringPiece text, int64_t level) {
    if (level == expressions.size())
      return give(text);
    StringPiece match;
    size_t at = 0;
    while (find(expressions[level], text, at, match)) {
      size_t from = size_t(match.data() - text.data());
      separate(StringPiece(text.data() + at, from - at), level + 1);
      at = from + match.size();
    }
    separate(StringPiece(text.data() + at, text.size() - at), level + 1);
  }

  const Expressions &expressions;
  const Options &options;
  Take take;
};

} // namespace

/// Finds the tokens of each string once; ends[i]: the tokens up to the end of
/// string i. False, the error being recorded, if memory is short.
static bool split(const Expressions &expressions, const Options &options,
                  const OnnxcValue &strings, Tokens &tokens, int64_t *ends) {
  bool fits = true;
  auto take = [&](const char *token, int64_t length) {
    fits = fits && tokens.add(token, length);
  };
  Tokenizer<decltype(take)> tokenizer(expressions, options, take);
  int64_t count = elementsOf(strings);
  for (int64_t i = 0; fits && i < count; ++i) {
    tokenizer.run(stringsOf(strings)[i]);
    ends[i] = tokens.size();
  }
  return fits;
}

/// One row of `width` from its tokens, filled up with `fill`.
static void writeRow(char *const *tokens, int64_t count, bool hasMarks,
                     char *fill, int64_t width, char **to) {
  static char start[] = "\x02", end[] = "\x03";
  char **last = to + width;
  if (hasMarks)
    *to++ = start;
  for (int64_t i = 0; i < count; ++i)
    *to++ = tokens[i];
  if (hasMarks)
    *to++ = end;
  while (to < last)
    *to++ = fill;
}

/// ins: strings, a table of the filling string and the expressions. outs: the
/// tokens along a new last dimension. Parameters: whether there are marks
/// around each row, the shortest token, and a Way.
ONNXC_CALL(onnxc_call_tokenize) {
  StringTable table(ins[1]);
  Options options = {params[0] != 0, params[1], Way(params[2])};
  Expressions expressions(call, table);
  if (onnxc_rt_status(call))
    return onnxc_rt_status(call);
  int64_t count = elementsOf(ins[0]), width = 0;
  Tokens tokens(call);
  auto *ends = static_cast<int64_t *>(
      onnxc_rt_alloc(call, count * int64_t(sizeof(int64_t))));
  char *fill = tokens.copy(table[0]);
  if (onnxc_rt_status(call) ||
      !split(expressions, options, ins[0], tokens, ends))
    return onnxc_rt_status(call);
  int64_t marks = options.hasMarks ? 2 : 0;
  for (int64_t i = 0, begin = 0; i < count; begin = ends[i++])
    width = ends[i] - begin + marks > width ? ends[i] - begin + marks : width;
  int64_t dims[64];
  for (int32_t d = 0; d < ins[0].rank; ++d)
    dims[d] = ins[0].dims[d];
  dims[ins[0].rank] = width;
  if (!makeResult(call, outs[0], dims, sizeof(char *)))
    return onnxc_rt_status(call);
  char **to = static_cast<char **>(outs[0].data);
  for (int64_t i = 0, begin = 0; i < count; begin = ends[i++], to += width)
    writeRow(tokens.from(begin), ends[i] - begin, options.hasMarks, fill, width,
             to);
  return onnxc_rt_status(call);
}
