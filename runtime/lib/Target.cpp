//===- Target.cpp - Is this the processor the code was made for? *- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

using namespace onnxc;
using namespace onnxc::rt;

#if defined(__x86_64__)

namespace {

enum Register { EAX, EBX, ECX, EDX };

/// State that the operating system must save for the feature (XCR0 bits).
enum State : uint32_t { Any = 0, Avx = 0x6, Avx512 = 0xe6, Amx = 0x60000 };

/// A feature under LLVM's name and its bit of CPUID.
struct Feature {
  const char *name;
  uint32_t leaf, subleaf;
  Register where;
  int bit;
  State state;
};

} // namespace

// Features that change which instructions a compiler emits on its own. Others
// (cache hints, system instructions) never appear in generated code.
static const Feature features[] = {
    {"sse3", 1, 0, ECX, 0, Any},
    {"ssse3", 1, 0, ECX, 9, Any},
    {"fma", 1, 0, ECX, 12, Avx},
    {"cx16", 1, 0, ECX, 13, Any},
    {"sse4.1", 1, 0, ECX, 19, Any},
    {"sse4.2", 1, 0, ECX, 20, Any},
    {"movbe", 1, 0, ECX, 22, Any},
    {"popcnt", 1, 0, ECX, 23, Any},
    {"avx", 1, 0, ECX, 28, Avx},
    {"f16c", 1, 0, ECX, 29, Avx},
    {"bmi", 7, 0, EBX, 3, Any},
    {"avx2", 7, 0, EBX, 5, Avx},
    {"bmi2", 7, 0, EBX, 8, Any},
    {"avx512f", 7, 0, EBX, 16, Avx512},
    {"avx512dq", 7, 0, EBX, 17, Avx512},
    {"adx", 7, 0, EBX, 19, Any},
    {"avx512ifma", 7, 0, EBX, 21, Avx512},
    {"avx512cd", 7, 0, EBX, 28, Avx512},
    {"avx512bw", 7, 0, EBX, 30, Avx512},
    {"avx512vl", 7, 0, EBX, 31, Avx512},
    {"avx512vbmi", 7, 0, ECX, 1, Avx512},
    {"avx512vbmi2", 7, 0, ECX, 6, Avx512},
    {"gfni", 7, 0, ECX, 8, Any},
    {"vaes", 7, 0, ECX, 9, Avx},
    {"vpclmulqdq", 7, 0, ECX, 10, Avx},
    {"avx512vnni", 7, 0, ECX, 11, Avx512},
    {"avx512bitalg", 7, 0, ECX, 12, Avx512},
    {"avx512vpopcntdq", 7, 0, ECX, 14, Avx512},
    {"avx512vp2intersect", 7, 0, EDX, 8, Avx512},
    {"amx-bf16", 7, 0, EDX, 22, Amx},
    {"avx512fp16", 7, 0, EDX, 23, Avx512},
    {"amx-tile", 7, 0, EDX, 24, Amx},
    {"amx-int8", 7, 0, EDX, 25, Amx},
    {"avxvnni", 7, 1, EAX, 4, Avx},
    {"avx512bf16", 7, 1, EAX, 5, Avx512},
    {"avxifma", 7, 1, EAX, 23, Avx},
    {"avxvnniint8", 7, 1, EDX, 4, Avx},
    {"avxneconvert", 7, 1, EDX, 5, Avx},
    {"avxvnniint16", 7, 1, EDX, 10, Avx},
    {"lzcnt", 0x80000001, 0, ECX, 5, Any},
    {"sse4a", 0x80000001, 0, ECX, 6, Any},
    {"xop", 0x80000001, 0, ECX, 11, Avx},
    {"fma4", 0x80000001, 0, ECX, 16, Avx},
    {"tbm", 0x80000001, 0, ECX, 21, Any},
};

/// XCR0, 0 where the system does not use XSAVE.
static uint32_t savedState() {
  uint32_t a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (1u << 27)))
    return 0;
  uint32_t low, high;
  __asm__ __volatile__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

static bool hasFeature(const Feature &feature) {
  uint32_t registers[4] = {};
  if (!__get_cpuid_count(feature.leaf, feature.subleaf, &registers[EAX],
                         &registers[EBX], &registers[ECX], &registers[EDX]))
    return false;
  return (registers[feature.where] >> feature.bit & 1) &&
         (savedState() & feature.state) == feature.state;
}

#elif defined(__aarch64__)

namespace {

/// A feature under LLVM's name and the bit by which Linux tells of it, in
/// AT_HWCAP or AT_HWCAP2 (Linux, arch/arm64/include/uapi/asm/hwcap.h).
struct Feature {
  const char *name;
  unsigned long word;
  int bit;
};

} // namespace

static const Feature features[] = {
    {"aes", AT_HWCAP, 3},       {"sha2", AT_HWCAP, 6},
    {"crc", AT_HWCAP, 7},       {"lse", AT_HWCAP, 8},
    {"fullfp16", AT_HWCAP, 10}, {"rdm", AT_HWCAP, 12},
    {"jsconv", AT_HWCAP, 13},   {"complxnum", AT_HWCAP, 14},
    {"rcpc", AT_HWCAP, 15},     {"sha3", AT_HWCAP, 17},
    {"dotprod", AT_HWCAP, 20},  {"sve", AT_HWCAP, 22},
    {"fp16fml", AT_HWCAP, 23},  {"sve2", AT_HWCAP2, 1},
    {"fptoint", AT_HWCAP2, 8},  {"i8mm", AT_HWCAP2, 13},
    {"bf16", AT_HWCAP2, 14},
};

static bool hasFeature(const Feature &feature) {
  return getauxval(feature.word) >> feature.bit & 1;
}

#else

namespace {

struct Feature {
  const char *name;
};

} // namespace

/// Elsewhere the base processor of the triple is assumed.
static const Feature features[] = {{""}};
static bool hasFeature(const Feature &) { return true; }

#endif

/// True for features that are not in the table.
static bool hasFeature(const char *name, size_t length) {
  for (const Feature &feature : features)
    if (strlen(feature.name) == length &&
        memcmp(feature.name, name, length) == 0)
      return hasFeature(feature);
  return true;
}

bool rt::checkTarget(const char *text, char *missing, int capacity) {
  while (text && *text) {
    const char *end = strchr(text, ',');
    size_t length = end ? size_t(end - text) : strlen(text);
    if (*text == '+' && !hasFeature(text + 1, length - 1)) {
      size_t n =
          length - 1 < size_t(capacity - 1) ? length - 1 : size_t(capacity - 1);
      memcpy(missing, text + 1, n);
      missing[n] = 0;
      return false;
    }
    text += length + (end ? 1 : 0);
  }
  return true;
}
