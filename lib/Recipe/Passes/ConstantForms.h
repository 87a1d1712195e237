//===- ConstantForms.h - Constants of several kernels ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PASSES_CONSTANTFORMS_H
#define ONNXC_LIB_RECIPE_PASSES_CONSTANTFORMS_H

#include "onnxc/Recipe/ChooseRecipe.h"

#include "llvm/ADT/DenseMap.h"

namespace onnxc {

/// The forms in which the kernels of a program store constants. An artefact has
/// each form of a constant once, so kernels that agree on one save memory.
class ConstantForms {
public:
  explicit ConstantForms(llvm::ArrayRef<krnl::KernelOp> kernels);

  /// The recipe, or one that takes little longer and stores the constants of
  /// the kernel in forms that they have already.
  mlir::ArrayAttr share(krnl::KernelOp kernel, mlir::ArrayAttr recipe,
                        const RecipeOptions &options) const;

  /// Adds the forms of the constants of a kernel with its recipe.
  void add(krnl::KernelOp kernel);

private:
  llvm::SmallVector<unsigned> sharedOperands(krnl::KernelOp kernel) const;

  /// The layouts of each value that several kernels read, with as few entries
  /// as possible; null for the constant as it is.
  llvm::DenseMap<mlir::Attribute, llvm::SmallVector<mlir::Attribute, 1>> forms;
};

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PASSES_CONSTANTFORMS_H
