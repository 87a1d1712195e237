//===- ThreadCopier.cpp - Slices that the threads of a tile copy *- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Threads take the elements of a slice in turn, 16 bytes at a time where the
// operand has so many adjacent elements along a loop. Adjacent threads copy
// adjacent elements in memory: whole sectors at least, and all of a row if the
// slice has its elements in the same order. Else its rows are padded, so that
// the threads of a warp write to different banks.
//
// Slices of a pipeline are copied without going through registers, by 4, 8 or
// 16 bytes that stay adjacent; smaller elements that do not go through these.
//
// Rows of an op without sums that begin anywhere in memory are copied from the
// access on that their first element lies in, and begin in the slice as far
// from a multiple of an access as in memory:
//
//   memory  | . . . a b c d e | f g h i j . . . |
//   slice   | . . . a b c d e | f g h i j . . . |
//
//===----------------------------------------------------------------------===//

#include "Device/ThreadCopier.h"

#include "onnxc/Dialect/Krnl/Emit/EmitPolicy.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/ComputedSlices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PaddedLoops.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Threads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;

namespace onnxc::krnl {

/// The part of memory that is read at once, and the least that is copied ahead.
static constexpr int64_t sectorBytes = 32, wordBytes = 4;
/// Accesses of a thread that are unrolled, so that it waits for all at once.
static constexpr int64_t maxUnrolledRounds = 8;

SmallVector<unsigned> ThreadCopier::loopsOfLine(const CachedSlice &slice,
                                                unsigned along,
                                                int64_t maxElements) {
  SmallVector<unsigned> line{along};
  if (slotOf(slice.use->get()).byLoops)
    return line;
  const Access &access = storage.plan(slice.op).access(*slice.use);
  auto strideInSlice = [&](unsigned loop) {
    return slice.strides[llvm::find(slice.loops, loop) - slice.loops.begin()];
  };
  int64_t covered = nest.loop(along).extent;
  while (covered < maxElements && maxElements % covered == 0 &&
         !nest.endsEarly(line.back())) {
    const auto *next = llvm::find_if(slice.loops, [&](unsigned loop) {
      return !llvm::is_contained(line, loop) && !nest.endsEarly(loop) &&
             !access.hasRangeAlong(loop) && access.stride(loop) == covered &&
             strideInSlice(loop) == covered * strideInSlice(along);
    });
    if (next == slice.loops.end())
      break;
    line.push_back(*next);
    covered *= nest.loop(*next).extent;
  }
  return line;
}

int64_t ThreadCopier::lanesAlong(const CachedSlice &slice,
                                 ArrayRef<unsigned> line) {
  const Access &access = storage.plan(slice.op).access(*slice.use);
  if (access.hasRangeAlong(line.front()))
    return 1;
  int64_t lanes = elementsOfAccess(*slice.use);
  int64_t extent = nest.tripCountDivisor(line.front());
  for (unsigned loop : line.drop_front())
    extent *= nest.loop(loop).extent;
  lanes = std::gcd(lanes, extent);
  for (unsigned padded : paddedLoops(nest, slice.op, Access(*slice.use),
                                     /*reduced=*/false))
    for (unsigned loop : line)
      if (nest.stemsFrom(loop, padded))
        lanes = distanceIn(nest, padded, loop)
                    ? std::gcd(lanes, nest.tripCountDivisor(padded))
                    : 1;
  if (line.size() == 1)
    lanes = std::gcd(lanes, nest.loop(line.front()).extent);
  if (slotOf(slice.use->get()).byLoops)
    return lanes;
  lanes = access.alignment(line, lanes);
  ComputeOp maker = slice.maker();
  return maker ? elementsTogether(maker, lanes) : lanes;
}

/// The parts of the slice that a thread copies, by the digits of a number, of
/// which the first one counts fastest.
SmallVector<ThreadCopier::CopyDigit>
ThreadCopier::copyDigits(const CachedSlice &slice, int64_t &lanes) {
  SmallVector<CopyDigit> digits;
  std::optional<unsigned> along = slices.loopAlongMemory(slice);
  DenseMap<unsigned, int64_t> parts;
  lanes = 1;
  int64_t left = 1, inRow = 1;
  if (along) {
    int64_t maxElements = elementsOfAccess(*slice.use);
    SmallVector<unsigned> line = loopsOfLine(slice, *along, maxElements);
    // Words are copied ahead one by one where they do not stay adjacent.
    bool isWord = maxElements == sliceAccessBytes / wordBytes;
    // Chunks of other elements are not in one piece.
    bool isApart = slice.swizzle && *along != slice.loops.back();
    if (!isApart &&
        (slice.stages == 1 || !isWord || *along == slice.loops.back()))
      lanes = lanesAlong(slice, line);
    int64_t inAccess = lanes;
    for (unsigned loop : line) {
      parts[loop] = std::gcd(inAccess, nest.loop(loop).extent);
      inAccess /= parts[loop];
    }
    left = inRow = nest.loop(*along).extent / parts[*along];
    if (*along != slice.loops.back()) {
      int64_t sector =
          sectorBytes / sliceAccessBytes * elementsOfAccess(*slice.use) / lanes;
      inRow = std::gcd(sector, left);
    }
    digits.push_back({*along, inRow, parts[*along]});
    left /= inRow;
  }
  for (unsigned loop : llvm::reverse(slice.loops))
    if (loop != along) {
      int64_t part = std::max<int64_t>(parts.lookup(loop), 1);
      digits.push_back({loop, nest.loop(loop).extent / part, part});
    }
  if (left > 1)
    digits.push_back({*along, left, digits.front().count * parts[*along]});
  return digits;
}

/// The rows of a slice, by the digits of a number.
SmallVector<ThreadCopier::CopyDigit>
ThreadCopier::rowDigits(const CachedSlice &slice) {
  SmallVector<CopyDigit> digits;
  SmallVector<unsigned> inRow = loopsOfRow(nest, slice.op, slice.loops);
  for (unsigned loop : llvm::reverse(slice.loops))
    if (!llvm::is_contained(inRow, loop))
      digits.push_back({loop, nest.loop(loop).extent, 1});
  return digits;
}

/// Lets the loops be at the iterations of a part.
void ThreadCopier::enterPart(const CachedSlice &slice,
                             ArrayRef<CopyDigit> digits, LaneIndex number,
                             int64_t lanes) {
  for (unsigned loop : slice.loops)
    active[loop] = ActiveLoop();
  if (lanes > 1)
    active[digits.front().loop].lanes = lanes;
  for (const CopyDigit &digit : digits) {
    bool isLast = &digit == &digits.back();
    LaneIndex part = isLast ? number : math.mod(number, digit.count);
    number = math.floorDiv(number, digit.count);
    LaneIndex before{active[digit.loop].base, active[digit.loop].offset, 0, {}};
    LaneIndex at = math.add(before, math.scale(part, digit.step));
    active[digit.loop].base = at.base;
    active[digit.loop].offset = at.offset;
  }
}

/// Emits an i1 that is true if the part is inside of all loops that end early
/// here; null if there are none.
Value ThreadCopier::isInsideLoops(const CachedSlice &slice) {
  Value all;
  Instance first(active.size(), 0);
  for (unsigned loop : slice.loops) {
    if (!nest.endsEarly(loop))
      continue;
    const ActiveLoop &at = active[loop];
    Value inside = arith::CmpIOp::create(
        b, arith::CmpIPredicate::slt, math.scalar({at.base, at.offset, 0, {}}),
        math.scalar(loops.boundOf(loop, slice.op)));
    all = all ? arith::AndIOp::create(b, all, inside) : inside;
  }
  return all;
}

/// Returns true if an asynchronous instruction copies the part: it is
/// contiguous and has 32, 64 or 128 bits.
bool ThreadCopier::isCopiedAhead(const CachedSlice &slice, Value source,
                                 ArrayRef<LaneIndex> from, LaneIndex at,
                                 int64_t lanes) {
  if (slice.stages == 1 || slice.maker() ||
      (lanes > 1 && (at.step != 1 || access.evenStep(source, from) != 1)))
    return false;
  Type element = getElementTypeOrSelf(slice.use->get());
  int64_t bits =
      element.isIntOrFloat() ? lanes * element.getIntOrFloatBitWidth() : 0;
  return bits == 32 || bits == 64 || bits == 128;
}

void ThreadCopier::storePart(const CachedSlice &slice, const Part &part,
                             int64_t lanes) {
  const auto &[at, value] = part;
  if (!value)
    return;
  if (lanes == 1 || at.step == 1)
    return access.store(slice.memref, at, value, lanes, {});
  for (int64_t lane = 0; lane < lanes; ++lane)
    access.store(slice.memref,
                 LaneIndex{at.base, at.offset + lane * at.step, 0, {}},
                 vector::ExtractOp::create(b, value, lane), 1, {});
}

/// Loads the part that the loops are at, or an access of a shifted row, or
/// begins to copy it ahead: then there is no value.
ThreadCopier::Part ThreadCopier::loadPart(CopyWork &work, LaneIndex inRow) {
  const CachedSlice &slice = work.slice;
  int64_t lanes = work.lanes;
  if (slice.shiftedRow) {
    copyAccess(slice, inRow);
    return {};
  }
  Value source = slices.sourceOf(slice);
  Instance here(active.size(), 0);
  LaneIndex at = slices.indexIn(slice, here);
  SmallVector<LaneIndex> from = slices.indicesInSource(slice, work.state);
  if (!isCopiedAhead(slice, source, from, at, lanes))
    return {at, positions.zeroOutside(slice.op, *slice.use, here,
                                      sources.read(slice, work.state, lanes))};
  SmallVector<Value> first =
      llvm::map_to_vector(from, [&](LaneIndex it) { return math.scalar(it); });
  CopyAsyncOp::create(b, source, first, slice.memref, math.scalar(at), lanes,
                      positions.hasElement(slice.op, *slice.use, here),
                      /*count=*/Value());
  return {at, Value()};
}

/// Begins to copy one of the accesses of a shifted row, or the last one of the
/// memory where it is past that, of which only what there is is read.
void ThreadCopier::copyAccess(const CachedSlice &slice, LaneIndex number) {
  int64_t lanes = elementsOfAccess(*slice.use);
  Value source = slices.sourceOf(slice);
  auto constant = [&](int64_t value) {
    return math.scalar({{}, value, 0, {}});
  };
  auto [first, place] = slices.shiftedRowAt(slice, Instance(active.size(), 0));
  LaneIndex all = access.countElements(source);
  LaneIndex last = math.floorDiv(math.add(all, {{}, -1, 0, {}}), lanes);
  Value chunk = arith::MinUIOp::create(
      b, math.scalar(math.add(math.floorDiv(first, lanes), number)),
      math.scalar(last));
  Value from = math.scalar(math.scale(toLaneIndex(OpFoldResult(chunk)), lanes));
  Value count = arith::MinUIOp::create(
      b, arith::SubIOp::create(b, math.scalar(all), from), constant(lanes));
  LaneIndex at = math.add(place, math.scale(number, lanes));
  SmallVector<Value> indices(cast<MemRefType>(source.getType()).getRank(),
                             constant(0));
  indices.back() = from;
  CopyAsyncOp::create(b, source, indices, slice.memref, math.scalar(at), lanes,
                      /*inside=*/Value(), count);
}

/// Copies the part of this number, if there is one: always if `isWhole`. What
/// is copied under no condition is stored by storeWaiting().
void ThreadCopier::copyPart(CopyWork &work, LaneIndex number, bool isWhole) {
  LaneIndex inRow = math.mod(number, work.accesses);
  enterPart(work.slice, work.digits, math.floorDiv(number, work.accesses),
            work.lanes);
  Value inside = isInsideLoops(work.slice);
  if (!isWhole) {
    Value isThere =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, math.scalar(number),
                              math.scalar({{}, work.parts, 0, {}}));
    inside = inside ? arith::AndIOp::create(b, isThere, inside) : isThere;
  }
  if (!inside)
    return work.waiting.push_back(loadPart(work, inRow));
  auto branch = scf::IfOp::create(b, inside, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  storePart(work.slice, loadPart(work, inRow), work.lanes);
}

void ThreadCopier::storeWaiting(const CopyWork &work) {
  for (const Part &part : work.waiting)
    storePart(work.slice, part, work.lanes);
}

/// In each round each thread copies a part.
void ThreadCopier::copyRounds(CopyWork &work) {
  int64_t threads = 1;
  for (unsigned loop : mappedLoops(nest))
    threads *= nest.loop(loop).extent;
  Value thread = policy.tileThreads()->number(b);
  int64_t rounds = llvm::divideCeil(work.parts, threads);
  if (rounds <= maxUnrolledRounds) {
    for (int64_t round = 0; round < rounds; ++round)
      copyPart(work, {thread, round * threads, 0, {}},
               (round + 1) * threads <= work.parts);
    return storeWaiting(work);
  }
  auto loop =
      scf::ForOp::create(b, thread, math.scalar({{}, work.parts, 0, {}}),
                         math.scalar({{}, threads, 0, {}}));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  copyPart(work, {loop.getInductionVar(), 0, 0, {}}, /*isWhole=*/true);
  storeWaiting(work);
}

void ThreadCopier::copy(const CachedSlice &slice) {
  if (llvm::any_of(slice.loops,
                   [&](unsigned loop) { return nest.loop(loop).extent == 0; }))
    return;
  SmallVector<ActiveLoop> saved(active);
  for (const LoopUse &use : nest.op(slice.op).loops)
    active[use.loop].lanes = active[use.loop].instances = 1;
  CopyWork work{slice, OpState(storage.plan(slice.op))};
  if (slice.shiftedRow) {
    work.digits = rowDigits(slice);
    work.accesses = *slice.shiftedRow / elementsOfAccess(*slice.use) + 1;
  } else {
    work.digits = copyDigits(slice, work.lanes);
  }
  work.parts = work.accesses;
  for (const CopyDigit &digit : work.digits)
    work.parts *= digit.count;
  copyRounds(work);
  active = saved;
}

} // namespace onnxc::krnl
