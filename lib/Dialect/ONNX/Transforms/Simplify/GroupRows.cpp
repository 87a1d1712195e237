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

/// A view of a stack of matrices [b, h, m, n] with `matrices` of them, and as
/// many rows more of each. Other sizes stay as they are.
static SmallVector<int64_t> stackShape(RankedTensorType stack,
                                       int64_t matrices) {
  SmallVector<int64_t> shape(stack.getShape());
  for (int64_t kept : {0, 3})
    if (ShapedType::isDynamic(shape[kept]))
      shape[kept] = 0;
  bool isKnown = !ShapedType::isDynamic(shape[2]);
  shape[2] = isKnown ? shape[1] * shape[2] / matrices : -1;
  shape[1] = matrices;
  return shape;
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

/// Returns true if all dimensions of the view but the second one are those of
/// the tensor but the second and the third one. Of sizes that agree but for
/// one, that one agrees, too.
bool keepsMatrices(ReshapeOp merge, ArrayRef<int64_t> from,
                   ArrayRef<int64_t> to) {
  std::optional<SmallVector<int64_t>> shape = constantInts(merge.getShape());
  bool copiesBatch = shape && shape->front() == 0;
  return llvm::count(to.drop_front(copiesBatch), ShapedType::kDynamic) <= 1 &&
         from[0] == to[0] && from.take_back(2) == to.take_back(2) &&
         !llvm::is_contained(to, 0);
}

/// [b, G, 1, s, t] -> [b, G, g, s, t] -> [b, G*g, s, t]
bool isRepeated(RepeatedStack stack) {
  auto typeOf = [](Value value) {
    return dyn_cast<RankedTensorType>(value.getType());
  };
  RankedTensorType from = typeOf(stack.expand.getInput()),
                   to = typeOf(stack.expand.getOutput()),
                   merged = typeOf(stack.merge.getReshaped());
  if (!from || !to || !merged || from.getRank() != 5 || to.getRank() != 5 ||
      merged.getRank() != 4)
    return false;
  ArrayRef<int64_t> a = from.getShape(), b = to.getShape(),
                    c = merged.getShape();
  return a[2] == 1 && a[1] == b[1] && !ShapedType::isDynamic(b[1]) &&
         !ShapedType::isDynamic(b[2]) && c[1] == b[1] * b[2] && a[0] == b[0] &&
         a.take_back(2) == b.take_back(2) && keepsMatrices(stack.merge, b, c) &&
         keepsUnknownSizes(stack.expand);
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
  if (!isRepeated(stack))
    return rewriter.notifyMatchFailure(op, "the groups are not known");
  auto left = dyn_cast<RankedTensorType>(op.getA().getType());
  auto right = dyn_cast<RankedTensorType>(op.getB().getType());
  auto result = dyn_cast<RankedTensorType>(op.getY().getType());
  Value fewer = stack.expand.getInput();
  int64_t groups = cast<RankedTensorType>(fewer.getType()).getDimSize(1),
          matrices = cast<RankedTensorType>(stack.merge.getReshaped().getType())
                         .getDimSize(1);
  if (!left || !right || !result || left.getRank() != 4 ||
      right.getRank() != 4 || left.getDimSize(1) != matrices ||
      result.getRank() != 4)
    return rewriter.notifyMatchFailure(op, "not as many rows as matrices");
  if (llvm::is_contained(left.getShape(), 0) ||
      llvm::is_contained(result.getShape(), 0))
    return rewriter.notifyMatchFailure(op, "a size is zero");

  NodeMaker make(rewriter, op.getLoc());
  Value stacked = make.squeeze(fewer, 2);
  for (OpOperand *inner : llvm::reverse(stack.chain))
    stacked = again(rewriter, *inner, stacked, groups);
  Value rows = make.reshape(op.getA(), stackShape(left, groups));
  Value product = make.make("MatMul", {rows, stacked});
  Value shape = make.ints(stackShape(result, matrices));
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op->getResultTypes(),
                                         ValueRange{product, shape});
  return success();
}

} // namespace

void onnxc::onnx::populateGroupRowsPatterns(RewritePatternSet &patterns) {
  addRewrites<groupRows>(patterns);
}
