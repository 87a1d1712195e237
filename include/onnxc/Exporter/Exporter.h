//===- Exporter.h - From the onnx dialect to model files -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Exports an imported and simplified model as a model file.
// This header is free of protobuf.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_EXPORTER_EXPORTER_H
#define ONNXC_EXPORTER_EXPORTER_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <atomic>
#include <string>
#include <vector>

namespace onnxc::exporter {

struct ExportOptions {
  /// Weights of more than so many bytes in all go to a file of their own: a
  /// protobuf message cannot be larger than 2 GiB.
  uint64_t embeddedLimit = uint64_t(1) << 30;
  /// Name of that file, relative to the model's folder; empty: such models
  /// are refused.
  std::string dataFile;
};

/// A model as the bytes of its file, and the contents of the data file. Large
/// weights are referenced, not copied.
struct ExportedModel {
  /// Bytes of the file, then those of a tensor, unless that is null.
  struct Piece {
    std::string bytes;
    mlir::TypedAttr tensor;
  };
  std::vector<Piece> pieces;
  /// One tensor after the other, each at a multiple of `dataAlignment`; empty
  /// if the model needs no data file.
  std::vector<mlir::TypedAttr> data;
};

inline constexpr uint64_t dataAlignment = 4096;

/// Writes the function `main_graph` of a module of the onnx dialect as a model
/// of the oldest operator sets that have all its operators in their newest
/// form. Names of inputs, outputs and weights are kept, those of other values
/// follow the nodes that make them. Fails with a diagnostic at the operation
/// that no model can have, or where the library's checker refuses the result.
mlir::FailureOr<ExportedModel> exportModel(mlir::ModuleOp module,
                                           const ExportOptions &options);

/// Writes the model's own file. Fails between two tensors once `*cancel` is
/// true; errors of `os` stay with it.
llvm::Error writeModel(const ExportedModel &model, llvm::raw_ostream &os,
                       const std::atomic<bool> *cancel = nullptr);

/// Writes `model.data`, in the layout that the model's tensors name. Fails
/// between two tensors once `*cancel` is true; errors of `os` stay with it.
llvm::Error writeData(const ExportedModel &model, llvm::raw_ostream &os,
                      const std::atomic<bool> *cancel = nullptr);

} // namespace onnxc::exporter

#endif // ONNXC_EXPORTER_EXPORTER_H
