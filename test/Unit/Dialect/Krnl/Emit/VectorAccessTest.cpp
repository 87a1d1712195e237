//===- VectorAccessTest.cpp - Vectors in and out of memory ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "VectorAccess.h"

#include "EmitTest.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace {

class VectorAccessTest : public EmitTest {
protected:
  VectorAccessTest() : access(b, math) {
    memref = openFunction({MemRefType::get({64, 48}, b.getF32Type())})[0];
  }

  VectorAccess access;
  Value memref;
};

/// The index of lane 0, and how far each lane is from the one before.
LaneIndex lane(int64_t first, int64_t step) { return {{}, first, step, {}}; }

TEST_F(VectorAccessTest, AdjacentAreOneVector) {
  access.load(memref, {lane(3, 0), lane(0, 1)}, 8, {});
  access.store(memref, {lane(4, 0), lane(0, 1)},
               access.load(memref, {lane(0, 0), lane(0, 0)}, 1, {}), 8, {});
  closeFunction();
  EXPECT_EQ(count<vector::LoadOp>(), 1u);
  EXPECT_EQ(count<vector::StoreOp>(), 1u);
  EXPECT_EQ(count<memref::LoadOp>(), 1u);
  // One value becomes that of all lanes.
  EXPECT_EQ(count<vector::BroadcastOp>(), 1u);
}

TEST_F(VectorAccessTest, LanesOutsideOfTheMaskAreNotRead) {
  Value mask = firstLanesMask(b, 8, 5);
  access.load(memref, {lane(3, 0), lane(0, 1)}, 8, mask);
  closeFunction();
  EXPECT_EQ(count<vector::LoadOp>(), 0u);
  EXPECT_EQ(count<vector::MaskedLoadOp>(), 1u);
}

TEST_F(VectorAccessTest, StridesOfTheRecipeAreVectorsAndShuffles) {
  access.load(memref, {lane(3, 0), lane(0, 3)}, 8, {}, {3});
  EXPECT_EQ(access.evenStep(memref, {lane(3, 0), lane(0, 3)}), 3);
  closeFunction();
  EXPECT_EQ(count<vector::LoadOp>(), 3u);
  EXPECT_EQ(count<vector::ShuffleOp>(), 2u);
  EXPECT_EQ(count<vector::GatherOp>(), 0u);
  // Nothing is touched after the last lane, which is element 21.
  int64_t last = 0;
  module->walk([&](vector::LoadOp load) {
    last = std::max(last, *getConstantIntValue(load.getIndices().back()));
  });
  EXPECT_EQ(last + 7, 21);
}

TEST_F(VectorAccessTest, OtherStridesAreGathered) {
  access.load(memref, {lane(3, 0), lane(0, 3)}, 8, {}, {2, 4});
  closeFunction();
  EXPECT_EQ(count<vector::GatherOp>(), 1u);
}

TEST_F(VectorAccessTest, ColumnsAreGathered) {
  access.load(memref, {lane(0, 1), lane(5, 0)}, 8, {});
  access.store(memref, {lane(0, 1), lane(5, 0)},
               arith::ConstantOp::create(b, b.getF32FloatAttr(1)), 8, {});
  closeFunction();
  EXPECT_EQ(count<vector::GatherOp>(), 1u);
  EXPECT_EQ(count<vector::ScatterOp>(), 1u);
}

TEST_F(VectorAccessTest, PartsBetweenEachOtherAreStoredTogether) {
  Value even = access.load(memref, {lane(0, 0), lane(0, 1)}, 8, {}),
        odd = access.load(memref, {lane(1, 0), lane(0, 1)}, 8, {});
  access.storeInterleaved(memref, {lane(2, 0), lane(0, 2)}, {even, odd}, {});
  closeFunction();
  EXPECT_EQ(count<vector::StoreOp>(), 2u);
  EXPECT_EQ(count<vector::ScatterOp>(), 0u);
  SmallVector<int64_t> picks;
  module->walk([&](vector::ShuffleOp shuffle) {
    if (picks.empty())
      picks.assign(shuffle.getMask().begin(), shuffle.getMask().end());
  });
  EXPECT_EQ(picks, (SmallVector<int64_t>{0, 8, 1, 9, 2, 10, 3, 11}));
}

TEST_F(VectorAccessTest, RowsBecomeColumns) {
  // 8 rows of 4 elements; of the lanes after them nothing is read.
  SmallVector<Value> columns = access.loadTransposed(
      memref, {lane(0, 1), lane(16, 0)}, 8, b.getIndexAttr(6), 4);
  Lines lines{memref, {lane(0, 1), lane(32, 0)}, 4, /*freeMasks=*/true};
  access.storeLines(ArrayRef(columns).take_front(4), lines, b.getIndexAttr(8));
  closeFunction();
  EXPECT_EQ(columns.size(), 4u);
  EXPECT_EQ(count<vector::LoadOp>(), 6u);
  EXPECT_EQ(count<vector::StoreOp>(), 8u);
  EXPECT_EQ(count<vector::GatherOp>() + count<vector::ScatterOp>(), 0u);
}

TEST_F(VectorAccessTest, FewColumnsAreNarrowSquaresSideBySide) {
  // 8 rows of 3 elements: two squares of four, without the fourth column.
  SmallVector<Value> columns = access.loadTransposed(
      memref, {lane(0, 1), lane(16, 0)}, 8, b.getIndexAttr(8), 3);
  closeFunction();
  EXPECT_EQ(columns.size(), 4u);
  EXPECT_EQ(columns[0].getType(), VectorType::get({8}, b.getF32Type()));
  EXPECT_EQ(count<vector::MaskedLoadOp>(), 8u);
  // Rows four apart are put beside each other, and two steps transpose them.
  EXPECT_EQ(count<vector::ShuffleOp>(), 4u + 2 * 4u);
  module->walk([&](vector::MaskedLoadOp load) {
    EXPECT_EQ(load.getVectorType().getNumElements(), 4);
  });
  auto first = columns[0].getDefiningOp<vector::ShuffleOp>();
  EXPECT_EQ(llvm::to_vector(first.getMask()),
            (SmallVector<int64_t>{0, 1, 8, 9, 4, 5, 12, 13}));
}

TEST_F(VectorAccessTest, LanesMayBeAdjacentInOneColumn) {
  func.erase();
  int64_t unknown = ShapedType::kDynamic;
  Value columns =
      openFunction({MemRefType::get({unknown, unknown}, b.getF32Type())})[0];
  SmallVector<LaneIndex> at{lane(0, 1), lane(0, 0)};
  access.store(columns, at, access.load(columns, at, 8, {}), 8, {});
  access.load(columns, at, 8, firstLanesMask(b, 8, 5));
  closeFunction();
  EXPECT_EQ(count<scf::IfOp>(), 3u);
  auto isApart = [](Operation &op) {
    return isa<vector::GatherOp, vector::ScatterOp>(op);
  };
  module->walk([&](scf::IfOp either) {
    EXPECT_EQ(llvm::count_if(*either.thenBlock(), isApart), 0);
    EXPECT_EQ(llvm::count_if(*either.elseBlock(), isApart), 1);
  });
}

TEST_F(VectorAccessTest, LanesAreNotAdjacentInSeveralColumns) {
  func.erase();
  int64_t unknown = ShapedType::kDynamic;
  Value columns =
      openFunction({MemRefType::get({unknown, unknown, 3}, b.getF32Type())})[0];
  access.load(columns, {lane(0, 1), lane(0, 0), lane(0, 0)}, 8, {});
  access.load(columns, {lane(0, 0), lane(0, 1), lane(0, 1)}, 8, {});
  closeFunction();
  EXPECT_EQ(count<vector::GatherOp>(), 2u);
  EXPECT_EQ(count<scf::IfOp>(), 0u);
}

TEST_F(VectorAccessTest, LastRowReplacesThoseAfterIt) {
  Value one = arith::ConstantIndexOp::create(b, 1),
        rows = arith::AddIOp::create(b, one, one);
  SmallVector<Value> columns =
      access.loadTransposed(memref, {lane(0, 1), lane(16, 0)}, 8, rows, 8);
  closeFunction();
  EXPECT_EQ(columns.size(), 8u);
  EXPECT_EQ(count<vector::LoadOp>(), 8u);
  EXPECT_EQ(count<arith::MinSIOp>(), 7u);
}

} // namespace
