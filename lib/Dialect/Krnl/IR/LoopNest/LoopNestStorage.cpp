//===- LoopNestStorage.cpp - Packed and cached operands -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Both steps store an operand in the order of loops: pack once and for all,
// cache a slice again and again. Which loops these are follows from the nest.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Clusters.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Matrices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/NestBuilder.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PackedOperands.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PaddedLoops.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Slices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Threads.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace onnxc::krnl {

/// Elements that the packed form of an operand may have.
static constexpr int64_t maxPackedElements = int64_t(1) << 31;
/// Bytes that the cached slices of a kernel may have: they live on the stack.
static constexpr int64_t maxCachedBytes = 65536;
/// Bytes that a row of a shared slice may have after it.
static constexpr int64_t maxPaddingBytes = 16;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

LoopNest::Operand &NestBuilder::operandInfo(unsigned operand) {
  if (operands.size() <= operand)
    operands.resize(operand + 1);
  return operands[operand];
}

void NestBuilder::addReader(unsigned operand, unsigned op,
                            ArrayRef<int> dimAxes) {
  Operand &info = operandInfo(operand);
  if (info.readers.empty())
    info.dimAxes.assign(dimAxes.begin(), dimAxes.end());
  else if (ArrayRef<int>(info.dimAxes) != dimAxes)
    info.plain = false;
  Operand::Reader reader{op, {}};
  for (int axis : dimAxes) {
    if (axis < 0)
      continue;
    // A diagonal has one loop for two dimensions.
    info.plain &= !llvm::is_contained(reader.axes, unsigned(axis));
    reader.axes.push_back(axis);
  }
  info.readers.push_back(std::move(reader));
}

const LoopNest::Operand *NestBuilder::findOperand(unsigned operand,
                                                  EmitErrorFn emitError) const {
  if (operand < operands.size() && !operands[operand].readers.empty())
    return &operands[operand];
  emitError() << "no op reads a tensor operand " << operand;
  return nullptr;
}

static bool isIndexedBy(const LoopNest &nest,
                        const LoopNest::Operand::Reader &reader,
                        unsigned loop) {
  return llvm::any_of(
      reader.axes, [&](unsigned axis) { return nest.stemsFrom(loop, axis); });
}

/// The live loops that change which element of the operand the reader reads,
/// outermost first.
SmallVector<unsigned> indexingLoops(const LoopNest &nest,
                                    const LoopNest::Operand::Reader &reader) {
  SmallVector<unsigned> loops;
  for (const LoopUse &use : nest.op(reader.op).loops)
    if (isIndexedBy(nest, reader, use.loop))
      loops.push_back(use.loop);
  return loops;
}

//===----------------------------------------------------------------------===//
// pack
//===----------------------------------------------------------------------===//

LogicalResult NestBuilder::pack(unsigned operand, ArrayRef<StringRef> names,
                                Shuffle shuffle, int64_t lanes,
                                EmitErrorFn emitError) {
  FailureOr<SmallVector<unsigned>> numbers = resolveAll(names, emitError);
  if (failed(numbers))
    return failure();
  const Operand *info = findOperand(operand, emitError);
  if (!info)
    return failure();
  if (packOf(operand))
    return emitError() << "operand " << operand << " is packed already";
  if (!info->plain)
    return emitError() << "operand " << operand
                       << " is not indexed by one loop in each dimension";
  const auto *reader = llvm::find_if(
      info->readers, [&](const Operand::Reader &r) { return concerns(r.op); });
  if (reader == info->readers.end())
    return emitError() << "op '" << bodyOps[limit].name
                       << "' does not read operand " << operand;
  SmallVector<unsigned> indexing = indexingLoops(*this, *reader);
  for (unsigned number : *numbers)
    if (!llvm::is_contained(indexing, number))
      return emitError() << "operand " << operand << " is not indexed by loop '"
                         << allLoops[number].name << "'";
  Pack pack;
  pack.operand = operand;
  pack.loops.assign(numbers->begin(), numbers->end());
  pack.shuffle = shuffle;
  pack.lanes = lanes;
  allPacks.push_back(std::move(pack));
  return success();
}

const Pack *LoopNest::packOf(unsigned operand) const {
  for (const Pack &pack : allPacks)
    if (pack.operand == operand)
      return &pack;
  return nullptr;
}

SmallVector<unsigned> packedLoops(const LoopNest &nest, const Pack &pack) {
  SmallVector<unsigned> loops;
  for (unsigned number :
       indexingLoops(nest, nest.operand(pack.operand).readers.front()))
    if (!llvm::is_contained(pack.loops, number))
      loops.push_back(number);
  loops.append(pack.loops.begin(), pack.loops.end());
  return loops;
}

PackedLayoutAttr packedLayout(const LoopNest &nest, const Pack &pack) {
  SmallVector<int64_t> dims, sizes, strides;
  for (unsigned number : packedLoops(nest, pack)) {
    int64_t stride = 1;
    unsigned axis = number;
    for (; nest.loop(axis).kind != Loop::Kind::Axis;
         axis = nest.loop(axis).parents[0])
      if (nest.loop(axis).kind == Loop::Kind::BlockOuter)
        stride *= nest.loop(axis).blockSize;
    const auto &dimAxes = nest.operand(pack.operand).dimAxes;
    dims.push_back(llvm::find(dimAxes, int(axis)) - dimAxes.begin());
    sizes.push_back(nest.loop(number).extent);
    strides.push_back(stride);
  }
  return PackedLayoutAttr::get(nest.getContext(), dims, sizes, strides);
}

static bool stemsFromFusion(const LoopNest &nest, unsigned number) {
  const Loop &loop = nest.loop(number);
  return loop.kind == Loop::Kind::Fused ||
         (loop.kind != Loop::Kind::Axis &&
          stemsFromFusion(nest, loop.parents[0]));
}

/// Returns true if the operand has a dynamic dimension that no loop gives the
/// size of. The loops determine the size of the packed form.
static bool hasUnknownSize(RankedTensorType type,
                           const LoopNest::Operand &operand) {
  return llvm::any_of(llvm::enumerate(operand.dimAxes), [&](auto axis) {
    return axis.value() < 0 && type.isDynamicDim(axis.index());
  });
}

/// Blocks of the last two dimensions go through registers; the first one is
/// divided among workers, so it is another one.
std::string reasonAgainst(const LoopNest &nest, const Pack &pack,
                          RankedTensorType type) {
  PackedLayoutAttr layout = packedLayout(nest, pack);
  ArrayRef<int64_t> dims = layout.getDims(), sizes = layout.getSizes(),
                    strides = layout.getStrides(), shape = type.getShape();
  bool isTransposed = pack.shuffle == Shuffle::Transpose;
  if (!llvm::isPowerOf2_64(pack.lanes) || pack.lanes < 2 || pack.lanes > 64)
    return "lanes are not a power of two from 2 to 64";
  Type element = type.getElementType();
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() < 8)
    return "its elements are no whole bytes";
  if (sizes.size() < 3)
    return "the packed form has fewer than three dimensions";
  unsigned last = sizes.size() - 1, along = last - 1;
  int64_t innermost = type.getRank() - 1;
  while (innermost > 0 && shape[innermost] == 1)
    --innermost;
  if (strides[along] != 1 || dims[along] != innermost ||
      dims[last] == dims[along])
    return "its rows are not along the dimension before the last packed one";
  if (!isTransposed && sizes[last] != 4)
    return "the last packed dimension has no four elements";
  // A loop of dynamic extent is as long as the dimension.
  bool isAlone = llvm::count(dims, dims[along]) == 1 &&
                 (ShapedType::isDynamic(sizes[along]) ||
                  ShapedType::isDynamic(shape[dims[along]]) ||
                  sizes[along] == shape[dims[along]]);
  if (isTransposed && !isAlone)
    return "the dimension before the last packed one is no whole row";
  int64_t vectors = sizes[isTransposed ? last : along];
  if (ShapedType::isDynamic(vectors) || vectors % pack.lanes != 0)
    return "vectors do not fill their packed dimension";
  return {};
}

/// The size of the packed form follows from the loops, and all ops that read it
/// run over the same ones.
LogicalResult NestBuilder::checkPack(const Pack &pack,
                                     EmitErrorFn emitError) const {
  const Operand &operand = operands[pack.operand];
  auto refuse = [&](const Twine &reason) {
    return emitError() << "cannot pack operand " << pack.operand << ": "
                       << reason;
  };
  Operation *op = bodyOps.front().op;
  auto kernel = op ? op->getParentOfType<KernelOp>() : KernelOp();
  RankedTensorType type;
  if (kernel)
    type = cast<RankedTensorType>(kernel.getOperand(pack.operand).getType());
  if (type && hasUnknownSize(type, operand))
    return refuse("no loop walks a dimension whose size is not known");
  SmallVector<unsigned> loops = packedLoops(*this, pack);
  assert(!loops.empty() && "a step names a loop that indexes the operand");
  int64_t elements = 1;
  for (unsigned number : loops) {
    const Loop &loop = allLoops[number];
    if (stemsFromFusion(*this, number))
      return refuse("loop '" + Twine(loop.name) +
                    "' is fused; a packed dimension is one loop");
    if (loop.isDynamic())
      continue;
    if (llvm::MulOverflow(elements, loop.extent, elements) ||
        elements > maxPackedElements)
      return refuse("its packed form would have more than " +
                    Twine(maxPackedElements) + " elements");
  }
  llvm::sort(loops);
  for (const Operand::Reader &reader : operand.readers) {
    SmallVector<unsigned> own = indexingLoops(*this, reader);
    llvm::sort(own);
    if (own != loops)
      return refuse("op '" + Twine(bodyOps[reader.op].name) +
                    "' reads it with other loops");
  }
  std::string reason =
      type && pack.lanes != 0 ? reasonAgainst(*this, pack, type) : "";
  if (!reason.empty())
    return refuse("no " + Twine(stringifyShuffle(pack.shuffle)) + " of " +
                  Twine(pack.lanes) + ": " + reason);
  return success();
}

//===----------------------------------------------------------------------===//
// cache
//===----------------------------------------------------------------------===//

LogicalResult NestBuilder::cache(unsigned operand, StringRef at, bool shared,
                                 bool byTma, EmitErrorFn emitError) {
  FailureOr<unsigned> number = resolve(at, emitError);
  if (failed(number) || !findOperand(operand, emitError))
    return failure();
  Cache cache{operand, *number, limit, shared, byTma};
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

std::pair<unsigned, int64_t> rootOf(const LoopNest &nest, unsigned number) {
  int64_t distance = 1;
  while (nest.loop(number).kind == Loop::Kind::BlockOuter ||
         nest.loop(number).kind == Loop::Kind::BlockInner) {
    if (nest.loop(number).kind == Loop::Kind::BlockOuter)
      distance *= nest.loop(number).blockSize;
    number = nest.loop(number).parents[0];
  }
  return {number, distance};
}

SmallVector<unsigned> cachedLoops(const LoopNest &nest, const Cache &cache,
                                  unsigned op) {
  SmallVector<unsigned> loops;
  auto isInside = [&](const LoopUse &use) {
    return &use > nest.op(op).find(cache.at) ||
           (cache.shared && use.loop != cache.at &&
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
  if (cache.shared)
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

/// Returns true if the bound of the loop, which ends early, differs between
/// threads.
static bool dependsOnThread(const LoopNest &nest, unsigned op,
                            unsigned number) {
  const Loop &loop = nest.loop(number);
  if (!nest.endsEarly(number))
    return false;
  auto isMapped = [&](unsigned other) { return nest.loop(other).mapped; };
  if (isMapped(number) ||
      (loop.kind == Loop::Kind::BlockInner &&
       llvm::any_of(nest.liveLoops(op, number - 1), isMapped)))
    return true;
  return llvm::any_of(loop.parents, [&](unsigned parent) {
    return dependsOnThread(nest, op, parent);
  });
}

std::string reasonAgainstWaiting(const LoopNest &nest) {
  for (auto [number, other] : llvm::enumerate(nest.ops()))
    for (const LoopUse &use : other.loops) {
      StringRef name = nest.loop(use.loop).name;
      if (dependsOnThread(nest, number, use.loop))
        return ("loop '" + name + "' ends early in some threads").str();
      if (use.earlyExit)
        return ("loop '" + name + "' ends as the data of a thread say").str();
    }
  return {};
}

/// The bytes of all slices of the step for an op, with the padding after the
/// rows of shared ones and up to the next memory that is aligned as they are;
/// all loops have known extents.
static int64_t sliceBytes(const LoopNest &nest, const Cache &cache,
                          unsigned op) {
  constexpr int64_t maxRowBytes = int64_t(1) << 40;
  bool sumsLast = endsWithSums(nest, cache, op);
  const LoopNest::Operand &operand = nest.operand(cache.operand);
  int64_t row = operand.elementBytes,
          rows = cache.shared ? pipelineAt(nest, cache.at).stages : 1;
  for (unsigned number : cachedLoops(nest, cache, op)) {
    bool isRow = nest.op(op).find(number)->reduced == sumsLast;
    int64_t &part = isRow ? row : rows;
    if (llvm::MulOverflow(part, nest.loop(number).extent, part) ||
        part > maxRowBytes)
      part = maxRowBytes;
  }
  // Rows that wgmma reads have nothing after them.
  const Mma *mma = mmaOf(nest, op);
  if (cache.shared && !(mma && mma->isOfWarpgroup()))
    row += maxPaddingBytes;
  int64_t alignment = swizzledSlice(nest, cache, op) ? SwizzledSlice::alignment
                      : cache.shared                 ? Cache::sharedAlignment
                                                     : 1;
  if (llvm::MulOverflow(row, rows, row))
    return maxRowBytes;
  // Each input of the op that reads the operand has slices of its own.
  int64_t inputs = llvm::count_if(
      operand.readers,
      [&](const LoopNest::Operand::Reader &reader) { return reader.op == op; });
  return inputs * int64_t(llvm::alignTo(std::min(row, maxRowBytes), alignment));
}

/// There is one slice at a time, of a known size that fits its memory.
LogicalResult NestBuilder::checkCache(const Cache &cache, unsigned op,
                                      int64_t &bytes,
                                      EmitErrorFn emitError) const {
  auto refuse = [&](const Twine &reason) {
    return emitError() << "cannot cache operand " << cache.operand
                       << " at loop '" << allLoops[cache.at].name
                       << "': " << reason;
  };
  if (cache.shared && allLoops[cache.at].mapped)
    return refuse("each of its iterations is a thread's");
  if (cache.shared)
    if (std::string reason = reasonAgainstWaiting(*this); !reason.empty())
      return refuse(reason);
  for (const LoopUse &use : bodyOps[op].loops) {
    bool isWhole = cache.shared && use.loop != cache.at && isInRegisters(use);
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
  int64_t maxBytes = cache.shared ? sharedBytes : maxCachedBytes;
  bytes += sliceBytes(*this, cache, op);
  if (bytes > maxBytes)
    return refuse("the slices would be larger than " + Twine(maxBytes) +
                  " bytes" + (cache.shared ? " of shared memory" : ""));
  return success();
}

/// The bytes of the barriers that copies of boxes have, two for each stage
/// where blocks of a cluster copy to each other, or a producer copies. All
/// slices of an op at a loop share them, and memory of a larger alignment comes
/// before them.
static int64_t barrierBytes(const LoopNest &nest) {
  llvm::SmallDenseSet<std::pair<unsigned, unsigned>> counted;
  int64_t barriers = clusterLoop(nest) || producingPipeline(nest) ? 2 : 1;
  int64_t bytes = 0;
  for (const Cache &cache : nest.caches())
    for (unsigned op : cachingOps(nest, cache)) {
      int64_t stages = pipelineAt(nest, cache.at).stages;
      if (cache.byTma && stages > 1 && swizzledSlice(nest, cache, op) &&
          counted.insert({cache.at, op}).second)
        bytes +=
            barriers * int64_t(llvm::alignTo(TensorBoxes::barrierBytes * stages,
                                             Cache::sharedAlignment));
    }
  return bytes;
}

int64_t sharedSliceBytes(const LoopNest &nest) {
  int64_t bytes = barrierBytes(nest);
  for (const Cache &cache : nest.caches())
    if (cache.shared)
      for (unsigned op : cachingOps(nest, cache))
        bytes += sliceBytes(nest, cache, op);
  return bytes;
}

LogicalResult NestBuilder::checkCaches(EmitErrorFn emitError) const {
  int64_t bytes = 0, shared = barrierBytes(*this);
  for (const Cache &cache : allCaches)
    for (unsigned op : cachingOps(*this, cache))
      if (failed(
              checkCache(cache, op, cache.shared ? shared : bytes, emitError)))
        return failure();
  return success();
}

} // namespace onnxc::krnl
