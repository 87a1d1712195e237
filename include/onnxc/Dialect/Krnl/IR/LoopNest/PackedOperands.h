//===- PackedOperands.h - Operands in the order of loops --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// pack, prefetch: operands whose stored form has loops as its dimensions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_LOOPNEST_PACKEDOPERANDS_H
#define ONNXC_DIALECT_KRNL_IR_LOOPNEST_PACKEDOPERANDS_H

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

namespace onnxc::krnl {

class PackedLayoutAttr;

/// Returns true if the operand of the kernel is packed.
bool isPacked(const LoopNest &nest, mlir::OpOperand &operand);

/// All loops that are dimensions of the packed array, outermost first: those
/// in front that the step does not list, then the listed ones.
llvm::SmallVector<unsigned> packedLoops(const LoopNest &nest, const Pack &pack);

/// The stored form of a packed operand.
PackedLayoutAttr packedLayout(const LoopNest &nest, const Pack &pack);

/// The layout with the same order of elements that has the fewest entries: a
/// dimension that is split and walked along in one go is one.
PackedLayoutAttr mergedLayout(PackedLayoutAttr layout);

/// The reason why an operand of this type cannot be packed in vectors; empty
/// if it can.
std::string reasonAgainst(const LoopNest &nest, const Pack &pack,
                          mlir::RankedTensorType type);

/// The prefetch of the operand; null if it has none.
const Prefetch *prefetchOf(const LoopNest &nest, unsigned operand);

/// The panels of a packed operand that a fused outer loop goes over, and that
/// end with the columns of a register tile.
std::optional<PackedPanels> panelsOf(const LoopNest &nest, const Pack &pack);

/// The fused outer loops inside the one over the panels: each of their
/// iterations reads the panel.
llvm::SmallVector<unsigned> passesOf(const LoopNest &nest,
                                     const PackedPanels &panels);

/// The number of passes that share a prefetch where a run may have few: later
/// ones have nothing left to prefetch, and fewer do not prefetch all.
constexpr int64_t fewestPasses = 2;

/// How many iterations of each loop of passesOf() share a prefetch: all of
/// them, but of loops whose iterations a run counts only the first ones of the
/// innermost.
llvm::SmallVector<int64_t> sharersOf(const LoopNest &nest,
                                     llvm::ArrayRef<unsigned> passes);

/// The reason why the prefetch is impossible, or would never be executed;
/// empty if it is legal.
std::string reasonAgainst(const LoopNest &nest, const Prefetch &prefetch);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_LOOPNEST_PACKEDOPERANDS_H
