//===- RenamedParts.h - The parameters of a step, renamed -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_KRNL_IR_RENAMEDPARTS_H
#define ONNXC_LIB_DIALECT_KRNL_IR_RENAMEDPARTS_H

#include "onnxc/Dialect/Krnl/IR/StepRenaming.h"

namespace onnxc::krnl {

/// The parameters of one step under other names: a method for each kind of
/// Reference in RecipeStepBase.td, which the generated renamed() calls.
class RenamedParts {
public:
  explicit RenamedParts(const StepRenaming &renaming) : renaming(renaming) {}

  /// A step may name no loop.
  std::string loop(llvm::StringRef name) const {
    return name.empty() ? std::string() : renaming.loop(name);
  }
  llvm::SmallVector<mlir::StringAttr>
  loops(llvm::ArrayRef<mlir::StringAttr> names) const {
    return llvm::map_to_vector(names, [&](mlir::StringAttr name) {
      return mlir::StringAttr::get(name.getContext(), loop(name));
    });
  }
  std::string op(llvm::StringRef nameOrNumber) const {
    return renaming.op(nameOrNumber);
  }
  unsigned operand(unsigned number) {
    std::optional<unsigned> now = renaming.operand(number);
    allExist &= now.has_value();
    return now.value_or(number);
  }
  mlir::Attribute step(mlir::Attribute inner) {
    mlir::Attribute now = llvm::cast<RecipeStep>(inner).renamed(renaming);
    allExist &= now != nullptr;
    return now ? now : inner;
  }

  /// Returns true if nothing that was asked for is gone.
  bool exist() const { return allExist; }

private:
  const StepRenaming &renaming;
  bool allExist = true;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_IR_RENAMEDPARTS_H
