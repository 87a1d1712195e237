//===- RunDLPack.cpp - Runs with tensors of DLPack --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "DataTypes.h"
#include "OutputBlocks.h"
#include "device/Code.h"
#include "onnxc/rt/dlpack.h"

#include <stdlib.h>
#include <string.h>

using namespace onnxc;
using namespace onnxc::rt;

/// The tensors of a run as buffers.
struct onnxc::rt::TensorArguments {
  OMBuffer *inputs, *outputs;
  bool *inputsOnDevice;
  int64_t *dims; ///< of outputs, kMaxRank each
};

/// One block of memory with all arrays; null without memory.
static TensorArguments *argumentsOf(OMContext &context) {
  if (context.tensors)
    return context.tensors;
  auto ins = size_t(context.entry->numInputs);
  auto outs = size_t(context.entry->numOutputs);
  auto *arguments = static_cast<TensorArguments *>(
      calloc(1, sizeof(TensorArguments) + (ins + outs) * sizeof(OMBuffer) +
                    outs * kMaxRank * sizeof(int64_t) + ins * sizeof(bool)));
  if (!arguments) {
    context.fail(ONNXC_ERR_MEMORY, "no memory for the list of tensors");
    return nullptr;
  }
  arguments->inputs = reinterpret_cast<OMBuffer *>(arguments + 1);
  arguments->outputs = arguments->inputs + ins;
  arguments->dims = reinterpret_cast<int64_t *>(arguments->outputs + outs);
  arguments->inputsOnDevice =
      reinterpret_cast<bool *>(arguments->dims + outs * kMaxRank);
  return context.tensors = arguments;
}

//===----------------------------------------------------------------------===//
// In
//===----------------------------------------------------------------------===//

namespace {
/// A tensor of the caller and its argument of the model.
struct Given {
  OMContext &context;
  const char *kind; ///< "input", "output"
  const OnnxcArg &arg;
  const DLManagedTensorVersioned *managed;

  bool refuse(const char *reason) const {
    context.fail(ONNXC_ERR_INVALID, "%s '%.200s': %s", kind, arg.name, reason);
    return false;
  }
  bool findPlace(bool &isOnDevice) const;
  bool take(OMBuffer &buffer, bool &isOnDevice) const;
};
} // namespace

/// Whether the tensor is on the context's device; false after an error.
bool Given::findPlace(bool &isOnDevice) const {
  DLDevice device = managed->dl_tensor.device;
  isOnDevice =
      device.device_type == kDLCUDA || device.device_type == kDLCUDAManaged;
  Message reason;
  if (isOnDevice && !context.device)
    return refuse(
        "the tensor is on a GPU, and the model runs on the processor");
  if (isOnDevice && device.device_id != context.deviceNumber) {
    reason.set("the tensor is on GPU %d, and the context runs on GPU %d "
               "(omContextSetDevice)",
               device.device_id, context.deviceNumber);
    return refuse(reason.text);
  }
  if (!isOnDevice && device.device_type != kDLCPU &&
      device.device_type != kDLCUDAHost) {
    reason.set("the tensor is on a device of DLPack's kind %d, which no model "
               "runs on",
               device.device_type);
    return refuse(reason.text);
  }
  return true;
}

bool Given::take(OMBuffer &buffer, bool &isOnDevice) const {
  /// The address of empty tensors.
  alignas(64) static char nothing;
  if (!managed)
    return refuse("the tensor is null");
  if (managed->version.major != 1)
    return refuse("the tensor is not of version 1 of DLPack");
  const DLTensor &tensor = managed->dl_tensor;
  const DLTypeRow *row = findDLType(tensor.dtype);
  if (!row)
    return refuse("no model has the element type of the tensor");
  if (tensor.ndim < 0 || tensor.ndim > kMaxRank ||
      (tensor.ndim > 0 && !tensor.shape))
    return refuse("the tensor has no shape, or a rank above 64");
  int64_t bytes = tensorBytes(row->type, tensor.ndim, tensor.shape);
  if (bytes < 0)
    return refuse("a size is negative or too large");
  if (!isContiguous(tensor))
    return refuse("the tensor is not contiguous in row-major order");
  if (bytes > 0 && !tensor.data)
    return refuse("the data is null");
  if (!findPlace(isOnDevice))
    return false;
  isOnDevice &= bytes > 0;
  void *data = bytes > 0 ? static_cast<char *>(tensor.data) + tensor.byte_offset
                         : &nothing;
  buffer = {data, bytes, tensor.shape, tensor.ndim, row->type};
  return true;
}

/// Returns true if DLPack can give what the model gives.
static bool isOfNumbers(const OnnxcArg &arg) {
  return arg.kind == ONNXC_KIND_TENSOR && findDLType(arg.type);
}

static bool takeInputs(OMContext &context, TensorArguments &arguments,
                       DLManagedTensorVersioned *const *inputs,
                       int64_t numInputs) {
  const OnnxcEntry &entry = *context.entry;
  bool areThere = numInputs == entry.numInputs && (inputs || numInputs == 0);
  if (!areThere)
    context.fail(ONNXC_ERR_INVALID,
                 "the model takes %lld input%s and was given %lld",
                 (long long)entry.numInputs, entry.numInputs == 1 ? "" : "s",
                 (long long)numInputs);
  for (int64_t i = 0; areThere && i < numInputs; ++i) {
    Given given = {context, "input", entry.inputs[i], inputs[i]};
    if (entry.inputs[i].kind != ONNXC_KIND_TENSOR)
      return given.refuse("DLPack has tensors alone");
    if (!given.take(arguments.inputs[i], arguments.inputsOnDevice[i]))
      return false;
  }
  return areThere;
}

/// Outputs that are not given are left to the runtime.
static bool takeOutputs(OMContext &context, TensorArguments &arguments,
                        DLManagedTensorVersioned *const *outputs,
                        int64_t numOutputs) {
  const OnnxcEntry &entry = *context.entry;
  if (!outputs && numOutputs > 0) {
    context.fail(ONNXC_ERR_INVALID, "the outputs are null");
    return false;
  }
  if (numOutputs != entry.numOutputs) {
    context.fail(ONNXC_ERR_INVALID,
                 "the model gives %lld outputs and %lld were requested",
                 (long long)entry.numOutputs, (long long)numOutputs);
    return false;
  }
  for (int64_t i = 0; i < numOutputs; ++i) {
    Output &output = context.outputs[i];
    OMBuffer &buffer = arguments.outputs[i];
    Given given = {context, "output", entry.outputs[i], outputs[i]};
    buffer = {};
    output.onDevice = context.device != nullptr;
    if (!isOfNumbers(entry.outputs[i]))
      return given.refuse("DLPack has tensors of numbers alone");
    if (!outputs[i])
      continue;
    if (!given.take(buffer, output.onDevice))
      return false;
    if (buffer.type != entry.outputs[i].type)
      return given.refuse("the tensor has another element type");
    if (outputs[i]->flags & DLPACK_FLAG_BITMASK_READ_ONLY)
      return given.refuse("the tensor must not be written");
    // The run writes the shape: not to that of the tensor.
    buffer.shape = arguments.dims + i * kMaxRank;
    buffer.rank = kMaxRank;
    if (output.onDevice)
      output.deviceData = reinterpret_cast<uintptr_t>(buffer.data);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Out
//===----------------------------------------------------------------------===//

namespace {
/// An output that is the caller's; sizes and strides follow.
struct NewTensor {
  DLManagedTensorVersioned managed;
  const DeviceRuntime *device; ///< null for memory of the host
  void *owner;
  int64_t bytes;
};
} // namespace

static void destroyTensor(DLManagedTensorVersioned *managed) {
  auto *tensor = reinterpret_cast<NewTensor *>(managed);
  if (tensor->device)
    tensor->device->freeOutput(tensor->owner);
  else
    giveOutputBlock(managed->dl_tensor.data, tensor->bytes);
  free(tensor);
}

/// Hands the memory of an output over; null without memory.
static DLManagedTensorVersioned *
makeTensor(OMContext &context, const OnnxcArg &arg, Output &output) {
  auto rank = size_t(output.rank);
  auto *tensor = static_cast<NewTensor *>(
      calloc(1, sizeof(NewTensor) + 2 * rank * sizeof(int64_t)));
  if (!tensor)
    return nullptr;
  auto *shape = reinterpret_cast<int64_t *>(tensor + 1),
       *strides = shape + rank;
  int64_t stride = 1;
  for (size_t i = rank; i-- > 0; stride *= shape[i]) {
    shape[i] = output.dims[i];
    strides[i] = stride;
  }
  const DLTypeRow *row = findDLType(arg.type);
  DLDevice place = {output.onDevice ? kDLCUDA : kDLCPU,
                    output.onDevice ? context.deviceNumber : 0};
  void *data = output.onDevice ? reinterpret_cast<void *>(output.deviceData)
                               : output.data;
  tensor->managed = {
      {1, 0},
      nullptr,
      destroyTensor,
      0,
      {data, place, output.rank, {row->code, row->bits, 1}, shape, strides, 0}};
  tensor->device = output.onDevice ? context.device->runtime : nullptr;
  tensor->owner = output.deviceOwner;
  tensor->bytes = output.capacity;
  output.deviceOwner = nullptr;
  output.owned = false;
  return &tensor->managed;
}

/// Makes the outputs that were not given, and compares the shapes of the
/// others. After an error none is made.
static void giveOutputs(OMContext &context,
                        DLManagedTensorVersioned **outputs) {
  const OnnxcEntry &entry = *context.entry;
  int64_t i = 0;
  for (; i < entry.numOutputs; ++i) {
    Output &output = context.outputs[i];
    const DLManagedTensorVersioned *given =
        output.mode == OutputMode::Caller ? outputs[i] : nullptr;
    bool isSame = !given || given->dl_tensor.ndim == output.rank;
    for (int32_t d = 0; given && isSame && d < output.rank; ++d)
      isSame = given->dl_tensor.shape[d] == output.dims[d];
    if (!isSame)
      context.fail(ONNXC_ERR_INVALID,
                   "output '%.200s' has another shape than the given tensor",
                   entry.outputs[i].name);
    else if (!given &&
             !(outputs[i] = makeTensor(context, entry.outputs[i], output)))
      context.fail(ONNXC_ERR_MEMORY, "no memory for the outputs");
    if (context.status.load() != ONNXC_OK)
      break;
  }
  while (context.status.load() != ONNXC_OK && i-- > 0)
    if (context.outputs[i].mode != OutputMode::Caller) {
      outputs[i]->deleter(outputs[i]);
      outputs[i] = nullptr;
    }
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

int32_t rt::runTensors(OMContext &context,
                       DLManagedTensorVersioned *const *inputs,
                       int64_t numInputs, DLManagedTensorVersioned **outputs,
                       int64_t numOutputs) {
  if (!beginRun(context))
    return ONNXC_ERR_INVALID;
  TensorArguments *arguments = argumentsOf(context);
  if (arguments && takeInputs(context, *arguments, inputs, numInputs) &&
      takeOutputs(context, *arguments, outputs, numOutputs)) {
    context.inputsOnDevice = arguments->inputsOnDevice;
    runEntry(context, arguments->inputs, numInputs, arguments->outputs,
             numOutputs, /*callerOwns=*/true);
    context.inputsOnDevice = nullptr;
  }
  if (context.status.load() == ONNXC_OK)
    giveOutputs(context, outputs);
  if (context.status.load() != ONNXC_OK)
    dropOutputs(context);
  return endRun(context);
}

OM_STATUS omContextRunDLPack(OMContext *context,
                             DLManagedTensorVersioned *const *inputs,
                             int64_t numInputs,
                             DLManagedTensorVersioned **outputs,
                             int64_t numOutputs) {
  if (!context)
    return OM_STATUS_INVALID;
  return OM_STATUS(
      stateOf(*context->model)
          .runTensors(*context, inputs, numInputs, outputs, numOutputs));
}
