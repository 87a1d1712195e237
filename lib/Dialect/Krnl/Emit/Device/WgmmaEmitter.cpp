//===- WgmmaEmitter.cpp - Products of matrices by a warpgroup ---*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The threads of four warps have the sums of a wgmma as its recipe distributes
// them. The instruction reads the factors itself, from slices in shared memory
// that have the form of its descriptors:
//
//   byte (i, j) of a slice, i along memory, in lines of n bytes
//     place    i / n * blockBytes + j * n + i % n
//     then     place xor (place >> 7 & mask) << 4
//
// All products of a point are one group:
//
//   fence; wgmma of all sums, for each 32 bytes of products; commit; wait
//
// Where a pipeline leaves groups in flight, the threads wait for those before
// them only, and for the last ones after its loop: nothing touches the sums in
// between.
//===----------------------------------------------------------------------===//

#include "Device/WgmmaEmitter.h"

#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"
#include "onnxc/Dialect/Krnl/IR/WarpgroupOps.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace onnxc::krnl {

/// Lines that are exchanged together.
static constexpr int64_t groupLines = 8;

/// The matrix of the first row or column, and of the first product.
Value WgmmaEmitter::descriptorOf(const CachedSlice &slice, const Mma &mma,
                                 const Instance &instance) {
  SmallVector<ActiveLoop> saved(active);
  for (unsigned loop :
       {*mma.rowWarps, mma.rowCopies, mma.rowThreads, *mma.columnTiles,
        mma.columnThreads, mma.columnCopies, mma.products})
    loops.enterIteration(loop, {});
  LaneIndex at = slices.matrixIn(slice, instance);
  active = saved;
  const SwizzledSlice &form = *slice.swizzle;
  return MatrixDescriptorOp::create(b, slice.memref, math.scalar(at),
                                    form.lineBytes, form.blockBytes(),
                                    groupLines * form.lineBytes);
}

namespace {
/// The sums of an instruction in its order, and where each of them is: the
/// number of an accumulator, and a lane.
struct Sums {
  SmallVector<std::pair<int, int64_t>> from;
  Value value;
};
} // namespace

/// `at` says which accumulator an instance has; those of the instruction have
/// several iterations from `first` on.
static Sums gatherOne(ImplicitLocOpBuilder &b, const Mma &mma, int64_t tiles,
                      bool hasLanes, ValueRange accumulators, Instance first,
                      llvm::function_ref<int(const Instance &)> at) {
  Sums sums;
  SmallVector<Value> elements;
  for (int64_t tile : llvm::seq(tiles))
    for (int64_t row : {0, 1})
      for (int64_t column : {0, 1}) {
        first[*mma.columnTiles] = tile;
        first[mma.rowCopies] = row;
        first[mma.columnCopies] = hasLanes ? 0 : column;
        sums.from.push_back({at(first), column});
        Value element = accumulators[sums.from.back().first];
        elements.push_back(
            hasLanes ? vector::ExtractOp::create(b, element, column).getResult()
                     : element);
      }
  auto type =
      VectorType::get({int64_t(elements.size())}, elements.front().getType());
  sums.value = vector::FromElementsOp::create(b, type, elements);
  return sums;
}

/// The sums of all instructions of a point.
struct WgmmaEmitter::MatrixSumsOfPoint {
  /// One for each instruction, and by the first accumulator of each.
  SmallVector<Instance> instances;
  llvm::MapVector<int, Sums> all;

  /// Waits until all products are in the sums.
  void wait(ImplicitLocOpBuilder &b) {
    SmallVector<Value> started = llvm::map_to_vector(
        all, [](const auto &entry) { return entry.second.value; });
    auto done = WgmmaWaitOp::create(b, started, /*inFlight=*/0);
    for (auto [entry, value] : llvm::zip_equal(all, done.getResults()))
      entry.second.value = value;
  }

  Values scatter(ImplicitLocOpBuilder &b, ValueRange accumulators) const {
    Values results = llvm::to_vector(accumulators);
    for (const auto &entry : all)
      for (auto [i, from] : llvm::enumerate(entry.second.from)) {
        Value element =
            vector::ExtractOp::create(b, entry.second.value, int64_t(i));
        Value &sum = results[from.first];
        sum = isa<VectorType>(sum.getType())
                  ? vector::InsertOp::create(b, element, sum, from.second)
                        .getResult()
                  : element;
      }
    return results;
  }
};

WgmmaEmitter::MatrixSumsOfPoint
WgmmaEmitter::gatherSums(OpState &state, const Mma &mma,
                         ValueRange accumulators) {
  MatrixSumsOfPoint sums;
  sums.instances = loops.enumerate(state.number, [&](unsigned loop) {
    return loop != mma.rowCopies && loop != mma.columnCopies &&
           loop != *mma.columnTiles && loop != mma.products;
  });
  for (const Instance &instance : sums.instances)
    for (unsigned position : llvm::seq<unsigned>(state.accumulated.size())) {
      auto at = [&](const Instance &it) {
        return reduction.accumulatorAt(state, it, position);
      };
      Sums &its = sums.all[at(instance)];
      if (!its.value)
        its = gatherOne(b, mma, nest.loop(*mma.columnTiles).extent,
                        active[mma.columnCopies].lanes > 1, accumulators,
                        instance, at);
    }
  return sums;
}

/// What the thread has of the rows of each instruction, where these are in
/// registers; nothing otherwise.
SmallVector<Value> WgmmaEmitter::gatherRows(const MatrixProduct &product,
                                            const Mma &mma,
                                            ArrayRef<Instance> instances) {
  std::optional<RegisterFactor> form = registerFactor(nest, *product.lhs);
  if (!form)
    return {};
  return llvm::map_to_vector(instances, [&](const Instance &instance) {
    return kept.rowsOfMatrix(mma, *product.lhs, *form, instance);
  });
}

/// Adds the products of an instruction to its sums. Rows are null if they are
/// in a slice.
Value WgmmaEmitter::multiply(const MatrixProduct &product, const Mma &mma,
                             const Instance &instance, Value rows, Value sums) {
  const CachedSlice &columns = *slices.find(*product.rhs);
  bool isTransposed = columns.swizzle->isTransposed;
  if (rows)
    return WgmmaRowsOp::create(b, sums.getType(), sums, rows,
                               descriptorOf(columns, mma, instance),
                               isTransposed);
  const CachedSlice &slice = *slices.find(*product.lhs);
  return WgmmaOp::create(b, sums, descriptorOf(slice, mma, instance),
                         descriptorOf(columns, mma, instance), product.element,
                         slice.swizzle->isTransposed, isTransposed,
                         product.lhsSigned, product.rhsSigned);
}

EmitContext::Values WgmmaEmitter::emit(OpState &state, const Mma &mma,
                                       ValueRange accumulators) {
  SmallVector<MatrixProduct> products = matrixProductsOf(state.op);
  MatrixSumsOfPoint sums = gatherSums(state, mma, accumulators);
  // The fence is after all that writes to registers of the instructions.
  SmallVector<SmallVector<Value>> rows;
  for (MatrixProduct &product : products) {
    if (!state.access(*product.lhs).dependsOn(mma.rowCopies))
      product.swap();
    rows.push_back(gatherRows(product, mma, sums.instances));
  }
  NVVM::WgmmaFenceAlignedOp::create(b);
  for (auto [i, instance] : llvm::enumerate(sums.instances))
    for (auto [position, product] : llvm::enumerate(products)) {
      int first = reduction.accumulatorAt(state, instance, position);
      Value &sum = sums.all.find(first)->second.value;
      ArrayRef<Value> its = rows[position];
      sum =
          multiply(product, mma, instance, its.empty() ? Value() : its[i], sum);
    }
  NVVM::WgmmaGroupSyncAlignedOp::create(b);
  if (int64_t inFlight =
          pipelineAt(nest, slices.find(*products.front().rhs)->at).inFlight)
    WgmmaWaitOp::create(b, ValueRange(), inFlight);
  else
    sums.wait(b);
  return sums.scatter(b, accumulators);
}

EmitContext::Values WgmmaEmitter::wait(OpState &state, unsigned loop,
                                       Values accumulators) {
  const Mma *mma = mmaOf(nest, state.number);
  if (pipelineAt(nest, loop).inFlight == 0 || !mma ||
      !isOfWarpgroup(state.number, *mma))
    return accumulators;
  MatrixSumsOfPoint sums = gatherSums(state, *mma, accumulators);
  sums.wait(b);
  return sums.scatter(b, accumulators);
}

} // namespace onnxc::krnl
