//===- Col2Im.cpp - Blocks put back where they come from --------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Each element of the image is a sum over the positions in a block that can
// overlap it: for each the block that has it there, if there is one. So no
// element is written twice, and all of them may be computed in parallel. The
// blocks are the same for all elements, but for absent ones; zeros stand for
// them.
//===----------------------------------------------------------------------===//

#include "Builders/Accumulate.h"
#include "Builders/HostValues.h"
#include "Builders/Padding.h"
#include "Builders/ScalarBuilder.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

class Col2ImBuilder {
public:
  Col2ImBuilder(OpBuilder &b, onnx::Col2ImOp op, Value x, int64_t spatial)
      : b(b), loc(op.getLoc()), op(op), x(x), spatial(spatial) {}

  Value build(Value imageShape, Value blockShape);

private:
  struct Dim {
    /// Host sizes of the image, of a block, and how many blocks there are.
    Value image, block, count;
    int64_t stride, dilation, padBefore;
    AffineExpr at, inBlock;
  };

  /// The blocks that overlap at a position, along a dimension.
  struct Steps {
    /// The number of the blocks, their distance, and the position of the first.
    int64_t perPosition, distance, offset;
    /// Blocks of zeros in front.
    int64_t before;
    /// Strides in the image, and blocks of zeros after.
    Value positions, after;
  };

  Dim dimension(int64_t d, Value imageShape, Value blockShape);
  Value elementOf(KernelBuilder &kernel, OpBuilder &nb, Location l, Value image,
                  ArrayRef<Value> counts, ArrayRef<Value> blocks);
  bool isRegular() const;
  Steps stepsOf(const Dim &dim);
  Value paddedView(ArrayRef<Value> sizes, ArrayRef<Steps> steps, Type stored);
  Value sumOfView(ArrayRef<Value> sizes);
  Value sumOfBlocks(ArrayRef<Value> sizes);
  Value sumUp(KernelBuilder &kernel, Value out, ArrayRef<AffineExpr> at,
              ArrayRef<KernelBuilder::Access> ins, ArrayRef<AffineExpr> window,
              KernelBuilder::Body elementAt);

  OpBuilder &b;
  Location loc;
  onnx::Col2ImOp op;
  Value x;
  int64_t spatial;
  SmallVector<Dim> dims;
  AffineExpr batch, channel;
};

} // namespace

Col2ImBuilder::Dim Col2ImBuilder::dimension(int64_t d, Value imageShape,
                                            Value blockShape) {
  auto constant = [&](int64_t value) { return indexConstant(b, loc, value); };
  auto attribute = [](std::optional<ArrayRef<int64_t>> values, int64_t i,
                      int64_t otherwise) {
    return values && i < int64_t(values->size()) ? (*values)[i] : otherwise;
  };
  Dim dim;
  dim.image = structuralElement(b, loc, op.getImageShape(), imageShape, d);
  dim.block = structuralElement(b, loc, op.getBlockShape(), blockShape, d);
  checkAtMost(b, loc, constant(1), dim.block,
              "Col2Im: block_shape has a size below 1");
  checkGivenSize(b, loc, dim.image, "Col2Im");
  checkGivenSize(b, loc, dim.block, "Col2Im");
  dim.stride = attribute(op.getStrides(), d, 1);
  dim.dilation = attribute(op.getDilations(), d, 1);
  dim.padBefore = attribute(op.getPads(), d, 0);
  int64_t pads = dim.padBefore + attribute(op.getPads(), d + spatial, 0);
  // Positions that the first element of a block can have.
  Value reach = mulIndex(b, loc, subIndex(b, loc, dim.block, constant(1)),
                         constant(dim.dilation));
  Value room =
      subIndex(b, loc, addIndex(b, loc, dim.image, constant(pads - 1)), reach);
  dim.count = maxIndex(
      b, loc,
      addIndex(b, loc, floorDivIndex(b, loc, room, constant(dim.stride)),
               constant(1)),
      constant(0));
  return dim;
}

/// The element of `x` that overlaps here, for one position in a block; 0 if
/// there is none.
Value Col2ImBuilder::elementOf(KernelBuilder &kernel, OpBuilder &nb, Location l,
                               Value image, ArrayRef<Value> counts,
                               ArrayRef<Value> blocks) {
  auto constant = [&](int64_t value) { return indexConstant(nb, l, value); };
  Value ok = arith::ConstantIntOp::create(nb, l, 1, 1);
  Value row = kernel.index(nb, l, channel), column = constant(0);
  for (auto [d, dim] : llvm::enumerate(dims)) {
    Value k = kernel.index(nb, l, dim.inBlock);
    row = addIndex(nb, l, mulIndex(nb, l, row, blocks[d]), k);
    Value begin = subIndex(
        nb, l,
        addIndex(nb, l, kernel.index(nb, l, dim.at), constant(dim.padBefore)),
        mulIndex(nb, l, k, constant(dim.dilation)));
    Value stride = constant(dim.stride);
    Value block = arith::DivSIOp::create(nb, l, begin, stride);
    Value exact = arith::CmpIOp::create(nb, l, arith::CmpIPredicate::eq,
                                        mulIndex(nb, l, block, stride), begin);
    ok = arith::AndIOp::create(nb, l, ok, exact);
    ok = arith::AndIOp::create(nb, l, ok, isInside(nb, l, block, counts[d]));
    column = addIndex(nb, l, mulIndex(nb, l, column, counts[d]),
                      clampIndex(nb, l, block, counts[d]));
  }
  Value element = tensor::ExtractOp::create(
      nb, l, image, ValueRange{kernel.index(nb, l, batch), row, column});
  Value zero = storedConstant(nb, l, element.getType(), 0);
  return arith::SelectOp::create(nb, l, ok, element, zero);
}

/// Returns true if each position in the image belongs to the same positions in
/// blocks as those next to it, one stride away, at distances that are constant.
bool Col2ImBuilder::isRegular() const {
  return llvm::all_of(dims, [](const Dim &dim) {
    return getConstantIntValue(dim.block) && dim.padBefore >= 0 &&
           (dim.stride == 1 || dim.dilation == 1);
  });
}

/// Along a dimension, with borders, position s * i + r of the image is the sum
/// of the blocks i - j at s * j + r: for a stride of one, blocks at a distance
/// of the dilation.
Col2ImBuilder::Steps Col2ImBuilder::stepsOf(const Dim &dim) {
  int64_t size = *getConstantIntValue(dim.block), s = dim.stride;
  auto constant = [&](int64_t value) { return indexConstant(b, loc, value); };
  Steps steps;
  steps.perPosition = llvm::divideCeil(size, s);
  steps.distance = s == 1 ? dim.dilation : 1;
  // Without a stride the border need not be computed.
  int64_t first = s == 1 ? dim.padBefore : 0;
  steps.positions =
      s == 1
          ? dim.image
          : ceilDivIndex(b, loc,
                         addIndex(b, loc, dim.image, constant(dim.padBefore)),
                         constant(s));
  int64_t reach = (steps.perPosition - 1) * steps.distance;
  steps.offset = std::max(first, reach);
  steps.before = steps.offset - first;
  Value last = addIndex(b, loc, steps.positions, constant(first));
  steps.after =
      maxIndex(b, loc, subIndex(b, loc, last, dim.count), constant(0));
  return steps;
}

/// N x C x (j x r) x blocks, zeros being around the blocks and after the last
/// positions in them.
Value Col2ImBuilder::paddedView(ArrayRef<Value> sizes, ArrayRef<Steps> steps,
                                Type stored) {
  auto constant = [&](int64_t value) { return indexConstant(b, loc, value); };
  SmallVector<Value> shape(sizes.take_front(2));
  SmallVector<Value> before(2 + 2 * spatial, constant(0)), after(before);
  for (const Dim &dim : dims)
    shape.push_back(dim.block);
  for (const Dim &dim : dims)
    shape.push_back(dim.count);
  for (auto [d, step] : llvm::enumerate(steps)) {
    int64_t all = step.perPosition * dims[d].stride;
    after[2 + d] = constant(all - *getConstantIntValue(dims[d].block));
    before[2 + spatial + d] = constant(step.before);
    after[2 + spatial + d] = step.after;
  }
  Value view = reshapeTo(b, loc, x, typeOfSizes(shape, stored), shape);
  view = padConstant(b, loc, view, before, after,
                     storedConstant(b, loc, stored, 0));
  SmallVector<Value> split(shape.begin(), shape.begin() + 2);
  for (auto [dim, step] : llvm::zip(dims, steps)) {
    split.push_back(constant(step.perPosition));
    split.push_back(constant(dim.stride));
  }
  for (int64_t d = 0; d < spatial; ++d)
    split.push_back(sizeOf(b, loc, view, 2 + spatial + d));
  return reshapeTo(b, loc, view, typeOfSizes(split, stored), split);
}

/// Sums up the blocks that overlap at each element, all in the padded view.
Value Col2ImBuilder::sumOfView(ArrayRef<Value> sizes) {
  auto constant = [&](int64_t value) { return indexConstant(b, loc, value); };
  Type stored = rankedType(x).getElementType();
  SmallVector<Steps> steps;
  for (const Dim &dim : dims)
    steps.push_back(stepsOf(dim));
  Value view = paddedView(sizes, steps, stored);
  SmallVector<Value> parts(sizes.take_front(2)), whole(parts);
  SmallVector<Value> starts(2 + spatial, constant(0)),
      ones(2 + spatial, constant(1));
  for (auto [d, dim] : llvm::enumerate(dims)) {
    parts.append({steps[d].positions, constant(dim.stride)});
    whole.push_back(mulIndex(b, loc, parts.end()[-2], parts.back()));
    if (dim.stride != 1)
      starts[2 + d] = constant(dim.padBefore);
  }
  RankedTensorType type = typeOfSizes(parts, stored);
  KernelBuilder kernel(b, loc, "Col2Im");
  SmallVector<AffineExpr> at = kernel.loopsOf(type), window, from{at[0], at[1]};
  for (auto [d, step] : llvm::enumerate(steps)) {
    window.push_back(kernel.loop("k" + std::to_string(d), step.perPosition));
    from.append({window.back(), at[3 + 2 * d]});
  }
  for (auto [d, step] : llvm::enumerate(steps))
    from.push_back(at[2 + 2 * d] - window[d] * step.distance + step.offset);
  Value in = kernel.input(view);
  Value out = kernel.output(type, parts);
  Value y = sumUp(kernel, out, at, {{in, from}}, window,
                  [](OpBuilder &, Location, ValueRange v) { return v[0]; });
  return sliceOf(b, loc, "Col2Im",
                 reshapeTo(b, loc, y, typeOfSizes(whole, stored), whole),
                 starts, ones, sizes);
}

/// Sums up the blocks that overlap at each element, computing their positions.
Value Col2ImBuilder::sumOfBlocks(ArrayRef<Value> sizes) {
  RankedTensorType type = typeOfSizes(sizes, rankedType(x).getElementType());
  KernelBuilder kernel(b, loc, "Col2Im");
  SmallVector<AffineExpr> at = kernel.loopsOf(type), window;
  batch = at[0];
  channel = at[1];
  SmallVector<Value> counts, blocks;
  for (auto [d, dim] : llvm::enumerate(dims)) {
    dim.at = at[d + 2];
    dim.inBlock = kernel.loop("k" + std::to_string(d), dim.block);
    window.push_back(dim.inBlock);
    counts.push_back(kernel.scalar(dim.count));
    blocks.push_back(kernel.scalar(dim.block));
  }
  Value image = kernel.input(x);
  Value out = kernel.output(type, sizes);
  return sumUp(kernel, out, at, {}, window,
               [&](OpBuilder &nb, Location l, ValueRange) {
                 return elementOf(kernel, nb, l, image, counts, blocks);
               });
}

/// Sums stored elements up over the window in the type that is computed with.
Value Col2ImBuilder::sumUp(KernelBuilder &kernel, Value out,
                           ArrayRef<AffineExpr> at,
                           ArrayRef<KernelBuilder::Access> ins,
                           ArrayRef<AffineExpr> window,
                           KernelBuilder::Body elementAt) {
  Type element = getElementTypeOrSelf(op.getInput().getType());
  auto total = [&](const KernelBuilder::Access &to) {
    ScalarBuilder outside(kernel.inside(), loc, element);
    Value zero = kernel.fill(outside.constant(0), to);
    return kernel.generic(ins, {zero, to.at}, window,
                          [&](OpBuilder &nb, Location l, ValueRange v) {
                            ScalarBuilder s(nb, l, element);
                            return s.add(v.back(),
                                         s.widen(elementAt(nb, l, v)));
                          });
  };
  KernelBuilder::Access position{out, SmallVector<AffineExpr>(at)};
  return kernel.finish({storeTotals(kernel, element, position, total)}).front();
}

Value Col2ImBuilder::build(Value imageShape, Value blockShape) {
  Value blockSize = indexConstant(b, loc, 1), count = blockSize;
  for (int64_t d = 0; d < spatial; ++d) {
    dims.push_back(dimension(d, imageShape, blockShape));
    blockSize = mulGivenSizes(b, loc, blockSize, dims.back().block, "Col2Im");
    count = mulGivenSizes(b, loc, count, dims.back().count, "Col2Im");
  }
  Value channels = floorDivIndex(b, loc, sizeOf(b, loc, x, 1), blockSize);
  checkEqualSizes(b, loc, mulIndex(b, loc, channels, blockSize),
                  sizeOf(b, loc, x, 1),
                  "Col2Im: the channels are not a multiple of the block");
  checkEqualSizes(b, loc, count, sizeOf(b, loc, x, 2),
                  "Col2Im: another number of blocks fits into the image");
  SmallVector<Value> sizes{sizeOf(b, loc, x, 0), channels};
  for (const Dim &dim : dims)
    sizes.push_back(dim.image);
  sizes = knownSizes(b, loc, op->getResult(0), sizes);
  return isRegular() ? sumOfView(sizes) : sumOfBlocks(sizes);
}

namespace {

Lowered lowerCol2Im(onnx::Col2ImOp op, onnx::Col2ImOp::Adaptor adaptor,
                    ConversionPatternRewriter &rewriter) {
  if (isa<onnx::StringType>(getElementTypeOrSelf(op.getInput().getType())))
    return rewriter.notifyMatchFailure(op, "strings have no sum");
  RankedTensorType type = rankedType(adaptor.getInput()),
                   imageType = rankedType(adaptor.getImageShape()),
                   blockType = rankedType(adaptor.getBlockShape());
  if (type.getRank() != 3)
    return rewriter.notifyMatchFailure(op, "operand is not of rank 3");
  // Any of these determines the number of dimensions of the image.
  int64_t spatial = rankedType(op->getResult(0)).getRank() - 2;
  for (RankedTensorType shape : {imageType, blockType})
    if (shape.getRank() == 1 && !shape.isDynamicDim(0))
      spatial = shape.getDimSize(0);
  for (auto values : {op.getStrides(), op.getDilations()})
    if (values && llvm::any_of(*values, [](int64_t v) { return v < 1; }))
      return rewriter.notifyMatchFailure(op, "strides or dilations below 1");
  Col2ImBuilder builder(rewriter, op, adaptor.getInput(), spatial);
  return builder.build(adaptor.getImageShape(), adaptor.getBlockShape());
}

} // namespace

void populateONNXToKrnlCol2ImPatterns(TypeConverter &converter,
                                      RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerCol2Im);
}

} // namespace onnxc
