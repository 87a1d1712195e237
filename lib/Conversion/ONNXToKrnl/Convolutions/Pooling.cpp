//===- Pooling.cpp - Pooling over windows and whole images ------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "onnxc/Conversion/ONNXToKrnl/Accumulate.h"
#include "onnxc/Conversion/ONNXToKrnl/HostValues.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/Lowering.h"
#include "onnxc/Conversion/ONNXToKrnl/Movement.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Conversion/ONNXToKrnl/ScalarBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/Windows.h"
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

const Pool maxPool{lowest, nullptr, largest, nullptr};
const Pool averagePool{zero, nullptr, sum, average};
const Pool lpPool{zero, power, sum, root};

class PoolKernel {
public:
  PoolKernel(OpBuilder &b, Operation *op, const Pool &pool, double p)
      : b(b), loc(op->getLoc()), pool(pool), p(p),
        element(getElementTypeOrSelf(op->getOperand(0).getType())),
        kernel(b, loc, op->getName().stripDialect()) {}

  /// `counts` has for each dimension the number of elements along it that the
  /// windows average; null where it is all of them.
  Value build(Value x, ArrayRef<int64_t> sizes, const Windows &windows,
              ArrayRef<Value> counts);

private:
  Accumulation steps(double known) const;

  OpBuilder &b;
  Location loc;
  const Pool &pool;
  double p;
  Type element;
  KernelBuilder kernel;
};

Value PoolKernel::build(Value x, ArrayRef<int64_t> sizes,
                        const Windows &windows, ArrayRef<Value> counts) {
  auto inType = cast<RankedTensorType>(x.getType());
  SmallVector<Value> outSizes{sizeOf(b, loc, x, 0), sizeOf(b, loc, x, 1)};
  outSizes.append(windows.outSizes);
  RankedTensorType outType = typeOfSizes(outSizes, inType.getElementType());

  Value in = kernel.input(x);
  SmallVector<AffineExpr> inAt, outAt, reduced;
  for (int64_t d = 0; d < 2; ++d) {
    outAt.push_back(kernel.loop(d == 0 ? "n" : "c", outType.getDimSize(d)));
    inAt.push_back(outAt.back());
  }
  for (auto [d, size] : llvm::enumerate(sizes))
    outAt.push_back(
        kernel.loop("o" + std::to_string(d), outType.getDimSize(d + 2)));
  for (auto [d, size] : llvm::enumerate(sizes)) {
    AffineExpr k = kernel.loop("k" + std::to_string(d), size);
    reduced.push_back(k);
    inAt.push_back(outAt[d + 2] * windows.strides[d] +
                   k * windows.dilations[d]);
  }
  Value out = kernel.output(outType, outSizes);
  SmallVector<KernelBuilder::Access> divisors;
  double known = 1;
  for (auto [d, size] : llvm::enumerate(sizes))
    if (pool.finish && counts[d])
      divisors.push_back({kernel.input(counts[d]), {outAt[d + 2]}});
    else
      known *= double(size);
  Value y = accumulate(kernel, loc, element, steps(known), {in, inAt},
                       {out, outAt}, reduced, divisors);
  return kernel.finish({y}).front();
}

/// `known` elements of a window, times those that are read beside the total.
Accumulation PoolKernel::steps(double known) const {
  Accumulation steps{pool.neutral, nullptr, pool.merge, nullptr};
  if (pool.prepare)
    steps.prepare = [this](ScalarBuilder &s, Value x) {
      return pool.prepare(s, x, p);
    };
  if (pool.finish)
    steps.finish = [this, known](ScalarBuilder &s, Value total,
                                 ValueRange counts) {
      Value n = s.constant(known);
      for (Value more : counts)
        n = s.mul(n, more);
      return pool.finish(s, total, n, p);
    };
  return steps;
}

/// The number of positions of each window along a dimension in [low, high) of
/// the padded tensor, in the compute type; null if it is always all of them.
Value countInside(OpBuilder &b, Location loc, StringRef name, int64_t size,
                  const Windows &windows, int64_t d, Value low, Value high,
                  Value padded, Type compute) {
  if (isZeroInteger(low) && isEqualConstantIntOrValue(high, padded))
    return {};
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

/// The counted range of a dimension, in coordinates of the padded
/// tensor.
template <typename OnnxOp>
std::pair<Value, Value> counted(OpBuilder &b, OnnxOp op, Value x,
                                const Windows &windows, unsigned d) {
  Location loc = op.getLoc();
  Value end = addIndex(b, loc, windows.padBefore[d], sizeOf(b, loc, x, d + 2));
  bool borders = false;
  if constexpr (requires { op.getCountIncludePad(); })
    borders = op.getCountIncludePad();
  if (!borders)
    return {windows.padBefore[d], end};
  // With ceil_mode the last window reaches beyond the given padding, and the
  // positions there never count.
  Value after = windows.padAfter[d];
  if (op.getAutoPad() == "NOTSET") {
    std::optional<ArrayRef<int64_t>> pads = op.getPads();
    size_t spatial = op.getKernelShape().size();
    after = indexConstant(b, loc, pads ? (*pads)[d + spatial] : 0);
  }
  return {indexConstant(b, loc, 0), addIndex(b, loc, end, after)};
}

template <typename OnnxOp, const Pool &pool>
Lowered lowerWindowPool(OnnxOp op, typename OnnxOp::Adaptor adaptor,
                        ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getOperands()[0];
  auto type = dyn_cast<RankedTensorType>(x.getType());
  if (!type || type.getRank() < 3)
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
  ScalarBuilder s(rewriter, loc, element);
  Value padded = windows.pad(rewriter, loc, x, s.narrow(pool.neutral(s)));
  SmallVector<Value> counts(sizes.size());
  if (&pool == &averagePool)
    for (auto [d, size] : llvm::enumerate(sizes)) {
      auto [low, high] = counted(rewriter, op, x, windows, d);
      counts[d] = countInside(rewriter, loc, op->getName().stripDialect(), size,
                              windows, d, low, high,
                              sizeOf(rewriter, loc, padded, d + 2),
                              ScalarBuilder::computeType(element));
    }
  return PoolKernel(rewriter, op, pool, exponentOf(op))
      .build(padded, sizes, windows, counts);
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
