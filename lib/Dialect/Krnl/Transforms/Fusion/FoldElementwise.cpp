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

#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

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
static SmallVector<AffineMap> readsOf(ComputeOp producer, ComputeOp reader) {
  SmallVector<AffineMap> maps;
  for (OpOperand *operand : reader.getDpsInputOperands())
    if (operand->get() == producer.getResult(0))
      maps.push_back(reader.getMatchingIndexingMap(operand));
  return maps;
}

/// For each iterator dimension of the producer, the dimension of the reader
/// that walks the same loop; nothing unless the reader visits each element
/// once. Reads by different dimensions would need the producer twice.
static std::optional<SmallVector<unsigned>> matchDims(ComputeOp producer,
                                                      ComputeOp reader) {
  AffineMap written = producer.getIndexingMapMatchingResult(
      cast<OpResult>(producer.getResult(0)));
  if (producer.getNumLoops() != reader.getNumLoops())
    return std::nullopt;
  SmallVector<AffineMap> reads = readsOf(producer, reader);
  // Without loops each has one position, which may be a part of the tensor.
  if (producer.getNumLoops() == 0 && llvm::all_equal(reads) &&
      llvm::is_contained(reads, written))
    return SmallVector<unsigned>();
  if (!written.isPermutation() || !llvm::all_equal(reads) ||
      !llvm::all_of(reads, [](AffineMap map) { return map.isPermutation(); }))
    return std::nullopt;
  SmallVector<unsigned> dims(producer.getNumLoops());
  for (AffineMap read : reads)
    for (auto [dim, expr] : llvm::enumerate(written.getResults()))
      dims[cast<AffineDimExpr>(expr).getPosition()] = read.getDimPosition(dim);
  return dims;
}

static bool isFoldable(ComputeOp op) {
  return op->getNumResults() == 1 && op.getNumReductionLoops() == 0 &&
         !op.getName();
}

namespace {
/// Operands of the folded op: those of the reader, less the producer's result,
/// plus those of the producer.
struct FoldedOperands {
  FoldedOperands(ComputeOp producer, ComputeOp reader, ArrayRef<unsigned> dims);

  SmallVector<Value> values;
  SmallVector<AffineMap> maps;
  /// Where among them an operand of either op is; -1 if it is not read.
  SmallVector<int> readerPosition, producerPosition;

private:
  int add(Value value, AffineMap map) {
    for (unsigned i : llvm::seq<unsigned>(values.size()))
      if (values[i] == value && maps[i] == map)
        return int(i);
    values.push_back(value);
    maps.push_back(map);
    return int(values.size()) - 1;
  }
};
} // namespace

FoldedOperands::FoldedOperands(ComputeOp producer, ComputeOp reader,
                               ArrayRef<unsigned> dims) {
  SmallVector<AffineExpr> toReader = llvm::map_to_vector(dims, [&](unsigned d) {
    return getAffineDimExpr(d, reader.getContext());
  });
  for (OpOperand *operand : reader.getDpsInputOperands()) {
    bool stays = operand->get() != producer.getResult(0) &&
                 reader.payloadUsesValueFromOperand(operand);
    readerPosition.push_back(
        stays ? add(operand->get(), reader.getMatchingIndexingMap(operand))
              : -1);
  }
  // An operand counts as read only if the payload uses it.
  for (OpOperand &operand : producer->getOpOperands()) {
    AffineMap map =
        producer.getMatchingIndexingMap(&operand).replaceDimsAndSymbols(
            toReader, {}, reader.getNumLoops(), 0);
    bool read = producer.payloadUsesValueFromOperand(&operand);
    producerPosition.push_back(read ? add(operand.get(), map) : -1);
  }
}

/// Clones the producer's payload, and returns the yielded value.
static Value clonePayload(RewriterBase &rewriter, ComputeOp producer,
                          ArrayRef<unsigned> dims, IRMapping &mapping) {
  for (Operation &inner : producer.getBody()->without_terminator()) {
    Operation *clone = rewriter.clone(inner, mapping);
    if (auto index = dyn_cast<linalg::IndexOp>(clone))
      index.setDim(dims[index.getDim()]);
  }
  return mapping.lookupOrDefault(
      producer.getBody()->getTerminator()->getOperand(0));
}

static void fold(RewriterBase &rewriter, ComputeOp producer, ComputeOp reader,
                 ArrayRef<unsigned> dims) {
  FoldedOperands operands(producer, reader, dims);
  SmallVector<AffineMap> maps = operands.maps;
  for (OpOperand &init : reader.getDpsInitsMutable())
    maps.push_back(reader.getMatchingIndexingMap(&init));
  rewriter.setInsertionPoint(reader);
  auto folded = ComputeOp::create(
      rewriter, rewriter.getFusedLoc({producer.getLoc(), reader.getLoc()}),
      operands.values, reader.getDpsInits(), maps, reader.getAxes(),
      reader.getNumParallelLoops(), reader.getNameAttr(),
      [&](OpBuilder &, Location, ValueRange args) {
        IRMapping inner, outer;
        for (auto [i, position] : llvm::enumerate(operands.producerPosition))
          if (position >= 0)
            inner.map(producer.getBody()->getArgument(i), args[position]);
        OpBuilder::InsertionGuard guard(rewriter);
        rewriter.setInsertionPointToEnd(args.front().getParentBlock());
        Value value = clonePayload(rewriter, producer, dims, inner);
        for (auto [i, position] : llvm::enumerate(operands.readerPosition))
          outer.map(reader.getBody()->getArgument(i),
                    position >= 0 ? args[position] : value);
        unsigned inputs = reader.getNumDpsInputs();
        for (unsigned i : llvm::seq<unsigned>(reader.getNumDpsInits()))
          outer.map(reader.getBody()->getArgument(inputs + i),
                    args[operands.values.size() + i]);
        for (Operation &op : *reader.getBody())
          rewriter.clone(op, outer);
      });
  rewriter.replaceOp(reader, folded.getResults());
  Value destination = producer.getDpsInits()[0];
  rewriter.eraseOp(producer);
  if (auto empty = destination.getDefiningOp<tensor::EmptyOp>();
      empty && empty->use_empty())
    rewriter.eraseOp(empty);
}

/// Folds the first op that allows it.
static bool foldOne(RewriterBase &rewriter, KernelOp kernel) {
  for (linalg::LinalgOp op : kernel.getStructuredOps()) {
    auto producer = dyn_cast<ComputeOp>(op.getOperation());
    if (!producer || !isFoldable(producer))
      continue;
    ComputeOp reader = findOnlyReader(producer);
    std::optional<SmallVector<unsigned>> dims;
    if (reader)
      dims = matchDims(producer, reader);
    if (!dims)
      continue;
    fold(rewriter, producer, reader, *dims);
    return true;
  }
  return false;
}

unsigned foldElementwise(RewriterBase &rewriter, KernelOp kernel) {
  OpBuilder::InsertionGuard guard(rewriter);
  unsigned count = 0;
  while (foldOne(rewriter, kernel))
    ++count;
  return count;
}

} // namespace onnxc::krnl
