//===- Target.cpp - From names of a processor to a target ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/Target.h"
#include "onnxc/Support/SimilarName.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

#include <mutex>

using namespace llvm;
using onnxc::krnl::TargetAttr;

namespace onnxc::target {

/// The machines that code is made for, but those of devices:
/// ONNXC_LLVM_TARGETS of the build.
#define ONNXC_EACH_TARGET(DO) DO(AArch64) DO(ARM) DO(RISCV) DO(X86)

static void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
#define ONNXC_INITIALIZE(NAME)                                                 \
  LLVMInitialize##NAME##TargetInfo();                                          \
  LLVMInitialize##NAME##Target();                                              \
  LLVMInitialize##NAME##TargetMC();                                            \
  LLVMInitialize##NAME##AsmPrinter();                                          \
  LLVMInitialize##NAME##AsmParser();
    ONNXC_EACH_TARGET(ONNXC_INITIALIZE)
#undef ONNXC_INITIALIZE
    // PTX is not read by LLVM.
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

bool hasOperatingSystem(const Triple &triple) {
  // "x86_64" alone leaves it open.
  bool isOpen = triple.isArch64Bit() && triple.getOSName() != "none" &&
                triple.getEnvironmentName().empty();
  return triple.getArch() == Triple::UnknownArch || isOpen ||
         !triple.isOSUnknown();
}

static const Target *findTarget(const Triple &triple, std::string &error) {
  initializeTargets();
  return TargetRegistry::lookupTarget(triple, error);
}

/// The features in which this machine differs from others of its kind. Every
/// function that is compiled reads the list.
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

/// The names are LLVM's: this fills in their properties from the table.
static TargetAttr describe(mlir::MLIRContext *context, const Triple &triple,
                           StringRef cpu, StringRef features,
                           const MCSubtargetInfo &info,
                           const ProcessorTable &table) {
  auto isOf = [&](const ProcessorKind &kind) {
    return kind.arch == triple.getArch() && info.checkFeatures(kind.features);
  };
  const auto *family = find_if(
      table.families, [&](const ProcessorFamily &f) { return isOf(f.kind); });
  bool isKnown = family != table.families.end();
  Processor processor = isKnown ? family->processor : Processor();
  if (triple.isArch32Bit())
    processor.indexBits = 32;
  SmallVector<mlir::NamedAttribute> instructions;
  mlir::Builder builder(context);
  StringSet<> seen;
  for (const TargetInstruction &i : table.instructions)
    if (isOf(i.kind) && seen.insert(i.operation).second)
      instructions.push_back(builder.getNamedAttr(
          i.operation, builder.getStringAttr(i.intrinsic)));
  return TargetAttr::get(
      context, isKnown ? StringRef(family->name) : triple.getArchName(),
      triple.str(), cpu, features, processor,
      builder.getDictionaryAttr(instructions));
}

/// The processor's name and features: those of this machine for "native", if it
/// has the architecture, else of a usual one.
static std::pair<std::string, std::string>
chooseProcessor(const Target &target, const Triple &triple, StringRef cpu) {
  Triple host(sys::getDefaultTargetTriple());
  bool native = cpu.empty() || cpu == "native";
  if (native && triple.getArch() == host.getArch()) {
    std::string name = sys::getHostCPUName().str();
    return {name, hostFeatures(target, triple, name)};
  }
  if (!native && cpu != "generic")
    return {cpu.str(), ""};
  std::string name = triple.getArch() == Triple::x86_64 ? "x86-64"
                     : triple.isNVPTX()                 ? "sm_80"
                                                        : "generic";
  // Without them there is no floating-point unit; Linux expects them, and
  // most microcontrollers that networks are for have one.
  if (triple.isRISCV64())
    return {name, "+m,+a,+f,+d,+c"};
  if (triple.getSubArch() == Triple::ARMSubArch_v7em)
    return {name, "+vfp4d16sp"};
  return {name, ""};
}

static Error unknownProcessor(StringRef name, const Triple &triple,
                              const MCSubtargetInfo *info) {
  SimilarName similar(name, /*maxDistance=*/2);
  if (info)
    for (const SubtargetSubTypeKV &known : info->getAllProcessorDescriptions())
      similar.offer(known.Key);
  return createStringError("unknown processor '" + name + "' for " +
                           triple.str() + similar.question());
}

/// An error for a feature that the architecture does not have; LLVM would
/// ignore it.
static Error checkFeatureNames(StringRef features,
                               const MCSubtargetInfo &info) {
  SubtargetFeatures named(features);
  for (const std::string &feature : named.getFeatures()) {
    bool isKnown =
        any_of(info.getAllProcessorFeatures(), [&](const auto &known) {
          return StringRef(known.Key) == StringRef(feature).drop_front();
        });
    if (!isKnown)
      return createStringError("unknown feature '" + feature + "' for " +
                               info.getTargetTriple().str());
  }
  return Error::success();
}

/// Returns true if the processor executes the instructions that a triple such
/// as thumbv7em-none-eabi allows. Processors of Arm have several instruction
/// sets.
static bool executes(const Target &target, const Triple &triple,
                     StringRef cpu) {
  if (!triple.isARM() && !triple.isThumb())
    return true;
  std::unique_ptr<MCSubtargetInfo> allowed(
      target.createMCSubtargetInfo(triple, "", "")),
      own(target.createMCSubtargetInfo(Triple("arm-none-eabi"), cpu, ""));
  return none_of(allowed->getAllProcessorFeatures(), [&](const auto &feature) {
    StringRef name = feature.Key;
    bool isInstructionSet = !name.starts_with("armv") && name != "thumb-mode" &&
                            name != "strict-align";
    return isInstructionSet && allowed->getFeatureBits().test(feature.Value) &&
           !own->getFeatureBits().test(feature.Value);
  });
}

Expected<TargetAttr> resolveTarget(mlir::MLIRContext *context,
                                   StringRef tripleText, StringRef cpu,
                                   StringRef differences,
                                   const ProcessorTable &table) {
  Triple triple(Triple::normalize(tripleText.empty()
                                      ? StringRef(sys::getDefaultTargetTriple())
                                      : tripleText));
  std::string error;
  const Target *target = findTarget(triple, error);
  if (!target)
    return createStringError("unknown target triple '" + triple.str() + "'");
  // The runtime has 64-bit sizes; without an operating system there is none.
  // Weights are written as they are in the model.
  bool isWide = triple.isArch64Bit() || !hasOperatingSystem(triple);
  if (!isWide || !triple.isLittleEndian() || !triple.isOSBinFormatELF())
    return createStringError("no code is made for '" + triple.str() +
                             "': machines have 64 bits or no operating system, "
                             "the low byte first, and ELF files");
  auto [name, features] = chooseProcessor(*target, triple, cpu);
  if (!differences.empty())
    features += (features.empty() ? "" : ",") + differences.str();
  std::unique_ptr<MCSubtargetInfo> info(
      target->createMCSubtargetInfo(triple, "", ""));
  if (!info || !info->isCPUStringValid(name))
    return unknownProcessor(name, triple, info.get());
  if (Error error = checkFeatureNames(differences, *info))
    return std::move(error);
  if (name != "generic" && !executes(*target, triple, name))
    return createStringError(
        "the processor '" + name + "' does not execute all instructions of " +
        triple.str() + ": use another triple or processor");
  info.reset(target->createMCSubtargetInfo(triple, name, features));
  return describe(context, triple, name, features, *info, table);
}

/// What follows "cuda:", without ",cpu"; empty for "cuda".
static StringRef processorsOfDevice(StringRef device) {
  device.consume_back(",cpu");
  return device.split(':').second;
}

bool hasProcessor(StringRef device) { return device.ends_with("cpu"); }

static constexpr StringRef simulator = "simulator";

bool isSimulated(StringRef device) {
  return processorsOfDevice(device).split(':').first == simulator;
}

std::pair<int64_t, bool> computeCapability(StringRef processor) {
  processor.consume_front("sm_");
  int64_t capability = 0;
  bool isExact = processor.consumeInteger(10, capability) || !processor.empty();
  return {capability, isExact};
}

static constexpr StringRef deviceTriple = "nvptx64-nvidia-cuda";

/// The processors of "cuda": code for all GPUs that kernels run on, and for
/// those of the table whose code runs nowhere else.
static SmallVector<StringRef> usualDevices() {
  SmallVector<StringRef> names{"generic"};
  for (const ProcessorFamily &family : processorTable().families) {
    StringRef name = family.kind.features;
    if (family.kind.arch == Triple(deviceTriple).getArch() &&
        name.consume_front("+") && computeCapability(name).second)
      names.push_back(name);
  }
  return names;
}

/// "cuda:sm_90a,sm_80" has them by name. The simulator alone has the empty one,
/// which is the generic one.
static SmallVector<StringRef> namesOfDevice(StringRef device) {
  StringRef processors = processorsOfDevice(device);
  if (isSimulated(device))
    processors = processors.split(':').second;
  else if (processors.empty())
    return usualDevices();
  SmallVector<StringRef> names;
  processors.split(names, ',');
  return names;
}

Expected<SmallVector<TargetAttr>> resolveDevices(mlir::MLIRContext *context,
                                                 StringRef device) {
  SmallVector<TargetAttr> targets;
  Expected<TargetAttr> minimum =
      resolveTarget(context, deviceTriple, "generic", "");
  if (!minimum)
    return minimum.takeError();
  for (StringRef name : namesOfDevice(device)) {
    Expected<TargetAttr> target =
        resolveTarget(context, deviceTriple, name, "");
    if (!target)
      return target.takeError();
    // The emission assumes what the generic one has.
    if (computeCapability(target->getCpu()) <
        computeCapability(minimum->getCpu()))
      return createStringError("'" + device + "' names '" + name +
                               "', but kernels need " + minimum->getCpu() +
                               " or later");
    if (is_contained(targets, *target))
      return createStringError("'" + device + "' names the device '" + name +
                               "' twice");
    targets.push_back(*target);
  }
  llvm::sort(targets, [](TargetAttr a, TargetAttr b) {
    return computeCapability(a.getCpu()) < computeCapability(b.getCpu());
  });
  return targets;
}

TargetAttr withReducedProducts(TargetAttr target) {
  mlir::NamedAttrList instructions(target.getInstructions());
  mlir::Builder builder(target.getContext());
  for (auto [rounded, whole] :
       {std::pair("mma_tf32", "mma_f32_x8"), {"wgmma_tf32", "wgmma_f32_x8"}})
    if (StringRef name = target.getInstruction(rounded, 8); !name.empty())
      instructions.set(whole, builder.getStringAttr(name));
  return TargetAttr::get(target.getContext(), target.getFamily(),
                         target.getTriple(), target.getCpu(),
                         target.getFeatures(), target.getProcessor(),
                         instructions.getDictionary(target.getContext()));
}

bool hasDevice(mlir::ModuleOp module) {
  return module->hasAttr(TargetAttr::hostAttrName);
}

TargetAttr hostTarget(mlir::ModuleOp module) {
  auto host = module->getAttrOfType<TargetAttr>(TargetAttr::hostAttrName);
  return host ? host : TargetAttr::of(module);
}

Expected<SmallVector<TargetAttr>> resolveTargets(mlir::MLIRContext *context,
                                                 StringRef triple,
                                                 StringRef cpus,
                                                 StringRef differences) {
  SmallVector<TargetAttr> targets;
  if (Triple(Triple::normalize(triple)).isNVPTX())
    return createStringError("'" + triple +
                             "' is a device: use --device=cuda instead");
  // How many features the code of each may use, and its number.
  SmallVector<std::pair<size_t, size_t>> order;
  SmallVector<StringRef> names;
  cpus.split(names, ',');
  for (StringRef name : names) {
    if (name.empty() && names.size() > 1)
      return createStringError("expected names of processors, but got '" +
                               cpus + "'");
    Expected<TargetAttr> target =
        resolveTarget(context, triple, name, differences);
    if (!target)
      return target.takeError();
    if (any_of(targets,
               [&](TargetAttr t) { return t.getCpu() == target->getCpu(); }))
      return createStringError("'" + cpus + "' names the processor '" +
                               target->getCpu() + "' twice");
    size_t features = StringRef(requiredFeatures(*target)).count(',');
    order.push_back({features, targets.size()});
    targets.push_back(*target);
  }
  llvm::sort(order);
  return map_to_vector(order, [&](auto at) { return targets[at.second]; });
}

std::string processorNames(ArrayRef<TargetAttr> targets) {
  return join(map_range(targets, [](TargetAttr t) { return t.getCpu(); }), ",");
}

std::unique_ptr<TargetMachine> createTargetMachine(TargetAttr names,
                                                   unsigned level) {
  std::string error;
  Triple triple(names.getTriple());
  const Target *target = findTarget(triple, error);
  assert(target && "not a target of resolveTarget");
  TargetOptions options;
  options.UseInitArray = true; // lld runs no .ctors
  options.FunctionSections = true;
  options.DataSections = true;
  std::unique_ptr<MCSubtargetInfo> info(target->createMCSubtargetInfo(
      triple, names.getCpu(), names.getFeatures()));
  // The convention that the runtime and libm have.
  if (triple.isRISCV64() && info->checkFeatures("+d"))
    options.MCOptions.ABIName = "lp64d";
  CodeGenOptLevel levels[] = {CodeGenOptLevel::None, CodeGenOptLevel::Less,
                              CodeGenOptLevel::Default,
                              CodeGenOptLevel::Aggressive};
  // A program without an operating system has its own linker put it somewhere.
  Reloc::Model relocations =
      hasOperatingSystem(triple) ? Reloc::PIC_ : Reloc::Static;
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      triple, names.getCpu(), names.getFeatures(), options, relocations,
      std::nullopt, levels[std::min(level, 3u)]));
}

/// Features that compilers use only for an intrinsic.
static bool appearsInCode(StringRef feature) {
  return !feature.starts_with("amx") && feature != "vaes" &&
         feature != "vpclmulqdq" && feature != "adx" &&
         feature != "avx512vp2intersect";
}

std::string requiredFeatures(TargetAttr target) {
  std::unique_ptr<TargetMachine> created = createTargetMachine(target, 0);
  const MCSubtargetInfo &info = *created->getMCSubtargetInfo();
  // Tuning hints have upper-case or long names that no check has; only the
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
