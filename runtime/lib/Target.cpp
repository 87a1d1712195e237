//===- Target.cpp - Is this the processor the code was made for? *- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include <stdlib.h>
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

/// The leaves of CPUID, as in Host::leaves.
enum Leaf { Basic, Extended, Extended1, Amd };

/// State that the operating system must save for the feature (XCR0 bits).
enum State : uint32_t { Any = 0, Avx = 0x6, Avx512 = 0xe6, Amx = 0x60000 };

/// A feature under LLVM's name and its bit of CPUID.
struct Feature {
  const char *name;
  Leaf leaf;
  Register where;
  int bit;
  State state;
};

} // namespace

// Features that change which instructions a compiler emits on its own. Others
// (cache hints, system instructions) never appear in generated code.
static const Feature features[] = {
    {"sse3", Basic, ECX, 0, Any},
    {"ssse3", Basic, ECX, 9, Any},
    {"fma", Basic, ECX, 12, Avx},
    {"cx16", Basic, ECX, 13, Any},
    {"sse4.1", Basic, ECX, 19, Any},
    {"sse4.2", Basic, ECX, 20, Any},
    {"movbe", Basic, ECX, 22, Any},
    {"popcnt", Basic, ECX, 23, Any},
    {"avx", Basic, ECX, 28, Avx},
    {"f16c", Basic, ECX, 29, Avx},
    {"bmi", Extended, EBX, 3, Any},
    {"avx2", Extended, EBX, 5, Avx},
    {"bmi2", Extended, EBX, 8, Any},
    {"avx512f", Extended, EBX, 16, Avx512},
    {"avx512dq", Extended, EBX, 17, Avx512},
    {"adx", Extended, EBX, 19, Any},
    {"avx512ifma", Extended, EBX, 21, Avx512},
    {"avx512cd", Extended, EBX, 28, Avx512},
    {"avx512bw", Extended, EBX, 30, Avx512},
    {"avx512vl", Extended, EBX, 31, Avx512},
    {"avx512vbmi", Extended, ECX, 1, Avx512},
    {"avx512vbmi2", Extended, ECX, 6, Avx512},
    {"gfni", Extended, ECX, 8, Any},
    {"vaes", Extended, ECX, 9, Avx},
    {"vpclmulqdq", Extended, ECX, 10, Avx},
    {"avx512vnni", Extended, ECX, 11, Avx512},
    {"avx512bitalg", Extended, ECX, 12, Avx512},
    {"avx512vpopcntdq", Extended, ECX, 14, Avx512},
    {"avx512vp2intersect", Extended, EDX, 8, Avx512},
    {"amx-bf16", Extended, EDX, 22, Amx},
    {"avx512fp16", Extended, EDX, 23, Avx512},
    {"amx-tile", Extended, EDX, 24, Amx},
    {"amx-int8", Extended, EDX, 25, Amx},
    {"avxvnni", Extended1, EAX, 4, Avx},
    {"avx512bf16", Extended1, EAX, 5, Avx512},
    {"avxifma", Extended1, EAX, 23, Avx},
    {"avxvnniint8", Extended1, EDX, 4, Avx},
    {"avxneconvert", Extended1, EDX, 5, Avx},
    {"avxvnniint16", Extended1, EDX, 10, Avx},
    {"lzcnt", Amd, ECX, 5, Any},
    {"sse4a", Amd, ECX, 6, Any},
    {"xop", Amd, ECX, 11, Avx},
    {"fma4", Amd, ECX, 16, Avx},
    {"tbm", Amd, ECX, 21, Any},
};

/// XCR0, 0 where the system does not use XSAVE.
static uint32_t savedState(uint32_t basicECX) {
  if (!(basicECX & (1u << 27)))
    return 0;
  uint32_t low, high;
  __asm__ __volatile__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

namespace {

/// This processor. CPUID is read once: it leaves a virtual machine.
struct Host {
  uint32_t leaves[4][4] = {};
  uint32_t state;

  Host() {
    static const uint32_t numbers[4][2] = {
        {1, 0}, {7, 0}, {7, 1}, {0x80000001, 0}};
    for (int i = 0; i < 4; ++i)
      __get_cpuid_count(numbers[i][0], numbers[i][1], &leaves[i][EAX],
                        &leaves[i][EBX], &leaves[i][ECX], &leaves[i][EDX]);
    state = savedState(leaves[Basic][ECX]);
  }

  bool has(const Feature &feature) const {
    return (leaves[feature.leaf][feature.where] >> feature.bit & 1) &&
           (state & feature.state) == feature.state;
  }
};

} // namespace

#elif defined(__aarch64__)

namespace {

/// A feature under LLVM's name and the bit by which Linux reports it, in
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

namespace {
struct Host {
  bool has(const Feature &feature) const {
    return getauxval(feature.word) >> feature.bit & 1;
  }
};
} // namespace

#else

namespace {

struct Feature {
  const char *name;
};

/// Elsewhere the base processor of the triple is assumed.
struct Host {
  bool has(const Feature &) const { return true; }
};

} // namespace

static const Feature features[] = {{""}};

#endif

/// Returns true for features that are not in the table.
static bool hasFeature(const Host &host, const char *name, size_t length) {
  for (const Feature &feature : features)
    if (strlen(feature.name) == length &&
        memcmp(feature.name, name, length) == 0)
      return host.has(feature);
  return true;
}

/// Returns true if this processor has all of the features; else writes the
/// first one that is missing to `missing`.
static bool hasFeatures(const Host &host, const char *text, char *missing,
                        size_t capacity) {
  while (text && *text) {
    const char *end = strchr(text, ',');
    size_t length = end ? size_t(end - text) : strlen(text);
    if (*text == '+' && !hasFeature(host, text + 1, length - 1)) {
      size_t n = length - 1 < capacity - 1 ? length - 1 : capacity - 1;
      memcpy(missing, text + 1, n);
      missing[n] = 0;
      return false;
    }
    text += length + (end ? 1 : 0);
  }
  return true;
}

/// "x86-64-v2, x86-64-v3", cut off where it is too long.
static Message namesOf(const OnnxcModel &model) {
  Message names = {};
  for (int64_t i = 0; i < model.numLevels; ++i) {
    Message sofar = names;
    names.set("%s%s%s", sofar.text, i ? ", " : "", model.levels[i].cpu);
  }
  return names;
}

int rt::chooseLevel(const OnnxcModel &model, Message *reason, int64_t end) {
  const char *forced = model.numLevels > 1 ? getenv("OM_CPU") : nullptr;
  if (forced && !*forced)
    forced = nullptr;
  char missing[64] = "";
  Host host;
  for (int64_t i = end < 0 ? model.numLevels : end; i-- > 0;)
    if ((!forced || strcmp(forced, model.levels[i].cpu) == 0) &&
        hasFeatures(host, model.levels[i].features, missing, sizeof missing))
      return int(i);
  if (!reason)
    return -1;
  Message names = namesOf(model);
  if (forced && !*missing)
    reason->set("OM_CPU is '%.64s', but the model was compiled for %.256s",
                forced, names.text);
  else if (forced)
    reason->set("OM_CPU is '%.64s', which needs '%s': this processor does not "
                "have it",
                forced, missing);
  else
    reason->set("the model was compiled for a processor with '%s', which this "
                "one does not have (--cpu was %.256s); compile it with "
                "--cpu=generic",
                missing, names.text);
  return -1;
}

const char *omGetCpu(const char *entryPoint) {
  FoundEntry found = findEntry(entryPoint);
  if (!found.model)
    return nullptr;
  int level = stateOf(*found.model).level;
  if (level >= 0)
    return found.model->levels[level].cpu;
  Message reason;
  chooseLevel(*found.model, &reason);
  setLastError(reason.text);
  return nullptr;
}
