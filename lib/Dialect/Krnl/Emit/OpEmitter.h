//===- OpEmitter.h - The ops at one point of the nest -----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Emits structured ops at one point of the fused outer nest: each one's own
// loops, and the points inside these. Only native 1-D vectors ever cross a
// loop. What is done at a point has a class of its own for each subject:
// operands, results, accumulators, payloads, products of bytes and of matrices.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_EMIT_OPEMITTER_H
#define ONNXC_LIB_DIALECT_KRNL_EMIT_OPEMITTER_H

#include "Device/MmaEmitter.h"
#include "Device/WgmmaEmitter.h"
#include "DotEmitter.h"
#include "InstanceEmitter.h"
#include "Prefetcher.h"
#include "ReductionEmitter.h"
#include "SliceCopier.h"

namespace onnxc::krnl {

class OpEmitter : EmitContext {
public:
  OpEmitter(const EmitContext &context, OperandPositions &positions,
            CachedSlices &slices, SliceCopier &copier)
      : EmitContext(context), copier(copier), kept(context),
        reader(context, positions, slices, kept),
        writer(context, positions, kept), reduction(context, reader, writer),
        instances(context, positions),
        dots(context, positions, slices, reader, instances),
        mmas(context, positions, slices, kept, reader, reduction),
        wgmmas(context, slices, kept, reduction),
        prefetcher(context, positions) {}

  /// Emits the ops of the body at this point that are inside of all fused outer
  /// loops.
  void emitOps();
  /// Emits those that are hoisted from a loop and run before or after it.
  void emitHoisted(unsigned loop, NestEmitter::LoopSide side);

private:
  void emitOp(unsigned number);
  void writeOutColumns(unsigned number);
  bool touchesShared(const OpState &state);
  Values emitReduction(OpState &state, unsigned position);
  Values emitOpLoops(OpState &state, unsigned position,
                     mlir::ValueRange accumulators);
  Values emitPoint(OpState &state, mlir::ValueRange accumulators);
  Values emitGroups(OpState &state, unsigned group,
                    mlir::ValueRange accumulators);
  Values emitInstances(OpState &state, mlir::ValueRange accumulators);

  SliceCopier &copier;
  KeptResults kept;
  OperandReader reader;
  ResultWriter writer;
  ReductionEmitter reduction;
  InstanceEmitter instances;
  DotEmitter dots;
  MmaEmitter mmas;
  WgmmaEmitter wgmmas;
  Prefetcher prefetcher;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_OPEMITTER_H
