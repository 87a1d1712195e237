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
static std::optional<SmallVector<AffineExpr>> matchDims(ComputeOp producer,
                                                        ComputeOp reader) {
  AffineMap written = producer.getIndexingMapMatchingResult(
      cast<OpResult>(producer.getResult(0)));
  if (producer.getNumLoops() != reader.getNumLoops())
    return std::nullopt;
  SmallVector<AffineMap> reads = readsOf(producer, reader);
  // Without loops each has one position, which may be a part of the tensor.
  if (producer.getNumLoops() == 0 && llvm::all_equal(reads) &&
      llvm::is_contained(reads, written))
    return SmallVector<AffineExpr>();
  if (!written.isPermutation() || !llvm::all_equal(reads) ||
      !llvm::all_of(reads, [](AffineMap map) { return map.isPermutation(); }))
    return std::nullopt;
  SmallVector<AffineExpr> dims(producer.getNumLoops());
  for (AffineMap read : reads)
    for (auto [dim, expr] : llvm::enumerate(written.getResults()))
      dims[cast<AffineDimExpr>(expr).getPosition()] = read.getResult(dim);
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
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (operand.get() == between || !op.payloadUsesValueFromOperand(&operand))
      return -1;
    for (unsigned i : llvm::seq<unsigned>(values.size()))
      if (values[i] == operand.get() && maps[i] == map)
        return int(i);
    values.push_back(operand.get());
    maps.push_back(map);
    return int(values.size()) - 1;
  }

  Value between;
  SmallVector<Value> values;
  SmallVector<AffineMap> maps;
};
} // namespace

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
  SmallVector<AffineMap> maps = inputs.maps;
  for (OpOperand &init : reader.getDpsInitsMutable())
    maps.push_back(reader.getMatchingIndexingMap(&init));
  rewriter.setInsertionPoint(reader);
  auto folded = ComputeOp::create(
      rewriter, rewriter.getFusedLoc({producer.getLoc(), reader.getLoc()}),
      inputs.values, reader.getDpsInits(), maps, reader.getAxes(), parallel,
      reader.getNameAttr(), [&](OpBuilder &, Location, ValueRange args) {
        Block *body = args.front().getParentBlock();
        auto pick = [&](ArrayRef<int> numbers, Value other) {
          return llvm::map_to_vector(
              numbers, [&](int i) { return i < 0 ? other : args[i]; });
        };
        rewriter.inlineBlockBefore(producer.getBody(), body, body->end(),
                                   pick(ofProducer, args.back()));
        Operation *yield = &body->back();
        SmallVector<Value> values = pick(ofReader, yield->getOperand(0));
        llvm::append_range(values, args.drop_front(inputs.values.size()));
        rewriter.eraseOp(yield);
        rewriter.inlineBlockBefore(reader.getBody(), body, body->end(), values);
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

unsigned foldElementwise(RewriterBase &rewriter, KernelOp kernel) {
  OpBuilder::InsertionGuard guard(rewriter);
  unsigned count = 0;
  while (foldOne(rewriter, kernel))
    ++count;
  return count;
}

} // namespace onnxc::krnl
