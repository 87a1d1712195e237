//===- ExecutionSession.hpp - A compiled model from C++ ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Header-only, C++17. Loads a compiled model and runs it:
//
//   onnxc::ExecutionSession session("model.so");
//   std::vector<float> x(3 * 224 * 224);
//   auto outputs = session.run({onnxc::view(x.data(), {1, 3, 224, 224})});
//   const float *y = outputs[0].data<float>();
//   float first = outputs[0].as<float>()(0, 0);
//
// Inputs and outputs have names, and outputs may go to memory of the caller:
//
//   auto named = session.runNamed({{"image", onnxc::view(x.data(), ...)}});
//   std::vector<float> y(1000);
//   std::vector<onnxc::OutputView> out{onnxc::outputView(y.data(), y.size())};
//   session.runInto({onnxc::view(x.data(), ...)}, out, {5ms}); // deadline
//
// Models with sequences, optionals or maps take and give Values:
//
//   onnxc::Value rows = onnxc::Value::sequence({onnxc::tensor<float>({1, 2}),
//                                               onnxc::tensor<float>({3})});
//   auto outputs = session.runValues({rows});
//   outputs[0].elements[1].tensor.data<float>();
//
// Every failure is a std::runtime_error with the model's message, that of a run
// a RunError with its status as well. Threads may share a session: each run has
// memory of its own, which later runs use again.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_EXECUTIONSESSION_HPP
#define ONNXC_EXECUTIONSESSION_HPP

#include "onnxc/Run.hpp"
#include "onnxc/Runtime.h"
#include "onnxc/Tensor.hpp"
#include "onnxc/rt/ElementTypes.h"
#include "onnxc/rt/Library.hpp"
#include "onnxc/rt/Values.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace onnxc {

/// The session outlives its runs.
class ExecutionSession {
public:
  /// Messages of runs: errors, and memory and threads that they take.
  using Log = std::function<void(OM_LOG_LEVEL, const char *)>;

  explicit ExecutionSession(const std::string &file,
                            const std::string &entryPoint = "run_main_graph")
      : entry(entryPoint), contexts(std::make_unique<Contexts>(file)) {
    contexts->free.push_back(makeContext());
    if (contexts->library.has("omGetCpu") &&
        !find<decltype(omGetCpu)>("omGetCpu")(entry.c_str()))
      throw RunError(OM_STATUS_TARGET,
                     find<decltype(omGetLastError)>("omGetLastError")());
    runContext = find<decltype(omContextRun)>("omContextRun");
    getMessage = find<decltype(omContextGetMessage)>("omContextGetMessage");
    limitContext = find<decltype(omContextSetDeadline)>("omContextSetDeadline");
    setLogOf = find<decltype(omContextSetLog)>("omContextSetLog");
    for (const OMArgument *input : arguments("omGetNumInputs", "omGetInput"))
      namesIn.emplace_back(input->name);
    argumentsOut = arguments("omGetNumOutputs", "omGetOutput");
    for (const OMArgument *output : argumentsOut)
      namesOut.emplace_back(output->name);
  }

  const std::vector<std::string> &inputNames() const { return namesIn; }
  const std::vector<std::string> &outputNames() const { return namesOut; }

  /// Called on the threads that run, by several at a time where they share the
  /// session; it must not throw. Runs that go on keep the one they have.
  void setLog(Log newLog) {
    std::lock_guard<std::mutex> lock(contexts->mutex);
    contexts->log =
        newLog ? std::make_shared<const Log>(std::move(newLog)) : nullptr;
  }

  /// Limits the threads in each run of this model, the caller's included, in
  /// this session and others; 0: all processors.
  void setThreads(int64_t threads) {
    if (find<decltype(omSetThreads)>("omSetThreads")(threads) != OM_STATUS_OK)
      throw std::runtime_error("threads is a count; 0: all processors");
  }

  /// A run that takes longer fails with OM_STATUS_DEADLINE; 0: no limit.
  void setDeadline(std::chrono::nanoseconds limit) {
    if (limit.count() < 0)
      throw std::runtime_error(
          "expected a deadline of 0 or greater; 0: no limit");
    contexts->deadline = limit.count();
  }

  /// The GPU of later runs, as CUDA numbers those of the process; 0 at first.
  /// Throws RunError where the driver, that GPU or code for it is missing:
  /// later runs are then where they were.
  void setDevice(int64_t number) {
    Run probe(*this);
    OM_STATUS status = setDeviceOf(probe.context, number);
    std::string problem = status == OM_STATUS_INVALID
                              ? "expected the number of a GPU, 0 or greater"
                              : "the code of the model that runs here is "
                                "for the processor";
    if (status == OM_STATUS_OK) {
      status = find<decltype(omContextCheckDevice)>("omContextCheckDevice")(
          probe.context.get());
      problem = getMessage(probe.context.get());
    }
    if (status == OM_STATUS_OK) {
      contexts->device = number;
      return;
    }
    setDeviceOf(probe.context, std::max<int64_t>(contexts->device, 0));
    throw RunError(status, problem);
  }

  /// That number; -1 if runs are on the processor.
  int64_t device() const {
    Run probe(*this);
    probe.limit(*this);
    return find<decltype(omContextGetDevice)>("omContextGetDevice")(
        probe.context.get());
  }

  /// Limits the bytes of each of the runs at a time on the GPU
  /// (omContextSetDeviceMemory); 0: no limit.
  void setDeviceMemory(int64_t bytes) {
    if (bytes < 0)
      throw std::runtime_error("expected a limit of 0 or greater; 0: no limit");
    contexts->deviceMemory = bytes;
  }

  /// Bytes that the session holds for later runs: the memory of those that have
  /// ended, as far as none that goes on has taken it.
  int64_t memory() const {
    auto bytesOfContext =
        find<decltype(omContextGetMemory)>("omContextGetMemory");
    std::lock_guard<std::mutex> lock(contexts->mutex);
    int64_t bytes = 0;
    for (const Context &context : contexts->free)
      bytes += bytesOfContext(context.get());
    return bytes;
  }

  /// Gives that memory back to the system. A later run allocates again.
  void trim() {
    std::vector<Context> unused; // destroyed without the lock
    std::lock_guard<std::mutex> lock(contexts->mutex);
    unused.swap(contexts->free);
  }

  std::vector<Tensor> run(const std::vector<TensorView> &inputs,
                          const RunOptions &options = {}) {
    for (size_t i = 0; i < argumentsOut.size(); ++i)
      checkTensor(i);
    Run current(*this);
    current.start(*this, buffersOf(inputs), options);
    std::vector<Tensor> outputs;
    for (const OMBuffer &buffer : current.outputs)
      outputs.push_back(rt::ValueConverter::copyOf(buffer));
    return outputs;
  }

  /// As run(), with all inputs and outputs by their names.
  NamedOutputs runNamed(const std::map<std::string, TensorView> &inputs,
                        const RunOptions &options = {}) {
    for (const auto &input : inputs)
      if (std::find(namesIn.begin(), namesIn.end(), input.first) ==
          namesIn.end())
        throw RunError(OM_STATUS_INVALID, "the model has no input '" +
                                              input.first + "', only " +
                                              listOf(namesIn));
    std::vector<TensorView> ordered;
    for (const std::string &name : namesIn) {
      auto found = inputs.find(name);
      if (found == inputs.end())
        throw RunError(OM_STATUS_INVALID,
                       "the input '" + name + "' is missing");
      ordered.push_back(found->second);
    }
    std::vector<Tensor> outputs = run(ordered, options);
    NamedOutputs named;
    for (size_t i = 0; i < outputs.size(); ++i)
      named.emplace(namesOut[i], std::move(outputs[i]));
    return named;
  }

  /// As run(), with all outputs in memory of the caller, which nothing is
  /// copied from or to. Strings would be memory of the session: a model that
  /// gives some is refused.
  void runInto(const std::vector<TensorView> &inputs,
               std::vector<OutputView> &outputs,
               const RunOptions &options = {}) {
    Run current(*this);
    if (outputs.size() != current.outputs.size())
      throw RunError(OM_STATUS_INVALID,
                     "the model gives " +
                         std::to_string(current.outputs.size()) +
                         " outputs and " + std::to_string(outputs.size()) +
                         " were requested");
    for (size_t i = 0; i < outputs.size(); ++i)
      checkView(i, outputs[i]);
    static char nothing; // a null pointer would ask for the session's memory
    std::vector<int64_t> shapes(outputs.size() * maxRank);
    for (size_t i = 0; i < outputs.size(); ++i) {
      OutputView &view = outputs[i];
      current.outputs[i] = {view.data ? view.data : &nothing, view.bytes,
                            &shapes[i * maxRank], maxRank, view.type};
    }
    current.start(*this, buffersOf(inputs), options);
    for (size_t i = 0; i < outputs.size(); ++i) {
      const OMBuffer &result = current.outputs[i];
      outputs[i].shape.assign(result.shape, result.shape + result.rank);
    }
  }

  /// As run(), with values of any kind.
  std::vector<Value> runValues(const std::vector<Value> &inputs,
                               const RunOptions &options = {}) {
    std::vector<OMBuffer> in;
    rt::ValueConverter converter(contexts->library);
    std::vector<rt::ValueConverter::Owned> values; // destroyed after the run
    for (const Value &input : inputs) {
      values.push_back(converter.make(input));
      OMValue *value = values.back().get();
      if (input.kind == OM_VALUE_TENSOR)
        in.push_back(converter.bufferOf(
            find<decltype(omValueGetTensor)>("omValueGetTensor")(value)));
      else
        in.push_back({value, 0, nullptr, 0, ONNX_TYPE_UNDEFINED});
    }
    Run current(*this);
    current.start(*this, in, options);
    std::vector<Value> outputs;
    for (const OMBuffer &buffer : current.outputs)
      outputs.push_back(
          buffer.type == ONNX_TYPE_UNDEFINED
              ? converter.copyOf(static_cast<OMValue *>(buffer.data))
              : Value(converter.copyOf(buffer)));
    return outputs;
  }

  /// JSON texts.
  std::string inputSignature() const {
    return find<decltype(omInputSignature)>("omInputSignature")(entry.c_str());
  }
  std::string outputSignature() const {
    return find<decltype(omOutputSignature)>("omOutputSignature")(
        entry.c_str());
  }

private:
  template <typename Function>
  Function *find(const char *name) const {
    return contexts->library.find<Function>(name);
  }

  static int64_t bytesOf(const TensorView &input) {
    // An excessive size is the model's to refuse.
    uint64_t bytes = uint64_t(elementBytes(input.type));
    for (int64_t dim : input.shape)
      bytes *= uint64_t(dim);
    return int64_t(bytes);
  }

  static std::vector<OMBuffer>
  buffersOf(const std::vector<TensorView> &inputs) {
    std::vector<OMBuffer> buffers;
    for (const TensorView &input : inputs)
      buffers.push_back({const_cast<void *>(input.data), bytesOf(input),
                         const_cast<int64_t *>(input.shape.data()),
                         int64_t(input.shape.size()), input.type});
    return buffers;
  }

  std::vector<const OMArgument *> arguments(const char *countName,
                                            const char *argumentName) const {
    std::vector<const OMArgument *> all;
    int64_t count = find<decltype(omGetNumInputs)>(countName)(entry.c_str());
    for (int64_t i = 0; i < count; ++i)
      all.push_back(find<decltype(omGetInput)>(argumentName)(entry.c_str(), i));
    return all;
  }

  void checkTensor(size_t i) const {
    if (argumentsOut[i]->kind != OM_VALUE_TENSOR)
      throw RunError(OM_STATUS_INVALID, "the output '" + namesOut[i] +
                                            "' is not a tensor: use runValues");
  }

  /// Memory of the caller for an output, before the run writes to it.
  void checkView(size_t i, const OutputView &view) const {
    checkTensor(i);
    std::string output = "the output '" + namesOut[i] + "' ";
    if (argumentsOut[i]->type == ONNX_TYPE_STRING)
      throw RunError(OM_STATUS_INVALID, output + "has strings: use run");
    if (argumentsOut[i]->type != view.type)
      throw RunError(OM_STATUS_INVALID,
                     output + "has elements of " +
                         nameOf(OM_DATA_TYPE(argumentsOut[i]->type)) +
                         ", not of " + nameOf(view.type));
    if (!view.data && view.bytes != 0)
      throw RunError(OM_STATUS_INVALID, output + "has null as its memory");
  }

  using Context = std::unique_ptr<OMContext, void (*)(OMContext *)>;

  /// The library, and the contexts that no run uses at present, which end
  /// before it is closed.
  struct Contexts {
    explicit Contexts(const std::string &file) : library(file) {}

    rt::Library library;
    std::mutex mutex;
    std::vector<Context> free;
    std::shared_ptr<const Log> log;
    std::atomic<int64_t> deadline{0};
    std::atomic<int64_t> device{-1};       ///< -1: not set
    std::atomic<int64_t> deviceMemory{-1}; ///< -1: not set
  };

  OM_STATUS setDeviceOf(const Context &context, int64_t number) const {
    return find<decltype(omContextSetDevice)>("omContextSetDevice")(
        context.get(), number);
  }

  Context makeContext() const {
    Context made(
        find<decltype(omContextCreate)>("omContextCreate")(entry.c_str()),
        find<decltype(omContextDestroy)>("omContextDestroy"));
    if (!made)
      throw std::runtime_error(
          find<decltype(omGetLastError)>("omGetLastError")());
    return made;
  }

  Context takeContext() const {
    {
      std::lock_guard<std::mutex> lock(contexts->mutex);
      if (!contexts->free.empty()) {
        Context taken = std::move(contexts->free.back());
        contexts->free.pop_back();
        return taken;
      }
    }
    return makeContext();
  }

  /// A run and its outputs, which are memory of its context.
  struct Run {
    explicit Run(const ExecutionSession &session)
        : contexts(*session.contexts), context(session.takeContext()),
          outputs(session.namesOut.size()) {
      std::lock_guard<std::mutex> lock(contexts.mutex);
      log = contexts.log;
    }

    /// Gives the context the device of the session and its limit there.
    void limit(const ExecutionSession &session) const {
      if (contexts.device >= 0)
        session.setDeviceOf(context, contexts.device);
      if (contexts.deviceMemory >= 0)
        session.find<decltype(omContextSetDeviceMemory)>(
            "omContextSetDeviceMemory")(context.get(), contexts.deviceMemory);
    }

    /// Writes to `outputs`, which are as omContextRun takes them.
    void start(const ExecutionSession &session, const std::vector<OMBuffer> &in,
               const RunOptions &options) {
      int64_t deadline = options.deadline.count();
      if (session.limitContext(context.get(),
                               deadline ? deadline : contexts.deadline.load()))
        throw RunError(OM_STATUS_INVALID,
                       "expected a deadline of 0 or greater");
      limit(session);
      session.setLogOf(context.get(), log ? callLog : nullptr,
                       const_cast<Log *>(log.get()));
      std::optional<Cancellation::Watch> watch;
      if (options.cancellation)
        watch.emplace(
            *options.cancellation, context.get(),
            session.find<decltype(omContextCancel)>("omContextCancel"));
      OM_STATUS status =
          session.runContext(context.get(), in.data(), int64_t(in.size()),
                             outputs.data(), int64_t(outputs.size()));
      watch.reset();
      if (status != OM_STATUS_OK)
        throw RunError(status, session.getMessage(context.get()));
    }
    ~Run() {
      try {
        std::lock_guard<std::mutex> lock(contexts.mutex);
        contexts.free.push_back(std::move(context));
      } catch (const std::bad_alloc &) { // the next run makes another one
      }
    }
    Run(const Run &) = delete;
    Run &operator=(const Run &) = delete;

    static void callLog(void *user, OM_LOG_LEVEL level, const char *message) {
      (*static_cast<const Log *>(user))(level, message);
    }

    Contexts &contexts;
    Context context;
    std::vector<OMBuffer> outputs;
    std::shared_ptr<const Log> log;
  };

  static constexpr int64_t maxRank = 64;

  std::string entry;
  std::vector<std::string> namesIn, namesOut;
  std::vector<const OMArgument *> argumentsOut;
  std::unique_ptr<Contexts> contexts;
  decltype(&omContextRun) runContext = nullptr;
  decltype(&omContextGetMessage) getMessage = nullptr;
  decltype(&omContextSetDeadline) limitContext = nullptr;
  decltype(&omContextSetLog) setLogOf = nullptr;
};

} // namespace onnxc

#endif // ONNXC_EXECUTIONSESSION_HPP
