//===- RowRecipe.cpp - Recipes for one row times a matrix -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The time goes into reading the matrix, each element of which is needed once.
// If it is a constant, it is stored in panels of a few vectors, one after the
// other, so that a panel is one stream; its columns are the accumulators.
//
//===----------------------------------------------------------------------===//

#include "ByteGroups.h"
#include "ContractionLoops.h"
#include "KernelShape.h"
#include "onnxc/Dialect/Krnl/IR/ByteProduct.h"
#include "onnxc/Recipe/ChooseRecipe.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Recipe/RecipeBuilder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::TargetDescription;

namespace onnxc {

/// Vectors of a panel: enough sums that none waits for the one before.
static constexpr int64_t panelVectors = 4;
/// A smaller matrix stays in the first cache, however it is stored.
static constexpr int64_t leastBytes = 16 * 1024;

namespace {
/// A row times a matrix: what the kernel reduces, and its matrix.
struct RowProduct {
  linalg::LinalgOp op;
  unsigned matrix;
  OpOperand *operand = nullptr;
  /// Constants that belong to the matrix: scales of its blocks.
  SmallVector<OpOperand *> companions;
  /// The loop over columns, and the reduced ones; those of them that the matrix
  /// does not have: parts of its elements.
  std::string column;
  SmallVector<std::string> reduced, parts;
  /// As in Contraction.
  std::string blocks;
  SmallVector<OpOperand *> blockFactors;
};
} // namespace

/// The kernel operand, if it is a constant whose dimensions are indexed by one
/// loop each: nothing else can be stored in another way.
static std::optional<unsigned>
matrixNumber(KernelOp kernel, linalg::LinalgOp op, OpOperand &operand) {
  auto argument = dyn_cast<BlockArgument>(operand.get());
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!argument || argument.getOwner() != &kernel.getBody().front() ||
      argument.getArgNumber() >= kernel.getIns().size() || !type ||
      !type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return std::nullopt;
  auto constant =
      kernel.getIns()[argument.getArgNumber()].getDefiningOp<ConstantOp>();
  if (!constant || constant.getLayout() ||
      !llvm::all_of(op.getMatchingIndexingMap(&operand).getResults(),
                    [](AffineExpr index) { return isa<AffineDimExpr>(index); }))
    return std::nullopt;
  int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
  return bytes >= leastBytes ? std::optional(argument.getArgNumber())
                             : std::nullopt;
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
  auto companions =
      findCompanions(kernel, product.op, matrix, product.column, nullptr);
  if (companions)
    product.companions = std::move(*companions);
  return companions.has_value();
}

static std::optional<RowProduct> findRowProduct(KernelOp kernel) {
  std::optional<Reduction> reduction = findReduction(kernel);
  if (!reduction ||
      !reduction->op.getBlock()->getOps<tensor::ExtractOp>().empty())
    return std::nullopt;
  RowProduct product{};
  product.op = reduction->op;
  product.blocks = reduction->blocks;
  for (OpOperand *input : product.op.getDpsInputOperands())
    if (std::optional<unsigned> number =
            matrixNumber(kernel, product.op, *input)) {
      RowProduct found = product;
      found.matrix = *number;
      found.operand = input;
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

/// In a product of bytes: the reduced loop that is taken in groups, or none.
static std::string groupedLoop(KernelOp kernel, const RowProduct &product) {
  std::optional<ByteProduct> bytes = byteProductOf(product.op);
  if (!bytes)
    return {};
  Value matrix = kernel.getBody().getArgument(product.matrix);
  OpOperand *row = bytes->lhs.operand->get() == matrix ? bytes->rhs.operand
                                                       : bytes->lhs.operand;
  return chooseByteGroups(kernel, product.op, *row, product.reduced);
}

namespace {
/// Loops that the recipe makes; `group` may be empty.
struct PanelLoops {
  std::string panels, inner, group;
};
} // namespace

/// The matrix and what belongs to it are stored panel after panel.
static void writePacks(RecipeBuilder &recipe, KernelOp kernel,
                       const RowProduct &product, const PanelLoops &loops) {
  auto packOne = [&](unsigned number, ArrayRef<std::string> reduced,
                     bool inGroups) {
    SmallVector<std::string> stored{loops.panels};
    llvm::append_range(stored, reduced);
    stored.push_back(loops.inner);
    if (inGroups)
      stored.push_back(loops.group);
    recipe.pack(number, stored);
  };
  SmallVector<std::string> own;
  if (!product.blocks.empty())
    own.push_back(product.blocks);
  for (const std::string &loop : product.reduced)
    if (!llvm::is_contained(product.parts, loop))
      own.push_back(loop);
  packOne(product.matrix, own, !loops.group.empty());
  for (OpOperand *companion : product.companions)
    packOne(operandNumber(kernel, *companion),
            loopsOf(*companion, product.reduced), false);
  for (OpOperand *factor : product.blockFactors)
    packOne(operandNumber(kernel, *factor), loopsOf(*factor, product.blocks),
            false);
}

ArrayAttr chooseRowRecipe(KernelOp kernel, const TargetDescription &target,
                          const RecipeOptions &) {
  std::optional<RowProduct> product = findRowProduct(kernel);
  if (!product)
    return {};
  unsigned bits = 0;
  SmallVector<linalg::LinalgOp> ops = kernel.getStructuredOps();
  for (linalg::LinalgOp op : ops) {
    unsigned wide = vectorBits(op, product->column);
    if (wide == 0 || !gathersPay(op, product->column))
      return {};
    bits = std::max(bits, wide);
  }
  int64_t lanes = target.lanes(bits);
  int64_t columns = extentOf(kernel, product->column, 0);
  if (lanes < 2 || columns < lanes)
    return {};
  int64_t vectors = std::min(columns / lanes, panelVectors);
  RecipeBuilder recipe(kernel.getContext());
  auto [panels, inner] =
      recipe.block(product->column, lanes * vectors, "p", "r", Tail::Mask);
  std::string group, groups, grouped = groupedLoop(kernel, *product);
  if (!grouped.empty()) {
    auto *place = llvm::find(product->reduced, grouped);
    group = blockByteGroups(recipe, kernel, grouped, product->reduced);
    groups = *place;
  }
  SmallVector<std::string> order{panels};
  if (!product->blocks.empty())
    order.push_back(product->blocks);
  llvm::append_range(order, product->reduced);
  if (!group.empty())
    order.push_back(group);
  order.push_back(inner);
  recipe.order(order);
  recipe.share({panels});
  if (trafficBytes(kernel, columns) >= parallelBytes)
    recipe.parallel({panels});
  if (!product->blocks.empty())
    recipe.together(product->blocks);
  recipe.vectorize(inner, lanes);
  recipe.unroll(inner, vectors);
  writePacks(recipe, kernel, *product, {panels, inner, group});
  unsigned number = llvm::find(ops, product->op) - ops.begin();
  if (!group.empty())
    recipe.dot(group, number);
  if (!group.empty() && !product->blocks.empty())
    recipe.unroll(groups, copiesOfGroups(kernel, grouped), number);
  for (const std::string &part : product->parts)
    recipe.unroll(part, extentOf(kernel, part, 1), number);
  return recipe.finish();
}

} // namespace onnxc
