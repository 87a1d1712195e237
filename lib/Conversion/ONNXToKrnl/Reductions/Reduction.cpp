//===- Reduction.cpp - Reductions over axes ---------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Each operator is a row: the contribution of an element, the merge of
// contributions, and the result of the total. Axes that are constant become
// reduction loops; axes that depend on data give, in every dimension, one loop
// over the results and one over the reduced elements, one of which runs once.
//===----------------------------------------------------------------------===//

#include "Builders/Accumulate.h"
#include "Builders/HostValues.h"
#include "Builders/ScalarBuilder.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

/// One reduction operator. `prepare` and `finish` may be null: the element, the
/// total as they are. `count` is the number of elements reduced.
struct ReductionRow {
  Value (*neutral)(ScalarBuilder &s);
  std::function<Value(ScalarBuilder &s, Value x)> prepare;
  Value (*merge)(ScalarBuilder &s, Value total, Value x);
  std::function<Value(ScalarBuilder &s, Value total, Value count)> finish;
  /// Elements are taken as distances from the largest, a pass before the sum
  /// finds it, and `finish` (without a count) gives a distance from it, too: no
  /// exponential overflows.
  bool isFromLargest = false;
};

/// Which dimensions are reduced: known now, or i1 values on the host.
struct Axes {
  SmallVector<bool> reduced;
  SmallVector<Value> flags;
  bool isStatic() const { return flags.empty(); }
};

/// Emits on the host an i1 that is true if one of the `count` axes is dimension
/// `d`; `whenNone` if there are none.
Value isNamed(OpBuilder &b, Location loc, Value axes, Value count, int64_t d,
              int64_t rank, Value whenNone) {
  auto loop = scf::ForOp::create(
      b, loc, indexConstant(b, loc, 0), count, indexConstant(b, loc, 1),
      whenNone, [&](OpBuilder &nb, Location l, Value i, ValueRange found) {
        SmallVector<Value> at;
        if (rankedType(axes).getRank() == 1)
          at.push_back(i);
        Value axis = tensor::ExtractOp::create(nb, l, axes, at);
        auto is = [&](int64_t value) {
          Value wanted = arith::ConstantOp::create(
              nb, l, nb.getIntegerAttr(axis.getType(), value));
          return arith::CmpIOp::create(nb, l, arith::CmpIPredicate::eq, axis,
                                       wanted)
              .getResult();
        };
        Value hit = arith::OrIOp::create(nb, l, is(d), is(d - rank));
        Value any = arith::OrIOp::create(nb, l, found[0], hit);
        scf::YieldOp::create(nb, l, any);
      });
  return loop.getResult(0);
}

/// Reads the axes; none given means all, or none with `noop`.
FailureOr<Axes> getAxes(OpBuilder &b, Location loc, Value original, Value axes,
                        int64_t rank, bool noop) {
  Axes result;
  if (!original) {
    result.reduced.assign(rank, !noop);
    return result;
  }
  if (auto constant = onnx::constantInts(original)) {
    std::optional<SmallVector<bool>> named = namedAxes(*constant, rank);
    if (!named)
      return failure();
    result.reduced = *named;
    if (constant->empty())
      result.reduced.assign(rank, !noop);
    return result;
  }
  auto type = cast<RankedTensorType>(axes.getType());
  if (type.getRank() > 1)
    return failure();
  checkAxes(b, loc, axes, rank, "the axes are out of range or repeat");
  Value count =
      type.getRank() == 0 ? indexConstant(b, loc, 1) : sizeOf(b, loc, axes, 0);
  Value whenNone =
      noop ? Value(arith::ConstantIntOp::create(b, loc, 0, 1))
           : Value(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                         count, indexConstant(b, loc, 0)));
  for (int64_t d = 0; d < rank; ++d)
    result.flags.push_back(isNamed(b, loc, axes, count, d, rank, whenNone));
  return result;
}

Value lowest(ScalarBuilder &s) { return s.lowest(); }
Value largest(ScalarBuilder &s, Value x, Value y) { return s.max(x, y); }

class ReductionKernel {
public:
  ReductionKernel(OpBuilder &b, Location loc, StringRef name,
                  const ReductionRow &row, Type onnxElement)
      : b(b), loc(loc), row(row), element(onnxElement), kernel(b, loc, name) {}

  /// The result with a size of 1 in each reduced dimension.
  Value build(Value x, const Axes &axes);

private:
  Value count(Value x, const Axes &axes);
  void addLoops(Value x, const Axes &axes);
  Value largestFinite(Value in, Value out);
  Value fromLargest(Value in, Value out);

  OpBuilder &b;
  Location loc;
  const ReductionRow &row;
  Type element;
  KernelBuilder kernel;
  SmallVector<AffineExpr> inAt, outAt, reduced;
  SmallVector<Value> outSizes, reducedSizes;
};

/// Number of elements that go into each result, as a scalar of the compute
/// type.
Value ReductionKernel::count(Value x, const Axes &axes) {
  Value total = indexConstant(b, loc, 1);
  for (Value size : reducedSizes)
    total = mulIndex(b, loc, total, size);
  Type type = ScalarBuilder::computeType(element);
  Value asInt = arith::IndexCastOp::create(b, loc, b.getI64Type(), total);
  if (isa<FloatType>(type))
    return arith::SIToFPOp::create(b, loc, type, asInt);
  if (type.isInteger(64))
    return asInt;
  return arith::TruncIOp::create(b, loc, type, asInt);
}

/// The largest element of each result, or 0 where it is infinite: inf - inf is
/// NaN, and an infinite logarithm needs no shift.
Value ReductionKernel::largestFinite(Value in, Value out) {
  Type compute = ScalarBuilder::computeType(element);
  Accumulation steps{lowest, nullptr, largest, nullptr};
  Value any = accumulate(kernel, loc, element, steps, {in, inAt},
                         {kernel.temporaryLike(out, compute), outAt}, reduced);
  return kernel.generic({{any, outAt}},
                        {kernel.temporaryLike(out, compute), outAt}, {},
                        [&](OpBuilder &nb, Location l, ValueRange v) {
                          ScalarBuilder s(nb, l, element);
                          Value isFinite = s.lt(s.abs(v[0]), s.highest());
                          return s.select(isFinite, v[0], s.constant(0));
                        });
}

/// The row's steps on distances from the largest element, which the result gets
/// back.
Value ReductionKernel::fromLargest(Value in, Value out) {
  KernelBuilder::Access shift{largestFinite(in, out), outAt};
  auto total = [&](const KernelBuilder::Access &to) {
    ScalarBuilder outside(kernel.inside(), loc, element);
    Value start = kernel.fill(row.neutral(outside), to);
    return kernel.generic({{in, inAt}, shift}, {start, to.at}, reduced,
                          [&](OpBuilder &nb, Location l, ValueRange v) {
                            ScalarBuilder s(nb, l, element);
                            Value distance = s.sub(s.widen(v[0]), v[1]);
                            return row.merge(s, v[2], row.prepare(s, distance));
                          });
  };
  auto finish = [&](ScalarBuilder &s, Value total, ValueRange others) {
    return s.add(row.finish(s, total, Value()), others[0]);
  };
  return storeTotals(kernel, element, {out, outAt}, total, finish, shift);
}

/// Adds the loops over the operand, and sets the accesses and sizes that follow
/// from them. Where the axes are not known each dimension has two loops, one
/// of which has a single iteration.
void ReductionKernel::addLoops(Value x, const Axes &axes) {
  auto inType = cast<RankedTensorType>(x.getType());
  Value one = indexConstant(b, loc, 1);
  for (int64_t d = 0; d < inType.getRank(); ++d) {
    std::string suffix = std::to_string(d);
    Value size = sizeOf(b, loc, x, d);
    if (axes.isStatic()) {
      AffineExpr loop = kernel.loop("d" + suffix, inType.getDimSize(d));
      inAt.push_back(loop);
      outAt.push_back(axes.reduced[d] ? kernel.zero() : loop);
      outSizes.push_back(axes.reduced[d] ? one : size);
      if (axes.reduced[d]) {
        reduced.push_back(loop);
        reducedSizes.push_back(size);
      }
      continue;
    }
    Value out = arith::SelectOp::create(b, loc, axes.flags[d], one, size);
    Value inner = arith::SelectOp::create(b, loc, axes.flags[d], size, one);
    outSizes.push_back(out);
    reducedSizes.push_back(inner);
    outAt.push_back(kernel.loop("d" + suffix, out));
    reduced.push_back(kernel.loop("r" + suffix, inner));
    inAt.push_back(outAt.back() + reduced.back());
  }
}

Value ReductionKernel::build(Value x, const Axes &axes) {
  Value in = kernel.input(x);
  addLoops(x, axes);
  RankedTensorType outType =
      typeOfSizes(outSizes, rankedType(x).getElementType());
  if (row.isFromLargest) {
    Value out = kernel.output(outType, outSizes);
    return kernel.finish({fromLargest(in, out)}).front();
  }
  Value number = row.finish ? kernel.input(count(x, axes)) : Value();
  Value out = kernel.output(outType, outSizes);
  Accumulation steps{row.neutral, row.prepare, row.merge, nullptr};
  if (row.finish)
    steps.finish = [&](ScalarBuilder &s, Value total, ValueRange) {
      return row.finish(s, total, number);
    };
  Value y = accumulate(kernel, loc, element, steps, {in, inAt}, {out, outAt},
                       reduced);
  return kernel.finish({y}).front();
}

/// Drops the reduced dimensions (all of size 1) if keepdims is not 1, as the
/// inference of the schemas does.
Value dropAxes(OpBuilder &b, Location loc, Value kept, const Axes &axes,
               RankedTensorType wanted) {
  auto type = cast<RankedTensorType>(kept.getType());
  SmallVector<Value> sizes;
  SmallVector<int64_t> shape;
  if (axes.isStatic()) {
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (!axes.reduced[d]) {
        sizes.push_back(sizeOf(b, loc, kept, d));
        shape.push_back(type.getDimSize(d));
      }
    return reshapeTo(b, loc, kept,
                     RankedTensorType::get(shape, type.getElementType()),
                     sizes);
  }
  // The i-th size of the result is that of the i-th dimension kept.
  Value zero = indexConstant(b, loc, 0), one = indexConstant(b, loc, 1);
  SmallVector<Value> position{zero};
  for (Value flag : axes.flags) {
    Value next = addIndex(b, loc, position.back(), one);
    position.push_back(
        arith::SelectOp::create(b, loc, flag, position.back(), next));
  }
  for (int64_t i = 0; i < wanted.getRank(); ++i) {
    Value size = one, wantedPosition = indexConstant(b, loc, i);
    for (int64_t d = 0; d < type.getRank(); ++d) {
      Value here = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                         position[d], wantedPosition);
      Value isKept = arith::XOrIOp::create(
          b, loc, axes.flags[d], arith::ConstantIntOp::create(b, loc, 1, 1));
      size = arith::SelectOp::create(
          b, loc, arith::AndIOp::create(b, loc, here, isKept),
          sizeOf(b, loc, kept, d), size);
    }
    sizes.push_back(size);
  }
  return reshapeTo(
      b, loc, kept,
      RankedTensorType::get(wanted.getShape(), type.getElementType()), sizes);
}

template <typename OnnxOp>
Lowered lowerReduce(OnnxOp op, typename OnnxOp::Adaptor adaptor,
                    ConversionPatternRewriter &rewriter,
                    const ReductionRow &row) {
  Location loc = op.getLoc();
  Value x = adaptor.getOperands()[0];
  auto type = cast<RankedTensorType>(x.getType());
  auto wanted = cast<RankedTensorType>(op->getResult(0).getType());
  bool given = op->getNumOperands() > 1;
  FailureOr<Axes> axes =
      getAxes(rewriter, loc, given ? op->getOperand(1) : Value(),
              given ? adaptor.getOperands()[1] : Value(), type.getRank(),
              op.getNoopWithEmptyAxes());
  if (failed(axes))
    return rewriter.notifyMatchFailure(op, "axes are out of range or repeat");
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  Value y =
      ReductionKernel(rewriter, loc, op->getName().stripDialect(), row, element)
          .build(x, *axes);
  if (op.getKeepdims() != 1)
    y = dropAxes(rewriter, loc, y, *axes, wanted);
  return y;
}

/// A pool over all spatial dimensions is a reduction.
template <typename OnnxOp, FailureOr<ReductionRow> (*row)(OnnxOp)>
Lowered lowerGlobalPool(OnnxOp op, typename OnnxOp::Adaptor adaptor,
                        ConversionPatternRewriter &rewriter) {
  Value x = adaptor.getOperands()[0];
  auto type = cast<RankedTensorType>(x.getType());
  if (type.getRank() < 2)
    return rewriter.notifyMatchFailure(op, "operand has no channels");
  FailureOr<ReductionRow> reduction = row(op);
  if (failed(reduction))
    return rewriter.notifyMatchFailure(op, "norm is not known");
  Axes axes;
  axes.reduced.assign(type.getRank(), true);
  axes.reduced[0] = axes.reduced[1] = false;
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  return ReductionKernel(rewriter, op.getLoc(), op->getName().stripDialect(),
                         *reduction, element)
      .build(x, axes);
}

Value zero(ScalarBuilder &s) { return s.constant(0); }
Value oneOf(ScalarBuilder &s) { return s.constant(1); }
Value highest(ScalarBuilder &s) { return s.highest(); }
Value absolute(ScalarBuilder &s, Value x) { return s.abs(x); }
Value exponential(ScalarBuilder &s, Value x) { return s.exp(x); }
Value square(ScalarBuilder &s, Value x) { return s.mul(x, x); }
Value sum(ScalarBuilder &s, Value x, Value y) { return s.add(x, y); }
Value product(ScalarBuilder &s, Value x, Value y) { return s.mul(x, y); }
Value smallest(ScalarBuilder &s, Value x, Value y) { return s.min(x, y); }
Value mean(ScalarBuilder &s, Value x, Value n) { return s.div(x, n); }
Value logarithm(ScalarBuilder &s, Value x, Value) { return s.log(x); }

/// Integer roots go through f64.
Value root(ScalarBuilder &s, Value x, Value) {
  if (s.isFloat())
    return s.sqrt(x);
  Type wide = s.builder().getF64Type();
  Value y = s.sqrt(s.castTo(x, wide));
  ScalarBuilder f64(s.builder(), s.getLoc(), wide);
  return f64.castTo(y, s.type());
}

FailureOr<ReductionRow> averageRow(onnx::GlobalAveragePoolOp) {
  return ReductionRow{zero, nullptr, sum, mean};
}
FailureOr<ReductionRow> maxRow(onnx::GlobalMaxPoolOp) {
  return ReductionRow{lowest, nullptr, largest, nullptr};
}
FailureOr<ReductionRow> lpRow(onnx::GlobalLpPoolOp op) {
  double p = op.getP();
  if (p < 1)
    return failure();
  if (p == 1)
    return ReductionRow{zero, absolute, sum, nullptr};
  if (p == 2)
    return ReductionRow{zero, square, sum, root};
  return ReductionRow{zero,
                      [p](ScalarBuilder &s, Value x) -> Value {
                        return s.math<math::PowFOp>(s.abs(x), s.constant(p));
                      },
                      sum,
                      [p](ScalarBuilder &s, Value x, Value) -> Value {
                        return s.math<math::PowFOp>(x, s.constant(1 / p));
                      }};
}

} // namespace

void populateONNXToKrnlReductionPatterns(TypeConverter &converter,
                                         RewritePatternSet &patterns) {
#define ROW(OP, ...)                                                           \
  addLowering<onnx::OP>(                                                       \
      converter, patterns,                                                     \
      [row = ReductionRow{__VA_ARGS__}](onnx::OP op, auto adaptor,             \
                                        ConversionPatternRewriter &rewriter) { \
        return lowerReduce(op, adaptor, rewriter, row);                        \
      });
  ROW(ReduceL1Op, zero, absolute, sum, nullptr)
  ROW(ReduceL2Op, zero, square, sum, root)
  ROW(ReduceLogSumOp, zero, nullptr, sum, logarithm)
  ROW(ReduceLogSumExpOp, zero, exponential, sum, logarithm,
      /*isFromLargest=*/true)
  ROW(ReduceMaxOp, lowest, nullptr, largest, nullptr)
  ROW(ReduceMeanOp, zero, nullptr, sum, mean)
  ROW(ReduceMinOp, highest, nullptr, smallest, nullptr)
  ROW(ReduceProdOp, oneOf, nullptr, product, nullptr)
  ROW(ReduceSumOp, zero, nullptr, sum, nullptr)
  ROW(ReduceSumSquareOp, zero, square, sum, nullptr)
#undef ROW
  addLowerings(converter, patterns,
               lowerGlobalPool<onnx::GlobalAveragePoolOp, averageRow>,
               lowerGlobalPool<onnx::GlobalLpPoolOp, lpRow>,
               lowerGlobalPool<onnx::GlobalMaxPoolOp, maxRow>);
}

} // namespace onnxc
