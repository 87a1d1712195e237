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

#include "onnxc/Runtime.h"
#include "onnxc/rt/Functions.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <dlfcn.h>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace onnxc {

/// The OM_DATA_TYPE of a C++ element type. A type without one has no `value`.
template <typename T>
struct DataTypeOf;
#define ONNXC_DATA_TYPE(TYPE, NAME)                                            \
  template <>                                                                  \
  struct DataTypeOf<TYPE> {                                                    \
    static constexpr OM_DATA_TYPE value = ONNX_TYPE_##NAME;                    \
  };
ONNXC_DATA_TYPE(float, FLOAT)
ONNXC_DATA_TYPE(double, DOUBLE)
ONNXC_DATA_TYPE(bool, BOOL)
ONNXC_DATA_TYPE(int8_t, INT8)
ONNXC_DATA_TYPE(int16_t, INT16)
ONNXC_DATA_TYPE(int32_t, INT32)
ONNXC_DATA_TYPE(int64_t, INT64)
ONNXC_DATA_TYPE(uint8_t, UINT8)
ONNXC_DATA_TYPE(uint16_t, UINT16)
ONNXC_DATA_TYPE(uint32_t, UINT32)
ONNXC_DATA_TYPE(uint64_t, UINT64)
ONNXC_DATA_TYPE(const char *, STRING)
#undef ONNXC_DATA_TYPE

/// A contiguous row-major tensor of the caller's.
struct TensorView {
  const void *data;
  std::vector<int64_t> shape;
  OM_DATA_TYPE type;
};

template <typename T>
TensorView view(const T *data, std::vector<int64_t> shape) {
  return {data, std::move(shape), DataTypeOf<T>::value};
}

/// A tensor with memory of its own. A string tensor has its elements in
/// `strings`.
struct Tensor {
  OM_DATA_TYPE type = ONNX_TYPE_UNDEFINED;
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes;
  std::vector<std::string> strings;

  size_t size() const {
    size_t count = 1;
    for (int64_t dim : shape)
      count *= size_t(dim);
    return count;
  }
  template <typename T>
  const T *data() const {
    if (type != DataTypeOf<T>::value)
      throw std::runtime_error("the output has another element type");
    return reinterpret_cast<const T *>(bytes.data());
  }
};

/// A tensor of these elements; of one dimension unless there is a shape.
template <typename T>
Tensor tensor(const std::vector<T> &elements, std::vector<int64_t> shape) {
  Tensor result{DataTypeOf<T>::value, std::move(shape), {}, {}};
  const std::byte *data = reinterpret_cast<const std::byte *>(elements.data());
  result.bytes.assign(data, data + elements.size() * sizeof(T));
  return result;
}
template <typename T>
Tensor tensor(const std::vector<T> &elements) {
  return onnxc::tensor(elements, {int64_t(elements.size())});
}
inline Tensor tensor(const std::vector<std::string> &elements) {
  return {ONNX_TYPE_STRING, {int64_t(elements.size())}, {}, elements};
}

/// A tensor, or the contents of a sequence, optional or map.
struct Value {
  OM_VALUE_KIND kind = OM_VALUE_TENSOR;
  Tensor tensor;               ///< itself; the keys of a map
  std::vector<Value> elements; ///< of the other kinds; values of a map

  Value() = default;
  Value(Tensor itself) : tensor(std::move(itself)) {}
  static Value sequence(std::vector<Value> elements) {
    return {OM_VALUE_SEQUENCE, {}, std::move(elements)};
  }
  /// An optional without element.
  static Value empty() { return {OM_VALUE_OPTIONAL, {}, {}}; }
  static Value optional(Value element) {
    return {OM_VALUE_OPTIONAL, {}, {std::move(element)}};
  }
  /// Value i belongs to key i.
  static Value map(Tensor keys, std::vector<Value> elements) {
    return {OM_VALUE_MAP, std::move(keys), std::move(elements)};
  }

private:
  Value(OM_VALUE_KIND itsKind, Tensor itself, std::vector<Value> parts)
      : kind(itsKind), tensor(std::move(itself)), elements(std::move(parts)) {}
};

/// A run that failed. The status tells whose fault it is: OM_STATUS_INVALID and
/// OM_STATUS_VALUE are the caller's.
struct RunError : std::runtime_error {
  RunError(OM_STATUS code, const std::string &message)
      : std::runtime_error(message), status(code) {}
  OM_STATUS status;
};

class ExecutionSession {
public:
  explicit ExecutionSession(const std::string &file,
                            const std::string &entryPoint = "run_main_graph")
      : path(file), entry(entryPoint), library(open(file)),
        contexts(std::make_unique<Contexts>()) {
    contexts->free.push_back(makeContext());
    runContext = find<decltype(omContextRun)>("omContextRun");
    getMessage = find<decltype(omContextGetMessage)>("omContextGetMessage");
    limitContext = find<decltype(omContextSetDeadline)>("omContextSetDeadline");
    numOutputs =
        find<decltype(omGetNumOutputs)>("omGetNumOutputs")(entry.c_str());
  }

  /// At most so many threads in each run of this model, the caller's included,
  /// in this session and others; 0: all processors.
  void setThreads(int64_t threads) {
    if (find<decltype(omSetThreads)>("omSetThreads")(threads) != OM_STATUS_OK)
      throw std::runtime_error("threads is a count; 0: all processors");
  }

  /// A run that takes longer fails with OM_STATUS_DEADLINE; 0: no limit.
  void setDeadline(std::chrono::nanoseconds limit) {
    if (limit.count() < 0)
      throw std::runtime_error("a deadline is not negative; 0: no limit");
    contexts->deadline = limit.count();
  }

  std::vector<Tensor> run(const std::vector<TensorView> &inputs) {
    std::vector<OMBuffer> in;
    for (const TensorView &input : inputs)
      in.push_back({const_cast<void *>(input.data), bytesOf(input),
                    const_cast<int64_t *>(input.shape.data()),
                    int64_t(input.shape.size()), input.type});
    Run done(*this, in);
    std::vector<Tensor> outputs;
    for (const OMBuffer &buffer : done.outputs)
      outputs.push_back(copyOf(buffer));
    return outputs;
  }

  /// As run(), with values of any kind.
  std::vector<Value> runValues(const std::vector<Value> &inputs) {
    std::vector<OMBuffer> in;
    std::vector<Made> values; // destroyed after the run
    std::deque<std::vector<const char *>> texts;
    for (const Value &input : inputs) {
      values.push_back(make(input, texts));
      OMValue *value = values.back().get();
      if (input.kind == OM_VALUE_TENSOR)
        in.push_back(bufferOf(
            find<decltype(omValueGetTensor)>("omValueGetTensor")(value)));
      else
        in.push_back({value, 0, nullptr, 0, ONNX_TYPE_UNDEFINED});
    }
    Run done(*this, in);
    std::vector<Value> outputs;
    for (const OMBuffer &buffer : done.outputs)
      outputs.push_back(buffer.type == ONNX_TYPE_UNDEFINED
                            ? copyOf(static_cast<OMValue *>(buffer.data))
                            : Value(copyOf(buffer)));
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
  struct Close {
    void operator()(void *handle) const { dlclose(handle); }
  };

  /// A name of the file that it has not been loaded by, in which `/` and `/./`
  /// spell a number. The dynamic linker gives what it has loaded by the same
  /// name, even if the file is another one by now: a model that was compiled
  /// again. By a new name it looks.
  static std::string freshName(const std::string &file) {
    static std::atomic<unsigned> loads{0};
    size_t slash = file.rfind('/');
    std::string name = slash == std::string::npos ? "." : file.substr(0, slash);
    for (unsigned number = ++loads; number != 0; number >>= 1)
      name += number & 1 ? "/./" : "/";
    return name + file.substr(slash + 1);
  }

  static void *open(const std::string &file) {
    std::string name = freshName(file);
    void *handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle)
      return handle;
    std::string message = rt::explainLoadFailure(name);
    for (size_t at; (at = message.find(name)) != std::string::npos;)
      message.replace(at, name.size(), file);
    throw std::runtime_error(message);
  }

  /// The artefact's function of this name.
  template <typename Function>
  Function *find(const char *name) const {
    void *address = dlsym(library.get(), name);
    if (!address)
      throw std::runtime_error(path + " is no compiled model: it lacks " +
                               name);
    return reinterpret_cast<Function *>(address);
  }

  /// Elements narrower than a byte take one byte each.
  static int64_t elementBytes(OM_DATA_TYPE type) {
    switch (type) {
#define OM_TYPE(NAME, NUMBER, SIZE, TEXT)                                      \
  case ONNX_TYPE_##NAME:                                                       \
    return NUMBER == 8 ? int64_t(sizeof(char *)) : SIZE;
#include "onnxc/rt/DataTypes.def"
    }
    return 0;
  }

  static int64_t bytesOf(const TensorView &view) {
    // An absurd size is the model's to refuse.
    uint64_t bytes = uint64_t(elementBytes(view.type));
    for (int64_t dim : view.shape)
      bytes *= uint64_t(dim);
    return int64_t(bytes);
  }

  using Made = std::unique_ptr<OMValue, void (*)(OMValue *)>;

  using Context = std::unique_ptr<OMContext, void (*)(OMContext *)>;

  /// Contexts that no run uses at present.
  struct Contexts {
    std::mutex mutex;
    std::vector<Context> free;
    std::atomic<int64_t> deadline{0};
  };

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
          outputs(static_cast<size_t>(session.numOutputs)) {}
    Run(const ExecutionSession &session, const std::vector<OMBuffer> &in)
        : Run(session) {
      session.limitContext(context.get(), contexts.deadline);
      OM_STATUS status =
          session.runContext(context.get(), in.data(), int64_t(in.size()),
                             outputs.data(), int64_t(outputs.size()));
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

    Contexts &contexts;
    Context context;
    std::vector<OMBuffer> outputs;
  };

  Made owned(OMValue *value) const {
    return {value, find<decltype(omValueDestroy)>("omValueDestroy")};
  }

  /// A value over the memory of `value`; strings go through `texts`.
  Made make(const Value &value,
            std::deque<std::vector<const char *>> &texts) const {
    if (value.kind == OM_VALUE_TENSOR)
      return owned(find<decltype(omValueCreateTensor)>("omValueCreateTensor")(
          make(value.tensor, texts)));
    std::vector<Made> made;
    for (const Value &element : value.elements)
      made.push_back(make(element, texts));
    OMTensor *keys =
        value.kind == OM_VALUE_MAP ? make(value.tensor, texts) : nullptr;
    std::vector<OMValue *> elements;
    for (Made &element : made)
      elements.push_back(element.release());
    int64_t count = int64_t(elements.size());
    if (value.kind == OM_VALUE_SEQUENCE)
      return owned(find<decltype(omValueCreateSequence)>(
          "omValueCreateSequence")(elements.data(), count));
    if (value.kind == OM_VALUE_MAP)
      return owned(find<decltype(omValueCreateMap)>("omValueCreateMap")(
          keys, elements.data(), count));
    return owned(find<decltype(omValueCreateOptional)>("omValueCreateOptional")(
        count ? elements[0] : nullptr));
  }

  OMTensor *make(const Tensor &tensor,
                 std::deque<std::vector<const char *>> &texts) const {
    const void *data = tensor.bytes.data();
    size_t bytes = tensor.bytes.size();
    if (tensor.type == ONNX_TYPE_STRING) {
      std::vector<const char *> &pointers = texts.emplace_back();
      for (const std::string &text : tensor.strings)
        pointers.push_back(text.c_str());
      data = pointers.data();
      bytes = pointers.size() * sizeof(char *);
    }
    if (bytes < tensor.size() * size_t(elementBytes(tensor.type)))
      throw std::runtime_error("a tensor has fewer elements than its shape");
    return find<decltype(omTensorCreate)>("omTensorCreate")(
        const_cast<void *>(data), tensor.shape.data(),
        int64_t(tensor.shape.size()), tensor.type);
  }

  OMBuffer bufferOf(const OMTensor *tensor) const {
    if (!tensor)
      throw std::runtime_error("an input is no tensor");
    OM_DATA_TYPE type =
        find<decltype(omTensorGetDataType)>("omTensorGetDataType")(tensor);
    int64_t count =
        find<decltype(omTensorGetNumElems)>("omTensorGetNumElems")(tensor);
    return {find<decltype(omTensorGetDataPtr)>("omTensorGetDataPtr")(tensor),
            count * elementBytes(type),
            const_cast<int64_t *>(
                find<decltype(omTensorGetShape)>("omTensorGetShape")(tensor)),
            find<decltype(omTensorGetRank)>("omTensorGetRank")(tensor), type};
  }

  Value copyOf(const OMValue *value) const {
    Value result;
    result.kind = find<decltype(omValueGetKind)>("omValueGetKind")(value);
    if (result.kind == OM_VALUE_TENSOR) {
      result.tensor = copyOf(bufferOf(
          find<decltype(omValueGetTensor)>("omValueGetTensor")(value)));
      return result;
    }
    if (result.kind == OM_VALUE_MAP)
      result.tensor = copyOf(
          bufferOf(find<decltype(omValueGetKey)>("omValueGetKey")(value)));
    int64_t size = find<decltype(omValueGetSize)>("omValueGetSize")(value);
    for (int64_t i = 0; i < size; ++i)
      result.elements.push_back(copyOf(
          find<decltype(omValueGetElement)>("omValueGetElement")(value, i)));
    return result;
  }

  static Tensor copyOf(const OMBuffer &buffer) {
    if (buffer.type == ONNX_TYPE_UNDEFINED)
      throw std::runtime_error("an output is no tensor: use runValues");
    Tensor tensor{
        buffer.type, {buffer.shape, buffer.shape + buffer.rank}, {}, {}};
    const std::byte *data = static_cast<const std::byte *>(buffer.data);
    if (buffer.type == ONNX_TYPE_STRING)
      for (size_t i = 0; i < tensor.size(); ++i)
        tensor.strings.push_back(static_cast<char **>(buffer.data)[i]);
    else
      tensor.bytes.assign(data, data + buffer.bytes);
    return tensor;
  }

  std::string path;
  std::string entry;
  std::unique_ptr<void, Close> library; // outlives the contexts
  std::unique_ptr<Contexts> contexts;
  decltype(&omContextRun) runContext = nullptr;
  decltype(&omContextGetMessage) getMessage = nullptr;
  decltype(&omContextSetDeadline) limitContext = nullptr;
  int64_t numOutputs = 0;
};

} // namespace onnxc

#endif // ONNXC_EXECUTIONSESSION_HPP
