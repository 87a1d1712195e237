//===- PayloadEmitter.cpp - The body of an op on lanes ----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "PayloadEmitter.h"
#include "VectorAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace onnxc::krnl {

Value PayloadEmitter::valueOf(Value original) {
  if (Value mapped = values.lookupOrNull(original))
    return mapped;
  auto index = indices.find(original);
  if (index == indices.end())
    return point.getUniform(original);
  math.setLanes(point.getLanes());
  Value value = index->second.isUniform() ? math.scalar(index->second)
                                          : math.vector(index->second);
  values.map(original, value);
  return value;
}

LaneIndex PayloadEmitter::indexOf(Value original) {
  auto index = indices.find(original);
  if (index != indices.end())
    return index->second;
  Value value = valueOf(original);
  if (isa<VectorType>(value.getType()))
    return {{}, 0, 0, value};
  if (auto constant = getConstantIntValue(value))
    return {{}, *constant, 0, {}};
  return {value, 0, 0, {}};
}

SmallVector<LaneIndex> PayloadEmitter::indicesOf(ValueRange original) {
  return llvm::map_to_vector(original,
                             [&](Value index) { return indexOf(index); });
}

void PayloadEmitter::emit(Operation *op) {
  if (!emitIndexOp(op))
    values.map(op->getResult(0), emitValueOp(op));
}

bool PayloadEmitter::emitIndexOp(Operation *op) {
  if (auto index = dyn_cast<IndexOp>(op)) {
    indices[index.getResult()] = point.getIndex(index.getDim());
    return true;
  }
  if (op->getNumResults() != 1 || !op->getResult(0).getType().isIndex() ||
      !isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return false;
  math.setLanes(point.getLanes());
  LaneIndex x = indexOf(op->getOperand(0)), y = indexOf(op->getOperand(1));
  LaneIndex result;
  if (isa<arith::AddIOp>(op))
    result = math.add(x, y);
  else if (isa<arith::SubIOp>(op))
    result = math.add(x, math.scale(y, -1));
  else if (y.isUniform())
    result = y.isConstant() ? math.scale(x, y.offset)
                            : math.scale(x, math.scalar(y));
  else if (x.isUniform())
    result = x.isConstant() ? math.scale(y, x.offset)
                            : math.scale(y, math.scalar(x));
  else
    return false;
  indices[op->getResult(0)] = result;
  return true;
}

bool variesByLane(ArrayRef<LaneIndex> at) {
  return llvm::any_of(
      at, [](const LaneIndex &index) { return !index.isUniform(); });
}

/// tensor.extract: one element, or one for each lane.
Value PayloadEmitter::emitRead(tensor::ExtractOp op) {
  SmallVector<LaneIndex> at = indicesOf(op.getIndices());
  bool varies = variesByLane(at);
  Value mask = varies ? point.getMask() : Value();
  return point.read(op, at, varies ? point.getLanes() : 1, mask);
}

/// Notes the smallest index of the lanes that are bad, as unsigned numbers, and
/// the size, which all of them have.
void PayloadEmitter::noteError(WrapIndexOp op, Value index, Value size,
                               Value isBad) {
  auto lanes = dyn_cast<VectorType>(isBad.getType());
  auto inWord = [&](Value value) -> Value {
    if (!lanes)
      return arith::IndexCastOp::create(b, b.getI64Type(), value);
    Type type = lanes.clone(b.getI64Type());
    Value none = broadcast(b, arith::ConstantIntOp::create(b, -1, 64),
                           lanes.getNumElements());
    Value word = arith::SelectOp::create(
        b, isBad, arith::IndexCastOp::create(b, type, value), none);
    return vector::ReductionOp::create(b, vector::CombiningKind::MINUI, word);
  };
  point.noteError(op, inWord(index), inWord(size));
}

/// The index, counted from the end where it is negative.
static Value countedFromEnd(ImplicitLocOpBuilder &b, Value index, Value size,
                            Value zero) {
  Value isNegative =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, index, zero);
  return arith::SelectOp::create(b, isNegative,
                                 arith::AddIOp::create(b, index, size), index);
}

/// krnl.wrap_index: the error is noted, and the access lies inside all the
/// same.
Value PayloadEmitter::emitWrapIndex(WrapIndexOp op) {
  Value index = valueOf(op.getIndex()), size = valueOf(op.getSize());
  int64_t lanes = 1;
  for (Value value : {index, size})
    if (auto type = dyn_cast<VectorType>(value.getType()))
      lanes = type.getNumElements();
  index = broadcast(b, index, lanes);
  size = broadcast(b, size, lanes);
  Value zero = broadcast(b, arith::ConstantIndexOp::create(b, 0), lanes),
        one = broadcast(b, arith::ConstantIndexOp::create(b, 1), lanes);
  bool isCount = op.getCount();
  Value wrapped = isCount ? index : countedFromEnd(b, index, size, zero);
  // Unsigned: also true for indices before the beginning.
  auto beyond = isCount ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::uge;
  Value isBad = arith::CmpIOp::create(b, beyond, wrapped, size);
  Value anyBad = isBad;
  if (lanes > 1) {
    if (Value mask = point.getMask())
      isBad = arith::AndIOp::create(b, isBad, mask);
    anyBad = vector::ReductionOp::create(b, vector::CombiningKind::OR, isBad);
  }
  // Only bad indices take the time to be brought inside.
  auto inside = scf::IfOp::create(b, wrapped.getType(), anyBad,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(inside.thenBlock());
  noteError(op, index, size, isBad);
  Value last = isCount ? size : arith::SubIOp::create(b, size, one);
  Value clamped =
      arith::MaxSIOp::create(b, arith::MinSIOp::create(b, wrapped, last), zero);
  scf::YieldOp::create(b, clamped);
  b.setInsertionPointToStart(inside.elseBlock());
  scf::YieldOp::create(b, wrapped);
  return inside.getResult(0);
}

/// The predicate with its operands exchanged.
static arith::CmpIPredicate exchanged(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::slt:
    return arith::CmpIPredicate::sgt;
  case arith::CmpIPredicate::sgt:
    return arith::CmpIPredicate::slt;
  case arith::CmpIPredicate::sle:
    return arith::CmpIPredicate::sge;
  case arith::CmpIPredicate::sge:
    return arith::CmpIPredicate::sle;
  default:
    return predicate;
  }
}

/// Bits of the widest elements that the condition selects, so that its vector
/// becomes no other one for them; 8 if it selects none.
static unsigned selectedBits(Value condition) {
  unsigned bits = 8;
  for (Operation *user : condition.getUsers())
    for (Type type : user->getResultTypes())
      if (type.isInteger(1))
        bits = std::max(bits, selectedBits(user->getResult(0)));
      else if (type.isIntOrFloat())
        bits = std::max(bits, type.getIntOrFloatBitWidth());
  return std::min<unsigned>(llvm::bit_ceil(bits), 64);
}

/// Emits a comparison of consecutive lanes with a uniform index: the numbers of
/// the lanes are compared with its distance from the first, in as many bits as
/// the selected values have. Null for others, and for words: whole indices take
/// fewer instructions there.
Value PayloadEmitter::emitLaneCompare(arith::CmpIOp op) {
  arith::CmpIPredicate predicate = op.getPredicate();
  int64_t lanes = point.getLanes();
  bool isUnsigned = predicate > arith::CmpIPredicate::sge;
  if (!op.getLhs().getType().isIndex() || isUnsigned || lanes < 2 ||
      lanes > 127)
    return {};
  LaneIndex x = indexOf(op.getLhs()), y = indexOf(op.getRhs());
  if (x.isUniform()) {
    std::swap(x, y);
    predicate = exchanged(predicate);
  }
  unsigned bits = selectedBits(op.getResult());
  if (x.vec || x.step != 1 || !y.isUniform() || bits >= 32)
    return {};
  auto from = [&](int64_t lane) {
    return math.scalar({x.base, x.offset + lane, 0, {}});
  };
  // Beyond the lanes on either side all are equal.
  Value inside = arith::MaxSIOp::create(b, math.scalar(y), from(-1));
  inside = arith::MinSIOp::create(b, inside, from(lanes));
  IntegerType type = b.getIntegerType(bits);
  Value distance = arith::IndexCastOp::create(
      b, type, arith::SubIOp::create(b, inside, from(0)));
  SmallVector<Attribute> numbers;
  for (int64_t lane = 0; lane < lanes; ++lane)
    numbers.push_back(b.getIntegerAttr(type, lane));
  Value number = arith::ConstantOp::create(
      b, DenseElementsAttr::get(VectorType::get({lanes}, type), numbers));
  return arith::CmpIOp::create(b, predicate, number,
                               broadcast(b, distance, lanes));
}

/// Integer divisions trap on zero, also in lanes that nothing will look at.
static bool isTrapping(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
             arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op);
}

Value PayloadEmitter::emitValueOp(Operation *op) {
  if (auto read = dyn_cast<tensor::ExtractOp>(op))
    return emitRead(read);
  if (auto wrap = dyn_cast<WrapIndexOp>(op))
    return emitWrapIndex(wrap);
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    if (Value mask = emitLaneCompare(compare))
      return mask;
  if (auto load = dyn_cast<ScatterLoadOp>(op)) {
    math.setLanes(point.getLanes());
    return point.read(load, indicesOf(load.getAt()));
  }
  if (auto store = dyn_cast<ScatterStoreOp>(op))
    return valueOf(store.getValue());
  return emitPlainOp(op);
}

Value PayloadEmitter::emitPlainOp(Operation *op) {
  SmallVector<Value> operands;
  int64_t lanes = 1;
  for (Value operand : op->getOperands()) {
    operands.push_back(valueOf(operand));
    if (auto type = dyn_cast<VectorType>(operands.back().getType()))
      lanes = type.getNumElements();
  }
  OperationState made(b.getLoc(), op->getName());
  for (auto [i, operand] : llvm::enumerate(operands)) {
    // One condition for all lanes may stay a scalar.
    bool scalar = isa<arith::SelectOp>(op) && i == 0;
    operand = scalar ? operand : broadcast(b, operand, lanes);
  }
  if (lanes > 1 && isTrapping(op))
    if (Value mask = point.getMask())
      operands[1] = arith::SelectOp::create(
          b, mask, operands[1], placeholder(b, operands[1].getType()));
  made.addOperands(operands);
  for (Type type : op->getResultTypes())
    made.addTypes(lanes > 1 ? VectorType::get({lanes}, type) : type);
  made.addAttributes(op->getAttrs());
  Operation *copy = b.create(made);
  if (contract && isa<arith::MulFOp, arith::AddFOp, arith::SubFOp>(copy))
    copy->setAttr("fastmath",
                  arith::FastMathFlagsAttr::get(
                      b.getContext(), arith::FastMathFlags::contract));
  return copy->getResult(0);
}

} // namespace onnxc::krnl
