//===- EarlyReads.cpp - Operands prefetched before a sum --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A scale or bias is read after all products of a tile, where a thread has
// nothing else to do while it waits for memory. Its elements are known before
// the first product.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/EarlyReads.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PackedOperands.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Threads.h"

#include "onnxc/Dialect/Krnl/IR/Accesses.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace onnxc::krnl {

static constexpr int64_t maxLines = 64;

/// Returns true if the op runs once at each point of the fused outer nest,
/// except for the loops that it reduces.
static bool isAtPoint(const LoopNest &nest, unsigned op) {
  return llvm::all_of(nest.op(op).loops, [&](const LoopUse &use) {
    return use.reduced || nest.loop(use.loop).fusedOuter ||
           nest.isInRegisters(use);
  });
}

static bool reduces(const BodyOp &op) {
  return llvm::any_of(op.loops, [](const LoopUse &use) { return use.reduced; });
}

/// The first op before the reader that sums up at the same points.
static std::optional<unsigned> sumBefore(const LoopNest &nest,
                                         unsigned reader) {
  for (unsigned op : llvm::seq(reader))
    if (reduces(nest.op(op)) && isAtPoint(nest, op))
      return op;
  return std::nullopt;
}

/// Returns true if an index before the last one depends on the loop.
static bool dependsOnRows(const Access &access, unsigned loop) {
  return llvm::any_of(llvm::seq(access.getRank() - 1), [&](unsigned position) {
    return access.dependsOnAt(position, loop);
  });
}

/// The bytes from the first element that a thread reads to the last one; the
/// reason if they are no range of the last dimension.
static int64_t bytesOfThread(const LoopNest &nest, unsigned reader,
                             const Access &access, int64_t bytes,
                             std::string &reason) {
  int64_t last = 0;
  for (const LoopUse &use : nest.op(reader).loops) {
    const Loop &loop = nest.loop(use.loop);
    if (!access.dependsOn(use.loop) || loop.extent == 1)
      continue;
    if (loop.isDynamic() || nest.endsEarly(use.loop) || nest.pads(use.loop))
      reason = "loop '" + loop.name + "' has no whole blocks of known size";
    else if (!loop.fusedOuter) {
      int64_t stride = access.stride(use.loop);
      if (stride <= 0 || dependsOnRows(access, use.loop))
        reason = "loop '" + loop.name + "' does not go along its rows";
      last += (loop.extent - 1) * stride;
    }
  }
  return (last + 1) * bytes;
}

/// Why what the op reads of the operand cannot be prefetched before a sum;
/// empty if it can, as `read` says then.
static std::string describeReader(const LoopNest &nest, unsigned reader,
                                  OpOperand &operand, const Prefetch &prefetch,
                                  EarlyRead &read) {
  std::optional<unsigned> sum = sumBefore(nest, reader);
  if (!sum || !isAtPoint(nest, reader) || reduces(nest.op(reader)))
    return "no op reads it right after a sum";
  Access access(nest, reader, operand);
  Type element = getElementTypeOrSelf(operand.get().getType());
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() < 8)
    return "its elements are not numbers of whole bytes";
  if (access.getRank() == 0 || access.hasRanges())
    return "its elements are not a range";
  std::string reason;
  int64_t size = element.getIntOrFloatBitWidth() / 8;
  if (prefetch.lineBytes < size)
    return "a line is smaller than its elements";
  int64_t bytes = bytesOfThread(nest, reader, access, size, reason);
  if (!reason.empty())
    return reason;
  read = {*sum, reader, &operand, {}, 0, 0};
  read.lines = llvm::divideCeil(bytes, prefetch.lineBytes);
  if (read.lines > maxLines)
    return "a thread reads from more than " + std::to_string(maxLines) +
           " lines";
  int64_t threads = 1;
  for (unsigned loop : mappedLoops(nest)) {
    auto isIndexed = [&](unsigned other) {
      return access.dependsOn(other) &&
             (other == loop || nest.loop(other).threadsOf == int(loop));
    };
    if (!nest.loop(loop).fusedOuter || nest.loop(loop).isDynamic() ||
        llvm::any_of(loopsOfThreads(nest), isIndexed))
      continue;
    read.sharers.push_back(loop);
    threads *= nest.loop(loop).extent;
  }
  read.share = llvm::divideCeil(read.lines, std::max<int64_t>(threads, 1));
  return "";
}

std::optional<EarlyRead> earlyReadOf(const LoopNest &nest,
                                     const Prefetch &prefetch,
                                     std::string &reason) {
  reason = "no op reads it right after a sum";
  if (nest.packOf(prefetch.operand)) {
    reason = "it is packed";
    return std::nullopt;
  }
  for (auto [number, body] : llvm::enumerate(nest.ops())) {
    auto op = dyn_cast_or_null<ComputeOp>(body.op);
    auto kernel = op ? op->getParentOfType<KernelOp>() : KernelOp();
    if (!kernel)
      continue;
    for (OpOperand *input : readInputs(op)) {
      if (inputNumber(kernel, input->get()) != int(prefetch.operand))
        continue;
      EarlyRead read;
      reason = describeReader(nest, number, *input, prefetch, read);
      if (reason.empty())
        return read;
    }
  }
  return std::nullopt;
}

bool isReadEarly(const LoopNest &nest, unsigned op, OpOperand &operand) {
  auto kernel = nest.op(op).op->getParentOfType<KernelOp>();
  int number = inputNumber(kernel, operand.get());
  const Prefetch *prefetch = number < 0 ? nullptr : prefetchOf(nest, number);
  std::string reason;
  std::optional<EarlyRead> read;
  if (prefetch && prefetch->distance == 0)
    read = earlyReadOf(nest, *prefetch, reason);
  return read && read->reader == op && read->operand == &operand;
}

} // namespace onnxc::krnl
