//===- KernelShape.h - Facts about kernels for recipes -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_KERNELS_KERNELSHAPE_H
#define ONNXC_LIB_RECIPE_KERNELS_KERNELSHAPE_H

#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Recipe/RecipeSpace.h"

#include <string>

namespace onnxc {

/// Extent of a loop by name; unknown ones count as `unknown`, or as the nearest
/// one that the bounds of the loop allow. Numbers less than 2 stay: they say
/// that nothing is known.
int64_t extentOf(krnl::KernelOp kernel, llvm::StringRef loop, int64_t unknown);

/// The extent of a loop of a nest, where `outerExtent` is that of unknown ones.
double assumedExtent(const krnl::LoopNest &nest, unsigned loop);

/// The sizes of a tensor that the body reads or writes; dynamic ones count as
/// the loops that have their positions do.
llvm::SmallVector<int64_t> assumedShape(krnl::KernelOp kernel,
                                        mlir::BlockArgument operand,
                                        int64_t unknown);

/// Iterations of a loop where dynamic axes have their assumed extents.
double iterationsOf(const krnl::LoopNest &nest, unsigned loop);

/// The part of the iterations of an op's loop that a mask leaves, as the mean
/// of tiles, with the assumed extents; 1 without skip_masked.
double visibleShare(const krnl::LoopNest &nest, unsigned op, unsigned loop);
/// Iterations of an op for each that its axes have: more than 1 where blocks
/// are padded.
double paddingFactor(const krnl::LoopNest &nest, unsigned op);

/// The numbers of parts that sums of so many terms are tried in: those up to
/// maxSumParts that divide `whole`, most of whose terms they share.
llvm::SmallVector<int64_t> numbersOfParts(int64_t whole, int64_t terms);

/// The product of two counts of iterations, elements or bytes, none negative,
/// that only choices depend on: at most 2^52, so that sums of them are exact.
int64_t estimatedProduct(int64_t a, int64_t b);

/// Sums that each have a vector of lanes and stand side by side.
struct SumTile {
  int64_t rows = 1, columns = 1;
};
/// As many sums as the target adds up at once without waiting, in both
/// directions, and as have registers beside the operands of one step: a vector
/// of each column and one of a row.
SumTile sumTile(const target::Processor &target);

/// The largest divisor of `whole` that is at most `maxPart`.
int64_t largestDivisor(int64_t whole, int64_t maxPart);

/// The iterations of all these loops together, by estimatedProduct().
template <typename Names>
int64_t extentOfAll(krnl::KernelOp kernel, const Names &loops,
                    int64_t unknown) {
  int64_t extent = 1;
  for (llvm::StringRef loop : loops)
    extent = estimatedProduct(extent, extentOf(kernel, loop, unknown));
  return extent;
}

/// Returns true if the kernel, which may be null, pads a tensor of its own for
/// one reader.
bool isPaddingForOne(krnl::KernelOp kernel);

/// Returns true if the value is a constant without a layout. The kernel that
/// reads it may choose how it is stored.
bool isStorable(mlir::Value value);

/// What planners read of the operations around a kernel, and nothing else: how
/// its operands come about.
llvm::SmallVector<bool> surroundingsOf(krnl::KernelOp kernel);

/// Returns true if the two differ in names only, so that the same recipe is the
/// best one for both where their surroundings are the same.
bool areAlike(krnl::KernelOp a, krnl::KernelOp b);

/// Returns true if the extent of the loop is static.
bool isStatic(krnl::KernelOp kernel, llvm::StringRef loop);

/// Names of all loops, in the order of the kernel.
llvm::SmallVector<std::string> loopNames(krnl::KernelOp kernel);

/// The loops of an access: the name where a dimension is indexed by just a
/// loop, else empty.
llvm::SmallVector<std::string> accessLoops(krnl::ComputeOp op,
                                           mlir::OpOperand &operand);

/// The loops of an access along memory, each the index or at a constant
/// distance from it: without the last dimensions that have one element each,
/// which do not separate adjacent elements. Empty names for other indices.
llvm::SmallVector<std::string> loopsAlongMemory(krnl::ComputeOp op,
                                                mlir::OpOperand &operand);

/// Returns true if the operand has an element of its own for each iteration of
/// the op, except for the loops `without`.
bool hasElementEach(krnl::ComputeOp op, mlir::OpOperand &operand,
                    llvm::ArrayRef<std::string> without);

/// Returns true if iterations of the loop may be past the end of an operand of
/// the kernel.
bool hasRangesAlong(krnl::KernelOp kernel, llvm::StringRef loop);

/// Loops that the op reduces, in iterator order.
llvm::SmallVector<std::string> reducedLoops(krnl::ComputeOp op);

/// Returns true if only ops of the kernel read the results, which are then not
/// results of the kernel.
bool isIntermediate(krnl::ComputeOp op);

/// Work of one op, in bytes of traffic or equivalent time; unknown extents
/// count as `unknown`.
int64_t workBytesOf(krnl::KernelOp kernel, krnl::ComputeOp op,
                    const target::Processor &target, int64_t unknown);

/// Bytes read and written if every loop runs once; unknown extents count as
/// `unknown`.
int64_t trafficBytes(krnl::KernelOp kernel, int64_t unknown);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_KERNELS_KERNELSHAPE_H
