//===- BufferizeRows.cpp - Tensors that grow by rows -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Rows are put one after the other in a buffer with room for more. Where the
// room is used up a larger buffer takes its place: as large as the rows that
// are expected, or twice as large.
//
//===----------------------------------------------------------------------===//

#include "HostBufferizer.h"

#include "onnxc/Dialect/Krnl/IR/IndexBuilder.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::krnl;

/// The first buffer has room for this many rows, if no number is expected.
static constexpr int64_t fewRows = 4;

/// The buffer to grow: that of `rows`, unless it has later reads.
Value Bufferizer::rowsToGrow(AppendRowOp op) {
  Value rows = op->getOperand(0);
  bool isRead = llvm::any_of(rows.getUses(), [&](OpOperand &use) {
    return use.getOwner() != op && !isReadBefore(use, op);
  });
  bool isOurs = isOwned(rows) && rows.getParentBlock() == op->getBlock();
  return isOurs && !isRead ? buffer(rows) : copied(op.getLoc(), buffer(rows));
}

/// `rows`, or a larger buffer in its place, unless it has room for all.
Value Bufferizer::withRoom(AppendRowOp op, Value rows, Value row) {
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(rows.getType());
  if (type.hasStaticShape())
    return rows; // room for all
  Value count = op.getCount(),
        room = memref::DimOp::create(builder, loc, rows, 0);
  Value isFull = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                       count, room);
  auto branch = scf::IfOp::create(builder, loc, type, isFull,
                                  /*withElseRegion=*/true);
  builder.setInsertionPointToEnd(branch.thenBlock());
  IndexBuilder numbers(builder, loc);
  Value twice = numbers.value(numbers.mul(count, numbers.number(2)));
  Value minRows = numbers.value(numbers.max(getAsOpFoldResult(op.getExpected()),
                                            numbers.number(fewRows)));
  // The expected number is right or none; more rows than expected double.
  Value isNew = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                      count, minRows);
  SmallVector<Value> sizes{
      arith::SelectOp::create(builder, loc, isNew, minRows, twice)};
  llvm::append_range(sizes, dynamicSizes(builder, loc, row));
  Value larger = allocate(loc, type, sizes);
  memref::CopyOp::create(builder, loc, firstRows(loc, rows, count),
                         firstRows(loc, larger, count));
  ReleaseOp::create(builder, loc, rows);
  scf::YieldOp::create(builder, loc, larger);
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, loc, rows);
  builder.setInsertionPointAfter(branch);
  return branch.getResult(0);
}

/// The type of a row in memory of its own.
static MemRefType rowTypeOf(MemRefType rows) {
  return MemRefType::get(rows.getShape().drop_front(), rows.getElementType());
}

void Bufferizer::convertAppendRow(AppendRowOp op) {
  Location loc = op.getLoc();
  Value rows = rowsToGrow(op);
  Value row = buffer(op->getOperand(2));
  auto type = cast<MemRefType>(rows.getType());
  // The row in the type of the rows, which may be less or more static.
  if (row.getType() != rowTypeOf(type))
    row = memref::CastOp::create(builder, loc, rowTypeOf(type), row);
  Value all = withRoom(op, rows, row);
  Value position =
      RowViewOp::create(builder, loc, rowTypeOf(type), all, op.getCount());
  memref::CopyOp::create(builder, loc, row, position);
  buffers[op.getResult()] = all;
  dead.push_back(op);
}
