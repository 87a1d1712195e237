//===- EmitPacking.cpp - Packing at run time --------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Where the recipe says so, contiguous elements of the operand are loaded as
// vectors and shuffled in registers:
//
//   packed [.., along, across]   a square of the operand becomes columns
//   packed [.., along, group]    the few bytes of a group lie in rows of it
//
// Blocks that reach beyond the operand are read element by element. Dynamic
// sizes, of the operand and of its packed form, come with both.
//===----------------------------------------------------------------------===//

#include "LaneIndex.h"
#include "VectorAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "onnxc/Dialect/Krnl/Emit/EmitKernel.h"

using namespace mlir;

namespace onnxc::krnl {

namespace {
/// Writes the body of a function that packs.
class PackEmitter {
public:
  PackEmitter(ImplicitLocOpBuilder &b, func::FuncOp func,
              const PackedOperand &pack)
      : b(b), source(func.getArgument(0)), packed(func.getArgument(1)),
        first(func.getArgument(2)), end(func.getArgument(3)),
        dims(pack.layout.getDims()), strides(pack.layout.getStrides()),
        sizes(pack.type.getShape()),
        shape(cast<MemRefType>(source.getType()).getShape()),
        element(pack.type.getElementType()), shuffle(pack.shuffle),
        lanes(pack.lanes) {}

  void emit();

private:
  using Position = SmallVector<Value>;
  Value number(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value sizeOf(Value memref, unsigned dim) {
    return b.createOrFold<memref::DimOp>(memref, number(dim));
  }
  SmallVector<Value> packedEnds();
  Position indicesOf(const Position &at);
  Value isInside(ArrayRef<Value> indices);
  void emitLoops(const Position &from, ArrayRef<Value> to,
                 ArrayRef<int64_t> steps,
                 function_ref<void(const Position &)> body);
  void copyElement(const Position &at);
  void copyBlock(const Position &at, int64_t rows, int64_t columns);
  void emitBlocks(int64_t rows, int64_t columns,
                  function_ref<void(const Position &)> whole);
  Position moved(const Position &at, unsigned dim, int64_t by);
  Value loadRow(const Position &at, int64_t valid);
  void transposeSquare(const Position &at, int64_t along);
  void interleave(const Position &at);

  ImplicitLocOpBuilder &b;
  Value source, packed, first, end;
  ArrayRef<int64_t> dims, strides, sizes, shape;
  Type element;
  Shuffle shuffle;
  int64_t lanes;
};
} // namespace

/// Where in the operand a position of the packed form comes from.
PackEmitter::Position PackEmitter::indicesOf(const Position &at) {
  Position indices(shape.size(), number(0));
  for (auto [i, value] : llvm::enumerate(at)) {
    Value offset = arith::MulIOp::create(b, value, number(strides[i]));
    indices[dims[i]] = arith::AddIOp::create(b, indices[dims[i]], offset);
  }
  return indices;
}

Value PackEmitter::isInside(ArrayRef<Value> indices) {
  Value inside = arith::ConstantIntOp::create(b, 1, 1);
  for (auto [dim, index] : llvm::enumerate(indices)) {
    Value ok = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, index,
                                     sizeOf(source, dim));
    inside = arith::AndIOp::create(b, inside, ok);
  }
  return inside;
}

PackEmitter::Position PackEmitter::moved(const Position &at, unsigned dim,
                                         int64_t by) {
  Position there(at);
  there[dim] = arith::AddIOp::create(b, there[dim], number(by));
  return there;
}

void PackEmitter::emitLoops(const Position &from, ArrayRef<Value> to,
                            ArrayRef<int64_t> steps,
                            function_ref<void(const Position &)> body) {
  Position by =
      llvm::map_to_vector(steps, [&](int64_t s) { return number(s); });
  scf::buildLoopNest(b, b.getLoc(), from, to, by,
                     [&](OpBuilder &inner, Location, ValueRange position) {
                       OpBuilder::InsertionGuard guard(b);
                       b.restoreInsertionPoint(inner.saveInsertionPoint());
                       body(Position(position));
                     });
}

/// Reads the operand where the packed position lies inside it, else zero. Every
/// dimension of the operand has a loop or a known size, so that of an operand
/// without elements there is no position.
void PackEmitter::copyElement(const Position &at) {
  Position indices = indicesOf(at);
  Value inside = isInside(indices);
  Position clamped;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    Value last = b.createOrFold<arith::SubIOp>(sizeOf(source, dim), number(1));
    clamped.push_back(arith::MinUIOp::create(b, index, last));
  }
  Value value = memref::LoadOp::create(b, source, clamped);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element));
  value = arith::SelectOp::create(b, inside, value, zero);
  memref::StoreOp::create(b, value, packed, at);
}

/// Where the loops over the packed form end; of the outermost one it is where
/// the worker's share does.
SmallVector<Value> PackEmitter::packedEnds() {
  SmallVector<Value> ends{end};
  for (unsigned dim = 1; dim < sizes.size(); ++dim)
    ends.push_back(sizeOf(packed, dim));
  return ends;
}

/// A part of the last two dimensions, one element after the other.
void PackEmitter::copyBlock(const Position &at, int64_t rows, int64_t columns) {
  emitLoops({number(0), number(0)}, {number(rows), number(columns)}, {1, 1},
            [&](const Position &inner) {
              Position there(at);
              for (unsigned i : {0, 1}) {
                Value &index = there[there.size() - 2 + i];
                index = arith::AddIOp::create(b, index, inner[i]);
              }
              copyElement(there);
            });
}

/// All blocks of the last two dimensions: those inside of the operand by
/// `whole`. The rows that blocks leave are copied one by one.
void PackEmitter::emitBlocks(int64_t rows, int64_t columns,
                             function_ref<void(const Position &)> whole) {
  size_t rank = sizes.size();
  Position from(rank, number(0)), to = packedEnds();
  SmallVector<int64_t> steps(rank, 1);
  from[0] = first;
  steps[rank - 2] = rows;
  steps[rank - 1] = columns;
  Value allRows = to[rank - 2];
  to[rank - 2] = b.createOrFold<arith::SubIOp>(
      allRows, b.createOrFold<arith::RemUIOp>(allRows, number(rows)));
  emitLoops(from, to, steps, [&](const Position &at) {
    Position last = moved(moved(at, rank - 2, rows - 1), rank - 1, columns - 1);
    auto branch = scf::IfOp::create(b, isInside(indicesOf(last)),
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    whole(at);
    b.setInsertionPointToStart(branch.elseBlock());
    copyBlock(at, rows, columns);
  });
  if (!ShapedType::isDynamic(sizes[rank - 2]) && sizes[rank - 2] % rows == 0)
    return;
  from[rank - 2] = to[rank - 2];
  to[rank - 2] = allRows;
  steps[rank - 2] = steps[rank - 1] = 1;
  emitLoops(from, to, steps, [&](const Position &at) { copyElement(at); });
}

Value PackEmitter::loadRow(const Position &at, int64_t valid) {
  auto type = VectorType::get({lanes}, element);
  Position indices = indicesOf(at);
  if (valid == lanes)
    return vector::LoadOp::create(b, type, source, indices);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  return vector::MaskedLoadOp::create(b, type, source, indices,
                                      firstLanesMask(b, lanes, valid), zero);
}

void PackEmitter::transposeSquare(const Position &at, int64_t along) {
  unsigned across = sizes.size() - 1;
  SmallVector<Value> square;
  for (int64_t row = 0; row < lanes; ++row)
    square.push_back(loadRow(moved(at, across, row), along));
  transposeRows(b, square);
  for (int64_t column = 0; column < along; ++column)
    vector::StoreOp::create(b, square[column], packed,
                            moved(at, across - 1, column));
}

void PackEmitter::interleave(const Position &at) {
  unsigned group = sizes.size() - 1;
  SmallVector<Value> parts;
  for (int64_t row = 0; row < sizes[group]; ++row)
    parts.push_back(loadRow(moved(at, group, row), lanes));
  // 0 2 and 1 3 first, so that the last interleaving makes neighbours.
  auto zip = [&](Value x, Value y) -> Value {
    return vector::InterleaveOp::create(b, x, y);
  };
  Value all = zip(zip(parts[0], parts[2]), zip(parts[1], parts[3]));
  vector::StoreOp::create(b, all, packed, at);
}

void PackEmitter::emit() {
  size_t rank = sizes.size();
  if (lanes > 0 && shuffle == Shuffle::Transpose) {
    bool isShort = !ShapedType::isDynamic(sizes[rank - 2]);
    int64_t rows = isShort ? std::min(lanes, sizes[rank - 2]) : lanes;
    return emitBlocks(rows, lanes,
                      [&](const Position &at) { transposeSquare(at, rows); });
  }
  if (lanes > 0)
    return emitBlocks(lanes, sizes[rank - 1],
                      [&](const Position &at) { interleave(at); });
  Position from(rank, number(0));
  from[0] = first;
  emitLoops(from, packedEnds(), SmallVector<int64_t>(rank, 1),
            [&](const Position &at) { copyElement(at); });
}

func::FuncOp emitPacking(Location loc, RankedTensorType source,
                         const PackedOperand &pack, OpBuilder &at,
                         StringRef name) {
  auto memref = [](RankedTensorType type) {
    return MemRefType::get(type.getShape(), type.getElementType());
  };
  Type index = at.getIndexType();
  auto func = func::FuncOp::create(
      at, loc, name,
      at.getFunctionType({memref(source), memref(pack.type), index, index},
                         {}));
  func.setPrivate();
  func->setAttr("krnl.kernel", at.getUnitAttr());
  ImplicitLocOpBuilder b(loc, at.getContext());
  b.setInsertionPointToStart(func.addEntryBlock());
  PackEmitter(b, func, pack).emit();
  func::ReturnOp::create(b);
  return func;
}

} // namespace onnxc::krnl
