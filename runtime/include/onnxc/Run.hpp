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

/// Ends runs from another thread. Runs at the same time may share one.
class Cancellation {
public:
  /// All runs with this in their options fail with OM_STATUS_CANCELLED, and so
  /// do later ones until reset(). Returns once they have begun to end.
  void cancel() {
    std::unique_lock<std::mutex> lock(mutex);
    isRequested = true;
    for (Watch *watch = watches; watch; watch = watch->next)
      watch->isAsked = true;
    // A run that is about to begin is not going on yet.
    while (!endAsked()) {
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
  using Function = decltype(&omContextCancel);

  /// A run while it lives, on the stack of the run: an element of the list.
  struct Watch {
    Watch(Cancellation &cancellation, OMContext *running, Function end)
        : owner(cancellation), context(running), function(end) {
      std::lock_guard<std::mutex> lock(owner.mutex);
      if (owner.isRequested)
        throw RunError(OM_STATUS_CANCELLED, "the run was cancelled");
      next = owner.watches;
      if (next)
        next->link = &next;
      link = &owner.watches;
      owner.watches = this;
    }
    ~Watch() {
      std::lock_guard<std::mutex> lock(owner.mutex);
      *link = next;
      if (next)
        next->link = link;
    }
    Watch(const Watch &) = delete;
    Watch &operator=(const Watch &) = delete;

    Cancellation &owner;
    OMContext *context;
    Function function;
    /// By cancel(), which has not reached the run yet.
    bool isAsked = false;
    /// The next element, and the pointer to this one.
    Watch *next = nullptr, **link = nullptr;
  };

  /// Returns true if all runs that were asked to end have begun to.
  bool endAsked() {
    bool isDone = true;
    for (Watch *watch = watches; watch; watch = watch->next) {
      if (watch->isAsked && watch->function(watch->context))
        watch->isAsked = false;
      isDone &= !watch->isAsked;
    }
    return isDone;
  }

  std::mutex mutex;
  bool isRequested = false;
  Watch *watches = nullptr;
};

/// The options of one run.
struct RunOptions {
  /// A run that takes longer fails with OM_STATUS_DEADLINE; 0: the session's
  /// limit.
  std::chrono::nanoseconds deadline{0};
  /// Cancels the runs that have it; must outlive them. Null: none.
  Cancellation *cancellation = nullptr;
};

} // namespace onnxc

#endif // ONNXC_RUN_HPP
