//===- CachedSlices.cpp - Slices of operands in scratch memory --*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "CachedSlices.h"

#include "onnxc/Dialect/Krnl/Emit/EmitPolicy.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Clusters.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/ComputedSlices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Matrices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Slices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace onnxc::krnl {

int64_t elementsOfAccess(OpOperand &operand) {
  Type element = getElementTypeOrSelf(operand.get());
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() < 8)
    return 1;
  return std::max<int64_t>(
      sliceAccessBytes * 8 / element.getIntOrFloatBitWidth(), 1);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

std::optional<unsigned>
CachedSlices::loopAlongMemory(const CachedSlice &slice) const {
  const Storage &source = slotOf(slice.use->get());
  const Access &along = storage.plan(slice.op).access(*slice.use);
  for (unsigned loop : slice.loops)
    if (source.byLoops ? source.packed.back() == loop
                       : along.hasUnitStride(loop))
      return loop;
  return std::nullopt;
}

/// Elements after each row of so many: an odd number of accesses apart, rows
/// of matrices lie in different banks, and so do those of an op without sums,
/// of which each thread of a warp may have another one.
int64_t CachedSlices::paddingOf(const CachedSlice &slice, int64_t row) const {
  int64_t lanes = elementsOfAccess(*slice.use);
  if (slice.shiftedRow)
    return lanes;
  if (const Mma *mma = mmaOf(nest, slice.op))
    return row % (2 * lanes) == 0 && !mma->isOfWarpgroup() ? lanes : 0;
  std::optional<unsigned> along = loopAlongMemory(slice);
  if (!along)
    return 0;
  if (llvm::none_of(slice.loops, [&](unsigned loop) {
        return nest.op(slice.op).find(loop)->reduced;
      }))
    return *along == slice.loops.back() && row % (2 * lanes) == 0 ? lanes : 0;
  bool isTransposed =
      nest.op(slice.op).find(*along)->reduced && *along != slice.loops.back();
  return isTransposed ? lanes : 0;
}

/// Elements from one iteration of each loop to the next.
void CachedSlices::place(CachedSlice &slice) const {
  slice.strides.resize(slice.loops.size());
  slice.size = 1;
  SmallVector<unsigned> row = loopsOfRow(nest, slice.op, slice.loops);
  bool isInRow = slice.isShared;
  for (size_t i = slice.loops.size(); i-- > 0;) {
    unsigned loop = slice.loops[i];
    if (isInRow && !llvm::is_contained(row, loop)) {
      slice.size += paddingOf(slice, slice.size);
      isInRow = false;
    }
    slice.strides[i] = slice.size;
    slice.size *= nest.loop(loop).extent;
  }
  if (slice.stages > 1)
    slice.size = llvm::alignTo(slice.size, elementsOfAccess(*slice.use));
}

/// Lets a slice be copied by boxes; those of the same loop share barriers.
void CachedSlices::allocateBoxes(const Cache &cache, CachedSlice &slice) {
  std::string reason;
  const TileThreads &threads = *policy.tileThreads();
  slice.boxes = tensorBoxes(nest, cache, slice.op, reason);
  auto allocate = [&] {
    return threads.allocateShared(
        b, outside.func, MemRefType::get({slice.stages}, b.getI64Type()),
        TensorBoxes::barrierBytes);
  };
  SmallVector<CachedSlice *> stage{&slice};
  for (CachedSlice &other : slices)
    if (other.boxes && other.at == slice.at &&
        copyingOp(nest, other.at, other.op) ==
            copyingOp(nest, slice.at, slice.op))
      stage.push_back(&other);
  slice.barriers = stage.back()->barriers;
  slice.blocks = stage.back()->blocks;
  slice.readers = stage.back()->readers;
  slice.hasProducer = pipelineAt(nest, slice.at).producer;
  if (!slice.barriers)
    slice.barriers = allocate();
  if (slice.boxes->sharers > 1) {
    threads.makeClusters(outside.func, slice.boxes->sharers);
    for (CachedSlice *each : stage)
      each->blocks = slice.boxes->sharers;
  }
  if (slice.readers || (slice.blocks == 1 && !slice.hasProducer))
    return;
  Value readers = allocate();
  for (CachedSlice *each : stage)
    each->readers = readers;
}

void CachedSlices::allocate(const Cache &cache, unsigned op, OpOperand &input) {
  CachedSlice slice;
  slice.at = cache.at;
  slice.op = op;
  slice.use = &input;
  slice.isShared = cache.isShared() && policy.tileThreads();
  slice.isWide = cache.isWide();
  if (slice.isShared) {
    Pipeline pipeline = pipelineAt(nest, cache.at);
    slice.stages = pipeline.stages;
    slice.ahead = pipeline.ahead();
    if (!slotOf(input.get()).byLoops)
      slice.shiftedRow = shiftedRow(nest, cache, op, input);
  }
  if (const Mma *mma = mmaOf(nest, op); mma && isOfWarpgroup(op, *mma))
    slice.swizzle = swizzledSlice(nest, cache, op);
  const LoopUse *at = nest.op(op).find(cache.at);
  for (unsigned loop : cachedLoops(nest, cache, op))
    if (slice.isShared || !nest.loop(loop).mapped ||
        isSharedOut(nest, loop, nest.op(op)) || nest.op(op).find(loop) > at)
      slice.loops.push_back(loop);
  place(slice);
  auto type = MemRefType::get({slice.size * slice.stages},
                              slice.isWide ? b.getI16Type()
                                           : getElementTypeOrSelf(input.get()));
  slice.memref = slice.isShared ? policy.tileThreads()->allocateShared(
                                      b, outside.func, type,
                                      slice.swizzle ? SwizzledSlice::alignment
                                                    : Cache::sharedAlignment)
                                : policy.allocate(b, outside.func, type);
  if (cache.isByTma() && slice.swizzle && slice.stages > 1 &&
      policy.tileThreads()->copiesBoxes(nest))
    allocateBoxes(cache, slice);
  slices.push_back(std::move(slice));
}

void CachedSlices::allocate() {
  for (const Cache &cache : nest.caches())
    for (unsigned op : cachingOps(nest, cache))
      for (OpOperand *input : storage.plan(op).op.getDpsInputOperands())
        if (input->get() == slicedValue(nest, cache))
          allocate(cache, op, *input);
}

const CachedSlice *CachedSlices::find(const OpOperand &operand) const {
  const auto *slice = llvm::find_if(
      slices, [&](const CachedSlice &other) { return other.use == &operand; });
  return slice == slices.end() ? nullptr : slice;
}

Slices CachedSlices::ofPipeline(unsigned loop, unsigned op) const {
  Slices found;
  for (const CachedSlice &slice : slices)
    if (slice.at == loop && copyingOp(nest, loop, slice.op) == op &&
        slice.stages > 1)
      found.push_back(&slice);
  return found;
}

Slices CachedSlices::produced() const {
  Slices found;
  for (const CachedSlice &slice : slices)
    if (slice.hasProducer)
      found.push_back(&slice);
  return found;
}

Slices boxesOf(ArrayRef<const CachedSlice *> slices) {
  return llvm::filter_to_vector(
      slices, [](const CachedSlice *slice) { return bool(slice->boxes); });
}

bool areBoxes(ArrayRef<const CachedSlice *> slices) {
  return llvm::all_of(
      slices, [](const CachedSlice *slice) { return bool(slice->boxes); });
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

LaneIndex CachedSlices::iterationOf(const CachedSlice &slice) {
  LaneIndex iteration = loops.loopIndex(slice.at, Instance(active.size(), 0));
  return slice.hasProducer ? math.add(before, iteration) : iteration;
}

std::pair<LaneIndex, LaneIndex>
CachedSlices::stageOf(const CachedSlice &slice) {
  LaneIndex iteration = iterationOf(slice);
  return {math.mod(iteration, slice.stages),
          math.floorDiv(iteration, slice.stages)};
}

/// The place of the element of the current iterations in a slice.
LaneIndex CachedSlices::swizzledIndex(const CachedSlice &slice,
                                      const Instance &instance,
                                      bool isExchanged) {
  LaneIndex inLine, line;
  int64_t lineStride = 1, acrossStride = 1;
  bool isReduced = nest.op(slice.op).find(slice.loops.back())->reduced;
  for (unsigned loop : llvm::reverse(slice.loops)) {
    bool isAlong = nest.op(slice.op).find(loop)->reduced == isReduced;
    LaneIndex &index = isAlong ? inLine : line;
    int64_t &stride = isAlong ? lineStride : acrossStride;
    index =
        math.add(index, math.scale(loops.loopIndex(loop, instance), stride));
    stride *= nest.loop(loop).extent;
  }
  const SwizzledSlice &form = *slice.swizzle;
  LaneIndex first{inLine.base, inLine.offset, 0, {}};
  LaneIndex at = math.add(math.scale(math.floorDiv(first, form.lineElements()),
                                     form.blockBytes() / form.elementBytes),
                          math.add(math.scale(line, form.lineElements()),
                                   math.mod(first, form.lineElements())));
  if (isExchanged) {
    Value place = math.scalar(at);
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, value);
    };
    int64_t shift = llvm::Log2_64(uint64_t(form.elementBytes));
    Value bits = arith::AndIOp::create(
        b,
        arith::ShRUIOp::create(b, place, constant(SwizzledSlice::from - shift)),
        constant(form.mask()));
    bits = arith::ShLIOp::create(b, bits, constant(SwizzledSlice::to - shift));
    at = {arith::XOrIOp::create(b, place, bits), 0, 0, {}};
  }
  at.step = inLine.step;
  return at;
}

/// The same in the memory of all stages.
LaneIndex CachedSlices::inStage(const CachedSlice &slice, LaneIndex index) {
  return slice.stages > 1
             ? math.add(index,
                        math.scale(math.mod(iterationOf(slice), slice.stages),
                                   slice.size))
             : index;
}

LaneIndex CachedSlices::placeOf(const CachedSlice &slice,
                                const Instance &instance) {
  LaneIndex index;
  if (slice.swizzle)
    index = swizzledIndex(slice, instance, /*isExchanged=*/true);
  else
    for (auto [loop, stride] : llvm::zip_equal(slice.loops, slice.strides))
      index =
          math.add(index, math.scale(loops.loopIndex(loop, instance), stride));
  return inStage(slice, index);
}

std::pair<LaneIndex, LaneIndex>
CachedSlices::shiftedRowAt(const CachedSlice &slice, const Instance &instance) {
  SmallVector<ActiveLoop> saved(active);
  Instance first(instance);
  for (unsigned loop : loopsOfRow(nest, slice.op, slice.loops)) {
    active[loop] = ActiveLoop();
    first[loop] = 0;
  }
  SmallVector<LaneIndex> at =
      positions.indicesOf(OpState(storage.plan(slice.op)), *slice.use, first);
  std::pair<LaneIndex, LaneIndex> row{access.numberOf(sourceOf(slice), at),
                                      placeOf(slice, first)};
  active = saved;
  return row;
}

LaneIndex CachedSlices::indexIn(const CachedSlice &slice,
                                const Instance &instance) {
  LaneIndex place = placeOf(slice, instance);
  if (!slice.shiftedRow)
    return place;
  LaneIndex first = shiftedRowAt(slice, instance).first;
  return math.add(place, math.mod(first, elementsOfAccess(*slice.use)));
}

LaneIndex CachedSlices::matrixIn(const CachedSlice &slice,
                                 const Instance &instance) {
  return inStage(slice, swizzledIndex(slice, instance, /*isExchanged=*/false));
}

SmallVector<LaneIndex> CachedSlices::indicesOfBox(const CachedSlice &slice,
                                                  const OpState &state) {
  return positions.unboundedIndicesOf(state, *slice.use,
                                      Instance(active.size(), 0));
}

SmallVector<LaneIndex> CachedSlices::indicesInSource(const CachedSlice &slice,
                                                     const OpState &state) {
  Instance first(active.size(), 0);
  const Storage &source = slotOf(slice.use->get());
  if (!source.byLoops)
    return positions.indicesOf(state, *slice.use, first);
  return llvm::map_to_vector(source.packed, [&](unsigned loop) {
    return loops.loopIndex(loop, first);
  });
}

} // namespace onnxc::krnl
