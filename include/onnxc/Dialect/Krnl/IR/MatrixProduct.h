//===- MatrixProduct.h - Ops that sum up products --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_MATRIXPRODUCT_H
#define ONNXC_DIALECT_KRNL_IR_MATRIXPRODUCT_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include <optional>

namespace onnxc::krnl {

/// The sums that an instruction for matrices gives the threads of a warp (PTX
/// ISA, fragments of mma.m16n8). The warps of a warpgroup have such fragments
/// along the rows, and several side by side along the columns (wgmma).
struct MatrixSums {
  /// The number of sums of a thread along rows, and along columns.
  static constexpr int64_t copies = 2;
  static constexpr int64_t rowThreads = 8, columnThreads = 4;
  static constexpr int64_t rows = copies * rowThreads,
                           columns = copies * columnThreads;
  /// The fragments along rows, the rows, and the maximum number of tiles of
  /// columns of one wgmma.
  static constexpr int64_t warps = 4, groupRows = warps * rows,
                           maxColumnTiles = 32;
};

/// The properties of a type of elements in instructions for matrices (PTX ISA,
/// mma and wgmma.mma_async).
struct MatrixElement {
  /// The operation in the table of a target; that of a warpgroup begins with
  /// wg.
  llvm::StringLiteral operation;
  int64_t bits;
  /// True if rows of a matrix in shared memory may be across the sums.
  bool liesAcross;
  /// wgmma has each number of tiles of columns up to this one, and even ones
  /// above it.
  int64_t anyColumnTiles;

  /// The entry of the type; null for elements that no instruction multiplies.
  static const MatrixElement *of(mlir::Type element);
  bool hasColumnTiles(int64_t tiles) const {
    return tiles <= anyColumnTiles || tiles % 2 == 0;
  }
};

/// The factors of an op, as instructions for products of matrices take them.
struct MatrixProduct {
  mlir::OpOperand *lhs = nullptr, *rhs = nullptr;
  mlir::Type element;
  bool lhsSigned = false, rhsSigned = false;

  /// Products of one instruction: rows of 32 bytes.
  int64_t depth() const { return depthOf(element); }
  static int64_t depthOf(mlir::Type element) {
    return 256 / element.getIntOrFloatBitWidth();
  }
  /// The operation that the instruction has in the table of a target; that of
  /// a warpgroup. None has an empty name.
  std::string operation() const;
  std::string warpgroupOperation() const;
  /// Exchanges the factors.
  void swap() {
    std::swap(lhs, rhs);
    std::swap(lhsSigned, rhsSigned);
  }
};

/// The factors of each result if the payload yields `sum + lhs * rhs` for
/// elements of two inputs of f16, bf16 or f32, which are extended to f32, or of
/// i8, which are extended to i32. Several sums have one factor in common, their
/// lhs. Empty for other ops.
llvm::SmallVector<MatrixProduct> matrixProductsOf(ComputeOp op);
/// The first of these, which has the type of all; nothing if there are none.
std::optional<MatrixProduct> matrixProductOf(ComputeOp op);

/// Returns true if the target of the op has an instruction for its products of
/// matrices.
bool multipliesMatrices(ComputeOp op);
/// Returns true if the target of the op has an instruction of warpgroups (four
/// warps) for its products of matrices.
bool multipliesByWarpgroups(ComputeOp op);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_MATRIXPRODUCT_H
