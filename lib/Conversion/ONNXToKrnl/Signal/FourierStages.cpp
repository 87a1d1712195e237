//===- FourierStages.cpp - Fast Fourier transforms --------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "FourierStages.h"

#include "Builders/HostValues.h"
#include "Images/Interpolation.h"
#include "Movement/Movement.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include <numbers>

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {

/// Primes above this one are left to Bluestein's way: a stage of a factor takes
/// that many multiplications for each element.
static constexpr int64_t largestFactor = 31;
/// Longer transforms make their twiddles themselves.
static constexpr int64_t largestTable = 1 << 16;

/// The factors of a length, largest work first; empty for a length that has
/// others. Four is better than two twice: it reads and writes once.
static SmallVector<int64_t> smallFactors(int64_t length) {
  SmallVector<int64_t> factors;
  for (int64_t factor : {4, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31})
    for (; length % factor == 0; length /= factor)
      factors.push_back(factor);
  static_assert(largestFactor == 31);
  if (length != 1)
    factors.clear();
  return factors;
}

bool FourierStages::takes(Value length) {
  int64_t known = getConstantIntValue(length).value_or(0);
  return known > 0 && (llvm::isPowerOf2_64(known) ||
                       (known <= largestTable && !smallFactors(known).empty()));
}

Value FourierStages::index(int64_t value) {
  return indexConstant(b, loc, value);
}

Complex finishComplex(KernelBuilder &kernel, ArrayRef<Value> values) {
  SmallVector<Value> results = kernel.finish(values);
  return {results[0], results[1]};
}

SmallVector<KernelBuilder::Access> bothParts(Value re, Value im,
                                             ArrayRef<AffineExpr> at) {
  return {{re, SmallVector<AffineExpr>(at)}, {im, SmallVector<AffineExpr>(at)}};
}

SmallVector<Value> multiplyComplex(ScalarBuilder &s, Value a, Value b, Value c,
                                   Value d) {
  return {s.sub(s.mul(a, c), s.mul(b, d)), s.add(s.mul(a, d), s.mul(b, c))};
}

SmallVector<Value> unitAt(OpBuilder &b, Location loc, Value angle,
                          Type compute) {
  ScalarBuilder f(b, loc, b.getF64Type());
  return {f.castTo(f.math<math::CosOp>(angle), compute),
          f.castTo(f.math<math::SinOp>(angle), compute)};
}

/// One factor. x is outer x (radix x rest x done) x inner: `rest` transforms
/// of length `done` for each of `radix` residues. y is outer x (rest x radix x
/// done) x inner: y[p, s, t] = sum over j of x[j, p, t] * twiddle[j, s, t].
Complex FourierStages::stage(Complex x, Value radix, Value done,
                             Complex twiddles) {
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
      twiddle{j, at[2], at[3]};
  auto view = [&](Value v) {
    return kernel.input(reshapeTo(b, loc, v, inType, inSizes));
  };
  SmallVector<KernelBuilder::Access> ins{{view(x.re), from},
                                         {view(x.im), from},
                                         {kernel.input(twiddles.re), twiddle},
                                         {kernel.input(twiddles.im), twiddle}};
  Value re = kernel.output(outType, outSizes);
  Value im = kernel.output(outType, outSizes);
  Value zero = kernel.constant(cast<TypedAttr>(b.getZeroAttr(compute)));
  SmallVector<KernelBuilder::Access> outs{{kernel.fill(zero, {re, at}), at},
                                          {kernel.fill(zero, {im, at}), at}};
  auto body = [&](OpBuilder &nb, Location l, ValueRange v) {
    ScalarBuilder s(nb, l, compute);
    SmallVector<Value> part = multiplyComplex(s, v[0], v[1], v[2], v[3]);
    return SmallVector<Value>{s.add(v[4], part[0]), s.add(v[5], part[1])};
  };
  Complex y = finishComplex(kernel, kernel.generic(ins, outs, {j}, body));
  RankedTensorType type = rankedType(x.re);
  return {reshapeTo(b, loc, y.re, type, whole),
          reshapeTo(b, loc, y.im, type, whole)};
}

/// exp(+-2 pi i j (t + done s) / (radix done)), as a constant.
Complex FourierStages::knownTwiddles(int64_t radix, int64_t done,
                                     bool positive) {
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
Complex FourierStages::roots(Value length, bool positive) {
  RankedTensorType type = typeOfSizes(length, compute);
  KernelBuilder kernel(b, loc, "DFT.roots");
  AffineExpr m = kernel.loopsOf(type).front();
  Value size = kernel.scalar(length);
  Value re = kernel.output(type, length);
  Value im = kernel.output(type, length);
  auto body = [&](OpBuilder &nb, Location l, ValueRange) {
    ScalarBuilder f(nb, l, nb.getF64Type());
    double twiddle = (positive ? 2 : -2) * std::numbers::pi;
    Value part =
        f.div(indexToFloat(f, kernel.index(nb, l, m)), indexToFloat(f, size));
    return unitAt(nb, l, f.mul(f.constant(twiddle), part), compute);
  };
  return finishComplex(kernel,
                       kernel.generic({}, bothParts(re, im, m), {}, body));
}

/// The twiddles of a stage of two, out of the roots of the whole length.
Complex FourierStages::twiddlesOfTwo(Complex all, Value length, Value done) {
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
Complex FourierStages::loopOfTwos(Complex x, Value length, bool positive) {
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
  Value condition = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                          before->getArgument(0), length);
  scf::ConditionOp::create(b, loc, condition, before->getArguments());
  Block *after = b.createBlock(&loop.getAfter(), {}, types, locs);
  body(b, loc, after->getArguments());
  return {loop.getResult(1), loop.getResult(2)};
}

Complex FourierStages::transform(Complex x, Value length, bool positive) {
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

} // namespace onnxc
