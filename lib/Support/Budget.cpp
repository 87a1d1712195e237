//===- Budget.cpp - Resource limits of a compilation ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Support/Budget.h"
#include "onnxc/Support/ByteCount.h"
#include "onnxc/Support/ContainerMemory.h"

#include "mlir/IR/Action.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <unistd.h>

using namespace mlir;
using namespace onnxc;

/// The interval of checks of the memory.
static constexpr int64_t lookEvery = 20'000'000;

/// Bytes of the process that are in no file.
static uint64_t privateMemory() {
  std::FILE *file = std::fopen("/proc/self/statm", "re");
  if (!file)
    return 0;
  unsigned long long size, resident = 0, shared = 0;
  if (std::fscanf(file, "%llu %llu %llu", &size, &resident, &shared) != 3)
    resident = shared = 0;
  std::fclose(file);
  return (resident - std::min(resident, shared)) * ::sysconf(_SC_PAGESIZE);
}

Budget::Budget(Dialect *dialect) : Base(dialect) {}

Budget *Budget::find(MLIRContext *context) {
  auto *builtin = context->getLoadedDialect<BuiltinDialect>();
  return const_cast<Budget *>(builtin->getRegisteredInterface<Budget>());
}

const Limits &Budget::limitsOf(MLIRContext *context) {
  static const Limits defaults;
  Budget *budget = find(context);
  return budget ? budget->limits : defaults;
}

bool onnxc::isExhausted(MLIRContext *context) {
  Budget *budget = Budget::find(context);
  return budget && budget->isExhausted();
}

LogicalResult onnxc::checkBudget(Location loc) {
  Budget *budget = Budget::find(loc.getContext());
  return budget ? budget->check(loc) : success();
}

//===----------------------------------------------------------------------===//
// Passes and patterns
//===----------------------------------------------------------------------===//

/// Where an action is: at the first operation it is about.
static std::optional<Location> locationOf(const tracing::Action &action) {
  for (IRUnit unit : action.getContextIRUnits())
    if (auto *op = llvm::dyn_cast_if_present<Operation *>(unit))
      return op->getLoc();
  return std::nullopt;
}

Budget &Budget::start(MLIRContext *context, const Limits &limits,
                      const std::atomic<bool> *cancel) {
  auto *builtin = context->getLoadedDialect<BuiltinDialect>();
  Budget *known = find(context);
  Budget &budget = known ? *known : builtin->addInterface<Budget>();
  budget.begin = Clock::now();
  budget.modelBytes = budget.foldedBytes = 0;
  budget.nodes = budget.inlinedNodes = budget.nextLook = 0;
  budget.exhausted = budget.reported = false;
  budget.where.reset();
  budget.limits = limits;
  budget.cancel = cancel;
  budget.memoryBefore = privateMemory();
  // Actions that have not begun are skipped, so that every driver of passes and
  // patterns ends.
  context->registerActionHandler([&budget](llvm::function_ref<void()> execute,
                                           const tracing::Action &action) {
    if (!budget.isExhausted())
      return execute();
    if (std::optional<Location> loc = locationOf(action))
      (void)budget.check(*loc);
  });
  return budget;
}

//===----------------------------------------------------------------------===//
// Time and memory
//===----------------------------------------------------------------------===//

double Budget::secondsLeft() const {
  std::chrono::duration<double> passed = Clock::now() - begin;
  return std::max(0.0, limits.seconds - passed.count());
}

/// What a container leaves to a process that has `before`, less a reserve: one
/// that takes all is killed without a message.
static uint64_t containerLimit(uint64_t before) {
  static const uint64_t most =
      containerMemory("/proc/self/cgroup", "/sys/fs/cgroup")
          .value_or(UINT64_MAX);
  uint64_t reserve = most / 16, usable = most - reserve;
  return usable - std::min(before, usable - reserve);
}

uint64_t Budget::memoryLimit() const {
  if (limits.memory)
    return limits.memory;
  return std::min<uint64_t>((8ull << 30) + 8 * modelBytes,
                            containerLimit(memoryBefore));
}

bool Budget::isExhausted() {
  if (exhausted.load(std::memory_order_relaxed))
    return true;
  if (cancel && cancel->load(std::memory_order_relaxed))
    return exhausted = true;
  int64_t passed = std::chrono::nanoseconds(Clock::now() - begin).count();
  if (passed >= limits.seconds * 1e9)
    return exhausted = true;
  int64_t look = nextLook.load(std::memory_order_relaxed);
  if (passed < look ||
      !nextLook.compare_exchange_strong(look, passed + lookEvery))
    return false;
  uint64_t memory = privateMemory();
  if (memory > memoryBefore && memory - memoryBefore > memoryLimit())
    return exhausted = true;
  return false;
}

/// The exceeded limit, as a part of a message.
std::string Budget::findExceeded() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (secondsLeft() <= 0) {
    stream << "takes more than " << llvm::format("%g", limits.seconds)
           << " seconds; --limit=seconds=N allows more";
    return text;
  }
  uint64_t limit = memoryLimit();
  bool isContainers = !limits.memory && limit == containerLimit(memoryBefore);
  stream << "takes more than " << (isContainers ? "the " : "")
         << sizeText(int64_t(limit)) << " of memory"
         << (isContainers ? " that its container leaves" : "")
         << "; --limit=memory=N allows more";
  return text;
}

LogicalResult Budget::check(Location loc) {
  if (!isExhausted())
    return success();
  std::lock_guard<std::mutex> lock(mutex);
  if (!where)
    where = loc;
  return failure();
}

LogicalResult Budget::report(Location otherwise) {
  if (succeeded(check(otherwise)))
    return success();
  bool isCancelled = cancel && *cancel;
  if (!isCancelled && !std::exchange(reported, true)) {
    isReporting = true;
    emitError(*where) << "the compilation " << findExceeded();
    isReporting = false;
  }
  return failure();
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

LogicalResult Budget::takeNodes(int64_t count, Location loc) {
  if ((nodes += count) <= limits.nodes)
    return success();
  return emitError(loc) << "the model has more than " << limits.nodes
                        << " nodes; --limit=nodes=N allows more";
}

LogicalResult Budget::takeInlinedNode(Location loc) {
  int64_t limit =
      limits.inlinedNodes ? limits.inlinedNodes : 10000 + 256 * nodes;
  if (++inlinedNodes <= limit)
    return success();
  return emitError(loc) << "functions and operators become more than " << limit
                        << " nodes where they are inlined; "
                           "--limit=inlined-nodes=N allows more";
}

uint64_t Budget::foldedLimit() const {
  return limits.foldedBytes ? limits.foldedBytes
                            : (1ull << 30) + 4 * modelBytes;
}

uint64_t Budget::foldedBytesLeft() const {
  uint64_t limit = foldedLimit(), taken = foldedBytes;
  return limit - std::min(limit, taken);
}
