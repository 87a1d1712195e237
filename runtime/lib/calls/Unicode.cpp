//===- Unicode.cpp - UTF-8 and simple case mapping --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// towupper of libc depends on the process's locale, which is "C" unless the
// program sets it, and then maps ASCII only. The results of a model must not
// depend on that: the mapping is a table here.
//
//===----------------------------------------------------------------------===//

#include "Unicode.h"

using namespace onnxc;

namespace {

constexpr uint32_t kByte = 0x110000;

/// Letters first..last, every `step`th of which is upper case; the lower case
/// of each is `distance` further on.
struct CaseRange {
  uint32_t first, last, step;
  int32_t distance;
};

} // namespace

/// Sorted by the upper-case letters.
static constexpr CaseRange kRanges[] = {
    {0x0041, 0x005a, 1, 32}, {0x00c0, 0x00d6, 1, 32},   {0x00d8, 0x00de, 1, 32},
    {0x0100, 0x012e, 2, 1},  {0x0132, 0x0136, 2, 1},    {0x0139, 0x0147, 2, 1},
    {0x014a, 0x0176, 2, 1},  {0x0178, 0x0178, 1, -121}, {0x0179, 0x017d, 2, 1},
    {0x01cd, 0x01db, 2, 1},  {0x01de, 0x01ee, 2, 1},    {0x01f8, 0x021e, 2, 1},
    {0x0222, 0x0232, 2, 1},  {0x0386, 0x0386, 1, 38},   {0x0388, 0x038a, 1, 37},
    {0x038c, 0x038c, 1, 64}, {0x038e, 0x038f, 1, 63},   {0x0391, 0x03a1, 1, 32},
    {0x03a3, 0x03ab, 1, 32}, {0x0400, 0x040f, 1, 80},   {0x0410, 0x042f, 1, 32},
    {0x0460, 0x0480, 2, 1},  {0x048a, 0x04be, 2, 1},    {0x04c0, 0x04c0, 1, 15},
    {0x04c1, 0x04cd, 2, 1},  {0x04d0, 0x052e, 2, 1},    {0x0531, 0x0556, 1, 48},
    {0x1e00, 0x1e94, 2, 1},  {0x1ea0, 0x1efe, 2, 1},    {0xff21, 0xff3a, 1, 32},
};

uint32_t rt::lowerCase(uint32_t code) {
  for (const CaseRange &range : kRanges)
    if (code >= range.first && code <= range.last &&
        (code - range.first) % range.step == 0)
      return uint32_t(int64_t(code) + range.distance);
  return code;
}

uint32_t rt::upperCase(uint32_t code) {
  for (const CaseRange &range : kRanges) {
    uint32_t upper = uint32_t(int64_t(code) - range.distance);
    if (upper >= range.first && upper <= range.last &&
        (upper - range.first) % range.step == 0)
      return upper;
  }
  return code;
}

uint32_t rt::readUtf8(const char *&text) {
  uint8_t lead = uint8_t(*text++);
  if (lead < 0x80)
    return lead;
  int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc2 ? 1 : 0;
  if (more == 0 || lead > 0xf4)
    return kByte + lead;
  uint32_t code = lead & (0x3fu >> more);
  for (int i = 0; i < more; ++i) {
    uint8_t next = uint8_t(text[i]);
    if ((next & 0xc0) != 0x80)
      return kByte + lead;
    code = code << 6 | (next & 0x3f);
  }
  constexpr uint32_t minCode[] = {0, 0x80, 0x800, 0x10000};
  if (code < minCode[more] || code > 0x10ffff)
    return kByte + lead;
  text += more;
  return code;
}

char *rt::writeUtf8(char *to, uint32_t code) {
  if (code >= kByte) {
    *to++ = char(code - kByte);
  } else if (code < 0x80) {
    *to++ = char(code);
  } else if (code < 0x800) {
    *to++ = char(0xc0 | code >> 6);
    *to++ = char(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    *to++ = char(0xe0 | code >> 12);
    *to++ = char(0x80 | (code >> 6 & 0x3f));
    *to++ = char(0x80 | (code & 0x3f));
  } else {
    *to++ = char(0xf0 | code >> 18);
    *to++ = char(0x80 | (code >> 12 & 0x3f));
    *to++ = char(0x80 | (code >> 6 & 0x3f));
    *to++ = char(0x80 | (code & 0x3f));
  }
  return to;
}

bool rt::isBlank(uint32_t code) {
  return (code >= 0x09 && code <= 0x0d) || (code >= 0x1c && code <= 0x20) ||
         code == 0x85 || code == 0xa0 || code == 0x1680 ||
         (code >= 0x2000 && code <= 0x200a) || code == 0x2028 ||
         code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
}
