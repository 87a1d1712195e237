//===- LoopRecipe.cpp - Recipes for all but contractions ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Elementwise:  all ops run over all loops. Everything is shared down to a few
//               vectors, which ops hand on in registers.
// Columns:      a reduction of outer dimensions. The same, the reduction
// running
//               outside of the few vectors, which are its accumulators.
// Rows:         softmax, layer normalisation. The loops of rows are shared;
// each
//               op passes over its row in vectors.
//
//===----------------------------------------------------------------------===//

#include "KernelShape.h"
#include "onnxc/Dialect/Krnl/IR/Walk.h"
#include "onnxc/Recipe/ChooseRecipe.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Recipe/RecipeBuilder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::TargetDescription;

namespace onnxc {

/// What an extent counts as that is not known.
static constexpr int64_t unknownExtent = 64;
/// Work, in bytes of traffic, that one tile should have at least.
static constexpr int64_t tileBytes = 16 * 1024;
/// Copies of a payload that unrolling may make.
static constexpr int64_t maxCopies = 32;

namespace {
class LoopWriter {
public:
  LoopWriter(KernelOp kernel, const TargetDescription &target,
             const RecipeOptions &options)
      : kernel(kernel), ops(kernel.getStructuredOps()), target(target),
        options(options), recipe(kernel.getContext()) {}

  ArrayAttr write();

private:
  struct SharedLoop {
    std::string name;
    int64_t extent;
  };

  void findCommon();
  void findVectorLoop();
  void chooseLanes();
  void chooseCopies();
  void chooseTurned();
  void chooseRows();
  void planShared();
  void planParallel();
  void writeBlocks();
  Tail tailOf(StringRef loop, int64_t size);
  void writeVectors();
  void vectorizeRow(unsigned number);
  void vectorizeOther(unsigned number);
  void unrollWindows();
  int64_t extent(StringRef loop) {
    return extentOf(kernel, loop, unknownExtent);
  }
  bool has(unsigned op, StringRef loop) {
    return llvm::is_contained(KernelOp::getAxes(ops[op]), loop);
  }
  bool hasRegisterLoop() const { return lanes > 1 || copies > 1; }
  int64_t width() const { return lanes * vectors * copies; }
  /// Iterations of a shared loop's axis that one visit does in registers.
  int64_t piece(StringRef loop) const {
    return cut && loop == vectorLoop      ? width()
           : rows > 1 && loop == openLoop ? rows
                                          : 1;
  }
  int64_t workBytes();

  KernelOp kernel;
  SmallVector<linalg::LinalgOp> ops;
  const TargetDescription &target;
  const RecipeOptions &options;
  RecipeBuilder recipe;

  /// Loops that all ops have and none reduces; the rest.
  SmallVector<std::string> common, own;
  /// The loop along memory, and whether it is common.
  std::string vectorLoop;
  bool vectorIsCommon = false;
  int64_t lanes = 1, vectors = 1;
  /// Of a loop without lanes: iterations that run side by side.
  int64_t copies = 1;
  /// A common loop of which `rows` iterations are written out, outside of the
  /// vectors.
  std::string openLoop;
  int64_t rows = 1;
  /// The vector loop is cut into blocks of lanes * vectors.
  bool cut = false;
  SmallVector<SharedLoop> shared;
  /// The first `numParallel` shared loops are parallel, the last of them in
  /// blocks of `grain` if that is above 1.
  unsigned numParallel = 0;
  int64_t grain = 1;
};
} // namespace

int64_t LoopWriter::workBytes() {
  int64_t work = 0;
  for (linalg::LinalgOp op : ops)
    work += workBytesOf(kernel, op, unknownExtent);
  return work;
}

void LoopWriter::findCommon() {
  for (const std::string &loop : loopNames(kernel)) {
    bool everywhere =
        llvm::all_of(llvm::seq<unsigned>(ops.size()), [&](unsigned op) {
          return has(op, loop) &&
                 !llvm::is_contained(reducedLoops(ops[op]), loop);
        });
    (everywhere ? common : own).push_back(loop);
  }
}

/// The loop that indexes the last dimension of most of what is read and
/// written.
void LoopWriter::findVectorLoop() {
  llvm::StringMap<double> score;
  for (linalg::LinalgOp op : ops)
    for (OpOperand &operand : op->getOpOperands()) {
      SmallVector<std::string> loops = accessLoops(op, operand);
      if (loops.empty() || loops.back().empty() || extent(loops.back()) == 1)
        continue;
      double elements = 1;
      for (const std::string &loop : loops)
        if (!loop.empty())
          elements *= double(extent(loop));
      // Too short for vectors; another one may do, if there is any. Lanes along
      // the one outside are a few elements apart.
      if (extent(loops.back()) < 4) {
        if (loops.size() > 1 && !loops.end()[-2].empty() &&
            extent(loops.end()[-2]) >= 4)
          score[loops.end()[-2]] += elements / 1e3;
        elements /= 1e6;
      }
      score[loops.back()] += elements;
    }
  // What runs in order has no lanes.
  for (linalg::LinalgOp op : ops)
    if (isOrdered(op))
      for (const std::string &loop : reducedLoops(op))
        score.erase(loop);
  double best = 0;
  for (const std::string &loop : loopNames(kernel))
    if (score.lookup(loop) >= best && score.contains(loop)) {
      best = score.lookup(loop);
      vectorLoop = loop;
    }
  vectorIsCommon = llvm::is_contained(common, vectorLoop);
}

void LoopWriter::chooseLanes() {
  unsigned bits = 0;
  size_t payload = 0;
  for (linalg::LinalgOp op : ops) {
    unsigned wide = vectorBits(op, vectorLoop);
    if (wide == 0 || isWalk(op) || !gathersPay(op, vectorLoop))
      return chooseCopies();
    bits = std::max(bits, wide);
    payload += op.getBlock()->getOperations().size();
  }
  if (vectorLoop.empty())
    return;
  lanes = std::min<int64_t>(llvm::bit_floor(uint64_t(target.lanes(bits))), 64);
  bool known = isStatic(kernel, vectorLoop);
  // Half-empty vectors are narrowed; nearly empty ones do not pay.
  if (known && extent(vectorLoop) < lanes)
    lanes = extent(vectorLoop) < 4
                ? 1
                : llvm::bit_ceil(uint64_t(extent(vectorLoop)));
  if (lanes == 1)
    return;
  vectors = payload <= 8 ? 4 : payload <= 24 ? 2 : 1;
  if (known)
    vectors = std::clamp<int64_t>(extent(vectorLoop) / lanes, 1, vectors);
  cut = vectorIsCommon && (!known || extent(vectorLoop) != lanes * vectors);
}

/// Elements at computed places are loaded one by one: gathers are no faster on
/// the processors that we know, and slower on some, unless vectors of all other
/// arithmetic make up for it. But walks that depend on
/// nothing but themselves hide each other's waiting.
void LoopWriter::chooseCopies() {
  // Measured on trees: more do not fit the registers, fewer wait.
  constexpr int64_t mostCopies = 16;
  bool gathers = llvm::any_of(ops, [](linalg::LinalgOp op) {
    constexpr size_t smallPayload = 12;
    return isWalk(op) ||
           (op.getNumReductionLoops() > 0 &&
            op.getBlock()->getOperations().size() <= smallPayload);
  });
  if (!gathers || vectorLoop.empty() || !vectorIsCommon)
    return;
  copies = mostCopies;
  bool known = isStatic(kernel, vectorLoop);
  if (known)
    copies = std::min<int64_t>(copies, extent(vectorLoop));
  cut = copies > 1 && (!known || extent(vectorLoop) != copies);
}

/// Rows that become columns are loaded as vectors and turned in registers.
void LoopWriter::chooseTurned() {
  constexpr size_t smallPayload = 12;
  constexpr int64_t mostRows = 16, leastRows = 4;
  size_t payload = 0;
  for (linalg::LinalgOp op : ops) {
    payload += op.getBlock()->getOperations().size();
    if (op.getNumReductionLoops() != 0)
      return;
  }
  if (lanes < leastRows || !vectorIsCommon || payload > smallPayload)
    return;
  for (linalg::LinalgOp op : ops)
    for (OpOperand *input : op.getDpsInputOperands()) {
      SmallVector<std::string> loops = accessLoops(op, *input);
      if (!loops.empty() && loops.back() != vectorLoop &&
          llvm::is_contained(loops, vectorLoop) &&
          llvm::is_contained(common, loops.back()) &&
          extent(loops.back()) >= leastRows)
        openLoop = loops.back();
    }
  if (openLoop.empty())
    return;
  lanes = std::min(lanes, mostRows);
  vectors = 1;
  rows = isStatic(kernel, openLoop) ? std::min(lanes, extent(openLoop)) : lanes;
  cut = !isStatic(kernel, vectorLoop) || extent(vectorLoop) != lanes;
}

/// Ops that pass over rows one after the other wait for each sum of a row; a
/// few rows side by side do not. Together they must not be too long for the
/// stack.
void LoopWriter::chooseRows() {
  constexpr int64_t sideBySide = 4, longestRow = 1024;
  if (lanes == 1 || vectorIsCommon || common.empty() ||
      (isStatic(kernel, vectorLoop) && extent(vectorLoop) > longestRow) ||
      extent(common.back()) < sideBySide)
    return;
  openLoop = common.back();
  rows = sideBySide;
}

void LoopWriter::planShared() {
  for (const std::string &loop : common)
    if (loop == openLoop)
      shared.push_back({loop, int64_t(llvm::divideCeil(extent(loop), rows))});
    else if (loop != vectorLoop || !hasRegisterLoop())
      shared.push_back({loop, extent(loop)});
  if (cut)
    shared.push_back(
        {vectorLoop, int64_t(llvm::divideCeil(extent(vectorLoop), width()))});
}

/// Outer loops run parallel as far as a tile keeps enough work.
void LoopWriter::planParallel() {
  bool known = llvm::all_of(loopNames(kernel), [&](const std::string &loop) {
    return isStatic(kernel, loop);
  });
  int64_t work = workBytes();
  if (known && work < parallelBytes)
    return;
  for (const SharedLoop &loop : shared)
    work /= std::max<int64_t>(loop.extent, 1);
  for (unsigned place = shared.size(); place-- > 0;) {
    int64_t wanted = llvm::divideCeil(tileBytes, std::max<int64_t>(work, 1));
    int64_t extentHere = shared[place].extent;
    bool dynamic = !isStatic(kernel, shared[place].name);
    if (wanted <= 1 || extentHere >= 2 * wanted || (dynamic && place == 0)) {
      numParallel = place + 1;
      grain = llvm::bit_floor(uint64_t(std::max<int64_t>(wanted, 1)));
      return;
    }
    work *= std::max<int64_t>(extentHere, 1);
  }
}

/// An elementwise op does so little per block that bounds cost up to a quarter
/// of its time; a last block of known length is code of its own.
Tail LoopWriter::tailOf(StringRef loop, int64_t size) {
  bool elementwise = llvm::all_of(
      ops, [](linalg::LinalgOp op) { return op.getNumReductionLoops() == 0; });
  return elementwise && isStatic(kernel, loop) && extent(loop) % size != 0
             ? Tail::Peel
             : Tail::Mask;
}

/// Cuts loops, orders and shares them.
void LoopWriter::writeBlocks() {
  SmallVector<std::string> sharedNames, parallelNames;
  std::string vectorInner = vectorLoop, openInner;
  for (auto [place, loop] : llvm::enumerate(shared)) {
    std::string name = loop.name;
    int64_t inRegisters = piece(name);
    int64_t tile = grain * inRegisters;
    if (place + 1 == numParallel && grain > 1) {
      auto [outer, inner] =
          recipe.block(name, tile, "t", "c", tailOf(loop.name, tile));
      sharedNames.push_back(outer);
      parallelNames.push_back(outer);
      name = inner;
    }
    if (inRegisters > 1)
      std::tie(name, loop.name == openLoop ? openInner : vectorInner) =
          recipe.block(name, inRegisters, "o", "i",
                       tailOf(loop.name, inRegisters));
    sharedNames.push_back(name);
    if (place < numParallel && !(place + 1 == numParallel && grain > 1))
      parallelNames.push_back(name);
  }
  SmallVector<std::string> all = sharedNames;
  if (!openInner.empty())
    all.push_back(openInner);
  // Copies keep their results in registers while the loops inside run.
  if (copies > 1)
    all.push_back(vectorInner);
  for (const std::string &loop : own)
    if (loop != vectorLoop || !hasRegisterLoop())
      all.push_back(loop);
  if (lanes > 1)
    all.push_back(vectorInner);
  if (all.size() > 1)
    recipe.order(all);
  recipe.share(sharedNames);
  recipe.parallel(parallelNames);
  vectorLoop = vectorInner;
  openLoop = openInner;
}

/// An op that reduces its row sums up in several vectors, so that one addition
/// need not wait for the one before.
void LoopWriter::vectorizeRow(unsigned number) {
  bool reduces = llvm::is_contained(reducedLoops(ops[number]), vectorLoop);
  if (reduces && (options.keepOrder || !isCombinable(ops[number])))
    return;
  bool known = isStatic(kernel, vectorLoop);
  std::string loop = vectorLoop;
  if (reduces && vectors > 1 && (!known || extent(loop) >= lanes * vectors)) {
    auto [steps, parts] = recipe.splitReduction(loop, lanes * vectors, number);
    recipe.vectorize(parts, lanes, number);
    recipe.unroll(parts, vectors, number);
    return;
  }
  recipe.vectorize(loop, lanes, number);
}

/// An op without the vector loop may have its own loop along what it reads or
/// writes: the copy into a padded tensor.
void LoopWriter::vectorizeOther(unsigned number) {
  // It must be the last of the op's loops, which stand in kernel order.
  std::string last;
  for (const std::string &loop : own)
    if (has(number, loop))
      last = loop;
  bool along = llvm::any_of(ops[number]->getOpOperands(), [&](OpOperand &o) {
    SmallVector<std::string> loops = accessLoops(ops[number], o);
    return !loops.empty() && !last.empty() && loops.back() == last;
  });
  if (!along || ((options.keepOrder || isOrdered(ops[number]) ||
                  !isCombinable(ops[number])) &&
                 llvm::is_contained(reducedLoops(ops[number]), last)))
    return;
  int64_t wide =
      std::min(lanes, int64_t(llvm::bit_ceil(uint64_t(extent(last)))));
  if (wide >= 4)
    recipe.vectorize(last, wide, number);
}

/// Short loops around accumulators in registers, such as those of a window, are
/// written out: their own cost would be as much as the work inside.
void LoopWriter::unrollWindows() {
  for (auto [number, op] : llvm::enumerate(ops)) {
    if (isOrdered(op))
      continue;
    int64_t copies = vectors;
    SmallVector<std::string> reduced = reducedLoops(op);
    for (const std::string &loop : llvm::reverse(reduced)) {
      if (loop == vectorLoop || !isStatic(kernel, loop) ||
          copies * extent(loop) > maxCopies)
        break;
      recipe.unroll(loop, extent(loop), number);
      copies *= extent(loop);
    }
  }
}

void LoopWriter::writeVectors() {
  if (copies > 1)
    return recipe.unroll(vectorLoop, copies);
  if (lanes == 1)
    return;
  if (!openLoop.empty())
    recipe.unroll(openLoop, rows);
  if (vectorIsCommon) {
    unrollWindows();
    recipe.vectorize(vectorLoop, lanes);
    recipe.unroll(vectorLoop, vectors);
    return;
  }
  for (unsigned number : llvm::seq<unsigned>(ops.size()))
    if (has(number, vectorLoop))
      vectorizeRow(number);
    else
      vectorizeOther(number);
}

ArrayAttr LoopWriter::write() {
  findCommon();
  findVectorLoop();
  chooseLanes();
  if (options.openLoops) {
    chooseTurned();
    chooseRows();
  }
  planShared();
  planParallel();
  writeBlocks();
  writeVectors();
  return recipe.finish();
}

ArrayAttr chooseLoopRecipe(KernelOp kernel, const TargetDescription &target,
                           const RecipeOptions &options) {
  return LoopWriter(kernel, target, options).write();
}

ArrayAttr chooseRecipe(KernelOp kernel, const TargetDescription &target,
                       const RecipeOptions &options) {
  ArrayAttr old = kernel.getRecipeAttr();
  ArrayAttr chosen = ArrayAttr::get(kernel.getContext(), {});
  RecipeOptions simple = options;
  simple.openLoops = false;
  using Choice = std::pair<decltype(&chooseLoopRecipe), const RecipeOptions *>;
  for (auto [choose, how] :
       {Choice(chooseContractionRecipe, &options),
        Choice(chooseRowRecipe, &options), Choice(chooseLoopRecipe, &options),
        Choice(chooseLoopRecipe, &simple)}) {
    ArrayAttr recipe = choose(kernel, target, *how);
    if (!recipe)
      continue;
    kernel.setRecipeAttr(recipe);
    std::string reason;
    FailureOr<LoopNest> nest = LoopNest::tryReplay(kernel, reason);
    if (succeeded(nest) && (nest->preservesOrder() || !options.keepOrder)) {
      chosen = recipe;
      break;
    }
  }
  kernel.setRecipeAttr(old);
  return chosen;
}

} // namespace onnxc
