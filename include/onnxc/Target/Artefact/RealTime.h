//===- RealTime.h - Entry point of a real-time model -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A module that krnl-check-real-time has passed needs little of a runtime, and
// nothing of a system: its object has the hooks of onnxc/rt/hooks.h itself, and
// one function for programs to call:
//
//   int32_t NAME_run(void *memory, const NAME_inputs *, const NAME_outputs *);
//
// whose structs are arrays of pointers, one for each tensor. Its header calls
// it by a second name (nameForHeader).
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_ARTEFACT_REALTIME_H
#define ONNXC_TARGET_ARTEFACT_REALTIME_H

#include "onnxc/Target/CPU/Emit.h"

namespace onnxc::target {

/// The memory of one run: arena, scratch, and a pointer to the message of an
/// error, in this order.
struct RealTimeMemory {
  static constexpr int64_t alignment = 64;
  int64_t scratchOffset = 0, messageOffset = 0, bytes = 0;
};
/// The memory of one run of the entry point in `module`, a module of
/// krnl-check-real-time.
RealTimeMemory realTimeMemory(mlir::ModuleOp module);

/// An object file that defines NAME_run with both names and the hooks, and has
/// room for the weights as that of emitDescriptor; level as for emitCode.
/// Diagnoses a module that calls another hook.
mlir::FailureOr<CodeFile> emitRealTimeEntry(mlir::ModuleOp module,
                                            llvm::StringRef name,
                                            int64_t weightsBytes,
                                            unsigned level);

} // namespace onnxc::target

#endif // ONNXC_TARGET_ARTEFACT_REALTIME_H
