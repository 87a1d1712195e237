//===- EmitPrefetch.cpp - Prefetching the next panel ------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Where all tiles of rows read one panel of a packed operand before the next,
// only the first of them would wait for memory, and wait long: a panel is read
// faster than memory delivers. Instead each of these tiles, while it reads the
// panel, prefetches its share of the next one, about a line in each step of the
// reduction.
//===----------------------------------------------------------------------===//

#include "OpEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace onnxc::krnl {

/// The number of passes over all dimensions, and the current one.
struct OpEmitter::Counter {
  int64_t total = 1;
  LaneIndex now;

  void add(LaneMath &math, int64_t extent, LaneIndex index) {
    index.step = 0;
    now = math.add(math.scale(now, extent), index);
    total *= extent;
  }
};

/// The tiles of rows that go by the panel of loop `panel`: the fused outer
/// loops inside. False if their number is not known.
bool OpEmitter::countPasses(unsigned panel, Counter &passes) {
  Instance first(active.size(), 0);
  bool inside = false;
  for (unsigned loop : nest.fusedOuterLoops()) {
    if (inside) {
      if (nest.loop(loop).isDynamic())
        return false;
      passes.add(math, nest.loop(loop).extent,
                 loops.loopIndex(loop, first, false));
    }
    inside |= loop == panel;
  }
  return true;
}

/// Called in each step of a reduction that has its accumulators in registers.
void OpEmitter::prefetchPanel(OpState &state, OpOperand &operand) {
  const Storage slot = storage.slots.lookup(storage.chainRoot(operand.get()));
  if (!slot.memref || slot.packed.empty() || registerLoops.tiles().empty())
    return;
  auto type = cast<MemRefType>(slot.memref.getType());
  unsigned rank = slot.packed.size();
  unsigned panel = rank;
  for (unsigned dim = 0; dim < rank; ++dim)
    if (nest.loop(slot.packed[dim]).fusedOuter)
      panel = dim;
  if (panel == rank || panel + 1 == rank ||
      ShapedType::isDynamicShape(type.getShape().drop_front(panel + 1)))
    return;

  // The panel's dimensions: those of the reduction, then columns, perhaps as
  // groups of bytes.
  std::optional<unsigned> group = dotLoop(state);
  unsigned columnDims = group && slot.packed.back() == *group ? 2 : 1;
  Instance first(active.size(), 0);
  Counter steps, passes;
  for (unsigned dim = panel + 1; dim + columnDims < rank; ++dim) {
    unsigned loop = slot.packed[dim];
    if (!isReduced(state, loop) && !nest.isAround(loop, state.number))
      return;
    steps.add(math, type.getDimSize(dim), loops.loopIndex(loop, first, false));
  }
  int64_t columns = 1;
  for (unsigned dim = rank - columnDims; dim < rank; ++dim)
    columns *= type.getDimSize(dim);
  int64_t line = std::max<int64_t>(64 * 8 / type.getElementTypeBitWidth(), 1);
  int64_t lines = columns / line;
  if (lines == 0 || !countPasses(slot.packed[panel], passes) ||
      passes.total < 2)
    return;
  SmallVector<Value> at;
  for (unsigned dim = 0; dim + 1 < rank; ++dim) {
    LaneIndex index = loops.loopIndex(slot.packed[dim], first, false);
    at.push_back(math.scalar(dim <= panel ? index : LaneIndex()));
  }
  at.push_back({});
  int64_t share = llvm::divideCeil(lines, passes.total);
  for (int64_t i = 0; i < share; ++i) {
    // Passes beyond the last part to prefetch repeat that part.
    LaneIndex part = math.add(math.scale(passes.now, share), {{}, i, 0, {}});
    LaneIndex row{loops.minimum(part, lines - 1), 0, 0, {}};
    LaneIndex offset = math.add(math.scale(row, steps.total), steps.now);
    offset =
        math.add(math.scale(offset, line), {{}, steps.total * columns, 0, {}});
    at.back() = math.scalar(offset);
    memref::PrefetchOp::create(b, slot.memref, at, /*isWrite=*/false,
                               /*localityHint=*/2, /*isDataCache=*/true);
  }
}

} // namespace onnxc::krnl
