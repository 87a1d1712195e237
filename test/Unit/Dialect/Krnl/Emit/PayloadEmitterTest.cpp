//===- PayloadEmitterTest.cpp - The body of an op on lanes ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "PayloadEmitter.h"

#include "EmitTest.h"
#include "VectorAccess.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace {

/// Eight lanes of the iterator dimension 1; what is read is recorded.
struct TestPoint final : PayloadPoint {
  explicit TestPoint(ImplicitLocOpBuilder &b) : b(b) {}

  int64_t getLanes() override { return 8; }
  Value getMask() override { return mask; }
  LaneIndex getIndex(unsigned dim) override {
    return {{}, 0, dim == 1 ? 1 : 0, {}};
  }
  Value getUniform(Value outside) override { return outside; }
  Value read(tensor::ExtractOp op, ArrayRef<LaneIndex> at, int64_t lanes,
             Value) override {
    indices.assign(at.begin(), at.end());
    readLanes = lanes;
    Value one = arith::ConstantOp::create(b, b.getF32FloatAttr(1));
    return lanes == 1 ? one
                      : vector::BroadcastOp::create(
                            b, VectorType::get({lanes}, one.getType()), one)
                            .getResult();
  }
  Value read(ScatterLoadOp, ArrayRef<LaneIndex>) override { return {}; }
  void noteError(WrapIndexOp, Value, Value) override { ++errors; }

  ImplicitLocOpBuilder &b;
  Value mask;
  SmallVector<LaneIndex> indices;
  int64_t readLanes = 0;
  unsigned errors = 0;
};

class PayloadEmitterTest : public EmitTest {
protected:
  using Body = function_ref<Value(OpBuilder &, Location, ValueRange)>;

  /// An op y[i, j] = body(x[i, j]) for elements of `type`, with a table to read
  /// from.
  ComputeOp makeOp(Type type, Body body) {
    Value x = tensor::EmptyOp::create(b, ArrayRef<int64_t>{4, 8}, type);
    Subscripts at{{b.getAffineDimExpr(0)}, {b.getAffineDimExpr(1)}};
    return ComputeOp::create(
        b, ValueRange(x), ValueRange(x), {at, at}, {"i", "j"}, 2, StringAttr(),
        [&](OpBuilder &inner, Location loc, ValueRange args) {
          linalg::YieldOp::create(inner, loc, body(inner, loc, args));
        });
  }

  /// Emits the payload in place of the op, `x` standing for its element.
  Value emit(ComputeOp op, TestPoint &point, Value x, bool contract) {
    PayloadEmitter payload(b, math, point, contract);
    payload.map(op.getBlock()->getArgument(0), x);
    b.setInsertionPointToEnd(&func.getBody().back());
    for (Operation &inner : op.getBlock()->without_terminator())
      payload.emit(&inner);
    Value result =
        payload.valueOf(op.getBlock()->getTerminator()->getOperand(0));
    op.erase();
    return result;
  }
};

TEST_F(PayloadEmitterTest, IndicesStayEvenlySpaced) {
  auto type = RankedTensorType::get({4, 16}, b.getF32Type());
  Value table = openFunction({type})[0];
  ComputeOp op = makeOp(
      b.getF32Type(), [&](OpBuilder &b, Location l, ValueRange) -> Value {
        Value row = IndexOp::create(b, l, "i"),
              column = IndexOp::create(b, l, "j"),
              five = arith::ConstantIndexOp::create(b, l, 5);
        Value at = arith::AddIOp::create(b, l, column, five);
        return tensor::ExtractOp::create(b, l, table, ValueRange{row, at});
      });
  TestPoint point(b);
  Value result = emit(op, point, {}, false);
  ASSERT_EQ(point.indices.size(), 2u);
  EXPECT_TRUE(point.indices[0].isConstant());
  EXPECT_EQ(point.indices[1].step, 1);
  EXPECT_FALSE(point.indices[1].vec);
  EXPECT_EQ(point.readLanes, 8);
  EXPECT_TRUE(isa<VectorType>(result.getType()));
  closeFunction();
}

TEST_F(PayloadEmitterTest, WhatIsTheSameInAllLanesStaysScalar) {
  Value scale = openFunction({b.getF32Type()})[0];
  ComputeOp op = makeOp(
      b.getF32Type(), [&](OpBuilder &b, Location l, ValueRange args) -> Value {
        Value twice = arith::AddFOp::create(b, l, scale, scale);
        return arith::MulFOp::create(b, l, args[0], twice);
      });
  auto vector = VectorType::get({8}, b.getF32Type());
  b.setInsertionPointToEnd(&func.getBody().back());
  Value x = arith::ConstantOp::create(b, b.getZeroAttr(vector));
  TestPoint point(b);
  Value result = emit(op, point, x, /*contract=*/true);
  auto product = result.getDefiningOp<arith::MulFOp>();
  ASSERT_TRUE(product);
  EXPECT_EQ(product.getType(), vector);
  EXPECT_EQ(product.getFastmath(), arith::FastMathFlags::contract);
  auto splat = product.getRhs().getDefiningOp<vector::BroadcastOp>();
  ASSERT_TRUE(splat);
  EXPECT_TRUE(splat.getSource().getDefiningOp<arith::AddFOp>());
  closeFunction();
}

// Lane numbers 0 to 7 beside the distance of the bound from the first lane, in
// the bits of what is selected, whatever side the index stands on.
TEST_F(PayloadEmitterTest, AdjacentAreComparedAsNumbersOfLanes) {
  Value bound = openFunction({b.getIndexType()})[0];
  for (unsigned bits : {8, 16})
    for (bool isFirst : {true, false}) {
      Type type = b.getIntegerType(bits);
      ComputeOp op =
          makeOp(type, [&](OpBuilder &b, Location l, ValueRange args) -> Value {
            Value column = IndexOp::create(b, l, "j");
            Value isBefore = arith::CmpIOp::create(
                b, l, arith::CmpIPredicate::slt, isFirst ? column : bound,
                isFirst ? bound : column);
            return arith::SelectOp::create(b, l, isBefore, args[0], args[0]);
          });
      TestPoint point(b);
      b.setInsertionPointToEnd(&func.getBody().back());
      auto vector = VectorType::get({8}, type);
      Value x = arith::ConstantOp::create(b, b.getZeroAttr(vector));
      auto select = emit(op, point, x, false).getDefiningOp<arith::SelectOp>();
      ASSERT_TRUE(select);
      auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
      ASSERT_TRUE(compare);
      EXPECT_EQ(compare.getPredicate(), isFirst ? arith::CmpIPredicate::slt
                                                : arith::CmpIPredicate::sgt);
      EXPECT_EQ(compare.getLhs().getType(), vector);
      DenseIntElementsAttr numbers;
      ASSERT_TRUE(matchPattern(compare.getLhs(), m_Constant(&numbers)));
      EXPECT_EQ(numbers.getValues<APInt>()[7], 7);
    }
  closeFunction();
}

// An unsigned comparison of indices before 0 has no such distance.
TEST_F(PayloadEmitterTest, UnsignedIndicesAreComparedWhole) {
  Value bound = openFunction({b.getIndexType()})[0];
  ComputeOp op =
      makeOp(b.getI1Type(), [&](OpBuilder &b, Location l, ValueRange) -> Value {
        return arith::CmpIOp::create(b, l, arith::CmpIPredicate::ult,
                                     IndexOp::create(b, l, "j"), bound);
      });
  TestPoint point(b);
  Value result = emit(op, point, {}, false);
  auto compare = result.getDefiningOp<arith::CmpIOp>();
  ASSERT_TRUE(compare);
  EXPECT_EQ(compare.getLhs().getType(), VectorType::get({8}, b.getIndexType()));
  closeFunction();
}

TEST_F(PayloadEmitterTest, LanesThatDoNotCountDivideByOne) {
  openFunction({});
  ComputeOp op = makeOp(
      b.getI32Type(), [&](OpBuilder &b, Location l, ValueRange args) -> Value {
        return arith::DivSIOp::create(b, l, args[0], args[0]);
      });
  TestPoint point(b);
  b.setInsertionPointToEnd(&func.getBody().back());
  point.mask = firstLanesMask(b, 8, 3);
  Value x = arith::ConstantOp::create(
      b, b.getZeroAttr(VectorType::get({8}, b.getI32Type())));
  Value result = emit(op, point, x, false);
  auto select = result.getDefiningOp<arith::DivSIOp>()
                    .getRhs()
                    .getDefiningOp<arith::SelectOp>();
  ASSERT_TRUE(select);
  EXPECT_EQ(select.getCondition(), point.mask);
  closeFunction();
}

} // namespace
