//===- EmitCache.cpp - Slices of operands in scratch memory -----*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// cache(operand, at=l): at the beginning of each iteration of l the elements
// that the loops inside l will read are copied next to each other. The slice is
// indexed by these loops, as a packed operand is.
//===----------------------------------------------------------------------===//

#include "OpEmitter.h"

using namespace mlir;

namespace onnxc::krnl {

void OpEmitter::allocateCaches() {
  for (const Cache &cache : nest.caches())
    for (unsigned op : nest.cachingOps(cache))
      for (OpOperand *input : storage.plan(op).op.getDpsInputOperands()) {
        if (input->get() != kernel.getBody().getArgument(cache.operand))
          continue;
        SmallVector<unsigned> within = nest.cachedLoops(cache, op);
        SmallVector<int64_t> shape = llvm::map_to_vector(
            within, [&](unsigned loop) { return nest.loop(loop).extent; });
        Type element = getElementTypeOrSelf(input->get().getType());
        Value memref =
            policy.allocate(b, outside.func, MemRefType::get(shape, element));
        caches.push_back({cache.at, op, input, within, memref});
      }
}

void OpEmitter::fillCaches(unsigned loop, int op) {
  for (const CachedSlice &slice : caches)
    if (slice.at == loop && (op < 0 || slice.op == unsigned(op)))
      emitCacheCopy(slice, 0);
}

/// One loop of the copy for each loop of the slice, as far as it really runs.
void OpEmitter::emitCacheCopy(const CachedSlice &slice, unsigned position) {
  if (position < slice.loops.size()) {
    unsigned loop = slice.loops[position];
    loops.emitPlainLoop(loop, slice.op,
                        [&] { emitCacheCopy(slice, position + 1); });
    return;
  }
  OpState state(storage.plan(slice.op));
  Instance first(active.size(), 0);
  const Storage &source = storage.slots[storage.chainRoot(slice.use->get())];
  auto indicesBy = [&](ArrayRef<unsigned> order) {
    return llvm::map_to_vector(order, [&](unsigned loop) {
      return loops.loopIndex(loop, first, false);
    });
  };
  SmallVector<LaneIndex> from =
      source.byLoops ? indicesBy(source.packed)
                     : indicesOf(state, *slice.use, first, false);
  access.store(slice.memref, indicesBy(slice.loops),
               access.load(source.memref, from, 1, {}), 1, {});
}

} // namespace onnxc::krnl
