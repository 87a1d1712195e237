//===- EmitPolicyTest.cpp - A target with other tiles -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The same kernel for threads, and for a target that runs its tiles as a
// parallel loop and has all storage in one arena.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/Emit/EmitPolicy.h"

#include "EmitTest.h"
#include "onnxc/Dialect/Krnl/Emit/EmitKernel.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace {

/// The last argument is an arena of bytes, of which each tensor has a part.
class ArenaPolicy final : public EmitPolicy {
public:
  SmallVector<Type> argumentTypes(MLIRContext *context) const override {
    return {
        MemRefType::get({ShapedType::kDynamic}, IntegerType::get(context, 8))};
  }
  void openTiles(ImplicitLocOpBuilder &b, func::FuncOp,
                 ArrayRef<OpFoldResult> extents, TileBody body) const override {
    auto loop = scf::ForallOp::create(b, extents, ValueRange(), std::nullopt);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    body(getAsOpFoldResult(loop.getInductionVars()), nullptr);
  }
  Value allocate(ImplicitLocOpBuilder &b, func::FuncOp func,
                 MemRefType type) const override {
    Value offset = arith::ConstantIndexOp::create(b, used);
    used += type.getNumElements() * type.getElementTypeBitWidth() / 8;
    return memref::ViewOp::create(b, type, func.getArguments().back(), offset,
                                  ValueRange());
  }
  bool forwards(const BodyOp &, const BodyOp &) const override { return false; }

  mutable int64_t used = 0;
};

class EmitPolicyTest : public EmitTest {
protected:
  EmittedKernel emit(const EmitPolicy &policy) {
    KernelOp kernel = makeProduct();
    OpBuilder at = OpBuilder::atBlockEnd(module->getBody());
    FailureOr<EmittedKernel> emitted =
        emitKernel(kernel, at, "kernel", EmitOptions(), policy);
    EXPECT_TRUE(succeeded(emitted));
    EXPECT_TRUE(succeeded(verify(*module)));
    return *emitted;
  }
};

TEST_F(EmitPolicyTest, ThreadsRunARangeOfTiles) {
  EmittedKernel kernel = emit(ThreadPolicy());
  ValueRange args = kernel.func.getArguments();
  auto tiles = *kernel.func.getOps<scf::ForOp>().begin();
  EXPECT_EQ(tiles.getLowerBound(), args.end()[-2]);
  EXPECT_EQ(tiles.getUpperBound(), args.end()[-1]);
  // Sums go from registers to the maximum.
  EXPECT_EQ(count<memref::AllocaOp>(), 0u);
}

TEST_F(EmitPolicyTest, AnArenaHoldsWhatAParallelLoopHandsOver) {
  ArenaPolicy policy;
  EmittedKernel kernel = emit(policy);
  EXPECT_EQ(kernel.func.getNumArguments(), 4u);
  EXPECT_EQ(count<scf::ForallOp>(), 1u);
  EXPECT_EQ(count<memref::AllocaOp>(), 0u);
  EXPECT_EQ(count<memref::ViewOp>(), 1u);
  EXPECT_EQ(policy.used, 4 * 32 * 4);
  auto tiles = *kernel.func.getOps<scf::ForallOp>().begin();
  EXPECT_EQ(tiles.getStaticUpperBound(), ArrayRef<int64_t>{8});
}

} // namespace
