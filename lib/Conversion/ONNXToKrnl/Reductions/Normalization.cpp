//===- Normalization.cpp - Mean and variance made the same ------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// One kernel of several passes: statistics of each group of elements, then
// every element moved and scaled by those of its group and by parameters. The
// operators differ in the definition of a group alone.
//===----------------------------------------------------------------------===//

#include "Builders/Broadcasting.h"
#include "Builders/HostValues.h"
#include "Builders/ScalarBuilder.h"
#include "Convolutions/Windows.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

/// A tensor that scales or moves elements, indexed by these dimensions of the
/// normalised tensor. `element` is its type in the onnx dialect.
struct Parameter {
  Value value;
  Type element;
  SmallVector<int64_t> dims;
};

Type onnxElement(Value v) { return getElementTypeOrSelf(v.getType()); }

/// The kernel under construction: loops over all dimensions; a group is the
/// elements that the reduced loops iterate over.
class GroupKernel {
public:
  using Access = KernelBuilder::Access;
  using Fn = function_ref<Value(ScalarBuilder &, ValueRange)>;

  GroupKernel(OpBuilder &b, Location loc, StringRef name, Value x, Type element,
              ArrayRef<bool> isReduced)
      : b(b), loc(loc), kernel(b, loc, name), element(element), x(x),
        type(cast<RankedTensorType>(x.getType())), isReduced(isReduced) {
    in = kernel.input(x);
    all = kernel.loopsOf(type);
    for (auto [d, loop] : llvm::enumerate(all)) {
      if (isReduced[d]) {
        reduced.push_back(loop);
        continue;
      }
      group.push_back(loop);
      groupDims.push_back(d);
    }
  }

  Access input() { return {in, all}; }
  Access at(Value groupValue) { return {groupValue, group}; }
  Access at(const Parameter &p) {
    auto pType = cast<RankedTensorType>(p.value.getType());
    Access access{kernel.input(p.value), {}};
    for (auto [i, d] : llvm::enumerate(p.dims))
      access.at.push_back(pType.getDimSize(i) == 1 && type.getDimSize(d) != 1
                              ? kernel.zero()
                              : all[d]);
    return access;
  }
  /// The element of a parameter in the compute type of x.
  Value load(ScalarBuilder &s, const Parameter &p, Value stored) {
    ScalarBuilder from(s.builder(), s.getLoc(), p.element);
    return from.castTo(from.widen(stored), element);
  }

  /// Sum over each group of fn of the inputs; the first is an element of x.
  Value sum(ArrayRef<Access> ins, Fn fn) {
    ScalarBuilder outside(kernel.inside(), loc, element);
    Value start = kernel.fill(outside.constant(0), at(groupTemporary()));
    return kernel.generic(ins, at(start), reduced,
                          [&](OpBuilder &nb, Location l, ValueRange v) {
                            ScalarBuilder s(nb, l, element);
                            return s.add(v.back(), fn(s, v.drop_back()));
                          });
  }
  /// One value for each group.
  Value map(ArrayRef<Access> ins, Fn fn) {
    return into(ins, at(groupTemporary()), fn);
  }
  Value into(ArrayRef<Access> ins, const Access &out, Fn fn) {
    return kernel.generic(ins, out, {},
                          [&](OpBuilder &nb, Location l, ValueRange v) {
                            ScalarBuilder s(nb, l, element);
                            return fn(s, v.drop_back());
                          });
  }
  Value mean() {
    Value n = count();
    Value total = sum(
        input(), [](ScalarBuilder &s, ValueRange v) { return s.widen(v[0]); });
    return map(at(total),
               [&](ScalarBuilder &s, ValueRange v) { return s.div(v[0], n); });
  }
  /// Mean of the squares of the distances to `mean`, or to 0 without one.
  Value meanSquare(Value mean) {
    Value n = count();
    SmallVector<Access> ins{input()};
    if (mean)
      ins.push_back(at(mean));
    Value total = sum(ins, [&](ScalarBuilder &s, ValueRange v) {
      Value d = s.widen(v[0]);
      d = mean ? s.sub(d, v[1]) : d;
      return s.mul(d, d);
    });
    return map(at(total),
               [&](ScalarBuilder &s, ValueRange v) { return s.div(v[0], n); });
  }
  Value inverseDeviation(Value variance, double epsilon) {
    return map(at(variance), [&](ScalarBuilder &s, ValueRange v) {
      return s.div(s.constant(1), s.sqrt(s.add(v[0], s.constant(epsilon))));
    });
  }

  /// Adds a result of the shape of x.
  Access result() { return {kernel.output(type, sizesOf(b, loc, x)), all}; }
  /// Adds a result with one element for each group, of rank as x, and fills it.
  Value groupResult(Type resultElement, Value value) {
    SmallVector<Value> sizes = sizesOf(b, loc, x);
    SmallVector<int64_t> shape(type.getShape());
    Access out{{}, all};
    for (auto [d, reduces] : llvm::enumerate(isReduced))
      if (reduces) {
        sizes[d] = indexConstant(b, loc, 1);
        shape[d] = 1;
        out.at[d] = kernel.zero();
      }
    ScalarBuilder stored(b, loc, resultElement);
    auto outType =
        RankedTensorType::get(shape, ScalarBuilder::storageType(resultElement));
    out.tensor = kernel.output(outType, sizes);
    return into(at(value), out, [&](ScalarBuilder &s, ValueRange v) {
      ScalarBuilder to(s.builder(), s.getLoc(), resultElement);
      return to.narrow(s.castTo(v[0], resultElement));
    });
  }
  /// (x - mean) * factor * scale + bias: all but x and factor may be missing.
  Value normalize(const Access &out, Value mean, Value factor,
                  const Parameter &scale, const Parameter &bias) {
    SmallVector<Access> ins{input(), at(factor)};
    if (mean)
      ins.push_back(at(mean));
    if (scale.value)
      ins.push_back(at(scale));
    if (bias.value)
      ins.push_back(at(bias));
    return into(ins, out, [&](ScalarBuilder &s, ValueRange v) {
      ValueRange rest = v.drop_front(2);
      auto take = [&] {
        Value first = rest.front();
        rest = rest.drop_front();
        return first;
      };
      Value y = s.widen(v[0]);
      y = mean ? s.sub(y, take()) : y;
      y = s.mul(y, v[1]);
      y = scale.value ? s.mul(y, load(s, scale, take())) : y;
      y = bias.value ? s.add(y, load(s, bias, take())) : y;
      return s.narrow(y);
    });
  }

  OpBuilder &b;
  Location loc;
  KernelBuilder kernel;
  Type element;

private:
  Value groupTemporary() {
    return kernel.temporaryLike(in, ScalarBuilder::computeType(element),
                                groupDims);
  }
  /// Number of elements of a group in the compute type.
  Value count() {
    if (size)
      return size;
    Type compute = ScalarBuilder::computeType(element);
    Value total = indexConstant(b, loc, 1);
    for (auto [d, reduces] : llvm::enumerate(isReduced))
      if (reduces)
        total = mulIndex(b, loc, total, sizeOf(b, loc, x, d));
    if (auto constant = getConstantIntValue(total))
      return size = kernel.constant(
                 cast<TypedAttr>(b.getFloatAttr(compute, double(*constant))));
    Value asInt = arith::IndexCastOp::create(b, loc, b.getI64Type(), total);
    return size = kernel.input(
               arith::SIToFPOp::create(b, loc, compute, asInt).getResult());
  }

  Value x, in, size;
  RankedTensorType type;
  SmallVector<bool> isReduced;
  SmallVector<AffineExpr> all, group, reduced;
  SmallVector<int64_t> groupDims;
};

/// `value` for the last dimensions of `x`, to which it broadcasts: where its
/// sizes are dynamic, it is checked and expanded.
FailureOr<Parameter> trailing(OpBuilder &b, Location loc, Value original,
                              Value value, Value x) {
  Parameter p{value, Type(), {}};
  if (!value)
    return p;
  p.element = onnxElement(original);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
  if (type.getRank() > rank)
    return failure();
  SmallVector<Value> wanted;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int64_t d = rank - type.getRank() + dim;
    p.dims.push_back(d);
    wanted.push_back(sizeOf(b, loc, x, d));
    checkBroadcasts(b, loc, sizeOf(b, loc, value, dim), wanted.back(),
                    "normalisation: a parameter does not broadcast");
  }
  p.value = expandTo(b, loc, value, wanted);
  return p;
}

/// Which of `rank` dimensions come at `axis` or after it.
SmallVector<bool> isFrom(int64_t axis, int64_t rank) {
  SmallVector<bool> flags(rank, false);
  std::fill(flags.begin() + std::clamp<int64_t>(axis, 0, rank), flags.end(),
            true);
  return flags;
}

/// LayerNormalization, and RMSNormalization, which has no mean and no result
/// that depends on it.
template <typename Op>
Lowered lowerRowNorm(Op op, typename Op::Adaptor adaptor,
                     ConversionPatternRewriter &rewriter) {
  constexpr bool hasMean = std::is_same_v<Op, onnx::LayerNormalizationOp>;
  Location loc = op.getLoc();
  Value x = adaptor.getX();
  auto type = cast<RankedTensorType>(x.getType());
  if constexpr (hasMean)
    for (Value wanted : {op.getMean(), op.getInvStdDev()})
      if (wanted && !isa<FloatType>(onnxElement(wanted)))
        return rewriter.notifyMatchFailure(op,
                                           "stash_type is not a float type");
  int64_t rank = type.getRank(), axis = positiveAxis(op.getAxis(), rank);
  auto scale = trailing(rewriter, loc, op.getScale(), adaptor.getScale(), x);
  FailureOr<Parameter> bias = Parameter();
  if constexpr (hasMean)
    bias = trailing(rewriter, loc, op.getB(), adaptor.getB(), x);
  if (failed(scale) || failed(bias))
    return neverMade(rewriter, op, "parameters do not broadcast");
  GroupKernel k(rewriter, loc, op->getName().stripDialect(), x,
                onnxElement(op.getX()), isFrom(axis, rank));
  Value mean = hasMean ? k.mean() : Value();
  Value inverse = k.inverseDeviation(k.meanSquare(mean), op.getEpsilon());
  SmallVector<Value> results{
      k.normalize(k.result(), mean, inverse, *scale, *bias)};
  if constexpr (hasMean) {
    if (Value wanted = op.getMean())
      results.push_back(k.groupResult(onnxElement(wanted), mean));
    if (Value wanted = op.getInvStdDev())
      results.push_back(k.groupResult(onnxElement(wanted), inverse));
  }
  return k.kernel.finish(results);
}

Lowered lowerInstanceNorm(onnx::InstanceNormalizationOp op,
                          onnx::InstanceNormalizationOp::Adaptor adaptor,
                          ConversionPatternRewriter &rewriter) {
  Value x = adaptor.getInput();
  auto type = cast<RankedTensorType>(x.getType());
  if (type.getRank() < 2)
    return rewriter.notifyMatchFailure(op, "operand has no channels");
  SmallVector<bool> reduced(type.getRank(), true);
  reduced[0] = reduced[1] = false;
  Location loc = op.getLoc();
  GroupKernel k(rewriter, loc, "InstanceNormalization", x,
                onnxElement(op.getInput()), reduced);
  Value mean = k.mean();
  Value inverse = k.inverseDeviation(k.meanSquare(mean), op.getEpsilon());
  Parameter scale{adaptor.getScale(), onnxElement(op.getScale()), {1}},
      bias{adaptor.getB(), onnxElement(op.getB()), {1}};
  Value y = k.normalize(k.result(), mean, inverse, scale, bias);
  return k.kernel.finish({y});
}

Lowered lowerGroupNorm(onnx::GroupNormalizationOp op,
                       onnx::GroupNormalizationOp::Adaptor adaptor,
                       ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  if (type.getRank() < 2 || op.getNumGroups() < 1)
    return rewriter.notifyMatchFailure(op, "operand has no channels");
  SmallVector<Value> sizes = sizesOf(rewriter, loc, adaptor.getX());
  int64_t groups = op.getNumGroups();
  Value x = splitDim(rewriter, loc, adaptor.getX(), 1, groups);
  auto parameter = [&](Value original, Value value) -> Parameter {
    // Splitting rounds down: more channels would go unnoticed.
    checkEqualSizes(
        rewriter, loc, sizeOf(rewriter, loc, value, 0), sizes[1],
        "normalisation: a parameter has another number of channels");
    return {splitDim(rewriter, loc, value, 0, groups),
            onnxElement(original),
            {1, 2}};
  };
  Parameter scale = parameter(op.getScale(), adaptor.getScale());
  Parameter bias = parameter(op.getBias(), adaptor.getBias());
  SmallVector<bool> reduced(type.getRank() + 1, true);
  reduced[0] = reduced[1] = false;
  GroupKernel k(rewriter, loc, "GroupNormalization", x, onnxElement(op.getX()),
                reduced);
  Value mean = k.mean();
  Value inverse = k.inverseDeviation(k.meanSquare(mean), op.getEpsilon());
  Value y = k.normalize(k.result(), mean, inverse, scale, bias);
  y = reshapeTo(rewriter, loc, k.kernel.finish({y}).front(), type, sizes);
  return y;
}

/// Elements divided by the norm of their row, which may be 0.
Lowered lowerLpNorm(onnx::LpNormalizationOp op,
                    onnx::LpNormalizationOp::Adaptor adaptor,
                    ConversionPatternRewriter &rewriter) {
  Value x = adaptor.getInput();
  auto type = cast<RankedTensorType>(x.getType());
  int64_t rank = type.getRank(), axis = positiveAxis(op.getAxis(), rank);
  if (axis < 0 || axis >= rank)
    return rewriter.notifyMatchFailure(op, "axis is out of range");
  SmallVector<bool> reduced(rank);
  reduced[axis] = true;
  bool absolute = op.getP() == 1;
  GroupKernel k(rewriter, op.getLoc(), "LpNormalization", x,
                onnxElement(op.getInput()), reduced);
  Value total = k.sum(k.input(), [&](ScalarBuilder &s, ValueRange v) {
    Value e = s.widen(v[0]);
    return absolute ? s.abs(e) : s.mul(e, e);
  });
  Value norm = k.map(k.at(total), [&](ScalarBuilder &s, ValueRange v) {
    return absolute ? v[0] : s.sqrt(v[0]);
  });
  Value y = k.into({k.input(), k.at(norm)}, k.result(),
                   [](ScalarBuilder &s, ValueRange v) {
                     Value zero = s.constant(0);
                     Value ratio = s.div(s.widen(v[0]), v[1]);
                     return s.narrow(s.select(s.eq(v[1], zero), zero, ratio));
                   });
  return k.kernel.finish({y});
}

} // namespace

void populateONNXToKrnlNormalizationPatterns(TypeConverter &converter,
                                             RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerGroupNorm, lowerInstanceNorm,
               lowerLpNorm, lowerRowNorm<onnx::LayerNormalizationOp>,
               lowerRowNorm<onnx::RMSNormalizationOp>);
}

} // namespace onnxc
