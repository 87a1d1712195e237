//===- Windows.cpp - Sliding windows of Conv and pooling --------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Convolutions/Windows.h"

#include "Builders/HostValues.h"
#include "Builders/Padding.h"
#include "Movement/Movement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

using namespace mlir;

namespace onnxc {

/// How many steps a window takes from its first position, -1 if there is no
/// position for it. The run ends where not even that is true: `sizes` are those
/// of the window and of the padded input.
static Value checkedSteps(OpBuilder &b, Location loc, Value steps,
                          std::pair<Value, Value> sizes) {
  Value minusOne = indexConstant(b, loc, -1);
  if (lowerBoundOf(steps) >= -1)
    return steps;
  Value fits =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, steps, minusOne);
  krnl::CheckOp::create(b, loc, fits,
                        "the window is larger than the padded input",
                        ValueRange{sizes.first, sizes.second});
  return maxIndex(b, loc, steps, minusOne);
}

namespace {
/// One dimension that windows move along.
struct WindowDim {
  Value constant(int64_t value) const { return indexConstant(b, loc, value); }
  void sameSize(bool upper);
  void asManyAsFit(bool ceilMode);

  OpBuilder &b;
  Location loc;
  Value in;
  int64_t stride;
  /// Elements from the first to the last that a window touches.
  Value extent;
  /// The border, and how many windows there are.
  Value before, after, out;
};
} // namespace

/// One window for each stride, and as much border as that takes: if that is
/// odd, more after (`upper`) or before.
void WindowDim::sameSize(bool upper) {
  out = ceilDivIndex(b, loc, in, constant(stride));
  Value last =
      mulIndex(b, loc, subIndex(b, loc, out, constant(1)), constant(stride));
  Value total =
      maxIndex(b, loc, subIndex(b, loc, addIndex(b, loc, last, extent), in),
               constant(0));
  Value half = floorDivIndex(b, loc, total, constant(2));
  Value rest = ceilDivIndex(b, loc, total, constant(2));
  before = upper ? half : rest;
  after = upper ? rest : half;
}

/// The border is given.
void WindowDim::asManyAsFit(bool ceilMode) {
  Value padded = addIndex(b, loc, in, addIndex(b, loc, before, after));
  Value room = subIndex(b, loc, padded, extent);
  Value steps = ceilMode ? ceilDivIndex(b, loc, room, constant(stride))
                         : floorDivIndex(b, loc, room, constant(stride));
  if (ceilMode) {
    // A window must begin inside the tensor or its leading border.
    Value begin = subIndex(b, loc, addIndex(b, loc, in, before), constant(1));
    steps =
        minIndex(b, loc, steps, floorDivIndex(b, loc, begin, constant(stride)));
  }
  steps = checkedSteps(b, loc, steps, {extent, padded});
  out = addIndex(b, loc, steps, constant(1));
  if (!ceilMode)
    return;
  // The last window may reach beyond the given border.
  Value reach =
      addIndex(b, loc, mulIndex(b, loc, steps, constant(stride)), extent);
  after = maxIndex(b, loc, after,
                   subIndex(b, loc, reach, addIndex(b, loc, in, before)));
}

Windows Windows::get(OpBuilder &b, Location loc, Value x,
                     ValueRange kernelSizes,
                     std::optional<ArrayRef<int64_t>> strides,
                     std::optional<ArrayRef<int64_t>> dilations,
                     std::optional<ArrayRef<int64_t>> pads, StringRef autoPad,
                     bool ceilMode) {
  Windows w;
  int64_t spatial = kernelSizes.size();
  auto constant = [&](int64_t value) { return indexConstant(b, loc, value); };
  auto attribute = [&](std::optional<ArrayRef<int64_t>> values, int64_t i,
                       int64_t otherwise) {
    return values && i < int64_t(values->size()) ? (*values)[i] : otherwise;
  };
  for (int64_t d = 0; d < spatial; ++d) {
    w.strides.push_back(attribute(strides, d, 1));
    w.dilations.push_back(attribute(dilations, d, 1));
    WindowDim dim{b,  loc, sizeOf(b, loc, x, d + 2), w.strides.back(), {}, {},
                  {}, {}};
    dim.extent =
        addIndex(b, loc,
                 mulIndex(b, loc, subIndex(b, loc, kernelSizes[d], constant(1)),
                          constant(w.dilations.back())),
                 constant(1));
    if (autoPad.starts_with("SAME")) {
      dim.sameSize(autoPad == "SAME_UPPER");
    } else {
      bool isValid = autoPad == "VALID";
      dim.before = constant(isValid ? 0 : attribute(pads, d, 0));
      dim.after = constant(isValid ? 0 : attribute(pads, d + spatial, 0));
      dim.asManyAsFit(ceilMode);
    }
    w.padBefore.push_back(dim.before);
    w.padAfter.push_back(dim.after);
    w.outSizes.push_back(maxIndex(b, loc, dim.out, constant(0)));
  }
  return w;
}

Value Windows::pad(OpBuilder &b, Location loc, Value x, Value value) const {
  Value zero = indexConstant(b, loc, 0);
  SmallVector<Value> before{zero, zero}, after{zero, zero};
  before.append(padBefore);
  after.append(padAfter);
  return padConstant(b, loc, x, before, after, value);
}

static bool divides(int64_t whole, int64_t parts) {
  return ShapedType::isDynamic(whole) || whole % parts == 0;
}

/// The reassociation of `rank` dimensions that makes two of dimension `dim`.
static SmallVector<ReassociationIndices> pairAt(int64_t dim, int64_t rank) {
  SmallVector<ReassociationIndices> groups(rank);
  for (int64_t d : llvm::seq(rank)) {
    groups[d].push_back(d > dim ? d + 1 : d);
    if (d == dim)
      groups[d].push_back(d + 1);
  }
  return groups;
}

Value splitDim(OpBuilder &b, Location loc, Value x, int64_t dim,
               int64_t parts) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<Value> sizes = sizesOf(b, loc, x);
  Value count = indexConstant(b, loc, parts), whole = sizes[dim];
  sizes[dim] = floorDivIndex(b, loc, whole, count);
  checkEqualSizes(b, loc, mulIndex(b, loc, sizes[dim], count), whole,
                  "the groups do not divide the channels");
  auto rest = getConstantIntValue(sizes[dim]);
  shape[dim] = rest ? *rest : ShapedType::kDynamic;
  shape.insert(shape.begin() + dim, parts);
  sizes.insert(sizes.begin() + dim, count);
  auto split = RankedTensorType::get(shape, type.getElementType());
  if (x.getDefiningOp<krnl::ConstantOp>() ||
      !divides(type.getDimSize(dim), parts))
    return reshapeTo(b, loc, x, split, sizes);
  return tensor::ExpandShapeOp::create(
      b, loc, split, x, pairAt(dim, type.getRank()), getAsOpFoldResult(sizes));
}

Value joinDims(OpBuilder &b, Location loc, Value x, int64_t dim,
               ValueRange sizes) {
  RankedTensorType split = rankedType(x),
                   type = typeOfSizes(sizes, split.getElementType());
  SmallVector<ReassociationIndices> groups = pairAt(dim, type.getRank());
  if (tensor::CollapseShapeOp::inferCollapsedType(split, groups) != type)
    return reshapeTo(b, loc, x, type, sizes);
  return tensor::CollapseShapeOp::create(b, loc, type, x, groups);
}

} // namespace onnxc
