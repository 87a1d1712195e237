//===- FoldElementwise.cpp - Fold elementwise ops into users -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//   %a = compute [i, j] (x, y) { add }
//   %b = compute [i, j] (%a)   { relu }
// -> %b = compute [i, j] (x, y) { add; relu }
//
// Upstream's elementwise fusion is for linalg.generic; this one has less to do,
// since both ops run over the same loops.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"
#include "onnxc/Support/NodeLocations.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace onnxc::krnl {

/// The only op that reads `op`'s single result, by one operand or more.
static ComputeOp findOnlyReader(ComputeOp op) {
  ComputeOp reader;
  for (OpOperand &use : op.getResult(0).getUses()) {
    auto user = dyn_cast<ComputeOp>(use.getOwner());
    if (!user || (reader && user != reader) || user.isDpsInit(&use))
      return nullptr;
    reader = user;
  }
  return reader;
}

/// Where the reader reads the producer's result.
static SmallVector<OpOperand *> readsOf(ComputeOp producer, ComputeOp reader) {
  return llvm::filter_to_vector(
      reader.getDpsInputOperands(), [&](OpOperand *operand) {
        return operand->get() == producer.getResult(0);
      });
}

/// For each iterator dimension of the producer, the dimension of the reader
/// that is the same loop; nothing unless the reader visits each element
/// once. Reads by different dimensions would need the producer twice.
static std::optional<SmallVector<AffineExpr>> matchDims(ComputeOp producer,
                                                        ComputeOp reader) {
  SmallVector<OpOperand *> reads = readsOf(producer, reader);
  Access written(*producer.getDpsInitOperand(0)), read(*reads.front());
  if (producer.getNumLoops() != reader.getNumLoops() ||
      !llvm::all_of(
          reads, [&](OpOperand *operand) { return Access(*operand) == read; }))
    return std::nullopt;
  // Without loops each has one position, which may be a part of the tensor.
  bool isSame = producer.getNumLoops() == 0 && written == read;
  if (!isSame && !(written.isOneToOne() && read.isOneToOne()))
    return std::nullopt;
  SmallVector<AffineExpr> dims(producer.getNumLoops());
  for (unsigned position : llvm::seq(written.getRank()))
    if (std::optional<unsigned> dim = written.loopAt(position))
      dims[*dim] = read.getIndex(position);
  return dims;
}

static bool isFoldable(ComputeOp op) {
  return op->getNumResults() == 1 && op.getNumReductionLoops() == 0 &&
         !op.getName();
}

namespace {
/// The inputs of the op that two become.
struct FoldedInputs {
  /// The number of the operand of either op among them; -1 if its payload does
  /// not use it, or the producer makes it.
  int add(ComputeOp op, OpOperand &operand) {
    Subscripts access = op.getSubscripts(operand);
    if (operand.get() == between || !op.payloadUsesValueFromOperand(&operand))
      return -1;
    for (unsigned i : llvm::seq<unsigned>(values.size()))
      if (values[i] == operand.get() && accesses[i] == access)
        return int(i);
    values.push_back(operand.get());
    accesses.push_back(std::move(access));
    return int(values.size()) - 1;
  }

  Value between;
  SmallVector<Value> values;
  SmallVector<Subscripts> accesses;
};
} // namespace

/// Folds what reads the value, which was an element of a tensor: a condition
/// that was stored as a byte and compared with 0 is the condition.
static void foldReaders(RewriterBase &rewriter, Value value) {
  Operation *maker = value.getDefiningOp();
  if (!maker || !isa<ComputeOp>(maker->getParentOp()))
    return;
  llvm::SetVector<Operation *> readers(value.user_begin(), value.user_end());
  for (Operation *reader : readers) {
    SmallVector<Value> results;
    rewriter.setInsertionPoint(reader);
    if (succeeded(rewriter.tryFold(reader, results)) && !results.empty())
      rewriter.replaceOp(reader, results);
  }
  if (isOpTriviallyDead(maker))
    rewriter.eraseOp(maker);
}

/// Makes one op of the two, `dims` being the reader's loops of the producer's.
static void fold(RewriterBase &rewriter, ComputeOp producer, ComputeOp reader,
                 ArrayRef<AffineExpr> dims) {
  unsigned parallel = reader.getNumParallelLoops();
  replaceAxes(producer, dims, reader.getAxes(), parallel);
  FoldedInputs inputs{producer.getResult(0), {}, {}};
  SmallVector<int> ofReader, ofProducer;
  for (OpOperand *input : reader.getDpsInputOperands())
    ofReader.push_back(inputs.add(reader, *input));
  for (OpOperand &operand : producer->getOpOperands())
    ofProducer.push_back(inputs.add(producer, operand));
  SmallVector<Subscripts> accesses = inputs.accesses;
  for (OpOperand &init : reader.getDpsInitsMutable())
    accesses.push_back(reader.getSubscripts(init));
  rewriter.setInsertionPoint(reader);
  Value between;
  auto folded = ComputeOp::create(
      rewriter, fuseLocations(producer.getLoc(), reader.getLoc()),
      inputs.values, reader.getDpsInits(), accesses, reader.getAxes(), parallel,
      reader.getNameAttr(), [&](OpBuilder &, Location, ValueRange args) {
        Block *body = args.front().getParentBlock();
        auto pick = [&](ArrayRef<int> numbers, Value other) {
          return llvm::map_to_vector(
              numbers, [&](int i) { return i < 0 ? other : args[i]; });
        };
        rewriter.inlineBlockBefore(producer.getBody(), body, body->end(),
                                   pick(ofProducer, args.back()));
        Operation *yield = &body->back();
        between = yield->getOperand(0);
        SmallVector<Value> values = pick(ofReader, between);
        llvm::append_range(values, args.drop_front(inputs.values.size()));
        rewriter.eraseOp(yield);
        rewriter.inlineBlockBefore(reader.getBody(), body, body->end(), values);
      });
  foldReaders(rewriter, between);
  rewriter.replaceOp(reader, folded.getResults());
  Value destination = producer.getDpsInits()[0];
  rewriter.eraseOp(producer);
  if (auto temporary = destination.getDefiningOp<TemporaryOp>())
    rewriter.eraseOp(temporary);
}

/// Folds the first op that allows it.
static bool foldOne(RewriterBase &rewriter, KernelOp kernel) {
  for (auto producer : kernel.getBody().getOps<ComputeOp>()) {
    if (!isFoldable(producer))
      continue;
    ComputeOp reader = findOnlyReader(producer);
    std::optional<SmallVector<AffineExpr>> dims;
    if (reader)
      dims = matchDims(producer, reader);
    if (!dims)
      continue;
    fold(rewriter, producer, reader, *dims);
    return true;
  }
  return false;
}

void foldElementwise(RewriterBase &rewriter, KernelOp kernel) {
  OpBuilder::InsertionGuard guard(rewriter);
  while (foldOne(rewriter, kernel)) {
  }
}

} // namespace onnxc::krnl
