//===- OrderLoops.cpp - Loops in the order of memory ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//   loops [oc, h, w, ic, kh, kw]   y: h x w x oc   x: (h + kh) x (w + kw) x ic
// -> loops [h, w, oc, kh, kw, ic]
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace onnxc::krnl {

void replaceAxes(ComputeOp op, ArrayRef<AffineExpr> dims,
                 ArrayRef<StringRef> axes, unsigned parallel) {
  for (auto index :
       llvm::make_early_inc_range(op.getBody()->getOps<IndexOp>())) {
    AffineExpr now = dims[index.getDim()];
    if (auto dim = dyn_cast<AffineDimExpr>(now)) {
      index.setLoop(axes[dim.getPosition()]);
      continue;
    }
    OpBuilder builder(index);
    index.replaceAllUsesWith(
        arith::ConstantIndexOp::create(builder, index.getLoc(),
                                       cast<AffineConstantExpr>(now).getValue())
            .getResult());
    index.erase();
  }
  SmallVector<Subscripts> accesses = op.getSubscripts();
  for (Subscripts &access : accesses)
    for (Subscript &at : access)
      at.index = at.index.replaceDims(dims);
  Builder builder(op.getContext());
  op.setParallelAttr(builder.getStrArrayAttr(axes.take_front(parallel)));
  op.setReducedAttr(builder.getStrArrayAttr(axes.drop_front(parallel)));
  op.setSubscripts(accesses);
}

void eraseInput(ComputeOp op, unsigned number) {
  SmallVector<Subscripts> accesses = op.getSubscripts();
  accesses.erase(accesses.begin() + number);
  op.getBody()->eraseArgument(number);
  op.getInputsMutable().erase(number);
  op.setSubscripts(accesses);
}

/// The names of the op's loops as its result, then its operands have them.
static void collectLoops(ComputeOp op, SetVector<StringRef> &names) {
  SmallVector<StringRef> axes = op.getAxes();
  auto collect = [&](OpOperand &operand) {
    Access access(operand);
    for (unsigned position : llvm::seq(access.getRank()))
      for (unsigned dim : llvm::seq(access.getNumLoops()))
        if (access.dependsOnAt(position, dim))
          names.insert(axes[dim]);
  };
  for (OpOperand &init : op.getDpsInitsMutable())
    collect(init);
  for (OpOperand *input : op.getDpsInputOperands())
    collect(*input);
}

/// Gives the parallel loops of the op, and the reduced ones, the order of the
/// kernel's loops.
static void orderDims(KernelOp kernel, ComputeOp op) {
  SmallVector<StringRef> axes = op.getAxes();
  SmallVector<unsigned> old = llvm::to_vector(llvm::seq<unsigned>(axes.size()));
  auto byLoop = [&](unsigned a, unsigned b) {
    return *kernel.findLoop(axes[a]) < *kernel.findLoop(axes[b]);
  };
  auto reduced = old.begin() + op.getNumParallelLoops();
  llvm::sort(old.begin(), reduced, byLoop);
  llvm::sort(reduced, old.end(), byLoop);
  SmallVector<AffineExpr> dims(old.size());
  SmallVector<StringRef> names;
  for (auto [position, dim] : llvm::enumerate(old)) {
    dims[dim] = getAffineDimExpr(position, op.getContext());
    names.push_back(axes[dim]);
  }
  replaceAxes(op, dims, names, op.getNumParallelLoops());
}

void orderLoops(KernelOp kernel) {
  auto ops = llvm::to_vector(kernel.getBody().getOps<ComputeOp>());
  if (ops.empty())
    return;
  // The op with the most loops decides.
  SetVector<StringRef> names;
  collectLoops(*llvm::max_element(ops,
                                  [](ComputeOp a, ComputeOp b) {
                                    return a.getNumLoops() < b.getNumLoops();
                                  }),
               names);
  for (ComputeOp op : ops)
    collectLoops(op, names);
  for (auto loop : kernel.getLoops().getAsRange<LoopAttr>())
    names.insert(loop.getName());
  SmallVector<LoopAttr> loops;
  for (StringRef name : names)
    loops.push_back(kernel.getLoop(*kernel.findLoop(name)));
  kernel.replaceLoops(loops);
  for (auto op : kernel.getBody().getOps<ComputeOp>())
    orderDims(kernel, op);
}

} // namespace onnxc::krnl
