//===- NestEmitterTest.cpp - Loops and tails of a nest ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Nests without ops: what stands inside of the loops is a callback here.
//
//===----------------------------------------------------------------------===//

#include "NestEmitter.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/NestBuilder.h"

#include "EmitTest.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace {

class NestEmitterTest : public EmitTest {
protected:
  NestEmitterTest() : nest(&context) {
    openFunction({b.getIndexType(), b.getIndexType()});
  }

  EmitErrorFn error() { return emit; }
  unsigned loop(StringRef name) { return *nest.find(name); }

  /// The parts of a nest that is complete.
  struct Emitter {
    Emitter(NestEmitterTest &test)
        : registers(test.nest), loops(test.nest, registers, test.math, test.b) {
      for (unsigned axis = 0; axis < test.nest.numAxes(); ++axis) {
        int64_t extent = test.nest.loop(axis).extent;
        loops.extents.push_back(
            ShapedType::isDynamic(extent)
                ? LaneIndex{test.func.getArgument(1), 0, 0, {}}
                : LaneIndex{{}, extent, 0, {}});
      }
      loops.tripCounts = loops.extents;
    }
    RegisterLoops registers;
    NestEmitter loops;
  };

  NestBuilder nest;
  std::function<InFlightDiagnostic()> function = [this] {
    return mlir::emitError(b.getLoc());
  };
  EmitErrorFn emit = function;
};

TEST_F(NestEmitterTest, WholeVectorsThenTheLanesThatAreLeft) {
  nest.addAxis("n", 100);
  nest.addOp("copy", {0}, {false});
  ASSERT_TRUE(succeeded(nest.vectorize("n", 16, error())));
  Emitter emitter(*this);
  SmallVector<int64_t> limits, offsets;
  emitter.loops.emitLoop(*nest.op(0).find(0), 0, {}, [&](ValueRange) {
    const ActiveLoop &at = emitter.loops.active[0];
    EXPECT_EQ(at.lanes, 16);
    limits.push_back(at.staticLimit);
    offsets.push_back(at.offset);
    Value mask = emitter.loops.laneMask(0, Instance{0});
    EXPECT_EQ(mask != nullptr, at.staticLimit >= 0);
    return SmallVector<Value>();
  });
  closeFunction();
  // 100 = 6 * 16 + 4
  EXPECT_EQ(limits, (SmallVector<int64_t>{-1, 4}));
  EXPECT_EQ(offsets, (SmallVector<int64_t>{0, 96}));
  EXPECT_EQ(count<scf::ForOp>(), 1u);
}

TEST_F(NestEmitterTest, LengthsOfTheRunMaskWhatIsLeft) {
  nest.addAxis("n", ShapedType::kDynamic);
  nest.addOp("copy", {0}, {false});
  ASSERT_TRUE(succeeded(nest.vectorize("n", 16, error())));
  Emitter emitter(*this);
  unsigned masked = 0;
  emitter.loops.emitLoop(*nest.op(0).find(0), 0, {}, [&](ValueRange) {
    masked += emitter.loops.laneMask(0, Instance{0}) != nullptr;
    return SmallVector<Value>();
  });
  closeFunction();
  EXPECT_EQ(masked, 1u);
  EXPECT_EQ(count<scf::ForOp>(), 2u);
  EXPECT_EQ(count<vector::CreateMaskOp>(), 1u);
}

TEST_F(NestEmitterTest, InstancesCarryValuesAndFinishOneByOne) {
  nest.addAxis("k", 10);
  nest.addOp("sum", {0}, {true});
  ASSERT_TRUE(succeeded(nest.unroll("k", 4, {}, error())));
  Emitter emitter(*this);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  SmallVector<int64_t> instances;
  SmallVector<Value> sums = emitter.loops.emitLoop(
      *nest.op(0).find(0), 0, zero, [&](ValueRange carried) {
        instances.push_back(emitter.loops.active[0].instances);
        EXPECT_EQ(
            int64_t(emitter.loops.enumerate(0, [](unsigned) { return true; })
                        .size()),
            instances.back());
        return llvm::to_vector(carried);
      });
  closeFunction();
  EXPECT_EQ(instances, (SmallVector<int64_t>{4, 1}));
  EXPECT_EQ(sums.size(), 1u);
  EXPECT_NE(sums.front(), zero);
}

/// Loops m = 32 in blocks of 8, n = 20 in blocks of 8 that are peeled.
TEST_F(NestEmitterTest, TilesArePeeledAndEntered) {
  nest.addAxis("m", 32);
  nest.addAxis("n", 20);
  nest.addOp("copy", {0, 1}, {false, false});
  ASSERT_TRUE(
      succeeded(nest.block("m", 8, TailStrategy::Mask, "m.o", "m.i", error())));
  ASSERT_TRUE(
      succeeded(nest.block("n", 8, TailStrategy::Peel, "n.o", "n.i", error())));
  ASSERT_TRUE(succeeded(nest.reorder({"m.o", "n.o", "m.i", "n.i"}, error())));
  ASSERT_TRUE(succeeded(nest.fuseOuter({"m.o", "n.o"}, error())));
  ASSERT_TRUE(succeeded(nest.parallel({"m.o", "n.o"}, error())));
  Emitter emitter(*this);
  SmallVector<OpFoldResult> extents = emitter.loops.tileExtents();
  EXPECT_EQ(getConstantIntValue(extents[0]), 4);
  EXPECT_EQ(getConstantIntValue(extents[1]), 3);
  SmallVector<unsigned> entered;
  SmallVector<ActiveLoop::BlockKind> kinds;
  emitter.loops.enterTile(getAsOpFoldResult(func.getArguments()));
  emitter.loops.emitTile(
      [&](unsigned loop) { entered.push_back(loop); },
      [](unsigned, NestEmitter::LoopSide) {},
      [&] { kinds.push_back(emitter.loops.active[loop("n.o")].part); });
  closeFunction();
  EXPECT_EQ(entered, (SmallVector<unsigned>{loop("m.o"), loop("n.o"),
                                            loop("m.o"), loop("n.o")}));
  EXPECT_EQ(kinds,
            (SmallVector<ActiveLoop::BlockKind>{ActiveLoop::BlockKind::Full,
                                                ActiveLoop::BlockKind::Last}));
  EXPECT_EQ(count<scf::IfOp>(), 1u);
}

TEST_F(NestEmitterTest, TheValueOfAnAxisIsThatOfItsBlocks) {
  nest.addAxis("n", 64);
  nest.addOp("copy", {0}, {false});
  ASSERT_TRUE(succeeded(
      nest.block("n", 16, TailStrategy::Mask, "n.o", "n.i", error())));
  Emitter emitter(*this);
  emitter.loops.active[loop("n.o")].offset = 3;
  emitter.loops.active[loop("n.i")].instances = 4;
  Instance instance(nest.loops().size(), 0);
  instance[loop("n.i")] = 2;
  LaneIndex value = emitter.loops.axisValues(0, instance, false).front();
  EXPECT_TRUE(value.isConstant());
  EXPECT_EQ(value.offset, 3 * 16 + 2);
}

} // namespace
