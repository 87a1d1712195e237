//===- StoragePlanTest.cpp - Where the tensors of a kernel live -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "StoragePlan.h"

#include "EmitTest.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace {

/// Nothing stays in registers from one op to the next.
struct NoForwarding : ThreadPolicy {
  using ThreadPolicy::ThreadPolicy;
  bool forwards(const BodyOp &, const BodyOp &) const override { return false; }
};

class StoragePlanTest : public EmitTest {
protected:
  void plan(std::unique_ptr<EmitPolicy> chosen) {
    policy = std::move(chosen);
    kernel = makeProduct();
    nest.emplace(LoopNest::replay(kernel));
    registers.emplace(*nest);
    storage.emplace(kernel, *nest, *registers, *policy);
    storage->assign();
    sum = cast<OpResult>(nest->op(1).op->getResult(0));
  }

  KernelOp kernel;
  std::unique_ptr<EmitPolicy> policy;
  std::optional<LoopNest> nest;
  std::optional<RegisterLoops> registers;
  std::optional<StoragePlan> storage;
  OpResult sum;
};

TEST_F(StoragePlanTest, LoopsOfATileAreRegisters) {
  plan(std::make_unique<ThreadPolicy>(1024));
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
  plan(std::make_unique<ThreadPolicy>(1024));
  EXPECT_TRUE(storage->isOnlyStart(0));
  EXPECT_TRUE(storage->handsOver(1));
  EXPECT_TRUE(storage->canForward(sum, *sum.use_begin()));
  EXPECT_FALSE(storage->needsMemory(sum));
  EXPECT_TRUE(storage->slots.empty());
  EXPECT_TRUE(storage->temporaries.empty());
}

TEST_F(StoragePlanTest, WithoutForwardingATileOfThemHas) {
  plan(std::make_unique<NoForwarding>(4 * 32 * 4));
  EXPECT_TRUE(storage->needsMemory(sum));
  ASSERT_EQ(storage->slots.size(), 1u);
  EXPECT_EQ(storage->slots.front().first, storage->chainRoot(sum));
  EXPECT_TRUE(storage->slots.front().second.local);
  EXPECT_EQ(storage->slots.front().second.localShape,
            (SmallVector<int64_t>{4, 32}));
}

TEST_F(StoragePlanTest, WhatHasNoRoomInATileIsAnArgument) {
  plan(std::make_unique<NoForwarding>(4 * 32 * 4 - 1));
  ASSERT_EQ(storage->temporaries.size(), 1u);
  EXPECT_EQ(storage->temporaries.front(), storage->chainRoot(sum));
}

} // namespace
