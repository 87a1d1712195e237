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
// Every failure is a std::runtime_error with the model's message. One run at a
// time per session: threads make a session each, or use their own lock.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_EXECUTIONSESSION_HPP
#define ONNXC_EXECUTIONSESSION_HPP

#include "onnxc/Runtime.h"

#include <cstddef>
#include <dlfcn.h>
#include <memory>
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

/// An output. A string tensor has its elements in `strings`.
struct Tensor {
  OM_DATA_TYPE type;
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

class ExecutionSession {
public:
  explicit ExecutionSession(const std::string &path,
                            const std::string &entry = "run_main_graph")
      : entry(entry), library(open(path)) {
    context.reset(
        find<decltype(omContextCreate)>("omContextCreate")(entry.c_str()));
    context.get_deleter() =
        find<decltype(omContextDestroy)>("omContextDestroy");
    if (!context)
      throw std::runtime_error(
          find<decltype(omGetLastError)>("omGetLastError")());
    runContext = find<decltype(omContextRun)>("omContextRun");
    getMessage = find<decltype(omContextGetMessage)>("omContextGetMessage");
    numOutputs =
        find<decltype(omGetNumOutputs)>("omGetNumOutputs")(entry.c_str());
  }

  std::vector<Tensor> run(const std::vector<TensorView> &inputs) {
    std::vector<OMBuffer> in, out(static_cast<size_t>(numOutputs));
    for (const TensorView &input : inputs)
      in.push_back({const_cast<void *>(input.data), bytesOf(input),
                    const_cast<int64_t *>(input.shape.data()),
                    int64_t(input.shape.size()), input.type});
    if (runContext(context.get(), in.data(), int64_t(in.size()), out.data(),
                   int64_t(out.size())) != OM_STATUS_OK)
      throw std::runtime_error(getMessage(context.get()));
    std::vector<Tensor> outputs;
    for (const OMBuffer &buffer : out)
      outputs.push_back(copyOf(buffer));
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

  static void *open(const std::string &path) {
    // Without a slash dlopen would look in the library path.
    std::string file = path.find('/') == std::string::npos ? "./" + path : path;
    void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      throw std::runtime_error(dlerror());
    return handle;
  }

  /// The artefact's function of this name.
  template <typename Function>
  Function *find(const char *name) const {
    void *address = dlsym(library.get(), name);
    if (!address)
      throw std::runtime_error(std::string("no compiled model: it lacks ") +
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
    int64_t bytes = elementBytes(view.type);
    for (int64_t dim : view.shape)
      bytes *= dim;
    return bytes;
  }

  static Tensor copyOf(const OMBuffer &buffer) {
    if (buffer.type == ONNX_TYPE_UNDEFINED)
      throw std::runtime_error("an output is no tensor: use onnxc/Runtime.h");
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

  std::string entry;
  std::unique_ptr<void, Close> library; // outlives the context
  std::unique_ptr<OMContext, void (*)(OMContext *)> context{nullptr, nullptr};
  decltype(&omContextRun) runContext = nullptr;
  decltype(&omContextGetMessage) getMessage = nullptr;
  int64_t numOutputs = 0;
};

} // namespace onnxc

#endif // ONNXC_EXECUTIONSESSION_HPP
