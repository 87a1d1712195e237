//===- ChooseLayouts.cpp - Layouts of tensors of kernels --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A tensor that only kernels use may have its dimensions in any order: the
// order is part of its type, and the accesses of the kernels follow. Here each
// such tensor gets the dimension last that the ops with most of its work prefer
// along memory. For a convolution that is the output channels of its result,
// which are the vectors of its register tiles, and the input channels of its
// operand, which it sums up.
//
//   %y = kernel ... : 1x64x56x56   ->   %y = kernel ... : 1x56x56x64
//
// Tensors that are to have the same order form a group: the same memory, or
// accessed side by side by one op. Operands of the model, results, constants,
// and tensors that the host program reads stay as they are; a kernel between
// the two kinds reads one order and writes the other.
//
//===----------------------------------------------------------------------===//

#include "LayoutGroups.h"
#include "onnxc/Dialect/Krnl/IR/Kernels.h"
#include "onnxc/Dialect/Krnl/Transforms/Passes.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace onnxc::krnl {
#define GEN_PASS_DEF_KRNLCHOOSELAYOUTSPASS
#include "onnxc/Dialect/Krnl/Transforms/Passes.h.inc"

/// Each destination is memory of its own, however many share one op.
static void separateEmpties(Operation *module) {
  SmallVector<tensor::EmptyOp> empties;
  module->walk([&](tensor::EmptyOp empty) { empties.push_back(empty); });
  for (tensor::EmptyOp empty : empties) {
    OpBuilder builder(empty);
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : empty.getResult().getUses())
      if (!isa<tensor::DimOp>(use.getOwner()))
        uses.push_back(&use);
    for (OpOperand *use : ArrayRef(uses).drop_front(!uses.empty()))
      use->set(builder.clone(*empty)->getResult(0));
  }
}

static void permuteType(Value value, ArrayRef<int64_t> order) {
  auto type = cast<RankedTensorType>(value.getType());
  value.setType(RankedTensorType::get(applyPermutation(type.getShape(), order),
                                      type.getElementType()));
}

static void permute(LayoutGroups &groups, tensor::EmptyOp empty) {
  SmallVector<int64_t> order = groups.orderOf(empty);
  if (order.empty())
    return;
  SmallVector<OpFoldResult> sizes =
      applyPermutation(empty.getMixedSizes(), order);
  OpBuilder builder(empty);
  auto made = tensor::EmptyOp::create(builder, empty.getLoc(), sizes,
                                      empty.getType().getElementType());
  groups.replace(empty, made);
  empty.getResult().replaceAllUsesWith(made);
  empty.erase();
}

static void permute(LayoutGroups &groups, tensor::DimOp dim) {
  SmallVector<int64_t> order = groups.orderOf(dim.getSource());
  if (order.empty())
    return;
  OpBuilder builder(dim);
  int64_t position = llvm::find(order, *dim.getConstantIndex()) - order.begin();
  dim.getIndexMutable().assign(
      arith::ConstantIndexOp::create(builder, dim.getLoc(), position));
}

/// Makes the view again between the orders that its sides have now.
static void permute(LayoutGroups &groups, Operation *view) {
  ViewSides sides = sidesOf(view);
  SmallVector<int64_t> order = groups.orderOf(sides.collapsed),
                       parts = groups.orderOf(sides.expanded);
  if (order.empty())
    return;
  SmallVector<ReassociationIndices> runs;
  int64_t next = 0;
  for (int64_t dim : order) {
    runs.emplace_back();
    for ([[maybe_unused]] int64_t part : sides.runs[dim])
      runs.back().push_back(next++);
  }
  OpBuilder builder(view);
  Value made;
  Value result = view->getResult(0), source = view->getOperand(0);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(view)) {
    SmallVector<OpFoldResult> sizes = expand.getMixedOutputShape();
    made = tensor::ExpandShapeOp::create(builder, view->getLoc(),
                                         result.getType(), source, runs,
                                         applyPermutation(sizes, parts));
  } else {
    made = tensor::CollapseShapeOp::create(builder, view->getLoc(),
                                           result.getType(), source, runs);
  }
  groups.replace(result, made);
  result.replaceAllUsesWith(made);
  view->erase();
}

/// Permutes the computed indices of stores to results and of loads from them.
static void permutePositions(LayoutGroups &groups, ComputeOp op) {
  auto permuteAt = [&](MutableOperandRange at, unsigned number) {
    if (SmallVector<int64_t> order =
            groups.orderOf(op.getDpsInitOperand(number)->get());
        !order.empty())
      at.assign(applyPermutation(llvm::to_vector(OperandRange(at)), order));
  };
  for (unsigned number : llvm::seq<unsigned>(op.getNumDpsInits()))
    if (ScatterStoreOp scatter = scatterStoreOf(op, number))
      permuteAt(scatter.getAtMutable(), number);
  for (auto current : op.getBody()->getOps<ScatterLoadOp>())
    permuteAt(current.getAtMutable(), current.getNumber());
}

/// Accesses inside the kernel follow their tensors.
static void permute(LayoutGroups &groups, KernelOp kernel) {
  for (auto op : kernel.getBody().getOps<ComputeOp>()) {
    SmallVector<Subscripts> accesses = op.getSubscripts();
    for (auto [access, operand] : llvm::zip_equal(accesses, op->getOperands()))
      if (SmallVector<int64_t> order = groups.orderOf(operand); !order.empty())
        access = applyPermutation(access, order);
    op.setSubscripts(accesses);
    permutePositions(groups, op);
    for (auto extract : op.getBody()->getOps<tensor::ExtractOp>())
      if (SmallVector<int64_t> order = groups.orderOf(extract.getTensor());
          !order.empty())
        extract.getIndicesMutable().assign(
            applyPermutation(llvm::to_vector(extract.getIndices()), order));
  }
}

/// Kernels that access tensors in a new order.
static SetVector<Operation *> findChanged(LayoutGroups &groups) {
  SetVector<Operation *> changed;
  for (Value value : groups.getValues()) {
    if (groups.orderOf(value).empty())
      continue;
    Operation *owner = value.getParentBlock()->getParentOp();
    if (Operation *producer = value.getDefiningOp();
        isa_and_nonnull<KernelOp>(producer))
      changed.insert(producer);
    if (isa<KernelOp>(owner))
      changed.insert(owner);
  }
  return changed;
}

/// Remarks on results of kernels whose order has changed.
static void reportOrder(Value value, ArrayRef<int64_t> order) {
  auto producer = value.getDefiningOp<KernelOp>();
  if (!producer || !producer.getContext()->getRemarkEngine())
    return;
  std::string dims;
  llvm::raw_string_ostream os(dims);
  llvm::interleaveComma(order, os);
  if (auto remark = remark::passed(
          producer.getLoc(),
          remark::RemarkOpts::name("Layout").category("krnl-choose-layouts")))
    remark << remark::metric("Order", dims)
           << remark::detail::Remark::Arg("Type",
                                          TypeAttr::get(value.getType()));
}

/// Changes all tensors, and what accesses them, to the orders of their groups.
static void permuteAll(LayoutGroups &groups, ArrayRef<KernelOp> kernels,
                       Operation *module) {
  // Accesses first: they look the values up.
  SetVector<Operation *> changed = findChanged(groups);
  SmallVector<Value> values = groups.getValues();
  SmallVector<tensor::DimOp> dims;
  module->walk([&](tensor::DimOp dim) { dims.push_back(dim); });
  for (tensor::DimOp dim : dims)
    permute(groups, dim);
  for (KernelOp kernel : kernels)
    permute(groups, kernel);
  for (Value value : values) {
    SmallVector<int64_t> order = groups.orderOf(value);
    if (order.empty())
      continue;
    if (auto empty = value.getDefiningOp<tensor::EmptyOp>()) {
      permute(groups, empty);
      continue;
    }
    permuteType(value, order);
    reportOrder(value, order);
  }
  for (Operation *view : groups.getViews())
    permute(groups, view);
  for (KernelOp kernel : kernels)
    if (changed.contains(kernel))
      orderLoops(kernel);
}

/// Changes the order of tensors between kernels.
static void chooseLayouts(Operation *module) {
  separateEmpties(module);
  SmallVector<KernelOp> kernels = kernelsOf(module);
  SmallVector<Operation *> views;
  module->walk([&](Operation *op) {
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      views.push_back(op);
  });
  LayoutGroups groups(kernels, views);
  auto vote = [&] {
    for (KernelOp kernel : kernels)
      for (auto op : kernel.getBody().getOps<ComputeOp>())
        voteForLayouts(groups, kernel, op);
  };
  vote();
  groups.pinShortRuns();
  groups.tieAdjacent(kernels);
  vote();
  permuteAll(groups, kernels, module);
}

namespace {
struct KrnlChooseLayoutsPass
    : impl::KrnlChooseLayoutsPassBase<KrnlChooseLayoutsPass> {
  using Base::Base;

  void runOnOperation() override { chooseLayouts(getOperation()); }
};
} // namespace

} // namespace onnxc::krnl
