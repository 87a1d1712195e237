//===- KeepNodes.h - Nodes that rewrites remove ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_SUPPORT_KEEPNODES_H
#define ONNXC_SUPPORT_KEEPNODES_H

#include "mlir/IR/PatternMatch.h"

#include <optional>

namespace onnxc {

/// A listener for pattern drivers that fuses the location of an operation that
/// is replaced into those of its replacements, and of the operations that only
/// it has used into those of the operations that the pattern has made. A
/// pattern need not know what its operations come from, if they have the
/// location of one.
///
/// Where the context has a remark engine, each rewrite becomes a remark named
/// after its pattern, at the locations of the operations that it takes away:
///   SimplifyPass: [Passed] FoldBatchNormalization ... From=BatchNormalization,
///   Into=Conv
class KeepNodes : public mlir::RewriterBase::Listener {
public:
  /// `category` is that of the remarks.
  explicit KeepNodes(llvm::StringRef category) : category(category) {}

  /// The name of rewrites that no pattern makes, from now on.
  void setStep(llvm::StringRef name) { step = name; }

  void notifyOperationInserted(mlir::Operation *op,
                               mlir::OpBuilder::InsertPoint previous) override;
  void notifyOperationReplaced(mlir::Operation *op,
                               mlir::ValueRange replacement) override;
  void notifyOperationErased(mlir::Operation *op) override;
  void notifyPatternBegin(const mlir::Pattern &pattern,
                          mlir::Operation *root) override;
  void notifyPatternEnd(const mlir::Pattern &pattern,
                        mlir::LogicalResult status) override;

private:
  void recordReplaced(mlir::Operation *op, mlir::ValueRange replacement);
  void recordErased(mlir::Operation *op);
  void emit(llvm::StringRef name, mlir::Location loc, llvm::StringRef from,
            llvm::StringRef into);

  llvm::StringRef category, step = "Fold";
  /// Made by the pattern that is being applied.
  llvm::SmallVector<mlir::Operation *> made;
  /// For remarks: the operation that the pattern is applied to, if one is, and
  /// those it has taken away, with the values that replace them.
  struct Application {
    mlir::Location loc;
    mlir::OperationName root;
    llvm::SmallVector<mlir::Location> taken;
    std::string from, into;
  };
  std::optional<Application> application;
  /// Replaced, and not erased yet.
  llvm::SmallPtrSet<mlir::Operation *, 4> replaced;
};

/// The name of a pattern, that of its class or function without namespaces.
std::string patternName(const mlir::Pattern &pattern);

} // namespace onnxc

#endif // ONNXC_SUPPORT_KEEPNODES_H
