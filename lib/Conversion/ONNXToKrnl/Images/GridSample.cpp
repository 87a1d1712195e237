//===- GridSample.cpp - Samples at positions that a grid names --*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// GridSample and AffineGrid, which makes grids.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"
#include "Images/Interpolation.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;

namespace onnxc {
namespace {

/// The attributes, parsed.
struct Sampling {
  Interpolation mode;
  Border border;
  bool alignCorners;
  /// The element types of the operand and of the grid, in the onnx dialect.
  Type element, gridElement;
  /// The operand and the result have their channels last.
  bool channelsLast = false;

  static std::optional<Sampling> parse(onnx::GridSampleOp op);
  bool isComplex() const { return isa<ComplexType>(element); }
  /// The type of each part of a complex element, else that of the operand.
  Type real() const {
    return isComplex() ? cast<ComplexType>(element).getElementType() : element;
  }
  Value position(ScalarBuilder &s, Value normalized, Value size) const;
};

std::optional<Sampling> Sampling::parse(onnx::GridSampleOp op) {
  auto mode = parseInterpolation(op.getMode());
  auto border = llvm::StringSwitch<std::optional<Border>>(op.getPaddingMode())
                    .Case("zeros", Border::Zeros)
                    .Case("border", Border::Clamp)
                    .Case("reflection", Border::Reflect)
                    .Default(std::nullopt);
  if (!mode || !border)
    return std::nullopt;
  return Sampling{*mode,
                  *border,
                  op.getAlignCorners() != 0,
                  getElementTypeOrSelf(op.getX().getType()),
                  getElementTypeOrSelf(op.getGrid().getType()),
                  false};
}

/// From -1 and 1 at the corners, or at their outer edges, to samples.
Value Sampling::position(ScalarBuilder &s, Value normalized, Value size) const {
  Value length = indexToFloat(s, size), one = s.constant(1),
        half = s.constant(0.5);
  Value fromCorner = s.add(normalized, one);
  if (alignCorners)
    return s.mul(s.mul(fromCorner, half), s.sub(length, one));
  return s.mul(s.sub(s.mul(fromCorner, length), one), half);
}

void checkSizes(OpBuilder &b, Location loc, Value x, Value grid,
                int64_t spatial) {
  checkEqualSizes(b, loc, sizeOf(b, loc, x, 0), sizeOf(b, loc, grid, 0),
                  "GridSample: the grid has another batch size");
  checkEqualSizes(b, loc, sizeOf(b, loc, grid, spatial + 1),
                  indexConstant(b, loc, spatial),
                  "GridSample: the grid needs a coordinate for each "
                  "spatial dimension");
  for (int64_t d = 0; d < spatial; ++d)
    checkAtMost(b, loc, indexConstant(b, loc, 1), sizeOf(b, loc, x, d + 2),
                "GridSample: nothing to sample from");
}

/// One number between others; `read` gives stored ones.
Value valueOf(ScalarBuilder &s, const Sampling &sampling,
              ArrayRef<SmallVector<Tap>> taps,
              llvm::function_ref<Value(ArrayRef<Value>)> read) {
  OpBuilder &b = s.builder();
  Location loc = s.getLoc();
  Value y = interpolate(s, taps, [&](ArrayRef<Value> position) {
    return toInterpolation(b, loc, read(position), sampling.real());
  });
  return fromInterpolation(b, loc, y, sampling.real());
}

Value nearest(OpBuilder &b, Location loc, ArrayRef<SmallVector<Tap>> taps,
              llvm::function_ref<Value(ArrayRef<Value>)> read,
              Value otherwise) {
  SmallVector<Value> position;
  Value exists;
  for (const SmallVector<Tap> &dim : taps) {
    position.push_back(dim[0].index);
    Value here = dim[0].exists;
    exists = exists && here ? arith::AndIOp::create(b, loc, exists, here)
             : here         ? here
                            : exists;
  }
  Value y = read(position);
  if (!exists)
    return y;
  return arith::SelectOp::create(b, loc, exists, y, otherwise);
}

/// The elements around the sample along each spatial dimension, with weights of
/// type `weight`; `at` and `in` are those of `sample`.
SmallVector<SmallVector<Tap>> tapsOf(ScalarBuilder &g, const Sampling &sampling,
                                     ArrayRef<Value> at, ArrayRef<Value> in,
                                     Type weight) {
  OpBuilder &b = g.builder();
  Location loc = g.getLoc();
  int64_t spatial = at.size() - 2;
  SmallVector<Value> gridAt{at[0]};
  llvm::append_range(gridAt, at.drop_front(2));
  gridAt.push_back({});
  SmallVector<SmallVector<Tap>> taps;
  for (int64_t d = 0; d < spatial; ++d) {
    // The grid names the last dimension first.
    gridAt.back() = indexConstant(b, loc, spatial - 1 - d);
    Value coordinate = toInterpolation(
        b, loc, tensor::ExtractOp::create(b, loc, in[1], gridAt),
        sampling.gridElement);
    Value x = sampling.position(g, coordinate, in[2 + d]);
    taps.push_back(tapsAround(g, x, in[2 + d], sampling.mode, -0.75,
                              sampling.border, sampling.alignCorners));
    for (Tap &tap : taps.back())
      if (tap.weight)
        tap.weight = g.castTo(tap.weight, weight);
  }
  return taps;
}

/// `in`: the operand, the grid, the operand's spatial sizes, and the value
/// outside of it.
Value sample(OpBuilder &b, Location loc, const Sampling &sampling,
             ArrayRef<Value> at, ArrayRef<Value> in) {
  Type gridCompute = interpolationType(sampling.gridElement);
  ScalarBuilder g(b, loc, gridCompute);
  auto readStored = [&](ArrayRef<Value> position) -> Value {
    SmallVector<Value> whole{at[0], at[1]};
    llvm::append_range(whole, position);
    if (sampling.channelsLast)
      std::rotate(whole.begin() + 1, whole.begin() + 2, whole.end());
    return tensor::ExtractOp::create(b, loc, in[0], whole);
  };
  bool isNearest = sampling.mode == Interpolation::Nearest;
  ScalarBuilder s(b, loc,
                  isNearest ? gridCompute : interpolationType(sampling.real()));
  SmallVector<SmallVector<Tap>> taps = tapsOf(g, sampling, at, in, s.type());
  // The nearest is passed on as it is.
  if (isNearest)
    return nearest(b, loc, taps, readStored, in.back());
  if (!sampling.isComplex())
    return valueOf(s, sampling, taps, readStored);
  Value re = valueOf(s, sampling, taps, [&](ArrayRef<Value> position) -> Value {
    return complex::ReOp::create(b, loc, readStored(position));
  });
  Value im = valueOf(s, sampling, taps, [&](ArrayRef<Value> position) -> Value {
    return complex::ImOp::create(b, loc, readStored(position));
  });
  return complex::CreateOp::create(b, loc, sampling.element, re, im);
}

/// Batch and channels of `in`, the operand's sizes, and what the grid has.
SmallVector<Value> resultSizes(OpBuilder &b, onnx::GridSampleOp op,
                               ArrayRef<Value> in, Value grid) {
  SmallVector<Value> sizes(in.take_front(2));
  for (size_t d = 0; d + 2 < in.size(); ++d)
    sizes.push_back(sizeOf(b, op.getLoc(), grid, int64_t(d) + 1));
  return knownSizes(b, op.getLoc(), op->getResult(0), sizes);
}

Lowered lowerGridSample(onnx::GridSampleOp op,
                        onnx::GridSampleOp::Adaptor adaptor,
                        ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getX(), grid = adaptor.getGrid();
  RankedTensorType type = rankedType(x), gridType = rankedType(grid);
  if (type.getRank() < 3 || gridType.getRank() != type.getRank())
    return rewriter.notifyMatchFailure(op, "ranks do not fit");
  std::optional<Sampling> sampling = Sampling::parse(op);
  if (!sampling)
    return rewriter.notifyMatchFailure(op, "unknown mode");
  if (isa<onnx::StringType>(sampling->element) &&
      sampling->mode != Interpolation::Nearest)
    return rewriter.notifyMatchFailure(op, "interpolation of strings");
  int64_t spatial = type.getRank() - 2;
  checkSizes(rewriter, loc, x, grid, spatial);
  SmallVector<Value> inSizes = sizesOf(rewriter, loc, x);
  SmallVector<Value> sizes = resultSizes(rewriter, op, inSizes, grid);
  int64_t reads = 1;
  for (int64_t d = 0; d < spatial; ++d)
    reads *= tapCount(sampling->mode);
  sampling->channelsLast = isChannelsLastProfitable(
      x, typeOfSizes(sizes, type.getElementType()), reads);
  if (sampling->channelsLast) {
    x = channelsLast(rewriter, loc, "GridSample", x);
    std::rotate(sizes.begin() + 1, sizes.begin() + 2, sizes.end());
  }
  SmallVector<Value> inputs{x, grid};
  llvm::append_range(inputs, ArrayRef<Value>(inSizes).drop_front(2));
  inputs.push_back(storedConstant(rewriter, loc, type.getElementType(), 0));
  Value y = generate(
      rewriter, loc, "GridSample", type.getElementType(), sizes, inputs,
      [&](OpBuilder &b, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
        SmallVector<Value> position(at);
        if (sampling->channelsLast)
          std::rotate(position.begin() + 1, position.end() - 1, position.end());
        return sample(b, l, *sampling, position, in);
      });
  if (sampling->channelsLast)
    y = channelsSecond(rewriter, loc, "GridSample", y);
  return y;
}

/// The spatial dimensions of the result, 2 or 3.
std::optional<int64_t> spatialDims(onnx::AffineGridOp op, Value theta,
                                   Value size) {
  int64_t count = rankedType(op->getResult(0)).getRank() - 2;
  bool fits = rankedType(theta).getRank() == 3 &&
              rankedType(size).getRank() == 1 && (count == 2 || count == 3);
  return fits ? std::optional<int64_t>(count) : std::nullopt;
}

void checkGridSizes(OpBuilder &b, Location loc, Value theta, Value size,
                    int64_t spatial) {
  auto check = [&](Value tensor, int64_t dim, int64_t wanted,
                   StringRef message) {
    checkEqualSizes(b, loc, sizeOf(b, loc, tensor, dim),
                    indexConstant(b, loc, wanted), message);
  };
  check(size, 0, spatial + 2, "AffineGrid: size has the wrong length");
  check(theta, 1, spatial, "AffineGrid: theta has the wrong shape");
  check(theta, 2, spatial + 1, "AffineGrid: theta has the wrong shape");
  checkEqualSizes(b, loc, sizeOf(b, loc, theta, 0),
                  elementAsIndex(b, loc, size, 0),
                  "AffineGrid: theta and size differ in the batch");
}

/// Between -1 and 1: the corners themselves, or the middle of each sample.
Value coordinate(ScalarBuilder &s, Value i, Value size, bool align) {
  Value one = s.constant(1), two = s.constant(2);
  Value at = indexToFloat(s, i), length = indexToFloat(s, size);
  if (!align)
    return s.sub(s.div(s.add(s.mul(two, at), one), length), one);
  Value steps = s.sub(length, one);
  Value safe = s.select(s.lt(s.constant(0), steps), steps, one);
  return s.sub(s.div(s.mul(two, at), safe), one);
}

Value positionOf(ScalarBuilder &s, ArrayRef<Value> at, ArrayRef<Value> in,
                 bool align) {
  OpBuilder &b = s.builder();
  Location loc = s.getLoc();
  int64_t spatial = at.size() - 2;
  auto theta = [&](int64_t column) {
    Value position[] = {at[0], at.back(), indexConstant(b, loc, column)};
    return s.widen(tensor::ExtractOp::create(b, loc, in[0], position));
  };
  Value sum = theta(spatial);
  for (int64_t d = 0; d < spatial; ++d) {
    // Columns of theta belong to the last dimension first.
    int64_t dim = spatial - 1 - d;
    Value x = coordinate(s, at[1 + dim], in[1 + dim], align);
    sum = s.add(sum, s.mul(theta(d), x));
  }
  return sum;
}

/// theta (N x 2 x 3 or N x 3 x 4) applied to each position of the image, x
/// first.
Lowered lowerAffineGrid(onnx::AffineGridOp op,
                        onnx::AffineGridOp::Adaptor adaptor,
                        ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value theta = adaptor.getTheta(), size = adaptor.getSize();
  std::optional<int64_t> spatial = spatialDims(op, theta, size);
  if (!spatial)
    return rewriter.notifyMatchFailure(op, "the grid has neither 2 nor 3 "
                                           "spatial dimensions");
  checkGridSizes(rewriter, loc, theta, size, *spatial);
  SmallVector<Value> sizes{sizeOf(rewriter, loc, theta, 0)};
  for (int64_t d = 0; d < *spatial; ++d)
    sizes.push_back(
        structuralElement(rewriter, loc, op.getSize(), size, d + 2));
  sizes.push_back(indexConstant(rewriter, loc, *spatial));
  for (Value extent : ArrayRef<Value>(sizes).slice(1, *spatial))
    checkGivenSize(rewriter, loc, extent, "AffineGrid");
  sizes = knownSizes(rewriter, loc, op->getResult(0), sizes);
  SmallVector<Value> inputs{theta};
  llvm::append_range(inputs, ArrayRef<Value>(sizes).slice(1, *spatial));
  Type element = getElementTypeOrSelf(op.getTheta().getType());
  return generate(
      rewriter, loc, "AffineGrid", rankedType(theta).getElementType(), sizes,
      inputs,
      [&](OpBuilder &b, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
        ScalarBuilder s(b, l, element);
        return s.narrow(positionOf(s, at, in, op.getAlignCorners() != 0));
      });
}

} // namespace

void populateONNXToKrnlGridSamplePatterns(TypeConverter &converter,
                                          RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerAffineGrid, lowerGridSample);
}

} // namespace onnxc
