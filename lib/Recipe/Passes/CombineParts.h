//===- CombineParts.h - The total of parts of a softmax ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PASSES_COMBINEPARTS_H
#define ONNXC_LIB_RECIPE_PASSES_COMBINEPARTS_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "mlir/IR/Builders.h"

namespace onnxc {

/// Writes the ops that combine weighted sums, each of which has the weights of
/// a softmax over a part of a row. All run over the elements of the result, so
/// that a thread has all of one.
class PartsCombiner {
public:
  /// What the parts have, and the access to it over the loops.
  struct OfParts {
    mlir::Value tensor;
    krnl::Subscripts access;
  };

  /// `type` is that of the result, `axes` are its loops with that over the
  /// parts after them, and `result` is the access to it. Results without a
  /// weight are NaN, unless `hiddenRowsAreZero`.
  PartsCombiner(mlir::OpBuilder &b, mlir::Location loc,
                mlir::RankedTensorType type,
                llvm::ArrayRef<llvm::StringRef> axes, krnl::Subscripts result,
                bool hiddenRowsAreZero)
      : b(b), loc(loc), type(type), axes(axes), result(std::move(result)),
        hiddenRowsAreZero(hiddenRowsAreZero) {}

  /// The sum of all parts, divided by the sum of all exponentials. `sums` have
  /// exponentials of the distances to `maxima`, whose sums are `totals`. It is
  /// written to `to`, or to a temporary. `parts` is how many there are, where
  /// that is dynamic: the result of none is zero.
  mlir::Value combine(const OfParts &sums, const OfParts &maxima,
                      const OfParts &totals, mlir::Value to, mlir::Value parts);

  /// Writes the numbers that merge() begins with: before the ops that compute
  /// the parts.
  void startRunning();
  /// As combine(), by one op that takes the parts one after the other: it has
  /// the largest maximum so far, by which it weighs the sums so far and those
  /// of the next part.
  mlir::Value merge(const OfParts &sums, const OfParts &maxima,
                    const OfParts &totals, mlir::Value to, mlir::Value parts);

private:
  using Payload = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::OpBuilder &, mlir::ValueRange)>;

  mlir::Value number(mlir::OpBuilder &at, double value);
  mlir::Value temporary();
  mlir::Value start(double value);
  mlir::ValueRange compute(llvm::ArrayRef<OfParts> ins, mlir::ValueRange inits,
                           bool overParts, Payload payload);
  mlir::Value largestOf(const OfParts &maxima);
  llvm::SmallVector<mlir::Value>
  addWeighted(mlir::OpBuilder &at, mlir::Value factor,
              llvm::ArrayRef<std::pair<mlir::Value, mlir::Value>> pairs);
  mlir::Value weight(mlir::OpBuilder &at, mlir::Value ofPart,
                     mlir::Value largest);
  mlir::Value divide(mlir::Value sum, mlir::Value total, mlir::Value to,
                     mlir::Value parts);

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::RankedTensorType type;
  llvm::ArrayRef<llvm::StringRef> axes;
  krnl::Subscripts result;
  bool hiddenRowsAreZero;
  /// The sums, their weights and the largest maximum of no parts.
  llvm::SmallVector<mlir::Value> running;
};

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PASSES_COMBINEPARTS_H
