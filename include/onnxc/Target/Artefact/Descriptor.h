//===- Descriptor.h - Descriptor of an artefact ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_ARTEFACT_DESCRIPTOR_H
#define ONNXC_TARGET_ARTEFACT_DESCRIPTOR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "onnxc/Target/Artefact/Weights.h"
#include "onnxc/Target/CPU/Emit.h"
#include "onnxc/Target/NVPTX/DeviceImages.h"

namespace onnxc::target {

/// The contents of the descriptor beside the entry point's own attributes.
struct ModelInfo {
  /// The tag of the entry point run_main_graph_TAG; empty: run_main_graph.
  std::string tag;
  /// JSON object with compiler, options, target, model.
  std::string compilationInfo;
  /// The images of each level, whether or not it has a device.
  llvm::ArrayRef<DeviceImages> deviceImages;
  int64_t weightsBytes = 0;
  /// Name of the side file; empty if the weights are embedded.
  std::string weightsFile;
  /// BLAKE3 of the side file's weights.
  WeightsDigest weightsDigest = {};
  /// The address of the weights for code that this process runs itself; null
  /// for artefacts.
  const void *weightsHere = nullptr;
};

/// Attributes of the host function that describe the entry point: arrays of
/// {name, type, dims}, `type` being the type in the onnx dialect.
inline constexpr llvm::StringLiteral inputsAttrName = "krnl.inputs";
inline constexpr llvm::StringLiteral outputsAttrName = "krnl.outputs";
/// Bytes of the planned arena, and the largest scratch of one worker.
inline constexpr llvm::StringLiteral arenaAttrName = "krnl.arena_bytes";
inline constexpr llvm::StringLiteral arenaFormulaAttrName =
    "krnl.arena_formula";
inline constexpr llvm::StringLiteral scratchAttrName = "krnl.scratch_bytes";

/// The signature of the established API for inputs or outputs, as JSON.
std::string signatureText(mlir::ArrayAttr arguments);

/// An object file that defines and registers `onnxc_model` (runtime's
/// onnxc/rt/model.h) for the entry points in `modules`, one for each level as
/// in resolveTargets, and the functions whose names end with the tag; level as
/// for emitCode. Diagnoses a module without an entry point.
mlir::FailureOr<CodeFile> emitDescriptor(llvm::ArrayRef<mlir::ModuleOp> modules,
                                         const ModelInfo &info, unsigned level);

} // namespace onnxc::target

#endif // ONNXC_TARGET_ARTEFACT_DESCRIPTOR_H
