//===- ByteGroups.cpp - Products of bytes in groups -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Kernels/ByteGroups.h"

#include "Kernels/KernelShape.h"
#include "onnxc/Dialect/Krnl/IR/ByteProduct.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/ShortSums.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

int64_t byteGroupsOf(KernelOp kernel, StringRef loop, int64_t bytes) {
  return llvm::divideCeil(extentOf(kernel, loop, guessedExtent), bytes);
}

int64_t instancesOfGroups(KernelOp kernel, StringRef loop, int64_t bytes,
                          int64_t parts) {
  int64_t groups = byteGroupsOf(kernel, loop, bytes);
  if (groups * parts <= maxUnrolledGroups)
    return groups;
  return largestDivisor(groups,
                        std::min(unrolledGroups, maxUnrolledGroups / parts));
}

std::string chooseByteGroups(KernelOp kernel, ComputeOp op,
                             OpOperand &broadcast,
                             ArrayRef<std::string> reduced, int64_t bytes) {
  std::string chosen;
  if (!byteProductOf(op))
    return chosen;
  double best = minFilledGroups;
  for (const std::string &loop : reduced) {
    if (!isStatic(kernel, loop) ||
        !Access(broadcast).hasUnitStride(dimOf(op, loop)))
      continue;
    double filled = double(extentOf(kernel, loop, 0)) /
                    double(byteGroupsOf(kernel, loop, bytes) * bytes);
    if (filled > best) {
      chosen = loop;
      best = filled;
    }
  }
  return chosen;
}

bool canWiden(KernelOp kernel, const Contraction &way) {
  std::optional<ByteProduct> product = byteProductOf(way.op);
  bool isPlain = product && product->lhs.isPlain() && product->rhs.isPlain() &&
                 way.blocks.empty();
  bool isInput = isa<BlockArgument>(way.rowOperand->get()) &&
                 way.rowOperand->get() != way.columnOperand->get();
  bool isKnown = llvm::all_of(way.reduced, [&](const std::string &loop) {
    return isStatic(kernel, loop);
  });
  return isPlain && isInput && isKnown &&
         bytesOfPair * extentOfAll(kernel, way.reduced, 1) <= maxWideBytes;
}

/// The constant that the columns are, if its bytes are known.
static ConstantOp columnConstant(KernelOp kernel, const Contraction &way) {
  int number = inputNumber(kernel, way.columnOperand->get());
  auto constant = number < 0
                      ? ConstantOp()
                      : kernel.getIns()[number].getDefiningOp<ConstantOp>();
  return constant && !constant.getLayout() ? constant : ConstantOp();
}

/// The layout of its long sums, in panels of so many columns; null if loops of
/// other kinds index it.
static PackedLayoutAttr layoutOfSums(KernelOp kernel, const Contraction &way,
                                     StringRef grouped, int64_t columns,
                                     int64_t groups) {
  SmallVector<int64_t> dims{0}, sizes, strides{columns};
  int64_t column = -1, group = -1;
  auto type = cast<RankedTensorType>(way.columnOperand->get().getType());
  sizes.push_back(
      llvm::divideCeil(extentOf(kernel, way.column, guessedExtent), columns));
  for (auto [dim, loop] :
       llvm::enumerate(accessLoops(way.op, *way.columnOperand))) {
    int64_t extent = extentOf(kernel, loop, 0);
    // A filter of one position has no loops over its window.
    if (loop.empty() && type.getDimSize(int64_t(dim)) == 1)
      continue;
    if (loop == way.column) {
      column = int64_t(dim);
    } else if (loop == grouped) {
      group = int64_t(dim);
    } else if (llvm::is_contained(way.reduced, loop) && extent > 0) {
      dims.push_back(int64_t(dim));
      sizes.push_back(extent);
      strides.push_back(1);
    } else {
      return {};
    }
  }
  if (column < 0 || group < 0)
    return {};
  dims.front() = column;
  dims.append({group, column, group});
  sizes.append(
      {byteGroupsOf(kernel, grouped, bytesOfDot), columns, bytesOfDot});
  strides.append({bytesOfDot, 1, 1});
  return PackedLayoutAttr::get(kernel.getContext(), dims, sizes, strides,
                               {int64_t(dims.size()) - 3, groups});
}

/// Returns true if the products of so many groups fit 16 bits when they are
/// added up, whatever the bytes of the op's operands are.
static bool areSumsShort(ComputeOp op, int64_t groups) {
  std::optional<ByteProduct> product = byteProductOf(op);
  return product && groups <= groupsOfShortSums(*product);
}

double shareOfLongSums(KernelOp kernel, const Contraction &way,
                       StringRef grouped, int64_t columns, int64_t groups) {
  if (areSumsShort(way.op, groups))
    return 0;
  ConstantOp constant = columnConstant(kernel, way);
  PackedLayoutAttr layout = layoutOfSums(kernel, way, grouped, columns, groups);
  SmallVector<char> scratch;
  ArrayRef<char> bytes = constant
                             ? onnx::constantBytes(constant.getValue(), scratch)
                             : ArrayRef<char>();
  if (!layout || bytes.empty())
    return 1;
  ArrayRef<int64_t> sizes = layout.getSizes();
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(constant.getValue().getType()).getShape();
  int64_t panels = sizes.front();
  int64_t ofPanel = std::max<int64_t>(llvm::product_of(sizes.drop_front()), 1);
  int64_t count = std::clamp<int64_t>(sampledBytes / ofPanel, 1, panels);
  int64_t steps = 0, longOnes = 0;
  for (int64_t i = 0; i < count; ++i) {
    std::vector<char> sums =
        longSumsOf(layout, shape, bytes, i * panels / count, 1);
    int64_t inRow = layout.getStoredSizes().back();
    for (auto [at, isLong] : llvm::enumerate(sums))
      if (int64_t(at) % inRow % groups == 0) {
        ++steps;
        longOnes += isLong;
      }
  }
  return steps == 0 ? 1 : double(longOnes) / double(steps);
}

/// Returns true if the columns are a constant of signed bytes, and the other
/// factors are unsigned.
static bool isBySignedConstant(KernelOp kernel, const Contraction &way) {
  std::optional<ByteProduct> product = byteProductOf(way.op);
  if (!product || product->lhs.isSigned == product->rhs.isSigned ||
      !columnConstant(kernel, way))
    return false;
  const ByteFactor &factor =
      product->lhs.isSigned ? product->lhs : product->rhs;
  return factor.isPlain() && factor.operand == way.columnOperand;
}

bool canSumShort(KernelOp kernel, const Contraction &way, StringRef grouped,
                 int64_t groups) {
  if (grouped.empty())
    return false;
  bool isUnrolled =
      !way.blocks.empty() ||
      !partLoops(kernel, way.op, *way.columnOperand, way.reduced).empty();
  if (isUnrolled)
    return groups == 1 && areSumsShort(way.op, groups);
  return groups <= byteGroupsOf(kernel, grouped, bytesOfDot) &&
         (areSumsShort(way.op, groups) || isBySignedConstant(kernel, way));
}

std::string blockByteGroups(RecipeBuilder &recipe, KernelOp kernel,
                            const std::string &loop, int64_t bytes,
                            SmallVectorImpl<std::string> &reduced) {
  bool hasTail = extentOf(kernel, loop, 0) % bytes != 0;
  auto [groups, group] =
      recipe.block(loop, bytes, suffix::blocks, suffix::bytes,
                   hasTail ? TailStrategy::Peel : TailStrategy::Mask);
  llvm::replace(reduced, loop, groups);
  return group;
}

} // namespace onnxc
