//===- DeviceTools.h - Programs of the CUDA toolkit ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A compilation needs none of them: drivers read PTX. They are found in PATH,
// or in the folder bin of CUDA_HOME, else of /usr/local/cuda.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_NVPTX_DEVICETOOLS_H
#define ONNXC_TARGET_NVPTX_DEVICETOOLS_H

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace onnxc::target {

/// The resources of a kernel, as ptxas reports it: registers of a thread, bytes
/// of its stack and of the registers that it keeps there, and bytes of shared
/// memory of a block. Products of warpgroups that ptxas serializes wait for
/// each other.
struct KernelResources {
  std::string name;
  int64_t registers = 0, stackBytes = 0, spilledBytes = 0, sharedBytes = 0;
  bool isSerialized = false;
};

/// Code of kernels for one GPU, and what they take.
struct AssembledKernels {
  std::string cubin;
  std::vector<KernelResources> kernels;
};

/// A program of the toolkit is not installed. The message says how to get it.
class MissingProgram
    : public llvm::ErrorInfo<MissingProgram, llvm::StringError> {
public:
  static char ID;
  using ErrorInfo::ErrorInfo;
};

/// Fails if ptxas is not installed. The error says how to get it.
llvm::Error checkAssembler();

/// Assembles PTX for a processor such as sm_90a by ptxas. Fails with
/// MissingProgram without it, and with its message if it refuses the text.
llvm::Expected<AssembledKernels> assembleKernels(llvm::StringRef ptx,
                                                 llvm::StringRef processor);

/// The instructions of a cubin, by nvdisasm. Fails with MissingProgram without
/// it.
llvm::Expected<std::string> disassembleKernels(llvm::StringRef cubin);

} // namespace onnxc::target

#endif // ONNXC_TARGET_NVPTX_DEVICETOOLS_H
