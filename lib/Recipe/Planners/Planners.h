//===- Planners.h - Planners of recipes -------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Each planner adds the candidates of its kind, preferred ones first, and none
// for a kernel that is not of its kind.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PLANNERS_PLANNERS_H
#define ONNXC_LIB_RECIPE_PLANNERS_PLANNERS_H

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Recipe/ChooseRecipe.h"

namespace onnxc {

using RecipeCandidates = llvm::SmallVectorImpl<RecipeCandidate>;

/// The nest of the kernel with another recipe, which is checked as a whole;
/// fails where that is not legal.
mlir::FailureOr<krnl::LoopNest> replayWith(krnl::KernelOp kernel,
                                           mlir::ArrayAttr recipe,
                                           const RecipeOptions &options);

/// A legal recipe with the steps of completeRecipe().
mlir::ArrayAttr completed(krnl::KernelOp kernel, mlir::ArrayAttr recipe,
                          const target::Processor &target);

/// Adds a recipe with the cost of its nest, if it is legal.
void addScored(krnl::KernelOp kernel, const target::Processor &target,
               const RecipeOptions &options, llvm::StringRef kind,
               std::string choices, mlir::ArrayAttr recipe,
               RecipeCandidates &candidates);

/// A planner may compare its candidates by a model of the products alone. That
/// model's `cycles` for `recipe` times the result are those of the whole kernel
/// with it, which other kinds of candidates are compared with. 1 for a recipe
/// that is not legal.
double kernelScale(krnl::KernelOp kernel, const target::Processor &target,
                   const RecipeOptions &options, mlir::ArrayAttr recipe,
                   double cycles);

/// Adds recipes for a kernel around one contraction: register tiles, either
/// operand as that of columns, which is packed where that is profitable.
void addContractionRecipes(krnl::KernelOp kernel,
                           const target::Processor &target,
                           const RecipeOptions &options,
                           RecipeCandidates &candidates);

/// Adds recipes for a kernel of two contractions, the second of which reduces
/// the columns of the first, with ops on the rows between them: all compute a
/// few rows at a time.
void addAttentionRecipes(krnl::KernelOp kernel, const target::Processor &target,
                         const RecipeOptions &options,
                         RecipeCandidates &candidates);

/// Adds recipes for a kernel around the product of one row with a constant
/// matrix, which is stored in the order in which it is read.
void addRowRecipes(krnl::KernelOp kernel, const target::Processor &target,
                   const RecipeOptions &options, RecipeCandidates &candidates);

/// Adds recipes for a kernel around the product of a static number of rows, or
/// of few, with a matrix that is no constant and is contiguous along the sums:
/// lanes along them.
void addInnerProductRecipes(krnl::KernelOp kernel,
                            const target::Processor &target,
                            const RecipeOptions &options,
                            RecipeCandidates &candidates);

/// Adds recipes for any kernel: the loops that all ops have are shared, the one
/// along memory is vectorised, the outer ones run parallel if there is enough
/// to do.
void addLoopRecipes(krnl::KernelOp kernel, const target::Processor &target,
                    const RecipeOptions &options, RecipeCandidates &candidates);

/// Adds recipes for a kernel around one contraction, of a target whose tiles
/// are shared by threads: tiles of several sizes, whose operands are copied to
/// their memory.
void addBlockContractions(krnl::KernelOp kernel,
                          const target::Processor &target,
                          const RecipeOptions &options,
                          RecipeCandidates &candidates);

/// Adds recipes for an elementwise kernel of such a target, an operand of which
/// is contiguous along another loop than the result: squares that are copied to
/// that memory.
void addBlockTransposes(krnl::KernelOp kernel, const target::Processor &target,
                        const RecipeOptions &options,
                        RecipeCandidates &candidates);

/// Adds recipes for an attention in one kernel of such a target: blocks have
/// some rows of scores, and threads pass them to each other.
void addBlockAttention(krnl::KernelOp kernel, const target::Processor &target,
                       const RecipeOptions &options,
                       RecipeCandidates &candidates);

/// Adds recipes for any kernel of a target whose tiles are shared by threads:
/// one recipe, by which each thread has a tile, a vector or an element of the
/// result.
void addBlockRecipes(krnl::KernelOp kernel, const target::Processor &target,
                     const RecipeOptions &options,
                     RecipeCandidates &candidates);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PLANNERS_PLANNERS_H
