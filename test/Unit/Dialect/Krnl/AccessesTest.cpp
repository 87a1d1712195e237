//===- AccessesTest.cpp - How ops read and write along loops ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/NestBuilder.h"
#include "onnxc/Target/IR/Processor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace {

/// Builds one krnl.compute from its maps, over the loops d0, d1, ...
class AccessesTest : public ::testing::Test {
protected:
  AccessesTest() : b(UnknownLoc::get(&context), &context) {
    context.loadDialect<arith::ArithDialect, func::FuncDialect,
                        linalg::LinalgDialect, tensor::TensorDialect,
                        KrnlDialect>();
    bindDims(&context, d0, d1, d2, d3);
    module = ModuleOp::create(b.getLoc());
    b.setInsertionPointToStart(module->getBody());
  }

  AffineExpr fixed(int64_t value) { return b.getAffineConstantExpr(value); }

  struct Operand {
    SmallVector<int64_t> shape;
    SmallVector<AffineExpr> indices;
    /// The positions of loops that run over a part of their dimension.
    SmallVector<unsigned> parts = {};
  };
  using Payload = function_ref<Value(ValueRange)>;

  /// An op of f32 over `loops` loops, the last `reduced` of which it reduces.
  ComputeOp makeOp(unsigned loops, unsigned reduced, ArrayRef<Operand> inputs,
                   const Operand &result, Payload payload) {
    SmallVector<Value> values;
    SmallVector<Subscripts> accesses;
    for (const Operand &operand : inputs)
      addOperand(operand, values, accesses);
    SmallVector<Value> inits;
    addOperand(result, inits, accesses);
    SmallVector<std::string> names;
    for (unsigned i : llvm::seq(loops))
      names.push_back("d" + std::to_string(i));
    return ComputeOp::create(
        b, values, inits, accesses, llvm::to_vector_of<StringRef>(names),
        loops - reduced, StringAttr(),
        [&](OpBuilder &inner, Location, ValueRange args) {
          OpBuilder::InsertionGuard guard(b);
          b.restoreInsertionPoint(inner.saveInsertionPoint());
          linalg::YieldOp::create(b, payload(args));
        });
  }

  void addOperand(const Operand &operand, SmallVectorImpl<Value> &values,
                  SmallVectorImpl<Subscripts> &accesses) {
    values.push_back(tensor::EmptyOp::create(b, operand.shape, b.getF32Type()));
    Subscripts &access = accesses.emplace_back();
    for (AffineExpr index : operand.indices)
      access.push_back({index});
    for (unsigned part : operand.parts)
      access[part].isPart = true;
  }

  Value multiplyAdd(ValueRange args) {
    return arith::AddFOp::create(b, args[2],
                                 arith::MulFOp::create(b, args[0], args[1]));
  }

  /// y[h, w, c] += x[h + k, w, c] * f[c, k]
  ComputeOp makeWindow() {
    return makeOp(4, 1, {{{10, 8, 16}, {d0 + d3, d1, d2}}, {{16, 3}, {d2, d3}}},
                  {{8, 8, 16}, {d0, d1, d2}},
                  [&](ValueRange args) { return multiplyAdd(args); });
  }

  MLIRContext context;
  ImplicitLocOpBuilder b;
  OwningOpRef<ModuleOp> module;
  AffineExpr d0, d1, d2, d3;
};

TEST_F(AccessesTest, TheExampleOfTheHeader) {
  ComputeOp op = makeWindow();
  Access x(*op.getDpsInputOperand(0)), f(*op.getDpsInputOperand(1));
  EXPECT_EQ(x.stepAt(0, 0), 1);
  EXPECT_EQ(x.stepAt(0, 3), 1);
  EXPECT_EQ(x.stepAt(0, 1), 0);
  EXPECT_TRUE(x.hasUnitStride(2));
  EXPECT_FALSE(x.hasUnitStride(1));
  EXPECT_TRUE(x.isWindow());
  EXPECT_FALSE(x.isPlain());
  EXPECT_EQ(x.loopAt(0), std::nullopt);
  EXPECT_EQ(x.pitch(1), 16 * 4);
  EXPECT_EQ(x.pitch(0), 8 * 16 * 4);
  EXPECT_EQ(f.loopAt(0), 2u);
  EXPECT_TRUE(f.hasUnitStride(3));
  EXPECT_TRUE(f.isPlain());
  EXPECT_FALSE(f.isWindow());
  EXPECT_FALSE(f.dependsOn(0));
  EXPECT_EQ(reductionKindOf(op), ReductionKind::Contraction);
}

TEST_F(AccessesTest, SlideIsTheRowsUnderAWindow) {
  std::optional<Slide> slide = findSlide(makeWindow());
  ASSERT_TRUE(slide);
  EXPECT_EQ(slide->loop, 0u);
  EXPECT_EQ(slide->window, 3u);
  EXPECT_EQ(slide->stride, 1);
  auto windowOf = [&](AffineExpr row) {
    return findSlide(makeOp(
        3, 1, {{{40, 8}, {row, d1}}}, {{8, 8}, {d0, d1}}, [&](ValueRange args) {
          return arith::AddFOp::create(b, args[1], args[0]).getResult();
        }));
  };
  // Two positions further, which are one or two elements apart.
  for (AffineExpr row : {d0 * 2 + d2, d0 * 4 + d2 * 2}) {
    slide = windowOf(row);
    ASSERT_TRUE(slide);
    EXPECT_EQ(slide->stride, 2);
  }
  // Between the positions of the adjacent one.
  EXPECT_FALSE(windowOf(d0 * 3 + d2 * 2));
}

TEST_F(AccessesTest, LastDimensionsOfOneElementDoNotSeparateAdjacentElements) {
  ComputeOp op =
      makeOp(2, 0, {{{4, 8, 1}, {d0, d1, fixed(0)}}}, {{8, 4}, {d1, d0}},
             [](ValueRange args) { return args[0]; });
  Access read(*op.getDpsInputOperand(0));
  EXPECT_EQ(read.rankAlongMemory(), 2u);
  EXPECT_TRUE(read.hasUnitStride(1));
  EXPECT_TRUE(read.isPlain());
  EXPECT_TRUE(Access(*op.getDpsInitOperand(0)).hasUnitStride(0));
}

TEST_F(AccessesTest, AShiftedLoopIsAFixedDistanceAway) {
  ComputeOp op = makeOp(2, 0, {{{8, 4}, {d0, d1}}},
                        {{9, 4, 8, 16}, {d0 + 1, d1, d0, d1 * 2}},
                        [](ValueRange args) { return args[0]; });
  Access written(*op.getDpsInitOperand(0));
  EXPECT_EQ(written.loopAt(0), std::nullopt);
  EXPECT_EQ(written.shiftedLoopAt(0), 0u);
  EXPECT_EQ(written.shiftedLoopAt(1), 1u);
  EXPECT_EQ(written.shiftedLoopAt(3), std::nullopt);
  EXPECT_EQ(Access(*makeWindow().getDpsInputOperand(0)).shiftedLoopAt(0),
            std::nullopt);
}

TEST_F(AccessesTest, ALoopAlongAPartDoesNotCoverTheDimension) {
  ComputeOp op =
      makeOp(2, 0, {{{12, 4, 1}, {d0, d1, fixed(0)}, /*parts=*/{0}}},
             {{8, 4}, {d0, d1}}, [](ValueRange args) { return args[0]; });
  Access read(*op.getDpsInputOperand(0)), written(*op.getDpsInitOperand(0));
  EXPECT_EQ(read.loopAt(0), std::nullopt);
  EXPECT_EQ(read.shiftedLoopAt(0), 0u);
  EXPECT_EQ(read.loopAt(1), 1u);
  EXPECT_FALSE(read.isPlain());
  EXPECT_FALSE(read.isWindow());
  EXPECT_FALSE(read.coversAll());
  EXPECT_EQ(read.stepAt(0, 0), 1);
  EXPECT_TRUE(written.coversAll());
  EXPECT_TRUE(written.isOneToOne());
  EXPECT_FALSE(read == written);
  EXPECT_EQ(op.getParts(), ArrayRef<int64_t>{0});
}

TEST_F(AccessesTest, PartsFollowTheirOperands) {
  ComputeOp op =
      makeOp(2, 0, {{{8, 4}, {d0, d1}}, {{4, 9}, {d1, d0}, /*parts=*/{1}}},
             {{8, 5}, {d0, d1}, /*parts=*/{1}},
             [](ValueRange args) { return args[1]; });
  EXPECT_EQ(op.getParts(), ArrayRef<int64_t>({3, 5}));
  SmallVector<Subscripts> accesses = op.getSubscripts();
  std::swap(accesses[1][0], accesses[1][1]);
  // Only a loop alone can run along a part.
  accesses[2][1].index = d1 + 1;
  op.setSubscripts(accesses);
  EXPECT_EQ(op.getParts(), ArrayRef<int64_t>{2});
  EXPECT_TRUE(op.getSubscripts(*op.getDpsInputOperand(1))[0].isPart);
}

TEST_F(AccessesTest, InputsThatThePayloadDoesNotUseAreNotRead) {
  ComputeOp op =
      makeOp(2, 0, {{{8, 4}, {d0, d1}}, {{4, 8}, {d1, d0}}}, {{8, 4}, {d0, d1}},
             [](ValueRange args) { return args[1]; });
  EXPECT_FALSE(isAccessed(*op.getDpsInputOperand(0)));
  EXPECT_TRUE(isAccessed(*op.getDpsInitOperand(0)));
  EXPECT_EQ(readInputs(op), SmallVector<OpOperand *>{op.getDpsInputOperand(1)});
}

TEST_F(AccessesTest, AnIndexOfTwoLoopsIsThePositionOfNeither) {
  ComputeOp op = makeOp(2, 0, {{{16, 4}, {d0 + d1, d1}}}, {{8, 4}, {d0, d1}},
                        [](ValueRange args) { return args[0]; });
  Access read(*op.getDpsInputOperand(0)), written(*op.getDpsInitOperand(0));
  EXPECT_EQ(read.positionOf(0), std::nullopt);
  EXPECT_EQ(read.positionOf(1), std::nullopt);
  EXPECT_EQ(written.positionOf(1), 1u);
  EXPECT_FALSE(read.hasUnitStride(1));
}

TEST_F(AccessesTest, PitchOfAnUnknownDimensionIsUnknown) {
  int64_t any = ShapedType::kDynamic;
  Value size = arith::ConstantIndexOp::create(b, 8);
  ComputeOp op = makeOp(2, 0, {{{4, 8}, {d0, d1}}}, {{4, 8}, {d0, d1}},
                        [](ValueRange args) { return args[0]; });
  op->setOperand(0, tensor::EmptyOp::create(b, ArrayRef<int64_t>{4, any},
                                            b.getF32Type(), size));
  Access read(*op.getDpsInputOperand(0));
  EXPECT_EQ(read.pitch(1), 4);
  EXPECT_EQ(read.pitch(0), 0);
}

TEST_F(AccessesTest, KindsOfReductions) {
  auto add = [&](ValueRange args) -> Value {
    return arith::AddFOp::create(b, args.back(), args[0]);
  };
  EXPECT_EQ(reductionKindOf(
                makeOp(2, 0, {{{4, 8}, {d0, d1}}}, {{4, 8}, {d0, d1}}, add)),
            ReductionKind::None);
  EXPECT_EQ(
      reductionKindOf(makeOp(2, 1, {{{4, 8}, {d0, d1}}}, {{4}, {d0}}, add)),
      ReductionKind::Rows);
  // A factor for each row is none for each product.
  EXPECT_EQ(reductionKindOf(makeOp(2, 1, {{{4, 8}, {d0, d1}}, {{4}, {d0}}},
                                   {{4}, {d0}}, add)),
            ReductionKind::Rows);
  EXPECT_EQ(
      reductionKindOf(makeOp(2, 1, {{{11}, {d0 + d1}}}, {{4}, {d0}}, add)),
      ReductionKind::Contraction);
}

TEST_F(AccessesTest, DimensionsOfABatchedProduct) {
  // y[b, m, n] += x[b, m, k] * w[b, k, n]
  ComputeOp op =
      makeOp(4, 1, {{{2, 4, 8}, {d0, d1, d3}}, {{2, 8, 6}, {d0, d3, d2}}},
             {{2, 4, 6}, {d0, d1, d2}},
             [&](ValueRange args) { return multiplyAdd(args); });
  ContractionDims dims = contractionDimsOf(op, *op.getDpsInputOperand(1),
                                           *op.getDpsInputOperand(0));
  EXPECT_EQ(dims.batch, SmallVector<unsigned>{0});
  EXPECT_EQ(dims.rows, SmallVector<unsigned>{1});
  EXPECT_EQ(dims.columns, SmallVector<unsigned>{2});
  EXPECT_EQ(dims.reduced, SmallVector<unsigned>{3});
  EXPECT_TRUE(dims.others.empty());
}

TEST_F(AccessesTest, OneIndexMayMoveAndTheOthersMustNot) {
  Value table =
      tensor::EmptyOp::create(b, ArrayRef<int64_t>{4, 8}, b.getF32Type());
  ComputeOp op = makeOp(2, 0, {}, {{4, 8}, {d0, d1}}, [&](ValueRange) -> Value {
    Value row = IndexOp::create(b, "d0"), column = IndexOp::create(b, "d1");
    Value there =
        arith::AddIOp::create(b, column, arith::ConstantIndexOp::create(b, 1));
    return tensor::ExtractOp::create(b, table, ValueRange{row, there});
  });
  auto read = *op.getBlock()->getOps<tensor::ExtractOp>().begin();
  LaneAnalysis alongRow(op, 1u), alongColumn(op, 0u);
  EXPECT_FALSE(alongRow.isGather(read));
  EXPECT_TRUE(alongColumn.isGather(read));
  EXPECT_FALSE(alongRow.hasGathers());
  EXPECT_TRUE(alongRow.isUniform(read.getIndices()[0]));
  // An index is an address, the element is what fills a vector.
  EXPECT_EQ(alongRow.vectorBits(), 32u);
  EXPECT_TRUE(fitsVectors(op));
  onnxc::target::Processor target;
  EXPECT_TRUE(alongRow.areGathersProfitable(target));
  EXPECT_FALSE(alongColumn.areGathersProfitable(target));
}

TEST_F(AccessesTest, WorkDoneOnceIsCountedApart) {
  ComputeOp op = makeOp(2, 0, {{{4}, {d0}}, {{4, 8}, {d0, d1}}},
                        {{4, 8}, {d0, d1}}, [&](ValueRange args) -> Value {
                          Value twice =
                              arith::AddFOp::create(b, args[0], args[0]);
                          return arith::MulFOp::create(b, twice, args[1]);
                        });
  LaneAnalysis::PayloadSize size = LaneAnalysis(op, 1u).payloadSize();
  EXPECT_EQ(size.once, 1);
  EXPECT_EQ(size.perLane, 1);
}

/// A kernel whose loop n is blocked by 8: the loop inside has unit stride, the
/// loop over the blocks a step of 8.
TEST_F(AccessesTest, LoopsOfANestAreThoseAfterItsSteps) {
  NestBuilder nest(&context);
  ComputeOp op = makeOp(2, 0, {{{4, 64}, {d0, d1}}}, {{4, 64}, {d0, d1}},
                        [](ValueRange args) { return args[0]; });
  nest.addAxis("m", 4);
  nest.addAxis("n", 64);
  nest.addOp("copy", {0, 1}, {false, false});
  ASSERT_TRUE(
      succeeded(nest.block("n", 8, TailStrategy::Mask, "n.o", "n.i",
                           [&] { return mlir::emitError(b.getLoc()); })));
  Access read(nest, 0, *op.getDpsInputOperand(0));
  EXPECT_EQ(read.stepAt(1, *nest.find("n.o")), 8);
  EXPECT_TRUE(read.hasUnitStride(*nest.find("n.i")));
  EXPECT_TRUE(read.isLinearAlong(*nest.find("n.o")));
  EXPECT_TRUE(read.dependsOn(*nest.find("m")));
}

// Rows of 24 elements begin at multiples of 8, of 8 elements in each block; the
// loops inside count only if they are not at their first iterations.
TEST_F(AccessesTest, AlignmentOfElements) {
  NestBuilder nest(&context);
  ComputeOp op =
      makeOp(2, 0, {{{4, 24}, {d0, d1}}, {{4, 30}, {d0, d1 + 3}}},
             {{4, 24}, {d0, d1}}, [](ValueRange args) { return args[0]; });
  auto error = [&] { return mlir::emitError(b.getLoc()); };
  nest.addAxis("m", 4);
  nest.addAxis("n", 24);
  nest.addOp("copy", {0, 1}, {false, false});
  ASSERT_TRUE(succeeded(nest.fuse("m", "n", "mn", error)));
  ASSERT_TRUE(succeeded(
      nest.block("mn", 8, TailStrategy::Mask, "mn.o", "mn.i", error)));
  Access read(nest, 0, *op.getDpsInputOperand(0));
  // The blocks are divided by 3, which no stride says.
  EXPECT_EQ(read.stride(*nest.find("mn.o")), 0);
  EXPECT_EQ(read.alignment({*nest.find("mn.i")}, 16), 8);
  EXPECT_EQ(read.alignment({}, 16), 1);
  Access shifted(nest, 0, *op.getDpsInputOperand(1));
  EXPECT_EQ(shifted.alignment({*nest.find("mn.i")}, 16), 1);
}

} // namespace
