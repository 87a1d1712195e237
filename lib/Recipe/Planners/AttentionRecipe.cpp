//===- AttentionRecipe.cpp - Two products with rows between -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// An attention in one kernel: scores, ops on each of their rows, row sums.
// krnl-fuse makes such kernels.
//
//   scores  [b, m, n]  of rows of queries and keys, over k
//   others  [b, m, n] or [b, m]
//   sums    [b, m, e]  of rows of scores and values, over n
//
// All ops compute a few rows before the next ones: their scores stay in the
// first two caches. Values have the lanes along their rows. So have the keys of
// few rows, which end as sums of lanes; for more rows they are packed in
// panels. Panels that a mask hides from all of the few rows are left out.
//
//===----------------------------------------------------------------------===//

#include "Kernels/AttentionLoops.h"
#include "Kernels/ByteGroups.h"
#include "Kernels/KernelShape.h"
#include "Planners/Planners.h"
#include "onnxc/Dialect/Krnl/IR/MaskedElements.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Recipe/RecipeBuilder.h"
#include "onnxc/Support/ElementBytes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

namespace {
/// Rows of both tiles, vectors of keys and of values, cycles of all of both
/// products.
struct AttentionTile {
  int64_t rows = 1, keyVectors = 1, valueVectors = 1;
  double cycles = 0;
};

class AttentionWriter : AttentionLoops {
public:
  AttentionWriter(KernelOp kernel, const Processor &target)
      : AttentionLoops(kernel), target(target), recipe(kernel.getContext()) {}

  /// Finds the two products; false if the kernel is none of this kind.
  bool isPossible();
  SmallVector<AttentionTile> tiles();
  ArrayAttr write(const AttentionTile &chosen);

private:
  bool mayPack(const Contraction &product);
  bool hasFewRows();
  bool columnsAreFar(const Contraction &product);
  bool mayHaveLanesAlongSums();
  int64_t maxLocalRows();
  std::pair<int64_t, double> widest(const Contraction &product, int64_t count);
  void blockLoops();
  StringRef lanesOf(ComputeOp op);
  void unrollRows(unsigned number);
  void writeScoresAlongSums(unsigned number);
  void writeOp(unsigned number);
  void pack(const Contraction &product, ArrayRef<std::string> loops);
  void skipMasked();

  const Processor &target;
  RecipeBuilder recipe;
  int64_t lanes = 1;
  /// The lanes of scores are along the sums of a few of them.
  bool lanesAlongSums = false;
  AttentionTile tile;
  /// The loops of blocks, and those inside of them.
  std::string rowBlocks, rowTile, keyPanels, keyTile, valueBlocks, valueTile;
};
} // namespace

/// The columns have unit stride, or can be packed.
bool AttentionWriter::mayPack(const Contraction &product) {
  return product.hasColumnsInLine() ||
         (inputNumber(kernel, product.columnOperand->get()) >= 0 &&
          isPlainlyIndexed(*product.columnOperand));
}

/// Returns true if the rows are known to be too few to pack keys or values for.
bool AttentionWriter::hasFewRows() {
  return extentOf(kernel, row, target.packRows) < target.packRows;
}

/// Returns true if the first cache does not keep all columns of the product,
/// keys or values, which tiles of rows read one after the other.
bool AttentionWriter::columnsAreFar(const Contraction &product) {
  Type element = getElementTypeOrSelf(product.columnOperand->get());
  int64_t elements =
      estimatedProduct(extentOfAll(kernel, product.reduced, guessedExtent),
                       extentOf(kernel, product.column, guessedExtent));
  return estimatedProduct(elements, elementBytes(element)) > target.l1;
}

/// Rows of queries and of keys lie in memory, and may be summed up in parts.
bool AttentionWriter::mayHaveLanesAlongSums() {
  if (scores.reduced.size() != 1 || !isCombinable(scores.op))
    return false;
  unsigned along = dimOf(scores.op, scores.reduced.front());
  return Access(*scores.columnOperand).hasUnitStride(along) &&
         Access(*scores.rowOperand).hasUnitStride(along);
}

/// Rows of scores that fit the stack, and the first cache.
int64_t AttentionWriter::maxLocalRows() {
  auto type = cast<RankedTensorType>(sums.rowOperand->get().getType());
  int64_t maxCount =
      maxRows(target, Access(*sums.rowOperand).pitch(dimOf(sums.op, row)));
  if (!isStatic(kernel, scores.column))
    return maxCount;
  int64_t bytes = extentOf(kernel, scores.column, 1) *
                  std::max<int64_t>(type.getElementTypeBitWidth() / 8, 1);
  return std::min(maxCount, target.stackBytes / std::max<int64_t>(bytes, 1));
}

/// The vectors of columns that suit a tile of so many rows best, and the cycles
/// of one step of the reduction over all results; 0 where none fit.
std::pair<int64_t, double> AttentionWriter::widest(const Contraction &product,
                                                   int64_t count) {
  int64_t allRows = extentOf(kernel, row, ShapedType::kDynamic);
  int64_t columns = extentOf(kernel, product.column, ShapedType::kDynamic);
  int64_t all =
      llvm::divideCeil(extentOf(kernel, product.column, guessedExtent), lanes);
  // Beside the sums and a vector of each column are one of rows and the zero
  // that sums begin with.
  auto fits = [&](int64_t vectors) {
    return vectors * (count + 1) + 2 <= int64_t(target.vectorRegs);
  };
  bool isFar = columnsAreFar(product);
  std::pair<int64_t, double> best{0, 0};
  for (int64_t vectors = 1; vectors <= all && fits(vectors); ++vectors) {
    RegisterTile here{count, vectors};
    double cycles = resultCycles(target, here, allRows, columns, lanes);
    if (isFar)
      cycles *= std::max(1.0, double(vectors * target.vectorBytes) /
                                  target.l2BytesPerCycle /
                                  tileCycles(target, here, lanes));
    if (best.first == 0 || cycles < best.second)
      best = {vectors, cycles};
  }
  return best;
}

/// Tiles of as many rows for both products, with the best columns of each for
/// those rows: neither's columns change the cost of the other.
SmallVector<AttentionTile> AttentionWriter::tiles() {
  int64_t depth = extentOfAll(kernel, scores.reduced, guessedExtent);
  // Sums of lanes have as many accumulators for each row.
  int64_t maxRowsOfTile =
      lanesAlongSums ? sumTile(target).rows : maxAttentionRows;
  int64_t maxCount = std::min(
      {maxRowsOfTile, maxLocalRows(), extentOf(kernel, row, guessedExtent)});
  double batch = 1;
  for (const std::string &loop : outer)
    batch *= double(extentOf(kernel, loop, outerExtent));
  SmallVector<AttentionTile> tiles;
  for (int64_t count = std::max<int64_t>(maxCount, 1); count > 0; --count) {
    auto [keys, ofKeys] = widest(scores, count);
    auto [values, ofValues] = widest(sums, count);
    double cycles =
        ofKeys * double(depth) +
        ofValues * double(extentOf(kernel, scores.column, guessedExtent));
    if (keys > 0 && values > 0)
      tiles.push_back({count, keys, values, batch * cycles});
  }
  return tiles;
}

bool AttentionWriter::isPossible() {
  if (!find() || !parts.empty() || scores.window || sums.window ||
      !mayPack(scores) || !mayPack(sums))
    return false;
  if (hasFewRows()) {
    lanesAlongSums = !scores.hasColumnsInLine();
    if (!sums.hasColumnsInLine() ||
        (lanesAlongSums && !mayHaveLanesAlongSums()))
      return false;
  }
  unsigned bits = 8;
  for (ComputeOp op : ops) {
    StringRef along = lanesOf(op);
    LaneAnalysis payload(op, along);
    unsigned wide = payload.vectorBits();
    if (wide == 0 || !payload.areGathersProfitable(target))
      return false;
    bits = std::max(bits, wide);
  }
  lanes = target.lanes(bits);
  return lanes > 1;
}

void AttentionWriter::blockLoops() {
  std::tie(rowBlocks, rowTile) =
      recipe.block(row, tile.rows, suffix::blocks, suffix::registers);
  std::tie(keyPanels, keyTile) =
      recipe.block(scores.column, tile.keyVectors * lanes, suffix::blocks,
                   suffix::registers);
  std::tie(valueBlocks, valueTile) =
      recipe.block(sums.column, tile.valueVectors * lanes, suffix::blocks,
                   suffix::registers);
  SmallVector<std::string> outerLoops = outer;
  outerLoops.push_back(rowBlocks);
  SmallVector<std::string> all = outerLoops;
  llvm::append_range(all, ArrayRef{valueBlocks, keyPanels});
  llvm::append_range(all, scores.reduced);
  llvm::append_range(all, ArrayRef{rowTile, keyTile, valueTile});
  recipe.order(all);
  recipe.fuseOuter(outerLoops);
  recipe.parallel(outerLoops);
}

/// The loop that the op has its lanes along.
StringRef AttentionWriter::lanesOf(ComputeOp op) {
  if (op == scores.op && lanesAlongSums)
    return scores.reduced.front();
  return has(op, sums.column)     ? sums.column
         : has(op, scores.column) ? scores.column
                                  : row;
}

/// Rows that are left after whole tiles are a smaller tile, or a few of them
/// where their number is not known.
void AttentionWriter::unrollRows(unsigned number) {
  SmallVector<int64_t> tail;
  if (!isStatic(kernel, row))
    tail = rowTail(tile.rows);
  else if (int64_t rest = extentOf(kernel, row, 0) % tile.rows; rest > 1)
    tail.push_back(rest);
  recipe.unroll(rowTile, tile.rows, number, tail);
}

/// The sums of a few scores side by side: each is one of lanes in the end.
void AttentionWriter::writeScoresAlongSums(unsigned number) {
  std::string along = scores.reduced.front();
  recipe.order(ArrayRef{rowTile, keyTile, along}, number);
  unrollRows(number);
  recipe.unroll(keyTile, sumTile(target).columns, number);
  recipe.vectorize(along, lanes, number);
}

/// Products keep their tiles in registers, and so do the rows' sums. All else
/// goes along the columns.
void AttentionWriter::writeOp(unsigned number) {
  ComputeOp op = ops[number];
  bool isOfValues = has(op, sums.column), isOfKeys = has(op, scores.column);
  if (!isOfValues && !isOfKeys)
    return;
  bool reduces = op.getNumReductionLoops() > 0;
  if (op == scores.op && lanesAlongSums)
    return writeScoresAlongSums(number);
  if (op == sums.op) {
    SmallVector<std::string> inside{keyTile, rowTile, valueTile};
    recipe.order(inside, number);
  }
  if (reduces)
    unrollRows(number);
  else if (isOfKeys &&
           op != scores.op.getDpsInitOperand(0)->get().getDefiningOp())
    // Each row is one stream. What the scores start with is in their tile.
    recipe.order(ArrayRef{rowTile, keyPanels, keyTile}, number);
  recipe.vectorize(isOfValues ? valueTile : keyTile, lanes, number);
  if (isOfValues)
    recipe.unroll(valueTile, tile.valueVectors, number);
  else if (!reduces || op == scores.op)
    recipe.unroll(keyTile, tile.keyVectors, number);
}

void AttentionWriter::pack(const Contraction &product,
                           ArrayRef<std::string> loops) {
  if (!product.hasColumnsInLine() && !hasFewRows())
    recipe.pack(inputNumber(kernel, product.columnOperand->get()), loops);
}

/// Panels of keys that a mask hides from all rows of a tile.
void AttentionWriter::skipMasked() {
  bool isOne =
      extentOf(kernel, scores.column, guessedExtent) <= tile.keyVectors * lanes;
  std::optional<MaskedElements> masked = MaskedElements::find(kernel);
  if (isOne || !masked || masked->column() != scores.column)
    return;
  auto mayEnd = [&](ComputeOp op) {
    bool hasAll = llvm::all_of(masked->form().factors, [&](const auto &term) {
      return has(op, term.first);
    });
    return !has(op, scores.column) ||
           (hasAll && (masked->combinesVisible(op) || masked->isUnneeded(op)));
  };
  if (llvm::all_of(ops, mayEnd))
    recipe.skipMasked(keyPanels);
}

ArrayAttr AttentionWriter::write(const AttentionTile &chosen) {
  tile = chosen;
  blockLoops();
  for (unsigned number : llvm::seq<unsigned>(ops.size()))
    writeOp(number);
  SmallVector<std::string> keys{keyPanels}, values{valueBlocks, keyPanels};
  llvm::append_range(keys, loopsOf(*scores.columnOperand, scores.reduced));
  keys.push_back(keyTile);
  pack(scores, keys);
  llvm::append_range(values, ArrayRef{keyTile, valueTile});
  pack(sums, values);
  skipMasked();
  return recipe.finish();
}

void addAttentionRecipes(KernelOp kernel, const Processor &target,
                         const RecipeOptions &options,
                         RecipeCandidates &candidates) {
  auto writer = std::make_shared<AttentionWriter>(kernel, target);
  if (!writer->isPossible())
    return;
  SmallVector<AttentionTile> tiles = writer->tiles();
  if (tiles.empty())
    return;
  const AttentionTile &best = tiles[findCheapest(llvm::map_to_vector(
      tiles, [](const AttentionTile &t) { return t.cycles; }))];
  double scale = kernelScale(kernel, target, options,
                             AttentionWriter(*writer).write(best), best.cycles);
  for (const AttentionTile &tile : tiles)
    candidates.push_back(
        {"attention",
         llvm::formatv("{0} rows, {1} vectors of keys, {2} of values",
                       tile.rows, tile.keyVectors, tile.valueVectors),
         scale * tile.cycles,
         [=] { return AttentionWriter(*writer).write(tile); }});
}

} // namespace onnxc
