//===- DotEmitter.h - Products of groups of bytes ---------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_EMIT_DOTEMITTER_H
#define ONNXC_LIB_DIALECT_KRNL_EMIT_DOTEMITTER_H

#include "InstanceEmitter.h"
#include "OperandReader.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/ShortSums.h"

namespace onnxc::krnl {

/// Emits the points of a dot loop, whose copies are the bytes of one group.
class DotEmitter : EmitContext {
public:
  DotEmitter(const EmitContext &context, OperandPositions &positions,
             CachedSlices &slices, OperandReader &reader,
             InstanceEmitter &instances)
      : EmitContext(context), positions(positions), slices(slices),
        reader(reader), instances(instances) {}

  /// The loop whose copies are a group here, if lanes are to have their sums,
  /// or the target multiplies groups of single sums.
  std::optional<unsigned> loopOf(const OpState &state);
  /// Adds the products of a group to the sum of the instance.
  mlir::Value emit(OpState &state, const Instance &instance, unsigned group,
                   mlir::Value sum);
  /// How the products of this point are added up in 16 bits; nothing if they
  /// are not.
  std::optional<ShortSums> shortSumsAt(const OpState &state);
  /// Emits an i1 that is true if all sums of the packed operand fit.
  mlir::Value areShort(const OpState &state, unsigned operand);
  /// Adds the products of a group of each copy to the sum of the instance.
  mlir::Value emitShort(OpState &state, const Instance &instance,
                        unsigned group, const ShortSums &sums, mlir::Value sum);

private:
  bool isSameAlong(const OpState &state, const ByteFactor &factor,
                   unsigned loop);
  mlir::Value readFactor(OpState &state, const ByteFactor &factor,
                         const Instance &instance, unsigned group);
  mlir::Value readBytes(OpState &state, const ByteFactor &factor,
                        const Instance &instance, unsigned group);
  mlir::Value readWide(OpState &state, mlir::OpOperand &operand,
                       const Instance &instance, unsigned group);
  mlir::Value readGroup(OpState &state, mlir::OpOperand &operand,
                        const Instance &instance, unsigned group);
  mlir::Value loadGroup(OpState &state, mlir::OpOperand &operand,
                        const Instance &instance, unsigned group);
  bool continuesInside(const OpState &state, mlir::OpOperand &operand,
                       unsigned group);
  unsigned wordBits(unsigned group);
  mlir::Value broadcastGroup(mlir::Value group, int64_t lanes);
  mlir::Value assembleWord(OpState &state, mlir::OpOperand &operand,
                           const Instance &instance, unsigned group,
                           int64_t first);
  mlir::Value assembleGroup(OpState &state, mlir::OpOperand &operand,
                            const Instance &instance, unsigned group);
  bool isPackedFor(const OpState &state, const Storage &slot, unsigned group);

  OperandPositions &positions;
  CachedSlices &slices;
  OperandReader &reader;
  InstanceEmitter &instances;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_DOTEMITTER_H
