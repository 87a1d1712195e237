//===- KeepNodes.h - Nodes that rewrites remove ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_SUPPORT_KEEPNODES_H
#define ONNXC_SUPPORT_KEEPNODES_H

#include "mlir/IR/PatternMatch.h"

namespace onnxc {

/// A listener for pattern drivers that fuses the location of an operation that
/// is replaced into those of its replacements, and of the operations that only
/// it has used into those of the operations that the pattern has made. A
/// pattern need not know what its operations come from, if they have the
/// location of one.
class KeepNodes : public mlir::RewriterBase::Listener {
public:
  void notifyOperationInserted(mlir::Operation *op,
                               mlir::OpBuilder::InsertPoint previous) override;
  void notifyOperationReplaced(mlir::Operation *op,
                               mlir::ValueRange replacement) override;
  void notifyOperationErased(mlir::Operation *op) override;
  void notifyPatternBegin(const mlir::Pattern &, mlir::Operation *) override {
    made.clear();
  }
  void notifyPatternEnd(const mlir::Pattern &, mlir::LogicalResult) override {
    made.clear();
  }

private:
  /// Made by the pattern that is being applied.
  llvm::SmallVector<mlir::Operation *> made;
};

} // namespace onnxc

#endif // ONNXC_SUPPORT_KEEPNODES_H
