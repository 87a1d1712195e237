//===- Elementwise.cpp - One result element from one of each ----*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A row per operator: what it does to one element of each operand. Operands
// broadcast; f16 and bf16 are computed in f32.
//===----------------------------------------------------------------------===//

#include "onnxc/Conversion/ONNXToKrnl/Broadcasting.h"
#include "onnxc/Conversion/ONNXToKrnl/HostValues.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Conversion/ONNXToKrnl/ScalarBuilder.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

/// Computes one element: operands are in compute type, as is the result (i1
/// conditions for operators whose result is bool).
template <typename OnnxOp>
using ElementFn = Value (*)(ScalarBuilder &s, OnnxOp op, ValueRange x);

template <typename OnnxOp>
struct ElementwiseLowering : public OpConversionPattern<OnnxOp> {
  ElementwiseLowering(TypeConverter &converter, MLIRContext *context,
                      ElementFn<OnnxOp> fn)
      : OpConversionPattern<OnnxOp>(converter, context), fn(fn) {}

  LogicalResult
  matchAndRewrite(OnnxOp op, typename OnnxOp::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto resultType = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!resultType)
      return rewriter.notifyMatchFailure(op, "result has no rank");
    for (Value operand : adaptor.getOperands())
      if (!isa<RankedTensorType>(operand.getType()))
        return rewriter.notifyMatchFailure(op, "operand has no rank");
    Location loc = op.getLoc();
    BroadcastOperands operands =
        broadcastOperands(rewriter, loc, adaptor.getOperands());
    Type element =
        this->getTypeConverter()->convertType(resultType.getElementType());
    auto type = RankedTensorType::get(operands.shape, element);

    KernelBuilder kernel(rewriter, loc, op->getName().stripDialect());
    SmallVector<AffineExpr> loops = kernel.loopsOf(type);
    SmallVector<KernelBuilder::Access> ins;
    for (Value operand : operands.values)
      ins.push_back(broadcastAccess(kernel, operand, loops));
    Value out = kernel.output(type, dynamicSizes(type, operands.sizes));
    Value result = kernel.generic(
        ins, {out, loops}, {}, [&](OpBuilder &b, Location l, ValueRange args) {
          return body(b, l, op, args.take_front(ins.size()),
                      resultType.getElementType());
        });
    replaceWithCasts(rewriter, *this->getTypeConverter(), op,
                     kernel.finish({result}));
    return success();
  }

private:
  Value body(OpBuilder &b, Location loc, OnnxOp op, ValueRange args,
             Type resultElement) const {
    SmallVector<Value> x;
    for (auto [arg, operand] : llvm::zip(args, op->getOperands()))
      x.push_back(ScalarBuilder(b, loc, getElementTypeOrSelf(operand.getType()))
                      .widen(arg));
    // The last operand's type decides: conditions and exponents come first
    // or have rules of their own.
    ScalarBuilder s(b, loc,
                    getElementTypeOrSelf(op->getOperands().back().getType()));
    Value y = fn(s, op, x);
    ScalarBuilder to(b, loc, resultElement);
    if (to.isBool() && y.getType().isInteger(1))
      return to.toBool(y);
    return to.narrow(y);
  }

  ElementFn<OnnxOp> fn;
};

} // namespace

template <typename OnnxOp>
static void add(TypeConverter &converter, RewritePatternSet &patterns,
                ElementFn<OnnxOp> fn) {
  patterns.add<ElementwiseLowering<OnnxOp>>(converter, patterns.getContext(),
                                            fn);
}

/// fn applied from left to right over any number of operands.
template <typename OnnxOp, Value (ScalarBuilder::*fn)(Value, Value)>
static Value foldLeft(ScalarBuilder &s, OnnxOp, ValueRange x) {
  Value total = x.front();
  for (Value next : x.drop_front())
    total = (s.*fn)(total, next);
  return total;
}

template <typename OnnxOp, Value (ScalarBuilder::*fn)(Value)>
static Value unary(ScalarBuilder &s, OnnxOp, ValueRange x) {
  return (s.*fn)(x[0]);
}

template <typename OnnxOp, typename MathOp>
static Value mathOp(ScalarBuilder &s, OnnxOp, ValueRange x) {
  return s.math<MathOp>(x[0]);
}

void populateONNXToKrnlElementwisePatterns(TypeConverter &converter,
                                           RewritePatternSet &patterns) {
#define ROW(OP, FN) add<onnx::OP>(converter, patterns, FN);
#define MATH(OP, MATHOP)                                                       \
  add<onnx::OP>(converter, patterns, mathOp<onnx::OP, MATHOP>);
#define FOLD(OP, METHOD)                                                       \
  add<onnx::OP>(converter, patterns,                                           \
                foldLeft<onnx::OP, &ScalarBuilder::METHOD>);
#define UNARY(OP, METHOD)                                                      \
  add<onnx::OP>(converter, patterns, unary<onnx::OP, &ScalarBuilder::METHOD>);
  FOLD(AddOp, add)
  FOLD(DivOp, div)
  FOLD(EqualOp, eq)
  FOLD(LessOp, lt)
  FOLD(LessOrEqualOp, le)
  FOLD(MaxOp, max)
  FOLD(MinOp, min)
  FOLD(MulOp, mul)
  FOLD(SubOp, sub)
  FOLD(SumOp, add)
  MATH(CeilOp, math::CeilOp)
  MATH(CosOp, math::CosOp)
  MATH(ErfOp, math::ErfOp)
  MATH(ExpOp, math::ExpOp)
  MATH(FloorOp, math::FloorOp)
  MATH(LogOp, math::LogOp)
  MATH(SinOp, math::SinOp)
  MATH(SqrtOp, math::SqrtOp)
  MATH(TanhOp, math::TanhOp)
  UNARY(AbsOp, abs)
  UNARY(NegOp, neg)
  UNARY(SigmoidOp, sigmoid)
  ROW(GreaterOp, [](ScalarBuilder &s, onnx::GreaterOp, ValueRange x) {
    return s.lt(x[1], x[0]);
  })
  ROW(GreaterOrEqualOp, [](ScalarBuilder &s, onnx::GreaterOrEqualOp,
                           ValueRange x) { return s.le(x[1], x[0]); })
  ROW(ReciprocalOp, [](ScalarBuilder &s, onnx::ReciprocalOp, ValueRange x) {
    return s.div(s.constant(1), x[0]);
  })
  ROW(ReluOp, [](ScalarBuilder &s, onnx::ReluOp, ValueRange x) {
    return s.max(x[0], s.constant(0));
  })
  ROW(LeakyReluOp, [](ScalarBuilder &s, onnx::LeakyReluOp op, ValueRange x) {
    Value scaled = s.mul(x[0], s.constant(op.getAlpha()));
    return s.select(s.lt(x[0], s.constant(0)), scaled, x[0]);
  })
  ROW(WhereOp, [](ScalarBuilder &s, onnx::WhereOp, ValueRange x) {
    return s.select(s.fromBool(x[0]), x[1], x[2]);
  })
  ROW(CastOp, [](ScalarBuilder &s, onnx::CastOp op, ValueRange x) {
    return s.castTo(x[0], getElementTypeOrSelf(op->getResult(0).getType()));
  })
#undef ROW
#undef MATH
#undef FOLD
#undef UNARY
}

} // namespace onnxc
