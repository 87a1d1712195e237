//===- StoragePlanTest.cpp - Where the tensors of a kernel live -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/StoragePlan.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/NestBuilder.h"

#include "EmitTest.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace {

/// Nothing stays in registers from one op to the next.
bool neverForwards(const BodyOp &, const BodyOp &) { return false; }

class StoragePlanTest : public EmitTest {
protected:
  void plan(StoragePlan::Forwards forwards = nullptr, bool inArena = false) {
    kernel = makeProduct();
    nest.emplace(LoopNest::replay(kernel));
    if (inArena)
      ASSERT_TRUE(
          succeeded(nest->arena("1", [&] { return kernel.emitOpError(); })));
    registers.emplace(*nest);
    storage.emplace(kernel, *nest, std::move(forwards));
    storage->assign();
    sum = cast<OpResult>(nest->op(1).op->getResult(0));
  }

  KernelOp kernel;
  std::optional<NestBuilder> nest;
  std::optional<RegisterLoops> registers;
  std::optional<StoragePlan> storage;
  OpResult sum;
};

TEST_F(StoragePlanTest, LoopsOfATileAreRegisters) {
  plan();
  EXPECT_EQ(registers->tiles().size(), 2u);
  EXPECT_TRUE(registers->isTile(*nest->find("m.i")));
  EXPECT_FALSE(registers->isTile(*nest->find("k")));
  // Sums of the tile start once, inside of the only loop that is left.
  const OpPlan &product = storage->plan(1);
  ASSERT_EQ(product.loops.size(), 1u);
  EXPECT_TRUE(product.loops.front().reduced);
  EXPECT_TRUE(product.accumulates);
  EXPECT_TRUE(product.startsOnce);
  EXPECT_EQ(product.firstReduced, 0u);
}

TEST_F(StoragePlanTest, SumsOfATileNeedNoMemory) {
  plan();
  EXPECT_TRUE(storage->isOnlyStart(0));
  EXPECT_TRUE(storage->isCompleteInRegisters(1));
  EXPECT_TRUE(storage->canForward(sum, *sum.use_begin()));
  EXPECT_FALSE(storage->needsMemory(sum));
  EXPECT_TRUE(storage->slots.empty());
  EXPECT_TRUE(storage->temporaries.empty());
}

TEST_F(StoragePlanTest, WithoutForwardingATileOfThemHas) {
  plan(neverForwards);
  EXPECT_TRUE(storage->needsMemory(sum));
  ASSERT_EQ(storage->slots.size(), 1u);
  EXPECT_EQ(storage->slots.front().first, storage->chainRoot(sum));
  EXPECT_TRUE(storage->slots.front().second.local);
  EXPECT_EQ(storage->slots.front().second.localShape,
            (SmallVector<int64_t>{4, 32}));
  EXPECT_EQ(storage->tileBytes.lookup(storage->chainRoot(sum)), 4 * 32 * 4);
}

TEST_F(StoragePlanTest, WhatIsInTheArenaIsAnArgument) {
  plan(neverForwards, /*inArena=*/true);
  ASSERT_EQ(storage->temporaries.size(), 1u);
  EXPECT_EQ(storage->temporaries.front(), storage->chainRoot(sum));
}

} // namespace
