//===- RecipeBuilder.h - Writes the steps of a recipe -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_RECIPE_RECIPEBUILDER_H
#define ONNXC_RECIPE_RECIPEBUILDER_H

#include "onnxc/Dialect/Krnl/IR/Loop.h"
#include "onnxc/Recipe/LoopNames.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace onnxc {

/// Appends steps; loops are named after the ones they replace, see LoopNames.h.
class RecipeBuilder {
public:
  using Names = llvm::ArrayRef<std::string>;

  explicit RecipeBuilder(mlir::MLIRContext *context) : context(context) {}
  /// Steps that follow those of a recipe.
  explicit RecipeBuilder(mlir::ArrayAttr recipe)
      : context(recipe.getContext()), steps(recipe.begin(), recipe.end()) {}

  /// Cuts `loop` into blocks; returns the names of the outer and inner loop.
  std::pair<std::string, std::string>
  block(llvm::StringRef loop, int64_t size,
        LoopSuffix outerSuffix = suffix::blocks,
        LoopSuffix innerSuffix = suffix::inside,
        krnl::TailStrategy tail = krnl::TailStrategy::Mask, int op = -1);
  void fuseOuter(Names loops);
  /// Returns the name of the result.
  std::string fuse(llvm::StringRef outer, llvm::StringRef inner,
                   llvm::StringRef result);
  /// Makes one loop of all, outermost first; returns its name.
  std::string fuseAll(llvm::ArrayRef<std::string> loops, llvm::StringRef name);
  void parallel(Names loops);
  void map(llvm::StringRef loop, llvm::StringRef as = "");
  void mapCluster(llvm::StringRef loop, llvm::StringRef as = "");
  void shared(unsigned op);
  void computeAt(llvm::StringRef loop);
  /// The steps below concern one op if `op` is at least 0.
  void order(Names loops, int op = -1);
  void unroll(llvm::StringRef loop, int64_t factor, int op = -1,
              llvm::ArrayRef<int64_t> tail = {});
  void hoist(llvm::StringRef loop, int op);
  void dot(llvm::StringRef loop, int op = -1, bool shortSums = false);
  /// Copies and threads of rows, threads and copies of columns, products.
  void mma(Names loops, int op = -1);
  /// Warps, copies and threads of rows, tiles, threads and copies of columns,
  /// products.
  void wgmma(Names loops, int op = -1);
  void grid(int64_t blocks);
  void vectorize(llvm::StringRef loop, int64_t lanes, int op = -1);
  std::pair<std::string, std::string> splitReduction(llvm::StringRef loop,
                                                     int64_t parts, int op);
  void registerTile(llvm::StringRef rows, llvm::StringRef columns,
                    int64_t lanes, llvm::ArrayRef<int64_t> tail = {});
  void pack(unsigned operand, Names loops);
  /// Adds a cache step whose slices have bytes extended to 16 bits.
  void cacheWide(unsigned operand, llvm::StringRef at, int op = -1);
  /// Adds a cache step for memory that threads share.
  void cacheShared(unsigned operand, llvm::StringRef at, bool byTma = false,
                   int op = -1);
  void pipeline(llvm::StringRef loop, int64_t stages, int64_t inFlight = 0,
                int op = -1, bool producer = false);
  void earlyExit(llvm::StringRef loop, int op);
  void skipMasked(llvm::StringRef loop, int op = -1);
  void prefetch(const krnl::Prefetch &prefetch);
  void shuffle(llvm::StringRef loop, krnl::Shuffle shuffle, bool masked,
               int op = -1);
  void strided(llvm::StringRef loop, int64_t distance, int op);

  mlir::ArrayAttr finish() const {
    return mlir::ArrayAttr::get(context, steps);
  }

private:
  void add(mlir::Attribute step, int op);
  llvm::SmallVector<mlir::StringAttr> attributes(Names loops) const;

  mlir::MLIRContext *context;
  llvm::SmallVector<mlir::Attribute> steps;
};

} // namespace onnxc

#endif // ONNXC_RECIPE_RECIPEBUILDER_H
