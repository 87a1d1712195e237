//===- Pooling.cpp - Pooling over windows and whole images ------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Builders/Accumulate.h"
#include "Builders/HostValues.h"
#include "Builders/Padding.h"
#include "Builders/ScalarBuilder.h"
#include "Convolutions/Pools.h"
#include "Convolutions/Windows.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

/// A pool reduces prepare(x) with merge from neutral, then finishes; `count`
/// is the number of elements of the window.
struct Pool {
  Value (*neutral)(ScalarBuilder &s);
  Value (*prepare)(ScalarBuilder &s, Value x, double p);
  Value (*merge)(ScalarBuilder &s, Value total, Value x);
  Value (*finish)(ScalarBuilder &s, Value total, Value count, double p);
  /// Totals are elements, which need no wider type.
  bool selects;
};

Value zero(ScalarBuilder &s) { return s.constant(0); }
Value lowest(ScalarBuilder &s) { return s.lowest(); }
Value sum(ScalarBuilder &s, Value x, Value y) { return s.add(x, y); }
Value largest(ScalarBuilder &s, Value x, Value y) { return s.max(x, y); }
Value power(ScalarBuilder &s, Value x, double p) {
  x = s.abs(x);
  if (p == 1)
    return x;
  return p == 2 ? s.mul(x, x) : s.math<math::PowFOp>(x, s.constant(p));
}
Value root(ScalarBuilder &s, Value x, Value, double p) {
  if (p == 1)
    return x;
  return p == 2 ? s.sqrt(x) : s.math<math::PowFOp>(x, s.constant(1 / p));
}
Value average(ScalarBuilder &s, Value x, Value n, double) {
  return s.div(x, n);
}

const Pool maxPool{lowest, nullptr, largest, nullptr, /*selects=*/true};
const Pool averagePool{zero, nullptr, sum, average, /*selects=*/false};
const Pool lpPool{zero, power, sum, root, /*selects=*/false};

/// The kernels of a pool: one for the whole window, or one for each of its
/// dimensions in turn, which merges the totals of the one before.
class PoolKernels {
public:
  PoolKernels(OpBuilder &b, Operation *op, const Pool &pool, double p,
              ArrayRef<int64_t> sizes, const Windows &windows,
              ArrayRef<Value> counts)
      : b(b), op(op), loc(op->getLoc()), pool(pool), p(p), sizes(sizes),
        windows(windows), counts(counts),
        element(getElementTypeOrSelf(op->getOperand(0).getType())) {}

  Value build(Value x);

private:
  /// The spatial dimensions of a kernel, from `begin` to before `end`.
  struct Part {
    size_t begin, end;
    bool isFirst() const { return begin == 0; }
  };
  bool isLast(Part part) const { return part.end == sizes.size(); }
  Value pad(Value x, Part part);
  Value buildPart(Value x, Part part);
  bool readsInside(Part part);
  Accumulation::Read readInside(KernelBuilder &kernel, Value x, Value in,
                                ArrayRef<AffineExpr> at, unsigned dim,
                                AffineExpr window);
  Accumulation steps(Part part) const;

  OpBuilder &b;
  Operation *op;
  Location loc;
  const Pool &pool;
  double p;
  ArrayRef<int64_t> sizes;
  const Windows &windows;
  /// For each dimension the number of elements along it that the windows
  /// average; null where it is all of them.
  ArrayRef<Value> counts;
  Type element;
};

Value PoolKernels::build(Value x) {
  if (!op->hasAttr(separatePoolAttr))
    return buildPart(x, {0, sizes.size()});
  for (size_t d = 0; d < sizes.size(); ++d)
    x = buildPart(x, {d, d + 1});
  return x;
}

/// `x` with all the elements that windows of the part touch.
Value PoolKernels::pad(Value x, Part part) {
  Type stored = getElementTypeOrSelf(x.getType());
  ScalarBuilder s(b, loc, element);
  Value neutral = pool.neutral(s);
  if (neutral.getType() != stored)
    neutral = s.narrow(neutral);
  SmallVector<Value> before(sizes.size() + 2, indexConstant(b, loc, 0)),
      after(before);
  for (size_t d = part.begin; d < part.end; ++d) {
    before[d + 2] = windows.padBefore[d];
    after[d + 2] = windows.padAfter[d];
  }
  return padConstant(b, loc, x, before, after, neutral);
}

/// Rows outside of `x` need not be made where adjacent elements along memory
/// are of one row: whether it is inside is asked once for all of them. But long
/// windows of many rows of known size share what they read of padded rows.
bool PoolKernels::readsInside(Part part) {
  constexpr int64_t sharingSize = 5;
  bool shares = windows.strides[part.begin] == 1 &&
                sizes[part.begin] >= sharingSize &&
                getConstantIntValue(windows.outSizes[part.begin]);
  return part.end == part.begin + 1 && !isLast(part) && !shares &&
         !(isZeroInteger(windows.padBefore[part.begin]) &&
           isZeroInteger(windows.padAfter[part.begin]));
}

/// Reads the element of a window along dimension `dim`, or the neutral value
/// where it is outside of `x`.
Accumulation::Read PoolKernels::readInside(KernelBuilder &kernel, Value x,
                                           Value in, ArrayRef<AffineExpr> at,
                                           unsigned dim, AffineExpr window) {
  Value before = kernel.scalar(windows.padBefore[dim - 2]),
        size = kernel.scalar(sizeOf(b, loc, x, dim));
  int64_t stride = windows.strides[dim - 2],
          dilation = windows.dilations[dim - 2];
  return [=, this, &kernel, loops = llvm::to_vector(at)](ScalarBuilder &s) {
    OpBuilder &nb = s.builder();
    Location l = s.getLoc();
    SmallVector<Value> position = llvm::map_to_vector(
        loops, [&](AffineExpr loop) { return kernel.index(nb, l, loop); });
    auto times = [&](Value index, int64_t factor) {
      return mulIndex(nb, l, index, indexConstant(nb, l, factor));
    };
    Value row = subIndex(nb, l,
                         addIndex(nb, l, times(position[dim], stride),
                                  times(kernel.index(nb, l, window), dilation)),
                         before),
          last = subIndex(nb, l, size, indexConstant(nb, l, 1));
    position[dim] =
        maxIndex(nb, l, minIndex(nb, l, row, last), indexConstant(nb, l, 0));
    Value isInside =
        compareIndex(nb, l, arith::CmpIPredicate::eq, position[dim], row);
    Value element = s.widen(tensor::ExtractOp::create(nb, l, in, position));
    return arith::SelectOp::create(nb, l, isInside, element, pool.neutral(s))
        .getResult();
  };
}

Value PoolKernels::buildPart(Value x, Part part) {
  bool isPadded = !readsInside(part);
  if (isPadded)
    x = pad(x, part);
  SmallVector<Value> outSizes = sizesOf(b, loc, x);
  for (size_t d = part.begin; d < part.end; ++d)
    outSizes[d + 2] = windows.outSizes[d];
  bool isStored = isLast(part) || pool.selects;
  RankedTensorType outType =
      typeOfSizes(outSizes, isStored ? ScalarBuilder::storageType(element)
                                     : ScalarBuilder::computeType(element));

  KernelBuilder kernel(b, loc, op->getName().stripDialect());
  Value in = kernel.input(x);
  SmallVector<AffineExpr> inAt, outAt, reduced;
  for (int64_t d = 0; d < outType.getRank(); ++d) {
    std::string spatial = "o" + std::to_string(d - 2);
    outAt.push_back(kernel.loop(d == 0   ? "n"
                                : d == 1 ? "c"
                                         : StringRef(spatial),
                                outType.getDimSize(d)));
  }
  inAt = outAt;
  for (size_t d = part.begin; d < part.end; ++d) {
    AffineExpr k = kernel.loop("k" + std::to_string(d), sizes[d]);
    reduced.push_back(k);
    inAt[d + 2] = outAt[d + 2] * windows.strides[d] + k * windows.dilations[d];
  }
  Value out = kernel.output(outType, outSizes);
  SmallVector<KernelBuilder::Access> divisors;
  if (pool.finish && isLast(part))
    for (auto [d, count] : llvm::enumerate(counts))
      if (count)
        divisors.push_back({kernel.input(count), {outAt[d + 2]}});
  Accumulation how = steps(part);
  if (!isPadded)
    how.read =
        readInside(kernel, x, in, outAt, part.begin + 2, reduced.front());
  Value y = accumulate(kernel, loc, element, how, {in, inAt}, {out, outAt},
                       reduced, divisors);
  return kernel.finish({y}).front();
}

Accumulation PoolKernels::steps(Part part) const {
  Accumulation steps{pool.neutral, nullptr, pool.merge, nullptr};
  if (pool.prepare && part.isFirst())
    steps.prepare = [this](ScalarBuilder &s, Value x) {
      return pool.prepare(s, x, p);
    };
  if (!pool.finish || !isLast(part))
    return steps;
  // Known elements of a window, times those that are read beside the total.
  double known = 1;
  for (auto [size, count] : llvm::zip_equal(sizes, counts))
    if (!count)
      known *= double(size);
  steps.finish = [this, known](ScalarBuilder &s, Value total,
                               ValueRange counts) {
    Value n = s.constant(known);
    for (Value more : counts)
      n = s.mul(n, more);
    return pool.finish(s, total, n, p);
  };
  return steps;
}

/// The positions along a dimension that count: all between borders of which so
/// many positions count as well.
struct CountedBorders {
  Value before, after;
};

/// The number of positions of each window of `size` that count along dimension
/// `d` of `x`, in the compute type; null if it is always all of them.
Value countInside(OpBuilder &b, Location loc, StringRef name, int64_t size,
                  const Windows &windows, int64_t d, Value x,
                  CountedBorders counted, Type compute) {
  Value before = windows.padBefore[d];
  if (isEqualConstantIntOrValue(counted.before, before) &&
      isEqualConstantIntOrValue(counted.after, windows.padAfter[d]))
    return {};
  Value low = subIndex(b, loc, before, counted.before),
        high =
            addIndex(b, loc, addIndex(b, loc, before, sizeOf(b, loc, x, d + 2)),
                     counted.after);
  Value outSize = windows.outSizes[d];
  int64_t dilation = windows.dilations[d], stride = windows.strides[d];
  return generate(
      b, loc, name, compute, outSize, {low, high},
      [&](OpBuilder &nb, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
        Value first = mulIndex(nb, l, at[0], indexConstant(nb, l, stride));
        auto stepsTo = [&](Value end) {
          return ceilDivIndex(nb, l, subIndex(nb, l, end, first),
                              indexConstant(nb, l, dilation));
        };
        Value skipped =
            maxIndex(nb, l, stepsTo(in[0]), indexConstant(nb, l, 0));
        Value end = minIndex(nb, l, stepsTo(in[1]), indexConstant(nb, l, size));
        // As wide as most elements; a window of more would not fit the memory.
        Value asInt = arith::IndexCastOp::create(nb, l, nb.getI32Type(),
                                                 subIndex(nb, l, end, skipped));
        return arith::SIToFPOp::create(nb, l, compute, asInt).getResult();
      });
}

template <typename OnnxOp>
double exponentOf(OnnxOp op) {
  if constexpr (requires { op.getP(); })
    return op.getP();
  return 0;
}

template <typename OnnxOp>
CountedBorders countedBorders(OpBuilder &b, OnnxOp op, const Windows &windows,
                              unsigned d) {
  Location loc = op.getLoc();
  bool borders = false;
  if constexpr (requires { op.getCountIncludePad(); })
    borders = op.getCountIncludePad();
  if (!borders)
    return {indexConstant(b, loc, 0), indexConstant(b, loc, 0)};
  // With ceil_mode the last window reaches beyond the given padding, and the
  // positions there never count.
  Value after = windows.padAfter[d];
  if (op.getAutoPad() == "NOTSET") {
    std::optional<ArrayRef<int64_t>> pads = op.getPads();
    size_t spatial = op.getKernelShape().size();
    after = indexConstant(b, loc, pads ? (*pads)[d + spatial] : 0);
  }
  return {windows.padBefore[d], after};
}

template <typename OnnxOp, const Pool &pool>
Lowered lowerWindowPool(OnnxOp op, typename OnnxOp::Adaptor adaptor,
                        ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getOperands()[0];
  auto type = cast<RankedTensorType>(x.getType());
  if (type.getRank() < 3)
    return rewriter.notifyMatchFailure(op, "operand has no spatial dims");
  if (op->getNumResults() > 1)
    return rewriter.notifyMatchFailure(op, "indices are wanted too");
  ArrayRef<int64_t> sizes = op.getKernelShape();
  SmallVector<Value> kernelSizes;
  for (int64_t size : sizes)
    kernelSizes.push_back(indexConstant(rewriter, loc, size));
  Windows windows = Windows::get(rewriter, loc, x, kernelSizes, op.getStrides(),
                                 op.getDilations(), op.getPads(),
                                 op.getAutoPad(), op.getCeilMode());
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  SmallVector<Value> counts(sizes.size());
  if (&pool == &averagePool)
    for (auto [d, size] : llvm::enumerate(sizes))
      counts[d] =
          countInside(rewriter, loc, op->getName().stripDialect(), size,
                      windows, d, x, countedBorders(rewriter, op, windows, d),
                      ScalarBuilder::computeType(element));
  return PoolKernels(rewriter, op, pool, exponentOf(op), sizes, windows, counts)
      .build(x);
}

} // namespace

void populateONNXToKrnlPoolingPatterns(TypeConverter &converter,
                                       RewritePatternSet &patterns) {
  addLowerings(converter, patterns,
               lowerWindowPool<onnx::AveragePoolOp, averagePool>,
               lowerWindowPool<onnx::LpPoolOp, lpPool>,
               lowerWindowPool<onnx::MaxPoolOp, maxPool>);
}

} // namespace onnxc
