//===- EmitCache.cpp - Slices of operands in scratch memory -----*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// cache(operand, at=l): at the beginning of each iteration of l the elements
// that the loops inside l will read are copied next to each other. The slice is
// indexed by these loops, as a packed operand is.
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace onnxc::krnl {

void KernelEmitter::planCaches() {
  for (const Cache &cache : nest.caches())
    for (unsigned op : nest.cachingOps(cache))
      for (OpOperand *input : ops[op].getDpsInputOperands())
        if (input->get() == kernel.getBody().getArgument(cache.operand))
          caches.push_back(
              {cache.at, op, input, nest.cachedLoops(cache, op), {}});
}

void KernelEmitter::allocateCaches() {
  for (CachedSlice &slice : caches) {
    SmallVector<int64_t> shape = llvm::map_to_vector(
        slice.loops, [&](unsigned loop) { return nest.loop(loop).extent; });
    Type element =
        cast<ShapedType>(slice.use->get().getType()).getElementType();
    slice.memref = memref::AllocaOp::create(b, MemRefType::get(shape, element),
                                            b.getI64IntegerAttr(64));
  }
}

/// Called where the body of `loop` begins: of a shared one, or of one of `op`.
void KernelEmitter::fillCaches(unsigned loop, int op) {
  for (const CachedSlice &slice : caches)
    if (slice.at == loop && (op < 0 || slice.op == unsigned(op)))
      emitCacheCopy(slice, 0);
}

/// One loop of the copy for each loop of the slice, as far as it really runs.
void KernelEmitter::emitCacheCopy(const CachedSlice &slice, unsigned position) {
  if (position < slice.loops.size()) {
    unsigned loop = slice.loops[position];
    emitStrip(loop, {}, boundOf(loop, slice.op), 1, ActiveLoop(), {},
              [&](ValueRange) {
                emitCacheCopy(slice, position + 1);
                return SmallVector<Value>();
              });
    return;
  }
  OpState state;
  state.number = slice.op;
  state.op = ops[slice.op];
  Instance first(active.size(), 0);
  const Storage &source = storage[chainRoot(slice.use->get())];
  auto indicesBy = [&](ArrayRef<unsigned> loops) {
    return llvm::map_to_vector(
        loops, [&](unsigned loop) { return loopIndex(loop, first, false); });
  };
  SmallVector<LaneIndex> from =
      source.byLoops ? indicesBy(source.packed)
                     : indicesOf(state, *slice.use, first, false);
  store(slice.memref, indicesBy(slice.loops), load(source.memref, from, 1, {}),
        1, {});
}

} // namespace onnxc::krnl
