//===- RowPartsWriter.h - Writes kernels for parts of rows ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// WriteRowParts.cpp has the kernel of the parts, and WriteRows.cpp the others.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PASSES_ROWPARTSWRITER_H
#define ONNXC_LIB_RECIPE_PASSES_ROWPARTSWRITER_H

#include "Passes/LoopParts.h"
#include "Passes/RowSums.h"
#include "Passes/WriteRowParts.h"

#include "mlir/IR/IRMapping.h"

namespace onnxc {

/// One number of parts of the rows of a kernel, and the kernels for it.
class RowPartsWriter {
public:
  RowPartsWriter(mlir::RewriterBase &rewriter, krnl::KernelOp kernel,
                 const RowSums &rows, const PartsOfRow &wanted);

  bool check();
  void countParts();
  krnl::KernelOp writeParts();
  krnl::KernelOp writeTotal(krnl::KernelOp made);
  krnl::KernelOp writeTail(krnl::KernelOp total);
  /// Returns true if the blocks that write the elements may combine the parts,
  /// too. Each result has an element for each of the row then.
  bool mayJoin();
  krnl::KernelOp writeJoined(krnl::KernelOp made);
  llvm::SmallVector<mlir::Value> results(krnl::KernelOp total,
                                         krnl::KernelOp tail);

private:
  bool isDynamic() const { return mlir::ShapedType::isDynamic(extent); }
  mlir::Value endOfRow(mlir::OpBuilder &b);
  krnl::KernelOp declare(llvm::StringRef suffix,
                         llvm::ArrayRef<std::string> names,
                         llvm::ArrayRef<mlir::Value> ins,
                         llvm::ArrayRef<mlir::Value> outs);
  mlir::Value scratchOf(mlir::Value tensor, bool ofParts);
  void cloneOther(mlir::Operation &op);
  void finish(krnl::KernelOp made);

  // Of the kernel of the parts.
  mlir::RankedTensorType withParts(mlir::Value tensor);
  bool mayGoOn(krnl::ComputeOp op);
  bool storesRow(krnl::ComputeOp op);
  krnl::ComputeOp cloneForParts(krnl::ComputeOp op, mlir::Value to);
  void maskTerm(krnl::ComputeOp op, const RowSum &sum);
  mlir::Value sizeOfPart(mlir::OpBuilder &b, mlir::Type type);
  mlir::Value startOf(const RowSum &sum);
  mlir::Value mapped(
      krnl::ComputeOp op, mlir::Value from, mlir::Value to,
      llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value)> payload);
  mlir::Value meanOf(const RowSum &sum, mlir::Value ofPart);
  mlir::Value guarded(const RowSum &sum, mlir::Value largest);
  void cloneShift(const RowSum &sum);
  void cloneSum(const RowSum &sum);
  void collectScratch();

  // Of the kernels of the rows, and of their elements.
  llvm::SmallVector<std::string> loopsOf(bool tail);
  llvm::SmallVector<unsigned> resultsOf(bool tail);
  krnl::Subscripts ofRow(krnl::ComputeOp op, krnl::Subscripts access);
  void cloneJoined(mlir::Operation &op, krnl::KernelOp made);
  mlir::Value chosen(mlir::OpBuilder &b, const RowSum &sum, mlir::Value ofPart,
                     mlir::Value here, mlir::Value whole);
  mlir::Value weighted(mlir::OpBuilder &b, mlir::Value ofPart,
                       mlir::Value distance, mlir::Value largest,
                       mlir::Value whole);
  mlir::Value moved(mlir::OpBuilder &b, mlir::Value ofPart, mlir::Value here,
                    mlir::Value distance, mlir::Value total);
  krnl::ComputeOp combine(const RowSum &sum, krnl::KernelOp made);
  mlir::Value combinedTerm(mlir::OpBuilder &b, const RowSum &sum,
                           mlir::ValueRange args);
  mlir::Value copyOut(mlir::Value value, mlir::Value out);

  mlir::RewriterBase &rewriter;
  krnl::KernelOp kernel;
  const RowSums &rows;
  const PartsOfRow wanted;
  /// Elements of a row, how it is divided, and how many parts there are.
  int64_t extent;
  LoopParts divided;
  int64_t parts;
  /// Where these are dynamic: how many elements, parts and turns there
  /// are, and the first in the kernel that is written.
  mlir::Value wholeRow, wholeParts, wholeTurns, end;
  /// The loop that combines parts where blocks that have a part of the elements
  /// do.
  llvm::StringRef combined = "parts";
  /// True if the kernel that combines the parts runs over parts of the
  /// elements.
  bool isJoined = false;
  mlir::Location loc;
  mlir::IRMapping mapping;
  /// What the kernel of the parts has for each of them, and what the tail reads
  /// of each row.
  llvm::SetVector<mlir::Value> scratch, passed;
};

/// The op that makes the tensor, and its access to it.
std::pair<krnl::ComputeOp, krnl::Subscripts> writtenBy(mlir::Value tensor);

/// Emits an i1 that is true if the number is -infinity.
mlir::Value isLowest(mlir::OpBuilder &b, mlir::Location loc,
                     mlir::Value number);
mlir::Value zeroOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PASSES_ROWPARTSWRITER_H
