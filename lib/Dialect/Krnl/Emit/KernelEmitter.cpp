//===- KernelEmitter.cpp - Obeys one kernel's recipe ------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Turns the structured ops of a krnl.kernel into loops over memrefs, the way
// its replayed LoopNest says. The shape of the result:
//
//   for tile = begin to end            // EmitPolicy: parallel loops, flattened
//     for fused outer loops            // NestEmitter: all ops inside
//       if full tile ... else tail     // register tiles have no inner tests
//         op 0: for its own loops, registers innermost       // OpEmitter
//         op 1: ...                    // takes op 0's registers if StoragePlan
//                                      // says that it can
//
// PayloadEmitter repeats the payload of an op at a point, on scalars or
// vectors; VectorAccess reads and writes them.
//===----------------------------------------------------------------------===//

#include "OpEmitter.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/ByteProduct.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Clusters.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/ShortSums.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Threads.h"
#include "onnxc/Dialect/Krnl/IR/ThreadSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace onnxc::krnl {

namespace {
/// Makes the function of a kernel and joins the parts that fill it.
class KernelEmitter {
public:
  KernelEmitter(KernelOp kernel, LoopNest replayed, const EmitOptions &options,
                const EmitPolicy &policy);

  FailureOr<EmittedKernel> emit(OpBuilder &at, StringRef name);

private:
  void createFunction(OpBuilder &at, StringRef name, EmittedKernel &result);
  SmallVector<Type> argumentTypes();
  SmallVector<Type> errorTypes();
  void listLongSums();
  unsigned typesBeforeOuts();
  Value argumentFor(unsigned operand);
  void emitExtents();
  Value emitSize(Value tensor, int64_t dim);
  void emitUniformOps();
  void emitStorage();
  void placeThreads(const TileThreads &threads, int64_t others);
  void emitTiles();

  KernelOp kernel;
  LoopNest nest;
  const EmitOptions &options;
  const EmitPolicy &policy;
  ImplicitLocOpBuilder b;
  LaneMath math;
  RegisterLoops registers;
  StoragePlan storage;
  NestEmitter loops;
  KernelValues values;
  llvm::DenseMap<unsigned, PackedOperand> packs;
  /// Packed operands with bytes that say which sums of theirs do not fit, and
  /// the types of these bytes.
  SmallVector<std::pair<unsigned, MemRefType>> longSums;
};
} // namespace

KernelEmitter::KernelEmitter(KernelOp kernel, LoopNest replayed,
                             const EmitOptions &options,
                             const EmitPolicy &policy)
    : kernel(kernel), nest(std::move(replayed)), options(options),
      policy(policy), b(kernel.getLoc(), kernel.getContext()), math(b),
      registers(nest),
      storage(kernel, nest,
              [&, ofTarget = forwardsOfTarget(kernel, nest)](
                  const BodyOp &producer, const BodyOp &consumer) {
                return policy.forwards(producer, consumer) &&
                       (!ofTarget || ofTarget(producer, consumer));
              }),
      loops(nest, registers, math, b) {
  for (auto [i, op] : llvm::enumerate(wrappedIndices(kernel)))
    values.wrapNumbers[op] = int64_t(i);
  loops.uniform = &values.uniform;
  for (const Pack &pack : nest.packs())
    packs[pack.operand] = packedOperand(kernel, nest, pack);
  listLongSums();
}

void KernelEmitter::listLongSums() {
  for (const Pack &pack : nest.packs())
    if (PackedLayoutAttr layout = longSumsLayout(nest, pack))
      longSums.push_back(
          {pack.operand,
           MemRefType::get(layout.getStoredSizes(),
                           packs[pack.operand].type.getElementType())});
}

SmallVector<WrapIndexOp> wrappedIndices(KernelOp kernel) {
  SmallVector<WrapIndexOp> ops;
  kernel.walk([&](WrapIndexOp op) { ops.push_back(op); });
  return ops;
}

MemRefType errorWordType(MLIRContext *context, size_t messages) {
  return MemRefType::get({int64_t(messages), 2}, IntegerType::get(context, 64));
}

/// After the extents.
SmallVector<Type> KernelEmitter::errorTypes() {
  if (values.wrapNumbers.empty())
    return {};
  return {errorWordType(b.getContext(), values.wrapNumbers.size())};
}

/// The arguments between the ins and the outs.
unsigned KernelEmitter::typesBeforeOuts() {
  return kernel.getExtents().size() + errorTypes().size() + longSums.size();
}

/// A function takes the ins, the extents, the errors, the bytes of long sums
/// and the outs.
Value KernelEmitter::argumentFor(unsigned operand) {
  unsigned ins = kernel.getIns().size(), outs = kernel.getOuts().size();
  if (operand < ins)
    return values.func.getArgument(operand);
  if (operand >= ins + outs)
    return values.func.getArgument(operand - outs);
  return values.func.getArgument(operand + typesBeforeOuts());
}

static MemRefType memrefOf(RankedTensorType type) {
  return MemRefType::get(type.getShape(), type.getElementType());
}

SmallVector<Type> KernelEmitter::argumentTypes() {
  SmallVector<Type> types;
  unsigned numIns = kernel.getIns().size();
  for (auto [i, value] : llvm::enumerate(
           llvm::concat<Value>(kernel.getIns(), kernel.getOuts()))) {
    if (i == numIns) {
      llvm::append_range(types, kernel.getExtents().getTypes());
      llvm::append_range(types, errorTypes());
      llvm::append_range(types, llvm::make_second_range(longSums));
    }
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    auto pack = packs.find(i);
    if (pack != packs.end())
      tensor = pack->second.type;
    types.push_back(tensor ? Type(memrefOf(tensor)) : value.getType());
  }
  for (Value temporary : storage.temporaries)
    types.push_back(memrefOf(cast<RankedTensorType>(temporary.getType())));
  llvm::append_range(types, policy.argumentTypes(b.getContext()));
  return types;
}

void KernelEmitter::createFunction(OpBuilder &at, StringRef name,
                                   EmittedKernel &result) {
  func::FuncOp func = func::FuncOp::create(
      at, kernel.getLoc(), name, at.getFunctionType(argumentTypes(), {}));
  func.setPrivate();
  func->setAttr(KrnlDialect::kernelAttrName, at.getUnitAttr());
  auto ops = kernel.getBody().getOps<ComputeOp>();
  if (llvm::count_if(
          ops, [](ComputeOp op) { return factorsOfSum(op).has_value(); }) > 1)
    func->setAttr(KrnlDialect::keepsOrderAttrName, at.getUnitAttr());
  values.func = result.func = func;
  result.temporaries = storage.temporaries;
  SmallVector<Type> errors = errorTypes();
  unsigned firstError = kernel.getIns().size() + kernel.getExtents().size();
  result.hasErrorWord = !errors.empty();
  b.setInsertionPointToStart(func.addEntryBlock());
  if (result.hasErrorWord)
    values.errorWord = func.getArgument(firstError);
  for (auto [i, table] : llvm::enumerate(longSums))
    values.longSums[table.first] =
        func.getArgument(firstError + errors.size() + i);
  for (BlockArgument inner : kernel.getBody().getArguments()) {
    Value outer = argumentFor(inner.getArgNumber());
    values.uniform.map(inner, outer);
    if (isa<MemRefType>(outer.getType())) {
      Storage slot;
      slot.memref = outer;
      auto pack = packs.find(inner.getArgNumber());
      if (pack != packs.end()) {
        slot.byLoops = true;
        slot.packed = pack->second.loops;
      }
      storage.slots[inner] = slot;
    }
  }
}

/// The extents of the axes, constant or arguments.
void KernelEmitter::emitExtents() {
  for (unsigned axis = 0; axis < nest.numAxes(); ++axis) {
    OpFoldResult extent = kernel.getExtentInside(axis);
    if (auto inside = dyn_cast<Value>(extent))
      loops.extents.push_back({values.uniform.lookup(inside), 0, 0, {}});
    else
      loops.extents.push_back({{}, *getConstantIntValue(extent), 0, {}});
  }
  loops.tripCounts =
      extentsWithWork(kernel, nest, /*ofTiles=*/false, loops.extents, b);
}

/// Size of a dimension of a tensor of the body.
Value KernelEmitter::emitSize(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return arith::ConstantIndexOp::create(b, type.getDimSize(dim));
  auto [loop, argument] = kernel.findSize(tensor, dim);
  // The dimensions of a packed form are other ones.
  if (!loop && packs.contains(argument.getArgNumber()))
    loop = nest.operand(argument.getArgNumber()).dimAxes[dim];
  if (loop)
    return math.scalar(loops.extents[*loop]);
  return memref::DimOp::create(b, argumentFor(argument.getArgNumber()), dim);
}

/// Scalar code of the body that is outside the structured ops.
void KernelEmitter::emitUniformOps() {
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (auto dim = dyn_cast<tensor::DimOp>(op)) {
      int64_t number = *getConstantIntValue(dim.getIndex());
      values.uniform.map(dim.getResult(), emitSize(dim.getSource(), number));
    } else if (!isa<ComputeOp, TemporaryOp>(op)) {
      b.clone(op, values.uniform);
    }
  }
}

/// Memory of results that are neither operands nor in registers.
void KernelEmitter::emitStorage() {
  for (auto &[root, slot] : storage.slots) {
    if (slot.memref)
      continue;
    auto type =
        MemRefType::get(slot.localShape, getElementTypeOrSelf(root.getType()));
    const TileThreads *threads = policy.tileThreads();
    slot.memref = slot.isShared && threads
                      ? threads->allocateShared(b, values.func, type,
                                                Cache::sharedAlignment)
                      : policy.allocate(b, values.func, type);
  }
}

/// Gives threads their iterations of mapped loops, and blocks of a cluster
/// theirs of its parts and shares; `others` is how many more threads there are.
void KernelEmitter::placeThreads(const TileThreads &threads, int64_t others) {
  SmallVector<unsigned> mapped = mappedLoops(nest);
  auto extents = llvm::map_to_vector(
      mapped, [&](unsigned loop) { return nest.loop(loop).extent; });
  loops.setThread(mapped, threads.indices(b, values.func, extents, others));
  for (unsigned loop : loopsOfThreads(nest))
    if (int other = nest.loop(loop).threadsOf;
        other >= 0 && loop != clusterShares(nest))
      loops.setSameThread(loop, unsigned(other));
  if (std::optional<unsigned> parts = clusterParts(nest);
      parts && threads.formsClusters()) {
    threads.makeClusters(values.func, nest.loop(*parts).extent);
    loops.setCluster(*parts, *clusterShares(nest));
  }
}

void KernelEmitter::emitTiles() {
  VectorAccess access(b, math);
  EmptyOperands empty(b, access, values.func.getBody().front());
  EmitContext context{kernel, nest, storage, loops,   values, empty,
                      access, b,    math,    options, policy};
  OperandPositions positions(context);
  CachedSlices slices(context, positions);
  slices.allocate();
  SliceCopier copier(context, positions, slices);
  OpEmitter ops(context, positions, slices, copier);
  if (const TileThreads *threads = policy.tileThreads())
    placeThreads(*threads, slices.produced().empty() ? 0 : producerThreads);
  auto memrefOf = [&](Value tensor) {
    return storage.slots[storage.chainRoot(tensor)].memref;
  };
  auto openTiles = [&](function_ref<void()> emitTile) {
    policy.openTiles(
        b, values.func, loops.tileExtents(),
        [&](ArrayRef<OpFoldResult> indices, function_ref<Value()> before) {
          loops.enterTile(indices);
          copier.roles().enterTile(before);
          emitTile();
        });
  };
  auto computeTile = [&] {
    loops.emitTile([&](unsigned loop) { copier.fill(loop); },
                   [&](unsigned loop, NestEmitter::LoopSide side) {
                     ops.emitHoisted(loop, side);
                   },
                   [&] { ops.emitOps(); });
    copier.endTile();
  };
  empty.emitBranches(kernel, memrefOf, [&] {
    copier.roles().emitRoles(
        [&] { openTiles([&] { copier.roles().produceTile(); }); },
        [&] { openTiles(computeTile); });
  });
}

FailureOr<EmittedKernel> KernelEmitter::emit(OpBuilder &at, StringRef name) {
  EmittedKernel result;
  OpBuilder::InsertionGuard guard(at);
  storage.assign();
  createFunction(at, name, result);
  for (auto [root, number] : storage.outputOf)
    storage.slots[root] = storage.slots.lookup(kernel.getOutArgument(number));
  unsigned firstTemporary =
      kernel.getIns().size() + kernel.getOuts().size() + typesBeforeOuts();
  for (auto [i, temporary] : llvm::enumerate(storage.temporaries))
    storage.slots[temporary].memref =
        values.func.getArgument(firstTemporary + i);
  emitExtents();
  emitUniformOps();
  emitStorage();
  emitTiles();
  b.setInsertionPointToEnd(&values.func.getBody().front());
  func::ReturnOp::create(b);
  return result;
}

FailureOr<EmittedKernel> emitKernel(KernelOp kernel, OpBuilder &at,
                                    StringRef name, const EmitOptions &options,
                                    const EmitPolicy &policy) {
  auto nest =
      LoopNest::replay(kernel, [&](size_t) { return kernel.emitOpError(); });
  if (failed(nest))
    return failure();
  return KernelEmitter(kernel, std::move(*nest), options, policy)
      .emit(at, name);
}

} // namespace onnxc::krnl
