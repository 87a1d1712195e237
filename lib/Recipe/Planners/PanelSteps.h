//===- PanelSteps.h - Steps of products with panels of columns --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Shared by the recipes of one row and of many rows times a matrix:
// the matrix is stored panel after panel of its columns, bytes are multiplied
// in groups, and parts of an element are unrolled.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PLANNERS_PANELSTEPS_H
#define ONNXC_LIB_RECIPE_PLANNERS_PANELSTEPS_H

#include "Kernels/ContractionLoops.h"
#include "Planners/Planners.h"
#include "onnxc/Dialect/Krnl/IR/ByteProduct.h"
#include "onnxc/Recipe/RecipeBuilder.h"

#include <string>

namespace onnxc {

/// The loops of a product as its recipe leaves them.
struct PanelLoops {
  /// Loops of the sum: over blocks of the reduced loops, if there are any, and
  /// the reduced ones. Parts are those among them that the matrix lacks.
  llvm::SmallVector<std::string> blocks, reduced, parts;
  /// Over the panels, and over the columns of one.
  std::string panels, columns;
  /// The reduced loop whose iterations are multiplied in groups of so many
  /// bytes, as it was; the loop over the groups, among the reduced ones, and
  /// that of one group. Empty if there are none.
  std::string grouped, groups, group;
  int64_t groupBytes = krnl::bytesOfDot;
  /// Groups whose products are added up in 16 bits; 0 if none are.
  int64_t shortGroups = 0;

  /// Cuts `grouped`, unless it is empty.
  void blockGroups(RecipeBuilder &recipe, krnl::KernelOp kernel);
  /// Stores operands of the kernel, of which the first is multiplied.
  void pack(RecipeBuilder &recipe, krnl::KernelOp kernel,
            llvm::ArrayRef<mlir::OpOperand *> operands) const;
  /// Multiplies groups and unrolls parts in the op of this number.
  void unroll(RecipeBuilder &recipe, krnl::KernelOp kernel,
              unsigned number) const;
};

/// Adds recipes for a product whose panels of columns are divided into slices:
/// those of a factor that an op of the kernel computes, without the rows, or,
/// if `factor` is null, of a constant that the caches cannot keep.
void addPanelSliceRecipes(krnl::KernelOp kernel, const Contraction &way,
                          krnl::ComputeOp factor,
                          const target::Processor &target,
                          const RecipeOptions &options,
                          RecipeCandidates &candidates);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PLANNERS_PANELSTEPS_H
