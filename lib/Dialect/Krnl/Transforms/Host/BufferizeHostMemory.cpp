//===- BufferizeHostMemory.cpp - Whose buffer a value is --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Fresh buffers, destinations of launches, and buffers handed to loops.
//
//===----------------------------------------------------------------------===//

#include "HostBufferizer.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::krnl;

Type krnl::bufferType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return MemRefType::get(tensor.getShape(), tensor.getElementType());
  return type;
}

SmallVector<Type> krnl::bufferTypes(TypeRange types) {
  return llvm::map_to_vector(types, bufferType);
}

bool krnl::isTensor(Value value) {
  return isa<RankedTensorType>(value.getType());
}

Value krnl::viewSource(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<tensor::CastOp, tensor::CollapseShapeOp,
                      tensor::ExpandShapeOp, tensor::ReshapeOp, FirstRowsOp>(
          op))
    return op->getOperand(0);
  return {};
}

bool krnl::isOwned(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<scf::ForOp, scf::WhileOp>(argument.getOwner()->getParentOp());
  if (auto call = value.getDefiningOp<krnl::CallOp>())
    return !call.getShared();
  return isa<LaunchOp, AppendRowOp, tensor::FromElementsOp, arith::SelectOp,
             scf::ForOp, scf::IfOp, scf::WhileOp>(value.getDefiningOp());
}

Value Bufferizer::allocate(Location loc, Type type, ValueRange sizes) {
  return memref::AllocOp::create(builder, loc, cast<MemRefType>(type), sizes);
}

SmallVector<Value> Bufferizer::dynamicSizes(Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<Value> sizes;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      sizes.push_back(memref::DimOp::create(builder, loc, buffer, i));
  return sizes;
}

Value Bufferizer::allocateLike(Location loc, Value source) {
  return allocate(loc, source.getType(), dynamicSizes(loc, source));
}

Value Bufferizer::copied(Location loc, Value source) {
  Value copy = allocateLike(loc, source);
  memref::CopyOp::create(builder, loc, source, copy);
  return copy;
}

bool krnl::mayOverwrite(LaunchOp launch, Value value) {
  while (value.hasOneUse() && value.getParentBlock() == launch->getBlock()) {
    if (isOwned(value))
      return true;
    value = viewSource(value);
    if (!value)
      return false;
  }
  return false;
}

/// Where output operand `number` of a launch goes.
Value Bufferizer::destination(LaunchOp op, unsigned number) {
  Value out = op.getOuts()[number];
  if (auto empty = out.getDefiningOp<tensor::EmptyOp>()) {
    if (Value output = outputFor(op, number))
      return output;
    return allocate(op.getLoc(), bufferType(out.getType()),
                    empty.getDynamicSizes());
  }
  if (mayOverwrite(op, out))
    return buffer(out);
  Value output = outputFor(op, number);
  if (!output)
    return copied(op.getLoc(), buffer(out));
  memref::CopyOp::create(builder, op.getLoc(), buffer(out), output);
  return output;
}

/// The graph output that result `number` of a launch becomes, seen with the
/// type of the result; null if it is none.
Value Bufferizer::outputFor(LaunchOp op, unsigned number) {
  auto found = outputs.find(op.getResult(number));
  if (found == outputs.end())
    return {};
  unsigned index = found->second;
  auto returned = cast<func::ReturnOp>(host.getBody().front().getTerminator());
  auto type =
      cast<MemRefType>(bufferType(returned.getOperand(index).getType()));
  auto own = cast<MemRefType>(bufferType(op.getResult(number).getType()));
  Value out = op.getOuts()[number];
  SmallVector<Value> sizes;
  if (auto empty = out.getDefiningOp<tensor::EmptyOp>())
    sizes = empty.getDynamicSizes();
  else
    sizes = dynamicSizes(op.getLoc(), buffer(out));
  Value output =
      OutputOp::create(builder, op.getLoc(), type, index,
                       type == own ? ValueRange(sizes) : ValueRange());
  isWritten.set(index);
  if (type == own)
    return output;
  return reshaped(op.getLoc(), own, output,
                  getAsIndexOpFoldResult(builder.getContext(), own.getShape()));
}

/// Takes over the buffer of a value that a loop or branch hands on; a copy
/// where somebody else keeps it.
Value Bufferizer::handOver(OpOperand &use, bool isOnlyUse) {
  Value value = use.get();
  Operation *op = use.getOwner();
  if (!isa<ShapedType>(value.getType()))
    return value;
  bool isHandedTwice = llvm::any_of(value.getUses(), [&](OpOperand &other) {
    return &other != &use && (isOnlyUse || other.getOwner() == op);
  });
  if (isOwned(value) && value.getParentBlock() == op->getBlock() &&
      !isHandedTwice && !outputs.contains(value))
    return buffer(value);
  return copied(op->getLoc(), buffer(value));
}

SmallVector<Value> Bufferizer::handOver(MutableOperandRange values,
                                        bool isOnlyUse) {
  return llvm::map_to_vector(
      values, [&](OpOperand &use) { return handOver(use, isOnlyUse); });
}
