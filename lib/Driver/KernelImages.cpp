//===- KernelImages.cpp - Images of kernels for devices --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelImages.h"

#include "onnxc/Report/Layers.h"

#include "mlir/IR/Threading.h"
#include "onnxc/Target/IR/Target.h"
#include "onnxc/rt/device.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::target;

namespace {

/// What the output has of each level's kernels.
struct Kinds {
  bool ptx, cubin;
};

} // namespace

static Kinds kindsOf(const CompileOptions &options) {
  if (options.emitsKernels())
    return {options.emit == "ptx", options.emit == "sass"};
  if (options.emit == "asm")
    return {false, false};
  bool isBoth = options.cudaCode == "both",
       isCubin = options.cudaCode == "cubin";
  return {!isCubin, isBoth || isCubin};
}

/// Makes all that the output or the report has.
static LogicalResult makeAll(ArrayRef<ModuleOp> levels, Kinds kinds,
                             ArtefactInputs &inputs) {
  inputs.deviceImages.resize(levels.size());
  return failableParallelForEachN(
      ModuleOp(levels.front()).getContext(), 0, levels.size(),
      [&](size_t i) -> LogicalResult {
        bool isReported = inputs.report.nodes.isKnown && i + 1 == levels.size();
        bool isWanted = kinds.ptx || kinds.cubin || isReported;
        if (!hasDevice(levels[i]) || !isWanted)
          return success();
        FailureOr<DeviceImages> images = makeDeviceImages(
            levels[i], inputs.options.level, kinds.cubin || isReported);
        if (failed(images))
          return failure();
        inputs.deviceImages[i] = std::move(*images);
        return success();
      });
}

/// Notes why the first level without a cubin has none: drivers compile PTX
/// then. Fails if the artefact has no PTX.
static llvm::Error explainNoCubin(ArrayRef<ModuleOp> levels, Kinds kinds,
                                  const ArtefactInputs &inputs) {
  if (!kinds.cubin)
    return llvm::Error::success();
  for (auto [level, images] : llvm::zip(levels, inputs.deviceImages)) {
    if (images.problem.empty())
      continue;
    std::string problem = "no cubin for " +
                          krnl::TargetAttr::of(level).getCpu().str() + ": " +
                          images.problem;
    if (!kinds.ptx)
      return llvm::createStringError(problem);
    if (inputs.events.message)
      inputs.events.message({Severity::Note, "", problem});
    break;
  }
  return llvm::Error::success();
}

llvm::Error onnxc::makeKernelImages(ArrayRef<ModuleOp> levels,
                                    ArtefactInputs &inputs) {
  Kinds kinds = kindsOf(inputs.options);
  if (failed(makeAll(levels, kinds, inputs)))
    return llvm::createStringError("cannot make code");
  if (llvm::Error error = explainNoCubin(levels, kinds, inputs))
    return error;
  if (inputs.report.nodes.isKnown && hasDevice(levels.back()))
    collectKernels(levels.back(), inputs.deviceImages.back().resources,
                   inputs.report);
  for (DeviceImages &level : inputs.deviceImages) {
    llvm::erase_if(level.images, [&](const DeviceImage &image) {
      return (image.kind == ONNXC_IMAGE_PTX && !kinds.ptx) ||
             (image.kind == ONNXC_IMAGE_CUBIN && !kinds.cubin);
    });
    for (const DeviceImage &image : level.images)
      inputs.report.device.images.push_back(
          {nameOf(image), int64_t(image.bytes.size())});
  }
  return llvm::Error::success();
}
