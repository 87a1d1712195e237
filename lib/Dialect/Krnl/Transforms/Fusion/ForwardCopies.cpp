//===- ForwardCopies.cpp - Copies that readers do without -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//   %y = krnl.kernel "copy" loops [b, s, d] ins(%x: ?x?x1x64) outs(: ?x1x?x64)
//        %y[b, 0, s, d] = %x[b, s, 0, d]
//     ->
//   %y = a view of %x in the other shape
//
// A transposition is such a copy where it moves dimensions of one element only,
// or where the layout that its result has undoes it.
//
//   %y[i, j] = %x[2 i, j]
//   %z[i, j] = %y[i, 2 j + 1]
//     ->
//   %z[i, j] = %x[2 i, 2 j + 1]
//
// So slices of slices, and concatenations of them, read what is sliced.
//
//   %y[j, i] = %x[i, j]
//   %z[m, n] += %w[m, k] * %y[k, n]
//     ->
//   %z[m, n] += %w[m, k] * %x[n, k]
//
//===----------------------------------------------------------------------===//

#include "ForwardCopies.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/Transforms/ReadTransposed.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"
#include "onnxc/Support/NodeLocations.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace onnxc::krnl {

/// The input that the only op of the kernel copies to its result as it is; null
/// if it does anything else.
static OpOperand *findCopied(KernelOp kernel) {
  if (kernel->getNumResults() != 1 || kernel.getIns().size() != 1 ||
      !kernel.getRecipe().empty() ||
      !kernel.getOuts()[0].getDefiningOp<tensor::EmptyOp>() ||
      !llvm::hasSingleElement(kernel.getBody().getOps<ComputeOp>()))
    return nullptr;
  ComputeOp op = *kernel.getBody().getOps<ComputeOp>().begin();
  SmallVector<OpOperand *> read = readInputs(op);
  bool isCopy = read.size() == 1 && op.getNumDpsInits() == 1 &&
                op.getNumReductionLoops() == 0 &&
                inputNumber(kernel, read[0]->get()) == 0 &&
                kernel.getYield().getValues()[0] == op->getResult(0) &&
                op.getBlock()->getTerminator()->getOperand(0) ==
                    op.getMatchingBlockArgument(read[0]);
  return isCopy ? read[0] : nullptr;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// The loops that cover the dimensions of the operand, in order.
static SmallVector<unsigned> coveringLoops(const Access &access) {
  SmallVector<unsigned> loops;
  for (unsigned position : llvm::seq(access.getRank()))
    if (std::optional<unsigned> loop = access.loopAt(position))
      loops.push_back(*loop);
  return loops;
}

/// Returns true if the copy accesses both tensors in the order of memory.
static bool keepsPlaces(const Access &read, const Access &written) {
  return read.isOneToOne() && written.isOneToOne() &&
         !coveringLoops(read).empty() &&
         coveringLoops(read) == coveringLoops(written);
}

/// The dimensions that each loop stands for: the one that it covers, and those
/// of one element beside it.
static SmallVector<ReassociationIndices> groupsOf(OpOperand &operand) {
  Access access(operand);
  SmallVector<ReassociationIndices> groups(1);
  bool isCovered = false;
  for (unsigned position : llvm::seq(access.getRank())) {
    bool isLoop = access.loopAt(position).has_value();
    if (isLoop && isCovered)
      groups.emplace_back();
    isCovered |= isLoop;
    groups.back().push_back(position);
  }
  return groups;
}

static bool isView(Operation *op) {
  return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ReshapeOp>(
      op);
}

/// Returns true if only kernels read the value and its views.
static bool isOnlyRead(Value value) {
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto kernel = dyn_cast<KernelOp>(user))
      return use.getOperandNumber() < kernel.getIns().size();
    if (isView(user))
      return isOnlyRead(user->getResult(0));
    return isa<tensor::DimOp>(user);
  });
}

/// Returns true if a kernel writes over the tensor, after which the copy would
/// differ.
static bool isWritten(Value value) {
  return llvm::any_of(value.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isView(user))
      return isWritten(user->getResult(0));
    auto kernel = dyn_cast<KernelOp>(user);
    return kernel && use.getOperandNumber() >= kernel.getIns().size();
  });
}

/// The view of `source` that has the shape of the kernel's result; null if one
/// of the two knows a size that the other does not.
static Value makeView(OpBuilder &builder, KernelOp kernel, OpOperand &read,
                      OpOperand &written) {
  Value source = kernel.getIns()[0];
  auto type = cast<RankedTensorType>(kernel.getResult(0).getType());
  SmallVector<ReassociationIndices> from = groupsOf(read),
                                    to = groupsOf(written);
  auto flat = tensor::CollapseShapeOp::inferCollapsedType(
      cast<RankedTensorType>(source.getType()), from);
  if (flat != tensor::CollapseShapeOp::inferCollapsedType(type, to))
    return nullptr;
  builder.setInsertionPoint(kernel);
  Location loc = kernel.getLoc();
  if (source.getType() == type)
    return source;
  if (source.getType() != flat)
    source = tensor::CollapseShapeOp::create(builder, loc, flat, source, from);
  if (flat == type)
    return source;
  auto sizes =
      kernel.getOuts()[0].getDefiningOp<tensor::EmptyOp>().getMixedSizes();
  return tensor::ExpandShapeOp::create(builder, loc, type, source, to, sizes);
}

bool forwardCopy(RewriterBase &rewriter, KernelOp kernel) {
  OpOperand *read = findCopied(kernel);
  if (!read || !isOnlyRead(kernel.getResult(0)) ||
      isWritten(kernel.getIns()[0]))
    return false;
  auto op = cast<ComputeOp>(read->getOwner());
  OpOperand &written = *op.getDpsInitOperand(0);
  if (!keepsPlaces(Access(*read), Access(written)))
    return false;
  Value view = makeView(rewriter, kernel, *read, written);
  if (!view)
    return false;
  rewriter.replaceOp(kernel, view);
  return true;
}

//===----------------------------------------------------------------------===//
// Copies of copies
//===----------------------------------------------------------------------===//

/// Returns true if the op copies the operand, and does nothing else.
static bool copies(ComputeOp op, OpOperand &operand) {
  return op && !op.isDpsInit(&operand) && op.getNumReductionLoops() == 0 &&
         op.getNumDpsInits() == 1 && llvm::hasSingleElement(*op.getBlock()) &&
         op.getBlock()->getTerminator()->getOperand(0) ==
             op.getMatchingBlockArgument(&operand) &&
         !Access(operand).hasRanges();
}

/// How many elements the op reads of the operand, where dimensions of dynamic
/// size count as one element; nothing where a dynamic loop covers none of them.
static std::optional<int64_t> elementsRead(ComputeOp op, OpOperand &operand) {
  Access access(operand);
  llvm::SmallBitVector covering(op.getNumLoops());
  for (unsigned position : llvm::seq(access.getRank()))
    if (std::optional<unsigned> loop = access.loopAt(position))
      covering.set(*loop);
  int64_t elements = 1;
  for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges()))
    if (!ShapedType::isDynamic(extent))
      elements *= extent;
    else if (!covering.test(loop))
      return std::nullopt;
  return elements;
}

/// The number of elements of a tensor, where dynamic sizes count as one.
static int64_t elementsOf(ShapedType type) {
  int64_t elements = 1;
  for (int64_t size : type.getShape())
    if (!ShapedType::isDynamic(size))
      elements *= size;
  return elements;
}

/// The reads of the copy by copies, if nothing else uses it.
static SmallVector<OpOperand *> readsOf(KernelOp kernel) {
  SmallVector<OpOperand *> reads;
  int64_t left = elementsOf(cast<ShapedType>(kernel.getResult(0).getType()));
  for (OpOperand &use : kernel.getResult(0).getUses()) {
    auto reader = dyn_cast<KernelOp>(use.getOwner());
    if (!reader || reader->getBlock() != kernel->getBlock() ||
        !reader.getRecipe().empty() ||
        use.getOperandNumber() >= reader.getIns().size())
      return {};
    for (OpOperand &read :
         reader.getInArgument(use.getOperandNumber()).getUses()) {
      auto op = dyn_cast<ComputeOp>(read.getOwner());
      if (!copies(op, read))
        return {};
      std::optional<int64_t> elements = elementsRead(op, read);
      if (!elements || *elements > left)
        return {};
      left -= *elements;
      reads.push_back(&read);
    }
  }
  return reads;
}

/// The access to the tensor that is copied from `read` to `written`, in place
/// of one to the copy.
static Subscripts composed(OpOperand &read, OpOperand &written,
                           const Subscripts &access, unsigned numLoops) {
  auto op = cast<ComputeOp>(read.getOwner());
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> indices(op.getNumLoops(),
                                  getAffineConstantExpr(0, context));
  llvm::SmallBitVector isWhole(op.getNumLoops());
  for (auto [at, index] : llvm::zip_equal(op.getSubscripts(written), access))
    if (std::optional<unsigned> loop = at.getLoop()) {
      indices[*loop] = index.index;
      isWhole[*loop] = index.getLoop().has_value();
    }
  return llvm::map_to_vector(op.getSubscripts(read), [&](const Subscript &at) {
    AffineExpr index =
        simplifyAffineExpr(at.index.replaceDims(indices), numLoops, 0);
    std::optional<unsigned> loop = at.getLoop();
    return Subscript{index, isa<AffineDimExpr>(index) &&
                                !(loop && isWhole.test(*loop))};
  });
}

/// Lets the kernel have `source` for its input `number`.
static void replaceInput(KernelOp reader, unsigned number, Value source) {
  BlockArgument argument = reader.getInArgument(number);
  auto same = llvm::find(reader.getIns(), source);
  if (same == reader.getIns().end()) {
    reader.getInsMutable()[number].assign(source);
    argument.setType(source.getType());
    return;
  }
  argument.replaceAllUsesWith(
      reader.getInArgument(same - reader.getIns().begin()));
  reader.eraseInput(number);
}

/// Returns true if the op that reads writes all of its result.
static bool writesAll(OpOperand *read) {
  auto op = cast<ComputeOp>(read->getOwner());
  return Access(*op.getDpsInitOperand(0)).coversAll();
}

/// Returns true if the copy, or the first one of a chain of them, reads a
/// tensor that no kernel makes.
static bool copiesNoResult(KernelOp copy) {
  while (auto producer = copy.getIns()[0].getDefiningOp<KernelOp>()) {
    if (!findCopied(producer))
      return false;
    copy = producer;
  }
  return true;
}

/// Lets these reads of the copy from `read` read what is copied.
static void composeReads(OpOperand &read, ArrayRef<OpOperand *> reads) {
  OpOperand &written = *cast<ComputeOp>(read.getOwner()).getDpsInitOperand(0);
  for (OpOperand *operand : reads) {
    auto op = cast<ComputeOp>(operand->getOwner());
    SmallVector<Subscripts> accesses = op.getSubscripts();
    Subscripts &access = accesses[operand->getOperandNumber()];
    access = composed(read, written, access, op.getNumLoops());
    op.setSubscripts(accesses);
  }
}

/// Lets all reads of the copy read what is copied, and its readers have that
/// for an input.
static void readSource(KernelOp kernel, OpOperand &read,
                       ArrayRef<OpOperand *> reads) {
  composeReads(read, reads);
  Value source = kernel.getIns()[0], copy = kernel.getResult(0);
  while (!copy.use_empty()) {
    OpOperand &use = *copy.use_begin();
    replaceInput(cast<KernelOp>(use.getOwner()), use.getOperandNumber(),
                 source);
  }
}

bool composeCopies(RewriterBase &rewriter, KernelOp kernel, bool early) {
  OpOperand *read = findCopied(kernel);
  if (!read || isWritten(kernel.getIns()[0]) || Access(*read).hasRanges())
    return false;
  OpOperand &written = *cast<ComputeOp>(read->getOwner()).getDpsInitOperand(0);
  SmallVector<OpOperand *> reads = readsOf(kernel);
  if (!Access(written).isOneToOne() || reads.empty() ||
      (early && (llvm::any_of(reads, writesAll) || !copiesNoResult(kernel))))
    return false;
  for (Operation *user : kernel.getResult(0).getUsers())
    user->setLoc(fuseLocations(kernel.getLoc(), user->getLoc()));
  readSource(kernel, *read, reads);
  eraseWithOperands(rewriter, kernel);
  return true;
}

//===----------------------------------------------------------------------===//
// Transpositions
//===----------------------------------------------------------------------===//

/// The input that the kernel copies with its dimensions in another order, and
/// that is the same after it; null if it does anything else.
static OpOperand *findTransposed(KernelOp kernel) {
  OpOperand *read = findCopied(kernel);
  bool isOneToOne =
      read && !isWritten(kernel.getIns()[0]) && !Access(*read).hasRanges() &&
      Access(*read).isOneToOne() &&
      Access(*cast<ComputeOp>(read->getOwner()).getDpsInitOperand(0))
          .isOneToOne();
  return isOneToOne ? read : nullptr;
}

/// Adds the reads of elements of an input; false if it is used otherwise.
static bool addReads(KernelOp reader, unsigned input,
                     SmallVectorImpl<OpOperand *> &reads) {
  for (OpOperand &element : reader.getInArgument(input).getUses()) {
    auto op = dyn_cast<ComputeOp>(element.getOwner());
    if (!op || op.isDpsInit(&element) || Access(element).hasRanges())
      return false;
    reads.push_back(&element);
  }
  return true;
}

bool readTransposed(RewriterBase &rewriter, KernelOp kernel,
                    function_ref<bool(KernelOp)> isReader) {
  OpOperand *read = findTransposed(kernel);
  if (!read)
    return false;
  SmallVector<OpOperand *> reads;
  for (OpOperand &use : kernel.getResult(0).getUses()) {
    auto reader = dyn_cast<KernelOp>(use.getOwner());
    if (!reader || reader->getBlock() != kernel->getBlock() ||
        !reader.getRecipe().empty() || !isReader(reader) ||
        use.getOperandNumber() >= reader.getIns().size() ||
        !addReads(reader, use.getOperandNumber(), reads))
      return false;
  }
  readSource(kernel, *read, reads);
  eraseWithOperands(rewriter, kernel);
  return true;
}

bool readRowsInPlace(KernelOp reader, unsigned input) {
  auto copy = reader.getIns()[input].getDefiningOp<KernelOp>();
  OpOperand *read = copy ? findTransposed(copy) : nullptr;
  if (!read || copy->getBlock() != reader->getBlock())
    return false;
  Access from(*read),
      to(*cast<ComputeOp>(read->getOwner()).getDpsInitOperand(0));
  SmallVector<OpOperand *> reads;
  if (from.loopAt(from.getRank() - 1) != to.loopAt(to.getRank() - 1) ||
      !addReads(reader, input, reads))
    return false;
  composeReads(*read, reads);
  replaceInput(reader, input, copy.getIns()[0]);
  return true;
}

/// The dimensions of the result in the order of the loops along the tensor that
/// is copied, after those of one element; empty where a loop indexes several.
static SmallVector<int64_t> orderOfSource(OpOperand &read, OpOperand &written) {
  auto op = cast<ComputeOp>(read.getOwner());
  Access from(read), to(written);
  SmallVector<int64_t> order;
  llvm::SmallBitVector isLoop(to.getRank());
  for (unsigned position : llvm::seq(from.getRank()))
    if (std::optional<unsigned> loop = from.loopAt(position))
      for (unsigned dim : llvm::seq(to.getRank()))
        if (to.loopAt(dim) == loop) {
          order.push_back(dim);
          isLoop.set(dim);
        }
  if (!to.isOneToOne() || order.size() != op.getNumLoops() ||
      isLoop.count() != order.size() || !from.loopAt(from.getRank() - 1))
    return {};
  for (int64_t dim = to.getRank(); dim-- > 0;)
    if (!isLoop.test(dim))
      order.insert(order.begin(), dim);
  return llvm::is_sorted(order) ? SmallVector<int64_t>() : order;
}

/// Gives the tensor of a body this type, and its accesses this order.
static void permute(BlockArgument tensor, Type type, ArrayRef<int64_t> order) {
  tensor.setType(type);
  for (OpOperand &use : tensor.getUses()) {
    auto op = cast<ComputeOp>(use.getOwner());
    SmallVector<Subscripts> accesses = op.getSubscripts();
    Subscripts &access = accesses[use.getOperandNumber()];
    access = applyPermutation(access, order);
    op.setSubscripts(accesses);
    if (op.isDpsInit(&use))
      op.getTiedOpResult(&use).setType(type);
  }
}

bool writeInOrder(RewriterBase &rewriter, KernelOp kernel, KernelOp reader) {
  OpOperand *read = findCopied(kernel);
  if (!read || !kernel->hasOneUse() || !reader.getRecipe().empty())
    return false;
  OpOperand &use = *kernel.getResult(0).getUses().begin();
  if (use.getOwner() != reader ||
      use.getOperandNumber() >= reader.getIns().size())
    return false;
  BlockArgument argument = reader.getInArgument(use.getOperandNumber());
  SmallVector<int64_t> order = orderOfSource(
      *read, *cast<ComputeOp>(read->getOwner()).getDpsInitOperand(0));
  if (order.empty() || !llvm::all_of(argument.getUsers(), [](Operation *user) {
        return isa<ComputeOp>(user);
      }))
    return false;
  auto empty = kernel.getOuts()[0].getDefiningOp<tensor::EmptyOp>();
  SmallVector<OpFoldResult> sizes = empty.getMixedSizes();
  rewriter.setInsertionPoint(kernel);
  Value made = tensor::EmptyOp::create(rewriter, empty.getLoc(),
                                       applyPermutation(sizes, order),
                                       empty.getType().getElementType());
  kernel.getOutsMutable()[0].assign(made);
  if (empty->use_empty())
    rewriter.eraseOp(empty);
  permute(kernel.getOutArgument(0), made.getType(), order);
  kernel.getResult(0).setType(cast<RankedTensorType>(made.getType()));
  permute(argument, made.getType(), order);
  return true;
}

} // namespace onnxc::krnl
