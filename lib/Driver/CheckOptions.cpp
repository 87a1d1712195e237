//===- CheckOptions.cpp - Options that go together --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "CheckOptions.h"

#include "RunBudget.h"
#include "onnxc/Driver/Outputs.h"
#include "onnxc/Pipeline/RuntimeFolder.h"

#include "onnxc/Pipeline/Phases.h"
#include "onnxc/Support/NewFile.h"
#include "onnxc/Target/Artefact/Link.h"
#include "onnxc/Target/NVPTX/DeviceTools.h"
#include "onnxc/Target/Target.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace onnxc;

CompileOptions onnxc::completeOptions(const Input &input,
                                      const CompileOptions &options) {
  CompileOptions result = options;
  bool loadsObjects = target::hasOperatingSystem(
      llvm::Triple(llvm::Triple::normalize(options.triple)));
  if (result.emit.empty())
    result.emit = loadsObjects ? "lib" : "static";
  if (result.output.empty())
    result.output = defaultOutput(input, result);
  else if (llvm::sys::path::is_separator(result.output.back()))
    if (std::string name = defaultOutput(input, result); name != "-")
      result.output += llvm::sys::path::filename(name);
  result.realTime |= !loadsObjects;
  result.explainNodes |= hasRunBudget(options) || !options.times.empty();
  return result;
}

/// The output of --emit=, in words.
static StringRef resultOf(StringRef emit) {
  return emit == "lib"       ? "a shared object"
         : emit == "obj"     ? "an object file"
         : emit == "static"  ? "a static library"
         : emit == "asm"     ? "assembly"
         : emit == "ptx"     ? "PTX"
         : emit == "sass"    ? "instructions of a GPU"
         : emit == modelKind ? "a model"
                             : "text";
}

llvm::Error onnxc::checkOutputName(const CompileOptions &options) {
  StringRef name = options.output;
  if (name == "-" && options.emitRecipes == "-")
    return llvm::createStringError("the output and the recipes both go to the "
                                   "standard output: give one of them a file");
  if (llvm::sys::path::is_separator(name.back()))
    return llvm::createStringError("--emit=" + options.emit + " writes " +
                                   resultOf(options.emit) + ", but '" + name +
                                   "' is a folder");
  StringRef promised = name.ends_with(".so")     ? "lib"
                       : name.ends_with(".onnx") ? StringRef(modelKind)
                                                 : StringRef(options.emit);
  if (promised == options.emit)
    return llvm::Error::success();
  return llvm::createStringError("--emit=" + options.emit + " writes " +
                                 resultOf(options.emit) + ", but '" + name +
                                 "' is the name of " + resultOf(promised));
}

llvm::Error onnxc::checkSideFiles(const CompileOptions &options) {
  bool hasEntry = options.emit == "lib" || options.emit == "obj" ||
                  options.emit == "static";
  bool hasWeights = hasEntry || options.emit == modelKind;
  std::tuple<bool, bool, StringRef, StringRef> files[] = {
      {options.emitHeader, hasEntry, "a header", "--emit-header"},
      {options.externalWeights, hasWeights, "a file of weights",
       "--weights=external"}};
  for (const auto &[isGiven, isWritten, file, option] : files)
    if (isGiven && !isWritten)
      return llvm::createStringError("--emit=" + options.emit + " writes " +
                                     resultOf(options.emit) + " without " +
                                     file + ": omit " + option +
                                     ", or use --emit=lib, obj or static");
  return llvm::Error::success();
}

llvm::Error onnxc::resolveTargets(MLIRContext *context,
                                  const CompileOptions &options,
                                  SmallVectorImpl<krnl::TargetAttr> &targets,
                                  SmallVectorImpl<krnl::TargetAttr> &levels) {
  auto processors = target::resolveTargets(context, options.triple, options.cpu,
                                           options.features);
  if (!processors)
    return processors.takeError();
  targets.assign(processors->begin(), processors->end());
  if (!options.hasDevice() || target::hasProcessor(options.device))
    levels.append(targets.begin(), targets.end());
  if (!options.hasDevice())
    return llvm::Error::success();
  auto devices = target::resolveDevices(context, options.device);
  if (!devices)
    return devices.takeError();
  levels.append(devices->begin(), devices->end());
  return llvm::Error::success();
}

llvm::Expected<SmallVector<krnl::TargetAttr>>
onnxc::targetsOfModules(ModuleOp module, StringRef path,
                        ArrayRef<krnl::TargetAttr> targets) {
  SmallVector<krnl::TargetAttr> known;
  SmallVector<ModuleOp> levels = targetModules(module);
  for (ModuleOp nested : levels) {
    auto own =
        nested->getAttrOfType<krnl::TargetAttr>(krnl::TargetAttr::attrName);
    if (!own && levels.size() == 1 && targets.size() == 1)
      nested->setAttr(krnl::TargetAttr::attrName, own = targets.front());
    if (!own)
      return llvm::createStringError(
          "a module in '" + path +
          "' names no target; --cpu gives it one only where there is one "
          "module and one processor");
    if (own.getProcessor().isDevice())
      return llvm::createStringError(
          "the kernels in '" + path + "' are for " + own.getTriple() +
          "; only those of processors can be resumed");
    if (own.getTriple().empty())
      return llvm::createStringError("the target of a module in '" + path +
                                     "' has no triple");
    auto resolved = target::resolveTarget(module.getContext(), own.getTriple(),
                                          own.getCpu(), own.getFeatures());
    if (!resolved)
      return resolved.takeError();
    if (!known.empty() && known.front().getTriple() != own.getTriple())
      return llvm::createStringError("the levels in '" + path +
                                     "' are of different architectures");
    known.push_back(own);
  }
  return known;
}

/// Found before the work that it is needed for in the end.
static llvm::Error checkRuntimeFor(const CompileOptions &options,
                                   krnl::TargetAttr target) {
  std::string folder = findRuntimeFor(options, target.getTriple());
  if (folder.empty())
    return llvm::createStringError(
        "cannot find onnxc_rt.o beside the compiler; "
        "use --runtime-dir");
  return target::checkRuntime(folder, target);
}

llvm::Error onnxc::checkSharedObject(const CompileOptions &options,
                                     krnl::TargetAttr target) {
  if (options.emit != "lib")
    return llvm::Error::success();
  StringRef triple = target.getTriple();
  if (!target::hasOperatingSystem(llvm::Triple(triple)))
    return llvm::createStringError("'" + triple +
                                   "' has no operating system that loads a "
                                   "shared object: omit --emit=lib, or use "
                                   "--emit=obj, and link the model");
  return checkRuntimeFor(options, target);
}

/// Refuses options that do not go together with a device, or need one.
static llvm::Error checkDevice(const CompileOptions &options) {
  std::pair<bool, std::string> with[] = {
      {options.tf32, "--tf32 is for the products of a GPU"},
      {!options.cudaCode.empty(), "--cuda-code is about the kernels of a GPU"},
      {options.emitsKernels(),
       "--emit=" + options.emit + " writes the kernels of a GPU"}};
  for (const auto &[isGiven, what] : with)
    if (isGiven && !options.hasDevice())
      return llvm::createStringError(what + ": use --device=cuda");
  if (!options.hasDevice())
    return llvm::Error::success();
  std::pair<bool, std::string> without[] = {
      {options.realTime,
       "--realtime: the driver of a GPU calls the system in a run"},
      {!options.resume.empty(),
       "--resume: the phases of kernels of a GPU are not resumed; compile the "
       "model"}};
  for (const auto &[isGiven, name] : without)
    if (isGiven)
      return llvm::createStringError("--device=" + options.device +
                                     " does not go together with " + name);
  if (options.cudaCode == "cubin" || options.emit == "sass")
    return target::checkAssembler();
  return llvm::Error::success();
}

/// Recipes of several levels are written at the same time.
static llvm::Error checkRecipeFiles(const CompileOptions &options,
                                    ArrayRef<krnl::TargetAttr> levels) {
  if (levels.size() > 1)
    for (StringRef file : {options.recipes, options.emitRecipes})
      if (file == "-" || isStream(file))
        return llvm::createStringError(
            "recipes of " + target::processorNames(levels) +
            " are in a file of each, but '" + file + "' is none");
  return llvm::Error::success();
}

llvm::Error onnxc::checkTargets(const CompileOptions &options,
                                ArrayRef<krnl::TargetAttr> targets,
                                ArrayRef<krnl::TargetAttr> levels) {
  bool isObject = options.emit == "obj" || options.emit == "static";
  if (llvm::Error error = checkDevice(options))
    return error;
  if (llvm::Error error = checkRecipeFiles(options, levels))
    return error;
  if (options.refit && (options.emit != "lib" || !options.resume.empty()))
    return llvm::createStringError(
        "--refit is for a model that becomes a shared object, with neither "
        "--emit nor --resume");
  if (options.profile && options.realTime && isObject)
    return llvm::createStringError(
        "an object for real-time runs has no runtime that observes launches, "
        "but --profile is given");
  if (targets.size() > 1 && options.realTime && isObject)
    return llvm::createStringError(
        "an object for real-time runs has no runtime that chooses between "
        "processors, but --cpu names several");
  return checkSharedObject(options, targets.front());
}
