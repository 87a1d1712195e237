//===- InstanceEmitter.cpp - The payload in one instance --------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "InstanceEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace onnxc::krnl {

/// A payload in one instance of the op.
struct InstanceEmitter::Point final : PayloadPoint {
  Point(InstanceEmitter &emitter, OpState &state, const Instance &instance)
      : emitter(emitter), state(state), instance(instance) {}

  int64_t getLanes() override { return emitter.lanesHere(state); }
  Value getMask() override {
    return emitter.loops.laneMask(state.number, instance);
  }
  LaneIndex getIndex(unsigned dim) override {
    return emitter.loops.axisValues(state.number, instance)[dim];
  }
  Value getUniform(Value original) override {
    return emitter.outside.uniform.lookup(original);
  }
  Value read(tensor::ExtractOp op, ArrayRef<LaneIndex> at, int64_t lanes,
             Value mask) override {
    Value memref = emitter.slotOf(op.getTensor()).memref;
    return emitter.empty.load(op, memref, at, lanes, mask,
                              emitter.stridesHere(state));
  }
  Value read(ScatterLoadOp op, ArrayRef<LaneIndex> offsets) override;
  void noteError(WrapIndexOp op, Value index, Value size) override {
    ImplicitLocOpBuilder &b = emitter.b;
    KernelValues &outside = emitter.outside;
    Value zero = arith::ConstantIndexOp::create(b, 0),
          one = arith::ConstantIndexOp::create(b, 1),
          row =
              arith::ConstantIndexOp::create(b, outside.wrapNumbers.lookup(op));
    memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::minu, index,
                                outside.errorWord, ValueRange{row, zero});
    memref::StoreOp::create(b, size, outside.errorWord, ValueRange{row, one});
  }

  InstanceEmitter &emitter;
  OpState &state;
  const Instance &instance;
};

/// krnl.scatter_load: the element in memory at a computed index.
Value InstanceEmitter::Point::read(ScatterLoadOp op,
                                   ArrayRef<LaneIndex> offsets) {
  OpOperand &init = *state.op.getDpsInitOperand(op.getNumber());
  const Storage &slot = emitter.slotOf(state.op.getTiedOpResult(&init));
  SmallVector<LaneIndex> at = movedBy(
      emitter.math, offsets,
      emitter.positions.indicesOf(state, init, instance, slot.localDepth()));
  bool varies = variesByLane(at);
  Value mask = varies ? getMask() : Value();
  return emitter.access.load(slot.memref, at, varies ? getLanes() : 1, mask,
                             emitter.stridesHere(state));
}

SmallVector<Value> InstanceEmitter::emit(OpState &state,
                                         const Instance &instance,
                                         ArrayRef<Value> args) {
  Point point(*this, state, instance);
  PayloadEmitter payload(b, math, point, contracts(state));
  Block *body = state.op.getBlock();
  for (auto [arg, value] : llvm::zip(body->getArguments(), args))
    if (value)
      payload.map(arg, value);
  for (Operation &op : body->without_terminator())
    payload.emit(&op);
  SmallVector<Value> results;
  state.scatterOffsets.assign(body->getTerminator()->getNumOperands(), {});
  for (auto [i, value] :
       llvm::enumerate(body->getTerminator()->getOperands())) {
    results.push_back(payload.valueOf(value));
    if (ScatterStoreOp scatter = scatterStoreOf(state.op, i))
      state.scatterOffsets[i] = payload.indicesOf(scatter.getAt());
  }
  return results;
}

Value InstanceEmitter::apply(OpState &state, const ByteFactor &factor,
                             const Instance &instance, Value bytes) {
  if (factor.isPlain())
    return bytes;
  Point point(*this, state, instance);
  PayloadEmitter payload(b, math, point, contracts(state));
  payload.map(state.op.getMatchingBlockArgument(factor.operand), bytes);
  for (Operation *op : opsOf(factor))
    payload.emit(op);
  return payload.valueOf(factor.byte);
}

} // namespace onnxc::krnl
