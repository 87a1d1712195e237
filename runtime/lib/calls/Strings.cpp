//===- Strings.cpp - Constants, comparison, joining, numbers ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../os/OS.h"
#include "Context.h"
#include "StringTable.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

using namespace onnxc;
using namespace onnxc::rt;

/// ins: a table. outs: its strings, which stay among the weights.
ONNXC_CALL(onnxc_call_string_constant) {
  StringTable table(ins[0]);
  if (!makeResult(call, outs[0], params, sizeof(char *)))
    return onnxc_rt_status(call);
  const char **to = static_cast<const char **>(outs[0].data);
  for (int64_t i = 0; i < table.size(); ++i)
    to[i] = table[i];
  return ONNXC_OK;
}

/// ins: strings, a table with slots. outs: the position of each in the table,
/// or the table's size.
ONNXC_CALL(onnxc_call_string_index) {
  StringTable table(ins[1]);
  if (!makeResult(call, outs[0], ins[0].dims, sizeof(int64_t)))
    return onnxc_rt_status(call);
  int64_t *to = static_cast<int64_t *>(outs[0].data);
  int64_t count = elementsOf(ins[0]);
  for (int64_t i = 0; i < count; ++i) {
    int64_t position = table.find(stringsOf(ins[0])[i]);
    to[i] = position < 0 ? table.size() : position;
  }
  return ONNXC_OK;
}

//===----------------------------------------------------------------------===//
// Pairs of strings
//===----------------------------------------------------------------------===//

namespace {

/// Walks two tensors that broadcast to a third.
class Broadcast {
public:
  static constexpr int32_t maxDims = 64;

  Broadcast(const OnnxcValue &x, const OnnxcValue &y, int32_t rank)
      : rank(rank), ok(rank <= maxDims) {
    if (!ok)
      return;
    const OnnxcValue *values[] = {&x, &y};
    for (int k = 0; k < 2; ++k) {
      int64_t stride = 1;
      for (int32_t d = rank - 1; d >= 0; --d) {
        int32_t own = d - (rank - values[k]->rank);
        int64_t size = own < 0 ? 1 : values[k]->dims[own];
        strides[k][d] = size == 1 ? 0 : stride;
        stride *= size;
        if (k == 0 || size != 1)
          dims[d] = k == 1 && dims[d] != 1 ? dims[d] : size;
        ok &= size == 1 || size == dims[d];
      }
    }
  }

  bool agrees() const { return ok; }
  int64_t count() const {
    int64_t total = 1;
    for (int32_t d = 0; d < rank; ++d)
      total *= dims[d];
    return total;
  }
  int64_t first() const { return at[0]; }
  int64_t second() const { return at[1]; }
  void next() {
    for (int32_t d = rank - 1; d >= 0; --d) {
      at[0] += strides[0][d];
      at[1] += strides[1][d];
      if (++position[d] < dims[d])
        return;
      at[0] -= strides[0][d] * dims[d];
      at[1] -= strides[1][d] * dims[d];
      position[d] = 0;
    }
  }

  int64_t dims[maxDims] = {};

private:
  int32_t rank;
  bool ok;
  int64_t strides[2][maxDims] = {};
  int64_t position[maxDims] = {};
  int64_t at[2] = {0, 0};
};

} // namespace

static int32_t disagree(OnnxcCall *call, const OnnxcValue &x,
                        const OnnxcValue &y) {
  return call->fail(ONNXC_ERR_VALUE,
                    "sizes of the string operands do not broadcast: %.240s and "
                    "%.240s",
                    shapeText(x.rank, x.dims).text,
                    shapeText(y.rank, y.dims).text);
}

/// ins: strings a, b. outs: a == b, by broadcasting.
ONNXC_CALL(onnxc_call_string_equal) {
  Broadcast pair(ins[0], ins[1], outs[0].rank);
  if (!pair.agrees())
    return disagree(call, ins[0], ins[1]);
  if (!makeResult(call, outs[0], pair.dims, 1))
    return onnxc_rt_status(call);
  char *to = static_cast<char *>(outs[0].data);
  for (int64_t i = 0, n = pair.count(); i < n; ++i, pair.next())
    to[i] = strcmp(stringsOf(ins[0])[pair.first()],
                   stringsOf(ins[1])[pair.second()]) == 0;
  return ONNXC_OK;
}

/// ins: strings a, b. outs: a followed by b, by broadcasting.
ONNXC_CALL(onnxc_call_string_concat) {
  Broadcast pair(ins[0], ins[1], outs[0].rank);
  if (!pair.agrees())
    return disagree(call, ins[0], ins[1]);
  if (!makeResult(call, outs[0], pair.dims, sizeof(char *)))
    return onnxc_rt_status(call);
  char **to = static_cast<char **>(outs[0].data);
  Characters characters(call);
  for (int64_t i = 0, n = pair.count(); i < n; ++i, pair.next()) {
    const char *a = stringsOf(ins[0])[pair.first()];
    const char *b = stringsOf(ins[1])[pair.second()];
    size_t before = strlen(a), after = strlen(b);
    to[i] = characters.make(int64_t(before + after));
    if (!to[i])
      return onnxc_rt_status(call);
    memcpy(to[i], a, before);
    memcpy(to[i] + before, b, after);
  }
  return ONNXC_OK;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// The kinds of numbers that the compiler casts others to.
enum NumberKind { kBool, kInteger, kUnsigned, kFloat, kDouble };

/// The number of decimal digits.
static int digitsOf(uint64_t number) {
  static constexpr uint64_t powers[] = {1,
                                        10,
                                        100,
                                        1000,
                                        10000,
                                        100000,
                                        1000000,
                                        10000000,
                                        100000000,
                                        1000000000,
                                        10000000000,
                                        100000000000,
                                        1000000000000,
                                        10000000000000,
                                        100000000000000,
                                        1000000000000000,
                                        10000000000000000,
                                        100000000000000000,
                                        1000000000000000000,
                                        10000000000000000000u};
  // 1233 / 4096 is a little less than the logarithm of 2 to the base 10.
  int below = (64 - __builtin_clzll(number | 1)) * 1233 >> 12;
  return below + (number >= powers[below] || number == 0);
}

/// The digits where they stay, two at a time: copies of bytes just written
/// would wait for them. Null if memory is short.
static char *makeInteger(Characters &characters, uint64_t magnitude,
                         bool isNegative) {
  static constexpr char pairs[] = "00010203040506070809101112131415161718192021"
                                  "22232425262728293031323334353637383940414243"
                                  "44454647484950515253545556575859606162636465"
                                  "66676869707172737475767778798081828384858687"
                                  "888990919293949596979899";
  int length = digitsOf(magnitude) + isNegative;
  char *text = characters.make(length);
  if (!text)
    return nullptr;
  for (; magnitude >= 10; magnitude /= 100)
    memcpy(text + (length -= 2), pairs + magnitude % 100 * 2, 2);
  if (length > isNegative)
    text[isNegative] = char('0' + magnitude);
  if (isNegative)
    text[0] = '-';
  return text;
}

/// Writes the value with `digits` digits to `to`; returns true if they read
/// back as the value.
static bool holdsReal(char *to, size_t room, double value, bool isDouble,
                      int digits) {
  snprintf(to, room, "%.*e", digits - 1, value);
  return isDouble ? strtod(to, nullptr) == value
                  : strtof(to, nullptr) == float(value);
}

/// The least number of digits that read back as the value, written to `to`. If
/// some do, more of them do as well: they are no further away. Powers of two,
/// whose next values are not equally far on both sides, are tried from below.
static int shortestReal(char *to, size_t room, double value, bool isDouble) {
  int exponent, low = 1, high = isDouble ? 17 : 9;
  bool isPower = fabs(frexp(value, &exponent)) == 0.5;
  while (low < high) {
    int middle = isPower ? low : (low + high) / 2;
    if (holdsReal(to, room, value, isDouble, middle))
      high = middle;
    else
      low = middle + 1;
  }
  snprintf(to, room, "%.*e", low - 1, value);
  return low;
}

/// The shortest decimal that reads back as `value`, the way Python and NumPy
/// write it: always with a point or an exponent, which 16 digits require.
static int printReal(char *to, size_t room, double value, bool isDouble) {
  if (isnan(value))
    return snprintf(to, room, "nan");
  if (isinf(value))
    return snprintf(to, room, value < 0 ? "-inf" : "inf");
  char text[40];
  int digits = shortestReal(text, sizeof text, value, isDouble);
  int exponent = atoi(strchr(text, 'e') + 1);
  if (exponent >= -4 && exponent < 16) {
    int decimals = digits - 1 - exponent;
    return snprintf(to, room, "%.*f", decimals < 1 ? 1 : decimals, value);
  }
  return snprintf(to, room, "%s", text);
}

/// Element `i` of the numbers as a text; null if memory is short.
static char *makeNumber(Characters &characters, const void *from, int64_t i,
                        int64_t kind) {
  char text[64];
  switch (kind) {
  case kBool:
    return static_cast<const int8_t *>(from)[i] ? characters.copy("True", 4)
                                                : characters.copy("False", 5);
  case kInteger: {
    int64_t value = static_cast<const int64_t *>(from)[i];
    return makeInteger(
        characters, value < 0 ? -uint64_t(value) : uint64_t(value), value < 0);
  }
  case kUnsigned:
    return makeInteger(characters, static_cast<const uint64_t *>(from)[i],
                       false);
  default:
    double value = kind == kFloat ? double(static_cast<const float *>(from)[i])
                                  : static_cast<const double *>(from)[i];
    int length = printReal(text, sizeof text, value, kind != kFloat);
    return characters.copy(text, length);
  }
}

/// ins: numbers of the kind in the first parameter. outs: their text.
ONNXC_CALL(onnxc_call_string_from_number) {
  if (!makeResult(call, outs[0], ins[0].dims, sizeof(char *)))
    return onnxc_rt_status(call);
  char **to = static_cast<char **>(outs[0].data);
  Characters characters(call);
  os::PlainNumbers numbers;
  int64_t count = elementsOf(ins[0]);
  for (int64_t i = 0; i < count; ++i) {
    to[i] = makeNumber(characters, ins[0].data, i, params[0]);
    if (!to[i])
      return onnxc_rt_status(call);
  }
  return ONNXC_OK;
}

/// Reads the rest of `text` after blanks; false if it is no number.
static bool parseNumber(const char *text, void *to, int64_t i, int64_t kind) {
  while (*text == ' ' || (*text >= '\t' && *text <= '\r'))
    ++text;
  char *end = nullptr;
  errno = 0;
  if (kind == kFloat)
    static_cast<float *>(to)[i] = strtof(text, &end);
  else if (kind == kDouble)
    static_cast<double *>(to)[i] = strtod(text, &end);
  else if (kind == kUnsigned && *text != '-')
    static_cast<unsigned long long *>(to)[i] = strtoull(text, &end, 10);
  else
    static_cast<long long *>(to)[i] = strtoll(text, &end, 10);
  bool isReal = kind == kFloat || kind == kDouble;
  if (end == text || (!isReal && errno == ERANGE))
    return false;
  while (*end == ' ' || (*end >= '\t' && *end <= '\r'))
    ++end;
  return *end == 0;
}

/// ins: strings. outs: the numbers that they spell, of the kind in the first
/// parameter.
ONNXC_CALL(onnxc_call_string_to_number) {
  int64_t kind = params[0];
  if (!makeResult(call, outs[0], ins[0].dims, kind == kFloat ? 4 : 8))
    return onnxc_rt_status(call);
  os::PlainNumbers numbers;
  int64_t count = elementsOf(ins[0]);
  for (int64_t i = 0; i < count; ++i)
    if (!parseNumber(stringsOf(ins[0])[i], outs[0].data, i, kind)) {
      char message[128];
      snprintf(message, sizeof message,
               "Cast: the string '%.60s' is not a number",
               stringsOf(ins[0])[i]);
      return onnxc_rt_fail(call, ONNXC_ERR_VALUE, message);
    }
  return ONNXC_OK;
}
