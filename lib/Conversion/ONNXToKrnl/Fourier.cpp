//===- Fourier.cpp - Discrete Fourier transforms ----------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "onnxc/Conversion/ONNXToKrnl/Fourier.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/HostValues.h"
#include "onnxc/Conversion/ONNXToKrnl/Interpolation.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/Movement.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include <numbers>

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

/// Primes above this one are left to Bluestein's way: a stage of a factor takes
/// that many multiplications for each element.
constexpr int64_t largestFactor = 31;

constexpr int64_t largestLength = 1 << 30;
/// Longer transforms make their twiddles themselves.
constexpr int64_t largestTable = 1 << 16;

/// A complex tensor in two, so that neighbours in memory are alike.
struct Complex {
  Value re, im;
};

/// The factors of a length, largest work first; empty for a length that has
/// others. Four is better than two twice: it reads and writes once.
SmallVector<int64_t> smallFactors(int64_t length) {
  SmallVector<int64_t> factors;
  for (int64_t factor : {4, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31})
    for (; length % factor == 0; length /= factor)
      factors.push_back(factor);
  static_assert(largestFactor == 31);
  if (length != 1)
    factors.clear();
  return factors;
}

class Fourier {
public:
  Fourier(OpBuilder &b, Location loc, const FourierPlan &plan)
      : b(b), loc(loc), plan(plan) {
    sizes = sizesOf(b, loc, plan.x);
    int64_t known = getConstantIntValue(plan.length).value_or(0);
    direct =
        known > 0 && (llvm::isPowerOf2_64(known) ||
                      (known <= largestTable && !smallFactors(known).empty()));
    // The convolution loses digits that the direct way keeps.
    compute = direct ? ScalarBuilder::computeType(plan.element)
                     : Type(b.getF64Type());
  }

  Value run();

private:
  Value index(int64_t value) { return indexConstant(b, loc, value); }
  Value readPart(ScalarBuilder &s, Value x, MutableArrayRef<Value> place,
                 int64_t part, Value exists);
  SmallVector<Value> readMirrored(ScalarBuilder &s, Value x,
                                  MutableArrayRef<Value> place, Value given,
                                  Value whole);
  Complex load(Value length, const Complex *chirp);
  Value store(Complex y, const Complex *chirp, Value divisor);
  Complex chirp(Value length);
  Complex mirrored(Complex chirp, Value length);
  Complex product(Complex x, Complex y);
  Complex transform(Complex x, Value length, bool positive);
  Complex loopOfTwos(Complex x, Value length, bool positive);
  Complex stage(Complex x, Value radix, Value done, Complex twiddles);
  Complex knownTwiddles(int64_t radix, int64_t done, bool positive);
  Complex roots(Value length, bool positive);
  Complex twiddlesOfTwo(Complex roots, Value length, Value done);
  Complex finish(KernelBuilder &kernel, ArrayRef<Value> values);

  OpBuilder &b;
  Location loc;
  const FourierPlan &plan;
  /// Of x.
  SmallVector<Value> sizes;
  bool direct;
  /// What is computed with.
  Type compute;
};

} // namespace

Complex Fourier::finish(KernelBuilder &kernel, ArrayRef<Value> values) {
  SmallVector<Value> results = kernel.finish(values);
  return {results[0], results[1]};
}

/// Both parts of a complex result, written at the same place.
static SmallVector<KernelBuilder::Access> both(Value re, Value im,
                                               ArrayRef<AffineExpr> at) {
  return {{re, SmallVector<AffineExpr>(at)}, {im, SmallVector<AffineExpr>(at)}};
}

/// (a + bi)(c + di)
static SmallVector<Value> multiply(ScalarBuilder &s, Value a, Value b, Value c,
                                   Value d) {
  return {s.sub(s.mul(a, c), s.mul(b, d)), s.add(s.mul(a, d), s.mul(b, c))};
}

/// cos and sin of an angle in f64, in the type that is computed with.
static SmallVector<Value> unitAt(OpBuilder &b, Location loc, Value angle,
                                 Type compute) {
  ScalarBuilder f(b, loc, b.getF64Type());
  return {f.castTo(f.math<math::CosOp>(angle), compute),
          f.castTo(f.math<math::SinOp>(angle), compute)};
}

//===----------------------------------------------------------------------===//
// In and out
//===----------------------------------------------------------------------===//

/// The part of x at `place`, zero where `exists` (null: everywhere) is false.
Value Fourier::readPart(ScalarBuilder &s, Value x, MutableArrayRef<Value> place,
                        int64_t part, Value exists) {
  OpBuilder &nb = s.builder();
  ScalarBuilder stored(nb, s.getLoc(), plan.element);
  place[3] = indexConstant(nb, s.getLoc(), part);
  Value value = tensor::ExtractOp::create(nb, s.getLoc(), x, place);
  value = stored.castTo(stored.widen(value), compute);
  return exists ? s.select(exists, value, s.constant(0)) : value;
}

/// Of a spectrum of which only the lower half is given, all of it: the upper is
/// the lower backwards, conjugate.
SmallVector<Value> Fourier::readMirrored(ScalarBuilder &s, Value x,
                                         MutableArrayRef<Value> place,
                                         Value given, Value whole) {
  OpBuilder &nb = s.builder();
  Location l = s.getLoc();
  auto compare = [&](arith::CmpIPredicate how, Value a, Value c) -> Value {
    return arith::CmpIOp::create(nb, l, how, a, c);
  };
  Value i = place[1], opposite = subIndex(nb, l, whole, i);
  Value isUpper = compare(arith::CmpIPredicate::slt, opposite, i);
  Value from = arith::SelectOp::create(nb, l, isUpper, opposite, i);
  Value exists = s.math<arith::AndIOp>(isInside(nb, l, i, whole),
                                       isInside(nb, l, from, given));
  place[1] = clampIndex(nb, l, from, given);
  SmallVector<Value> value{readPart(s, x, place, 0, exists),
                           readPart(s, x, place, 1, exists)};
  // What stands in the middle is its own mirror image, and so is the first.
  Value isMiddle =
      compare(arith::CmpIPredicate::eq, subIndex(nb, l, whole, from), from);
  Value isFirst =
      compare(arith::CmpIPredicate::eq, from, indexConstant(nb, l, 0));
  value[1] = s.select(isUpper, s.neg(value[1]), value[1]);
  value[1] = s.select(s.math<arith::OrIOp>(isMiddle, isFirst), s.constant(0),
                      value[1]);
  return value;
}

/// outer x length x inner: what is given, zeros after it, and the half that a
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
  Value re = kernel.output(type, dynamicSizes(type, outSizes));
  Value im = kernel.output(type, dynamicSizes(type, outSizes));
  bool isComplex = rankedType(plan.x).getDimSize(3) == 2;
  bool mirrors = plan.inverse && plan.oneSided && isComplex;
  auto known = getConstantIntValue(length);
  bool isAll = known && getConstantIntValue(sizes[1]) == known &&
               getConstantIntValue(plan.length) == known;
  auto body = [&](OpBuilder &nb, Location l, ValueRange args) {
    ScalarBuilder s(nb, l, compute);
    Value i = kernel.index(nb, l, at[1]), exists;
    Value place[] = {kernel.index(nb, l, at[0]), i, kernel.index(nb, l, at[2]),
                     Value()};
    SmallVector<Value> value;
    if (mirrors) {
      value = readMirrored(s, x, place, given, whole);
    } else {
      if (!isAll) {
        exists = s.math<arith::AndIOp>(isInside(nb, l, i, whole),
                                       isInside(nb, l, i, given));
        place[1] = clampIndex(nb, l, i, given);
      }
      value = {readPart(s, x, place, 0, exists),
               isComplex ? readPart(s, x, place, 1, exists) : s.constant(0)};
    }
    if (chirp)
      value = multiply(s, value[0], value[1], args[0], args[1]);
    return value;
  };
  return finish(kernel, kernel.generic(ins, both(re, im, at), {}, body));
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
        auto read = [&](Value tensor, ArrayRef<Value> place) -> Value {
          return tensor::ExtractOp::create(nb, l, tensor, place);
        };
        SmallVector<Value> value{read(in[0], at.take_front(3)),
                                 read(in[1], at.take_front(3))};
        Value scale = s.constant(1);
        if (chirp) {
          value = multiply(s, value[0], value[1], read(in[3], at[1]),
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
// Stages
//===----------------------------------------------------------------------===//

/// One factor. x is outer x (radix x rest x done) x inner: `rest` transforms
/// of length `done` for each of `radix` residues. y is outer x (rest x radix x
/// done) x inner: y[p, s, t] = sum over j of x[j, p, t] * twiddle[j, s, t].
Complex Fourier::stage(Complex x, Value radix, Value done, Complex twiddles) {
  SmallVector<Value> whole = sizesOf(b, loc, x.re);
  Value rest = floorDivIndex(b, loc, whole[1], mulIndex(b, loc, radix, done));
  SmallVector<Value> inSizes{whole[0], radix, rest, done, whole[2]};
  SmallVector<Value> outSizes{whole[0], rest, radix, done, whole[2]};
  RankedTensorType inType = typeOfSizes(inSizes, compute),
                   outType = typeOfSizes(outSizes, compute);
  KernelBuilder kernel(b, loc, "DFT.stage");
  SmallVector<AffineExpr> at = kernel.loopsOf(outType);
  AffineExpr j = kernel.loop("j", inType.getDimSize(1));
  SmallVector<AffineExpr> from{at[0], j, at[1], at[3], at[4]},
      turn{j, at[2], at[3]};
  auto view = [&](Value v) {
    return kernel.input(reshapeTo(b, loc, v, inType, inSizes));
  };
  SmallVector<KernelBuilder::Access> ins{{view(x.re), from},
                                         {view(x.im), from},
                                         {kernel.input(twiddles.re), turn},
                                         {kernel.input(twiddles.im), turn}};
  Value re = kernel.output(outType, dynamicSizes(outType, outSizes));
  Value im = kernel.output(outType, dynamicSizes(outType, outSizes));
  Value zero = kernel.constant(cast<TypedAttr>(b.getZeroAttr(compute)));
  SmallVector<KernelBuilder::Access> outs{{kernel.fill(zero, {re, at}), at},
                                          {kernel.fill(zero, {im, at}), at}};
  auto body = [&](OpBuilder &nb, Location l, ValueRange v) {
    ScalarBuilder s(nb, l, compute);
    SmallVector<Value> part = multiply(s, v[0], v[1], v[2], v[3]);
    return SmallVector<Value>{s.add(v[4], part[0]), s.add(v[5], part[1])};
  };
  Complex y = finish(kernel, kernel.generic(ins, outs, {j}, body));
  RankedTensorType type = rankedType(x.re);
  return {reshapeTo(b, loc, y.re, type, whole),
          reshapeTo(b, loc, y.im, type, whole)};
}

/// exp(+-2 pi i j (t + done s) / (radix done)), as a constant.
Complex Fourier::knownTwiddles(int64_t radix, int64_t done, bool positive) {
  int64_t length = radix * done;
  SmallVector<double> re, im;
  for (int64_t j = 0; j < radix; ++j)
    for (int64_t u = 0; u < length; ++u) {
      // Of the angles that are the same, the smallest is the most exact.
      double angle = 2 * std::numbers::pi * double(j * u % length) / length;
      re.push_back(std::cos(angle));
      im.push_back(positive ? std::sin(angle) : -std::sin(angle));
    }
  auto type = RankedTensorType::get({radix, radix, done}, compute);
  auto constant = [&](ArrayRef<double> values) -> Value {
    DenseElementsAttr dense;
    if (compute.isF64()) {
      dense = DenseElementsAttr::get(type, values);
    } else {
      SmallVector<float> narrow(values.begin(), values.end());
      dense = DenseElementsAttr::get(type, ArrayRef<float>(narrow));
    }
    return krnl::ConstantOp::create(b, loc, dense, krnl::PackedLayoutAttr());
  };
  return {constant(re), constant(im)};
}

/// exp(+-2 pi i m / length) for all m.
Complex Fourier::roots(Value length, bool positive) {
  RankedTensorType type = typeOfSizes(length, compute);
  KernelBuilder kernel(b, loc, "DFT.roots");
  AffineExpr m = kernel.loopsOf(type).front();
  Value size = kernel.scalar(length);
  Value re = kernel.output(type, dynamicSizes(type, length));
  Value im = kernel.output(type, dynamicSizes(type, length));
  auto body = [&](OpBuilder &nb, Location l, ValueRange) {
    ScalarBuilder f(nb, l, nb.getF64Type());
    double turn = (positive ? 2 : -2) * std::numbers::pi;
    Value part =
        f.div(indexToFloat(f, kernel.index(nb, l, m)), indexToFloat(f, size));
    return unitAt(nb, l, f.mul(f.constant(turn), part), compute);
  };
  return finish(kernel, kernel.generic({}, both(re, im, m), {}, body));
}

/// The twiddles of a stage of two, out of the roots of the whole length.
Complex Fourier::twiddlesOfTwo(Complex all, Value length, Value done) {
  SmallVector<Value> outSizes{index(2), index(2), done};
  Value step = floorDivIndex(b, loc, length, mulIndex(b, loc, index(2), done));
  auto pick = [&](Value table) {
    return generate(
        b, loc, "DFT.twiddles", compute, outSizes, {table, done, step},
        [&](OpBuilder &nb, Location l, ArrayRef<Value> at,
            ArrayRef<Value> in) -> Value {
          Value u = addIndex(nb, l, at[2], mulIndex(nb, l, at[1], in[1]));
          // j is 0 or 1: there is nothing to go around.
          Value m = mulIndex(nb, l, mulIndex(nb, l, at[0], u), in[2]);
          return tensor::ExtractOp::create(nb, l, in[0], m);
        });
  };
  return {pick(all.re), pick(all.im)};
}

/// Stages of two until the length, a power of two, is reached.
Complex Fourier::loopOfTwos(Complex x, Value length, bool positive) {
  Complex all = roots(length, positive);
  auto body = [&](OpBuilder &, Location, ValueRange state) {
    Complex now{state[1], state[2]};
    Complex next =
        stage(now, index(2), state[0], twiddlesOfTwo(all, length, state[0]));
    Value done = mulIndex(b, loc, state[0], index(2));
    scf::YieldOp::create(b, loc, ValueRange{done, next.re, next.im});
  };
  SmallVector<Value> start{index(1), x.re, x.im};
  SmallVector<Type> types = llvm::to_vector(ValueRange(start).getTypes());
  SmallVector<Location> locs(3, loc);
  auto loop = scf::WhileOp::create(b, loc, types, start);
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&loop.getBefore(), {}, types, locs);
  Value goesOn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                       before->getArgument(0), length);
  scf::ConditionOp::create(b, loc, goesOn, before->getArguments());
  Block *after = b.createBlock(&loop.getAfter(), {}, types, locs);
  body(b, loc, after->getArguments());
  return {loop.getResult(1), loop.getResult(2)};
}

/// The sums over x[n] exp(+-2 pi i k n / length).
Complex Fourier::transform(Complex x, Value length, bool positive) {
  auto known = getConstantIntValue(length);
  if (!known || *known > largestTable)
    return loopOfTwos(x, length, positive);
  int64_t done = 1;
  for (int64_t factor : smallFactors(*known)) {
    x = stage(x, index(factor), index(done),
              knownTwiddles(factor, done, positive));
    done *= factor;
  }
  return x;
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
  Value re = kernel.output(type, dynamicSizes(type, length));
  Value im = kernel.output(type, dynamicSizes(type, length));
  auto body = [&](OpBuilder &nb, Location l, ValueRange) {
    ScalarBuilder f(nb, l, nb.getF64Type());
    // n^2 is exact, and so is what it is beyond whole turns.
    Value i = kernel.index(nb, l, n);
    Value turns = mulIndex(nb, l, whole, indexConstant(nb, l, 2));
    Value square = arith::RemUIOp::create(nb, l, mulIndex(nb, l, i, i), turns);
    double half = (plan.inverse ? 1 : -1) * std::numbers::pi;
    Value angle = f.mul(f.constant(half),
                        f.div(indexToFloat(f, square), indexToFloat(f, whole)));
    return unitAt(nb, l, angle, compute);
  };
  return finish(kernel, kernel.generic({}, both(re, im, n), {}, body));
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
  Value re = kernel.output(type, dynamicSizes(type, outSizes));
  Value im = kernel.output(type, dynamicSizes(type, outSizes));
  auto body = [&](OpBuilder &nb, Location l, ValueRange v) {
    ScalarBuilder s(nb, l, compute);
    return multiply(s, v[0], v[1], v[2], v[3]);
  };
  return finish(kernel, kernel.generic(ins, both(re, im, at), {}, body));
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
