//===- RowRecipe.cpp - Recipes for one row times a matrix -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The time goes into reading the matrix, each element of which is needed once.
// If it is a constant, it is stored in panels of a few vectors, one after the
// other, so that a panel is one stream; its columns are the accumulators.
//
//===----------------------------------------------------------------------===//

#include "Kernels/ByteGroups.h"
#include "Kernels/ContractionLoops.h"
#include "Kernels/KernelShape.h"
#include "Planners/PanelSteps.h"
#include "Planners/Planners.h"
#include "onnxc/Dialect/Krnl/IR/ByteProduct.h"
#include "onnxc/Recipe/RecipeBuilder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

namespace {
/// A row times a matrix: the reduction of the kernel, and its matrix.
struct RowProduct {
  ComputeOp op;
  OpOperand *matrix = nullptr;
  /// Constants that belong to the matrix: scales of its blocks.
  SmallVector<OpOperand *> scaleOperands;
  /// The loop over columns, and the reduced ones; those of them that the matrix
  /// does not have: parts of its elements.
  std::string column;
  SmallVector<std::string> reduced, parts;
  /// As in Contraction.
  std::string blocks;
  SmallVector<OpOperand *> blockFactors;
};
} // namespace

/// Returns true if the operand of the kernel is a constant whose dimensions are
/// indexed by one loop each. No other operand can be stored in another way. A
/// small matrix stays in the first cache, however it is stored.
static bool isMatrix(KernelOp kernel, ComputeOp op, OpOperand &operand,
                     const Processor &target) {
  // Without vectors the lines of a matrix are read one element after the other.
  double fewest =
      target.lanes(8) > 1 ? double(target.l1) * target.matrixShare : 0;
  int number = inputNumber(kernel, operand.get());
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (number < 0 || !type || !type.hasStaticShape() ||
      !type.getElementType().isIntOrFloat())
    return false;
  return isStorable(kernel.getIns()[number]) &&
         llvm::all_of(op.getSubscripts(operand),
                      [](const Subscript &at) { return at.getLoop(); }) &&
         double(type.getNumElements() * type.getElementTypeBitWidth()) >=
             8 * fewest;
}

/// All loops are those of the matrix: one is kept, the others are reduced. Of
/// these a few may be parts of its elements.
static bool hasLoopsOfRow(KernelOp kernel, RowProduct &product,
                          OpOperand &matrix) {
  SmallVector<std::string> loops = accessLoops(product.op, matrix);
  product.reduced = reducedLoops(product.op);
  product.parts = partLoops(kernel, product.op, matrix, product.reduced);
  for (const std::string &loop : loopNames(kernel)) {
    bool isReduced = llvm::is_contained(product.reduced, loop);
    bool isOwn = llvm::is_contained(loops, loop) ||
                 llvm::is_contained(product.parts, loop);
    if (!isStatic(kernel, loop) || !isOwn)
      return false;
    if (isReduced || loop == product.blocks)
      continue;
    if (!product.column.empty())
      return false;
    product.column = loop;
  }
  if (product.column.empty())
    return false;
  auto scaleOperands =
      findScaleOperands(kernel, product.op, matrix, product.column, nullptr);
  if (scaleOperands)
    product.scaleOperands = std::move(*scaleOperands);
  return scaleOperands.has_value();
}

static std::optional<RowProduct> findRowProduct(KernelOp kernel,
                                                const Processor &target) {
  std::optional<Reduction> reduction = findReduction(kernel);
  if (!reduction ||
      !reduction->op.getBlock()->getOps<tensor::ExtractOp>().empty())
    return std::nullopt;
  RowProduct product{};
  product.op = reduction->op;
  product.blocks = reduction->blocks;
  for (OpOperand *input : product.op.getDpsInputOperands())
    if (isMatrix(kernel, product.op, *input, target)) {
      RowProduct found = product;
      found.matrix = input;
      if (!hasLoopsOfRow(kernel, found, *input))
        continue;
      auto factors = findBlockFactors(kernel, *reduction, found.column);
      if (!factors)
        continue;
      found.blockFactors = std::move(*factors);
      return found;
    }
  return std::nullopt;
}

/// In a product of bytes: the reduced loop that is taken in groups of so many,
/// or none.
static std::string groupedLoop(KernelOp kernel, const RowProduct &product,
                               int64_t lanes, int64_t groupBytes) {
  auto target = TargetAttr::of(kernel);
  std::optional<ByteProduct> bytes = byteProductOf(product.op);
  if (!bytes || !multipliesGroups(target, lanes, groupBytes))
    return {};
  OpOperand *row = bytes->lhs.operand->get() == product.matrix->get()
                       ? bytes->rhs.operand
                       : bytes->lhs.operand;
  return chooseByteGroups(kernel, product.op, *row, product.reduced,
                          groupBytes);
}

/// The widest vectors along the columns that all ops of the kernel may be
/// computed in; 0 if some op has none.
static unsigned widestBits(KernelOp kernel, const std::string &column,
                           const Processor &target) {
  unsigned bits = 0;
  for (auto op : kernel.getBody().getOps<ComputeOp>()) {
    LaneAnalysis payload(op, column);
    unsigned wide = payload.vectorBits();
    if (wide == 0 || !payload.areGathersProfitable(target))
      return 0;
    bits = std::max(bits, wide);
  }
  return bits;
}

/// The product as that of many rows, of which there is one.
static Contraction contractionOf(const RowProduct &product) {
  Contraction way;
  way.op = product.op;
  way.blocks = product.blocks;
  way.columnOperand = product.matrix;
  way.column = product.column;
  way.reduced = product.reduced;
  if (std::optional<ByteProduct> bytes = byteProductOf(product.op))
    way.rowOperand = bytes->lhs.operand == product.matrix ? bytes->rhs.operand
                                                          : bytes->lhs.operand;
  return way;
}

/// Chooses how bytes are multiplied in panels of so many columns: in groups of
/// `bytes` that are extended, or whose products are added up in 16 bits first,
/// or in pairs, of which the row is extended before.
static void chooseGroups(KernelOp kernel, const RowProduct &product,
                         int64_t lanes, int64_t columns, int64_t bytes,
                         PanelLoops &loops) {
  loops.grouped = groupedLoop(kernel, product, lanes, bytes);
  loops.groupBytes = bytes;
  if (loops.grouped.empty() || bytes != bytesOfDot)
    return;
  Contraction way = contractionOf(product);
  std::string paired = groupedLoop(kernel, product, lanes, bytesOfPair);
  bool mayPair = !paired.empty() && product.parts.empty() &&
                 canWiden(kernel, way) &&
                 extentOf(kernel, paired, 0) % bytesOfPair == 0;
  // The multiply-adds of a group: of two pairs, beside an operation on the
  // columns for each or three for both, or one for the bytes and a part of one
  // for the sums.
  double best = mayPair ? 3 : 3.5;
  for (int64_t groups : {1, 2, 4}) {
    if (!addsShortSums(TargetAttr::of(kernel), lanes) ||
        !canSumShort(kernel, way, loops.grouped, groups))
      continue;
    double share = shareOfLongSums(kernel, way, loops.grouped, columns, groups);
    double work =
        double(groups + 1) / double(groups) * (1 + share * (longSumsTimes - 1));
    if (work < best) {
      best = work;
      loops.shortGroups = groups;
    }
  }
  if (loops.shortGroups > 0 || !mayPair)
    return;
  loops.grouped = paired;
  loops.groupBytes = bytesOfPair;
}

/// Multiplies the groups in the op of the kernel that has this number.
static void writeGroups(RecipeBuilder &recipe, KernelOp kernel,
                        const RowProduct &product, const PanelLoops &loops) {
  auto ops = llvm::to_vector(kernel.getBody().getOps<ComputeOp>());
  unsigned number = llvm::find(ops, product.op) - ops.begin();
  loops.unroll(recipe, kernel, number);
  if (loops.shortGroups > 1)
    recipe.unroll(loops.groups, loops.shortGroups, number);
  if (loops.grouped.empty() || loops.groupBytes != bytesOfPair)
    return;
  OpOperand *row = contractionOf(product).rowOperand;
  recipe.cacheWide(inputNumber(kernel, row->get()), loops.panels, number);
  if (byteGroupsOf(kernel, loops.grouped, bytesOfPair) % pairUnroll == 0)
    recipe.unroll(loops.groups, pairUnroll, number);
}

/// Panel after panel, with `vectors` of `lanes` columns in each.
static ArrayAttr writeRecipe(KernelOp kernel, const RowProduct &product,
                             const Processor &target, int64_t lanes,
                             int64_t vectors, int64_t groupBytes) {
  RecipeBuilder recipe(kernel.getContext());
  PanelLoops loops;
  loops.reduced = product.reduced;
  loops.parts = product.parts;
  if (!product.blocks.empty())
    loops.blocks.push_back(product.blocks);
  std::tie(loops.panels, loops.columns) =
      recipe.block(product.column, lanes * vectors, suffix::panels,
                   suffix::registers, TailStrategy::Mask);
  chooseGroups(kernel, product, lanes, lanes * vectors, groupBytes, loops);
  loops.blockGroups(recipe, kernel);

  SmallVector<std::string> order{loops.panels};
  llvm::append_range(order, loops.blocks);
  llvm::append_range(order, loops.reduced);
  if (!loops.group.empty())
    order.push_back(loops.group);
  order.push_back(loops.columns);
  recipe.order(order);
  recipe.fuseOuter({loops.panels});
  int64_t columns = extentOf(kernel, product.column, 0);
  if (trafficBytes(kernel, columns) >= target.parallelBytes)
    recipe.parallel({loops.panels});
  if (!product.blocks.empty())
    recipe.computeAt(product.blocks);
  if (lanes > 1)
    recipe.vectorize(loops.columns, lanes);
  recipe.unroll(loops.columns, vectors);
  SmallVector<OpOperand *> stored{product.matrix};
  llvm::append_range(stored, product.scaleOperands);
  llvm::append_range(stored, product.blockFactors);
  loops.pack(recipe, kernel, stored);
  writeGroups(recipe, kernel, product, loops);
  return recipe.finish();
}

static void addPanels(KernelOp kernel, const RowProduct &product,
                      const Processor &target, const RecipeOptions &options,
                      int64_t lanes, int64_t groupBytes,
                      RecipeCandidates &candidates) {
  int64_t columns = extentOf(kernel, product.column, 0);
  for (int64_t vectors = std::min(columns / lanes, target.independentSums);
       vectors > 0; --vectors) {
    // Single elements have no masks.
    if (lanes == 1 && columns % vectors != 0)
      continue;
    addScored(kernel, target, options, "row",
              llvm::formatv("panels of {0} vectors of {1} along {2}", vectors,
                            lanes, product.column),
              writeRecipe(kernel, product, target, lanes, vectors, groupBytes),
              candidates);
  }
}

void addRowRecipes(KernelOp kernel, const Processor &target,
                   const RecipeOptions &options, RecipeCandidates &candidates) {
  std::optional<RowProduct> product = findRowProduct(kernel, target);
  unsigned bits = product ? widestBits(kernel, product->column, target) : 0;
  if (bits == 0)
    return;
  addPanels(kernel, *product, target, options, target.lanes(bits), bytesOfDot,
            candidates);
  if (!groupedLoop(kernel, *product, 1, bytesOfLongDot).empty())
    addPanels(kernel, *product, target, options, 1, bytesOfLongDot, candidates);
}

} // namespace onnxc
