//===- LoopRecipe.cpp - Recipes for all but contractions ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Elementwise:  all ops run over all loops. Everything is shared down to a few
//               vectors, which ops pass in registers.
// Columns:      a reduction of outer dimensions. The same, the reduction runs
//               outside of the few vectors, which are its accumulators.
// Rows:         softmax, layer normalisation. The loops of rows are fused;
//               each op passes over its row in vectors.
//
//===----------------------------------------------------------------------===//

#include "Cost/OpCost.h"
#include "Planners/LoopPlanner.h"
#include "onnxc/Recipe/RecipeBuilder.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

namespace {
/// Writes a plan as steps, whose names take the place of the loops they cut.
class LoopWriter : LoopPlan {
public:
  explicit LoopWriter(LoopPlan plan)
      : LoopPlan(std::move(plan)), recipe(kernel.getContext()) {}

  ArrayAttr write();

private:
  void writeBlocks();
  /// The names of loops while blocks are written.
  struct BlockNames {
    SmallVector<std::string> outer, own, inside, parallel;
    std::string vectorInner, jammedInner;
    /// The vector loop, or the one in its tiles.
    std::string vectorInTile;
  };
  void cutTiles(unsigned position, int64_t tile, BlockNames &names);
  void cutLoop(unsigned position, StringRef loop, BlockNames &names);
  SmallVector<std::string> orderOf(const BlockNames &names);
  TailStrategy tailOf(StringRef loop, int64_t size);
  void writeVectors();
  bool takesRowByRow(unsigned number);
  void unrollJammed();
  void unrollInstances();
  void vectorizeRow(unsigned number);
  void vectorizeLine(unsigned number);
  std::string vectorizeOther(unsigned number);
  void unrollBorder(unsigned number, StringRef vectorized);
  void unrollWindows();
  void unrollSlide(unsigned number);
  void packConstants();

  RecipeBuilder recipe;
  /// The ops that pass over rows one after the other.
  SmallVector<unsigned> rowByRow;
  /// What the loop of the lanes is cut into, outermost first.
  SmallVector<std::string> vectorBlocks;
};
} // namespace

/// An elementwise op does so little per block that bounds cost up to a quarter
/// of its time; a last block of known length is code of its own. The same where
/// a window is unrolled, whose results are in registers then. Squares that
/// are transposed are only whole or not, whatever is left.
TailStrategy LoopWriter::tailOf(StringRef loop, int64_t size) {
  bool elementwise = llvm::all_of(
      ops, [](ComputeOp op) { return op.getNumReductionLoops() == 0; });
  bool written = !windowLoop.empty() && loop == vectorLoop;
  bool isSquare = transposes && size == piece(loop);
  bool peels = isStatic(kernel, loop) ? (elementwise || written || isSquare) &&
                                            extent(loop) % size != 0
                                      : isSquare;
  return peels ? TailStrategy::Peel : TailStrategy::Mask;
}

/// Divides the vector loop into tiles, whose loop is the one at `position`.
void LoopWriter::cutTiles(unsigned position, int64_t tile, BlockNames &names) {
  std::string outer;
  std::tie(outer, names.vectorInTile) =
      recipe.block(vectorLoop, tile, suffix::tiles, suffix::inTile,
                   tailOf(vectorLoop, tile));
  (position < numFusedOuter ? names.outer : names.own).push_back(outer);
  if (position < numParallel)
    names.parallel.push_back(outer);
  vectorBlocks.push_back(outer);
}

/// Divides the outer loop at `position` into blocks.
void LoopWriter::cutLoop(unsigned position, StringRef loop, BlockNames &names) {
  std::string name = loop == vectorLoop ? names.vectorInTile : loop.str();
  int64_t inRegisters = piece(loop);
  int64_t tile = grain * inRegisters;
  auto note = [&](const std::string &block) {
    if (loop == vectorLoop)
      vectorBlocks.push_back(block);
  };
  bool isInside = blocksInside && loop == vectorLoop;
  SmallVector<std::string> &of =
      position < numFusedOuter ? names.outer : names.own;
  bool hasGrain = position + 1 == numParallel && grain > 1;
  if (hasGrain) {
    auto [outer, inner] = recipe.block(name, tile, suffix::tiles,
                                       suffix::inTile, tailOf(loop, tile));
    of.push_back(outer);
    names.parallel.push_back(outer);
    note(outer);
    name = inner;
  }
  if (inRegisters > 1)
    std::tie(name, loop == jammedLoop ? names.jammedInner : names.vectorInner) =
        recipe.block(name, inRegisters, suffix::blocks, suffix::inside,
                     tailOf(loop, inRegisters));
  note(name);
  (isInside ? names.inside : of).push_back(name);
  if (position < numParallel && !hasGrain)
    names.parallel.push_back(name);
}

/// The order of all loops, outermost first.
SmallVector<std::string> LoopWriter::orderOf(const BlockNames &names) {
  SmallVector<std::string> all = names.outer;
  llvm::append_range(all, names.own);
  if (!names.jammedInner.empty() && windowLoop.empty())
    all.push_back(names.jammedInner);
  // Instances keep their results in registers while the loops inside run.
  if (instances > 1)
    all.push_back(names.vectorInner);
  for (const std::string &loop : own)
    if ((loop != windowLoop || wholeWindow) &&
        (loop != vectorLoop || !hasRegisterLoop()))
      all.push_back(loop);
  llvm::append_range(all, names.inside);
  // Down the window, all rows that read the same do so one after the other.
  if (!windowLoop.empty() && !wholeWindow)
    all.push_back(windowLoop);
  if (!windowLoop.empty())
    all.push_back(names.jammedInner);
  if (lanes > 1)
    all.push_back(names.vectorInner);
  return all;
}

/// Divides loops into blocks, orders and shares them.
void LoopWriter::writeBlocks() {
  BlockNames names;
  names.vectorInner = names.vectorInTile = vectorLoop;
  for (auto [position, loop] : llvm::enumerate(outerLoops))
    if (loop.tile > 0)
      cutTiles(position, loop.tile, names);
    else
      cutLoop(position, loop.name, names);
  if (SmallVector<std::string> all = orderOf(names); all.size() > 1)
    recipe.order(all);
  recipe.fuseOuter(names.outer);
  recipe.parallel(names.parallel);
  vectorLoop = names.vectorInner;
  jammedLoop = names.jammedInner;
}

/// An op that reduces its row sums up in several vectors, so that one addition
/// need not wait for the one before.
void LoopWriter::vectorizeRow(unsigned number) {
  bool reduces = llvm::is_contained(reducedLoops(ops[number]), vectorLoop);
  if (reduces && (options.keepOrder || !isCombinable(ops[number])))
    return;
  bool known = isStatic(kernel, vectorLoop);
  std::string loop = vectorLoop;
  if (wholeRows) {
    recipe.vectorize(loop, lanes, number);
    recipe.unroll(loop, vectors, number);
    return;
  }
  if (reduces && vectors > 1 && (!known || extent(loop) >= lanes * vectors)) {
    auto [steps, parts] = recipe.splitReduction(loop, lanes * vectors, number);
    recipe.vectorize(parts, lanes, number);
    recipe.unroll(parts, vectors, number);
    return;
  }
  recipe.vectorize(loop, lanes, number);
  if (known && llvm::is_contained(rowByRow, number))
    recipe.unroll(loop, target.independentSums, number);
}

/// Sums of a few rows side by side, all else along the line of sums.
void LoopWriter::vectorizeLine(unsigned number) {
  if (!has(number, vectorLoop))
    return recipe.vectorize(jammedLoop, lanes, number);
  recipe.unroll(jammedLoop, rows, number);
  vectorizeRow(number);
}

/// An op without the vector loop may have its own loop along its accesses: the
/// copy into a padded tensor. Returns the loop that has the lanes; empty if
/// there is none.
std::string LoopWriter::vectorizeOther(unsigned number) {
  // It must be the last of the op's loops, which stand in kernel order.
  std::string last;
  for (const std::string &loop : own)
    if (has(number, loop))
      last = loop;
  bool along = llvm::any_of(ops[number]->getOpOperands(), [&](OpOperand &o) {
    SmallVector<std::string> loops = loopsAlongMemory(ops[number], o);
    return isAccessed(o) && !loops.empty() && !last.empty() &&
           loops.back() == last;
  });
  if (!along || !LaneAnalysis(ops[number], last).areGathersProfitable(target) ||
      ((options.keepOrder || isOrdered(ops[number]) ||
        !isCombinable(ops[number])) &&
       llvm::is_contained(reducedLoops(ops[number]), last)))
    return {};
  int64_t wide =
      std::min(lanes, int64_t(llvm::bit_ceil(uint64_t(extent(last)))));
  if (wide < minLanes)
    return {};
  recipe.vectorize(last, wide, number);
  return last;
}

/// The loops around a few stores of a value, of a border, take longer than
/// these. `vectorized` has the lanes, if any.
void LoopWriter::unrollBorder(unsigned number, StringRef vectorized) {
  if (ops[number].getNumReductionLoops() > 0 ||
      !readInputs(ops[number]).empty())
    return;
  int64_t copies = 1;
  for (const std::string &loop : llvm::reverse(own)) {
    if (!has(number, loop) || loop == vectorized)
      continue;
    copies = estimatedProduct(copies, extent(loop));
    if (!isStatic(kernel, loop) || copies > maxBorderStores)
      return;
    recipe.unroll(loop, extent(loop), number);
  }
}

/// Constants in the order in which lanes read them.
void LoopWriter::packConstants() {
  for (auto [input, number] : packed) {
    SmallVector<std::string> loops(vectorBlocks);
    llvm::append_range(loops, reducedLoops(ops[number]));
    loops.push_back(vectorLoop);
    recipe.pack(input, loops);
  }
}

/// The functions, such as exp, that the payload becomes: a power takes a
/// logarithm and an exponential.
static int64_t countFunctions(Block &payload) {
  int64_t count = 0;
  for (Operation &inner : payload)
    if (isFunction(inner))
      count += isa<math::PowFOp>(inner) ? 2 : 1;
  return count;
}

/// Short loops around accumulators in registers, such as those of a window, are
/// unrolled: their own cost would be as much as the work inside. Copies of a
/// function take more registers than there are, and all have values on the
/// stack.
void LoopWriter::unrollWindows() {
  int64_t maxFunctions =
      target.stackBytes / (spilledByFunction * target.vectorBytes);
  for (auto [number, op] : llvm::enumerate(ops)) {
    if (isOrdered(op))
      continue;
    if (!windowLoop.empty()) {
      unrollSlide(number);
      continue;
    }
    int64_t instances = transposes ? vectors * rows : vectors,
            limit = transposes ? maxWindowInstances : maxInstances;
    if (int64_t functions = countFunctions(*op.getBlock()))
      limit = std::min(limit, maxFunctions / functions);
    SmallVector<std::string> reduced = reducedLoops(op);
    for (const std::string &loop : llvm::reverse(reduced)) {
      if (loop == vectorLoop || !isStatic(kernel, loop) ||
          estimatedProduct(instances, extent(loop)) > limit)
        break;
      recipe.unroll(loop, extent(loop), number);
      instances *= extent(loop);
    }
  }
}

/// The loop that rows share their reads over, and the others of the window if
/// they are short, too.
void LoopWriter::unrollSlide(unsigned number) {
  SmallVector<std::string> reduced = reducedLoops(ops[number]);
  if (reduced.empty())
    return;
  int64_t instances = estimatedProduct(vectors * rows, extent(windowLoop));
  for (const std::string &loop : llvm::reverse(reduced)) {
    if (loop == windowLoop)
      continue;
    if (!isStatic(kernel, loop) ||
        estimatedProduct(instances, extent(loop)) > maxWindowInstances)
      break;
    instances *= extent(loop);
    recipe.unroll(loop, extent(loop), number);
  }
  recipe.unroll(windowLoop, extent(windowLoop), number);
}

/// Returns true if the op passes over rows one after the other, each of which
/// is one stream. Rows are side by side for sums, which wait for each other,
/// and for what an op reads for all of them.
bool LoopWriter::takesRowByRow(unsigned number) {
  if (jammedLoop.empty() || line > 1 || vectorIsCommon || wholeRows ||
      !has(number, vectorLoop))
    return false;
  ComputeOp op = ops[number];
  return op.getNumReductionLoops() == 0 &&
         llvm::all_of(readInputs(op), [&](OpOperand *input) {
           Access access(*input);
           return access.dependsOn(dimOf(op, jammedLoop)) ||
                  !access.dependsOn(dimOf(op, vectorLoop));
         });
}

void LoopWriter::unrollJammed() {
  if (rowByRow.empty())
    return recipe.unroll(jammedLoop, rows);
  for (unsigned number : llvm::seq<unsigned>(ops.size()))
    if (!llvm::is_contained(rowByRow, number))
      recipe.unroll(jammedLoop, rows, number);
}

void LoopWriter::unrollInstances() {
  recipe.unroll(vectorLoop, instances);
  if (!unrollsTerms)
    return;
  for (auto [number, op] : llvm::enumerate(ops))
    for (const std::string &loop : reducedLoops(op))
      recipe.unroll(loop, extent(loop), number);
}

void LoopWriter::writeVectors() {
  if (instances > 1)
    return unrollInstances();
  if (lanes == 1)
    return;
  if (!jammedLoop.empty() && line == 1)
    unrollJammed();
  for (const Transposed &entry : transposed)
    recipe.unroll(entry.loop, entry.rows, entry.op);
  if (vectorIsCommon) {
    unrollWindows();
    recipe.vectorize(vectorLoop, lanes);
    recipe.unroll(vectorLoop, vectors);
    packConstants();
    return;
  }
  for (unsigned number : llvm::seq<unsigned>(ops.size()))
    if (line > 1)
      vectorizeLine(number);
    else if (has(number, vectorLoop))
      vectorizeRow(number);
    else
      unrollBorder(number, vectorizeOther(number));
}

ArrayAttr LoopWriter::write() {
  rowByRow = llvm::filter_to_vector(
      llvm::seq<unsigned>(ops.size()),
      [&](unsigned number) { return takesRowByRow(number); });
  writeBlocks();
  writeVectors();
  return recipe.finish();
}

/// Which loops of the plan are in registers.
static std::string describe(const LoopPlan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (plan.instances > 1)
    os << plan.instances << " elements along " << plan.vectorLoop;
  else if (plan.lanes == 1)
    os << "no vectors";
  else
    os << plan.vectors << " vectors of " << plan.lanes << " along "
       << plan.vectorLoop;
  if (plan.rows > 1)
    os << ", " << plan.rows << " along " << plan.jammedLoop;
  if (plan.line > 1)
    os << " in lines of " << plan.line;
  for (const LoopPlan::Transposed &entry : plan.transposed)
    os << ", " << entry.rows << " along " << entry.loop;
  return text;
}

void addLoopRecipes(KernelOp kernel, const Processor &target,
                    const RecipeOptions &options,
                    RecipeCandidates &candidates) {
  for (LoopPlan &plan : LoopPlanner(kernel, target, options).propose())
    addScored(kernel, target, options, "loops", describe(plan),
              LoopWriter(plan).write(), candidates);
}

} // namespace onnxc
