//===- MaskedElements.h - Elements that a mask hides ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A payload may compute a mask from indices, as the causal one of an attention:
//
//   %n = krnl.index n   %m = krnl.index m
//   %hidden = arith.cmpi sgt, %n, %m
//   %masked = arith.select %hidden, %minus_infinity, %score
//
// Which elements are hidden, and which ops give the same results without them.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_MASKEDELEMENTS_H
#define ONNXC_DIALECT_KRNL_IR_MASKEDELEMENTS_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <map>
#include <optional>
#include <string>

namespace onnxc::krnl {

/// Index values of a kernel or of the host program, each times a number.
using ScaledValues = llvm::SmallVector<std::pair<mlir::Value, int64_t>, 1>;

/// A sum of loops and index values of the kernel, each times a number, and a
/// number.
struct LinearForm {
  std::map<std::string, int64_t> factors;
  int64_t constant = 0;
  ScaledValues values;

  bool operator==(const LinearForm &other) const;
};

/// x + factor * y; nothing where a number is too large.
std::optional<LinearForm> sumOf(LinearForm x, const LinearForm &y,
                                int64_t factor);

/// The integers of a payload that are such sums.
class LinearForms {
public:
  /// What is known of the arguments of the payload: nothing for null.
  using OfArgument =
      llvm::function_ref<std::optional<LinearForm>(mlir::BlockArgument)>;
  explicit LinearForms(ComputeOp op, OfArgument ofArgument = nullptr);

  std::optional<LinearForm> of(mlir::Value value) const;

private:
  void add(mlir::Operation &inner);

  llvm::DenseMap<mlir::Value, LinearForm> forms;
};

class MaskedElements {
public:
  /// Finds the first mask of the kernel that hides elements by a comparison of
  /// indices; nothing if there is none.
  static std::optional<MaskedElements> find(KernelOp kernel);

  /// Elements are hidden where it is not negative.
  const LinearForm &form() const { return hidden; }
  /// The loop of the elements of a row: the hidden ones are the last.
  llvm::StringRef column() const { return along; }
  /// Where all elements of a row are hidden, results depend on them.
  bool needsOne() const { return isUnguarded; }

  /// Returns true if the op sums up along the rows, or takes maxima, or merges
  /// such results of parts of the rows, and gives the same results without
  /// hidden elements.
  bool combinesVisible(ComputeOp op) const { return neutral.contains(op); }
  /// Returns true if nothing depends on what the op computes where elements are
  /// hidden.
  bool isUnneeded(ComputeOp op) const { return unneeded.contains(op); }

  /// What is known of a value where elements are hidden; OfRow is one number
  /// for all of them.
  enum class State { Any, MinusInfinity, Zero, Guarded, OfRow, Accumulator };

private:
  bool findMask(ComputeOp op);
  void evaluate(ComputeOp op);
  using States = llvm::DenseMap<mlir::Value, State>;
  State stateOf(mlir::Operation &inner, const LinearForms &forms,
                const States &states);
  State stateOfChoice(mlir::arith::SelectOp choice, const LinearForms &forms,
                      const States &states) const;
  std::optional<bool> hiddenValueOf(mlir::Value condition,
                                    const LinearForms &forms) const;
  bool readsAtLoops(ComputeOp op, mlir::OpOperand &operand) const;
  void evaluateParts(ComputeOp op);
  void findUnneeded(KernelOp kernel);

  LinearForm hidden;
  std::string along;
  bool isUnguarded = false;
  llvm::DenseMap<mlir::Value, State> tensors;
  /// Results of rows, where all their elements are hidden.
  llvm::DenseMap<mlir::Value, State> ofHiddenRows;
  llvm::SmallPtrSet<mlir::Operation *, 8> neutral, unneeded;
};

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_MASKEDELEMENTS_H
