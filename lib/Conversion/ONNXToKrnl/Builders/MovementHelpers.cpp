//===- MovementHelpers.cpp - Moving elements by kernels ---------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"
#include "Movement/Movement.h"
#include "Text/Strings.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Target/IR/Target.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {

RankedTensorType rankedType(Value v) {
  return dyn_cast<RankedTensorType>(v.getType());
}

RankedTensorType typeOfSizes(ValueRange sizes, Type element) {
  SmallVector<int64_t> unknown(sizes.size(), ShapedType::kDynamic);
  return refineType(RankedTensorType::get(unknown, element), sizes);
}

SmallVector<Value> knownSizes(OpBuilder &b, Location loc, Value graphResult,
                              ValueRange sizes) {
  SmallVector<Value> known(sizes);
  RankedTensorType type = rankedType(graphResult);
  if (!type || type.getRank() != int64_t(sizes.size()))
    return known;
  for (auto [d, size] : llvm::enumerate(known))
    if (!type.isDynamicDim(d) && !getConstantIntValue(size))
      size = indexConstant(b, loc, type.getDimSize(d));
  return known;
}

Value structuralElement(OpBuilder &b, Location loc, Value original,
                        Value converted, int64_t i) {
  auto constant = onnx::constantInts(original);
  if (constant && i < int64_t(constant->size()))
    return indexConstant(b, loc, (*constant)[i]);
  return elementAsIndex(b, loc, converted, i);
}

static Value copyElement(OpBuilder &, Location, ValueRange args) {
  return args[0];
}

bool isSameSize(Value size, Value x, int64_t dim) {
  if (auto constant = getConstantIntValue(size))
    return *constant == rankedType(x).getDimSize(dim);
  if (auto reshape = x.getDefiningOp<tensor::ReshapeOp>())
    if (auto shape = reshape.getShape().getDefiningOp<tensor::FromElementsOp>())
      return shape.getElements()[dim] == size;
  auto ofDim = size.getDefiningOp<tensor::DimOp>();
  return ofDim && ofDim.getSource() == x && ofDim.getConstantIndex() == dim;
}

static Value sliceByStep(OpBuilder &b, Location loc, StringRef name, Value x,
                         ValueRange starts, ValueRange steps,
                         ValueRange sizes) {
  RankedTensorType type = typeOfSizes(sizes, rankedType(x).getElementType());
  if (llvm::is_contained(type.getShape(), 0))
    return tensor::EmptyOp::create(b, loc, type, dynamicSizes(type, sizes));
  auto isWhole = [&](unsigned d) {
    return isConstantIntValue(starts[d], 0) &&
           isConstantIntValue(steps[d], 1) && isSameSize(sizes[d], x, d);
  };
  if (type == x.getType() &&
      llvm::all_of(llvm::seq<unsigned>(sizes.size()), isWhole))
    return x;
  KernelBuilder kernel(b, loc, name);
  SmallVector<AffineExpr> at = kernel.loopsOf(type), from;
  for (auto [loop, start, step] : llvm::zip(at, starts, steps)) {
    auto s = getConstantIntValue(start), t = getConstantIntValue(step);
    if (!s || !t || *t <= 0) {
      SmallVector<Value> inputs{x};
      llvm::append_range(inputs, starts);
      llvm::append_range(inputs, steps);
      return generate(
          b, loc, name, type.getElementType(), sizes, inputs,
          [&](OpBuilder &nb, Location l, ArrayRef<Value> index,
              ArrayRef<Value> images) -> Value {
            SmallVector<Value> position;
            for (auto [d, i] : llvm::enumerate(index))
              position.push_back(addIndex(
                  nb, l, mulIndex(nb, l, i, images[1 + index.size() + d]),
                  images[1 + d]));
            return tensor::ExtractOp::create(nb, l, images[0], position);
          });
    }
    bool isPart =
        *t == 1 && *s == 0 && !isSameSize(sizes[from.size()], x, from.size());
    from.push_back(isPart ? kernel.partOf(loop) : loop * *t + *s);
  }
  Value in = kernel.input(x);
  Value out = kernel.output(type, sizes);
  Value y = kernel.generic({{in, from}}, {out, at}, {}, copyElement);
  return kernel.finish({y}).front();
}

/// Dynamic steps are mostly 1: then rows are copied contiguously.
Value sliceOf(OpBuilder &b, Location loc, StringRef name, Value x,
              ValueRange starts, ValueRange steps, ValueRange sizes) {
  Value one = indexConstant(b, loc, 1), areOnes;
  SmallVector<Value> ones(steps);
  for (Value &step : ones) {
    if (getConstantIntValue(step))
      continue;
    Value isOne = compareIndex(b, loc, arith::CmpIPredicate::eq, step, one);
    areOnes = areOnes ? arith::AndIOp::create(b, loc, areOnes, isOne) : isOne;
    step = one;
  }
  if (!areOnes)
    return sliceByStep(b, loc, name, x, starts, steps, sizes);
  auto slice = [&](ValueRange by) {
    return [&, by](OpBuilder &way, Location l) {
      scf::YieldOp::create(way, l,
                           sliceByStep(way, l, name, x, starts, by, sizes));
    };
  };
  return scf::IfOp::create(b, loc, areOnes, slice(ones), slice(steps))
      .getResult(0);
}

Value selectOf(OpBuilder &b, Location loc, StringRef name, Value x,
               int64_t axis, int64_t position) {
  SmallVector<Value> sizes = sizesOf(b, loc, x);
  sizes.erase(sizes.begin() + axis);
  RankedTensorType type = typeOfSizes(sizes, rankedType(x).getElementType());
  KernelBuilder kernel(b, loc, name);
  SmallVector<AffineExpr> at = kernel.loopsOf(type), from(at);
  from.insert(from.begin() + axis, b.getAffineConstantExpr(position));
  Value in = kernel.input(x);
  Value out = kernel.output(type, sizes);
  Value y = kernel.generic({{in, from}}, {out, at}, {}, copyElement);
  return kernel.finish({y}).front();
}

Value transposeOf(OpBuilder &b, Location loc, StringRef name, Value x,
                  ArrayRef<int64_t> perm) {
  SmallVector<Value> sizes;
  for (int64_t d : perm)
    sizes.push_back(sizeOf(b, loc, x, d));
  RankedTensorType type = typeOfSizes(sizes, rankedType(x).getElementType());
  KernelBuilder kernel(b, loc, name);
  SmallVector<AffineExpr> outAt = kernel.loopsOf(type), inAt(perm.size());
  for (auto [i, d] : llvm::enumerate(perm))
    inAt[d] = outAt[i];
  Value in = kernel.input(x);
  Value out = kernel.output(type, sizes);
  Value y = kernel.generic({{in, inAt}}, {out, outAt}, {}, copyElement);
  return kernel.finish({y}).front();
}

Value channelsLast(OpBuilder &b, Location loc, StringRef name, Value x) {
  auto perm = llvm::to_vector(llvm::seq<int64_t>(rankedType(x).getRank()));
  std::rotate(perm.begin() + 1, perm.begin() + 2, perm.end());
  return transposeOf(b, loc, name, x, perm);
}

Value channelsSecond(OpBuilder &b, Location loc, StringRef name, Value x) {
  auto perm = llvm::to_vector(llvm::seq<int64_t>(rankedType(x).getRank()));
  std::rotate(perm.begin() + 1, perm.end() - 1, perm.end());
  return transposeOf(b, loc, name, x, perm);
}

bool isChannelsLastProfitable(Value operand, RankedTensorType result,
                              int64_t reads) {
  target::Processor target =
      krnl::TargetAttr::processorOf(operand.getParentRegion()->getParentOp());
  RankedTensorType x = rankedType(operand);
  if (x.getRank() < 3 || x.isDynamicDim(1) ||
      x.getDimSize(1) < target.layoutElements)
    return false;
  if (!x.hasStaticShape() || !result.hasStaticShape())
    return reads > target.gatherMoves;
  return result.getNumElements() * (reads - 1) * target.gatherMoves >=
         x.getNumElements();
}

Value generate(OpBuilder &b, Location loc, StringRef name, Type element,
               ValueRange sizes, ValueRange inputs, ElementAt fn) {
  RankedTensorType type = typeOfSizes(sizes, element);
  KernelBuilder kernel(b, loc, name);
  SmallVector<AffineExpr> at = kernel.loopsOf(type);
  SmallVector<Value> images;
  for (Value input : inputs)
    images.push_back(isa<ShapedType>(input.getType()) ? kernel.input(input)
                                                      : kernel.scalar(input));
  Value out = kernel.output(type, sizes);
  Value y = kernel.generic({}, {out, at}, {},
                           [&](OpBuilder &nb, Location l, ValueRange) {
                             SmallVector<Value> index;
                             for (AffineExpr loop : at)
                               index.push_back(kernel.index(nb, l, loop));
                             return fn(nb, l, index, images);
                           });
  return kernel.finish({y}).front();
}

Value clampIndex(OpBuilder &b, Location loc, Value i, Value size) {
  Value last = subIndex(b, loc, size, indexConstant(b, loc, 1));
  return maxIndex(b, loc, minIndex(b, loc, i, last), indexConstant(b, loc, 0));
}

Value wrapIndex(OpBuilder &b, Location loc, Value i, Value size,
                std::optional<int64_t> dimension) {
  return krnl::WrapIndexOp::create(
      b, loc, i, size, b.getStringAttr("an index is out of range"),
      dimension ? b.getI64IntegerAttr(*dimension) : IntegerAttr());
}

Value isInside(OpBuilder &b, Location loc, Value i, Value size) {
  // Unsigned: also false for negative indices.
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, i, size);
}

Value storedConstant(OpBuilder &b, Location loc, Type element, int64_t value) {
  if (isa<FloatType>(element))
    return arith::ConstantOp::create(b, loc,
                                     b.getFloatAttr(element, double(value)));
  if (isa<krnl::StrType>(element))
    return onlyElement(b, loc, stringConstant(b, loc, {""}, {}));
  if (auto number = dyn_cast<ComplexType>(element)) {
    Type part = number.getElementType();
    return complex::ConstantOp::create(
        b, loc, number,
        b.getArrayAttr(
            {b.getFloatAttr(part, double(value)), b.getFloatAttr(part, 0)}));
  }
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(element, value));
}

} // namespace onnxc
