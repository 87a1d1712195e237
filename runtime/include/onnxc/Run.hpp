//===- Run.hpp - A run of a model in C++ ------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Header-only, C++17. The options, the outputs by name and the errors of a run
// of an ExecutionSession.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUN_HPP
#define ONNXC_RUN_HPP

#include "onnxc/Runtime.h"
#include "onnxc/Tensor.hpp"

#include <chrono>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace onnxc {

/// A run that failed. The status says whose fault it is: OM_STATUS_INVALID and
/// OM_STATUS_VALUE are the caller's.
struct RunError : std::runtime_error {
  RunError(OM_STATUS code, const std::string &message)
      : std::runtime_error(message), status(code) {}
  OM_STATUS status;
};

/// The outputs of a run by their names. Another name is an error: a map would
/// make an empty tensor of it.
class NamedOutputs : public std::map<std::string, Tensor> {
public:
  const Tensor &at(const std::string &name) const {
    auto found = find(name);
    if (found != end())
      return found->second;
    std::vector<std::string> names;
    for (const auto &output : *this)
      names.push_back(output.first);
    throw RunError(OM_STATUS_INVALID, "the model has no output '" + name +
                                          "', only " + listOf(names));
  }
  Tensor &at(const std::string &name) {
    return const_cast<Tensor &>(std::as_const(*this).at(name));
  }
  Tensor &operator[](const std::string &name) { return at(name); }
};

/// Ends a run from another thread.
class Cancellation {
public:
  /// The run with this in its options fails with OM_STATUS_CANCELLED, and so do
  /// later ones until reset(). Returns once the run has begun to end.
  void cancel() {
    std::unique_lock<std::mutex> lock(mutex);
    isRequested = true;
    // A run that is about to begin is not going on yet.
    while (context && !cancelContext(context)) {
      lock.unlock();
      std::this_thread::yield();
      lock.lock();
    }
  }
  /// Later runs are not cancelled.
  void reset() {
    std::lock_guard<std::mutex> lock(mutex);
    isRequested = false;
  }

private:
  friend class ExecutionSession;

  void watch(OMContext *running, decltype(&omContextCancel) function) {
    std::lock_guard<std::mutex> lock(mutex);
    if (running && isRequested)
      throw RunError(OM_STATUS_CANCELLED, "the run was cancelled");
    context = running;
    cancelContext = function;
  }

  std::mutex mutex;
  bool isRequested = false;
  OMContext *context = nullptr;
  decltype(&omContextCancel) cancelContext = nullptr;
};

/// The options of one run.
struct RunOptions {
  /// A run that takes longer fails with OM_STATUS_DEADLINE; 0: the session's
  /// limit.
  std::chrono::nanoseconds deadline{0};
  /// Cancels this run alone; must outlive it. Null: none.
  Cancellation *cancellation = nullptr;
};

} // namespace onnxc

#endif // ONNXC_RUN_HPP
