//===- ByteGroups.h - Products of bytes in groups ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_KERNELS_BYTEGROUPS_H
#define ONNXC_LIB_RECIPE_KERNELS_BYTEGROUPS_H

#include "Kernels/ContractionLoops.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Recipe/RecipeBuilder.h"

#include <string>

namespace onnxc {

/// The reduced loop of a sum of products of bytes that the step dot takes:
/// `broadcast`, the operand without the lanes, is contiguous along it. The one
/// that fills its groups of `bytes` best; empty if there is none.
std::string chooseByteGroups(krnl::KernelOp kernel, krnl::ComputeOp op,
                             mlir::OpOperand &broadcast,
                             llvm::ArrayRef<std::string> reduced,
                             int64_t bytes);

/// Groups along the loop; an unknown extent counts as guessedExtent.
int64_t byteGroupsOf(krnl::KernelOp kernel, llvm::StringRef loop,
                     int64_t bytes);

/// Returns true if the rows of a product of bytes can be extended to 16 bits
/// before they are multiplied: at least one fits its memory.
bool canWiden(krnl::KernelOp kernel, const Contraction &way);

/// Returns true if the products of so many groups of the loop may be added up
/// in 16 bits: whatever the bytes are, or where the columns are a constant of
/// signed bytes, by a table of the sums that do not fit. Where there are blocks
/// or parts it is known how many groups are unrolled.
bool canSumShort(krnl::KernelOp kernel, const Contraction &way,
                 llvm::StringRef grouped, int64_t groups);

/// The share of the steps of so many groups along the loop `grouped` whose sums
/// do not fit 16 bits in some of so many columns; 1 if that is not known.
double shareOfLongSums(krnl::KernelOp kernel, const Contraction &way,
                       llvm::StringRef grouped, int64_t columns,
                       int64_t groups);

/// Cuts the loop into groups: the loop over them takes its position in
/// `reduced`, and the loop of one group is returned.
std::string blockByteGroups(RecipeBuilder &recipe, krnl::KernelOp kernel,
                            const std::string &loop, int64_t bytes,
                            llvm::SmallVectorImpl<std::string> &reduced);

/// Instances of the loop over the groups of `loop`, where sums of few groups
/// are scaled and added up: such a loop would cost as much as it does. Each
/// instance is expanded for so many parts of elements.
int64_t instancesOfGroups(krnl::KernelOp kernel, llvm::StringRef loop,
                          int64_t bytes, int64_t parts);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_KERNELS_BYTEGROUPS_H
