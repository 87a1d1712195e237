//===- StepRenaming.h - Other names in the steps of a recipe ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A step refers to loops and ops by name, and to operands by number. Whoever
// renames loops, or adds and removes operands and ops, renames these in the
// steps: RecipeStep::renamed() is derived from the parameters of each step.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_STEPRENAMING_H
#define ONNXC_DIALECT_KRNL_IR_STEPRENAMING_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

namespace onnxc::krnl {

/// The names and numbers by which steps refer to the same things elsewhere.
/// Each is the old one unless a subclass says otherwise.
class StepRenaming {
public:
  virtual ~StepRenaming() = default;
  virtual std::string loop(llvm::StringRef name) const { return name.str(); }
  /// The number of an operand of the kernel, or of the result of an op after
  /// those; nothing for one that is gone.
  virtual std::optional<unsigned> operand(unsigned number) const {
    return number;
  }
  virtual std::string op(llvm::StringRef nameOrNumber) const {
    return nameOrNumber.str();
  }
};

/// The steps of the recipe under other names, without those that refer to
/// something that is gone.
mlir::ArrayAttr renameSteps(mlir::ArrayAttr recipe,
                            const StepRenaming &renaming);

/// Returns true if a step of the kernel refers to one of its ops, by its name
/// or by its result.
bool namesOps(KernelOp kernel);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_STEPRENAMING_H
