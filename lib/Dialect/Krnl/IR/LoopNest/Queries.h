//===- Queries.h - Queries that steps check ---------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Queries that only the sources of this folder use.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_KRNL_IR_LOOPNEST_QUERIES_H
#define ONNXC_LIB_DIALECT_KRNL_IR_LOOPNEST_QUERIES_H

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

namespace onnxc::krnl {

/// The axis or the fused loop that `loop` stems from, and the number of its
/// iterations that each iteration of the loop is.
std::pair<unsigned, int64_t> rootOf(const LoopNest &nest, unsigned loop);

/// Returns true if the loop changes which element of the operand the reader
/// reads.
bool isIndexedBy(const LoopNest &nest, const LoopNest::Operand::Reader &reader,
                 unsigned loop);
/// The live loops that change which element of the operand the reader reads,
/// outermost first.
llvm::SmallVector<unsigned>
indexingLoops(const LoopNest &nest, const LoopNest::Operand::Reader &reader);

/// Returns true if the elements of one sum are contiguous in the slice of an
/// op that has mma or wgmma.
bool endsWithSums(const LoopNest &nest, const Cache &cache, unsigned op);

/// The step that has a producer; null if none has.
const Pipeline *producingPipeline(const LoopNest &nest);

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_IR_LOOPNEST_QUERIES_H
