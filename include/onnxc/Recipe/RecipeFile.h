//===- RecipeFile.h - Recipes as a text to edit -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// One entry per kernel: its key, the hash of its computation, its steps.
//
//   kernel "conv1" 5f1c09a2b3e4d687 [
//     block(oc, 48) -> (oc.o, oc.r),
//     fuse_outer(n, oc.o)
//   ]
//
// Text after // is a comment. The key is the name of the node the kernel comes
// from; where several kernels have it, their own name and a number follow.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_RECIPE_RECIPEFILE_H
#define ONNXC_RECIPE_RECIPEFILE_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "mlir/IR/Location.h"

namespace onnxc {

/// A hash of all that a recipe can depend on: loops, operand types, body.
/// Names, locations and the recipe itself do not count.
uint64_t structuralHash(krnl::KernelOp kernel);

/// A key for each kernel, in order; no two are the same.
llvm::SmallVector<std::string>
kernelKeys(llvm::ArrayRef<krnl::KernelOp> kernels);

/// One entry of a recipe file.
struct RecipeEntry {
  std::string key;
  uint64_t hash = 0;
  mlir::ArrayAttr recipe;
  mlir::Location loc;
  /// Where each step of the recipe begins.
  llvm::SmallVector<mlir::Location, 0> stepLocs;
};

/// Reads the text of a recipe file; reports errors at their position in it.
mlir::FailureOr<llvm::SmallVector<RecipeEntry, 0>>
parseRecipes(llvm::StringRef text, llvm::StringRef fileName,
             mlir::MLIRContext *context);

/// Gives the kernels the recipes of the entries. An entry for an unknown
/// kernel, one whose hash is stale, or one whose recipe does not hold is an
/// error at the entry. Kernels without an entry are left alone.
mlir::LogicalResult applyRecipes(llvm::ArrayRef<RecipeEntry> entries,
                                 llvm::ArrayRef<krnl::KernelOp> kernels);

/// Writes the recipes of the kernels, the inverse of parseRecipes.
void printRecipes(llvm::raw_ostream &os,
                  llvm::ArrayRef<krnl::KernelOp> kernels);

} // namespace onnxc

#endif // ONNXC_RECIPE_RECIPEFILE_H
