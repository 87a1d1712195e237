//===- DeviceModel.cpp - A model by hand whose kernels run on a GPU -------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "DeviceModel.h"

#include "HostPrograms.h"
#include "ModelKernels.h"

#include "onnxc/rt/model.h"

#include <elf.h>
#include <fstream>
#include <iterator>
#include <vector>

namespace {

const OnnxcDeviceConstant constants[] = {{64, kAddends * 4, 256}};

/// All that descriptors point to and that no constant can be.
struct Model {
  Model() {
    std::ifstream file(ONNXC_TEST_IMAGE, std::ios::binary);
    image.assign(std::istreambuf_iterator<char>(file), {});
    for (size_t i = 0; i < kAddends; ++i)
      weights[16 + i] = modelWeight(i);
    auto bytes = int64_t(image.size());
    images[0] = {ONNXC_IMAGE_SIMULATOR,
                 ONNXC_SIMULATOR_CAPABILITY,
                 0,
                 0,
                 image.data(),
                 bytes};
    // The simulated driver takes it for what it is.
    images[1] = {ONNXC_IMAGE_PTX, 80, 0, 12000, image.data(), bytes};
    cubin = image;
    reinterpret_cast<Elf64_Ehdr *>(cubin.data())->e_machine = EM_CUDA;
    images[2] = {ONNXC_IMAGE_CUBIN, 90, 1, 12000, cubin.data(), bytes};
    images[3] = {ONNXC_IMAGE_CUBIN, 80, 0, 0, cubin.data(), bytes};
    images[4] = {ONNXC_IMAGE_CUBIN, 87, 0, 0, cubin.data(), bytes};
    for (int i = 0; i < 4; ++i)
      code[i] = {&onnxc_device_runtime,
                 int64_t(std::size(images)),
                 images,
                 kNumKernels,
                 modelKernels,
                 1,
                 constants,
                 256 + kAddends * 4,
                 kNumErrors,
                 modelErrors,
                 deviceStates[i]};
    // Without maps of tensors.
    code[2].numKernels = Boxes;
    // For GPUs of one capability alone.
    code[3].images = &images[2];
    code[3].numImages = 1;
    levels[0] = {"cuda", nullptr, modelEntries, &code[0]};
    eitherLevels[0] = {"base", nullptr, eitherHostEntries, nullptr};
    eitherLevels[1] = {"cuda", nullptr, eitherEntries, &code[1]};
    bestLevels[0] = {"sm_80", nullptr, bestOlderEntries, &code[2]};
    bestLevels[1] = {"sm_90a", nullptr, bestEntries, &code[3]};
    models[0] = model(kNumEntries, 1, levels, states[0]);
    models[1] = model(1, 2, eitherLevels, states[1]);
    models[2] = model(1, 2, bestLevels, states[2]);
    for (const OnnxcModel &each : models)
      onnxc_rt_register(&each);
  }

  OnnxcModel model(size_t numEntries, int64_t numLevels,
                   const OnnxcLevel *levels, void *state) {
    return {ONNXC_RT_ABI,   int64_t(numEntries),
            numLevels,      levels,
            "{}",           weights,
            sizeof weights, nullptr,
            nullptr,        0,
            nullptr,        nullptr,
            state};
  }

  std::vector<char> image, cubin;
  float weights[16 + kAddends] = {};
  OnnxcDeviceImage images[5];
  OnnxcDeviceCode code[4];
  OnnxcLevel levels[1], eitherLevels[2], bestLevels[2];
  OnnxcModel models[3];
  int64_t states[3][ONNXC_MODEL_STATE_BYTES / 8] = {};
  int64_t deviceStates[4][ONNXC_DEVICE_STATE_BYTES / 8] = {};
};

Model theModel;

} // namespace
