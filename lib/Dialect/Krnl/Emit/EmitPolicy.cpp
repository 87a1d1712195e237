//===- EmitPolicy.cpp - Tiles of threads ------------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/Emit/EmitPolicy.h"

#include "LaneIndex.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace onnxc::krnl {

SmallVector<Type> ThreadPolicy::argumentTypes(MLIRContext *context) const {
  return SmallVector<Type>(2, IndexType::get(context));
}

/// The indices of the parallel loops in a tile. Without tiles extents may be 0.
static SmallVector<OpFoldResult> splitTileNumber(LaneMath &math, Value tile,
                                                 ArrayRef<LaneIndex> extents,
                                                 ImplicitLocOpBuilder &b) {
  SmallVector<OpFoldResult> indices(extents.size());
  LaneIndex rest{tile, 0, 0, {}};
  for (size_t i = extents.size(); i-- > 0;) {
    if (i == 0) {
      indices[i] = math.foldResult(rest);
      break;
    }
    if (extents[i].isConstant()) {
      indices[i] = math.foldResult(math.mod(rest, extents[i].offset));
      rest = math.floorDiv(rest, extents[i].offset);
      continue;
    }
    Value one = arith::ConstantIndexOp::create(b, 1);
    Value extent = arith::MaxUIOp::create(b, math.scalar(extents[i]), one);
    indices[i] = math.foldResult(math.mod(rest, extent));
    rest = math.floorDiv(rest, extent);
  }
  return indices;
}

/// The indices in the tile behind the one that has `indices`.
static SmallVector<Value> nextTile(LaneMath &math, ValueRange indices,
                                   ArrayRef<LaneIndex> extents,
                                   ImplicitLocOpBuilder &b) {
  Value zero = arith::ConstantIndexOp::create(b, 0),
        one = arith::ConstantIndexOp::create(b, 1);
  SmallVector<Value> next(indices);
  Value carries;
  for (size_t i = extents.size(); i-- > 0;) {
    Value more = arith::AddIOp::create(b, indices[i], one);
    next[i] =
        carries ? arith::SelectOp::create(b, carries, more, indices[i]) : more;
    if (i == 0)
      break;
    carries = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, next[i],
                                    math.scalar(extents[i]));
    next[i] = arith::SelectOp::create(b, carries, zero, next[i]);
  }
  return next;
}

/// Where extents are dynamic, only the first tile's indices are quotients:
/// divisions would take longer than many a tile.
void ThreadPolicy::openTiles(ImplicitLocOpBuilder &b, func::FuncOp func,
                             ArrayRef<OpFoldResult> sizes,
                             TileBody body) const {
  LaneMath math(b);
  ValueRange range = func.getArguments().take_back(2);
  SmallVector<LaneIndex> extents = llvm::map_to_vector(sizes, toLaneIndex);
  bool isCounted = llvm::any_of(
      ArrayRef(extents).drop_front(extents.empty() ? 0 : 1),
      [](const LaneIndex &extent) { return !extent.isConstant(); });
  SmallVector<Value> first;
  if (isCounted)
    for (OpFoldResult index : splitTileNumber(math, range[0], extents, b))
      first.push_back(math.scalar(toLaneIndex(index)));
  auto loop = scf::ForOp::create(b, range[0], range[1],
                                 arith::ConstantIndexOp::create(b, 1), first);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  if (!isCounted)
    return body(splitTileNumber(math, loop.getInductionVar(), extents, b));
  body(getAsOpFoldResult(loop.getRegionIterArgs()));
  scf::YieldOp::create(b, nextTile(math, loop.getRegionIterArgs(), extents, b));
}

Value ThreadPolicy::allocate(ImplicitLocOpBuilder &b, func::FuncOp func,
                             MemRefType type) const {
  return memref::AllocaOp::create(b, type, b.getI64IntegerAttr(64));
}

} // namespace onnxc::krnl
