//===- OperandReader.cpp - Values of operands -------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Where lanes are rows of a tensor and the instances of another loop its
// columns, the rows are loaded as they lie, and transposed in registers.
//===----------------------------------------------------------------------===//

#include "OperandReader.h"

#include "onnxc/Dialect/Krnl/IR/LoopNest/Shuffles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace onnxc::krnl {

/// Reads the elements of all instances of the transposed loop, a row for each
/// lane, and transposes it. False where the operand does not lie so.
bool OperandReader::loadTransposed(OpState &state, OpOperand &operand,
                                   const Instance &instance, Value memref) {
  ComputeOp reader = state.op;
  if (reader.isDpsInit(&operand))
    return false;
  std::optional<unsigned> transposed = positions.transposedLoop(state, operand);
  if (!transposed)
    return false;
  const ActiveLoop &lane = active[*laneLoop(state)];
  Instance first = instance;
  first[*transposed] = 0;
  SmallVector<LaneIndex> at = positions.indicesOf(
      state, operand, first, slotOf(operand.get()).localDepth());
  if (llvm::any_of(at, [](const LaneIndex &index) { return index.vec; }))
    return false;
  int64_t before = instance[*laneLoop(state)] * lane.lanes;
  OpFoldResult rows = b.getIndexAttr(
      lane.staticLimit >= 0 ? std::min(lane.lanes, lane.staticLimit - before)
                            : lane.lanes);
  if (lane.dynamicLimit)
    rows = math.scalar(
        math.add({lane.dynamicLimit, 0, 0, {}}, {{}, -before, 0, {}}));
  int64_t count = active[*transposed].instances;
  SmallVector<Value> columns =
      access.loadTransposed(memref, at, lane.lanes, rows, count);
  for (int64_t copy = 0; copy < count; ++copy) {
    first[*transposed] = copy;
    Instance key = restrictTo(first, [&](unsigned loop) {
      return state.access(operand).dependsOn(loop);
    });
    state.reads[{operand.getOperandNumber(), key}] = columns[copy];
  }
  return true;
}

/// Reads the elements of all instances of the lanes and of a loop whose
/// instances lie between them, and takes each vector out of these. False where
/// the operand does not lie so.
bool OperandReader::loadInterleaved(OpState &state, OpOperand &operand,
                                    const Instance &instance, Value memref) {
  unsigned across = *laneLoop(state);
  const ActiveLoop &lane = active[across];
  const Access &along = state.access(operand);
  if (state.op.isDpsInit(&operand))
    return false;
  auto between =
      llvm::find_if(nest.op(state.number).loops, [&](const LoopUse &use) {
        const ActiveLoop &at = active[use.loop];
        return use.interleave && at.staticLimit < 0 && !at.dynamicLimit &&
               liesBetween(along, across, use.loop, at.instances);
      });
  if (between == nest.op(state.number).loops.end())
    return false;
  Instance first = instance;
  first[between->loop] = first[across] = 0;
  SmallVector<LaneIndex> at = positions.indicesOf(
      state, operand, first, slotOf(operand.get()).localDepth());
  if (access.evenStep(memref, at) != along.stride(across))
    return false;
  int64_t all = lane.lanes * lane.instances;
  LaneWindow window{lane.lanes,
                    lane.instances,
                    active[between->loop].instances,
                    along.stride(across),
                    lane.staticLimit >= 0 ? lane.staticLimit : all,
                    lane.dynamicLimit};
  SmallVector<Value> vectors = access.loadInterleaved(memref, at, window);
  for (auto [number, vector] : llvm::enumerate(vectors)) {
    first[across] = int64_t(number) / window.copies;
    first[between->loop] = int64_t(number) % window.copies;
    if (vector)
      state.reads[keyOf(state, operand, first)] = vector;
  }
  return true;
}

Value OperandReader::read(OpState &state, OpOperand &operand,
                          const Instance &instance) {
  Value source = operand.get();
  if (!isa<ShapedType>(source.getType()))
    return outside.uniform.lookup(source);
  ComputeOp reader = state.op;
  if (reader.isDpsInit(&operand))
    if (Value start =
            state.startOf(reader.getTiedOpResult(&operand).getResultNumber()))
      return outside.uniform.lookup(start);
  if (Value known = kept.find(state, operand, instance))
    return known;
  Value &value = state.reads[keyOf(state, operand, instance)];
  if (!value)
    value = load(state, operand, instance);
  return value;
}

SmallVector<Value> OperandReader::readArguments(OpState &state,
                                                const Instance &instance,
                                                ArrayRef<int> at,
                                                ArrayRef<Value> running) {
  SmallVector<Value> args;
  for (OpOperand *input : state.op.getDpsInputOperands()) {
    bool used = !state.op.getMatchingBlockArgument(input).use_empty();
    args.push_back(used ? read(state, *input, instance) : Value());
  }
  for (auto [i, accumulator] : llvm::enumerate(at)) {
    OpOperand *init = state.op.getDpsInitOperand(i);
    if (accumulator >= 0)
      args.push_back(running[accumulator]);
    else if (state.op.payloadUsesValueFromOperand(init))
      args.push_back(read(state, *init, instance));
    else
      args.push_back(Value());
  }
  return args;
}

std::pair<unsigned, Instance> OperandReader::keyOf(const OpState &state,
                                                   OpOperand &operand,
                                                   const Instance &instance) {
  return {operand.getOperandNumber(), restrictTo(instance, [&](unsigned loop) {
            return state.access(operand).dependsOn(loop);
          })};
}

Value OperandReader::load(OpState &state, OpOperand &operand,
                          const Instance &instance) {
  Value source = operand.get();
  ComputeOp reader = state.op;
  Storage slot = slotOf(
      reader.isDpsInit(&operand) ? reader.getTiedOpResult(&operand) : source);
  const CachedSlice *slice = slices.find(operand);
  bool isCached = slice;
  if (isCached) {
    slot = Storage();
    slot.memref = slice->memref;
    slot.byLoops = true;
  }
  std::optional<unsigned> lane = laneLoop(state);
  bool varies = lane && state.access(operand).dependsOn(*lane);
  SmallVector<LaneIndex> at;
  if (isCached)
    at.push_back(slices.indexIn(*slice, instance));
  else if (!slot.byLoops)
    at = positions.indicesOf(state, operand, instance, slot.localDepth());
  else
    for (unsigned loop : slot.packed)
      at.push_back(loops.loopIndex(loop, instance));
  if (varies && !slot.byLoops &&
      (loadTransposed(state, operand, instance, slot.memref) ||
       loadInterleaved(state, operand, instance, slot.memref)))
    return state.reads.at(keyOf(state, operand, instance));
  // Packed buffers have room for whole blocks.
  bool full = !varies || (slot.byLoops && !nest.loop(*lane).isDynamic() &&
                          nest.loop(*lane).extent % lanesHere(state) == 0);
  Value mask = full ? Value() : loops.laneMask(state.number, instance);
  Value loaded = access.load(slot.memref, at, varies ? lanesHere(state) : 1,
                             mask, stridesHere(state));
  if (isCached && slice->isWide) {
    Type byte = getElementTypeOrSelf(source);
    auto lanes = dyn_cast<VectorType>(loaded.getType());
    return arith::TruncIOp::create(b, lanes ? lanes.clone(byte) : byte, loaded);
  }
  // Elements of shifted rows are those of memory, whichever they are.
  return isCached && !slice->shiftedRow
             ? loaded
             : positions.zeroOutside(state.number, operand, instance, loaded);
}

} // namespace onnxc::krnl
