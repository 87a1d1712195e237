//===- MmaEmitter.cpp - Products of matrices by a warp ----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The threads of a warp have the sums of an mma as its recipe distributes them,
// but the factors otherwise: thread 4 * g + t has four bytes along the sums of
// rows g and g + 8, and of column g. Its loops stand at these positions while
// the factors are read, from any memory.
//
// Rows of 16 bytes in memory that threads share, a slice or the result of
// another op, are loaded by krnl.load_matrix, which needs the position of one
// row of each thread.
//===----------------------------------------------------------------------===//

#include "Device/MmaEmitter.h"

#include "onnxc/Dialect/Krnl/Emit/EmitPolicy.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PaddedLoops.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace onnxc::krnl {

/// Bytes that a thread has next to each other, and of a row of a matrix.
static constexpr int64_t wordBytes = 4, rowBytes = 16;
/// Rows of a matrix, and threads that have parts of one of its rows.
static constexpr int64_t matrixRows = 8, rowParts = 4;

const Mma *MmaEmitter::productsOf(const OpState &state) {
  const Mma *mma = mmaOf(nest, state.number);
  if (!mma || active[mma->products].instances == 1 || !policy.tileThreads() ||
      !policy.tileThreads()->multipliesMatrices(*matrixProductOf(state.op)))
    return nullptr;
  return mma;
}

/// A factor in memory that threads share: a slice of an operand, or the result
/// of another op.
struct MmaEmitter::SharedFactor {
  OpOperand &operand;
  /// Null for a result.
  const CachedSlice *slice;
  Value memref;
  /// Elements from one iteration to the next one of each loop that the factor
  /// depends on inside of a tile.
  SmallVector<std::pair<unsigned, int64_t>> strides;
  /// The element of the first iterations.
  int64_t first = 0;

  int64_t strideOf(unsigned loop) const {
    const auto *stride =
        llvm::find_if(strides, [&](auto pair) { return pair.first == loop; });
    return stride == strides.end() ? 0 : stride->second;
  }
  /// Returns true if the first iterations, and those of all other loops, begin
  /// at a multiple of so many elements.
  bool areLines(ArrayRef<unsigned> along, int64_t elements) const {
    return first % elements == 0 && llvm::all_of(strides, [&](auto pair) {
             return llvm::is_contained(along, pair.first) ||
                    pair.second % elements == 0;
           });
  }
  std::optional<bool> isTransposed(const Mma &mma, bool isRows) const;
};

/// Returns false if the row of a matrix is a line along the sums, and true if
/// it is one along rows or columns (transposed). Nothing if neither is.
std::optional<bool> MmaEmitter::SharedFactor::isTransposed(const Mma &mma,
                                                           bool isRows) const {
  int64_t line = rowBytes * 8 /
                 getElementTypeOrSelf(operand.get()).getIntOrFloatBitWidth();
  if (strideOf(mma.products) == 1 && areLines(mma.products, line))
    return false;
  if (strideOf(mma.products) == 0 || line != matrixRows)
    return std::nullopt;
  if (isRows)
    return strideOf(mma.rowThreads) == 1 && areLines(mma.rowThreads, line)
               ? std::optional(true)
               : std::nullopt;
  return strideOf(mma.columnCopies) == 1 && strideOf(mma.columnThreads) == 2 &&
                 areLines({mma.columnCopies, mma.columnThreads}, line)
             ? std::optional(true)
             : std::nullopt;
}

/// The element of a tensor of this shape that is accessed where all loops are
/// at their first iteration; nothing if it is not known.
static std::optional<int64_t> firstElement(const Access &access,
                                           ArrayRef<int64_t> shape) {
  int64_t first = 0, elements = 1;
  for (unsigned position : llvm::reverse(llvm::seq(access.getRank()))) {
    AffineExpr index = access.getIndex(position);
    SmallVector<AffineExpr> zeros(access.getNumLoops(),
                                  getAffineConstantExpr(0, index.getContext()));
    auto here = dyn_cast<AffineConstantExpr>(index.replaceDims(zeros));
    if (!here)
      return std::nullopt;
    first += here.getValue() * elements;
    elements *= shape[position];
  }
  return first;
}

/// Nothing for factors in other memory, and for those that are read with zeros
/// in the place of elements that there are not.
std::optional<MmaEmitter::SharedFactor>
MmaEmitter::sharedFactor(const OpState &state, OpOperand &operand) {
  if (const CachedSlice *slice = slices.find(operand)) {
    SharedFactor factor{operand, slice, slice->memref, {}};
    for (auto [loop, stride] : llvm::zip_equal(slice->loops, slice->strides))
      factor.strides.push_back({loop, stride});
    return slice->isShared ? std::optional(factor) : std::nullopt;
  }
  auto found = storage.slots.find(storage.chainRoot(operand.get()));
  if (found == storage.slots.end() || !found->second.isShared)
    return std::nullopt;
  Access access(nest, state.number, operand);
  if (access.hasRanges() ||
      !paddedLoops(nest, state.number, access, /*reduced=*/true).empty())
    return std::nullopt;
  SharedFactor factor{operand, nullptr, found->second.memref, {}};
  std::optional<int64_t> first = firstElement(access, found->second.localShape);
  if (!first)
    return std::nullopt;
  factor.first = *first;
  for (const LoopUse &use : nest.op(state.number).loops) {
    if (nest.isAround(use.loop, state.number) || !access.dependsOn(use.loop))
      continue;
    int64_t stride = 0, elements = 1;
    for (unsigned position : llvm::reverse(llvm::seq(access.getRank()))) {
      std::optional<int64_t> step = access.stepAt(position, use.loop);
      if (!step)
        return std::nullopt;
      stride += *step * elements;
      elements *= found->second.localShape[position];
    }
    factor.strides.push_back({use.loop, stride});
  }
  return factor;
}

/// Lets the loops of columns be at this one.
void MmaEmitter::enterColumn(const Mma &mma, LaneIndex column) {
  loops.enterIteration(mma.columnThreads, math.floorDiv(column, 2));
  loops.enterIteration(mma.columnCopies, math.mod(column, 2));
}

/// The position of the row that this thread has to know: of matrix i / 8 the
/// row i % 8. Matrices go down the rows first, then along the sums.
Value MmaEmitter::loadMatrices(OpState &state, const SharedFactor &factor,
                               const Mma &mma, const Instance &instance,
                               VectorType type, bool isRows,
                               bool isTransposed) {
  int64_t line = rowBytes * 8 / type.getElementTypeBitWidth();
  LaneIndex lane{
      math.scalar(math.mod({policy.tileThreads()->number(b), 0, 0, {}}, 32)),
      0,
      0,
      {}};
  LaneIndex row = math.mod(lane, matrixRows),
            matrix = math.floorDiv(lane, matrixRows);
  LaneIndex along = isRows ? math.floorDiv(matrix, 2) : math.mod(matrix, 2);
  LaneIndex product = math.scale(along, line), start;
  if (isTransposed) {
    product = math.add(product, row);
    row = start;
  }
  loops.enterIteration(mma.products, product);
  if (isRows) {
    loops.enterIteration(mma.rowCopies, math.mod(matrix, 2));
    loops.enterIteration(mma.rowThreads, row);
  } else {
    enterColumn(mma, row);
  }
  SmallVector<LaneIndex> indices =
      factor.slice
          ? SmallVector<LaneIndex>{slices.indexIn(*factor.slice, instance)}
          : positions.indicesOf(state, factor.operand, instance,
                                slotOf(factor.operand.get()).localDepth());
  SmallVector<Value> at = llvm::map_to_vector(
      indices, [&](const LaneIndex &index) { return math.scalar(index); });
  return LoadMatrixOp::create(b, type, factor.memref, at, isTransposed);
}

/// The elements of this thread one by one.
Value MmaEmitter::loadFactor(OpState &state, const Mma &mma, OpOperand &operand,
                             const Instance &instance, VectorType type,
                             bool isRows) {
  int64_t inWord = wordBytes * 8 / type.getElementTypeBitWidth();
  LaneIndex row{active[mma.rowThreads].base, 0, 0, {}},
      part{active[mma.columnThreads].base, 0, 0, {}};
  SmallVector<Value> elements;
  for (int64_t half : {0, 1})
    for (int64_t copy = 0; copy < (isRows ? 2 : 1); ++copy)
      for (int64_t element = 0; element < inWord; ++element) {
        LaneIndex product = math.scale(part, inWord);
        product.offset += half * rowParts * inWord + element;
        loops.enterIteration(mma.products, product);
        if (isRows) {
          loops.enterIteration(mma.rowCopies, {{}, copy, 0, {}});
          loops.enterIteration(mma.rowThreads, row);
        } else {
          enterColumn(mma, row);
        }
        elements.push_back(reader.load(state, operand, instance));
      }
  return vector::FromElementsOp::create(b, type, elements);
}

/// What this thread has of a factor: 16 rows, or 8 columns.
Value MmaEmitter::readFactor(OpState &state, const Mma &mma, OpOperand &operand,
                             const Instance &instance, bool isRows) {
  auto key = reader.keyOf(state, operand, instance);
  Instance at = key.second;
  key.second[mma.products] = -1;
  Value &known = state.reads[key];
  if (known)
    return known;
  if (std::optional<RegisterFactor> form = registerFactor(nest, operand))
    return known = kept.rowsOfMatrix(mma, operand, *form, at);
  Type element = getElementTypeOrSelf(operand.get());
  auto type = VectorType::get(
      {MatrixProduct::depthOf(element) / (isRows ? 2 : 4)}, element);
  SmallVector<ActiveLoop> saved(active);
  std::optional<SharedFactor> factor = sharedFactor(state, operand);
  std::optional<bool> isTransposed;
  if (factor)
    isTransposed = factor->isTransposed(mma, isRows);
  Value value =
      isTransposed
          ? loadMatrices(state, *factor, mma, at, type, isRows, *isTransposed)
          : loadFactor(state, mma, operand, at, type, isRows);
  active = saved;
  return known = value;
}

/// Adds the products of an instruction to the sums of the accumulated result at
/// `position`.
void MmaEmitter::multiply(OpState &state, const Mma &mma,
                          const MatrixProduct &product, unsigned position,
                          Instance instance, Values &running) {
  bool hasLanes = active[mma.columnCopies].lanes > 1;
  Value rows = readFactor(state, mma, *product.lhs, instance, true);
  Value columns = readFactor(state, mma, *product.rhs, instance, false);
  SmallVector<Value *> sums;
  SmallVector<Value> elements;
  for (int64_t row : {0, 1})
    for (int64_t column : {0, 1}) {
      instance[mma.rowCopies] = row;
      instance[mma.columnCopies] = hasLanes ? 0 : column;
      Value *sum = &running[reduction.accumulatorAt(state, instance, position)];
      sums.push_back(sum);
      elements.push_back(
          hasLanes ? vector::ExtractOp::create(b, *sum, column).getResult()
                   : *sum);
    }
  auto type =
      VectorType::get({int64_t(elements.size())}, elements.front().getType());
  Value before = vector::FromElementsOp::create(b, type, elements);
  Value after = MmaOp::create(b, type, before, rows, columns, product.lhsSigned,
                              product.rhsSigned);
  for (auto [i, sum] : llvm::enumerate(sums)) {
    Value element = vector::ExtractOp::create(b, after, int64_t(i));
    *sum = hasLanes ? vector::InsertOp::create(b, element, *sum, int64_t(i % 2))
                          .getResult()
                    : element;
  }
}

EmitContext::Values MmaEmitter::emit(OpState &state, const Mma &mma,
                                     ValueRange accumulators) {
  SmallVector<MatrixProduct> products = matrixProductsOf(state.op);
  for (MatrixProduct &product : products)
    if (!state.access(*product.lhs).dependsOn(mma.rowCopies))
      product.swap();
  Values running = llvm::to_vector(accumulators);
  auto isApart = [&](unsigned loop) {
    return loop != mma.rowCopies && loop != mma.columnCopies &&
           loop != mma.products;
  };
  for (const Instance &instance : loops.enumerate(state.number, isApart))
    for (auto [position, product] : llvm::enumerate(products))
      multiply(state, mma, product, position, instance, running);
  return running;
}

} // namespace onnxc::krnl
