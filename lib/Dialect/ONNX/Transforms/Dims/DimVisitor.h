//===- DimVisitor.h - The traversal of DimAnalysis -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_DIMS_DIMVISITOR_H
#define ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_DIMS_DIMVISITOR_H

#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Dialect/ONNX/Transforms/DimAnalysis.h"
#include "onnxc/Support/Budget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace onnxc::onnx {

/// Visits operations in order and records facts in the analysis.
class DimVisitor {
public:
  DimVisitor(DimAnalysis &analysis, bool warns)
      : analysis(analysis), space(analysis.space), warns(warns) {}

  void visitFunction(mlir::func::FuncOp function);

private:
  using Types = llvm::SmallVector<mlir::Type>;
  using Dims = llvm::SmallVector<mlir::AffineExpr, 4>;
  /// The entry values of a body during one visit.
  struct Assumption {
    mlir::Type type;
    Dims dims;
  };
  /// Which operand of a body's terminator flows back into which argument.
  struct Carried {
    unsigned argument;
    unsigned yielded;
  };

  void visitBlock(mlir::Block &block);
  void visit(mlir::Operation *op);
  void visitNode(mlir::Operation *op);
  /// The schema's result types of `op`; NoneType where it has none.
  llvm::SmallVector<schema::InferredValue> inferTypes(mlir::Operation *op);
  /// Compares the inferred type of a result with the declared one.
  void checkDeclared(mlir::Value result, mlir::Type inferred);
  /// Records an operation that its operands do not fit.
  void reject(mlir::Operation *op, llvm::StringRef reason, bool isShape = true);
  void visitDeadBlock(mlir::Block &block);
  void visitIf(IfOp op);
  void visitLoop(LoopOp op);
  mlir::AffineExpr tripCount(LoopOp op);
  void visitScan(ScanOp op);
  void recordScan(ScanOp op, unsigned states, mlir::AffineExpr length);
  void visitSequenceMap(SequenceMapOp op);

  /// Visits `body` until the facts of each carried argument cover those of the
  /// value yielded for it, starting from `entry`, which is widened in place.
  void visitUntilStable(mlir::Block &body,
                        llvm::SmallVectorImpl<Assumption> &entry,
                        llvm::ArrayRef<Carried> carried);
  bool widen(Assumption &assumed, mlir::Value argument, mlir::Value yielded);
  void enter(mlir::Block &body, llvm::ArrayRef<Assumption> entry);

  /// Records `value`: its declared type and `type` taken together; for each
  /// dimension that this leaves dynamic the expression of `dims`, if not null.
  void record(mlir::Value value, mlir::Type type,
              llvm::ArrayRef<mlir::AffineExpr> dims);
  /// The dims of a value; empty if not ranked.
  llvm::ArrayRef<mlir::AffineExpr> dimsOf(mlir::Value value);
  mlir::Type typeOf(mlir::Value value) { return analysis.type(value); }

  DimAnalysis &analysis;
  DimSpace &space;
  bool warns;
  /// Null if nothing is limited.
  Budget *budget = nullptr;
  /// More than zero while a visit may be repeated: nothing is reported.
  unsigned trial = 0;
  unsigned trialErrors = 0;
};

} // namespace onnxc::onnx

#endif // ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_DIMS_DIMVISITOR_H
