//===- Prefetcher.cpp - Prefetching of operands -----------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Where all tiles of rows read one panel of a packed operand before the next,
// only the first of them would wait for memory, and wait long: a panel is read
// faster than memory delivers. By prefetch(operand, ..) each of these tiles,
// while it reads the panel, prefetches its share of a later one, about a line
// in each step of the reduction. Of a dynamic number of tiles the first few do
// it all.
//
// What an op after a sum reads is prefetched before the sum, where the step
// has distance 0.
//===----------------------------------------------------------------------===//

#include "Prefetcher.h"

#include "onnxc/Dialect/Krnl/IR/EarlyReads.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PackedOperands.h"
#include "onnxc/Support/ElementBytes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace onnxc::krnl {

namespace {
/// The number of passes over all dimensions, and the current one. So many of
/// them are too many to have a line each.
struct Counter {
  static constexpr int64_t manyPasses = int64_t(1) << 31;
  int64_t total = 1;
  LaneIndex now;

  void add(LaneMath &math, int64_t extent, LaneIndex index) {
    index.step = 0;
    now = math.add(math.scale(now, extent), index);
    total = std::min(total * std::min(extent, manyPasses), manyPasses);
  }
};
} // namespace

void Prefetcher::prefetchPanel(OpOperand &operand) {
  int number = inputNumber(kernel, operand.get());
  const Prefetch *prefetch = number < 0 ? nullptr : prefetchOf(nest, number);
  if (!prefetch || prefetch->distance == 0)
    return;
  PackedPanels panels = *panelsOf(nest, *nest.packOf(number));
  Instance first(active.size(), 0);
  auto indexOf = [&](unsigned loop) { return loops.loopIndex(loop, first); };
  Counter steps, passes;
  for (unsigned loop : panels.steps())
    steps.add(math, nest.loop(loop).extent, indexOf(loop));
  SmallVector<unsigned> outer = passesOf(nest, panels);
  for (auto [loop, sharers] : llvm::zip_equal(outer, sharersOf(nest, outer)))
    passes.add(math, sharers, indexOf(loop));
  int64_t columns = 1;
  for (unsigned loop : ArrayRef(panels.loops).drop_front(panels.columns))
    columns *= nest.loop(loop).extent;
  int64_t bytes = elementBytes(getElementTypeOrSelf(operand.get().getType()));
  int64_t line = std::max<int64_t>(prefetch->lineBytes / bytes, 1);
  int64_t lines = columns / line;
  SmallVector<Value> at;
  for (auto [dim, loop] : llvm::enumerate(panels.loops))
    at.push_back(
        math.scalar(dim <= panels.panel ? indexOf(loop) : LaneIndex()));
  Value memref = storage.slots.lookup(operand.get()).memref;
  int64_t share = llvm::divideCeil(lines, passes.total);
  for (int64_t i = 0; i < share; ++i) {
    // Passes beyond the last part to prefetch repeat that part.
    LaneIndex part = math.add(math.scale(passes.now, share), {{}, i, 0, {}});
    LaneIndex row{loops.minimum(part, lines - 1), 0, 0, {}};
    LaneIndex offset = math.add(math.scale(row, steps.total), steps.now);
    offset = math.add(math.scale(offset, line),
                      {{}, prefetch->distance * steps.total * columns, 0, {}});
    at.back() = math.scalar(offset);
    memref::PrefetchOp::create(b, memref, at, /*isWrite=*/false,
                               /*localityHint=*/2, /*isDataCache=*/true);
  }
}

void Prefetcher::emitInStep(OpState &state) {
  for (OpOperand *input : state.op.getDpsInputOperands())
    prefetchPanel(*input);
}

void Prefetcher::emitBefore(unsigned op) {
  for (unsigned number : llvm::seq(kernel.getNumOperands())) {
    const Prefetch *prefetch = prefetchOf(nest, number);
    if (!prefetch || prefetch->distance > 0)
      continue;
    std::string reason;
    std::optional<EarlyRead> read = earlyReadOf(nest, *prefetch, reason);
    if (read && read->sum == op)
      prefetchLines(*read, prefetch->lineBytes);
  }
}

/// The share of the calling thread of the lines that it reads later.
void Prefetcher::prefetchLines(const EarlyRead &read, int64_t lineBytes) {
  Instance first(active.size(), 0);
  Counter threads;
  for (unsigned loop : read.sharers)
    threads.add(math, nest.loop(loop).extent, loops.loopIndex(loop, first));
  OpState reader(storage.plan(read.reader));
  OpOperand &operand = *read.operand;
  int64_t bytes = elementBytes(getElementTypeOrSelf(operand.get().getType()));
  SmallVector<LaneIndex> begin = positions.indicesOf(reader, operand, first);
  Value memref = storage.slots.lookup(operand.get()).memref;
  for (int64_t i = 0; i < read.share; ++i) {
    // Threads beyond the last line repeat it.
    LaneIndex line =
        math.add(math.scale(threads.now, read.share), {{}, i, 0, {}});
    if (threads.total * read.share > read.lines)
      line = {loops.minimum(line, read.lines - 1), 0, 0, {}};
    SmallVector<Value> at;
    for (LaneIndex index : ArrayRef(begin).drop_back())
      at.push_back(math.scalar(index));
    at.push_back(math.scalar(
        math.add(begin.back(), math.scale(line, lineBytes / bytes))));
    memref::PrefetchOp::create(b, memref, at, /*isWrite=*/false,
                               /*localityHint=*/3, /*isDataCache=*/true);
  }
}

} // namespace onnxc::krnl
