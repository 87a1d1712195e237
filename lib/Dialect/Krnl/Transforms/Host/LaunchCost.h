//===- LaunchCost.h - How much work a launch is ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The instructions of a kernel's tiles, counted on its code. Where their number
// depends on dynamic sizes, the host computes it.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_TRANSFORMS_LAUNCHCOST_H
#define ONNXC_DIALECT_KRNL_TRANSFORMS_LAUNCHCOST_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include <map>

namespace onnxc::krnl {

/// Counts the instructions of one tile of each kernel, as those of its first.
class LaunchCosts {
public:
  /// An argument of a kernel, and its dimension, or that it is a number itself.
  using Input = std::pair<unsigned, int64_t>;
  static constexpr int64_t isNumber = -1;
  using Sizes = std::map<Input, mlir::OpFoldResult>;

  explicit LaunchCosts(mlir::ModuleOp module) : symbols(module) {}

  /// A number, or an index of the host that is made at `builder`, unless there
  /// is one already for a launch of the same kernel on the same sizes.
  mlir::OpFoldResult ofOneTile(mlir::OpBuilder &builder, LaunchOp launch);

  /// The same as a number; sizes that only the run knows are assumed. 0 for a
  /// kernel without a body.
  int64_t estimateOfOneTile(mlir::OpBuilder &builder, LaunchOp launch);

  /// Values made in a block are not visible behind it.
  void leaveBlock();

private:
  const llvm::SmallVector<Input> &inputsOf(mlir::func::FuncOp kernel);
  /// `sizes` are those of inputsOf.
  mlir::OpFoldResult countTile(mlir::OpBuilder &builder, LaunchOp launch,
                               mlir::func::FuncOp kernel, Sizes sizes);
  mlir::OpFoldResult sizeOf(mlir::OpBuilder &builder, mlir::Value buffer,
                            int64_t dim);

  mlir::SymbolTable symbols;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Input>> inputs;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::OpFoldResult> known;
  std::map<std::vector<void *>, mlir::OpFoldResult> costs;
  llvm::DenseMap<mlir::Operation *, int64_t> estimates;
};

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_TRANSFORMS_LAUNCHCOST_H
