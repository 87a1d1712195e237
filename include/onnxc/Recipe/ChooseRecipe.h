//===- ChooseRecipe.h - A recipe for a kernel ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_RECIPE_CHOOSERECIPE_H
#define ONNXC_RECIPE_CHOOSERECIPE_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Target/Processor.h"

namespace onnxc {

/// Limits on recipes.
struct RecipeOptions {
  /// Every reduction must be added up in its source order.
  bool keepOrder = false;
  /// Loops outside of the vectors may be written out a few times.
  bool unrollAndJam = true;
};

/// The recipe that the cost model proposes for the target. It holds: the kernel
/// with it verifies. The empty recipe where nothing better is known.
mlir::ArrayAttr chooseRecipe(krnl::KernelOp kernel,
                             const target::Processor &target,
                             const RecipeOptions &options = {});

/// For a kernel around one contraction: a register tile, its operand of columns
/// packed. Null where the kernel is none, or no tile suits it.
mlir::ArrayAttr chooseContractionRecipe(krnl::KernelOp kernel,
                                        const target::Processor &target,
                                        const RecipeOptions &options);

/// For a kernel of two contractions, the second of which reduces the columns of
/// the first, with ops on the rows between them: all go by a few rows at a
/// time. Null where the kernel is none.
mlir::ArrayAttr chooseAttentionRecipe(krnl::KernelOp kernel,
                                      const target::Processor &target,
                                      const RecipeOptions &options);

/// For a kernel around the product of one row with a constant matrix, which is
/// stored in the order in which it is read. Null where the kernel is none.
mlir::ArrayAttr chooseRowRecipe(krnl::KernelOp kernel,
                                const target::Processor &target,
                                const RecipeOptions &options);

/// For all others: the loops that all ops have are shared, the one along memory
/// is vectorised, the outer ones run parallel if there is enough to do.
mlir::ArrayAttr chooseLoopRecipe(krnl::KernelOp kernel,
                                 const target::Processor &target,
                                 const RecipeOptions &options);

} // namespace onnxc

#endif // ONNXC_RECIPE_CHOOSERECIPE_H
