//===- Elementwise.cpp - Arithmetic, comparison and logic -------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A row per operator: its function of one element of each operand. Operands
// broadcast; floats narrower than f32 are computed in f32. The rows of
// functions of one real variable are in Functions.cpp and Activations.cpp.
//===----------------------------------------------------------------------===//

#include "Elementwise/Elementwise.h"
#include "Builders/Broadcasting.h"
#include "Builders/HostValues.h"
#include "Lowering.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/ONNX/IR/Masks.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {

Value buildElementwise(
    OpBuilder &b, Location loc, StringRef name, ValueRange operands,
    Type resultType,
    function_ref<Value(OpBuilder &, Location, ValueRange)> fn) {
  BroadcastOperands broadcast = broadcastOperands(b, loc, operands);
  auto type = RankedTensorType::get(broadcast.shape,
                                    ScalarBuilder::storageType(resultType));
  KernelBuilder kernel(b, loc, name);
  SmallVector<AffineExpr> loops = kernel.loopsOf(type);
  SmallVector<KernelBuilder::Access> ins;
  for (Value operand : broadcast.values)
    ins.push_back(broadcastAccess(kernel, operand, loops));
  Value out = kernel.output(type, broadcast.sizes);
  bool copies = false;
  Value result = kernel.generic(
      ins, {out, loops}, {}, [&](OpBuilder &nb, Location l, ValueRange args) {
        Value y = fn(nb, l, args.take_front(ins.size()));
        copies = y == args.front();
        return y;
      });
  Value first = broadcast.values.front();
  bool whole = broadcast.values.size() == 1 ||
               (type.hasStaticShape() && first.getType() == type);
  if (copies && whole)
    return first;
  return kernel.finish({result}).front();
}

namespace {

struct ElementwiseLowering : public ConversionPattern {
  ElementwiseLowering(TypeConverter &converter, MLIRContext *context,
                      StringRef name, ElementFn fn, Elements elements)
      : ConversionPattern(converter, name, /*benefit=*/1, context),
        fn(std::move(fn)), elements(elements) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (failed(requireRanks(rewriter, op)))
      return failure();
    Type result = getElementTypeOrSelf(op->getResult(0).getType());
    if (!isTaken(result))
      return rewriter.notifyMatchFailure(op, "elements are not numbers");
    if (!llvm::all_of(op->getOperandTypes(), [&](Type type) {
          return isTaken(getElementTypeOrSelf(type));
        }))
      return rewriter.notifyMatchFailure(op, "elements are not numbers");
    Value y = buildElementwise(rewriter, op->getLoc(),
                               op->getName().stripDialect(), operands, result,
                               [&](OpBuilder &b, Location loc, ValueRange x) {
                                 return body(b, loc, op, x, result);
                               });
    replaceWithCasts(rewriter, op, y);
    return success();
  }

private:
  /// Operators that only move elements move strings and complex numbers too.
  bool isTaken(Type type) const {
    return isa<FloatType, IntegerType>(type) ||
           (elements == Elements::Stored &&
            isa<ComplexType, onnx::StringType>(type));
  }

  Value body(OpBuilder &b, Location loc, Operation *op, ValueRange stored,
             Type resultElement) const {
    ScalarBuilder s(b, loc, getElementTypeOrSelf(op->getOperand(0).getType()));
    if (elements == Elements::Stored)
      return fn(s, op, stored);
    SmallVector<Value> x;
    for (auto [element, operand] : llvm::zip(stored, op->getOperands()))
      x.push_back(ScalarBuilder(b, loc, getElementTypeOrSelf(operand.getType()))
                      .widen(element));
    Value y = fn(s, op, x);
    ScalarBuilder to(b, loc, resultElement);
    if (to.isBool() && y.getType().isInteger(1))
      return to.toBool(y);
    return to.narrow(y);
  }

  ElementFn fn;
  Elements elements;
};

} // namespace

void addElementwise(TypeConverter &converter, RewritePatternSet &patterns,
                    StringRef name, ElementFn fn, Elements elements) {
  patterns.add<ElementwiseLowering>(converter, patterns.getContext(), name,
                                    std::move(fn), elements);
}

using BinaryMethod = Value (ScalarBuilder::*)(Value, Value);

/// `method` applied from left to right over any number of operands.
static auto foldLeft(BinaryMethod method) {
  return [method](ScalarBuilder &s, Operation *, ValueRange x) {
    Value total = x.front();
    for (Value next : x.drop_front())
      total = (s.*method)(total, next);
    return total;
  };
}

/// The sum; -infinity where a bias hides what it is added to.
static Value addOrHide(ScalarBuilder &s, onnx::AddOp op, ValueRange x) {
  Value sum = s.add(x[0], x[1]);
  return op->hasAttr(onnx::hidesAttrName)
             ? s.select(s.eq(x[1], s.lowest()), s.lowest(), sum)
             : sum;
}

/// An operation of two i1.
template <typename ArithOp>
static Value onBools(ScalarBuilder &s, Operation *, ValueRange x) {
  return s.math<ArithOp>(s.fromBool(x[0]), s.fromBool(x[1]));
}

template <typename ArithOp>
static Value onBits(ScalarBuilder &s, Operation *, ValueRange x) {
  return s.math<ArithOp>(x[0], x[1]);
}

static Value bitwiseNot(ScalarBuilder &s, onnx::BitwiseNotOp, ValueRange x) {
  return s.math<arith::XOrIOp>(x[0], s.constant(-1));
}

/// Bits shifted out are lost; a negative number of steps, or one as large as
/// the width, shifts out all of them.
static Value bitShift(ScalarBuilder &s, onnx::BitShiftOp op, ValueRange x) {
  int64_t width = s.type().getIntOrFloatBitWidth();
  Value isPart =
      s.math<arith::CmpIOp>(arith::CmpIPredicate::ult, x[1], s.constant(width));
  if (op.getDirection() != "LEFT" && !s.isUnsigned())
    return s.math<arith::ShRSIOp>(
        x[0], s.select(isPart, x[1], s.constant(width - 1)));
  Value zero = s.constant(0);
  Value count = s.select(isPart, x[1], zero);
  Value shifted = op.getDirection() == "LEFT"
                      ? s.math<arith::ShLIOp>(x[0], count)
                      : s.math<arith::ShRUIOp>(x[0], count);
  return s.select(isPart, shifted, zero);
}

static Value clip(ScalarBuilder &s, onnx::ClipOp op, ValueRange x) {
  Value y = x[0];
  if (op.getMin())
    y = s.max(y, x[1]);
  return op.getMax() ? s.min(y, x.back()) : y;
}

static Value mean(ScalarBuilder &s, onnx::MeanOp, ValueRange x) {
  Value total = x.front();
  for (Value next : x.drop_front())
    total = s.add(total, next);
  return s.div(total, s.constant(x.size()));
}

static Value mod(ScalarBuilder &s, onnx::ModOp op, ValueRange x) {
  return op.getFmod() ? s.fmod(x[0], x[1]) : s.mod(x[0], x[1]);
}

static Value sign(ScalarBuilder &s, onnx::SignOp, ValueRange x) {
  Value zero = s.constant(0), one = s.constant(1);
  Value y = s.select(s.lt(zero, x[0]), one, zero);
  if (s.isUnsigned())
    return y;
  y = s.select(s.lt(x[0], zero), s.constant(-1), y);
  return s.isFloat() ? s.select(s.isNaN(x[0]), x[0], y) : y;
}

static Value isInf(ScalarBuilder &s, onnx::IsInfOp op, ValueRange x) {
  bool negative = op.getDetectNegative(), positive = op.getDetectPositive();
  if (negative && positive)
    return s.eq(s.abs(x[0]), s.highest());
  if (!negative && !positive)
    return arith::ConstantIntOp::create(s.builder(), s.getLoc(), 0, 1);
  return s.eq(x[0], negative ? s.lowest() : s.highest());
}

#define ROW(OP, FN) addElementwise<onnx::OP>(converter, patterns, FN);
#define FOLD(OP, METHOD) ROW(OP, foldLeft(&ScalarBuilder::METHOD))
#define UNARY(OP, METHOD)                                                      \
  ROW(OP, [](ScalarBuilder &s, Operation *, ValueRange x) {                    \
    return s.METHOD(x[0]);                                                     \
  })

static void addArithmetic(TypeConverter &converter,
                          RewritePatternSet &patterns) {
  ROW(AddOp, addOrHide)
  FOLD(DivOp, div)
  FOLD(MaxOp, max)
  FOLD(MinOp, min)
  FOLD(MulOp, mul)
  FOLD(SubOp, sub)
  FOLD(SumOp, add)
  UNARY(AbsOp, abs)
  UNARY(NegOp, neg)
  ROW(ClipOp, clip)
  ROW(MeanOp, mean)
  ROW(ModOp, mod)
  ROW(SignOp, sign)
}

static void addLogic(TypeConverter &converter, RewritePatternSet &patterns) {
  ROW(AndOp, onBools<arith::AndIOp>)
  ROW(BitShiftOp, bitShift)
  ROW(BitwiseAndOp, onBits<arith::AndIOp>)
  ROW(BitwiseNotOp, bitwiseNot)
  ROW(BitwiseOrOp, onBits<arith::OrIOp>)
  ROW(BitwiseXorOp, onBits<arith::XOrIOp>)
  ROW(NotOp, [](ScalarBuilder &s, Operation *, ValueRange x) {
    return s.eq(x[0], s.constant(0));
  })
  ROW(OrOp, onBools<arith::OrIOp>)
  ROW(XorOp, onBools<arith::XOrIOp>)
}

static void addComparisons(TypeConverter &converter,
                           RewritePatternSet &patterns) {
  FOLD(EqualOp, eq)
  FOLD(LessOp, lt)
  FOLD(LessOrEqualOp, le)
  UNARY(IsNaNOp, isNaN)
  ROW(GreaterOp, [](ScalarBuilder &s, Operation *, ValueRange x) {
    return s.lt(x[1], x[0]);
  })
  ROW(GreaterOrEqualOp, [](ScalarBuilder &s, Operation *, ValueRange x) {
    return s.le(x[1], x[0]);
  })
  ROW(IsInfOp, isInf)
}

#undef ROW
#undef FOLD
#undef UNARY

void populateONNXToKrnlElementwisePatterns(TypeConverter &converter,
                                           RewritePatternSet &patterns) {
  addArithmetic(converter, patterns);
  addLogic(converter, patterns);
  addComparisons(converter, patterns);
  addElementwise<onnx::WhereOp>(
      converter, patterns,
      [](ScalarBuilder &s, Operation *, ValueRange x) {
        return s.select(s.fromBool(x[0]), x[1], x[2]);
      },
      Elements::Stored);
}

} // namespace onnxc
