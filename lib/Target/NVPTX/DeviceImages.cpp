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

namespace {
/// The versions, as 10 * major + minor.
struct Release {
  int64_t ptx, cuda;
};
} // namespace

/// The release of CUDA that a version of PTX came with. Source: PTX ISA,
/// "Release Notes", table of the release history.
static constexpr Release releases[] = {
    {60, 90},  {61, 91},  {62, 92},  {63, 100}, {64, 101}, {65, 102}, {70, 110},
    {71, 111}, {72, 112}, {73, 113}, {74, 114}, {75, 115}, {76, 116}, {77, 117},
    {78, 118}, {80, 120}, {81, 121}, {82, 122}, {83, 123}, {84, 124}, {85, 125},
    {86, 127}, {87, 128}, {88, 129}, {90, 130}, {91, 131}};

int64_t driverOf(StringRef ptx) {
  int64_t major = 0, minor = 0;
  StringRef version = ptx.split(".version ").second;
  if (version.consumeInteger(10, major) || !version.consume_front(".") ||
      version.consumeInteger(10, minor) || minor > 9)
    return 0;
  for (const Release &release : releases)
    if (release.ptx / 10 == major && release.ptx % 10 == minor)
      return release.cuda / 10 * 1000 + release.cuda % 10 * 10;
  return 0;
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
  // That of its toolkit, whose version the file does not tell. A driver that is
  // too old refuses it, and takes the PTX.
  cubin.driver = 0;
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
