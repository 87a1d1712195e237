//===- Signal.cpp - Spectra of signals --------------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// DFT, STFT and MelWeightMatrix.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"
#include "Images/Interpolation.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "Signal/Fourier.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/CheckFormat.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;

namespace onnxc {
namespace {

/// The only element of a structural operand: a scalar, or a row of one.
Value structuralScalar(OpBuilder &b, Location loc, Value original,
                       Value converted) {
  if (auto constant = onnx::constantInts(original);
      constant && constant->size() == 1)
    return indexConstant(b, loc, constant->front());
  return toIndex(b, loc, onlyElement(b, loc, converted));
}

/// 1 or 2: real or complex elements, by the type, or dynamic.
int64_t partsOf(Value x, Value graphOperand) {
  RankedTensorType type = rankedType(x);
  int64_t last = type.getRank() - 1, parts = type.getDimSize(last);
  if (auto known = rankedType(graphOperand);
      known && known.getRank() > last && !known.isDynamicDim(last))
    parts = known.getDimSize(last);
  return parts;
}

/// `x` as if its elements were complex: zeros beside real ones. Ends the run
/// if they are neither.
Value asComplex(OpBuilder &b, Location loc, Value x) {
  RankedTensorType type = rankedType(x);
  int64_t last = type.getRank() - 1;
  Value count = sizeOf(b, loc, x, last), one = indexConstant(b, loc, 1);
  checkAtMost(b, loc, one, count, "the last dimension is neither 1 nor 2");
  checkAtMost(b, loc, count, indexConstant(b, loc, 2),
              "the last dimension is neither 1 nor 2");
  SmallVector<Value> sizes = sizesOf(b, loc, x);
  Value parts = sizes[last];
  sizes[last] = indexConstant(b, loc, 2);
  return generate(
      b, loc, "DFT.parts", type.getElementType(), sizes, {x, parts},
      [&](OpBuilder &nb, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
        SmallVector<Value> position(at);
        position[last] = clampIndex(nb, l, at[last], in[1]);
        Value value = tensor::ExtractOp::create(nb, l, in[0], position);
        return arith::SelectOp::create(
                   nb, l, isInside(nb, l, at[last], in[1]), value,
                   storedConstant(nb, l, type.getElementType(), 0))
            .getResult();
      });
}

//===----------------------------------------------------------------------===//
// DFT
//===----------------------------------------------------------------------===//

/// The axis that is transformed, and the sizes around it. An axis that
/// depends on data is an index among the sizes.
struct Axis {
  std::optional<int64_t> known;
  Value number, outer, size, inner;
};

Axis unknownAxis(OpBuilder &b, Location loc, Value number,
                 ArrayRef<Value> sizes) {
  int64_t rank = sizes.size();
  auto constant = [&](int64_t value) { return indexConstant(b, loc, value); };
  auto compare = [&](arith::CmpIPredicate how, Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, loc, how, x, y);
  };
  Value wrapped = arith::SelectOp::create(
      b, loc, compare(arith::CmpIPredicate::slt, number, constant(0)),
      addIndex(b, loc, number, constant(rank)), number);
  krnl::makeCheck(
      b, loc, compare(arith::CmpIPredicate::ult, wrapped, constant(rank - 1)),
      "DFT: axis is out of range", number,
      "{} for a rank of " + std::to_string(rank));
  Axis axis{std::nullopt, wrapped, constant(1), constant(1), constant(1)};
  for (int64_t d = 0; d + 1 < rank; ++d) {
    auto times = [&](Value &product, arith::CmpIPredicate how) {
      Value here = compare(how, constant(d), wrapped);
      Value factor =
          arith::SelectOp::create(b, loc, here, sizes[d], constant(1));
      product = mulIndex(b, loc, product, factor);
    };
    times(axis.outer, arith::CmpIPredicate::slt);
    times(axis.size, arith::CmpIPredicate::eq);
    times(axis.inner, arith::CmpIPredicate::sgt);
  }
  return axis;
}

Axis findAxis(onnx::DFTOp op, onnx::DFTOp::Adaptor adaptor, OpBuilder &b,
              Value x) {
  Location loc = op.getLoc();
  SmallVector<Value> sizes = sizesOf(b, loc, x);
  int64_t rank = sizes.size();
  Value number = indexConstant(b, loc, rank - 2);
  if (adaptor.getAxis())
    number = structuralScalar(b, loc, op.getAxis(), adaptor.getAxis());
  if (auto constant = getConstantIntValue(number)) {
    int64_t axis = positiveAxis(*constant, rank);
    if (axis >= 0 && axis < rank - 1) {
      ArrayRef<Value> all(sizes);
      return {axis, indexConstant(b, loc, axis),
              productOf(b, loc, all.take_front(axis)), all[axis],
              productOf(b, loc, all.slice(axis + 1, rank - axis - 2))};
    }
  }
  return unknownAxis(b, loc, number, sizes);
}

Value length(onnx::DFTOp op, onnx::DFTOp::Adaptor adaptor, OpBuilder &b,
             const Axis &axis) {
  Location loc = op.getLoc();
  if (adaptor.getDftLength())
    return structuralScalar(b, loc, op.getDftLength(), adaptor.getDftLength());
  if (!op.getInverse() || !op.getOnesided())
    return axis.size;
  Value one = indexConstant(b, loc, 1);
  return mulIndex(b, loc, subIndex(b, loc, axis.size, one),
                  indexConstant(b, loc, 2));
}

/// `y` (outer x bins x inner x parts) with the dimensions of `x`.
Value unfold(onnx::DFTOp op, OpBuilder &b, Value x, Value y, const Axis &axis) {
  Location loc = op.getLoc();
  SmallVector<Value> sizes = sizesOf(b, loc, x);
  Value bins = sizeOf(b, loc, y, 1);
  for (auto [d, size] : llvm::enumerate(sizes))
    if (axis.known)
      size = int64_t(d) == *axis.known ? bins : size;
    else
      size = arith::SelectOp::create(
          b, loc,
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, axis.number,
                                indexConstant(b, loc, d)),
          bins, size);
  sizes.back() = sizeOf(b, loc, y, 3);
  sizes = knownSizes(b, loc, op->getResult(0), sizes);
  return reshapeTo(b, loc, y,
                   typeOfSizes(sizes, rankedType(y).getElementType()), sizes);
}

Lowered lowerDFT(onnx::DFTOp op, onnx::DFTOp::Adaptor adaptor,
                 ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getInput();
  RankedTensorType type = rankedType(x);
  if (type.getRank() < 2)
    return rewriter.notifyMatchFailure(op, "operand has fewer than 2 axes");
  int64_t parts = partsOf(x, op.getInput());
  if (parts != 1 && parts != 2) {
    x = asComplex(rewriter, loc, x);
    parts = 2;
  }
  x = withSize(rewriter, loc, x, type.getRank() - 1, parts);
  Axis axis = findAxis(op, adaptor, rewriter, x);
  FourierPlan plan;
  plan.element = getElementTypeOrSelf(op.getInput().getType());
  plan.inverse = op.getInverse() != 0;
  plan.oneSided = op.getOnesided() != 0;
  plan.length = length(op, adaptor, rewriter, axis);
  if (!isFourierLength(plan.length))
    return rewriter.notifyMatchFailure(op, "no transform has this length");
  if (isConstantIntValue(axis.size, 0))
    return rewriter.notifyMatchFailure(op, "there is nothing to transform");
  SmallVector<Value> sizes{axis.outer, axis.size, axis.inner,
                           indexConstant(rewriter, loc, parts)};
  plan.x = reshapeTo(rewriter, loc, x,
                     typeOfSizes(sizes, type.getElementType()), sizes);
  Value y = buildFourier(rewriter, loc, plan);
  return unfold(op, rewriter, x, y, axis);
}

//===----------------------------------------------------------------------===//
// STFT
//===----------------------------------------------------------------------===//

/// The number of frames, `step` elements apart, in a row of `samples`.
Value frameCount(OpBuilder &b, Location loc, Value samples, Value length,
                 Value step) {
  return addIndex(
      b, loc, floorDivIndex(b, loc, subIndex(b, loc, samples, length), step),
      indexConstant(b, loc, 1));
}

/// The element at `at`, which are batch, frame, sample and part, of the signal
/// that `in` begins with; times the window's if `in` ends with one. The step
/// stands between the two.
Value frameElement(OpBuilder &b, Location loc, ArrayRef<Value> at,
                   ArrayRef<Value> in, Type element) {
  Value position[] = {
      at[0], addIndex(b, loc, mulIndex(b, loc, at[1], in[1]), at[2]), at[3]};
  Value sample = tensor::ExtractOp::create(b, loc, in[0], position);
  if (in.size() < 3)
    return sample;
  ScalarBuilder s(b, loc, element);
  Value weight = tensor::ExtractOp::create(b, loc, in[2], at[2]);
  return s.narrow(s.mul(s.widen(sample), s.widen(weight)));
}

/// returns batches and frames.
SmallVector<Value> frames(onnx::STFTOp op, onnx::STFTOp::Adaptor adaptor,
                          OpBuilder &b, Value x, FourierPlan &plan,
                          int64_t parts) {
  Location loc = op.getLoc();
  auto constant = [&](int64_t value) { return indexConstant(b, loc, value); };
  Value step =
      structuralScalar(b, loc, op.getFrameStep(), adaptor.getFrameStep());
  Value batch = sizeOf(b, loc, x, 0), samples = sizeOf(b, loc, x, 1);
  checkAtMost(b, loc, constant(1), step, "STFT: frame_step is not positive");
  checkGivenSize(b, loc, plan.length, "STFT");
  checkAtMost(b, loc, plan.length, samples,
              "STFT: a frame is longer than the signal");
  Value safeStep = maxIndex(b, loc, step, constant(1));
  Value count = frameCount(b, loc, samples, plan.length, safeStep);
  SmallVector<Value> sizes{batch, count, plan.length, constant(parts)};
  SmallVector<Value> inputs{x, safeStep};
  if (Value window = adaptor.getWindow()) {
    checkEqualSizes(b, loc, sizeOf(b, loc, window, 0), plan.length,
                    "STFT: the window has not the length of a frame");
    inputs.push_back(window);
  }
  Type element = plan.element;
  Value framed = generate(
      b, loc, "STFT.frames", rankedType(x).getElementType(), sizes, inputs,
      [&](OpBuilder &nb, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
        return frameElement(nb, l, at, in, element);
      });
  SmallVector<Value> flat{mulGivenSizes(b, loc, batch, count, "STFT"),
                          plan.length, constant(1), constant(parts)};
  plan.x =
      reshapeTo(b, loc, framed,
                typeOfSizes(flat, rankedType(framed).getElementType()), flat);
  return sizes;
}

Lowered lowerSTFT(onnx::STFTOp op, onnx::STFTOp::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getSignal(), window = adaptor.getWindow();
  RankedTensorType type = rankedType(x);
  if (type.getRank() != 3)
    return rewriter.notifyMatchFailure(op, "the signal's rank is not 3");
  if (window && rankedType(window).getRank() != 1)
    return rewriter.notifyMatchFailure(op, "the window is not one row");
  int64_t parts = partsOf(x, op.getSignal());
  if (parts != 1 && parts != 2) {
    x = asComplex(rewriter, loc, x);
    parts = 2;
  }
  FourierPlan plan;
  plan.element = getElementTypeOrSelf(op.getSignal().getType());
  // Half of the spectrum of a complex signal would not be all there is.
  plan.oneSided = op.getOnesided() != 0;
  // Without either, the whole signal is one frame.
  if (Value length = adaptor.getFrameLength())
    plan.length = structuralScalar(rewriter, loc, op.getFrameLength(), length);
  else
    plan.length =
        window ? sizeOf(rewriter, loc, window, 0) : sizeOf(rewriter, loc, x, 1);
  if (!isFourierLength(plan.length))
    return rewriter.notifyMatchFailure(op, "no transform has this length");
  SmallVector<Value> sizes = frames(op, adaptor, rewriter, x, plan, parts);
  Value y = buildFourier(rewriter, loc, plan);
  Value bins = sizeOf(rewriter, loc, y, 1);
  sizes = {sizes[0], sizes[1], bins, indexConstant(rewriter, loc, 2)};
  sizes = knownSizes(rewriter, loc, op->getResult(0), sizes);
  y = reshapeTo(rewriter, loc, y, typeOfSizes(sizes, type.getElementType()),
                sizes);
  return y;
}

//===----------------------------------------------------------------------===//
// MelWeightMatrix
//===----------------------------------------------------------------------===//

Value number(ScalarBuilder &f, Value original, Value converted) {
  Type element = getElementTypeOrSelf(original.getType());
  ScalarBuilder s(f.builder(), f.getLoc(), element);
  Value stored = onlyElement(f.builder(), f.getLoc(), converted);
  return s.castTo(s.widen(stored), f.type());
}

/// The bins where bands begin, have their middle, and end: evenly spaced on
/// the mel scale, m = 2595 log10(1 + f / 700).
Value bandEdges(onnx::MelWeightMatrixOp op,
                onnx::MelWeightMatrixOp::Adaptor adaptor, OpBuilder &b,
                Value bands, Value length) {
  Location loc = op.getLoc();
  ScalarBuilder host(b, loc, b.getF64Type());
  Value low = number(host, op.getLowerEdgeHertz(), adaptor.getLowerEdgeHertz());
  Value high =
      number(host, op.getUpperEdgeHertz(), adaptor.getUpperEdgeHertz());
  Value rate = number(host, op.getSampleRate(), adaptor.getSampleRate());
  Value count = addIndex(b, loc, bands, indexConstant(b, loc, 2));
  Value points = addIndex(b, loc, length, indexConstant(b, loc, 1));
  return generate(
      b, loc, "MelBands", b.getF64Type(), count,
      {low, high, rate, count, points},
      [&](OpBuilder &nb, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
        ScalarBuilder f(nb, l, nb.getF64Type());
        const double perLog = 2595 / std::log(10.0);
        auto mel = [&](Value hertz) {
          Value ratio = f.div(hertz, f.constant(700));
          return f.mul(f.constant(perLog), f.math<math::Log1pOp>(ratio));
        };
        Value first = mel(in[0]);
        Value step = f.div(f.sub(mel(in[1]), first), indexToFloat(f, in[3]));
        Value here = f.add(first, f.mul(step, indexToFloat(f, at[0])));
        Value hertz =
            f.mul(f.constant(700),
                  f.math<math::ExpM1Op>(f.div(here, f.constant(perLog))));
        return f.math<math::FloorOp>(
            f.div(f.mul(indexToFloat(f, in[4]), hertz), in[2]));
      });
}

/// A triangle over the band: up from its begin to 1, down to its end.
Value weight(ScalarBuilder &f, ArrayRef<Value> at, Value edges) {
  OpBuilder &b = f.builder();
  Location loc = f.getLoc();
  Value zero = f.constant(0), one = f.constant(1);
  auto edge = [&](int64_t i) -> Value {
    return tensor::ExtractOp::create(
        b, loc, edges, addIndex(b, loc, at[1], indexConstant(b, loc, i)));
  };
  auto ratio = [&](Value part, Value whole) {
    return f.div(part, f.select(f.lt(zero, whole), whole, one));
  };
  Value bin = indexToFloat(f, at[0]);
  Value low = edge(0), middle = edge(1), high = edge(2);
  Value rise = f.sub(middle, low), fall = f.sub(high, middle);
  // A band without a rise begins at its full height.
  Value up = f.select(f.lt(zero, rise), ratio(f.sub(bin, low), rise), one);
  Value rises = f.math<arith::AndIOp>(f.le(low, bin), f.le(bin, middle));
  Value falls = f.math<arith::AndIOp>(f.le(middle, bin), f.lt(bin, high));
  Value y = f.select(rises, up, zero);
  return f.select(falls, ratio(f.sub(high, bin), fall), y);
}

Lowered lowerMelWeightMatrix(onnx::MelWeightMatrixOp op,
                             onnx::MelWeightMatrixOp::Adaptor adaptor,
                             ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  for (Value v : adaptor.getOperands())
    if (rankedType(v).getRank() > 1)
      return rewriter.notifyMatchFailure(op, "operands are not scalars");
  Value bands = structuralScalar(rewriter, loc, op.getNumMelBins(),
                                 adaptor.getNumMelBins());
  Value length = structuralScalar(rewriter, loc, op.getDftLength(),
                                  adaptor.getDftLength());
  checkGivenSize(rewriter, loc, bands, "MelWeightMatrix");
  checkGivenSize(rewriter, loc, length, "MelWeightMatrix");
  Value bins = addIndex(
      rewriter, loc,
      floorDivIndex(rewriter, loc, length, indexConstant(rewriter, loc, 2)),
      indexConstant(rewriter, loc, 1));
  Value edges = bandEdges(op, adaptor, rewriter, bands, length);
  SmallVector<Value> sizes =
      knownSizes(rewriter, loc, op->getResult(0), {bins, bands});
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  return generate(
      rewriter, loc, "MelWeightMatrix", ScalarBuilder::storageType(element),
      sizes, {edges},
      [&](OpBuilder &b, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
        ScalarBuilder f(b, l, b.getF64Type()), to(b, l, element);
        return to.narrow(f.castTo(weight(f, at, in[0]), element));
      });
}

} // namespace

void populateONNXToKrnlSignalPatterns(TypeConverter &converter,
                                      RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerDFT, lowerMelWeightMatrix, lowerSTFT);
}

} // namespace onnxc
