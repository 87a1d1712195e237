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
static constexpr int64_t maxCopies = 36;

/// The size of parts of `whole` that are as equal as can be, at most `most`.
static int64_t equalPart(int64_t whole, int64_t most) {
  most = std::max<int64_t>(most, 1);
  return llvm::divideCeil(whole,
                          llvm::divideCeil(std::max<int64_t>(whole, 1), most));
}

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
  void chooseColumns();
  bool chooseBetween();
  void chooseTurned();
  void chooseRows();
  void planShared();
  unsigned loopsBesidePadding();
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
  int64_t width() const { return std::max(strip, lanes * vectors * copies); }
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
  /// Of a common vector loop: as much of it as is reduced together, sums being
  /// in memory, if that is more than fits the registers.
  int64_t strip = 1;
  /// The vector loop is cut into blocks of width().
  bool cut = false;
  SmallVector<SharedLoop> shared;
  /// Of these as many are really shared: all, or those that a kernel which pads
  /// an operand shares, too, so that the two become one.
  unsigned numShared = 0;
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
  PayloadSize payload;
  for (linalg::LinalgOp op : ops) {
    unsigned wide = vectorBits(op, vectorLoop);
    if (wide == 0 || isWalk(op) || !gathersPay(op, vectorLoop))
      return chooseCopies();
    bits = std::max(bits, wide);
    PayloadSize here = payloadAlong(op, vectorLoop);
    payload.perLane += here.perLane + 1;
    payload.once += here.once;
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
  vectors = payload.perLane <= 8 ? 4 : payload.perLane <= 24 ? 2 : 1;
  // What is done once pays for itself in more lanes.
  if (payload.once > payload.perLane && payload.perLane <= 32)
    vectors = 4;
  if (vectorIsCommon)
    chooseColumns();
  if (known && vectorIsCommon)
    vectors = equalPart(llvm::divideCeil(extent(vectorLoop), lanes), vectors);
  else if (known)
    vectors = std::clamp<int64_t>(extent(vectorLoop) / lanes, 1, vectors);
  cut = vectorIsCommon && (!known || extent(vectorLoop) > width());
}

/// Sums of columns go down the rows, which lie far apart: it is worth it to
/// take much of each row at once. As many sums as fit the registers; where what
/// there is so far is written at every step, memory is read and written in any
/// case, and as well for the sums.
void LoopWriter::chooseColumns() {
  constexpr int64_t leastRows = 16, mostColumns = 1024;
  constexpr size_t smallPayload = 8;
  unsigned sums = 0;
  bool traces = false;
  for (linalg::LinalgOp op : ops) {
    int64_t rows = 1;
    for (const std::string &loop : reducedLoops(op))
      rows *= extent(loop);
    if (rows == 1)
      continue;
    if (rows < leastRows ||
        op.getBlock()->getOperations().size() > smallPayload)
      return;
    for (unsigned i : llvm::seq<unsigned>(op.getNumDpsInits()))
      if (isTrace(op, i))
        traces = true;
      else
        ++sums;
  }
  if (sums == 0)
    return;
  if (traces && isStatic(kernel, vectorLoop)) {
    // Two parts at least, for two workers.
    int64_t whole = llvm::divideCeil(extent(vectorLoop), lanes);
    int64_t most = std::min(mostColumns / lanes, (whole + 1) / 2);
    strip = lanes * equalPart(whole, most);
  } else if (!traces)
    vectors = std::max<int64_t>(vectors, target.vectorRegs / 2 / sums);
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

/// Lanes a few elements apart are written with those that lie between them: the
/// loop over these is the last of a result.
bool LoopWriter::chooseBetween() {
  constexpr int64_t mostBetween = 4, mostVectors = 8;
  if (lanes == 1 || !vectorIsCommon)
    return false;
  for (linalg::LinalgOp op : ops)
    for (OpOperand &result : op.getDpsInitsMutable()) {
      SmallVector<std::string> loops = accessLoops(op, result);
      if (loops.size() < 2 || loops.back().empty() ||
          loops.back() == vectorLoop || loops.end()[-2] != vectorLoop ||
          !llvm::is_contained(common, loops.back()) ||
          !isStatic(kernel, loops.back()) || extent(loops.back()) > mostBetween)
        continue;
      openLoop = loops.back();
      rows = extent(openLoop);
      vectors = std::min(vectors, mostVectors / rows);
      cut = !isStatic(kernel, vectorLoop) || extent(vectorLoop) > width();
      return true;
    }
  return false;
}

/// Rows that become columns are loaded as vectors and turned in registers.
void LoopWriter::chooseTurned() {
  constexpr size_t smallPayload = 12;
  constexpr int64_t mostRows = 16, leastRows = 4;
  if (chooseBetween())
    return;
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
  bool waits = llvm::any_of(ops, [&](linalg::LinalgOp op) {
    return llvm::is_contained(reducedLoops(op), vectorLoop);
  });
  if (lanes == 1 || vectorIsCommon || !waits || common.empty() ||
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

/// Does the kernel only fill and copy, for one other that reads its result?
static bool isPadding(KernelOp kernel) {
  if (!kernel || kernel->getNumResults() != 1 ||
      !kernel->getResult(0).hasOneUse() ||
      !kernel.getOuts()[0].getDefiningOp<tensor::EmptyOp>())
    return false;
  SmallVector<linalg::LinalgOp> ops = kernel.getStructuredOps();
  return ops.size() > 1 && llvm::all_of(ops, [](linalg::LinalgOp op) {
           return op.getNumReductionLoops() == 0 &&
                  llvm::hasSingleElement(*op.getBlock());
         });
}

/// The padded operand of a window need not go through memory: where the shared
/// loops are no more than the dimensions that have no border, all that one
/// visit pads stays in the caches. Returns how many loops these are; 0 if none
/// of it pays.
unsigned LoopWriter::loopsBesidePadding() {
  // Both are of a core's own cache: smaller tensors stay there anyway.
  int64_t mostLocal = std::min<int64_t>(target.l2 / 4, 64 * 1024),
          leastWhole = target.l2 / 2;
  for (linalg::LinalgOp op : ops)
    for (OpOperand *input : op.getDpsInputOperands()) {
      auto argument = dyn_cast<BlockArgument>(input->get());
      auto type = dyn_cast<RankedTensorType>(input->get().getType());
      if (!argument || argument.getArgNumber() >= kernel.getIns().size() ||
          !type || !type.hasStaticShape() ||
          !type.getElementType().isIntOrFloat())
        continue;
      auto producer =
          kernel.getIns()[argument.getArgNumber()].getDefiningOp<KernelOp>();
      if (!isPadding(producer))
        continue;
      unsigned count = 0;
      int64_t local = type.getNumElements() *
                      std::max<int64_t>(type.getElementTypeBitWidth() / 8, 1);
      if (local < leastWhole)
        continue;
      AffineMap map = op.getMatchingIndexingMap(input);
      for (auto [index, loop] :
           llvm::zip_equal(map.getResults(), accessLoops(op, *input))) {
        if (isa<AffineConstantExpr>(index))
          continue;
        if (loop.empty() || count == shared.size() ||
            shared[count].name != loop)
          break;
        local /= std::max<int64_t>(extent(loop), 1);
        ++count;
      }
      if (count > 0 && local <= mostLocal)
        return count;
    }
  return 0;
}

/// Outer loops run parallel as far as a tile keeps enough work.
void LoopWriter::planParallel() {
  bool known = llvm::all_of(loopNames(kernel), [&](const std::string &loop) {
    return isStatic(kernel, loop);
  });
  int64_t work = workBytes();
  numShared = shared.size();
  if (unsigned few = loopsBesidePadding())
    numShared = few;
  if (known && work < parallelBytes)
    return;
  for (const SharedLoop &loop : ArrayRef(shared).take_front(numShared))
    work /= std::max<int64_t>(loop.extent, 1);
  for (unsigned place = numShared; place-- > 0;) {
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
  SmallVector<std::string> sharedNames, ownNames, parallelNames;
  std::string vectorInner = vectorLoop, openInner;
  for (auto [place, loop] : llvm::enumerate(shared)) {
    std::string name = loop.name;
    int64_t inRegisters = piece(name);
    int64_t tile = grain * inRegisters;
    SmallVector<std::string> &names =
        place < numShared ? sharedNames : ownNames;
    if (place + 1 == numParallel && grain > 1) {
      auto [outer, inner] =
          recipe.block(name, tile, "t", "c", tailOf(loop.name, tile));
      names.push_back(outer);
      parallelNames.push_back(outer);
      name = inner;
    }
    if (inRegisters > 1)
      std::tie(name, loop.name == openLoop ? openInner : vectorInner) =
          recipe.block(name, inRegisters, "o", "i",
                       tailOf(loop.name, inRegisters));
    names.push_back(name);
    if (place < numParallel && !(place + 1 == numParallel && grain > 1))
      parallelNames.push_back(name);
  }
  SmallVector<std::string> all = sharedNames;
  llvm::append_range(all, ownNames);
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
