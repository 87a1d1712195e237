//===- LoopNestWarpgroups.cpp - Products of four warps ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// wgmma: the loops of an op whose iterations are the rows, columns and products
// of an instruction of a warpgroup, which reads both factors from slices of
// shared memory. Their form follows from the loops, as all slices' does.
//
//===----------------------------------------------------------------------===//

#include "Reasons.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Matrices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/NestBuilder.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Slices.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace onnxc::krnl {

/// Bytes of the longest line, and of the shortest one.
static constexpr int64_t maxLine = 128, minLine = 32;

LogicalResult NestBuilder::wgmma(ArrayRef<StringRef> names,
                                 EmitErrorFn emitError) {
  if (names.size() != 7)
    return emitError() << "expected warps, copies and threads of rows, tiles, "
                          "threads and copies of columns, and products, but "
                          "got "
                       << names.size() << " loops";
  FailureOr<SmallVector<unsigned>> loops = resolveAll(names, emitError);
  if (failed(loops))
    return failure();
  return addMma({0, (*loops)[1], (*loops)[2], (*loops)[4], (*loops)[5],
                 (*loops)[6], (*loops)[0], (*loops)[3]},
                emitError);
}

const Cache *sharedCacheOf(const LoopNest &nest, OpOperand &operand,
                           unsigned op) {
  auto argument = dyn_cast<BlockArgument>(operand.get());
  const Cache *found = llvm::find_if(nest.caches(), [&](const Cache &cache) {
    return cache.shared && argument &&
           cache.operand == argument.getArgNumber() &&
           llvm::is_contained(cachingOps(nest, cache), op);
  });
  return found == nest.caches().end() ? nullptr : found;
}

/// Elements of a slice from one iteration to the next one, among those along
/// the sums or among those across them.
int64_t strideInSlice(const LoopNest &nest, const Cache &cache, unsigned op,
                      unsigned number) {
  int64_t stride = 1;
  for (unsigned loop : llvm::reverse(cachedLoops(nest, cache, op))) {
    if (loop == number)
      return stride;
    if (nest.op(op).find(loop)->reduced == nest.op(op).find(number)->reduced)
      stride *= nest.loop(loop).extent;
  }
  return 0;
}

std::optional<SwizzledSlice> swizzledSlice(const LoopNest &nest,
                                           const Cache &cache, unsigned op) {
  const Mma *mma = mmaOf(nest, op);
  int64_t elementBytes = nest.operand(cache.operand).elementBytes;
  if (!cache.shared || !mma || !mma->isOfWarpgroup() ||
      (elementBytes != 1 && elementBytes != 2 && elementBytes != 4))
    return std::nullopt;
  bool sumsLast = endsWithSums(nest, cache, op);
  int64_t inLine = elementBytes, across = 1;
  for (unsigned loop : cachedLoops(nest, cache, op)) {
    if (nest.loop(loop).isDynamic())
      return std::nullopt;
    (nest.op(op).find(loop)->reduced == sumsLast ? inLine : across) *=
        nest.loop(loop).extent;
  }
  int64_t line = maxLine;
  while (line >= minLine && inLine % line != 0)
    line /= 2;
  if (line < minLine)
    return std::nullopt;
  return SwizzledSlice{!sumsLast, elementBytes, line, across};
}

/// The instruction reads 64 rows, or all columns, that follow each other, and
/// 32 bytes of products: whole lines along rows or columns.
std::string reasonAgainstSlices(const LoopNest &nest, const Mma &mma,
                                OpOperand &rows, OpOperand &columns) {
  std::pair<unsigned, int64_t> ofRows[] = {
      {*mma.rowWarps, MatrixSums::rows},
      {mma.rowCopies, MatrixSums::rowThreads},
      {mma.rowThreads, 1},
      {mma.products, 1}};
  std::pair<unsigned, int64_t> ofColumns[] = {
      {*mma.columnTiles, MatrixSums::columns},
      {mma.columnThreads, MatrixSums::copies},
      {mma.columnCopies, 1},
      {mma.products, 1}};
  int64_t tiles = nest.loop(*mma.columnTiles).extent,
          width = tiles * MatrixSums::columns;
  Type element = getElementTypeOrSelf(rows.get());
  if (!MatrixElement::of(element)->hasColumnTiles(tiles))
    return "no instruction has " + std::to_string(width) + " columns of bytes";
  for (auto [operand, strides, extent] :
       {std::tuple(&rows, ArrayRef(ofRows), MatrixSums::groupRows),
        {&columns, ArrayRef(ofColumns), width}}) {
    const Cache *cache = sharedCacheOf(nest, *operand, mma.op);
    if (!cache)
      return "its inputs are not both copied to shared memory";
    std::optional<SwizzledSlice> slice = swizzledSlice(nest, *cache, mma.op);
    if (!slice)
      return "a slice of its inputs has no lines of 32 bytes";
    for (auto [number, stride] : strides)
      if (strideInSlice(nest, *cache, mma.op, number) != stride)
        return "iterations of loop '" + nest.loop(number).name + "' are not " +
               std::to_string(stride) +
               " elements apart in the slice of an input";
    if (slice->isTransposed && extent % slice->lineElements() != 0)
      return "an instruction would have parts of the lines of a slice";
  }
  return {};
}

} // namespace onnxc::krnl
