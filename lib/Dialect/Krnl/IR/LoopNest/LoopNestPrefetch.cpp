//===- LoopNestPrefetch.cpp - Panels that are read ahead ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/EarlyReads.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/NestBuilder.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PackedOperands.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace onnxc::krnl {

static constexpr int64_t maxDistance = 64, maxLineBytes = 4096;

LogicalResult NestBuilder::prefetch(const Prefetch &prefetch,
                                    EmitErrorFn emitError) {
  if (failed(checkConcernsAll(emitError)))
    return failure();
  if (!findOperand(prefetch.operand, emitError))
    return failure();
  if (prefetchOf(*this, prefetch.operand))
    return emitError() << "operand " << prefetch.operand
                       << " is prefetched already";
  if (prefetch.distance < 0 || prefetch.distance > maxDistance)
    return emitError() << "distance must be 0 to " << maxDistance << ", but is "
                       << prefetch.distance;
  if (prefetch.lineBytes < 1 || prefetch.lineBytes > maxLineBytes ||
      !llvm::isPowerOf2_64(prefetch.lineBytes))
    return emitError() << "a line has a power of two of bytes, at most "
                       << maxLineBytes << ", but got " << prefetch.lineBytes;
  allPrefetches.push_back(prefetch);
  return success();
}

const Prefetch *prefetchOf(const LoopNest &nest, unsigned operand) {
  for (const Prefetch &prefetch : nest.prefetches())
    if (prefetch.operand == operand)
      return &prefetch;
  return nullptr;
}

std::optional<PackedPanels> panelsOf(const LoopNest &nest, const Pack &pack) {
  PackedPanels panels{packedLoops(nest, pack), 0, 0};
  std::optional<size_t> panel;
  for (auto [position, loop] : llvm::enumerate(panels.loops)) {
    if (nest.loop(loop).fusedOuter)
      panel = position;
    for (const BodyOp &op : nest.ops())
      if (const LoopUse *use = op.find(loop);
          use && use->role == RegisterRole::Column)
        panels.columns = position;
  }
  if (!panel || panels.columns <= *panel)
    return std::nullopt;
  panels.panel = *panel;
  return panels;
}

SmallVector<unsigned> passesOf(const LoopNest &nest,
                               const PackedPanels &panels) {
  SmallVector<unsigned> outer = nest.fusedOuterLoops();
  auto *panel = llvm::find(outer, panels.loops[panels.panel]);
  return SmallVector<unsigned>(panel + 1, outer.end());
}

/// The steps of the panel are those of the op's reduction.
std::string reasonAgainst(const LoopNest &nest, const PackedPanels &panels,
                          unsigned op) {
  const BodyOp &reader = nest.op(op);
  for (unsigned loop : panels.steps())
    if (!reader.find(loop)->reduced && !nest.isAround(loop, op))
      return "loop '" + nest.loop(loop).name +
             "' inside the panel is not reduced by op '" + reader.name + "'";
  for (unsigned loop : ArrayRef(panels.loops).drop_front(panels.columns + 1))
    if (!reader.find(loop)->dot)
      return "loop '" + nest.loop(loop).name +
             "' inside the columns is no group of bytes";
  return "";
}

std::string reasonAgainst(const LoopNest &nest, const Prefetch &prefetch) {
  if (prefetch.distance == 0) {
    std::string reason;
    return earlyReadOf(nest, prefetch, reason) ? "" : reason;
  }
  const Pack *pack = nest.packOf(prefetch.operand);
  if (!pack)
    return "it is not packed";
  std::optional<PackedPanels> panels = panelsOf(nest, *pack);
  if (!panels)
    return "no loop in fuse_outer goes over panels of the columns of a "
           "register tile";
  auto isReduced = [](const LoopUse &use) { return use.reduced; };
  bool reduces = false;
  for (const LoopNest::Operand::Reader &reader :
       nest.operand(prefetch.operand).readers) {
    if (llvm::none_of(nest.op(reader.op).loops, isReduced))
      continue;
    reduces = true;
    if (std::string reason = reasonAgainst(nest, *panels, reader.op);
        !reason.empty())
      return reason;
  }
  if (!reduces)
    return "no op that reads it reduces anything";
  SmallVector<unsigned> inside = passesOf(nest, *panels);
  int64_t passes = 1;
  for (unsigned loop : inside)
    if (nest.loop(loop).isDynamic() ||
        llvm::MulOverflow(passes, nest.loop(loop).extent, passes))
      return "the number of iterations of loop '" + nest.loop(loop).name +
             "' is not known or too large";
  if (passes < 2)
    return "one tile alone reads each panel";
  int64_t bytes = nest.operand(prefetch.operand).elementBytes;
  for (auto [position, loop] :
       llvm::enumerate(ArrayRef(panels->loops).drop_front(panels->panel + 1))) {
    if (nest.loop(loop).isDynamic())
      return "the extent of loop '" + nest.loop(loop).name + "' is not known";
    if (panels->panel + 1 + position >= panels->columns)
      bytes *= nest.loop(loop).extent;
  }
  if (bytes < prefetch.lineBytes)
    return "the columns of a step have fewer bytes than a line";
  return "";
}

} // namespace onnxc::krnl
