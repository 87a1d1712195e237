//===- Weights.h - Laying out and writing constants ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The module attribute `krnl.weights` lists the constants and their offsets:
//   [{offset = 0, value = #onnx.blob<...> : tensor<..>, layout =
//   #krnl.packed<..>}]
// Bytes are read, packed and written one constant at a time.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_ARTEFACT_WEIGHTS_H
#define ONNXC_TARGET_ARTEFACT_WEIGHTS_H

#include "mlir/IR/BuiltinOps.h"

#include "llvm/Support/Error.h"

#include <array>
#include <atomic>

namespace onnxc::target {

inline constexpr llvm::StringLiteral weightsAttrName = "krnl.weights";
/// Total size, a multiple of the alignment of 64.
inline constexpr llvm::StringLiteral weightsBytesAttrName =
    "krnl.weights_bytes";

/// BLAKE3 of all weights as they are written.
using WeightsDigest = std::array<uint8_t, 32>;

/// Size of the weights of `module`, 0 if it has none.
int64_t weightsBytes(mlir::ModuleOp module);

/// Bytes of elements narrower than a byte, one byte each.
std::vector<char> spreadNarrow(llvm::ArrayRef<char> packed, int64_t count,
                               unsigned width, bool isSigned);

/// Takes some bytes and where they belong, from the start of the weights.
using WeightSink = llvm::function_ref<llvm::LogicalResult(
    llvm::ArrayRef<char> bytes, int64_t offset)>;

/// Passes all weights, one constant at a time. Diagnoses blobs whose bytes
/// are unknown.
mlir::LogicalResult writeWeights(mlir::ModuleOp module, WeightSink write);

/// Writes all weights to the open file at `start`. Diagnoses blobs whose bytes
/// are unknown and failures of the file system. Fails between two constants
/// once `*cancel` is true.
mlir::LogicalResult writeWeights(mlir::ModuleOp module, int file, int64_t start,
                                 const std::atomic<bool> *cancel = nullptr);

/// Appends the footer that binds a side file to its artefact
/// (OnnxcWeightsFooter of the runtime's onnxc/rt/model.h) to an open file of
/// `bytes` bytes, which it reads. Returns the digest of these.
llvm::Expected<WeightsDigest> sealWeights(int file, int64_t bytes);
/// The offset of the weights that a linked file contains. Fails for other
/// files, and for a file without weights.
llvm::Expected<int64_t> findEmbeddedWeights(llvm::StringRef linked);

/// BLAKE3 of the first bytes of the open file.
llvm::Expected<WeightsDigest> digestOf(int file, int64_t bytes);

} // namespace onnxc::target

#endif // ONNXC_TARGET_ARTEFACT_WEIGHTS_H
