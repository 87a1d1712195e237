//===- PackedOperands.cpp - Operands in the order of loops ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// pack stores an operand once and for all in the order of loops, and prefetch
// reads its panels ahead. Which loops these are follows from the nest.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/LoopNest/PackedOperands.h"
#include "Queries.h"
#include "onnxc/Dialect/Krnl/IR/EarlyReads.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/ComputedSlices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/NestBuilder.h"
#include "onnxc/Target/IR/ByteInstructions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace onnxc::krnl {

/// Elements that the packed form of an operand may have.
static constexpr int64_t maxPackedElements = int64_t(1) << 31;
static constexpr int64_t maxDistance = 64, maxLineBytes = 4096;

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
  if (operand < operands.size() && !makerOf(*this, operand) &&
      !operands[operand].readers.empty())
    return &operands[operand];
  emitError() << "no op reads a tensor operand " << operand;
  return nullptr;
}

bool isIndexedBy(const LoopNest &nest, const LoopNest::Operand::Reader &reader,
                 unsigned loop) {
  return llvm::any_of(
      reader.axes, [&](unsigned axis) { return nest.stemsFrom(loop, axis); });
}

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
                                std::optional<Shuffle> shuffle, int64_t lanes,
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

bool isPacked(const LoopNest &nest, OpOperand &operand) {
  auto argument = dyn_cast<BlockArgument>(operand.get());
  return argument && nest.packOf(argument.getArgNumber());
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

PackedLayoutAttr mergedLayout(PackedLayoutAttr layout) {
  if (!layout.getLongSums().empty())
    return layout;
  SmallVector<int64_t> dims, sizes, strides;
  for (auto [dim, size, stride] : llvm::zip_equal(
           layout.getDims(), layout.getSizes(), layout.getStrides())) {
    if (size == 1)
      continue;
    if (!dims.empty() && dims.back() == dim &&
        strides.back() == size * stride) {
      sizes.back() *= size;
      strides.back() = stride;
      continue;
    }
    dims.push_back(dim);
    sizes.push_back(size);
    strides.push_back(stride);
  }
  return PackedLayoutAttr::get(layout.getContext(), dims, sizes, strides);
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
  if (!llvm::isPowerOf2_64(pack.lanes) || pack.lanes < 2 || pack.lanes > 64)
    return "lanes are not a power of two from 2 to 64";
  Type element = type.getElementType();
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() < 8)
    return "its elements are not whole bytes";
  if (sizes.size() < 3)
    return "the packed form has fewer than three dimensions";
  // The dimension that vectors are loaded along, and the one that they fill.
  unsigned last = sizes.size() - 1, along = pack.shuffle ? last - 1 : last;
  int64_t innermost = type.getRank() - 1;
  while (innermost > 0 && shape[innermost] == 1)
    --innermost;
  bool areRows = strides[along] == 1 && dims[along] == innermost;
  if (!pack.shuffle && !areRows)
    return "its rows are not along the last packed dimension";
  if (pack.shuffle && (!areRows || dims[last] == dims[along]))
    return "its rows are not along the dimension before the last packed one";
  if (pack.shuffle == Shuffle::Interleave &&
      !llvm::is_contained({bytesOfPair, bytesOfDot}, sizes[last]))
    return "the last packed dimension has no two or four elements";
  // A loop of dynamic extent is as long as the dimension.
  bool isAlone = llvm::count(dims, dims[along]) == 1 &&
                 (ShapedType::isDynamic(sizes[along]) ||
                  ShapedType::isDynamic(shape[dims[along]]) ||
                  sizes[along] == shape[dims[along]]);
  bool isTransposed = pack.shuffle == Shuffle::Transpose;
  if (isTransposed && !isAlone)
    return "the dimension before the last packed one is not a whole row";
  int64_t vectors = sizes[isTransposed ? last : along];
  if (ShapedType::isDynamic(vectors) || vectors % pack.lanes != 0)
    return "vectors do not fill their packed dimension";
  return {};
}

/// Which of the loops cannot be a dimension of a packed form, or that it would
/// be too large.
static std::string reasonAgainstSize(const LoopNest &nest,
                                     ArrayRef<unsigned> loops) {
  int64_t elements = 1;
  for (unsigned number : loops) {
    const Loop &loop = nest.loop(number);
    if (stemsFromFusion(nest, number))
      return "loop '" + loop.name +
             "' is fused; a packed dimension is one loop";
    if (loop.isDynamic())
      continue;
    if (llvm::MulOverflow(elements, loop.extent, elements) ||
        elements > maxPackedElements)
      return "its packed form would have more than " +
             std::to_string(maxPackedElements) + " elements";
  }
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
    return refuse("a dimension of unknown size is not indexed by a loop");
  SmallVector<unsigned> loops = packedLoops(*this, pack);
  assert(!loops.empty() && "a step names a loop that indexes the operand");
  if (std::string reason = reasonAgainstSize(*this, loops); !reason.empty())
    return refuse(reason);
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
    return refuse("no " +
                  (pack.shuffle ? stringifyShuffle(*pack.shuffle) : "vectors") +
                  " of " + Twine(pack.lanes) + ": " + reason);
  return success();
}

//===----------------------------------------------------------------------===//
// prefetch
//===----------------------------------------------------------------------===//

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
static std::string reasonAgainst(const LoopNest &nest,
                                 const PackedPanels &panels, unsigned op) {
  const BodyOp &reader = nest.op(op);
  for (unsigned loop : panels.steps())
    if (!reader.find(loop)->reduced && !nest.isAround(loop, op))
      return "loop '" + nest.loop(loop).name +
             "' inside the panel is not reduced by op '" + reader.name + "'";
  for (unsigned loop : ArrayRef(panels.loops).drop_front(panels.columns + 1))
    if (!reader.find(loop)->dot)
      return "loop '" + nest.loop(loop).name +
             "' inside the columns is not a group of bytes";
  return "";
}

/// Ops that reduce something read the operand, and all in the order of the
/// panels.
static std::string reasonAgainstReaders(const LoopNest &nest,
                                        const PackedPanels &panels,
                                        unsigned operand) {
  auto isReduced = [](const LoopUse &use) { return use.reduced; };
  bool reduces = false;
  for (const LoopNest::Operand::Reader &reader :
       nest.operand(operand).readers) {
    if (llvm::none_of(nest.op(reader.op).loops, isReduced))
      continue;
    reduces = true;
    if (std::string reason = reasonAgainst(nest, panels, reader.op);
        !reason.empty())
      return reason;
  }
  return reduces ? "" : "no op that reads it reduces anything";
}

SmallVector<int64_t> sharersOf(const LoopNest &nest,
                               ArrayRef<unsigned> passes) {
  SmallVector<int64_t> sharers;
  bool hasDynamic = false;
  for (unsigned loop : llvm::reverse(passes)) {
    bool isDynamic =
        nest.loop(loop).isDynamic() || nest.leavesUnknownRest(loop);
    sharers.push_back(!isDynamic   ? nest.loop(loop).extent
                      : hasDynamic ? 1
                                   : fewestPasses);
    hasDynamic |= isDynamic;
  }
  return llvm::to_vector(llvm::reverse(sharers));
}

/// Several tiles read each panel.
static std::string reasonAgainstPasses(const LoopNest &nest,
                                       const PackedPanels &panels) {
  SmallVector<int64_t> sharers = sharersOf(nest, passesOf(nest, panels));
  bool isOne = llvm::all_of(sharers, [](int64_t count) { return count == 1; });
  return isOne ? "one tile alone reads each panel" : "";
}

/// The columns of a step fill a line.
static std::string reasonAgainstLines(const LoopNest &nest,
                                      const PackedPanels &panels,
                                      const Prefetch &prefetch) {
  int64_t bytes = nest.operand(prefetch.operand).elementBytes;
  for (auto [position, loop] :
       llvm::enumerate(ArrayRef(panels.loops).drop_front(panels.panel + 1))) {
    if (nest.loop(loop).isDynamic())
      return "the extent of loop '" + nest.loop(loop).name + "' is not known";
    if (panels.panel + 1 + position >= panels.columns)
      bytes *= nest.loop(loop).extent;
  }
  if (bytes < prefetch.lineBytes)
    return "the columns of a step have fewer bytes than a line";
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
  std::string reason = reasonAgainstReaders(nest, *panels, prefetch.operand);
  if (reason.empty())
    reason = reasonAgainstPasses(nest, *panels);
  return reason.empty() ? reasonAgainstLines(nest, *panels, prefetch) : reason;
}

} // namespace onnxc::krnl
