//===- TargetDescription.cpp - Vectors, registers, caches ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/TargetDescription.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Threading.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <unistd.h>

using namespace llvm;

namespace onnxc::target {

/// One row: what a feature means. The first row whose feature is there counts.
struct VectorUnit {
  Triple::ArchType arch;
  StringLiteral feature; ///< empty: always there
  int64_t bytes;
  unsigned registers;
  unsigned fmaPerCycle;
  unsigned loadsPerCycle;
  int64_t l2; ///< of the processors that have the unit, unless it is this one
};

static constexpr VectorUnit vectorUnits[] = {
    {Triple::x86_64, "avx512f", 64, 32, 1, 1, 1 << 20},
    {Triple::x86_64, "avx2", 32, 16, 2, 2, 512 << 10},
    {Triple::x86_64, "avx", 32, 16, 1, 2, 256 << 10},
    {Triple::x86_64, "", 16, 16, 1, 2, 256 << 10},
    {Triple::aarch64, "", 16, 32, 2, 2, 512 << 10},
};

int64_t TargetDescription::lanes(unsigned bits) const {
  return std::max<int64_t>(vectorBytes * 8 / std::max(bits, 8u), 1);
}

/// The features of a processor by name, then the differences.
static StringSet<> collectFeatures(const Triple &triple, StringRef cpu,
                                   StringRef differences) {
  StringSet<> features;
  if (triple.getArch() == Triple::x86_64 &&
      X86::parseArchX86(cpu, /*Only64Bit=*/true) != X86::CK_None) {
    SmallVector<StringRef> usual;
    X86::getFeaturesForCPU(cpu, usual);
    for (StringRef feature : usual)
      features.insert(feature);
  }
  SmallVector<StringRef> words;
  differences.split(words, ',', -1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    if (word.consume_front("-"))
      features.erase(word);
    else {
      word.consume_front("+");
      features.insert(word);
    }
  }
  return features;
}

static std::string hostFeatures() {
  std::string text;
  for (const auto &feature : sys::getHostCPUFeatures())
    text += (text.empty() ? "" : ",") +
            std::string(feature.second ? "+" : "-") + feature.first().str();
  return text;
}

/// A cache size that the system reports, or the usual one.
static int64_t cacheSize(int name, int64_t usual) {
  long size = sysconf(name);
  return size > 0 ? size : usual;
}

TargetDescription TargetDescription::get(StringRef tripleText, StringRef cpu,
                                         StringRef features) {
  std::string native = sys::getDefaultTargetTriple();
  Triple triple(tripleText.empty() ? StringRef(native) : tripleText);
  bool here = triple.getArch() == Triple(native).getArch() &&
              (cpu == "native" || (cpu.empty() && features.empty()));
  TargetDescription target;
  target.triple = triple.str();
  target.cpu = here ? sys::getHostCPUName().str() : cpu.str();
  std::string differences = features.str();
  if (here)
    differences = hostFeatures() + (features.empty() ? "" : "," + differences);

  StringSet<> available = collectFeatures(triple, target.cpu, differences);
  SmallVector<StringRef> names(available.keys());
  sort(names);
  for (StringRef name : names)
    target.features += (target.features.empty() ? "+" : ",+") + name.str();
  for (const VectorUnit &unit : vectorUnits)
    if (unit.arch == triple.getArch() &&
        (unit.feature.empty() || available.contains(unit.feature))) {
      target.vectorBytes = unit.bytes;
      target.vectorRegs = unit.registers;
      target.fmaPerCycle = unit.fmaPerCycle;
      target.loadsPerCycle = unit.loadsPerCycle;
      target.l2 = unit.l2;
      break;
    }
  if (here) {
    target.l1 = cacheSize(_SC_LEVEL1_DCACHE_SIZE, target.l1);
    target.l2 = cacheSize(_SC_LEVEL2_CACHE_SIZE, target.l2);
    target.cores = std::max(1u, hardware_concurrency().compute_thread_count());
  }
  return target;
}

TargetDescription TargetDescription::host() { return get("", "native", ""); }

} // namespace onnxc::target
