//===- DeformConv.cpp - Convolution at displaced positions ------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// One kernel samples the elements at each position of a window, displaced and
// masked, as channels of their own; a convolution with windows of one element
// remains.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"
#include "Convolutions/Convolution.h"
#include "Convolutions/Windows.h"
#include "Images/Interpolation.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;

namespace onnxc {
namespace {

/// A position of the columns, taken apart.
struct Position {
  Value channel, group;
  /// Along the window, and all of it as one number.
  SmallVector<Value> inWindow;
  Value point;
};

/// An element for batch `n` and a position of the columns and the result.
using SampleAt =
    llvm::function_ref<Value(OpBuilder &, Location, Value n, const Position &,
                             ArrayRef<Value> out, ArrayRef<Value> in)>;

Value volume(OpBuilder &b, Location loc, ValueRange window) {
  return productOf(b, loc, window);
}

/// Filters with all elements of a window in one dimension.
SmallVector<Value> pointSizes(OpBuilder &b, Location loc, Value w,
                              ValueRange window, int64_t spatial) {
  SmallVector<Value> sizes{
      sizeOf(b, loc, w, 0),
      mulIndex(b, loc, sizeOf(b, loc, w, 1), volume(b, loc, window))};
  sizes.append(spatial, indexConstant(b, loc, 1));
  return sizes;
}

RankedTensorType pointType(Value w, Value columns, int64_t group) {
  RankedTensorType type = rankedType(w);
  SmallVector<int64_t> shape(type.getRank(), 1);
  shape[0] = type.getDimSize(0);
  shape[1] = 1;
  for (int64_t size : type.getShape().drop_front())
    shape[1] = ShapedType::isDynamic(size) || ShapedType::isDynamic(shape[1])
                   ? ShapedType::kDynamic
                   : shape[1] * size;
  int64_t seen = rankedType(columns).getDimSize(1);
  if (ShapedType::isDynamic(shape[1]) && !ShapedType::isDynamic(seen))
    shape[1] = seen / group;
  return RankedTensorType::get(shape, type.getElementType());
}

void checkSizes(onnx::DeformConvOp op, onnx::DeformConvOp::Adaptor adaptor,
                OpBuilder &b, ValueRange window, const Windows &windows) {
  Location loc = op.getLoc();
  int64_t spatial = window.size();
  Value x = adaptor.getX(), offset = adaptor.getOffset();
  Value positions = mulIndex(b, loc, volume(b, loc, window),
                             indexConstant(b, loc, op.getOffsetGroup()));
  Value coordinates =
      mulIndex(b, loc, positions, indexConstant(b, loc, spatial));
  auto check = [&](Value tensor, int64_t dim, Value wanted, StringRef message) {
    checkEqualSizes(b, loc, sizeOf(b, loc, tensor, dim), wanted, message);
  };
  Value groups = indexConstant(b, loc, op.getOffsetGroup());
  Value perGroup = floorDivIndex(b, loc, sizeOf(b, loc, x, 1), groups);
  check(x, 1, mulIndex(b, loc, perGroup, groups),
        "DeformConv: channels do not divide into offset groups");
  check(offset, 0, sizeOf(b, loc, x, 0),
        "DeformConv: offset has another batch size");
  check(offset, 1, coordinates, "DeformConv: offset does not fit the window");
  for (int64_t d = 0; d < spatial; ++d)
    check(offset, d + 2, windows.outSizes[d],
          "DeformConv: offset does not fit the result");
  if (Value mask = adaptor.getMask()) {
    check(mask, 0, sizeOf(b, loc, x, 0),
          "DeformConv: mask has another batch size");
    check(mask, 1, positions, "DeformConv: mask does not fit the window");
    for (int64_t d = 0; d < spatial; ++d)
      check(mask, d + 2, windows.outSizes[d],
            "DeformConv: mask does not fit the result");
  }
  for (int64_t d = 0; d < spatial; ++d)
    checkAtMost(b, loc, indexConstant(b, loc, 1), sizeOf(b, loc, x, d + 2),
                "DeformConv: nothing to sample from");
}

std::pair<Value, Value> divide(OpBuilder &b, Location loc, Value x, Value y) {
  Value quotient = arith::DivUIOp::create(b, loc, x, y);
  return {quotient, arith::RemUIOp::create(b, loc, x, y)};
}

/// Puts a position in the window, or one after it in `rest`, into `at`.
Value takeWindow(OpBuilder &b, Location loc, Position &at, Value rest,
                 ArrayRef<Value> window) {
  at.inWindow.resize(window.size());
  for (int64_t d = int64_t(window.size()) - 1; d >= 0; --d)
    std::tie(rest, at.inWindow[d]) = divide(b, loc, rest, window[d]);
  return rest;
}

/// Channel c of the columns is (channel, position in the window).
Position takeApart(OpBuilder &b, Location loc, Value c, ArrayRef<Value> window,
                   Value perGroup) {
  Position at;
  at.channel = takeWindow(b, loc, at, c, window);
  at.point = arith::RemUIOp::create(b, loc, c, productOf(b, loc, window));
  at.group = arith::DivUIOp::create(b, loc, at.channel, perGroup);
  return at;
}

/// The samples as N x window x out x C, where all channels have the same
/// positions.
Value sampleChannels(OpBuilder &b, Location loc, Type stored, ValueRange sizes,
                     ValueRange inputs, SampleAt elementAt) {
  int64_t spatial = sizes.size() - 3;
  return generate(
      b, loc, "DeformConv", stored, sizes, inputs,
      [&](OpBuilder &nb, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
        Position position;
        takeWindow(nb, l, position, at[1], in.slice(3, spatial));
        position.point = at[1];
        position.group = indexConstant(nb, l, 0);
        position.channel = at.back();
        return elementAt(nb, l, at[0], position, at.drop_front(2).drop_back(),
                         in);
      });
}

/// The `in` of sampleAt.
SmallVector<Value> readBySamples(onnx::DeformConvOp::Adaptor adaptor,
                                 OpBuilder &b, Location loc, Value perGroup,
                                 ArrayRef<Value> window,
                                 const Windows &windows) {
  SmallVector<Value> inputs{adaptor.getX(), adaptor.getOffset(), perGroup};
  llvm::append_range(inputs, window);
  llvm::append_range(inputs, windows.padBefore);
  for (size_t d = 0; d < window.size(); ++d)
    inputs.push_back(sizeOf(b, loc, adaptor.getX(), d + 2));
  if (adaptor.getMask())
    inputs.push_back(adaptor.getMask());
  return inputs;
}

/// `in`: operand, offsets, channels per offset group; then, for each spatial
/// dimension, window, padding and size; the mask, if there is one. `last`:
/// the operand has its channels last.
Value sampleAt(ScalarBuilder &s, Value n, const Position &position,
               ArrayRef<Value> out, ArrayRef<Value> in, const Windows &windows,
               Type element, bool last) {
  OpBuilder &b = s.builder();
  Location loc = s.getLoc();
  int64_t spatial = out.size();
  ArrayRef<Value> window = in.slice(3, spatial),
                  before = in.slice(3 + spatial, spatial),
                  size = in.slice(3 + 2 * spatial, spatial);
  Value volume = productOf(b, loc, window);
  Value point = addIndex(b, loc, mulIndex(b, loc, position.group, volume),
                         position.point);
  auto read = [&](Value tensor, Value channel) {
    SmallVector<Value> coordinate{n, channel};
    llvm::append_range(coordinate, out);
    return toInterpolation(
        b, loc, tensor::ExtractOp::create(b, loc, tensor, coordinate), element);
  };
  SmallVector<SmallVector<Tap>> taps;
  for (int64_t d = 0; d < spatial; ++d) {
    auto times = [&](Value i, int64_t n) {
      return mulIndex(b, loc, i, indexConstant(b, loc, n));
    };
    Value start =
        subIndex(b, loc, times(out[d], windows.strides[d]), before[d]);
    Value coordinate = addIndex(
        b, loc, start, times(position.inWindow[d], windows.dilations[d]));
    Value displaced = s.add(indexToFloat(s, coordinate),
                            read(in[1], addIndex(b, loc, times(point, spatial),
                                                 indexConstant(b, loc, d))));
    taps.push_back(tapsAround(s, displaced, size[d], Interpolation::Linear, 0,
                              Border::Zeros, /*atCorners=*/true));
  }
  Value y = interpolate(s, taps, [&](ArrayRef<Value> coordinate) {
    SmallVector<Value> whole{n, position.channel};
    llvm::append_range(whole, coordinate);
    if (last)
      std::rotate(whole.begin() + 1, whole.begin() + 2, whole.end());
    return toInterpolation(
        b, loc, tensor::ExtractOp::create(b, loc, in[0], whole), element);
  });
  bool hasMask = int64_t(in.size()) > 3 + 3 * spatial;
  return hasMask ? s.mul(y, read(in.back(), point)) : y;
}

/// N x (C * window) x out: the sample at each position of the windows.
Value sample(onnx::DeformConvOp op, onnx::DeformConvOp::Adaptor adaptor,
             OpBuilder &b, ArrayRef<Value> window, const Windows &windows) {
  Location loc = op.getLoc();
  int64_t spatial = window.size();
  Value x = adaptor.getX();
  Type element = getElementTypeOrSelf(op.getX().getType());
  Type stored = rankedType(x).getElementType();
  Value channels = sizeOf(b, loc, x, 1), positions = volume(b, loc, window);
  SmallVector<Value> sizes{sizeOf(b, loc, x, 0),
                           mulIndex(b, loc, channels, positions)};
  llvm::append_range(sizes, windows.outSizes);
  Value groups = indexConstant(b, loc, op.getOffsetGroup());
  // One at least: nothing divides by zero where there are no channels.
  Value perGroup = maxIndex(b, loc, floorDivIndex(b, loc, channels, groups),
                            indexConstant(b, loc, 1));
  bool last = op.getOffsetGroup() == 1 &&
              isChannelsLastProfitable(x, typeOfSizes(sizes, stored),
                                       /*reads=*/int64_t(1) << spatial);
  SmallVector<Value> inputs =
      readBySamples(adaptor, b, loc, perGroup, window, windows);
  auto elementAt = [&](OpBuilder &nb, Location l, Value n,
                       const Position &position, ArrayRef<Value> out,
                       ArrayRef<Value> in) {
    ScalarBuilder s(nb, l, interpolationType(element));
    Value y = sampleAt(s, n, position, out, in, windows, element, last);
    return fromInterpolation(nb, l, y, element);
  };
  if (!last)
    return generate(
        b, loc, "DeformConv", stored, sizes, inputs,
        [&](OpBuilder &nb, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
          Position position =
              takeApart(nb, l, at[1], in.slice(3, spatial), in[2]);
          return elementAt(nb, l, at[0], position, at.drop_front(2), in);
        });
  inputs[0] = channelsLast(b, loc, "DeformConv", x);
  SmallVector<Value> seen(sizes);
  seen[1] = positions;
  seen.push_back(channels);
  Value y = sampleChannels(b, loc, stored, seen, inputs, elementAt);
  return reshapeTo(b, loc, channelsSecond(b, loc, "DeformConv", y),
                   typeOfSizes(sizes, stored), sizes);
}

Lowered lowerDeformConv(onnx::DeformConvOp op,
                        onnx::DeformConvOp::Adaptor adaptor,
                        ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getX(), w = adaptor.getW();
  for (Value v : {x, w, adaptor.getOffset()})
    if (rankedType(v).getRank() < 3 ||
        rankedType(v).getRank() != rankedType(x).getRank())
      return rewriter.notifyMatchFailure(op, "ranks do not fit");
  int64_t spatial = rankedType(x).getRank() - 2;
  if (op.getOffsetGroup() <= 0 || op.getGroup() <= 0)
    return rewriter.notifyMatchFailure(op, "groups are not positive");
  int64_t channels = rankedType(x).getDimSize(1);
  if (!ShapedType::isDynamic(channels) && channels % op.getOffsetGroup() != 0)
    return rewriter.notifyMatchFailure(
        op, "channels do not divide into offset groups");
  SmallVector<Value> window;
  for (int64_t d = 0; d < spatial; ++d)
    window.push_back(sizeOf(rewriter, loc, w, d + 2));
  Windows windows = Windows::get(rewriter, loc, x, window, op.getStrides(),
                                 op.getDilations(), op.getPads(), "NOTSET",
                                 /*ceilMode=*/false);
  checkSizes(op, adaptor, rewriter, window, windows);
  Value columns = sample(op, adaptor, rewriter, window, windows);
  Value points =
      reshapeTo(rewriter, loc, w, pointType(w, columns, op.getGroup()),
                pointSizes(rewriter, loc, w, window, spatial));
  Convolution plain(op.getGroup());
  return buildConvolution(rewriter, op, columns, points, adaptor.getB(),
                          getElementTypeOrSelf(op.getX().getType()), plain);
}

} // namespace

void populateONNXToKrnlDeformConvPatterns(TypeConverter &converter,
                                          RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerDeformConv);
}

} // namespace onnxc
