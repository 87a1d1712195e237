//===- FoldPadding.cpp - krnl-fold-padding ----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A border of one constant around a tensor takes a launch, and what it holds a
// second way through memory. Readers can have the constant from a range of
// their indices. So does a transposition, which has no border: readers can have
// the indices of the tensor in its order.
//
//   fill [p, q]; copy [i, j] from x[i, j] to i + 1, j + 1    the tensor is x
//   fill strips around what another kernel has written       it is that
//   copy [i, j] from x[j, i] to i, j                         it is x
//
//===----------------------------------------------------------------------===//

#include "Kernels/KernelShape.h"
#include "Passes/DevicePass.h"
#include "Passes/FormChoice.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Recipe/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {
#define GEN_PASS_DEF_KRNLFOLDPADDINGPASS
#include "onnxc/Recipe/Passes.h.inc"

namespace {

/// A dimension of the tensor: that of the padded one which it is in, and how
/// far its elements are moved there. Without a dimension one element is read,
/// which is so far from the first one in the other direction.
struct Inside {
  std::optional<unsigned> dim;
  int64_t shift = 0;
  /// The elements that are not in the border.
  std::optional<std::pair<int64_t, int64_t>> range = {};
};

/// What a kernel puts a border around, or copies to another order of its
/// dimensions.
struct Padding {
  Value tensor;
  /// The elements of the border; null without one.
  TypedAttr border;
  SmallVector<Inside> dims;

  /// The access to the tensor that stands for one to the padded one, over loops
  /// of such extents; nothing where that has ranges beside a border.
  std::optional<Subscripts> accessOf(const Subscripts &padded,
                                     ArrayRef<int64_t> extents) const;
};

struct Readers;

struct KrnlFoldPaddingPass
    : DevicePass<impl::KrnlFoldPaddingPassBase<KrnlFoldPaddingPass>> {
  using DevicePass::DevicePass;

private:
  void rewrite(KernelOp kernel) override;
  bool isCheaper(KernelOp kernel, const Readers &readers, bool border);
  std::optional<double> costInside(KernelOp reader, Value padded,
                                   const Padding &padding);
};

} // namespace

//===----------------------------------------------------------------------===//
// Borders
//===----------------------------------------------------------------------===//

static RankedTensorType typeOf(OpOperand &operand) {
  return cast<RankedTensorType>(operand.get().getType());
}

/// The constant that the op writes, if it reads nothing; null if it does.
static TypedAttr filledWith(KernelOp kernel, ComputeOp op) {
  if (op.getNumReductionLoops() > 0 || op.getNumDpsInits() != 1 ||
      op.getNumDpsInputs() > 0 || !llvm::hasSingleElement(*op.getBlock()))
    return {};
  Value value = op.getBlock()->getTerminator()->getOperand(0);
  if (int number = inputNumber(kernel, value); number >= 0)
    value = kernel.getIns()[number];
  TypedAttr constant;
  return matchPattern(value, m_Constant(&constant)) ? constant : TypedAttr();
}

/// How far the index is after the loop that it is at a fixed distance from.
static int64_t shiftOf(AffineExpr index) {
  auto sum = dyn_cast<AffineBinaryOpExpr>(index);
  return sum ? cast<AffineConstantExpr>(sum.getRHS()).getValue() : 0;
}

/// The position of the result that a loop of a copy indexes, if it indexes no
/// other.
static std::optional<unsigned> placeOf(const Access &to, unsigned loop) {
  std::optional<unsigned> place;
  for (unsigned position : llvm::seq(to.getRank()))
    if (to.shiftedLoopAt(position) == loop && std::exchange(place, position))
      return std::nullopt;
  return place;
}

/// Returns true if a kernel writes over the tensor or a view of it.
static bool isWrittenOver(Value value) {
  return llvm::any_of(value.getUses(), [](OpOperand &use) {
    if (auto user = dyn_cast<KernelOp>(use.getOwner()))
      return use.getOperandNumber() >= user.getIns().size();
    return llvm::any_of(use.getOwner()->getResults(), [](Value view) {
      return isa<RankedTensorType>(view.getType()) && isWrittenOver(view);
    });
  });
}

/// Where the copy puts a dimension of its input; nothing unless one loop copies
/// it, or the copy has one element of it.
static std::optional<Inside> readDim(ComputeOp copy, unsigned position) {
  OpOperand &input = *copy.getDpsInputOperand(0),
            &init = *copy.getDpsInitOperand(0);
  Access from(input), to(init);
  std::optional<unsigned> loop = from.shiftedLoopAt(position);
  if (!loop) {
    auto index = dyn_cast<AffineConstantExpr>(from.getIndex(position));
    if (!index || typeOf(input).isDynamicDim(position))
      return std::nullopt;
    return Inside{std::nullopt, -index.getValue()};
  }
  std::optional<unsigned> place = placeOf(to, *loop);
  if (!place)
    return std::nullopt;
  int64_t first = shiftOf(from.getIndex(position)),
          size = copy.getStaticLoopRanges()[*loop];
  Inside inside{place, shiftOf(to.getIndex(*place)) - first};
  if (typeOf(input).isDynamicDim(position) || ShapedType::isDynamic(size)) {
    // A loop over all of both dimensions says that they have one size.
    if (from.loopAt(position) != loop || to.loopAt(*place) != loop)
      return std::nullopt;
    return inside;
  }
  if (size != typeOf(init).getDimSize(*place) ||
      size != typeOf(input).getDimSize(position))
    inside.range = {first, first + size};
  return inside;
}

/// A copy of an input, or a part of it, each loop along one dimension of both.
static std::optional<Padding> readCopy(KernelOp kernel, ComputeOp copy,
                                       TypedAttr border) {
  if (copy.getNumReductionLoops() > 0 || copy.getNumDpsInits() != 1 ||
      copy.getNumDpsInputs() != 1 || !llvm::hasSingleElement(*copy.getBlock()))
    return std::nullopt;
  OpOperand &input = *copy.getDpsInputOperand(0),
            &init = *copy.getDpsInitOperand(0);
  int number = inputNumber(kernel, input.get());
  if (number < 0 || !isa<RankedTensorType>(input.get().getType()) ||
      copy.getBlock()->getTerminator()->getOperand(0) !=
          copy.getMatchingBlockArgument(&input))
    return std::nullopt;
  Padding padding{kernel.getIns()[number], border, {}};
  Access from(input), to(init);
  if (from.hasRanges())
    return std::nullopt;
  unsigned placed = 0;
  for (unsigned position : llvm::seq(from.getRank())) {
    std::optional<Inside> dim = readDim(copy, position);
    if (!dim)
      return std::nullopt;
    padding.dims.push_back(*dim);
    placed += dim->dim.has_value();
  }
  // Dimensions that no loop indexes have no border.
  for (unsigned position : llvm::seq(to.getRank()))
    if (!to.shiftedLoopAt(position) &&
        (to.getIndex(position) != 0 || typeOf(init).getDimSize(position) != 1))
      return std::nullopt;
  return placed == copy.getNumLoops() ? std::optional(padding) : std::nullopt;
}

/// The first element and the end of what the op fills along a dimension of
/// static size; nothing where that is not an index or one loop.
static std::optional<std::pair<int64_t, int64_t>>
filledAlong(ComputeOp op, unsigned position) {
  Access access(*op.getDpsInitOperand(0));
  AffineExpr index = access.getIndex(position);
  if (auto constant = dyn_cast<AffineConstantExpr>(index))
    return std::pair(constant.getValue(), constant.getValue() + 1);
  std::optional<unsigned> loop = access.shiftedLoopAt(position);
  if (!loop)
    return std::nullopt;
  int64_t size = op.getStaticLoopRanges()[*loop];
  if (ShapedType::isDynamic(size) || placeOf(access, *loop) != position)
    return std::nullopt;
  return std::pair(shiftOf(index), shiftOf(index) + size);
}

/// Takes the strip that the op fills from what is left; false if that is not
/// all of one side of it. Along dimensions of dynamic size it has all elements.
static bool takeStrip(ComputeOp op, Padding &left) {
  OpOperand &init = *op.getDpsInitOperand(0);
  Access access(init);
  std::optional<unsigned> cut;
  SmallVector<std::pair<int64_t, int64_t>> strip;
  for (unsigned position : llvm::seq(access.getRank())) {
    if (typeOf(init).isDynamicDim(position)) {
      strip.emplace_back();
      std::optional<unsigned> loop = access.loopAt(position);
      if (!loop || placeOf(access, *loop) != position)
        return false;
      continue;
    }
    std::optional<std::pair<int64_t, int64_t>> filled =
        filledAlong(op, position);
    if (!filled)
      return false;
    strip.push_back(*filled);
    auto [begin, end] = *left.dims[position].range;
    bool isAll = filled->first <= begin && filled->second >= end;
    if (!isAll && std::exchange(cut, position))
      return false;
  }
  if (!cut)
    return false;
  auto &[begin, end] = *left.dims[*cut].range;
  if (strip[*cut].first <= begin && strip[*cut].second < end)
    begin = std::max(begin, strip[*cut].second);
  else if (strip[*cut].second >= end && strip[*cut].first > begin)
    end = std::min(end, strip[*cut].first);
  else
    return false;
  return true;
}

/// The border around what the destination holds: strip by strip, each of one
/// side of what those before leave.
static std::optional<Padding> readStrips(KernelOp kernel,
                                         ArrayRef<ComputeOp> strips) {
  Padding padding{kernel.getOuts()[0], filledWith(kernel, strips[0]), {}};
  if (!padding.border)
    return std::nullopt;
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(kernel.getOuts()[0].getType()).getShape();
  for (auto [dim, size] : llvm::enumerate(shape)) {
    padding.dims.push_back({unsigned(dim)});
    if (!ShapedType::isDynamic(size))
      padding.dims.back().range = {0, size};
  }
  for (ComputeOp strip : strips)
    if (filledWith(kernel, strip) != padding.border ||
        !takeStrip(strip, padding))
      return std::nullopt;
  for (auto [inside, size] : llvm::zip_equal(padding.dims, shape))
    if (inside.range == std::pair(int64_t(0), size))
      inside.range.reset();
  return padding;
}

/// Returns true if the kernel has one result, which its ops write one after the
/// other.
static bool writesOneResult(KernelOp kernel, ArrayRef<ComputeOp> ops) {
  if (kernel.getOuts().size() != 1)
    return false;
  Value last = kernel.getOutArgument(0);
  for (ComputeOp op : ops) {
    if (op.getNumDpsInits() != 1 || op.getDpsInits()[0] != last)
      return false;
    last = op.getResult(0);
  }
  return kernel.getYield().getValues()[0] == last;
}

static std::optional<Padding> findPadding(KernelOp kernel) {
  auto ops = llvm::to_vector(kernel.getBody().getOps<ComputeOp>());
  auto type = dyn_cast<RankedTensorType>(kernel.getResult(0).getType());
  bool hasElements =
      llvm::all_of(kernel.getLoops().getAsRange<LoopAttr>(), [](LoopAttr loop) {
        return loop.isDynamic() || loop.getExtent() > 0;
      });
  if (ops.empty() || !writesOneResult(kernel, ops) || !hasElements || !type ||
      !kernel.getRecipe().empty())
    return std::nullopt;
  if (ops.size() == 2 && Access(*ops[0].getDpsInitOperand(0)).coversAll())
    if (TypedAttr border = filledWith(kernel, ops[0]))
      if (std::optional<Padding> padding = readCopy(kernel, ops[1], border))
        return padding;
  if (ops.size() == 1 && Access(*ops[0].getDpsInitOperand(0)).coversAll() &&
      !isWrittenOver(kernel.getResult(0)))
    if (std::optional<Padding> padding = readCopy(kernel, ops[0], {}))
      return isWrittenOver(padding->tensor) ? std::nullopt : padding;
  return readStrips(kernel, ops);
}

//===----------------------------------------------------------------------===//
// Readers
//===----------------------------------------------------------------------===//

std::optional<Subscripts> Padding::accessOf(const Subscripts &padded,
                                            ArrayRef<int64_t> extents) const {
  if (border &&
      llvm::any_of(padded, [](const Subscript &at) { return bool(at.range); }))
    return std::nullopt;
  MLIRContext *context = padded.front().index.getContext();
  return llvm::map_to_vector(dims, [&](const Inside &inside) {
    if (!inside.dim)
      return Subscript{getAffineConstantExpr(-inside.shift, context)};
    Subscript at = padded[*inside.dim];
    at.index = at.index - inside.shift;
    if (at.range) {
      // The reader leaves out what is not in the copy.
      at.range->first -= inside.shift;
      if (!ShapedType::isDynamic(at.range->second))
        at.range->second -= inside.shift;
      return at;
    }
    auto values = valuesOf(at.index, extents);
    // Some readers do not reach the border.
    bool isInside =
        inside.range &&
        (!border || (values && values->first >= inside.range->first &&
                     values->second < inside.range->second));
    if (inside.range && !isInside) {
      at.range = inside.range;
      if (border != Builder(context).getZeroAttr(border.getType()))
        at.outside = border;
    }
    at.isPart = inside.range ? !at.range : at.isPart;
    return at;
  });
}

/// Lets the kernel read the tensor instead of the padded one; false, and some
/// ops may do so, if something else than an op reads that.
static bool readInside(KernelOp reader, Value padded, const Padding &padding) {
  for (auto [number, in] : llvm::enumerate(reader.getIns())) {
    if (in != padded)
      continue;
    BlockArgument argument = reader.getInArgument(number);
    for (OpOperand &use : argument.getUses()) {
      auto op = dyn_cast<ComputeOp>(use.getOwner());
      if (!op || op.isDpsInit(&use))
        return false;
      SmallVector<Subscripts> all = op.getSubscripts();
      Subscripts &access = all[use.getOperandNumber()];
      std::optional<Subscripts> inside =
          padding.accessOf(access, op.getStaticLoopRanges());
      if (!inside)
        return false;
      access = *inside;
      op.setSubscripts(all);
    }
    reader.getInsMutable()[number].assign(padding.tensor);
    argument.setType(padding.tensor.getType());
  }
  return true;
}

namespace {
/// A kernel that reads the padded tensor, or a view of it.
struct Reader {
  KernelOp kernel;
  Value padded;
  Padding padding;
};

/// The readers of what a kernel pads.
struct Readers {
  SmallVector<Reader> all;
  /// Views of the padded tensor, and those that replace them.
  SmallVector<tensor::ExpandShapeOp> views, replacements;

  bool find(Value padded, const Padding &padding);
  void eraseUnused();
};
} // namespace

/// The padding of a view that has several dimensions for one of the padded
/// tensor; nothing if there is a border along that.
static std::optional<Padding> paddingOf(tensor::ExpandShapeOp view,
                                        const Padding &padding) {
  SmallVector<ReassociationIndices> groups = view.getReassociationIndices(),
                                    parts;
  auto source = cast<RankedTensorType>(padding.tensor.getType());
  Padding result{{}, padding.border, {}};
  OpBuilder b(view);
  SmallVector<OpFoldResult> sizes = view.getMixedOutputShape(), shape;
  auto add = [&](const Inside &inside, OpFoldResult size) {
    parts.back().push_back(int64_t(shape.size()));
    shape.push_back(size);
    result.dims.push_back(inside);
  };
  for (auto [inside, size] : llvm::zip_equal(padding.dims, source.getShape())) {
    parts.emplace_back();
    if (!inside.dim) {
      add(inside, b.getIndexAttr(size));
      continue;
    }
    const ReassociationIndices &group = groups[*inside.dim];
    if (group.size() == 1) {
      add({unsigned(group[0]), inside.shift, inside.range},
          ShapedType::isDynamic(size) ? sizes[group[0]] : b.getIndexAttr(size));
      continue;
    }
    if (inside.range || inside.shift != 0 ||
        size != view.getSrcType().getDimSize(*inside.dim))
      return std::nullopt;
    for (int64_t dim : group)
      add({unsigned(dim), 0}, sizes[dim]);
  }
  auto type = RankedTensorType::get(decomposeMixedValues(shape).first,
                                    source.getElementType());
  result.tensor = tensor::ExpandShapeOp::create(b, view.getLoc(), type,
                                                padding.tensor, parts, shape);
  return result;
}

/// Adds those of the tensor; false if something else than an op of a kernel may
/// read it.
bool Readers::find(Value padded, const Padding &padding) {
  for (Operation *user : padded.getUsers()) {
    if (auto view = dyn_cast<tensor::ExpandShapeOp>(user)) {
      std::optional<Padding> inside = paddingOf(view, padding);
      if (!inside)
        return false;
      views.push_back(view);
      replacements.push_back(
          inside->tensor.getDefiningOp<tensor::ExpandShapeOp>());
      if (!find(view.getResult(), *inside))
        return false;
      continue;
    }
    auto kernel = dyn_cast<KernelOp>(user);
    if (!kernel || llvm::is_contained(kernel.getOuts(), padded) ||
        !kernel.getRecipe().empty())
      return false;
    if (llvm::none_of(all, [&](const Reader &other) {
          return other.kernel == kernel && other.padded == padded;
        }))
      all.push_back({kernel, padded, padding});
  }
  return true;
}

void Readers::eraseUnused() {
  for (auto *ops : {&views, &replacements})
    for (tensor::ExpandShapeOp view : llvm::reverse(*ops))
      if (view->use_empty())
        view->erase();
}

/// The cycles of a reader that reads the tensor instead of the padded one, if
/// it can.
std::optional<double> KrnlFoldPaddingPass::costInside(KernelOp reader,
                                                      Value padded,
                                                      const Padding &padding) {
  OpBuilder b(reader);
  auto inside = cast<KernelOp>(b.clone(*reader));
  std::optional<NestCost> cost;
  if (readInside(inside, padded, padding))
    cost = chooser->costOf(inside);
  inside.erase();
  return cost ? std::optional(cost->cycles) : std::nullopt;
}

/// Returns true if the readers are faster without the border, which saves a
/// launch that takes at least as long as its bytes do.
bool KrnlFoldPaddingPass::isCheaper(KernelOp kernel, const Readers &readers,
                                    bool border) {
  double launch = processor.launchCycles();
  double before = launch + rooflineCycles(kernel, processor), after = 0;
  for (const Reader &reader : readers.all) {
    std::optional<NestCost> cost = chooser->costOf(reader.kernel);
    std::optional<double> inside =
        costInside(reader.kernel, reader.padded, reader.padding);
    if (!inside)
      return false;
    before += cost ? cost->cycles : *inside;
    after += *inside;
  }
  if (readers.all.empty())
    return false;
  FormChoice choice(
      {border ? "a border in memory" : "a copy in memory", before},
      /*gain=*/1);
  choice.offer({border ? "a border that no memory has"
                       : "reads of the tensor that is copied",
                after});
  return choice.report(kernel.getLoc(), getArgument());
}

/// Lets all that reads the padded tensor read what is inside of it.
void KrnlFoldPaddingPass::rewrite(KernelOp kernel) {
  std::optional<Padding> padding = findPadding(kernel);
  Readers readers;
  bool isFolded = padding && readers.find(kernel.getResult(0), *padding) &&
                  isCheaper(kernel, readers, bool(padding->border));
  if (isFolded)
    for (const Reader &reader : readers.all)
      readInside(reader.kernel, reader.padded, reader.padding);
  readers.eraseUnused();
  if (isFolded)
    kernel.erase();
}

} // namespace onnxc
