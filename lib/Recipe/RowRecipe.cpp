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
  /// The loop over columns, and the reduced ones.
  std::string column;
  SmallVector<std::string> reduced;
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

/// All loops are those of the matrix: one is kept, the others are reduced.
static bool hasLoopsOfRow(KernelOp kernel, RowProduct &product,
                          OpOperand &matrix) {
  SmallVector<std::string> loops = accessLoops(product.op, matrix);
  product.reduced = reducedLoops(product.op);
  for (const std::string &loop : loopNames(kernel)) {
    if (!llvm::is_contained(loops, loop) || !isStatic(kernel, loop))
      return false;
    if (llvm::is_contained(product.reduced, loop))
      continue;
    if (!product.column.empty())
      return false;
    product.column = loop;
  }
  return !product.column.empty();
}

static std::optional<RowProduct> findRowProduct(KernelOp kernel) {
  RowProduct product{};
  for (linalg::LinalgOp op : kernel.getStructuredOps()) {
    if (op.getNumReductionLoops() == 0)
      continue;
    if (product.op || op.getNumDpsInits() != 1 || isOrdered(op))
      return std::nullopt;
    product.op = op;
  }
  if (!product.op ||
      !product.op.getBlock()->getOps<tensor::ExtractOp>().empty())
    return std::nullopt;
  for (OpOperand *input : product.op.getDpsInputOperands())
    if (std::optional<unsigned> number =
            matrixNumber(kernel, product.op, *input)) {
      product.matrix = *number;
      if (hasLoopsOfRow(kernel, product, *input))
        return product;
      product.column.clear();
    }
  return std::nullopt;
}

/// In a product of bytes: the reduced loop that is taken in groups, or none.
static std::string groupedLoop(KernelOp kernel, const RowProduct &product) {
  std::optional<ByteProduct> bytes = byteProductOf(product.op);
  if (!bytes)
    return {};
  Value matrix = kernel.getBody().getArgument(product.matrix);
  OpOperand *row = bytes->lhs->get() == matrix ? bytes->rhs : bytes->lhs;
  return chooseByteGroups(kernel, product.op, *row, product.reduced);
}

ArrayAttr chooseRowRecipe(KernelOp kernel, const TargetDescription &target,
                          const RecipeOptions &) {
  std::optional<RowProduct> product = findRowProduct(kernel);
  if (!product)
    return {};
  unsigned bits = 0;
  for (linalg::LinalgOp op : kernel.getStructuredOps()) {
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
  std::string group;
  if (std::string loop = groupedLoop(kernel, *product); !loop.empty())
    group = blockByteGroups(recipe, kernel, loop, product->reduced);
  SmallVector<std::string> order{panels};
  llvm::append_range(order, product->reduced);
  SmallVector<std::string> stored = order;
  if (!group.empty())
    order.push_back(group);
  order.push_back(inner);
  stored.push_back(inner);
  if (!group.empty())
    stored.push_back(group);
  recipe.order(order);
  recipe.share({panels});
  if (trafficBytes(kernel, columns) >= parallelBytes)
    recipe.parallel({panels});
  recipe.vectorize(inner, lanes);
  recipe.unroll(inner, vectors);
  recipe.pack(product->matrix, stored);
  if (!group.empty()) {
    auto ops = kernel.getStructuredOps();
    recipe.dot(group, llvm::find(ops, product->op) - ops.begin());
  }
  return recipe.finish();
}

} // namespace onnxc
