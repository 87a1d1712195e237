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

LogicalResult KernelEmitter::planCaches() {
  for (const Cache &cache : nest.caches()) {
    CachedSlice slice{cache.operand, cache.at, 0, nullptr, {}, {}, {}};
    Value image = kernel.getBody().getArgument(cache.operand);
    for (auto [number, op] : llvm::enumerate(ops))
      for (OpOperand *input : op.getDpsInputOperands())
        if (!slice.use && input->get() == image &&
            nest.op(number).find(cache.at)) {
          slice.op = number;
          slice.use = input;
        }
    auto refuse = [&](const Twine &reason) {
      return kernel.emitOpError("cannot cache operand ")
             << cache.operand << " at loop '" << nest.loop(cache.at).name
             << "': " << reason;
    };
    if (!slice.use)
      return refuse("no op inside the loop reads it");
    OpState state;
    state.number = slice.op;
    state.op = ops[slice.op];
    int64_t bytes =
        cast<ShapedType>(image.getType()).getElementTypeBitWidth() / 8;
    bool inside = false;
    for (const LoopUse &use : nest.op(slice.op).loops) {
      if (inside && dependsOn(state, *slice.use, use.loop)) {
        const Loop &loop = nest.loop(use.loop);
        if (loop.isDynamic())
          return refuse("the extent of loop '" + loop.name + "' is not known");
        slice.loops.push_back(use.loop);
        slice.shape.push_back(loop.extent);
        bytes *= loop.extent;
        if (bytes > options.maxStackBytes)
          return refuse("the slice is larger than " +
                        Twine(options.maxStackBytes) + " bytes");
      }
      inside |= use.loop == cache.at;
    }
    caches.push_back(std::move(slice));
  }
  return success();
}

void KernelEmitter::allocateCaches() {
  for (CachedSlice &slice : caches) {
    Type element =
        cast<ShapedType>(slice.use->get().getType()).getElementType();
    slice.memref = memref::AllocaOp::create(
        b, MemRefType::get(slice.shape, element), b.getI64IntegerAttr(64));
  }
}

/// Called where the body of `loop` begins.
void KernelEmitter::fillCaches(unsigned loop) {
  for (unsigned number = 0; number < caches.size(); ++number)
    if (caches[number].at == loop)
      emitCacheCopy(number, 0);
}

/// One loop of the copy for each loop of the slice, as far as it really runs.
void KernelEmitter::emitCacheCopy(unsigned number, unsigned position) {
  const CachedSlice &slice = caches[number];
  if (position < slice.loops.size()) {
    unsigned loop = slice.loops[position];
    emitStrip(loop, {}, boundOf(loop), 1, ActiveLoop(), {}, [&](ValueRange) {
      emitCacheCopy(number, position + 1);
      return SmallVector<Value>();
    });
    return;
  }
  OpState state;
  state.number = slice.op;
  state.op = ops[slice.op];
  Copies first(active.size(), 0);
  const Storage &source = storage[chainRoot(slice.use->get())];
  SmallVector<LaneIndex> from, to;
  if (source.packed.empty())
    from = indicesOf(state, *slice.use, first, false);
  else
    for (unsigned loop : source.packed)
      from.push_back(loopIndex(loop, first, false));
  for (unsigned loop : slice.loops)
    to.push_back(loopIndex(loop, first, false));
  store(slice.memref, to, load(source.memref, from, 1, {}), 1, {});
}

} // namespace onnxc::krnl
