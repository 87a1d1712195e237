//===- MaskedStores.cpp - Stores of some lanes of a vector ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Where masks are not free, the first n lanes are stored in pieces of powers of
// two, those of the bits of n:
//
//   n = 6 of 8   store lanes 0 to 3, store lanes 4 and 5
//
// On AMD processors before Zen 4 the instruction takes the time of 12 or more
// stores; others have none, and LLVM asks for each lane.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "onnxc/Target/IR/Target.h"

using namespace mlir;

namespace onnxc {

/// The lanes that a constant mask sets, if it is one.
static std::optional<SmallVector<bool>> constantLanes(Value mask) {
  DenseElementsAttr lanes;
  if (matchPattern(mask, m_Constant(&lanes)))
    return llvm::to_vector(lanes.getValues<bool>());
  int64_t first = 0;
  if (auto constant = mask.getDefiningOp<vector::ConstantMaskOp>())
    first = constant.getMaskDimSizes().front();
  else if (auto create = mask.getDefiningOp<vector::CreateMaskOp>()) {
    std::optional<int64_t> known = getConstantIntValue(create.getOperand(0));
    if (!known)
      return std::nullopt;
    first = *known;
  } else {
    return std::nullopt;
  }
  SmallVector<bool> set;
  for (int64_t lane : llvm::seq(cast<VectorType>(mask.getType()).getDimSize(0)))
    set.push_back(lane < first);
  return set;
}

/// One element is stored by itself. LLVM does the same, but for bytes that were
/// truncated from wider lanes it then writes the width of a lane.
static void storeSingleLane(vector::MaskedStoreOp op, int64_t lane) {
  OpBuilder b(op);
  SmallVector<Value> at(op.getIndices());
  at.back() = b.createOrFold<arith::AddIOp>(
      op.getLoc(), at.back(),
      arith::ConstantIndexOp::create(b, op.getLoc(), lane));
  Value element = vector::ExtractOp::create(
      b, op.getLoc(), op.getValueToStore(), ArrayRef<int64_t>{lane});
  memref::StoreOp::create(b, op.getLoc(), element, op.getBase(), at);
  op.erase();
}

namespace {

/// Stores the first lanes of vectors, as many of each, in pieces.
class PieceWriter {
public:
  /// `stores` are adjacent and have one mask; the last of them is where the
  /// pieces are stored.
  explicit PieceWriter(MutableArrayRef<vector::MaskedStoreOp> stores)
      : stores(stores), b(stores.back().getLoc(), stores.back()),
        lanes(stores.back().getVectorType().getDimSize(0)) {
    for (vector::MaskedStoreOp store : stores)
      rests.push_back(store.getValueToStore());
  }

  void storeKnown(int64_t count);
  void store(Value count);

private:
  Value part(Value vector, int64_t first, int64_t size);
  void storePieces(ArrayRef<Value> pieces, Value offset);
  Value bitsOf(Value count, int64_t bits);

  MutableArrayRef<vector::MaskedStoreOp> stores;
  ImplicitLocOpBuilder b;
  int64_t lanes;
  /// The lanes of each vector that are not stored yet, and maybe others.
  SmallVector<Value> rests;
};

} // namespace

Value PieceWriter::part(Value vector, int64_t first, int64_t size) {
  if (size == cast<VectorType>(vector.getType()).getDimSize(0))
    return vector;
  return vector::ShuffleOp::create(
      b, vector, vector, llvm::to_vector(llvm::seq(first, first + size)));
}

void PieceWriter::storePieces(ArrayRef<Value> pieces, Value offset) {
  for (auto [to, piece] : llvm::zip_equal(stores, pieces)) {
    SmallVector<Value> at(to.getIndices());
    at.back() = b.createOrFold<arith::AddIOp>(at.back(), offset);
    if (cast<VectorType>(piece.getType()).getDimSize(0) == 1)
      memref::StoreOp::create(
          b, vector::ExtractOp::create(b, piece, ArrayRef<int64_t>{0}),
          to.getBase(), at);
    else
      vector::StoreOp::create(b, piece, to.getBase(), at);
  }
}

void PieceWriter::storeKnown(int64_t count) {
  int64_t first = 0;
  for (int64_t size = lanes; size > 0; size /= 2) {
    if (!(count & size))
      continue;
    storePieces(llvm::map_to_vector(
                    rests, [&](Value all) { return part(all, first, size); }),
                arith::ConstantIndexOp::create(b, first));
    first += size;
  }
}

Value PieceWriter::bitsOf(Value count, int64_t bits) {
  return arith::AndIOp::create(b, count,
                               arith::ConstantIndexOp::create(b, bits));
}

void PieceWriter::store(Value count) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  count = arith::MinSIOp::create(b, arith::MaxSIOp::create(b, count, zero),
                                 arith::ConstantIndexOp::create(b, lanes));
  for (int64_t size = lanes; size > 0; size /= 2) {
    // What is left of the vectors has `2 * size` lanes; all lanes leave none.
    bool goesOn = size > 1 && size < lanes;
    SmallVector<Value> lower, upper;
    for (Value rest : rests) {
      lower.push_back(part(rest, 0, size));
      if (goesOn)
        upper.push_back(part(rest, size, size));
    }
    Value offset = bitsOf(count, -2 * size);
    Value isStored = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                           bitsOf(count, size), zero);
    auto branch = scf::IfOp::create(b, TypeRange(ValueRange(upper)), isStored,
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/goesOn);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    storePieces(lower, offset);
    scf::YieldOp::create(b, upper);
    if (!goesOn)
      continue;
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, lower);
    rests = llvm::to_vector_of<Value>(branch.getResults());
  }
}

/// Stores the lanes in pieces if they are the first ones of a power of two.
static void storeInPieces(MutableArrayRef<vector::MaskedStoreOp> stores) {
  Value mask = stores.front().getMask();
  auto create = mask.getDefiningOp<vector::CreateMaskOp>();
  if (std::optional<SmallVector<bool>> known = constantLanes(mask)) {
    if (!llvm::is_sorted(*known, std::greater<>()))
      return;
    PieceWriter(stores).storeKnown(llvm::count(*known, true));
  } else if (create) {
    PieceWriter(stores).store(create.getOperand(0));
  } else {
    return;
  }
  for (vector::MaskedStoreOp store : stores)
    store.erase();
}

/// Stores of one mask that nothing reads or writes memory between.
static SmallVector<SmallVector<vector::MaskedStoreOp>>
adjacentStores(Operation *root) {
  SmallVector<SmallVector<vector::MaskedStoreOp>> groups;
  root->walk([&](Block *block) {
    bool isAdjacent = false;
    for (Operation &op : *block) {
      auto store = dyn_cast<vector::MaskedStoreOp>(op);
      if (!store) {
        isAdjacent &= isMemoryEffectFree(&op);
        continue;
      }
      VectorType type = store.getVectorType();
      if (type.getRank() != 1 || !llvm::isPowerOf2_64(type.getDimSize(0))) {
        isAdjacent = false;
        continue;
      }
      if (!isAdjacent || groups.back().back().getMask() != store.getMask())
        groups.emplace_back();
      groups.back().push_back(store);
      isAdjacent = true;
    }
  });
  return groups;
}

void expandMaskedStores(ModuleOp module) {
  module.walk([](vector::MaskedStoreOp op) {
    std::optional<SmallVector<bool>> lanes;
    if (op.getVectorType().getRank() == 1)
      lanes = constantLanes(op.getMask());
    if (lanes && llvm::count(*lanes, true) == 1)
      storeSingleLane(op, llvm::find(*lanes, true) - lanes->begin());
  });
  target::Processor processor = krnl::TargetAttr::processorOf(module);
  if (processor.freeMasks || processor.isDevice())
    return;
  auto groups = adjacentStores(module);
  for (SmallVector<vector::MaskedStoreOp> &stores : groups)
    storeInPieces(stores);
}

} // namespace onnxc
