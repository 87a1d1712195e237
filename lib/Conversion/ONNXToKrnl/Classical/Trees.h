//===- Trees.h - Evaluating tree ensembles ----------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_CLASSICAL_TREES_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_CLASSICAL_TREES_H

#include "Builders/GraphBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/TreeTables.h"

namespace onnxc {

/// The prediction of the trees for each row of `x`, f32 or f64 [n, f]: the
/// aggregate of their votes, [n, targets], in the element type of `x`. A run
/// whose rows are shorter than the features that the trees read ends with an
/// error.
mlir::Value evaluateTrees(GraphBuilder &graph, mlir::Value x,
                          const TreeModel &model, const TreeTables &tables);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_CLASSICAL_TREES_H
