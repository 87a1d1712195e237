//===- JoinedFactor.cpp - A product and its factor in one kernel *- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Loops of the product may be several of the factor, whose elements it has in
// one dimension: these are loops of the op of the factor alone.
//
//===----------------------------------------------------------------------===//

#include "Passes/JoinedFactor.h"

#include "onnxc/Dialect/Krnl/IR/Accesses.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

/// How many dimensions of a tensor are each one of the same tensor with fewer
/// of them; nothing if they are not.
static std::optional<SmallVector<unsigned>>
groupsOf(ArrayRef<int64_t> shape, ArrayRef<int64_t> collapsed) {
  SmallVector<unsigned> groups;
  for (int64_t size : collapsed) {
    unsigned count = 0;
    int64_t product = 1;
    while (!shape.empty() && (count == 0 || product < size)) {
      product *= shape.front();
      shape = shape.drop_front();
      ++count;
    }
    if (product != size || count == 0)
      return std::nullopt;
    groups.push_back(count);
  }
  return shape.empty() ? std::optional(groups) : std::nullopt;
}

/// The loop of the product that a dimension of the factor is indexed by.
static StringRef loopOfDim(ComputeOp sum, Value tensor, unsigned dim) {
  for (OpOperand *input : sum.getDpsInputOperands())
    if (input->get() == tensor)
      if (auto loop = sum.getSubscripts(*input)[dim].getLoop())
        return sum.getAxes()[*loop];
  return "";
}

/// The loops of the op of a factor in the kernel of its product, and where it
/// writes: a dimension that it has alone is indexed by the loop of the product.
struct FactorLoops {
  SmallVector<std::string> axes;
  /// Those that the kernel gets.
  SmallVector<LoopAttr> added;
  Subscripts result;
};

static FactorLoops loopsInProduct(KernelOp factor, KernelOp product,
                                  ComputeOp sum, ArrayRef<unsigned> groups) {
  MLIRContext *context = factor.getContext();
  Value tensor = product.getInArgument(0);
  FactorLoops loops;
  llvm::StringSet<> taken;
  for (auto loop : product.getLoops().getAsRange<LoopAttr>())
    taken.insert(loop.getName());
  for (auto [dim, count] : llvm::enumerate(groups)) {
    AffineExpr index = getAffineConstantExpr(0, context);
    for (unsigned i = 0; i < count; ++i) {
      LoopAttr loop = factor.getLoop(loops.axes.size());
      std::string name = loopOfDim(sum, tensor, dim).str();
      if (count > 1 || name.empty()) {
        name = loop.getName().str();
        while (!taken.insert(name).second)
          name += "x";
        loops.added.push_back(LoopAttr::get(context, name, loop.getExtent()));
      }
      index = index * loop.getExtent() +
              getAffineDimExpr(loops.axes.size(), context);
      loops.axes.push_back(name);
    }
    loops.result.push_back(Subscript{index});
  }
  return loops;
}

/// Copies the op of the factor before its product, in the kernel of that.
static Value copyFactor(OpBuilder &b, KernelOp factor, KernelOp joined,
                        const FactorLoops &loops, RankedTensorType type,
                        unsigned firstInput) {
  auto op = *factor.getBody().getOps<ComputeOp>().begin();
  SmallVector<Value> inputs;
  for (OpOperand *input : op.getDpsInputOperands())
    inputs.push_back(joined.getInArgument(
        firstInput + unsigned(inputNumber(factor, input->get()))));
  SmallVector<Subscripts> accesses = op.getSubscripts();
  accesses.back() = loops.result;
  SmallVector<StringRef> axes(loops.axes.begin(), loops.axes.end());
  Value memory = TemporaryOp::create(b, op.getLoc(), type);
  auto copy = ComputeOp::create(
      b, op.getLoc(), inputs, memory, accesses, axes, axes.size(), StringAttr(),
      [&](OpBuilder &b, Location, ValueRange args) {
        IRMapping mapping;
        mapping.map(op.getBlock()->getArguments(), args);
        for (Operation &inner : *op.getBlock())
          b.clone(inner, mapping);
      });
  return copy->getResult(0);
}

KernelOp buildJoined(OpBuilder &b, KernelOp factor, KernelOp product) {
  Value tensor = product.getInArgument(0);
  auto shape = cast<RankedTensorType>(factor.getResult(0).getType()),
       type = cast<RankedTensorType>(tensor.getType());
  auto groups = groupsOf(shape.getShape(), type.getShape());
  if (!groups || !tensor.hasOneUse())
    return {};
  auto sum = cast<ComputeOp>(*tensor.user_begin());
  FactorLoops loops = loopsInProduct(factor, product, sum, *groups);
  SmallVector<Value> ins = llvm::to_vector(product.getIns().drop_front());
  unsigned firstInput = ins.size();
  llvm::append_range(ins, factor.getIns());
  auto all = llvm::to_vector(product.getLoops().getAsRange<LoopAttr>());
  llvm::append_range(all, loops.added);
  auto joined = KernelOp::create(b, product.getLoc(), product.getName(), all,
                                 product.getExtents(), ins, product.getOuts());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&joined.getBody().front());
  IRMapping mapping;
  auto arguments = product.getBody().getArguments();
  unsigned before = product.getIns().size();
  for (unsigned number : llvm::seq(1u, before))
    mapping.map(arguments[number], joined.getInArgument(number - 1));
  for (auto [old, argument] :
       llvm::zip_equal(arguments.drop_front(before),
                       joined.getBody().getArguments().drop_front(ins.size())))
    mapping.map(old, argument);
  for (Operation &op : product.getBody().front()) {
    if (&op == sum)
      mapping.map(tensor,
                  copyFactor(b, factor, joined, loops, type, firstInput));
    b.clone(op, mapping);
  }
  return joined;
}

} // namespace onnxc
