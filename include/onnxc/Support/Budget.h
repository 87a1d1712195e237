//===- Budget.h - Resource limits of a compilation -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A few bytes of a model can ask for any amount of time and memory. One object
// per context counts those of a compilation; all phases consult it, and the
// first one that finds a limit exceeded reports it at the node it is about.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_SUPPORT_BUDGET_H
#define ONNXC_SUPPORT_BUDGET_H

#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/Location.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>

namespace onnxc {

/// The limits. No model that people run comes near the default ones.
struct Limits {
  /// The bytes of the model's file, and of any tensor of it.
  uint64_t bytes = 64ull << 30;
  /// Nodes of the file, those of its functions once.
  int64_t nodes = 250000;
  /// Nodes of functions and of operators' bodies, at each position that they
  /// are inlined at; 0: 10,000 and 256 for each node of the file.
  int64_t inlinedNodes = 0;
  /// Graphs in graphs, functions in functions, containers in containers.
  int64_t nesting = 24;
  /// The rank of tensors, and the length of lists of axes, sizes, starts and
  /// their like.
  int64_t rank = 64;
  /// The size of any dimension.
  int64_t dimension = int64_t(1) << 40;
  /// Wall-clock time of the whole compilation.
  double seconds = 3600;
  /// The bytes by which the process may grow; 0: 8 GiB and 8 times the model.
  uint64_t memory = 0;
  /// The bytes of constants that the compiler makes: the dense form of sparse
  /// tensors, results of constant subgraphs; 0: 1 GiB and 4 times the model.
  uint64_t foldedBytes = 0;
  /// Errors after which the import ends.
  unsigned errors = 20;
};

/// The remaining budget: an interface of the builtin dialect, so that
/// whoever has the context finds it. All functions may be called from several
/// threads.
class Budget final : public mlir::DialectInterface::Base<Budget> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Budget)

  explicit Budget(mlir::Dialect *dialect);

  /// The budget of the context; null if nothing is limited.
  static Budget *find(mlir::MLIRContext *context);
  /// Gives the context a budget, whose time begins now, and lets it end the
  /// passes and patterns of the context once it is exhausted. `cancel`, if not
  /// null, is a request to end that does not count as an error.
  static Budget &start(mlir::MLIRContext *context, const Limits &limits,
                       const std::atomic<bool> *cancel = nullptr);

  const Limits &getLimits() const { return limits; }
  /// The limits of the context, the default ones without a budget.
  static const Limits &limitsOf(mlir::MLIRContext *context);

  /// Counts bytes of the model and of its external data.
  void addModelBytes(uint64_t bytes) { modelBytes += bytes; }

  /// Returns true once there is no more time or memory, or the compilation has
  /// been cancelled: the caller should end, and its results are not used. Cheap
  /// enough for every node and every rewrite.
  bool isExhausted();
  /// Fails if the budget is exhausted. `report` uses the first `loc` for which
  /// this fails.
  llvm::LogicalResult check(mlir::Location loc);
  /// Fails if the budget is exhausted, with an error the first time unless it
  /// was cancelled. Where no position is known it is `otherwise`.
  llvm::LogicalResult report(mlir::Location otherwise);
  /// Returns true for errors that only follow from being exhausted.
  bool hidesErrors() const { return exhausted && !isReporting; }

  /// Each counts and fails with an error at `loc` where that is too much.
  llvm::LogicalResult takeNodes(int64_t count, mlir::Location loc);
  llvm::LogicalResult takeInlinedNode(mlir::Location loc);
  /// Bytes that constants may still take, and some that they take.
  uint64_t foldedBytesLeft() const;
  void addFoldedBytes(uint64_t bytes) { foldedBytes += bytes; }
  /// Time that is left, none below zero.
  double secondsLeft() const;

private:
  using Clock = std::chrono::steady_clock;

  std::string findExceeded() const;
  uint64_t memoryLimit() const;
  uint64_t foldedLimit() const;

  Limits limits;
  const std::atomic<bool> *cancel = nullptr;
  Clock::time_point begin = Clock::now();
  uint64_t memoryBefore = 0;
  std::atomic<uint64_t> modelBytes = 0, foldedBytes = 0;
  std::atomic<int64_t> nodes = 0, inlinedNodes = 0;
  /// Time of the next check of the memory, in nanoseconds from the beginning.
  std::atomic<int64_t> nextLook = 0;
  std::atomic<bool> exhausted = false, isReporting = false;
  bool reported = false;
  std::mutex mutex;
  /// The location at which the budget was found to be exhausted.
  std::optional<mlir::Location> where;
};

/// Returns true if there is a budget and it is exhausted.
bool isExhausted(mlir::MLIRContext *context);
/// Fails where that is so; `loc` is then where Budget::report says it was.
llvm::LogicalResult checkBudget(mlir::Location loc);

} // namespace onnxc

#endif // ONNXC_SUPPORT_BUDGET_H
