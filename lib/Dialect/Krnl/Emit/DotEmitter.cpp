//===- DotEmitter.cpp - Products of groups of bytes -------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The copies of a dot loop are the bytes of one group. At a point with vectors
// they become one krnl.dot: each lane has a group of either operand.
//
//   operand without the lanes    one group, the same in all lanes
//   packed, the group innermost  the groups of all lanes in a line
//   any other                    groups put together from single bytes
//
// A last group that is cut off is loaded whole where the operand goes on in
// memory: the packed operand has zeros there.
//
// The operations of a payload on a byte (to extract a half, say) are applied to
// all bytes of a vector at once.
//
// The bytes of a group of two are extended to 16 bits; a slice as=i16 has them
// so.
//
// Sums of 16 bits are those of pairs of bytes, of all copies of the loop around
// the group; a byte of each group says where they do not fit:
//
//   long_sums[panel, group] == 0   sum += widen(pairs(x0, w0) + pairs(x1, w1))
//   else                           sum += dot(x0, w0) + dot(x1, w1)
//
// Where an operation leaves few bits of one factor all sums of so many copies
// fit.
//
// Points without vectors do the same for single sums where the target has an
// instruction for groups of that size, and else multiply the instances one
// after the other. The bytes that a last long group lacks are loaded under a
// mask.
//===----------------------------------------------------------------------===//

#include "DotEmitter.h"

#include "onnxc/Dialect/Krnl/Emit/EmitPolicy.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PackedOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace onnxc::krnl {

/// Returns true if the payload computes the same from the bytes of all
/// iterations of the loop.
bool DotEmitter::isSameAlong(const OpState &state, const ByteFactor &factor,
                             unsigned loop) {
  if (factor.isPlain())
    return true;
  return llvm::none_of(opsOf(factor), [&](Operation *op) {
    auto index = dyn_cast<IndexOp>(op);
    return index &&
           nest.stemsFrom(loop, nest.op(state.number).axes[index.getDim()]);
  });
}

std::optional<unsigned> DotEmitter::loopOf(const OpState &state) {
  std::optional<unsigned> lane = laneLoop(state);
  if (lane && isReduced(state, *lane))
    return std::nullopt;
  for (const LoopUse &use : nest.op(state.number).loops) {
    if (!use.dot || active[use.loop].instances == 1)
      continue;
    if (!lane && !policy.multipliesSingleGroups(use.unroll))
      return std::nullopt;
    ByteProduct product = *byteProductOf(state.op);
    for (const ByteFactor *factor : {&product.lhs, &product.rhs})
      if (!isSameAlong(state, *factor, use.loop) ||
          (lane && !isSameAlong(state, *factor, *lane)))
        return std::nullopt;
    return use.loop;
  }
  return std::nullopt;
}

/// A vector of the one value.
static Value broadcastSingle(ImplicitLocOpBuilder &b, Value value) {
  return vector::BroadcastOp::create(b, VectorType::get({1}, value.getType()),
                                     value);
}

Value DotEmitter::emit(OpState &state, const Instance &instance, unsigned group,
                       Value sum) {
  ByteProduct product = *byteProductOf(state.op);
  Value lhs = readFactor(state, product.lhs, instance, group);
  Value rhs = readFactor(state, product.rhs, instance, group);
  bool areBytes = nest.loop(group).extent != bytesOfPair;
  auto dot = [&](Value sums) -> Value {
    return DotOp::create(b, sums.getType(), sums, lhs, rhs,
                         areBytes && product.lhs.isSigned,
                         areBytes && product.rhs.isSigned);
  };
  if (isa<VectorType>(sum.getType()))
    return dot(sum);
  return vector::ExtractOp::create(b, dot(broadcastSingle(b, sum)),
                                   ArrayRef<int64_t>{0});
}

std::optional<ShortSums> DotEmitter::shortSumsAt(const OpState &state) {
  std::optional<ShortSums> sums = shortSumsOf(nest, state.number);
  if (!sums || !laneLoop(state) || lanesHere(state) == 1)
    return std::nullopt;
  if (!sums->operand)
    return sums;
  // The operand's bytes are for the sums of the op that has the longest ones.
  PackedLayoutAttr layout = longSumsLayout(nest, *nest.packOf(*sums->operand));
  SmallVector<unsigned> loops = packedLoops(nest, *nest.packOf(*sums->operand));
  if (!sums->loops.empty() && loops[layout.getLongSums()[0]] != sums->loops[0])
    return std::nullopt;
  return sums;
}

Value DotEmitter::areShort(const OpState &state, unsigned operand) {
  Instance first(active.size(), 0);
  SmallVector<Value> at;
  for (unsigned loop :
       ArrayRef(packedLoops(nest, *nest.packOf(operand))).drop_back(2))
    at.push_back(math.scalar(loops.loopIndex(loop, first)));
  Value isLong = memref::LoadOp::create(b, outside.longSums.at(operand), at);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(isLong.getType()));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, isLong, zero);
}

Value DotEmitter::emitShort(OpState &state, const Instance &instance,
                            unsigned group, const ShortSums &sums, Value sum) {
  ByteProduct product = *byteProductOf(state.op);
  bool isLhsSigned = product.lhs.isSigned;
  const ByteFactor &isUnsigned = isLhsSigned ? product.rhs : product.lhs;
  const ByteFactor &isSigned = isLhsSigned ? product.lhs : product.rhs;
  auto type = VectorType::get({bytesOfPair * lanesHere(state)}, b.getI16Type());
  Value ones = arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, b.getI16IntegerAttr(1)));
  SmallVector<Instance> copies =
      loops.enumerate(state.number, [&](unsigned loop) {
        return llvm::is_contained(sums.loops, loop);
      });
  Value pairs;
  for (auto [number, copy] : llvm::enumerate(copies)) {
    Instance at = instance;
    for (unsigned loop : sums.loops)
      at[loop] = copy[loop];
    Value next =
        PairSumsOp::create(b, type, readBytes(state, isUnsigned, at, group),
                           readBytes(state, isSigned, at, group));
    pairs = pairs ? arith::AddIOp::create(b, pairs, next) : next;
    int64_t added = int64_t(number) + 1;
    if (added % sums.copies != 0 && added != int64_t(copies.size()))
      continue;
    sum = DotOp::create(b, sum.getType(), sum, pairs, ones, false, false);
    pairs = {};
  }
  return sum;
}

/// Returns true if the groups of adjacent lanes are adjacent in the
/// packed operand.
bool DotEmitter::isPackedFor(const OpState &state, const Storage &slot,
                             unsigned group) {
  size_t rank = slot.packed.size();
  std::optional<unsigned> lane = laneLoop(state);
  if (!slot.byLoops || rank == 0 || slot.packed[rank - 1] != group)
    return false;
  return !lane ||
         (rank > 1 && slot.packed[rank - 2] == *lane &&
          !nest.loop(slot.packed[rank - 2]).isDynamic() &&
          nest.loop(slot.packed[rank - 2]).extent % lanesHere(state) == 0);
}

/// Bits of the integer that one or more groups are put together in.
unsigned DotEmitter::wordBits(unsigned group) {
  return 8 * std::min(nest.loop(group).extent, bytesOfDot);
}

/// The four bytes, or those of a pair, of the instances from `first` on one by
/// one, the first lowest; those that are missing are zero. For operands without
/// the lanes it is a scalar.
Value DotEmitter::assembleWord(OpState &state, OpOperand &operand,
                               const Instance &instance, unsigned group,
                               int64_t first) {
  Value word;
  int64_t count = std::min(active[group].instances - first, bytesOfDot);
  unsigned bits = wordBits(group);
  if (count <= 0)
    return arith::ConstantIntOp::create(b, 0, bits);
  for (int64_t i = 0; i < count; ++i) {
    Instance at = instance;
    at[group] = first + i;
    Value byte = reader.read(state, operand, at);
    Type type = b.getIntegerType(bits);
    auto vector = dyn_cast<VectorType>(byte.getType());
    int64_t lanes = vector ? vector.getNumElements() : 1;
    if (vector)
      type = vector.clone(type);
    Value wide = arith::ExtUIOp::create(b, type, byte);
    if (i == 0) {
      word = wide;
      continue;
    }
    Value shift =
        broadcast(b, arith::ConstantIntOp::create(b, 8 * i, bits), lanes);
    wide = arith::ShLIOp::create(b, wide, shift);
    word = arith::OrIOp::create(b, word, wide);
  }
  return word;
}

/// The bytes of a group of an operand without the lanes.
Value DotEmitter::assembleGroup(OpState &state, OpOperand &operand,
                                const Instance &instance, unsigned group) {
  int64_t size = nest.loop(group).extent;
  SmallVector<Value> words;
  for (int64_t first = 0; first < size; first += bytesOfDot)
    words.push_back(assembleWord(state, operand, instance, group, first));
  Value all = vector::FromElementsOp::create(
      b,
      VectorType::get({int64_t(words.size())},
                      b.getIntegerType(wordBits(group))),
      words);
  return vector::BitCastOp::create(b, VectorType::get({size}, b.getI8Type()),
                                   all);
}

/// Returns true if the operand has elements in the place of the bytes that a
/// last group lacks, and those that they are multiplied by are zeros of a
/// packed form.
bool DotEmitter::continuesInside(const OpState &state, OpOperand &operand,
                                 unsigned group) {
  ByteProduct product = *byteProductOf(state.op);
  const ByteFactor &other =
      product.lhs.operand == &operand ? product.rhs : product.lhs;
  if (!other.isPlain() ||
      !isPackedFor(state, slotOf(other.operand->get()), group))
    return false;
  SmallVector<int64_t> extents;
  std::optional<unsigned> grouped;
  for (auto [dim, axis] : llvm::enumerate(nest.op(state.number).axes)) {
    extents.push_back(nest.loop(axis).extent);
    if (!nest.stemsFrom(group, axis))
      continue;
    grouped = dim;
    if (!nest.loop(axis).isDynamic())
      extents.back() =
          int64_t(llvm::alignTo(extents.back(), nest.loop(group).extent));
  }
  Access access(operand);
  auto shape = cast<ShapedType>(operand.get().getType()).getShape();
  if (!grouped || access.hasRanges())
    return false;
  return llvm::all_of(llvm::seq(access.getRank()), [&](unsigned position) {
    if (!access.dependsOnAt(position, *grouped))
      return true;
    auto values = valuesOf(access.getIndex(position), extents);
    return values && !ShapedType::isDynamic(shape[position]) &&
           values->second < shape[position];
  });
}

/// The same, from adjacent elements in memory where they are.
Value DotEmitter::loadGroup(OpState &state, OpOperand &operand,
                            const Instance &instance, unsigned group) {
  const Storage slot = slotOf(operand.get());
  int64_t size = nest.loop(group).extent, here = active[group].instances;
  bool isMasked = here < size && size == bytesOfLongDot;
  if (slot.byLoops || !state.access(operand).hasUnitStride(group) ||
      slices.find(operand) ||
      (here < size && !isMasked && !continuesInside(state, operand, group)))
    return assembleGroup(state, operand, instance, group);
  SmallVector<Value> at;
  for (LaneIndex index :
       positions.indicesOf(state, operand, instance, slot.localDepth()))
    at.push_back(math.scalar(index));
  auto bytes = VectorType::get({size}, b.getI8Type());
  if (!isMasked)
    return vector::LoadOp::create(b, bytes, slot.memref, at);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(bytes));
  return vector::MaskedLoadOp::create(b, bytes, slot.memref, at,
                                      firstLanesMask(b, size, here), zero);
}

/// The group for each lane.
Value DotEmitter::broadcastGroup(Value group, int64_t lanes) {
  auto type = cast<VectorType>(group.getType());
  int64_t size = type.getNumElements();
  Type bits = b.getIntegerType(size * type.getElementTypeBitWidth());
  Value word = vector::BitCastOp::create(b, VectorType::get({1}, bits), group);
  return vector::BitCastOp::create(
      b, VectorType::get({lanes * size}, type.getElementType()),
      broadcast(b, vector::ExtractOp::create(b, word, ArrayRef<int64_t>{0}),
                lanes));
}

/// One group for each lane, as a vector of bytes.
Value DotEmitter::readGroup(OpState &state, OpOperand &operand,
                            const Instance &instance, unsigned group) {
  Instance at = restrictTo(instance, [&](unsigned loop) {
    return loop != group && state.access(operand).dependsOn(loop);
  });
  Instance key = at;
  key[group] = -1;
  if (Value known = state.reads[{operand.getOperandNumber(), key}])
    return known;
  int64_t lanes = lanesHere(state);
  auto bytes =
      VectorType::get({lanes * nest.loop(group).extent}, b.getI8Type());
  const Storage slot = slotOf(operand.get());
  std::optional<unsigned> lane = laneLoop(state);
  bool isPacked = isPackedFor(state, slot, group);
  Value value;
  if (lane ? !state.access(operand).dependsOn(*lane) : !isPacked) {
    value = loadGroup(state, operand, at, group);
    if (lane) {
      value = broadcastGroup(value, lanes);
    }
  } else if (isPacked) {
    SmallVector<Value> indices;
    for (unsigned loop : slot.packed)
      indices.push_back(math.scalar(loops.loopIndex(loop, at)));
    value = vector::LoadOp::create(b, bytes, slot.memref, indices);
  } else {
    Value words = assembleWord(state, operand, at, group, 0);
    value = vector::BitCastOp::create(b, bytes, words);
  }
  state.reads[{operand.getOperandNumber(), key}] = value;
  return value;
}

/// The pair of a slice that has the bytes extended and the group last, for each
/// lane; null without one.
Value DotEmitter::readWide(OpState &state, OpOperand &operand,
                           const Instance &instance, unsigned group) {
  const CachedSlice *slice = slices.find(operand);
  if (!slice || !slice->isWide || slice->loops.back() != group ||
      nest.loop(group).extent != bytesOfPair)
    return {};
  Instance at = restrictTo(instance, [&](unsigned loop) {
    return loop != group && state.access(operand).dependsOn(loop);
  });
  Value pair = vector::LoadOp::create(
      b, VectorType::get({bytesOfPair}, b.getI16Type()), slice->memref,
      math.scalar(slices.indexIn(*slice, at)));
  return broadcastGroup(pair, lanesHere(state));
}

/// The same after the operations of the payload on bytes.
Value DotEmitter::readBytes(OpState &state, const ByteFactor &factor,
                            const Instance &instance, unsigned group) {
  Value bytes = readGroup(state, *factor.operand, instance, group);
  return factor.isPlain() ? bytes
                          : instances.apply(state, factor, instance, bytes);
}

/// The same, those of a pair extended to 16 bits.
Value DotEmitter::readFactor(OpState &state, const ByteFactor &factor,
                             const Instance &instance, unsigned group) {
  if (Value wide = readWide(state, *factor.operand, instance, group))
    return wide;
  Value bytes = readBytes(state, factor, instance, group);
  if (nest.loop(group).extent != bytesOfPair)
    return bytes;
  Type type = cast<VectorType>(bytes.getType()).clone(b.getI16Type());
  return factor.isSigned ? arith::ExtSIOp::create(b, type, bytes).getResult()
                         : arith::ExtUIOp::create(b, type, bytes).getResult();
}

} // namespace onnxc::krnl
