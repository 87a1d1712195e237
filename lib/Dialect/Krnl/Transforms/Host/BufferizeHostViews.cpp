//===- BufferizeHostViews.cpp - Reshapes and casts of buffers ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HostBufferizer.h"

#include "onnxc/Dialect/Krnl/IR/IndexBuilder.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::krnl;

/// `source` seen with other sizes; buffers are contiguous, so the strides
/// follow.
Value Bufferizer::reshaped(Location loc, MemRefType type, Value source,
                           ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> strides(type.getRank());
  OpFoldResult stride = builder.getIndexAttr(1);
  for (int64_t i = type.getRank() - 1; i >= 0; --i) {
    strides[i] = stride;
    stride = IndexBuilder(builder, loc).mul(stride, sizes[i]);
  }
  return memref::ReinterpretCastOp::create(
      builder, loc, type, source, builder.getIndexAttr(0), sizes, strides);
}

/// The sizes of a reshape to `type`, by the elements of its operand.
SmallVector<OpFoldResult>
Bufferizer::reshapeSizes(Location loc, MemRefType type, Value shape) {
  auto known = shape.getDefiningOp<tensor::FromElementsOp>();
  SmallVector<OpFoldResult> sizes;
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    if (!ShapedType::isDynamic(size)) {
      sizes.push_back(builder.getIndexAttr(size));
      continue;
    }
    Value element;
    if (known) {
      element = known.getElements()[i];
    } else {
      Value position = arith::ConstantIndexOp::create(builder, loc, i);
      element = memref::LoadOp::create(builder, loc, buffer(shape), position);
    }
    if (!element.getType().isIndex())
      element = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                           element);
    sizes.push_back(element);
  }
  return sizes;
}

/// The sizes of a collapsed buffer: products over the groups.
SmallVector<OpFoldResult>
Bufferizer::collapsedSizes(Location loc, Value source,
                           ArrayRef<ReassociationIndices> groups) {
  auto type = cast<MemRefType>(source.getType());
  SmallVector<OpFoldResult> sizes;
  for (const ReassociationIndices &group : groups) {
    OpFoldResult size = builder.getIndexAttr(1);
    for (int64_t dim : group) {
      OpFoldResult factor = builder.getIndexAttr(type.getDimSize(dim));
      if (type.isDynamicDim(dim))
        factor = memref::DimOp::create(builder, loc, source, dim).getResult();
      size = IndexBuilder(builder, loc).mul(size, factor);
    }
    sizes.push_back(size);
  }
  return sizes;
}

/// The rows before row `count`.
Value Bufferizer::firstRows(Location loc, Value rows, Value count) {
  auto type = cast<MemRefType>(rows.getType());
  SmallVector<OpFoldResult> sizes{count};
  for (int64_t i = 1; i < type.getRank(); ++i)
    sizes.push_back(
        type.isDynamicDim(i)
            ? OpFoldResult(
                  memref::DimOp::create(builder, loc, rows, i).getResult())
            : builder.getIndexAttr(type.getDimSize(i)));
  return reshaped(loc, type, rows, sizes);
}

LogicalResult Bufferizer::convertView(Operation *op) {
  Location loc = op->getLoc();
  Value source = buffer(op->getOperand(0));
  auto type = cast<MemRefType>(bufferType(op->getResult(0).getType()));
  Value result =
      llvm::TypeSwitch<Operation *, Value>(op)
          .Case([&](tensor::CastOp) {
            return memref::CastOp::create(builder, loc, type, source);
          })
          .Case([&](tensor::CollapseShapeOp view) {
            return reshaped(
                loc, type, source,
                collapsedSizes(loc, source, view.getReassociationIndices()));
          })
          .Case([&](tensor::ExpandShapeOp view) {
            return reshaped(loc, type, source, view.getMixedOutputShape());
          })
          .Case([&](FirstRowsOp) {
            return firstRows(loc, source, op->getOperand(1));
          })
          .Case([&](tensor::ReshapeOp) {
            return reshaped(loc, type, source,
                            reshapeSizes(loc, type, op->getOperand(1)));
          });
  buffers[op->getResult(0)] = result;
  dead.push_back(op);
  return success();
}
