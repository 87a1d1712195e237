//===- DeviceImages.cpp - Images of the kernels of a level ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/NVPTX/DeviceImages.h"

#include "onnxc/Target/IR/Target.h"
#include "onnxc/Target/NVPTX/DeviceCode.h"
#include "onnxc/rt/device.h"

using namespace mlir;

namespace onnxc::target {

static std::string textOf(const CodeFile &file) {
  return {file.bytes.begin(), file.bytes.end()};
}

// PTX ISA, Release Notes: 7.0 to 7.8 came with CUDA 11.0 to 11.8, and 8.0 to
// 8.5 with 12.0 to 12.5.
int64_t driverOf(StringRef ptx) {
  int64_t major = 0, minor = 0;
  StringRef version = ptx.split(".version ").second;
  if (version.consumeInteger(10, major) || !version.consume_front(".") ||
      version.consumeInteger(10, minor))
    return 0;
  return (major + 4) * 1000 + minor * 10;
}

/// PTX becomes a cubin for the GPU that it is for.
static void addCubin(DeviceImages &images, StringRef processor) {
  DeviceImage cubin = images.images.front();
  llvm::Expected<AssembledKernels> assembled =
      assembleKernels(cubin.bytes, processor);
  if (!assembled) {
    images.problem = llvm::toString(assembled.takeError());
    return;
  }
  cubin.kind = ONNXC_IMAGE_CUBIN;
  cubin.bytes = std::move(assembled->cubin);
  images.images.push_back(std::move(cubin));
  images.resources = std::move(assembled->kernels);
}

FailureOr<DeviceImages> makeDeviceImages(ModuleOp module, unsigned level,
                                         bool wantsCubin) {
  DeviceImages images;
  FailureOr<CodeFile> ptx = emitDeviceCode(module, level);
  if (failed(ptx))
    return failure();
  StringRef processor = krnl::TargetAttr::of(module).getCpu();
  auto [capability, isExact] = computeCapability(processor);
  std::string text = textOf(*ptx);
  images.images.push_back(
      {ONNXC_IMAGE_PTX, capability, isExact, text, driverOf(text)});
  if (wantsCubin)
    addCubin(images, processor);
  if (!module->hasAttr(simulatedAttrName))
    return images;
  FailureOr<CodeFile> simulated = emitSimulatedCode(module, level);
  if (failed(simulated))
    return failure();
  images.images.push_back({ONNXC_IMAGE_SIMULATOR, ONNXC_SIMULATOR_CAPABILITY,
                           /*isExact=*/true, textOf(*simulated)});
  return images;
}

std::string nameOf(const DeviceImage &image) {
  if (image.kind == ONNXC_IMAGE_SIMULATOR)
    return "simulator";
  return (Twine(image.kind == ONNXC_IMAGE_PTX ? "PTX sm_" : "cubin sm_") +
          Twine(image.capability) + (image.isExact ? "a" : ""))
      .str();
}

} // namespace onnxc::target
