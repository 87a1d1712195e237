//===- Refusals.h - Why an operator was not lowered -------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_REFUSALS_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_REFUSALS_H

#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/StringSet.h"

namespace onnxc {

/// Makes an error of every operator that no pattern lowers: the node, the
/// operator, its types, and as notes the reasons that the patterns gave.
/// Errors do not end the conversion, so that all such operators are named.
class Refusals {
public:
  /// `lowered` names the operators that have patterns at all.
  explicit Refusals(llvm::StringSet<> lowered);
  ~Refusals();

  /// Adds the patterns before and after all others. Both refer to this object,
  /// which has to outlive the conversion.
  void populate(mlir::RewritePatternSet &patterns);

  /// Returns true if there was an error.
  bool any() const { return hasRefused; }

private:
  friend struct BeginOperator;
  friend struct RefuseOperator;
  struct Listener;

  void begin(mlir::OpBuilder &builder);
  void refuse(mlir::Operation *op);

  llvm::StringSet<> lowered;
  /// Against the operation that is tried now.
  llvm::SmallVector<std::string> reasons;
  std::unique_ptr<Listener> listener;
  bool hasRefused = false;
};

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_REFUSALS_H
