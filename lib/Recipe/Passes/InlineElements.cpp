//===- InlineElements.cpp - Elements computed where read --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//   kernel "mask"  loops [b, q, k]  m[b, q, k] = (k > q ? -inf : 0) + p[b, k]
//   kernel "add"  loops [b, h, q, k]  y = x[b, h, q, k] + m[b, q, k]
// ->
//   kernel "add"  loops [b, h, q, k]
//     y = x[b, h, q, k] + ((k > q ? -inf : 0) + p[b, k])
//
//===----------------------------------------------------------------------===//

#include "Passes/InlineElements.h"

#include "Passes/UnitViews.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

Value argumentFor(KernelOp kernel, Value outside) {
  unsigned number =
      llvm::find(kernel.getIns(), outside) - kernel.getIns().begin();
  if (number < kernel.getIns().size())
    return kernel.getInArgument(number);
  kernel.getInsMutable().append(outside);
  return kernel.getBody().front().insertArgument(number, outside.getType(),
                                                 kernel.getLoc());
}

static ComputeOp onlyOpOf(KernelOp kernel) {
  auto ops = llvm::to_vector(kernel.getBody().getOps<ComputeOp>());
  return ops.size() == 1 ? ops.front() : ComputeOp();
}

/// Returns true if the payload compares indices of loops.
static bool comparesIndices(ComputeOp op) {
  return llvm::any_of(op.getBody()->getOps<arith::CmpIOp>(),
                      [](arith::CmpIOp compare) {
                        return compare.getLhs().getType().isIndex() ||
                               compare.getRhs().getType().isIndex();
                      });
}

/// Returns true if the payload computes an integer or a condition of integers,
/// such as positions, by operations that take a few cycles.
static bool comparesIntegers(ComputeOp op) {
  Operation *yield = op.getBody()->getTerminator();
  return yield->getOperand(0).getType().isIntOrIndex() &&
         llvm::all_of(op.getBody()->without_terminator(), [](Operation &inner) {
           return isa<IndexOp, arith::ConstantOp, arith::IndexCastOp,
                      arith::AddIOp, arith::SubIOp, arith::CmpIOp,
                      arith::AndIOp, arith::OrIOp, arith::XOrIOp,
                      arith::ExtUIOp, arith::ExtSIOp, arith::SelectOp>(inner);
         });
}

bool computesMask(KernelOp kernel) {
  ComputeOp op = onlyOpOf(kernel);
  if (!op || !kernel.getRecipe().empty() || kernel.getNumResults() != 1 ||
      op.getNumReductionLoops() != 0 || op.getNumDpsInits() != 1 ||
      op.getNumLoops() == 0 || op.getName() ||
      !op.getBody()->getOps<tensor::ExtractOp>().empty())
    return false;
  Access written(*op.getDpsInitOperand(0));
  return written.isOneToOne() && written.coversAll() &&
         (op.getNumDpsInputs() == 0 || comparesIndices(op) ||
          comparesIntegers(op)) &&
         llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
           Access read(*input);
           return read.isPlain() && inputNumber(kernel, input->get()) >= 0 &&
                  llvm::any_of(llvm::seq(op.getNumLoops()), [&](unsigned dim) {
                    return !read.dependsOn(dim);
                  });
         });
}

namespace {
/// One input of an op that reads what another op writes.
class ElementInliner {
public:
  ElementInliner(ComputeOp maker, ComputeOp reader, unsigned input)
      : maker(maker), reader(reader), input(input),
        from(maker->getParentOfType<KernelOp>()),
        to(reader->getParentOfType<KernelOp>()) {}

  /// `dims` has the dimension of what is read for each of what is written.
  bool matchLoops(ArrayRef<std::optional<unsigned>> dims);
  /// False if a value of the payload cannot be had in the other kernel.
  bool canMap();
  void inlineElements();

private:
  Value mapOutside(OpBuilder &b, Value value);
  void addInput(OpOperand &operand);
  Value clonePayload();

  ComputeOp maker, reader;
  unsigned input;
  KernelOp from, to;
  /// The index of the reader for each loop of the maker.
  SmallVector<AffineExpr> loops;
  IRMapping mapping;
};
} // namespace

bool ElementInliner::matchLoops(ArrayRef<std::optional<unsigned>> dims) {
  Access written(*maker.getDpsInitOperand(0));
  Subscripts read = reader.getSubscripts(*reader.getDpsInputOperand(input));
  AffineExpr zero = getAffineConstantExpr(0, maker.getContext());
  loops.assign(maker.getNumLoops(), zero);
  for (auto [position, dim] : llvm::enumerate(dims)) {
    std::optional<unsigned> loop = written.loopAt(position);
    if (!loop || !dim)
      continue;
    const Subscript &at = read[*dim];
    if (!at.getLoop() && !isa<AffineConstantExpr>(at.index))
      return false;
    loops[*loop] = at.index;
  }
  return true;
}

/// Arguments of the kernel are those of the other one, or new ones.
bool ElementInliner::canMap() {
  bool isPossible = true;
  maker.getPayload().walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      Operation *outside = operand.getDefiningOp();
      if (outside && outside->getParentOp() == from)
        isPossible &= outside->hasTrait<OpTrait::ConstantLike>();
    }
  });
  return isPossible;
}

/// What the payload uses of its kernel's body.
Value ElementInliner::mapOutside(OpBuilder &b, Value value) {
  Operation *constant = value.getDefiningOp();
  if (constant)
    return b.clone(*constant)->getResult(0);
  size_t number = cast<BlockArgument>(value).getArgNumber(),
         ins = from.getIns().size(), outs = from.getOuts().size();
  Value outside = number < ins ? from.getIns()[number]
                               : from.getExtents()[number - ins - outs];
  return argumentFor(to, outside);
}

void ElementInliner::addInput(OpOperand &operand) {
  Value argument =
      argumentFor(to, from.getIns()[inputNumber(from, operand.get())]);
  Subscripts access = maker.getSubscripts(operand);
  for (Subscript &at : access)
    at.index = at.index.replaceDims(loops);
  SmallVector<Subscripts> accesses = reader.getSubscripts();
  unsigned number = reader.getNumDpsInputs();
  accesses.insert(accesses.begin() + number, access);
  reader.getInputsMutable().append(argument);
  reader.setSubscripts(accesses);
  BlockArgument element = maker.getMatchingBlockArgument(&operand);
  mapping.map(element, reader.getBody()->insertArgument(
                           number, element.getType(), element.getLoc()));
}

Value ElementInliner::clonePayload() {
  OpBuilder b = OpBuilder::atBlockBegin(reader.getBlock());
  SmallVector<StringRef> axes = reader.getAxes();
  for (Operation &inner : maker.getBody()->without_terminator()) {
    if (auto index = dyn_cast<IndexOp>(inner)) {
      AffineExpr at = loops[index.getDim()];
      Value mapped;
      if (auto dim = dyn_cast<AffineDimExpr>(at))
        mapped = IndexOp::create(b, index.getLoc(), axes[dim.getPosition()]);
      else
        mapped = arith::ConstantIndexOp::create(
            b, index.getLoc(), cast<AffineConstantExpr>(at).getValue());
      mapping.map(index.getResult(), mapped);
      continue;
    }
    inner.walk([&](Operation *user) {
      for (Value operand : user->getOperands())
        if (operand.getParentBlock() == &from.getBody().front() &&
            !mapping.contains(operand))
          mapping.map(operand, mapOutside(b, operand));
    });
    b.clone(inner, mapping);
  }
  Value yielded = maker.getBody()->getTerminator()->getOperand(0);
  if (yielded.getParentBlock() == &from.getBody().front())
    return mapOutside(b, yielded);
  return mapping.lookupOrDefault(yielded);
}

void ElementInliner::inlineElements() {
  for (OpOperand *operand : maker.getDpsInputOperands())
    addInput(*operand);
  Value element = clonePayload();
  reader.getBody()->getArgument(input).replaceAllUsesWith(element);
  eraseInput(reader, input);
}

/// Folds what follows from constants.
static void foldPayload(RewriterBase &rewriter, ComputeOp op) {
  for (Operation &inner :
       llvm::make_early_inc_range(op.getBody()->without_terminator())) {
    rewriter.setInsertionPoint(&inner);
    SmallVector<Value> results;
    if (succeeded(rewriter.tryFold(&inner, results)) && !results.empty())
      rewriter.replaceOp(&inner, results);
  }
  for (Operation &inner :
       llvm::make_early_inc_range(llvm::reverse(*op.getBody())))
    if (isOpTriviallyDead(&inner))
      rewriter.eraseOp(&inner);
}

/// Lets the kernel compute what it reads of the tensor, a view of the maker's
/// result.
static void inlineInto(RewriterBase &rewriter, ComputeOp maker, KernelOp reader,
                       Value tensor, ArrayRef<std::optional<unsigned>> dims) {
  bool isChanged = false;
  for (auto op : llvm::to_vector(reader.getBody().getOps<ComputeOp>())) {
    if (reductionKindOf(op) == ReductionKind::Contraction)
      continue;
    for (unsigned input : llvm::reverse(llvm::seq(op.getNumDpsInputs()))) {
      int number = inputNumber(reader, op.getInputs()[input]);
      ElementInliner inliner(maker, op, input);
      if (number < 0 || reader.getIns()[number] != tensor ||
          !inliner.matchLoops(dims) || !inliner.canMap())
        continue;
      inliner.inlineElements();
      foldPayload(rewriter, op);
      isChanged = true;
    }
  }
  if (isChanged)
    dropUnusedInputs(rewriter, reader);
}

void inlineIntoReaders(RewriterBase &rewriter, KernelOp kernel) {
  ComputeOp maker = onlyOpOf(kernel);
  Value made = kernel.getResult(0);
  SmallVector<Value> open{made};
  while (!open.empty()) {
    Value tensor = open.pop_back_val();
    SmallVector<std::optional<unsigned>> dims;
    for (auto dim :
         llvm::seq<unsigned>(cast<RankedTensorType>(made.getType()).getRank()))
      dims.push_back(dim);
    if (tensor != made) {
      auto ofView = dimensionsOfView(tensor, made);
      if (!ofView)
        continue;
      dims = *ofView;
    }
    SetVector<Operation *> users(tensor.user_begin(), tensor.user_end());
    for (Operation *user : users) {
      auto reader = dyn_cast<KernelOp>(user);
      if (reader && reader.getRecipe().empty() &&
          reader->getBlock() == kernel->getBlock())
        inlineInto(rewriter, maker, reader, tensor, dims);
      else if (user->getNumResults() == 1 &&
               viewedBy(user->getResult(0)) == tensor)
        open.push_back(user->getResult(0));
    }
  }
}

} // namespace onnxc
