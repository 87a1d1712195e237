//===- EmitPolicy.cpp - Tiles of threads and blocks -------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/Emit/EmitPolicy.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/StackBytes.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/TensorCopies.h"

#include "LaneIndex.h"
#include "onnxc/Dialect/Krnl/IR/ByteProduct.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/Launches.h"
#include "onnxc/Dialect/Krnl/IR/ThreadSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace onnxc::krnl {

SmallVector<Type> ThreadPolicy::argumentTypes(MLIRContext *context) const {
  return SmallVector<Type>(2, IndexType::get(context));
}

/// The indices of the parallel loops in a tile. Without tiles extents may be 0.
static SmallVector<OpFoldResult> splitTileNumber(LaneMath &math, Value tile,
                                                 ArrayRef<LaneIndex> extents,
                                                 ImplicitLocOpBuilder &b) {
  SmallVector<OpFoldResult> indices(extents.size());
  LaneIndex rest{tile, 0, 0, {}};
  for (size_t i = extents.size(); i-- > 0;) {
    if (i == 0) {
      indices[i] = math.foldResult(rest);
      break;
    }
    if (extents[i].isConstant()) {
      indices[i] = math.foldResult(math.mod(rest, extents[i].offset));
      rest = math.floorDiv(rest, extents[i].offset);
      continue;
    }
    Value one = arith::ConstantIndexOp::create(b, 1);
    Value extent = arith::MaxUIOp::create(b, math.scalar(extents[i]), one);
    indices[i] = math.foldResult(math.mod(rest, extent));
    rest = math.floorDiv(rest, extent);
  }
  return indices;
}

namespace {
/// A range of tiles as one loop for each of their indices. Before the indices
/// of the first tile and after those of the last an inner loop has no
/// iteration; wherever else, it runs over its whole extent.
class TileRange {
public:
  TileRange(ImplicitLocOpBuilder &b, ValueRange range,
            ArrayRef<LaneIndex> extents, ThreadPolicy::TileBody body);

  /// Emits the loops from number `position` on. Two bits say if all indices so
  /// far are those of the first tile, and of the last; null for no indices.
  void emit(unsigned position, Value atFirst, Value atLast);

private:
  Value end(unsigned position, Value atLast);

  ImplicitLocOpBuilder &b;
  LaneMath math;
  ArrayRef<LaneIndex> extents;
  ThreadPolicy::TileBody body;
  Value one, isEmpty;
  SmallVector<Value> first, last;
  SmallVector<OpFoldResult> indices;
};
} // namespace

TileRange::TileRange(ImplicitLocOpBuilder &b, ValueRange range,
                     ArrayRef<LaneIndex> extents, ThreadPolicy::TileBody body)
    : b(b), math(b), extents(extents), body(body),
      one(arith::ConstantIndexOp::create(b, 1)),
      isEmpty(arith::CmpIOp::create(b, arith::CmpIPredicate::uge, range[0],
                                    range[1])) {
  auto split = [&](Value tile) {
    return llvm::map_to_vector(
        splitTileNumber(math, tile, extents, b),
        [&](OpFoldResult index) { return math.scalar(toLaneIndex(index)); });
  };
  first = split(range[0]);
  last = split(arith::SubIOp::create(b, range[1], one));
}

Value TileRange::end(unsigned position, Value atLast) {
  Value afterLast = arith::AddIOp::create(b, last[position], one);
  return atLast ? arith::SelectOp::create(b, atLast, afterLast,
                                          math.scalar(extents[position]))
                : arith::SelectOp::create(b, isEmpty, first[0], afterLast);
}

void TileRange::emit(unsigned position, Value atFirst, Value atLast) {
  if (position == extents.size())
    return body(indices, {});
  Value begin = first[position];
  if (atFirst)
    begin = arith::SelectOp::create(b, atFirst, begin,
                                    arith::ConstantIndexOp::create(b, 0));
  auto loop = scf::ForOp::create(b, begin, end(position, atLast), one);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value index = loop.getInductionVar();
  indices.push_back(index);
  if (position + 1 < extents.size()) {
    auto isAt = [&](Value before, Value there) -> Value {
      Value here =
          arith::CmpIOp::create(b, arith::CmpIPredicate::eq, index, there);
      return before ? arith::AndIOp::create(b, before, here) : here;
    };
    atFirst = isAt(atFirst, first[position]);
    atLast = isAt(atLast, last[position]);
  }
  emit(position + 1, atFirst, atLast);
}

/// Where extents are dynamic, only the first and the last tile's indices are
/// quotients: divisions would take longer than many a tile.
void ThreadPolicy::openTiles(ImplicitLocOpBuilder &b, func::FuncOp func,
                             ArrayRef<OpFoldResult> sizes,
                             TileBody body) const {
  LaneMath math(b);
  ValueRange range = func.getArguments().take_back(2);
  SmallVector<LaneIndex> extents = llvm::map_to_vector(sizes, toLaneIndex);
  bool isCounted = llvm::any_of(
      ArrayRef(extents).drop_front(extents.empty() ? 0 : 1),
      [](const LaneIndex &extent) { return !extent.isConstant(); });
  if (isCounted)
    return TileRange(b, range, extents, body).emit(0, {}, {});
  auto loop = scf::ForOp::create(b, range[0], range[1],
                                 arith::ConstantIndexOp::create(b, 1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(splitTileNumber(math, loop.getInductionVar(), extents, b), {});
}

Value ThreadPolicy::allocate(ImplicitLocOpBuilder &b, func::FuncOp func,
                             MemRefType type) const {
  return memref::AllocaOp::create(b, type, b.getI64IntegerAttr(stackAlignment));
}

//===----------------------------------------------------------------------===//
// BlockPolicy
//===----------------------------------------------------------------------===//

SmallVector<Type> BlockPolicy::argumentTypes(MLIRContext *) const { return {}; }

/// A special register as an index.
template <typename Register>
static Value readRegister(ImplicitLocOpBuilder &b) {
  Value number = Register::create(b, b.getI32Type());
  return arith::IndexCastUIOp::create(b, b.getIndexType(), number);
}

void BlockPolicy::openTiles(ImplicitLocOpBuilder &b, func::FuncOp,
                            ArrayRef<OpFoldResult> sizes, TileBody body) const {
  LaneMath math(b);
  SmallVector<LaneIndex> extents = llvm::map_to_vector(sizes, toLaneIndex);
  LaneIndex tiles{{}, 1, 0, {}};
  for (const LaneIndex &extent : extents)
    tiles = extent.isConstant() ? math.scale(tiles, extent.offset)
                                : math.scale(tiles, math.scalar(extent));
  Value first = readRegister<NVVM::BlockIdXOp>(b);
  Value blocks = readRegister<NVVM::GridDimXOp>(b);
  auto loop = scf::ForOp::create(b, first, math.scalar(tiles), blocks);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value tile = loop.getInductionVar();
  body(splitTileNumber(math, tile, extents, b), [&]() -> Value {
    return arith::DivUIOp::create(b, arith::SubIOp::create(b, tile, first),
                                  blocks);
  });
}

SmallVector<Value> BlockThreads::indices(ImplicitLocOpBuilder &b,
                                         func::FuncOp func,
                                         ArrayRef<int64_t> extents,
                                         int64_t others) const {
  LaneMath math(b);
  int64_t threads = 1;
  SmallVector<LaneIndex> sizes;
  for (int64_t extent : extents) {
    threads *= extent;
    sizes.push_back({{}, extent, 0, {}});
  }
  func->setAttr(KrnlDialect::threadsAttrName,
                b.getI64IntegerAttr(threads + others));
  if (extents.empty())
    return {};
  Value thread = number(b);
  return llvm::map_to_vector(
      splitTileNumber(math, thread, sizes, b),
      [&](OpFoldResult index) { return math.scalar(toLaneIndex(index)); });
}

int64_t BlockThreads::count(func::FuncOp func) const {
  return func->getAttrOfType<IntegerAttr>(KrnlDialect::threadsAttrName)
      .getInt();
}

Value BlockThreads::number(ImplicitLocOpBuilder &b) const {
  return readRegister<NVVM::ThreadIdXOp>(b);
}

/// ptxas unrolls a loop of few iterations wholly, which has spilled the sums of
/// a pipeline of products.
void keepLoopsAround(Operation *op) {
  MLIRContext *context = op->getContext();
  auto unroll = LLVM::LoopUnrollAttr::get(
      context, /*disable=*/BoolAttr::get(context, true), /*count=*/{},
      /*runtimeDisable=*/{}, /*full=*/{}, /*followupUnrolled=*/{},
      /*followupRemainder=*/{}, /*followupAll=*/{});
  auto annotation = LLVM::LoopAnnotationAttr::get(
      context, {}, {}, {}, unroll, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
  // The conversions of loops forward it to the branch back to the beginning.
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>())
    loop->setDiscardableAttr("loop_annotation", annotation);
}

void BlockThreads::wait(ImplicitLocOpBuilder &b) const {
  keepLoopsAround(NVVM::Barrier0Op::create(b));
}

void BlockThreads::closeGroup(ImplicitLocOpBuilder &b) const {
  NVVM::CpAsyncCommitGroupOp::create(b);
}

void BlockThreads::waitForGroups(ImplicitLocOpBuilder &b,
                                 int64_t others) const {
  NVVM::CpAsyncWaitGroupOp::create(b, b.getI32IntegerAttr(int32_t(others)));
}

Value BlockThreads::allocateShared(ImplicitLocOpBuilder &b, func::FuncOp func,
                                   MemRefType type, int64_t alignment) const {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&func.getBody().front());
  Value memory = memref::AllocaOp::create(
      b,
      MemRefType::get(type.getShape(), type.getElementType(),
                      MemRefLayoutAttrInterface(),
                      b.getI64IntegerAttr(sharedMemorySpace)),
      b.getI64IntegerAttr(alignment));
  return memref::MemorySpaceCastOp::create(b, type, memory);
}

Value BlockPolicy::allocate(ImplicitLocOpBuilder &b, func::FuncOp,
                            MemRefType type) const {
  return memref::AllocaOp::create(b, type, b.getI64IntegerAttr(16));
}

bool ThreadPolicy::multipliesSingleGroups(int64_t bytes) const {
  return onnxc::krnl::multipliesSingleGroups(target, bytes);
}

bool BlockThreads::multipliesMatrices(const MatrixProduct &product) const {
  return target &&
         !target.getInstruction(product.operation(), product.depth()).empty();
}

bool BlockThreads::hasWarpgroups(const MatrixProduct &product) const {
  return target &&
         !target.getInstruction(product.warpgroupOperation(), product.depth())
              .empty();
}

bool BlockThreads::copiesBoxes(const LoopNest &nest) const {
  return mayCopyBoxes(nest, target);
}

bool BlockThreads::formsClusters() const { return target.formsClusters(); }

void BlockThreads::makeClusters(func::FuncOp func, int64_t blocks) const {
  func->setAttr(KrnlDialect::clusterAttrName,
                Builder(func.getContext()).getI64IntegerAttr(blocks));
}

void BlockThreads::fenceBarriers(ImplicitLocOpBuilder &b) const {
  NVVM::FenceMbarrierInitOp::create(b);
}

/// With what others read of memory it waits for all stores of the thread.
/// Barriers are fenced.
void BlockThreads::arriveInCluster(ImplicitLocOpBuilder &b,
                                   bool releases) const {
  if (releases)
    NVVM::ClusterArriveOp::create(b, /*aligned=*/b.getUnitAttr());
  else
    NVVM::ClusterArriveRelaxedOp::create(b, /*aligned=*/b.getUnitAttr());
}

void BlockThreads::waitForCluster(ImplicitLocOpBuilder &b) const {
  keepLoopsAround(NVVM::ClusterWaitOp::create(b, /*aligned=*/b.getUnitAttr()));
}

void BlockThreads::fenceAsyncProxy(ImplicitLocOpBuilder &b) const {
  NVVM::FenceProxyOp::create(
      b, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(b.getContext(),
                                 NVVM::SharedSpace::shared_cta));
}

std::unique_ptr<EmitPolicy> makePolicy(const target::Processor &processor,
                                       TargetAttr target) {
  if (processor.isDevice())
    return std::make_unique<BlockPolicy>(target);
  return std::make_unique<ThreadPolicy>(target);
}

} // namespace onnxc::krnl
