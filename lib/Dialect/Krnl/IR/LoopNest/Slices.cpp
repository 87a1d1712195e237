//===- Slices.cpp - Copies of operands near the threads ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// cache stores a slice of an operand again and again, in the order of loops.
// Which loops these are follows from the nest.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/LoopNest/Slices.h"
#include "Queries.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/ByteProduct.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Clusters.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/ComputedSlices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Matrices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/NestBuilder.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/StackBytes.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Threads.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace onnxc::krnl {

/// Bytes that the cached slices of a kernel may have: they live on the stack.
static constexpr int64_t maxCachedBytes = 65536;
/// Bytes of an element of a slice as=i16.
static constexpr int64_t wideBytes = 2;
/// Bytes that a row of a shared slice may have after it.
static constexpr int64_t maxPaddingBytes = 16;

/// Why an op cannot compute its result for the slices of the step.
static std::string reasonAgainstMaker(const LoopNest &nest, const Cache &cache,
                                      unsigned number) {
  const BodyOp &op = nest.op(number);
  if (!cache.isShared() || cache.isByTma())
    return "the threads of a tile compute them in shared memory";
  if (std::string reason = reasonAgainstSlices(cast<ComputeOp>(op.op));
      !reason.empty())
    return reason;
  if (op.inArena || op.isShared)
    return "its result is in other memory";
  if (op.hoistedFrom)
    return "it is hoisted from loop '" + nest.loop(*op.hoistedFrom).name + "'";
  for (const LoopUse &use : op.loops)
    if (nest.loop(use.loop).fusedOuter || nest.loop(use.loop).mapped ||
        nest.loop(use.loop).computeAt)
      return "it runs inside loop '" + nest.loop(use.loop).name +
             "' with other ops";
  for (const Cache &other : nest.caches())
    if (llvm::is_contained(cachingOps(nest, other), number))
      return "it reads slices itself";
  return {};
}

LogicalResult NestBuilder::cache(unsigned operand, StringRef at, SliceCopy copy,
                                 EmitErrorFn emitError) {
  FailureOr<unsigned> number = resolve(at, emitError);
  std::optional<unsigned> maker = makerOf(*this, operand);
  if (failed(number) || (!maker && !findOperand(operand, emitError)))
    return failure();
  Cache cache{operand, *number, limit, copy};
  if (maker)
    if (std::string reason = reasonAgainstMaker(*this, cache, *maker);
        !reason.empty())
      return emitError() << "cannot compute slices of op '"
                         << bodyOps[*maker].name << "': " << reason;
  SmallVector<unsigned> ops = cachingOps(*this, cache);
  if (ops.empty())
    return emitError() << "no op inside loop '" << at << "' reads operand "
                       << operand;
  for (const Cache &other : allCaches)
    for (unsigned op : cachingOps(*this, other))
      if (other.operand == operand && llvm::is_contained(ops, op))
        return emitError() << "op '" << bodyOps[op].name << "' caches operand "
                           << operand << " already";
  allCaches.push_back(cache);
  if (maker)
    bodyOps[*maker].loops.clear();
  return success();
}

SmallVector<unsigned> cachingOps(const LoopNest &nest, const Cache &cache) {
  SmallVector<unsigned> ops;
  for (const LoopNest::Operand::Reader &reader :
       nest.operand(cache.operand).readers)
    if ((cache.onlyOp < 0 || unsigned(cache.onlyOp) == reader.op) &&
        nest.op(reader.op).find(cache.at) &&
        !llvm::is_contained(ops, reader.op))
      ops.push_back(reader.op);
  return ops;
}

unsigned copyingOp(const LoopNest &nest, unsigned loop, unsigned op) {
  return nest.loop(loop).computeAt ? nest.computeAtOps().back() : op;
}

const Cache *sharedCacheOf(const LoopNest &nest, OpOperand &operand,
                           unsigned op) {
  const Cache *found = llvm::find_if(nest.caches(), [&](const Cache &cache) {
    return cache.isShared() &&
           llvm::is_contained(cachingOps(nest, cache), op) &&
           operand.get() == slicedValue(nest, cache);
  });
  return found == nest.caches().end() ? nullptr : found;
}

SmallVector<unsigned> cachedLoops(const LoopNest &nest, const Cache &cache,
                                  unsigned op) {
  SmallVector<unsigned> loops;
  auto isInside = [&](const LoopUse &use) {
    return &use > nest.op(op).find(cache.at) ||
           (cache.isShared() && use.loop != cache.at &&
            (nest.loop(use.loop).mapped || nest.isInRegisters(use)));
  };
  for (const LoopUse &use : nest.op(op).loops)
    if (isInside(use) &&
        llvm::any_of(nest.operand(cache.operand).readers,
                     [&](const LoopNest::Operand::Reader &reader) {
                       return reader.op == op &&
                              isIndexedBy(nest, reader, use.loop);
                     }))
      loops.push_back(use.loop);
  bool sumsLast = endsWithSums(nest, cache, op);
  if (cache.isWide()) {
    SmallVector<unsigned> sums = llvm::filter_to_vector(
        loops, [&](unsigned loop) { return nest.op(op).find(loop)->reduced; });
    llvm::erase_if(
        loops, [&](unsigned loop) { return llvm::is_contained(sums, loop); });
    llvm::append_range(loops, sums);
  }
  if (cache.isShared())
    llvm::sort(loops, [&](unsigned a, unsigned b) {
      auto key = [&](unsigned loop) {
        auto [root, distance] = rootOf(nest, loop);
        bool reduced = nest.op(op).find(loop)->reduced;
        return std::tuple(reduced == sumsLast, root, -distance, loop);
      };
      return key(a) < key(b);
    });
  return loops;
}

SmallVector<unsigned> loopsOfRow(const LoopNest &nest, unsigned op,
                                 ArrayRef<unsigned> loops) {
  auto isSum = [&](unsigned loop) { return nest.op(op).find(loop)->reduced; };
  bool hasSums = llvm::any_of(loops, isSum);
  return llvm::filter_to_vector(loops, [&](unsigned loop) {
    return hasSums
               ? isSum(loop) == isSum(loops.back())
               : rootOf(nest, loop).first == rootOf(nest, loops.back()).first;
  });
}

/// Returns true if no index is before the first element of its dimension.
static bool beginsInside(ComputeOp op, OpOperand &input) {
  return llvm::none_of(op.getSubscripts(input), [](const Subscript &at) {
    return at.range && (at.range->first != 0 ||
                        at.index
                            .walk([](AffineExpr part) {
                              auto number = dyn_cast<AffineConstantExpr>(part);
                              return number && number.getValue() < 0
                                         ? WalkResult::interrupt()
                                         : WalkResult::advance();
                            })
                            .wasInterrupted());
  });
}

std::optional<int64_t> shiftedRow(const LoopNest &nest, const Cache &cache,
                                  unsigned op, OpOperand &input) {
  Type element = getElementTypeOrSelf(input.get());
  auto compute = dyn_cast_if_present<ComputeOp>(nest.op(op).op);
  SmallVector<unsigned> loops = cachedLoops(nest, cache, op),
                        inRow = loopsOfRow(nest, op, loops);
  if (!compute || !cache.isShared() || makerOf(nest, cache.operand) ||
      pipelineAt(nest, cache.at).stages == 1 || mmaOf(nest, op) ||
      !element.isIntOrFloat() || element.getIntOrFloatBitWidth() < 8 ||
      llvm::any_of(loops, [&](unsigned loop) {
        return nest.op(op).find(loop)->reduced;
      }))
    return std::nullopt;
  Access access(nest, op, input);
  int64_t row = 1,
          lanes = maxPaddingBytes * 8 / element.getIntOrFloatBitWidth();
  bool isAligned = access.alignment(inRow, lanes) == lanes;
  for (unsigned loop : llvm::reverse(inRow)) {
    if (access.stride(loop) != row)
      return std::nullopt;
    row *= nest.loop(loop).extent;
    isAligned &= !access.hasRangeAlong(loop);
  }
  if (isAligned || row % lanes != 0 || !beginsInside(compute, input))
    return std::nullopt;
  return row;
}

int64_t strideInSlice(const LoopNest &nest, const Cache &cache, unsigned op,
                      unsigned number) {
  int64_t stride = 1;
  for (unsigned loop : llvm::reverse(cachedLoops(nest, cache, op))) {
    if (loop == number)
      return stride;
    if (nest.op(op).find(loop)->reduced == nest.op(op).find(number)->reduced)
      stride *= nest.loop(loop).extent;
  }
  return 0;
}

const Pipeline *producingPipeline(const LoopNest &nest) {
  const auto *found =
      llvm::find_if(nest.pipelines(),
                    [](const Pipeline &pipeline) { return pipeline.producer; });
  return found == nest.pipelines().end() ? nullptr : found;
}

Pipeline pipelineAt(const LoopNest &nest, unsigned loop) {
  for (const Pipeline &pipeline : nest.pipelines())
    if (pipeline.loop == loop)
      return pipeline;
  return {loop};
}

/// The bytes of all slices of the step for an op, with the padding after the
/// rows of shared ones and up to the next memory that is aligned as they are;
/// all loops have known extents.
static int64_t sliceBytes(const LoopNest &nest, const Cache &cache,
                          unsigned op) {
  constexpr int64_t maxRowBytes = int64_t(1) << 40;
  const LoopNest::Operand &operand = nest.operand(cache.operand);
  int64_t row = cache.isWide() ? wideBytes : operand.elementBytes,
          rows = cache.isShared() ? pipelineAt(nest, cache.at).stages : 1;
  SmallVector<unsigned> loops = cachedLoops(nest, cache, op),
                        inRow = loopsOfRow(nest, op, loops);
  for (unsigned number : loops) {
    int64_t &part = llvm::is_contained(inRow, number) ? row : rows;
    if (llvm::MulOverflow(part, nest.loop(number).extent, part) ||
        part > maxRowBytes)
      part = maxRowBytes;
  }
  // Rows that wgmma reads have nothing after them.
  const Mma *mma = mmaOf(nest, op);
  if (cache.isShared() && !(mma && mma->isOfWarpgroup()))
    row += maxPaddingBytes;
  int64_t alignment = swizzledSlice(nest, cache, op) ? SwizzledSlice::alignment
                      : cache.isShared()             ? Cache::sharedAlignment
                                                     : int64_t(stackAlignment);
  if (llvm::MulOverflow(row, rows, row))
    return maxRowBytes;
  // Each input of the op that reads the operand has slices of its own.
  int64_t inputs = llvm::count_if(
      operand.readers,
      [&](const LoopNest::Operand::Reader &reader) { return reader.op == op; });
  return inputs * int64_t(llvm::alignTo(std::min(row, maxRowBytes), alignment));
}

/// Returns true if the op multiplies each byte of the operand as it is.
static bool multipliesPlainBytes(const LoopNest &nest, const Cache &cache,
                                 unsigned op) {
  auto compute = dyn_cast_if_present<ComputeOp>(nest.op(op).op);
  if (!compute)
    return nest.op(op).multipliesBytes;
  std::optional<ByteProduct> product = byteProductOf(compute);
  if (!product)
    return false;
  return llvm::any_of(
      ArrayRef{product->lhs, product->rhs}, [&](const ByteFactor &factor) {
        return factor.operand->get() == slicedValue(nest, cache) &&
               factor.isPlain();
      });
}

/// What the step has slices of, as messages say it.
static std::string sliceName(const LoopNest &nest, const Cache &cache) {
  if (std::optional<unsigned> maker = makerOf(nest, cache.operand))
    return "the result of op '" + nest.op(*maker).name + "'";
  return "operand " + std::to_string(cache.operand);
}

/// There is one slice at a time, of a known size that fits its memory.
LogicalResult NestBuilder::checkCache(const Cache &cache, unsigned op,
                                      int64_t &bytes,
                                      EmitErrorFn emitError) const {
  auto refuse = [&](const Twine &reason) {
    return emitError() << "cannot cache " << sliceName(*this, cache)
                       << " at loop '" << allLoops[cache.at].name
                       << "': " << reason;
  };
  if (cache.isWide() && !multipliesPlainBytes(*this, cache, op))
    return refuse("op '" + Twine(bodyOps[op].name) +
                  "' sums up no products of its bytes");
  if (cache.isShared() && allLoops[cache.at].mapped)
    return refuse("each of its iterations is a thread's");
  if (cache.isShared())
    if (std::string reason = reasonAgainstWaiting(*this); !reason.empty())
      return refuse(reason);
  for (const LoopUse &use : bodyOps[op].loops) {
    bool isWhole =
        cache.isShared() && use.loop != cache.at && isInRegisters(use);
    if (!isWhole &&
        (use.role != RegisterRole::None || use.lanes || use.unroll != 1))
      return refuse("loop '" + Twine(allLoops[use.loop].name) + "' of op '" +
                    bodyOps[op].name +
                    "' takes several iterations at a time there");
    if (use.loop == cache.at)
      break;
  }
  for (unsigned number : cachedLoops(*this, cache, op))
    if (allLoops[number].isDynamic())
      return refuse("the extent of loop '" + Twine(allLoops[number].name) +
                    "' is not known");
  int64_t maxBytes = cache.isShared() ? sharedBytes : maxCachedBytes;
  bytes += sliceBytes(*this, cache, op);
  if (bytes > maxBytes)
    return refuse("the slices would be larger than " + Twine(maxBytes) +
                  " bytes" + (cache.isShared() ? " of shared memory" : ""));
  return success();
}

/// The bytes of the barriers that copies of boxes have, two for each stage
/// where blocks of a cluster copy to each other, or a producer copies. All
/// slices that are copied in an iteration of a loop share them, and memory of a
/// larger alignment comes before them.
static int64_t barrierBytes(const LoopNest &nest) {
  llvm::SmallDenseSet<std::pair<unsigned, unsigned>> counted;
  int64_t barriers = clusterLoop(nest) || producingPipeline(nest) ? 2 : 1;
  int64_t bytes = 0;
  for (const Cache &cache : nest.caches())
    for (unsigned op : cachingOps(nest, cache)) {
      int64_t stages = pipelineAt(nest, cache.at).stages;
      if (cache.isByTma() && stages > 1 && swizzledSlice(nest, cache, op) &&
          counted.insert({cache.at, copyingOp(nest, cache.at, op)}).second)
        bytes +=
            barriers * int64_t(llvm::alignTo(TensorBoxes::barrierBytes * stages,
                                             Cache::sharedAlignment));
    }
  return bytes;
}

static int64_t bytesOfSlices(const LoopNest &nest, bool areShared) {
  int64_t bytes = 0;
  for (const Cache &cache : nest.caches())
    if (cache.isShared() == areShared)
      for (unsigned op : cachingOps(nest, cache))
        bytes += sliceBytes(nest, cache, op);
  return bytes;
}

int64_t sharedSliceBytes(const LoopNest &nest) {
  return barrierBytes(nest) + bytesOfSlices(nest, /*areShared=*/true);
}

int64_t scratchSliceBytes(const LoopNest &nest) {
  return bytesOfSlices(nest, /*areShared=*/false);
}

LogicalResult NestBuilder::checkCaches(EmitErrorFn emitError) const {
  int64_t bytes = 0, shared = barrierBytes(*this);
  for (const Cache &cache : allCaches)
    for (unsigned op : cachingOps(*this, cache))
      if (failed(checkCache(cache, op, cache.isShared() ? shared : bytes,
                            emitError)))
        return failure();
  return success();
}

} // namespace onnxc::krnl
