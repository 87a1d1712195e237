//===- EntryPoint.cpp - run_main_graph and the queries ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The established API over contexts: a call borrows a context that an earlier
// call left, and passes the outputs to the returned list.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "OutputBlocks.h"
#include "Tensor.h"

#include <errno.h>
#include <stdlib.h>

using namespace onnxc;
using namespace onnxc::rt;

//===----------------------------------------------------------------------===//
// Idle contexts
//===----------------------------------------------------------------------===//

static OMContext *borrowContext(const OnnxcModel &model) {
  for (std::atomic<OMContext *> &slot : stateOf(model).idleContexts)
    if (slot.load(std::memory_order_relaxed))
      if (OMContext *context = slot.exchange(nullptr))
        return context;
  return createContext(model, *entriesOf(model));
}

static void returnContext(OMContext *context) {
  for (std::atomic<OMContext *> &slot : stateOf(*context->model).idleContexts) {
    OMContext *none = nullptr;
    if (!slot.load(std::memory_order_relaxed) &&
        slot.compare_exchange_strong(none, context))
      return;
  }
  omContextDestroy(context);
}

/// Results of omQueryEntryPoints, of all models of the program.
static std::atomic<const char **> entryNames;

/// Runs when the artefact is unloaded or the process ends.
__attribute__((destructor)) static void unload() {
  shutDownPool();
  free(entryNames.exchange(nullptr));
  for (ModelState *state = firstModel(); state; state = state->next) {
    for (std::atomic<OMContext *> &slot : state->idleContexts)
      omContextDestroy(slot.exchange(nullptr));
    free(state->entryNames.exchange(nullptr));
    // The process may end while another thread runs the model.
    if (state->runs.load() != 0)
      continue;
    if (state->model->unloadCustom)
      state->model->unloadCustom(state->model);
    unmapWeights(*state->model);
  }
  freeOutputBlocks();
  unregisterModels();
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

static int errnoOf(int32_t code) {
  switch (code) {
  case ONNXC_ERR_MEMORY:
    return ENOMEM;
  case ONNXC_ERR_TARGET:
  case ONNXC_ERR_UNSUPPORTED:
    return ENOTSUP;
  case ONNXC_ERR_DEADLINE:
    return ETIMEDOUT;
  case ONNXC_ERR_INTERNAL:
    return EFAULT;
  default:
    return EINVAL;
  }
}

/// A contiguous view of the tensor; `copies` collects the memory to free.
static bool viewTensor(const OMTensor *tensor, OMBuffer &buffer, void *&copy) {
  copy = nullptr;
  buffer = {};
  if (!tensor)
    return true; // the checks report the null input
  if (tensor->value) {
    buffer.data = tensor->value;
    return true;
  }
  int64_t bytes = tensorBytes(tensor->type, tensor->rank, tensor->shape());
  buffer = {tensor->data, bytes, const_cast<int64_t *>(tensor->shape()),
            tensor->rank, tensor->type};
  if (bytes <= 0 || !tensor->data || isContiguous(*tensor))
    return true;
  copy = allocateAligned(bytes);
  if (!copy)
    return false;
  copyElements(*tensor, copy);
  buffer.data = copy;
  return true;
}

namespace {
/// Views of the inputs; on the stack as long as there are few.
struct Views {
  static constexpr int64_t kFew = 16;
  OMBuffer fewBuffers[kFew];
  void *fewCopies[kFew];
  OMBuffer *buffers = fewBuffers;
  void **copies = fewCopies;
  int64_t count = 0;

  bool make(OMTensorList &list) {
    if (list.size > kFew) {
      buffers = static_cast<OMBuffer *>(
          malloc(size_t(list.size) * (sizeof(OMBuffer) + sizeof(void *))));
      copies = reinterpret_cast<void **>(buffers + list.size);
    }
    if (!buffers)
      return false;
    for (; count < list.size; ++count)
      if (!viewTensor(list.tensors[count], buffers[count], copies[count]))
        return false;
    return true;
  }

  ~Views() {
    for (int64_t i = 0; i < count; ++i)
      free(copies[i]);
    if (buffers != fewBuffers)
      free(buffers);
  }
};
} // namespace

/// Wraps the outputs that the context passes to the caller.
static OMTensorList *wrapOutputs(OMContext &context) {
  int64_t n = context.entry->numOutputs;
  OMTensor **tensors =
      static_cast<OMTensor **>(calloc(size_t(n) + 1, sizeof(OMTensor *)));
  bool complete = tensors != nullptr;
  for (int64_t i = 0; i < n; ++i) {
    Output &output = context.outputs[i];
    const OnnxcArg &arg = context.entry->outputs[i];
    OMTensor *tensor = nullptr;
    if (!complete) {
    } else if (arg.kind != ONNXC_KIND_TENSOR) {
      tensor = omTensorCreateFromValue(static_cast<OMValue *>(output.data));
    } else {
      tensor = omTensorCreateWithOwnership(output.data, output.dims,
                                           output.rank, OM_DATA_TYPE(arg.type),
                                           OMTENSOR_OWNING_DATA_PTR);
      if (tensor)
        tensor->capacity = output.capacity;
    }
    if (tensor)
      tensors[i] = tensor;
    else if (output.owned)
      free(output.data);
    complete &= tensor != nullptr;
    output.owned = false;
  }
  OMTensorList *list =
      complete ? omTensorListCreateWithOwnership(tensors, n, 1) : nullptr;
  for (int64_t i = 0; !list && tensors && i < n; ++i)
    omTensorDestroy(tensors[i]);
  if (!list)
    free(tensors);
  return list;
}

/// Records the failure on this thread. Returns null for the caller to return.
static OMTensorList *failed(int32_t code, const char *message) {
  setLastError(message);
  errno = errnoOf(code);
  return nullptr;
}

OMTensorList *onnxc_rt_run_main_graph(const OnnxcModel *model,
                                      OMTensorList *inputs) {
  if (!isForThisRuntime(*model)) {
    errno = errnoOf(ONNXC_ERR_INTERNAL);
    return nullptr;
  }
  if (!inputs)
    return failed(ONNXC_ERR_INVALID, "the list of inputs is null");
  Views views;
  if (!views.make(*inputs))
    return failed(ONNXC_ERR_MEMORY, "no memory for the inputs");
  OMContext *context = borrowContext(*model);
  if (!context)
    return failed(ONNXC_ERR_MEMORY, "no memory for a context");
  int32_t code = run(*context, views.buffers, views.count, nullptr, 0,
                     /*callerOwns=*/true);
  OMTensorList *list = nullptr;
  if (code != ONNXC_OK)
    failed(code, context->message.text);
  else if (!(list = wrapOutputs(*context)))
    failed(ONNXC_ERR_MEMORY, "no memory for the outputs");
  returnContext(context);
  return list;
}

OMTensorList *run_main_graph(OMTensorList *inputs) {
  FoundEntry found = findEntry(nullptr);
  if (found.model)
    return onnxc_rt_run_main_graph(found.model, inputs);
  errno = EINVAL;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

/// The names of the entry points of a model, or of it and all after it, and
/// null; made once.
static const char *const *namesOf(std::atomic<const char **> &made,
                                  ModelState *first, bool all) {
  const char **known = made.load(std::memory_order_acquire);
  if (known)
    return known;
  int64_t count = 0;
  for (ModelState *state = first; state; state = all ? state->next : nullptr)
    count += state->model->numEntries;
  const char **fresh =
      static_cast<const char **>(calloc(size_t(count) + 1, sizeof(char *)));
  int64_t at = 0;
  for (ModelState *state = fresh ? first : nullptr; state;
       state = all ? state->next : nullptr)
    for (int64_t i = 0; i < state->model->numEntries; ++i)
      fresh[at++] = entriesOf(*state->model)[i].name;
  if (made.compare_exchange_strong(known, fresh))
    return fresh;
  free(fresh);
  return known;
}

static const char *const *counted(const char *const *names, int64_t *count) {
  if (count)
    for (*count = 0; names && names[*count]; ++*count) {
    }
  return names;
}

const char *const *onnxc_rt_query_entry_points(const OnnxcModel *model,
                                               int64_t *count) {
  ModelState &state = stateOf(*model);
  return counted(namesOf(state.entryNames, &state, /*all=*/false), count);
}

const char *const *omQueryEntryPoints(int64_t *count) {
  return counted(namesOf(entryNames, firstModel(), /*all=*/true), count);
}

static const char *inputSignature(const OnnxcEntry *entry) {
  return entry ? entry->inputSignature : nullptr;
}

static const char *outputSignature(const OnnxcEntry *entry) {
  return entry ? entry->outputSignature : nullptr;
}

const char *onnxc_rt_input_signature(const OnnxcModel *model,
                                     const char *entryPoint) {
  return inputSignature(findEntry(*model, entryPoint));
}

const char *omInputSignature(const char *entryPoint) {
  return inputSignature(findEntry(entryPoint).entry);
}

const char *onnxc_rt_output_signature(const OnnxcModel *model,
                                      const char *entryPoint) {
  return outputSignature(findEntry(*model, entryPoint));
}

const char *omOutputSignature(const char *entryPoint) {
  return outputSignature(findEntry(entryPoint).entry);
}

const char *onnxc_rt_compilation_info(const OnnxcModel *model) {
  return model->compilationInfo;
}

const char *omCompilationInfo(void) {
  FoundEntry found = findEntry(nullptr);
  return found.model ? found.model->compilationInfo : nullptr;
}

const char *omGetRuntimeAPIVersion(void) { return "1.0.0"; }
