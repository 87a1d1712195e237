//===- ListElements.h - What lists of a graph have -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_PIPELINE_LISTELEMENTS_H
#define ONNXC_LIB_PIPELINE_LISTELEMENTS_H

#include "onnxc/Dialect/ONNX/Transforms/DimAnalysis.h"

namespace onnxc {

/// The tensors that a list of a graph has.
struct ListElements {
  /// The type with the sizes that all of the elements have.
  mlir::RankedTensorType type;
  /// Texts of the dynamic sizes (dimText); empty for others.
  llvm::SmallVector<std::string> sizes;
};

/// Looks where the list comes from. Nothing if it is not made of SequenceEmpty
/// and SequenceInsert, in branches and loops, or its elements differ in rank.
std::optional<ListElements> elementsOf(mlir::Value list,
                                       onnx::DimAnalysis &analysis);

} // namespace onnxc

#endif // ONNXC_LIB_PIPELINE_LISTELEMENTS_H
