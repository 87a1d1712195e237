//===- GroupRows.cpp - Products with a matrix that is repeated --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Heads of an attention that share their keys and values are written as a
// product with repeated matrices. The rows that are multiplied by the same
// matrix are the rows of one product, and nothing is repeated.
//
//===----------------------------------------------------------------------===//
#include "Simplify.h"
#include "onnxc/Dialect/ONNX/Transforms/NodeMaker.h"
#include "onnxc/Support/RewriteFunction.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace onnxc::onnx;

/// The shape as operand of Reshape: it must have all sizes but one, and none
/// that is zero.
static bool isSayable(ArrayRef<int64_t> shape) {
  return llvm::count(shape, ShapedType::kDynamic) <= 1 &&
         !llvm::is_contained(shape, 0);
}

static Value reshaped(NodeMaker &make, Value x, SmallVector<int64_t> shape) {
  llvm::replace(shape, ShapedType::kDynamic, int64_t(-1));
  return make.reshape(x, shape);
}

/// Returns true if dynamic sizes are those before: a shape that is computed may
/// make any size of 1.
static bool keepsUnknownSizes(ExpandOp expand) {
  auto from = cast<RankedTensorType>(expand.getInput().getType());
  if (from.hasStaticShape())
    return true;
  std::optional<SmallVector<int64_t>> sizes = constantInts(expand.getShape());
  if (!sizes)
    return false;
  for (auto [size, given] :
       llvm::zip(llvm::reverse(from.getShape()), llvm::reverse(*sizes)))
    if (ShapedType::isDynamic(size) && given != 1)
      return false;
  return true;
}

static bool isOneElement(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() <= 4 && type.hasStaticShape() &&
         type.getNumElements() == 1;
}

/// Operand of `op`, which does the same with each matrix of a stack, that is
/// the stack.
static OpOperand *stackOf(Operation *op) {
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    std::optional<ArrayRef<int64_t>> perm = transpose.getPerm();
    bool inside =
        perm && perm->size() == 4 && (*perm)[0] == 0 && (*perm)[1] == 1;
    return inside ? &op->getOpOperand(0) : nullptr;
  }
  if (isa<MulOp, DivOp>(op))
    for (unsigned side : {0, 1})
      if (isOneElement(op->getOperand(1 - side)) &&
          !isOneElement(op->getOperand(side)))
        return &op->getOpOperand(side);
  return nullptr;
}

namespace {

/// Stacks that are copies of fewer matrices, as far as their product goes.
struct RepeatedStack {
  /// From the product to the copies: the uses of each matrix.
  SmallVector<OpOperand *> chain;
  /// The copies, and the view that makes one stack of them.
  ExpandOp expand;
  ReshapeOp merge;
};

RepeatedStack findRepeated(Value value) {
  RepeatedStack stack;
  while (Operation *maker = value.getDefiningOp()) {
    OpOperand *inner = stackOf(maker);
    if (!inner || !maker->hasOneUse())
      break;
    stack.chain.push_back(inner);
    value = inner->get();
  }
  stack.merge = value.getDefiningOp<ReshapeOp>();
  if (stack.merge)
    stack.expand = stack.merge.getData().getDefiningOp<ExpandOp>();
  return stack;
}

/// [b, G, 1, s, t] -> [b, G, g, s, t] -> [b, G*g, s, t]
bool isRepeated(RankedTensorType from, RankedTensorType to,
                RankedTensorType merged) {
  if (from.getRank() != 5 || to.getRank() != 5 || merged.getRank() != 4)
    return false;
  ArrayRef<int64_t> a = from.getShape(), b = to.getShape(),
                    c = merged.getShape();
  // Of sizes that agree but for one, that one agrees, too.
  return isSayable(b) && isSayable(c) && a[2] == 1 && a[1] == b[1] &&
         !ShapedType::isDynamic(b[1]) && !ShapedType::isDynamic(b[2]) &&
         c[1] == b[1] * b[2] && a[0] == b[0] && b[0] == c[0] &&
         a.take_back(2) == b.take_back(2) && b.take_back(2) == c.take_back(2);
}

/// The operation of `inner` on a stack of fewer matrices.
Value again(PatternRewriter &rewriter, OpOperand &inner, Value stack,
            int64_t matrices) {
  IRMapping map;
  map.map(inner.get(), stack);
  Operation *made = rewriter.clone(*inner.getOwner(), map);
  auto type = cast<RankedTensorType>(made->getResult(0).getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[1] = matrices;
  made->getResult(0).setType(
      RankedTensorType::get(shape, type.getElementType()));
  return made->getResult(0);
}

/// y = matmul(a[b, G*g, m, k], reshape(expand(x[b, G, 1, k, n])))  ->
/// reshape(matmul(reshape(a)[b, G, g*m, k], reshape(x)[b, G, k, n]))
LogicalResult groupRows(MatMulOp op, PatternRewriter &rewriter) {
  RepeatedStack stack = findRepeated(op.getB());
  if (!stack.expand)
    return rewriter.notifyMatchFailure(op, "no matrix is repeated");
  ExpandOp expand = stack.expand;
  auto from = dyn_cast<RankedTensorType>(expand.getInput().getType());
  auto to = dyn_cast<RankedTensorType>(expand.getOutput().getType());
  auto merged = dyn_cast<RankedTensorType>(stack.merge.getReshaped().getType());
  if (!from || !to || !merged || !isRepeated(from, to, merged) ||
      !keepsUnknownSizes(expand))
    return rewriter.notifyMatchFailure(op, "the groups are not known");
  auto left = dyn_cast<RankedTensorType>(op.getA().getType());
  auto right = dyn_cast<RankedTensorType>(op.getB().getType());
  auto result = dyn_cast<RankedTensorType>(op.getY().getType());
  int64_t groups = to.getDimSize(1), repeats = to.getDimSize(2);
  if (!left || !right || !result || left.getRank() != 4 ||
      right.getRank() != 4 || left.getDimSize(1) != groups * repeats ||
      result.getRank() != 4)
    return rewriter.notifyMatchFailure(op, "not as many rows as matrices");
  SmallVector<int64_t> rows(left.getShape()), shared(from.getShape());
  rows[1] = groups;
  if (!ShapedType::isDynamic(rows[2]))
    rows[2] *= repeats;
  shared.erase(shared.begin() + 2);
  if (!isSayable(rows) || !isSayable(shared) || !isSayable(result.getShape()))
    return rewriter.notifyMatchFailure(op, "the shape is not constant");

  NodeMaker make(rewriter, op.getLoc());
  Value matrices = reshaped(make, expand.getInput(), shared);
  for (OpOperand *inner : llvm::reverse(stack.chain))
    matrices = again(rewriter, *inner, matrices, groups);
  Value product =
      make.make("MatMul", {reshaped(make, op.getA(), rows), matrices});
  SmallVector<int64_t> shape(result.getShape());
  llvm::replace(shape, ShapedType::kDynamic, int64_t(-1));
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op->getResultTypes(),
                                         ValueRange{product, make.ints(shape)});
  return success();
}

} // namespace

void onnxc::onnx::populateGroupRowsPatterns(RewritePatternSet &patterns) {
  addRewrites<groupRows>(patterns);
}
