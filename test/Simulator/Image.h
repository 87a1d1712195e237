//===- Image.h - A simulated image that is loaded ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TEST_SIMULATOR_IMAGE_H
#define ONNXC_TEST_SIMULATOR_IMAGE_H

#include "Simulator.h"

#include <memory>

namespace onnxc::simulator {

/// A shared object with kernels, loaded from memory. Beside each kernel it
/// defines the 32-bit number of its parameters, sim_parameters_NAME, and
/// sim_maps_NAME, that of maps of tensors after them, if there are any, and
/// sim_cluster_NAME, that of blocks of a cluster, if these are several; its
/// section sim_shared is static shared memory. A cubin of the tests is one that
/// names the machine of cubins, EM_CUDA.
class Image {
public:
  /// Is it code for one GPU, whose toolkit a driver may be too old for?
  static bool isCubin(const void *code);
  /// Null, with the reason, if the dynamic linker refuses it.
  static std::unique_ptr<Image> load(const void *code, std::string &problem);
  ~Image();
  Image(const Image &) = delete;
  Image &operator=(const Image &) = delete;

  struct Kernel {
    std::string name;
    void *function;
    int32_t parameters, maps, cluster;
    Span shared;
    /// Dynamic shared memory that its launches may ask for.
    unsigned sharedBytesLimit = freeSharedBytes;
  };
  /// Null if there is none of this name. Lives as long as the image.
  Kernel *find(const char *name);

private:
  Image() = default;
  /// The file, open while it is loaded: its name is that of no other image.
  int file = -1;
  void *handle = nullptr;
  Span shared;
  std::vector<std::unique_ptr<Kernel>> kernels;
};

} // namespace onnxc::simulator

#endif // ONNXC_TEST_SIMULATOR_IMAGE_H
