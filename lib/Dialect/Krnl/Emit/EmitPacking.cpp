//===- EmitPacking.cpp - Packing at run time --------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Where the recipe says so, contiguous elements of the operand are loaded as
// vectors, and perhaps shuffled in registers:
//
//   packed [.., along]           a line of the operand, vector by vector
//   packed [.., along, across]   a square of the operand becomes columns
//   packed [.., along, group]    the few bytes of a group lie in rows of it
//
// Of a square that reaches beyond the operand the rows that exist are loaded;
// one without any is zero. Groups beyond it are read element by element.
// Dynamic sizes, of the operand and of its packed form, come with both.
//===----------------------------------------------------------------------===//

#include "LaneIndex.h"
#include "VectorAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "onnxc/Dialect/Krnl/Emit/EmitKernel.h"
#include "onnxc/Target/IR/ByteInstructions.h"

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
  Value isInsideAt(ArrayRef<Value> indices, unsigned dim);
  void emitEither(Value condition, function_ref<void()> first,
                  function_ref<void()> second);
  void emitLoops(const Position &from, ArrayRef<Value> to,
                 ArrayRef<int64_t> steps,
                 function_ref<void(const Position &)> body);
  void copyElement(const Position &at);
  void copyBlock(const Position &at, int64_t rows, int64_t columns);
  void emitBlocks(Value begin, Value end, int64_t rows, int64_t columns,
                  function_ref<void(const Position &)> whole,
                  function_ref<void(const Position &)> ragged);
  Position moved(const Position &at, unsigned dim, int64_t by);
  Value zeros();
  Value loadRow(ArrayRef<Value> indices, int64_t valid);
  Value loadRowIfInside(const Position &at, int64_t valid);
  void storeColumns(const Position &at, ArrayRef<Value> columns);
  void transposeSquare(const Position &at, int64_t along, bool isWhole);
  void transposeRagged(const Position &at, int64_t along);
  void emitSquares(Value begin, Value end, int64_t along);
  void emitTransposed();
  void interleave(const Position &at);
  void copyLine(const Position &at, function_ref<Value(const Position &)> load);
  Value loadUpToEnd(const Position &at);
  void copyRagged(const Position &at);

  ImplicitLocOpBuilder &b;
  Value source, packed, first, end;
  ArrayRef<int64_t> dims, strides, sizes, shape;
  Type element;
  std::optional<Shuffle> shuffle;
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

Value PackEmitter::isInsideAt(ArrayRef<Value> indices, unsigned dim) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, indices[dim],
                               sizeOf(source, dim));
}

Value PackEmitter::isInside(ArrayRef<Value> indices) {
  Value inside = arith::ConstantIntOp::create(b, 1, 1);
  for (unsigned dim : llvm::seq<unsigned>(indices.size()))
    inside = arith::AndIOp::create(b, inside, isInsideAt(indices, dim));
  return inside;
}

void PackEmitter::emitEither(Value condition, function_ref<void()> first,
                             function_ref<void()> second) {
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  first();
  b.setInsertionPointToStart(branch.elseBlock());
  second();
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

/// Blocks of the last two dimensions, from row `begin` to row `end`: those
/// inside of the operand by `whole`, others by `ragged`.
void PackEmitter::emitBlocks(Value begin, Value end, int64_t rows,
                             int64_t columns,
                             function_ref<void(const Position &)> whole,
                             function_ref<void(const Position &)> ragged) {
  size_t rank = sizes.size();
  Position from(rank, number(0)), to = packedEnds();
  SmallVector<int64_t> steps(rank, 1);
  from[0] = first;
  from[rank - 2] = begin;
  to[rank - 2] = end;
  steps[rank - 2] = rows;
  steps[rank - 1] = columns;
  emitLoops(from, to, steps, [&](const Position &at) {
    Position last = moved(moved(at, rank - 2, rows - 1), rank - 1, columns - 1);
    emitEither(
        isInside(indicesOf(last)), [&] { whole(at); }, [&] { ragged(at); });
  });
}

Value PackEmitter::zeros() {
  return arith::ConstantOp::create(
      b, b.getZeroAttr(VectorType::get({lanes}, element)));
}

Value PackEmitter::loadRow(ArrayRef<Value> indices, int64_t valid) {
  auto type = VectorType::get({lanes}, element);
  if (valid == lanes)
    return vector::LoadOp::create(b, type, source, indices);
  return vector::MaskedLoadOp::create(b, type, source, indices,
                                      firstLanesMask(b, lanes, valid), zeros());
}

/// Zero for a row beyond the operand, in place of which the last one is read.
Value PackEmitter::loadRowIfInside(const Position &at, int64_t valid) {
  Position indices = indicesOf(at);
  unsigned dim = dims.back();
  Value inside = isInsideAt(indices, dim);
  Value last = b.createOrFold<arith::SubIOp>(sizeOf(source, dim), number(1));
  indices[dim] = arith::MinUIOp::create(b, indices[dim], last);
  return arith::SelectOp::create(b, inside, loadRow(indices, valid), zeros());
}

void PackEmitter::storeColumns(const Position &at, ArrayRef<Value> columns) {
  for (auto [column, value] : llvm::enumerate(columns))
    vector::StoreOp::create(b, value, packed,
                            moved(at, sizes.size() - 2, int64_t(column)));
}

void PackEmitter::transposeSquare(const Position &at, int64_t along,
                                  bool isWhole) {
  SmallVector<Value> square;
  for (int64_t row = 0; row < lanes; ++row) {
    Position there = moved(at, sizes.size() - 1, row);
    square.push_back(isWhole ? loadRow(indicesOf(there), along)
                             : loadRowIfInside(there, along));
  }
  transposeRows(b, square);
  storeColumns(at, ArrayRef(square).take_front(along));
}

/// A square of which some rows or all are beyond the operand. Rows are whole.
void PackEmitter::transposeRagged(const Position &at, int64_t along) {
  emitEither(
      isInside(indicesOf(at)),
      [&] { transposeSquare(at, along, /*isWhole=*/false); },
      [&] { storeColumns(at, SmallVector<Value>(along, zeros())); });
}

void PackEmitter::emitSquares(Value begin, Value end, int64_t along) {
  emitBlocks(
      begin, end, along, lanes,
      [&](const Position &at) { transposeSquare(at, along, /*isWhole=*/true); },
      [&](const Position &at) { transposeRagged(at, along); });
}

/// What squares leave of each row is a narrow block, of known width, or copied
/// element by element.
void PackEmitter::emitTransposed() {
  size_t rank = sizes.size();
  int64_t width = sizes[rank - 2];
  Position from(rank, number(0)), to = packedEnds();
  Value end = to[rank - 2];
  Value squares = b.createOrFold<arith::SubIOp>(
      end, b.createOrFold<arith::RemUIOp>(end, number(lanes)));
  if (ShapedType::isDynamic(width) || width >= lanes)
    emitSquares(number(0), squares, lanes);
  if (!ShapedType::isDynamic(width)) {
    if (width % lanes != 0)
      emitSquares(squares, end, width % lanes);
    return;
  }
  from[0] = first;
  from[rank - 2] = squares;
  emitLoops(from, to, SmallVector<int64_t>(rank, 1),
            [&](const Position &at) { copyElement(at); });
}

void PackEmitter::interleave(const Position &at) {
  unsigned group = sizes.size() - 1;
  SmallVector<Value> parts;
  for (int64_t row = 0; row < sizes[group]; ++row)
    parts.push_back(loadRow(indicesOf(moved(at, group, row)), lanes));
  auto zip = [&](Value x, Value y) -> Value {
    return vector::InterleaveOp::create(b, x, y);
  };
  // 0 2 and 1 3 first, so that the last interleaving makes adjacent elements.
  Value all = parts.size() == size_t(bytesOfPair)
                  ? zip(parts[0], parts[1])
                  : zip(zip(parts[0], parts[2]), zip(parts[1], parts[3]));
  vector::StoreOp::create(b, all, packed, at);
}

/// The last dimension at a position, vector by vector.
void PackEmitter::copyLine(const Position &at,
                           function_ref<Value(const Position &)> load) {
  size_t last = sizes.size() - 1;
  for (int64_t column = 0; column < sizes[last]; column += lanes) {
    Position there = moved(at, last, column);
    vector::StoreOp::create(b, load(there), packed, there);
  }
}

/// The elements of a row before its end, then zeros.
Value PackEmitter::loadUpToEnd(const Position &at) {
  Position indices = indicesOf(at);
  unsigned dim = dims.back();
  Value size = sizeOf(source, dim);
  indices[dim] = arith::MinUIOp::create(b, indices[dim], size);
  auto type = VectorType::get({lanes}, element);
  Value left = arith::SubIOp::create(b, size, indices[dim]);
  Value mask = vector::CreateMaskOp::create(
      b, VectorType::get({lanes}, b.getI1Type()), left);
  return vector::MaskedLoadOp::create(b, type, source, indices, mask, zeros());
}

/// A line that ends beyond the operand, or is no part of it.
void PackEmitter::copyRagged(const Position &at) {
  emitEither(
      isInside(indicesOf(at)),
      [&] { copyLine(at, [&](const Position &p) { return loadUpToEnd(p); }); },
      [&] { copyLine(at, [&](const Position &) { return zeros(); }); });
}

void PackEmitter::emit() {
  size_t rank = sizes.size();
  if (lanes > 0 && !shuffle)
    return emitBlocks(
        number(0), packedEnds()[rank - 2], 1, sizes[rank - 1],
        [&](const Position &at) {
          copyLine(at, [&](const Position &there) {
            return loadRow(indicesOf(there), lanes);
          });
        },
        [&](const Position &at) { copyRagged(at); });
  if (lanes > 0 && shuffle == Shuffle::Transpose)
    return emitTransposed();
  if (lanes > 0)
    return emitBlocks(
        number(0), packedEnds()[rank - 2], lanes, sizes[rank - 1],
        [&](const Position &at) { interleave(at); },
        [&](const Position &at) { copyBlock(at, lanes, sizes[rank - 1]); });
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
  func->setAttr(KrnlDialect::kernelAttrName, at.getUnitAttr());
  ImplicitLocOpBuilder b(loc, at.getContext());
  b.setInsertionPointToStart(func.addEntryBlock());
  PackEmitter(b, func, pack).emit();
  func::ReturnOp::create(b);
  return func;
}

} // namespace onnxc::krnl
