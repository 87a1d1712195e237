//===- Fourier.cpp - Discrete Fourier transforms ----------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Signal/Fourier.h"

#include "FourierStages.h"

#include "Builders/HostValues.h"
#include "Images/Interpolation.h"
#include "Movement/Movement.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include <numbers>

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

constexpr int64_t largestLength = 1 << 30;

class Fourier {
public:
  Fourier(OpBuilder &b, Location loc, const FourierPlan &plan)
      : b(b), loc(loc), plan(plan) {
    sizes = sizesOf(b, loc, plan.x);
    direct = FourierStages::takes(plan.length);
    // The convolution loses digits that the direct way keeps.
    compute = direct ? ScalarBuilder::computeType(plan.element)
                     : Type(b.getF64Type());
  }

  Value run();

private:
  Value index(int64_t value) { return indexConstant(b, loc, value); }
  Value readPart(ScalarBuilder &s, Value x, MutableArrayRef<Value> position,
                 int64_t part, Value exists);
  SmallVector<Value> readMirrored(ScalarBuilder &s, Value x,
                                  MutableArrayRef<Value> position, Value given,
                                  Value whole);
  Complex load(Value length, const Complex *chirp);
  Value store(Complex y, const Complex *chirp, Value divisor);
  Complex chirp(Value length);
  Complex mirrored(Complex chirp, Value length);
  Complex product(Complex x, Complex y);
  Complex transform(Complex x, Value length, bool positive) {
    return FourierStages(b, loc, compute).transform(x, length, positive);
  }

  OpBuilder &b;
  Location loc;
  const FourierPlan &plan;
  /// The sizes of x.
  SmallVector<Value> sizes;
  bool direct;
  /// The element type of the computation.
  Type compute;
};

} // namespace

//===----------------------------------------------------------------------===//
// In and out
//===----------------------------------------------------------------------===//

/// The part of x at `position`, zero where `exists` (null: everywhere) is
/// false.
Value Fourier::readPart(ScalarBuilder &s, Value x,
                        MutableArrayRef<Value> position, int64_t part,
                        Value exists) {
  OpBuilder &nb = s.builder();
  ScalarBuilder stored(nb, s.getLoc(), plan.element);
  position[3] = indexConstant(nb, s.getLoc(), part);
  Value value = tensor::ExtractOp::create(nb, s.getLoc(), x, position);
  value = stored.castTo(stored.widen(value), compute);
  return exists ? s.select(exists, value, s.constant(0)) : value;
}

/// Reads an element of the whole spectrum where only the lower half is given:
/// the upper half is the conjugate of the lower one backwards.
SmallVector<Value> Fourier::readMirrored(ScalarBuilder &s, Value x,
                                         MutableArrayRef<Value> position,
                                         Value given, Value whole) {
  OpBuilder &nb = s.builder();
  Location l = s.getLoc();
  auto compare = [&](arith::CmpIPredicate how, Value a, Value c) -> Value {
    return arith::CmpIOp::create(nb, l, how, a, c);
  };
  Value i = position[1], opposite = subIndex(nb, l, whole, i);
  Value isUpper = compare(arith::CmpIPredicate::slt, opposite, i);
  Value from = arith::SelectOp::create(nb, l, isUpper, opposite, i);
  Value exists = s.math<arith::AndIOp>(isInside(nb, l, i, whole),
                                       isInside(nb, l, from, given));
  position[1] = clampIndex(nb, l, from, given);
  SmallVector<Value> value{readPart(s, x, position, 0, exists),
                           readPart(s, x, position, 1, exists)};
  // The middle and the first element are their own conjugates.
  Value isMiddle =
      compare(arith::CmpIPredicate::eq, subIndex(nb, l, whole, from), from);
  Value isFirst =
      compare(arith::CmpIPredicate::eq, from, indexConstant(nb, l, 0));
  value[1] = s.select(isUpper, s.neg(value[1]), value[1]);
  value[1] = s.select(s.math<arith::OrIOp>(isMiddle, isFirst), s.constant(0),
                      value[1]);
  return value;
}

/// outer x length x inner: the operand, zeros after it, and the half that a
/// one-sided spectrum leaves out; times the chirp, if there is one.
Complex Fourier::load(Value length, const Complex *chirp) {
  SmallVector<Value> outSizes{sizes[0], length, sizes[2]};
  RankedTensorType type = typeOfSizes(outSizes, compute);
  KernelBuilder kernel(b, loc, "DFT.load");
  SmallVector<AffineExpr> at = kernel.loopsOf(type);
  Value x = kernel.input(plan.x);
  Value given = kernel.scalar(sizes[1]), whole = kernel.scalar(plan.length);
  SmallVector<KernelBuilder::Access> ins;
  if (chirp) {
    ins.push_back({kernel.input(chirp->re), {at[1]}});
    ins.push_back({kernel.input(chirp->im), {at[1]}});
  }
  Value re = kernel.output(type, outSizes);
  Value im = kernel.output(type, outSizes);
  bool isComplex = rankedType(plan.x).getDimSize(3) == 2;
  bool mirrors = plan.inverse && plan.oneSided && isComplex;
  auto known = getConstantIntValue(length);
  bool isAll = known && getConstantIntValue(sizes[1]) == known &&
               getConstantIntValue(plan.length) == known;
  auto body = [&](OpBuilder &nb, Location l, ValueRange args) {
    ScalarBuilder s(nb, l, compute);
    Value i = kernel.index(nb, l, at[1]), exists;
    Value position[] = {kernel.index(nb, l, at[0]), i,
                        kernel.index(nb, l, at[2]), Value()};
    SmallVector<Value> value;
    if (mirrors) {
      value = readMirrored(s, x, position, given, whole);
    } else {
      if (!isAll) {
        exists = s.math<arith::AndIOp>(isInside(nb, l, i, whole),
                                       isInside(nb, l, i, given));
        position[1] = clampIndex(nb, l, i, given);
      }
      value = {readPart(s, x, position, 0, exists),
               isComplex ? readPart(s, x, position, 1, exists) : s.constant(0)};
    }
    if (chirp)
      value = multiplyComplex(s, value[0], value[1], args[0], args[1]);
    return value;
  };
  return finishComplex(kernel,
                       kernel.generic(ins, bothParts(re, im, at), {}, body));
}

/// The result, element by element: times the chirp, if there is one, and
/// divided by the length of an inverse transform (and by `divisor`).
Value Fourier::store(Complex y, const Complex *chirp, Value divisor) {
  bool isReal = plan.inverse && plan.oneSided;
  Value bins = plan.length;
  if (plan.oneSided && !plan.inverse)
    bins = addIndex(b, loc, floorDivIndex(b, loc, bins, index(2)), index(1));
  SmallVector<Value> outSizes{sizes[0], bins, sizes[2], index(isReal ? 1 : 2)};
  SmallVector<Value> inputs{y.re, y.im, plan.length};
  if (chirp)
    inputs.append({chirp->re, chirp->im, divisor});
  Type element = plan.element;
  bool inverse = plan.inverse;
  return generate(
      b, loc, "DFT.store", ScalarBuilder::storageType(element), outSizes,
      inputs,
      [&](OpBuilder &nb, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
        ScalarBuilder s(nb, l, compute);
        auto read = [&](Value tensor, ArrayRef<Value> position) -> Value {
          return tensor::ExtractOp::create(nb, l, tensor, position);
        };
        SmallVector<Value> value{read(in[0], at.take_front(3)),
                                 read(in[1], at.take_front(3))};
        Value scale = s.constant(1);
        if (chirp) {
          value = multiplyComplex(s, value[0], value[1], read(in[3], at[1]),
                                  read(in[4], at[1]));
          scale = indexToFloat(s, in[5]);
        }
        if (inverse)
          scale = s.mul(scale, indexToFloat(s, in[2]));
        Value y = value[0];
        if (!isReal) {
          Value isRe = arith::CmpIOp::create(nb, l, arith::CmpIPredicate::eq,
                                             at[3], indexConstant(nb, l, 0));
          y = s.select(isRe, value[0], value[1]);
        }
        if (chirp || inverse)
          y = s.div(y, scale);
        ScalarBuilder stored(nb, l, element);
        return stored.narrow(s.castTo(y, element));
      });
}

//===----------------------------------------------------------------------===//
// Bluestein's way
//===----------------------------------------------------------------------===//

/// exp(+-pi i n^2 / N) for n below `length`; the sign is that of the transform.
Complex Fourier::chirp(Value length) {
  RankedTensorType type = typeOfSizes(length, compute);
  KernelBuilder kernel(b, loc, "DFT.chirp");
  AffineExpr n = kernel.loopsOf(type).front();
  Value whole = kernel.scalar(maxIndex(b, loc, plan.length, index(1)));
  Value re = kernel.output(type, length);
  Value im = kernel.output(type, length);
  auto body = [&](OpBuilder &nb, Location l, ValueRange) {
    ScalarBuilder f(nb, l, nb.getF64Type());
    // n^2 is exact, and so is its remainder by whole periods.
    Value i = kernel.index(nb, l, n);
    Value periods = mulIndex(nb, l, whole, indexConstant(nb, l, 2));
    Value square =
        arith::RemUIOp::create(nb, l, mulIndex(nb, l, i, i), periods);
    double half = (plan.inverse ? 1 : -1) * std::numbers::pi;
    Value angle = f.mul(f.constant(half),
                        f.div(indexToFloat(f, square), indexToFloat(f, whole)));
    return unitAt(nb, l, angle, compute);
  };
  return finishComplex(kernel,
                       kernel.generic({}, bothParts(re, im, n), {}, body));
}

/// The conjugate chirp at 0 to N - 1 and, backwards, at the end of `length`:
/// 1 x length x 1.
Complex Fourier::mirrored(Complex chirp, Value length) {
  SmallVector<Value> outSizes{index(1), length, index(1)};
  auto build = [&](Value table, bool negate) {
    return generate(
        b, loc, "DFT.filter", compute, outSizes, {table, length, plan.length},
        [&](OpBuilder &nb, Location l, ArrayRef<Value> at,
            ArrayRef<Value> in) -> Value {
          ScalarBuilder s(nb, l, compute);
          Value back = subIndex(nb, l, in[1], at[1]);
          Value isFront = isInside(nb, l, at[1], in[2]);
          Value isBack = isInside(nb, l, back, in[2]);
          Value from = arith::SelectOp::create(nb, l, isFront, at[1], back);
          Value clamped = clampIndex(nb, l, from, in[1]);
          Value value = tensor::ExtractOp::create(nb, l, in[0], clamped);
          if (negate)
            value = s.neg(value);
          Value any = arith::OrIOp::create(nb, l, isFront, isBack);
          return s.select(any, value, s.constant(0));
        });
  };
  return {build(chirp.re, false), build(chirp.im, true)};
}

/// x times y, which is the same for all of outer and inner.
Complex Fourier::product(Complex x, Complex y) {
  SmallVector<Value> outSizes = sizesOf(b, loc, x.re);
  RankedTensorType type = typeOfSizes(outSizes, compute);
  KernelBuilder kernel(b, loc, "DFT.product");
  SmallVector<AffineExpr> at = kernel.loopsOf(type),
                          once{kernel.zero(), at[1], kernel.zero()};
  SmallVector<KernelBuilder::Access> ins{{kernel.input(x.re), at},
                                         {kernel.input(x.im), at},
                                         {kernel.input(y.re), once},
                                         {kernel.input(y.im), once}};
  Value re = kernel.output(type, outSizes);
  Value im = kernel.output(type, outSizes);
  auto body = [&](OpBuilder &nb, Location l, ValueRange v) {
    ScalarBuilder s(nb, l, compute);
    return multiplyComplex(s, v[0], v[1], v[2], v[3]);
  };
  return finishComplex(kernel,
                       kernel.generic(ins, bothParts(re, im, at), {}, body));
}

/// The smallest power of two that is not below x.
static Value powerOfTwoFrom(OpBuilder &b, Location loc, Value x) {
  if (auto known = getConstantIntValue(x))
    return indexConstant(
        b, loc, llvm::PowerOf2Ceil(uint64_t(std::max<int64_t>(*known, 1))));
  Value one = indexConstant(b, loc, 1);
  Value below = subIndex(b, loc, maxIndex(b, loc, x, one), one);
  Value wide = arith::IndexCastOp::create(b, loc, b.getI64Type(), below);
  Value zeros = math::CountLeadingZerosOp::create(b, loc, wide);
  Value bits = arith::SubIOp::create(
      b, loc, arith::ConstantIntOp::create(b, loc, b.getI64Type(), 64), zeros);
  Value power = arith::ShLIOp::create(
      b, loc, arith::ConstantIntOp::create(b, loc, b.getI64Type(), 1), bits);
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), power);
}

Value Fourier::run() {
  checkAtMost(b, loc, index(1), plan.length, "DFT: the length is not positive");
  checkAtMost(b, loc, plan.length, index(largestLength),
              "DFT: the length is too large");
  checkAtMost(b, loc, index(1), sizes[1], "DFT: there is nothing to transform");
  if (direct)
    return store(
        transform(load(plan.length, nullptr), plan.length, plan.inverse),
        nullptr, {});
  Value twice = mulIndex(b, loc, plan.length, index(2));
  Value length = powerOfTwoFrom(b, loc, subIndex(b, loc, twice, index(1)));
  Complex waves = chirp(length);
  Complex filter =
      transform(mirrored(waves, length), length, /*positive=*/false);
  Complex spectrum =
      transform(load(length, &waves), length, /*positive=*/false);
  Complex y = transform(product(spectrum, filter), length, /*positive=*/true);
  return store(y, &waves, length);
}

bool isFourierLength(Value length) {
  auto known = getConstantIntValue(length);
  return !known || (*known > 0 && *known <= largestLength);
}

Value buildFourier(OpBuilder &b, Location loc, const FourierPlan &plan) {
  return Fourier(b, loc, plan).run();
}

} // namespace onnxc
