//===- Warpgroups.cpp - Products of four warps ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// wgmma: the loops of an op whose iterations are the rows, columns and products
// of an instruction of a warpgroup, which reads both factors from slices of
// shared memory. Their form follows from the loops, as all slices' does.
//
//===----------------------------------------------------------------------===//

#include "Queries.h"
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
    if (registerFactor(nest, *operand))
      continue;
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
