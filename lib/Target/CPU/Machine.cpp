//===- Machine.cpp - The processor that code is made for -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/CPU/Machine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

#include <mutex>

using namespace llvm;

namespace onnxc::target {

static void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    InitializeAllTargetInfos();
    InitializeAllTargets();
    InitializeAllTargetMCs();
    InitializeAllAsmPrinters();
    InitializeAllAsmParsers();
  });
}

static const Target *findTarget(const Triple &triple, std::string &error) {
  initializeTargets();
  return TargetRegistry::lookupTarget(triple, error);
}

/// What this machine has more or less than others of its kind. Every function
/// that is compiled reads the list.
static std::string hostFeatures(const Target &target, const Triple &triple,
                                StringRef cpu) {
  std::unique_ptr<MCSubtargetInfo> kind(
      target.createMCSubtargetInfo(triple, cpu, ""));
  StringMap<bool> usual;
  if (kind)
    for (const SubtargetFeatureKV &feature : kind->getAllProcessorFeatures())
      usual[feature.Key] = kind->getFeatureBits().test(feature.Value);
  SubtargetFeatures features;
  StringMap<bool> map = sys::getHostCPUFeatures();
  SmallVector<StringRef> names(map.keys());
  llvm::sort(names);
  for (StringRef name : names) {
    auto known = usual.find(name);
    if (known == usual.end() || known->second != map.lookup(name))
      features.AddFeature(name, map.lookup(name));
  }
  return features.getString();
}

Expected<Machine> resolveMachine(StringRef triple, StringRef cpu,
                                 StringRef features, unsigned level) {
  Machine machine;
  machine.level = level;
  machine.triple = Triple::normalize(
      triple.empty() ? StringRef(sys::getDefaultTargetTriple()) : triple);
  Triple parsed(machine.triple);
  std::string error;
  const Target *target = findTarget(parsed, error);
  if (!target)
    return createStringError("unknown target triple '" + machine.triple + "'");
  // What the program and the runtime know of each other are 64-bit sizes, and
  // weights are written as they are in the model.
  if (!parsed.isArch64Bit() || !parsed.isLittleEndian() ||
      !parsed.isOSBinFormatELF())
    return createStringError("no code is made for '" + machine.triple +
                             "': machines have 64 bits, the low byte first, "
                             "and ELF files");
  Triple host(sys::getDefaultTargetTriple());
  bool native = cpu.empty() || cpu == "native";
  if (native && parsed.getArch() == host.getArch()) {
    machine.cpu = sys::getHostCPUName().str();
    machine.features = hostFeatures(*target, parsed, machine.cpu);
  } else if (native || cpu == "generic") {
    machine.cpu = parsed.getArch() == Triple::x86_64 ? "x86-64" : "generic";
  } else {
    machine.cpu = cpu.str();
  }
  if (!features.empty())
    machine.features += (machine.features.empty() ? "" : ",") + features.str();
  std::unique_ptr<MCSubtargetInfo> info(
      target->createMCSubtargetInfo(parsed, "", ""));
  if (!info || !info->isCPUStringValid(machine.cpu))
    return createStringError("unknown processor '" + machine.cpu + "' for " +
                             machine.triple);
  return machine;
}

std::unique_ptr<TargetMachine> createTargetMachine(const Machine &machine) {
  std::string error;
  Triple triple(machine.triple);
  const Target *target = findTarget(triple, error);
  assert(target && "not a machine of resolveMachine");
  TargetOptions options;
  options.UseInitArray = true; // lld runs no .ctors
  options.FunctionSections = true;
  options.DataSections = true;
  CodeGenOptLevel levels[] = {CodeGenOptLevel::None, CodeGenOptLevel::Less,
                              CodeGenOptLevel::Default,
                              CodeGenOptLevel::Aggressive};
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      triple, machine.cpu, machine.features, options, Reloc::PIC_, std::nullopt,
      levels[std::min(machine.level, 3u)]));
}

/// Features that compilers do not use unless told to by an intrinsic.
static bool appearsInCode(StringRef feature) {
  return !feature.starts_with("amx") && feature != "vaes" &&
         feature != "vpclmulqdq" && feature != "adx" &&
         feature != "avx512vp2intersect";
}

std::string requiredFeatures(const Machine &machine) {
  std::unique_ptr<TargetMachine> created = createTargetMachine(machine);
  const MCSubtargetInfo &info = *created->getMCSubtargetInfo();
  // Tuning hints have upper-case or long names that no check knows; only the
  // instruction sets are kept.
  SmallVector<std::string> enabled;
  for (const SubtargetFeatureKV &feature : info.getAllProcessorFeatures()) {
    StringRef name = feature.Key;
    bool isTuning = name.starts_with("tuning") || name.contains("fast") ||
                    name.contains("slow") || name.contains("prefer") ||
                    name.contains("false-deps") || name.contains("fusion") ||
                    name.contains("64bit") || name.starts_with("idiv") ||
                    name.starts_with("no-") || name.starts_with("allow") ||
                    name.starts_with("use-") || name.starts_with("vzero") ||
                    name.starts_with("sbb");
    if (!isTuning && appearsInCode(name) &&
        info.getFeatureBits().test(feature.Value))
      enabled.push_back("+" + name.str());
  }
  llvm::sort(enabled);
  return join(enabled, ",");
}

} // namespace onnxc::target
