//===- SpaceToDepth.cpp - Blocks of an image as channels --------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// SpaceToDepth and its inverse.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;

namespace onnxc {
namespace {

/// `size` in parts of `block`; the run ends where that leaves a rest.
Value blocksOf(OpBuilder &b, Location loc, Value size, Value block,
               StringRef message) {
  Value count = floorDivIndex(b, loc, size, block);
  checkEqualSizes(b, loc, mulIndex(b, loc, count, block), size, message);
  return count;
}

/// Returns true if the block size may divide the size. A dynamic size counts as
/// divisible.
bool mayDivide(int64_t block, int64_t size) {
  return block > 0 && (ShapedType::isDynamic(size) || size % block == 0);
}

/// The operand with other dimensions, permuted, with the dimensions of the
/// result.
Value reblock(OpBuilder &b, Location loc, StringRef name, Value x,
              ArrayRef<Value> split, ArrayRef<int64_t> perm,
              ArrayRef<Value> merged) {
  Type element = rankedType(x).getElementType();
  Value y = reshapeTo(b, loc, x, typeOfSizes(split, element), split);
  y = transposeOf(b, loc, name, y, perm);
  return reshapeTo(b, loc, y, typeOfSizes(merged, element), merged);
}

Lowered lowerDepthToSpace(onnx::DepthToSpaceOp op,
                          onnx::DepthToSpaceOp::Adaptor adaptor,
                          ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getOperands()[0];
  if (rankedType(x).getRank() != 4)
    return rewriter.notifyMatchFailure(op, "rank is not 4");
  int64_t side = op.getBlocksize(), area;
  if (llvm::MulOverflow(side, side, area) ||
      !mayDivide(area, rankedType(x).getDimSize(1)))
    return neverMade(rewriter, op,
                     "DepthToSpace: the blocks do not divide the channels");
  SmallVector<Value> s = sizesOf(rewriter, loc, x);
  Value block = indexConstant(rewriter, loc, side);
  Value depth =
      blocksOf(rewriter, loc, s[1], indexConstant(rewriter, loc, area),
               "DepthToSpace: the blocks do not divide the channels");
  SmallVector<Value> merged{s[0], depth, mulIndex(rewriter, loc, s[2], block),
                            mulIndex(rewriter, loc, s[3], block)};
  bool columnsFirst = op.getMode() == "CRD";
  return columnsFirst ? reblock(rewriter, loc, "DepthToSpace", x,
                                {s[0], depth, block, block, s[2], s[3]},
                                {0, 1, 4, 2, 5, 3}, merged)
                      : reblock(rewriter, loc, "DepthToSpace", x,
                                {s[0], block, block, depth, s[2], s[3]},
                                {0, 3, 4, 1, 5, 2}, merged);
}

Lowered lowerSpaceToDepth(onnx::SpaceToDepthOp op,
                          onnx::SpaceToDepthOp::Adaptor adaptor,
                          ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getOperands()[0];
  if (rankedType(x).getRank() != 4)
    return rewriter.notifyMatchFailure(op, "rank is not 4");
  int64_t side = op.getBlocksize(), area;
  if (llvm::MulOverflow(side, side, area) ||
      !mayDivide(side, rankedType(x).getDimSize(2)) ||
      !mayDivide(side, rankedType(x).getDimSize(3)))
    return neverMade(rewriter, op,
                     "SpaceToDepth: the blocks do not divide the image");
  SmallVector<Value> s = sizesOf(rewriter, loc, x);
  Value block = indexConstant(rewriter, loc, side);
  auto blocks = [&](Value size) {
    return blocksOf(rewriter, loc, size, block,
                    "SpaceToDepth: the blocks do not divide the image");
  };
  Value rows = blocks(s[2]), columns = blocks(s[3]);
  Value depth =
      mulIndex(rewriter, loc, s[1], mulIndex(rewriter, loc, block, block));
  // DCR keeps the channels innermost in the new depth, CRD outermost.
  SmallVector<int64_t> perm{0, 3, 5, 1, 2, 4};
  if (op.getMode() == "CRD")
    perm = {0, 1, 3, 5, 2, 4};
  return reblock(rewriter, loc, "SpaceToDepth", x,
                 {s[0], s[1], rows, block, columns, block}, perm,
                 {s[0], depth, rows, columns});
}

} // namespace

void populateONNXToKrnlSpaceToDepthPatterns(TypeConverter &converter,
                                            RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerDepthToSpace, lowerSpaceToDepth);
}

} // namespace onnxc
