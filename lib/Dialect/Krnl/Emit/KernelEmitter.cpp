//===- KernelEmitter.cpp - Obeys one kernel's recipe ------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace onnxc::krnl {

KernelEmitter::KernelEmitter(KernelOp kernel, LoopNest replayed,
                             const EmitOptions &options)
    : kernel(kernel), nest(std::move(replayed)), options(options),
      b(kernel.getLoc(), kernel.getContext()), math(b) {
  for (const BodyOp &op : nest.ops())
    ops.push_back(cast<linalg::LinalgOp>(op.op));
  active.resize(nest.loops().size());
  for (WrapIndexOp op : wrappedIndices(kernel)) {
    int32_t number = int32_t(wrapNumbers.size()) + 1;
    wrapNumbers[op] = number;
  }
}

SmallVector<WrapIndexOp> wrappedIndices(KernelOp kernel) {
  SmallVector<WrapIndexOp> ops;
  kernel.walk([&](WrapIndexOp op) { ops.push_back(op); });
  return ops;
}

/// A function takes the ins, the extents, the error word and the outs.
Value KernelEmitter::argumentFor(unsigned operand) {
  unsigned ins = kernel.getIns().size(), outs = kernel.getOuts().size();
  if (operand < ins)
    return func.getArgument(operand);
  if (operand >= ins + outs)
    return func.getArgument(operand - outs);
  return func.getArgument(operand + kernel.getExtents().size() +
                          (errorWord ? 1 : 0));
}

static MemRefType memrefOf(RankedTensorType type) {
  return MemRefType::get(type.getShape(), type.getElementType());
}

void KernelEmitter::createFunction(OpBuilder &at, StringRef name,
                                   EmittedKernel &result) {
  SmallVector<Type> types;
  MemRefType wordType = MemRefType::get({}, at.getI32Type());
  result.hasErrorWord = !wrapNumbers.empty();
  unsigned numIns = kernel.getIns().size();
  for (auto [i, value] : llvm::enumerate(
           llvm::concat<Value>(kernel.getIns(), kernel.getOuts()))) {
    if (i == numIns) {
      llvm::append_range(types, kernel.getExtents().getTypes());
      if (result.hasErrorWord)
        types.push_back(wordType);
    }
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    auto pack = packs.find(i);
    if (pack != packs.end())
      tensor = pack->second.type;
    types.push_back(tensor ? Type(memrefOf(tensor)) : value.getType());
  }
  for (Value temporary : result.temporaries)
    types.push_back(memrefOf(cast<RankedTensorType>(temporary.getType())));
  types.append(2, at.getIndexType());
  func = func::FuncOp::create(at, kernel.getLoc(), name,
                              at.getFunctionType(types, {}));
  func.setPrivate();
  func->setAttr("krnl.kernel", at.getUnitAttr());
  b.setInsertionPointToStart(func.addEntryBlock());
  if (result.hasErrorWord)
    errorWord = func.getArgument(numIns + kernel.getExtents().size());
  for (BlockArgument inner : kernel.getBody().getArguments()) {
    Value outer = argumentFor(inner.getArgNumber());
    uniform.map(inner, outer);
    if (isa<MemRefType>(outer.getType())) {
      Storage slot;
      slot.memref = outer;
      auto pack = packs.find(inner.getArgNumber());
      if (pack != packs.end()) {
        slot.byLoops = true;
        slot.packed = pack->second.loops;
      }
      storage[inner] = slot;
    }
  }
  result.func = func;
}

/// The extents of the axes, constant or arguments.
void KernelEmitter::emitExtents() {
  for (unsigned axis = 0; axis < nest.numAxes(); ++axis) {
    OpFoldResult extent = kernel.getExtentInside(axis);
    if (auto inside = dyn_cast<Value>(extent))
      extents.push_back({uniform.lookup(inside), 0, 0, {}});
    else
      extents.push_back({{}, *getConstantIntValue(extent), 0, {}});
  }
  tripCounts = extentsWithWork(kernel, nest, /*ofTiles=*/false, extents, b);
}

/// Size of a dimension of a tensor of the body: an intermediate is as large as
/// the loop that writes along the dimension.
Value KernelEmitter::emitSize(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return arith::ConstantIndexOp::create(b, type.getDimSize(dim));
  if (auto arg = dyn_cast<BlockArgument>(tensor)) {
    // The dimensions of a packed form are other ones.
    if (packs.contains(arg.getArgNumber()))
      return math.scalar(
          extents[nest.operandInfo(arg.getArgNumber()).dimAxes[dim]]);
    return memref::DimOp::create(b, argumentFor(arg.getArgNumber()), dim);
  }
  if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
    return uniform.lookup(empty.getDynamicSize(dim));
  auto op = cast<linalg::LinalgOp>(tensor.getDefiningOp());
  auto result = cast<OpResult>(tensor);
  AffineMap map = op.getIndexingMapMatchingResult(result);
  if (auto plain = dyn_cast<AffineDimExpr>(map.getResult(dim)))
    return math.scalar(
        extents[nest.op(nest.indexOf(op)).axes[plain.getPosition()]]);
  return emitSize(op.getTiedOpOperand(result)->get(), dim);
}

/// Scalar code of the body that is outside the structured ops.
void KernelEmitter::emitUniformOps() {
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (auto dim = dyn_cast<tensor::DimOp>(op)) {
      int64_t number = *getConstantIntValue(dim.getIndex());
      uniform.map(dim.getResult(), emitSize(dim.getSource(), number));
    } else if (!isa<linalg::LinalgOp, tensor::EmptyOp>(op)) {
      b.clone(op, uniform);
    }
  }
}

/// The indices of the parallel loops, whose extents are `extents`, in a tile,
/// the last one fastest. Without tiles extents may be 0.
SmallVector<LaneIndex>
KernelEmitter::splitTileNumber(Value tile, ArrayRef<LaneIndex> extents) {
  SmallVector<LaneIndex> indices(extents.size());
  LaneIndex rest{tile, 0, 0, {}};
  for (size_t i = extents.size(); i-- > 0;) {
    if (i == 0) {
      indices[i] = rest;
      break;
    }
    if (extents[i].isConstant()) {
      indices[i] = math.mod(rest, extents[i].offset);
      rest = math.floorDiv(rest, extents[i].offset);
      continue;
    }
    Value one = arith::ConstantIndexOp::create(b, 1);
    Value extent = arith::MaxUIOp::create(b, math.scalar(extents[i]), one);
    indices[i] = math.mod(rest, extent);
    rest = math.floorDiv(rest, extent);
  }
  return indices;
}

/// The indices in the tile behind the one that has `indices`.
SmallVector<Value> KernelEmitter::nextTile(ValueRange indices,
                                           ArrayRef<LaneIndex> extents) {
  Value zero = arith::ConstantIndexOp::create(b, 0),
        one = arith::ConstantIndexOp::create(b, 1);
  SmallVector<Value> next(indices);
  Value carries;
  for (size_t i = extents.size(); i-- > 0;) {
    Value more = arith::AddIOp::create(b, indices[i], one);
    next[i] =
        carries ? arith::SelectOp::create(b, carries, more, indices[i]) : more;
    if (i == 0)
      break;
    carries = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, next[i],
                                    math.scalar(extents[i]));
    next[i] = arith::SelectOp::create(b, carries, zero, next[i]);
  }
  return next;
}

/// for tile = begin to end. Where extents are dynamic, only the first tile's
/// indices are quotients: divisions would take longer than many a tile.
void KernelEmitter::emitTiles() {
  unsigned args = func.getNumArguments();
  Value begin = func.getArgument(args - 2), end = func.getArgument(args - 1);
  SmallVector<unsigned> parallel = nest.parallelLoops();
  SmallVector<LaneIndex> extents = llvm::map_to_vector(
      parallel, [&](unsigned number) { return fullExtent(number); });
  bool isCounted = llvm::any_of(
      ArrayRef(extents).drop_front(parallel.empty() ? 0 : 1),
      [](const LaneIndex &extent) { return !extent.isConstant(); });
  SmallVector<Value> first;
  if (isCounted)
    for (const LaneIndex &index : splitTileNumber(begin, extents))
      first.push_back(math.scalar(index));
  auto loop = scf::ForOp::create(b, begin, end,
                                 arith::ConstantIndexOp::create(b, 1), first);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<LaneIndex> indices;
  for (Value index : loop.getRegionIterArgs())
    indices.push_back({index, 0, 0, {}});
  if (!isCounted)
    indices = splitTileNumber(loop.getInductionVar(), extents);
  for (auto [number, index] : llvm::zip_equal(parallel, indices)) {
    active[number].base = index.base;
    active[number].offset = index.offset;
  }
  emitParallel(0);
  if (isCounted)
    scf::YieldOp::create(b, nextTile(loop.getRegionIterArgs(), extents));
}

/// A tile of peeled blocks is a full one, or it is the last.
void KernelEmitter::emitParallel(unsigned position) {
  SmallVector<unsigned> parallel = nest.parallelLoops();
  if (position == parallel.size()) {
    for (unsigned number : parallel)
      fillCaches(number);
    return emitFusedOuter(position);
  }
  unsigned number = parallel[position];
  if (!nest.peels(number))
    return emitParallel(position + 1);
  ActiveLoop &at = active[number];
  Value isFull = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                       math.scalar({at.base, at.offset, 0, {}}),
                                       math.scalar(fullBlocks(number, 0)));
  auto branch = scf::IfOp::create(b, isFull, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  for (auto [block, part] :
       {std::pair(branch.thenBlock(), ActiveLoop::BlockKind::Full),
        std::pair(branch.elseBlock(), ActiveLoop::BlockKind::Last)}) {
    b.setInsertionPointToStart(block);
    active[number].part = part;
    emitParallel(position + 1);
  }
  active[number].part = ActiveLoop::BlockKind::Any;
}

/// How the first op that has the loop iterates over it; fused outer loops are
/// iterated over the same way by all ops.
static LoopUse useOf(const LoopNest &nest, unsigned loop, unsigned &op) {
  for (auto [number, body] : llvm::enumerate(nest.ops()))
    if (const LoopUse *use = body.find(loop)) {
      op = number;
      return *use;
    }
  op = 0;
  LoopUse plain;
  plain.loop = loop;
  return plain;
}

void KernelEmitter::emitFusedOuter(unsigned position) {
  SmallVector<unsigned> outerLoops = nest.fusedOuterLoops();
  if (position == outerLoops.size())
    return emitTileVariants(0);
  unsigned op;
  LoopUse use = useOf(nest, outerLoops[position], op);
  emitLoop(use, op, {}, [&](ValueRange) {
    fillCaches(use.loop);
    emitFusedOuter(position + 1);
    return SmallVector<Value>();
  });
}

/// Opens the register-tile loops: one variant of the code for full tiles, one
/// for the tile that is cut off by the end of an axis.
void KernelEmitter::emitTileVariants(unsigned position) {
  if (position == tileLoops.size())
    return emitOps();
  const LoopUse &use = tileLoops[position];
  unsigned op;
  int64_t lanes = lanesOf(useOf(nest, use.loop, op), op);
  int64_t extent = nest.loop(use.loop).extent;
  LaneIndex bound = boundOf(use.loop, op);
  ActiveLoop saved = active[use.loop];
  llvm::scope_exit restore([&] { active[use.loop] = saved; });

  auto emitWith = [&](int64_t limit) {
    ActiveLoop state;
    state.instances = llvm::divideCeil(limit, lanes);
    state.lanes = lanes;
    if (limit % lanes)
      state.staticLimit = limit;
    active[use.loop] = state;
    emitTileVariants(position + 1);
  };
  if (bound.isConstant())
    return emitWith(bound.offset);
  // The length of the tail may be known only at run time: lanes are masked.
  auto emitMasked = [&] {
    ActiveLoop state;
    state.lanes = lanes;
    state.instances = llvm::divideCeil(extent, lanes);
    state.dynamicLimit = math.scalar(bound);
    active[use.loop] = state;
    emitTileVariants(position + 1);
  };
  unsigned blocked = nest.loop(use.loop).kind == Loop::Kind::BlockInner
                         ? nest.loop(use.loop).parents[0]
                         : use.loop;
  int64_t blockedExtent = nest.loop(blocked).extent;
  bool isKnown = !ShapedType::isDynamic(blockedExtent) &&
                 blockedExtent % extent &&
                 nest.loop(blocked).kind == Loop::Kind::Axis;
  // The rows that are left need no variant for full vectors.
  if (inRowTail && lanes > 1 && !isKnown && options.processor.freeMasks)
    return emitMasked();

  Value isFull =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, math.scalar(bound),
                            arith::ConstantIndexOp::create(b, extent));
  auto branch = scf::IfOp::create(b, isFull, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  emitWith(extent);
  b.setInsertionPointToStart(branch.elseBlock());
  if (isKnown)
    return emitWith(blockedExtent % extent);
  if (lanes > 1)
    return emitMasked();
  emitRowTail(use.loop, extent, bound, [&] { emitTileVariants(position + 1); });
}

/// The rows that are left of a tile, as many side by side as there are, but for
/// powers of two: each visit reads all the vectors, and a few accumulators
/// would wait for each other.
void KernelEmitter::emitRowTail(unsigned loop, int64_t extent, LaneIndex bound,
                                function_ref<void()> body) {
  llvm::SaveAndRestore inside(inRowTail, true);
  LaneIndex done;
  for (auto rows = int64_t(llvm::bit_floor(uint64_t(extent - 1))); rows > 0;
       rows /= 2) {
    LaneIndex rest = math.mod(math.add(bound, math.scale(done, -1)), rows);
    LaneIndex end = math.add(bound, math.scale(rest, -1));
    ActiveLoop state;
    state.instances = rows;
    emitStrip(loop, done, end, rows, state, {}, [&](ValueRange) {
      body();
      return SmallVector<Value>();
    });
    done = end;
  }
}

void KernelEmitter::emitOps() {
  registers.clear();
  for (unsigned op = 0; op < ops.size(); ++op)
    if (!isInside(op))
      emitOp(op);
}

FailureOr<EmittedKernel> KernelEmitter::emit(OpBuilder &at, StringRef name) {
  for (unsigned number : nest.order())
    for (const BodyOp &op : nest.ops())
      if (const LoopUse *use = op.find(number);
          use && use->role != RegisterRole::None && !isRegisterTile(number))
        tileLoops.push_back(*use);
  for (const Pack &pack : nest.packs())
    packs[pack.operand] = packedOperand(kernel, nest, pack);
  planCaches();
  EmittedKernel result;
  OpBuilder::InsertionGuard guard(at);
  if (failed(assignStorage(result)))
    return failure();
  createFunction(at, name, result);
  for (auto [root, number] : outputOf)
    storage[root] = storage.lookup(kernel.getOutArgument(number));
  unsigned firstTemporary = kernel.getNumOperands() + (errorWord ? 1 : 0);
  for (auto [i, temporary] : llvm::enumerate(result.temporaries))
    storage[temporary].memref = func.getArgument(firstTemporary + i);
  emitExtents();
  emitUniformOps();
  for (auto &[root, slot] : storage)
    if (!slot.memref)
      slot.memref = memref::AllocaOp::create(
          b,
          MemRefType::get(slot.localShape,
                          cast<ShapedType>(root.getType()).getElementType()),
          b.getI64IntegerAttr(64));
  allocateCaches();
  emitTilesUnlessEmpty();
  b.setInsertionPointToEnd(&func.getBody().front());
  func::ReturnOp::create(b);
  return result;
}

FailureOr<EmittedKernel> emitKernel(KernelOp kernel, OpBuilder &at,
                                    StringRef name,
                                    const EmitOptions &options) {
  auto nest = LoopNest::replay(kernel, [&] { return kernel.emitOpError(); });
  if (failed(nest))
    return failure();
  return KernelEmitter(kernel, std::move(*nest), options).emit(at, name);
}

} // namespace onnxc::krnl
