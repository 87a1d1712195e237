//===- ContractionLoops.cpp - Loops of a contraction --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Kernels/ContractionLoops.h"

#include "Kernels/ByteGroups.h"
#include "Kernels/KernelShape.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

/// Loops that any dimension of the access depends on.
static SmallVector<std::string> loopsIn(ComputeOp op, OpOperand &operand) {
  SmallVector<std::string> loops;
  Access access(operand);
  for (auto [dim, axis] : llvm::enumerate(op.getAxes()))
    if (access.dependsOn(dim))
      loops.push_back(axis.str());
  return loops;
}

FailureOr<Contraction> sortLoops(ComputeOp op, OpOperand *columns,
                                 OpOperand *rows) {
  Contraction result;
  result.op = op;
  result.columnOperand = columns;
  result.rowOperand = rows;
  Access inColumns(*columns), inRows(*rows), inResult(*op.getDpsInitOperand(0));
  ContractionDims dims = contractionDimsOf(op, *columns, *rows);
  if (dims.columns.empty() && !dims.batch.empty() &&
      inRows.hasUnitStride(dims.batch.back()) &&
      inResult.hasUnitStride(dims.batch.back())) {
    dims.columns.push_back(dims.batch.pop_back_val());
    result.channelwise = true;
  }
  if (!dims.others.empty() || dims.columns.empty() || dims.rows.empty())
    return failure();
  SmallVector<StringRef> axes = op.getAxes();
  for (auto [sorted, loops] : {std::pair(&dims.batch, &result.batch),
                               {&dims.rows, &result.rows},
                               {&dims.columns, &result.columns},
                               {&dims.reduced, &result.reduced}})
    for (unsigned dim : *sorted)
      loops->push_back(axes[dim].str());
  result.column = result.columns.back();
  result.row = result.rows.back();
  result.window = inColumns.isWindow();
  result.storesInLine = inResult.hasUnitStride(dims.columns.back());
  return result;
}

bool Contraction::hasColumnsInLine() const {
  return Access(*columnOperand).hasUnitStride(dimOf(op, column));
}

bool Contraction::hasWindowAcross() const {
  return window && !hasColumnsInLine();
}

bool isPlainlyIndexed(OpOperand &operand) {
  Access access(operand);
  auto type = cast<RankedTensorType>(operand.get().getType());
  return access.isPlain() &&
         llvm::all_of(llvm::seq(access.getRank()), [&](unsigned position) {
           return access.loopAt(position) || !type.isDynamicDim(position);
         });
}

/// Returns true for a constant operand of the kernel with all its loops in
/// `loops`.
static bool isConstantAlong(KernelOp kernel, ComputeOp op, OpOperand &input,
                            ArrayRef<std::string> loops) {
  int number = inputNumber(kernel, input.get());
  return number >= 0 && isConstantView(kernel.getIns()[number]) &&
         isPlainlyIndexed(input) &&
         llvm::all_of(loopsIn(op, input), [&](const std::string &loop) {
           return llvm::is_contained(loops, loop);
         });
}

std::optional<SmallVector<OpOperand *>>
findScaleOperands(KernelOp kernel, ComputeOp op, OpOperand &columns,
                  StringRef column, OpOperand *other) {
  SmallVector<std::string> all = loopsIn(op, columns);
  SmallVector<OpOperand *> scaleOperands;
  for (OpOperand *input : readInputs(op)) {
    SmallVector<std::string> loops = loopsIn(op, *input);
    if (input == &columns || input == other ||
        !llvm::is_contained(loops, column))
      continue;
    if (!isConstantAlong(kernel, op, *input, all))
      return std::nullopt;
    scaleOperands.push_back(input);
  }
  return scaleOperands;
}

/// Returns true if `total` sums up the results of `op`, over one of its loops.
static bool addsUp(ComputeOp total, ComputeOp op) {
  SmallVector<std::string> blocks = reducedLoops(total);
  return blocks.size() == 1 &&
         llvm::is_contained(op.getAxes(), blocks.front()) &&
         llvm::is_contained(op->getUsers(), total.getOperation());
}

std::optional<Reduction> findReduction(KernelOp kernel) {
  Reduction found;
  for (auto op : kernel.getBody().getOps<ComputeOp>()) {
    if (op.getNumReductionLoops() == 0)
      continue;
    if (found.total || op.getNumDpsInits() != 1 || isOrdered(op))
      return std::nullopt;
    if (!found.op) {
      found.op = op;
    } else if (addsUp(op, found.op)) {
      found.total = op;
      found.blocks = reducedLoops(op).front();
    } else {
      return std::nullopt;
    }
  }
  return found.op ? std::optional(found) : std::nullopt;
}

std::optional<SmallVector<OpOperand *>>
findBlockFactors(KernelOp kernel, const Reduction &reduction,
                 StringRef column) {
  SmallVector<OpOperand *> factors;
  std::string loops[] = {reduction.blocks, column.str()};
  for (auto op : kernel.getBody().getOps<ComputeOp>()) {
    if (op == reduction.op ||
        !llvm::is_contained(op.getAxes(), reduction.blocks))
      continue;
    for (OpOperand *input : readInputs(op)) {
      if (input->get().getDefiningOp<ComputeOp>() ||
          !llvm::is_contained(loopsIn(op, *input), column))
        continue;
      if (!isConstantAlong(kernel, op, *input, loops))
        return std::nullopt;
      factors.push_back(input);
    }
  }
  return factors;
}

/// Takes the loop over blocks, which both operands have, out of the others.
static bool separateBlocks(KernelOp kernel, const Reduction &reduction,
                           Contraction &way) {
  if (!reduction.total)
    return true;
  auto factors = findBlockFactors(kernel, reduction, way.column);
  auto *it = llvm::find(way.batch, reduction.blocks);
  if (!factors || it == way.batch.end() || way.channelwise)
    return false;
  way.batch.erase(it);
  way.blocks = reduction.blocks;
  way.blockFactors = std::move(*factors);
  return true;
}

SmallVector<Contraction, 0> findContractions(KernelOp kernel) {
  std::optional<Reduction> reduction = findReduction(kernel);
  if (!reduction)
    return {};
  ComputeOp found = reduction->op;
  SmallVector<OpOperand *> read = readInputs(found);
  SmallVector<Contraction, 0> ways;
  for (OpOperand *columns : llvm::reverse(read))
    for (OpOperand *rows : read) {
      if (rows == columns)
        continue;
      FailureOr<Contraction> way = sortLoops(found, columns, rows);
      if (failed(way))
        continue;
      auto scaleOperands =
          findScaleOperands(kernel, found, *columns, way->column, rows);
      if (!scaleOperands || scaleOperands->size() + 2 != read.size() ||
          !separateBlocks(kernel, *reduction, *way))
        continue;
      way->scaleOperands = std::move(*scaleOperands);
      ways.push_back(std::move(*way));
    }
  return ways;
}

std::optional<Contraction> findSiblingContraction(KernelOp kernel) {
  ComputeOp found;
  for (auto op : kernel.getBody().getOps<ComputeOp>()) {
    if (op.getNumReductionLoops() == 0)
      continue;
    if (found)
      return std::nullopt;
    found = op;
  }
  SmallVector<MatrixProduct> products;
  if (found)
    products = matrixProductsOf(found);
  if (products.size() < 2)
    return std::nullopt;
  OpOperand *rows = products.front().lhs, *columns = products.front().rhs;
  FailureOr<Contraction> sorted = sortLoops(found, columns, rows);
  if (failed(sorted) || sorted->channelwise)
    return std::nullopt;
  Contraction way = std::move(*sorted);
  SmallVector<std::string> loops = loopsIn(found, *columns);
  for (const MatrixProduct &other : ArrayRef(products).drop_front()) {
    if (loopsIn(found, *other.rhs) != loops)
      return std::nullopt;
    way.siblingOperands.push_back(other.rhs);
  }
  return way;
}

SmallVector<std::string> loopsOf(OpOperand &operand,
                                 ArrayRef<std::string> loops) {
  SmallVector<std::string> own =
      loopsIn(cast<ComputeOp>(operand.getOwner()), operand);
  return llvm::filter_to_vector(loops, [&](const std::string &loop) {
    return llvm::is_contained(own, loop);
  });
}

SmallVector<std::string> partLoops(KernelOp kernel, ComputeOp op,
                                   OpOperand &columns,
                                   ArrayRef<std::string> reduced) {
  SmallVector<std::string> own = loopsIn(op, columns), parts;
  for (const std::string &loop : reduced) {
    if (llvm::is_contained(own, loop))
      continue;
    parts.push_back(loop);
    if (!isStatic(kernel, loop) || extentOfAll(kernel, parts, 1) > maxParts)
      return {};
  }
  return parts;
}

ColumnWork columnWork(const Contraction &contraction, int64_t parts) {
  ComputeOp op = contraction.op;
  ColumnWork work;
  if (!contraction.blocks.empty()) {
    // The bytes, and the results of unpacking them.
    work.accumulators = 2;
    work.registers = parts > 1 ? 2 : 1;
    work.operations = parts > 1 ? 2 : 0;
  }
  if (contraction.scaleOperands.empty())
    return work;
  DenseSet<Value> fromRows{op.getMatchingBlockArgument(contraction.rowOperand),
                           op.getRegionOutputArgs().front()};
  DenseSet<Value> fromColumns{
      op.getMatchingBlockArgument(contraction.columnOperand)};
  DenseSet<Value> fromScales, kept;
  for (OpOperand *scaleOperand : contraction.scaleOperands)
    fromScales.insert(op.getMatchingBlockArgument(scaleOperand));
  for (Operation &inner : op.getBlock()->without_terminator()) {
    auto isFrom = [&](const DenseSet<Value> &values) {
      return llvm::any_of(inner.getOperands(),
                          [&](Value v) { return values.contains(v); });
    };
    if (isFrom(fromRows)) {
      fromRows.insert_range(inner.getResults());
    } else if (isFrom(fromColumns)) {
      fromColumns.insert_range(inner.getResults());
      ++work.operations;
      for (Value operand : inner.getOperands())
        if (fromScales.contains(operand))
          kept.insert(operand);
    } else if (isFrom(fromScales)) {
      fromScales.insert_range(inner.getResults());
    }
  }
  // All parts of an element are made at once, beside the element.
  work.registers = int64_t(kept.size()) + parts + (parts > 1 ? 1 : 0);
  return work;
}

} // namespace onnxc
