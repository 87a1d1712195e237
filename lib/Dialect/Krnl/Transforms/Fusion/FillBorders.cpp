//===- FillBorders.cpp - Fills of what no other op writes -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//   fill [p, q]; copy [i, j] to i + 1, j + 1
// -> fill the strips above, below, left and right; copy [i, j] to i + 1, j + 1
//
//===----------------------------------------------------------------------===//

#include "FillBorders.h"

#include "PartCopies.h"
#include "onnxc/Dialect/Krnl/IR/IndexBuilder.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"
#include "onnxc/Target/IR/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace onnxc::krnl {

/// An index in the kernel as one of the host; null if it is computed.
OpFoldResult BorderFill::atHost(Value inside) {
  if (auto number = getConstantIntValue(inside))
    return rewriter.getIndexAttr(*number);
  auto argument = dyn_cast<BlockArgument>(inside);
  if (!argument || argument.getOwner() != &kernel.getBody().front() ||
      argument.getArgNumber() >= kernel.getIns().size())
    return {};
  return kernel.getIns()[argument.getArgNumber()];
}

/// The indices that the op writes in a dimension: one, or those from a number
/// or an index of the host on.
std::optional<BorderFill::Range> BorderFill::rangeOf(ComputeOp writer,
                                                     unsigned dim) {
  Subscript at = writer.getSubscripts(*writer.getDpsInitOperand(0))[dim];
  OpFoldResult shift = rewriter.getIndexAttr(0);
  if (ScatterStoreOp store = scatterStoreOf(writer, 0))
    shift = atHost(store.getAt()[dim]);
  if (!shift)
    return std::nullopt;
  if (auto number = dyn_cast<AffineConstantExpr>(at.index)) {
    if (!isZeroInteger(shift))
      return std::nullopt;
    return Range{rewriter.getIndexAttr(number.getValue()),
                 rewriter.getIndexAttr(1),
                 isConstantIntValue(sizes[dim], 1),
                 {}};
  }
  for (unsigned d : llvm::seq(writer.getNumLoops())) {
    auto number = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(
        at.index - rewriter.getAffineDimExpr(d), writer.getNumLoops(), 0));
    if (!number || number.getValue() < 0 ||
        (number.getValue() > 0 && !isZeroInteger(shift)))
      continue;
    StringRef loop = writer.getAxes()[d];
    OpFoldResult size = kernel.getExtent(*kernel.findLoop(loop));
    bool isWhole = at.getLoop() || size == sizes[dim];
    if (number.getValue() > 0)
      shift = rewriter.getIndexAttr(number.getValue());
    return Range{shift, size, isWhole && isZeroInteger(shift), loop.str()};
  }
  return std::nullopt;
}

bool BorderFill::read(ComputeOp filled, ComputeOp writer) {
  fill = filled;
  auto empty = kernel.getOuts()[0].getDefiningOp<tensor::EmptyOp>();
  if (!empty || writer.getNumReductionLoops() > 0 ||
      writer.getNumDpsInits() != 1 ||
      writer.getDpsInits()[0] != fill.getResult(0) ||
      !fill.getResult(0).hasOneUse() ||
      !writer.getMatchingBlockArgument(writer.getDpsInitOperand(0)).use_empty())
    return false;
  sizes = empty.getMixedSizes();
  for (unsigned dim : llvm::seq(sizes.size())) {
    std::optional<Range> range = rangeOf(writer, dim);
    // A loop that runs along two dimensions writes a diagonal.
    if (!range || llvm::any_of(part, [&](const Range &other) {
          return !range->loop.empty() && other.loop == range->loop;
        }))
      return false;
    part.push_back(*range);
  }
  return true;
}

bool BorderFill::isProfitable() const {
  constexpr int64_t maxDims = 6;
  int64_t minRow = TargetAttr::processorOf(kernel).borderElements;
  // Each dimension has two strips, and a strip loops over all of them.
  if (llvm::count_if(part, [](const Range &r) { return !r.isWhole; }) > maxDims)
    return false;
  int64_t row = 1;
  for (const Range &range : llvm::reverse(part)) {
    std::optional<int64_t> size = getConstantIntValue(range.size);
    if (!size)
      return true;
    row *= std::max<int64_t>(*size, 1);
    if (row >= minRow)
      return true;
    if (!range.isWhole)
      return false;
  }
  return false;
}

bool BorderFill::hasKnownBegin() const {
  return llvm::all_of(part, [](const Range &range) {
    return range.isWhole || getConstantIntValue(range.from);
  });
}

/// Where the part ends in a dimension.
OpFoldResult BorderFill::endOf(unsigned dim) {
  return IndexBuilder(rewriter, kernel.getLoc())
      .add(part[dim].size, part[dim].from);
}

/// The strips outside the part: for each dimension those before and after it,
/// over the part in the dimensions before and all of those after.
SmallVector<BorderFill::Strip> BorderFill::stripsAround() {
  SmallVector<Strip> strips;
  OpFoldResult zero = rewriter.getIndexAttr(0);
  Strip around;
  for (OpFoldResult size : sizes)
    around.push_back({zero, size, /*isWhole=*/true, {}});
  for (auto [dim, range] : llvm::enumerate(part)) {
    if (range.isWhole)
      continue;
    OpFoldResult end = endOf(dim),
                 rest = IndexBuilder(rewriter, kernel.getLoc())
                            .sub(sizes[dim], end);
    for (const Range &outside :
         {Range{zero, range.from, false, {}}, Range{end, rest, false, {}}}) {
      if (isZeroInteger(outside.size))
        continue;
      strips.push_back(around);
      strips.back()[dim] = outside;
    }
    around[dim] = range;
  }
  return strips;
}

/// The loops over a strip, of which those of parts of a dimension are new.
/// Their names begin with `name`.
BorderFill::StripLoops BorderFill::loopsOver(const Strip &strip,
                                             StringRef name) {
  SmallVector<StringRef> whole = fill.getLoopsAlong(*fill.getDpsInitOperand(0));
  StripLoops loops;
  for (auto [d, range] : llvm::enumerate(strip)) {
    auto from = getConstantIntValue(range.from);
    auto size = getConstantIntValue(range.size);
    if (size == 1) {
      loops.at.push_back({rewriter.getAffineConstantExpr(from.value_or(0))});
      continue;
    }
    AffineExpr loop = rewriter.getAffineDimExpr(loops.names.size());
    if (range.isWhole) {
      loops.names.push_back(whole[d].str());
      loops.at.push_back({loop});
      continue;
    }
    // Strips beside the part share its loops.
    loops.names.push_back(range.loop.empty()
                              ? llvm::formatv("{0}_{1}", name, d).str()
                              : range.loop);
    if (range.loop.empty())
      loops.extents.push_back({loops.names.back(), range.size});
    loops.at.push_back({loop + from.value_or(0), /*isPart=*/true});
  }
  return loops;
}

/// Fills a strip of `last` with the value of `fill`.
ComputeOp BorderFill::fillStrip(const Strip &strip, const StripLoops &loops,
                                Value last) {
  // The begin of a strip may be dynamic.
  SmallVector<Value> position;
  if (llvm::any_of(strip, [](const Range &range) {
        return !getConstantIntValue(range.from);
      }))
    for (const Range &range : strip)
      position.push_back(indexInside(rewriter, kernel,
                                     getConstantIntValue(range.from)
                                         ? rewriter.getIndexAttr(0)
                                         : range.from));
  return ComputeOp::create(
      rewriter, fill.getLoc(), ValueRange(), ValueRange(last), loops.at,
      llvm::to_vector_of<StringRef>(loops.names), loops.names.size(),
      StringAttr(), [&](OpBuilder &b, Location loc, ValueRange) {
        Value element = fill.getBody()->getTerminator()->getOperand(0);
        if (!position.empty())
          element = ScatterStoreOp::create(b, loc, element.getType(), element,
                                           position);
        linalg::YieldOp::create(b, loc, element);
      });
}

/// Declares the new loops of a strip, each before the loop inside of it: lanes
/// are along the last loop of an op.
void BorderFill::declareLoops(const StripLoops &loops,
                              SmallVector<LoopAttr> &declared) {
  for (const auto &[name, extent] : loops.extents) {
    auto *next = std::next(llvm::find(loops.names, name));
    auto *place = next == loops.names.end()
                      ? declared.end()
                      : llvm::find_if(declared, [&](LoopAttr loop) {
                          return loop.getName() == *next;
                        });
    declared.insert(place, LoopAttr::get(kernel.getContext(), name,
                                         getConstantIntValue(extent).value_or(
                                             ShapedType::kDynamic)));
  }
}

void BorderFill::replaceFill() {
  auto declared = llvm::to_vector(kernel.getLoops().getAsRange<LoopAttr>());
  llvm::StringMap<OpFoldResult> extents;
  Value last = kernel.getOutArgument(0);
  rewriter.setInsertionPoint(kernel);
  SmallVector<Strip> strips = stripsAround();
  rewriter.setInsertionPoint(fill);
  for (auto [number, strip] : llvm::enumerate(strips)) {
    StripLoops loops = loopsOver(strip, llvm::formatv("b{0}", number).str());
    declareLoops(loops, declared);
    for (const auto &[name, extent] : loops.extents)
      extents[name] = extent;
    last = fillStrip(strip, loops, last).getResult(0);
  }
  SmallVector<Value> added;
  for (LoopAttr loop : declared)
    if (loop.isDynamic() && extents.contains(loop.getName()))
      added.push_back(cast<Value>(extents[loop.getName()]));
  kernel.replaceLoops(declared, added);
  rewriter.replaceOp(fill, last);
}

void dropUnusedLoops(KernelOp kernel) {
  SmallVector<LoopAttr> kept;
  for (auto [number, loop] :
       llvm::enumerate(kernel.getLoops().getAsRange<LoopAttr>())) {
    auto extent = dyn_cast<Value>(kernel.getExtentInside(number));
    if ((extent && !extent.use_empty()) ||
        llvm::any_of(kernel.getBody().getOps<ComputeOp>(), [&](ComputeOp op) {
          return llvm::is_contained(op.getAxes(), loop.getName());
        }))
      kept.push_back(loop);
  }
  kernel.replaceLoops(kept);
}

/// On a device krnl-join-parts makes one op of a fill and a copy, but not where
/// the offset of the copy is dynamic. A strip for each side is left
/// then, and no element is written twice.
void fillBorderAlone(RewriterBase &rewriter, KernelOp kernel) {
  auto ops = llvm::to_vector(kernel.getBody().getOps<ComputeOp>());
  BorderFill border(rewriter, kernel);
  if (ops.size() == 2 && kernel.getOuts().size() == 1 &&
      kernel.getRecipe().empty() && fillsAll(ops[0]) &&
      border.read(ops[0], ops[1]) && border.isProfitable() &&
      !(TargetAttr::processorOf(kernel).isDevice() && border.hasKnownBegin())) {
    border.replaceFill();
    dropUnusedLoops(kernel);
  }
}

} // namespace onnxc::krnl
