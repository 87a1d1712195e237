//===- Registry.cpp - The models of a program and a process -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Registry.h"

#include "Context.h"

#include <stdio.h>
#include <string.h>

using namespace onnxc;
using namespace onnxc::rt;

static ModelState *first;
/// The last one that was not registered.
static const OnnxcModel *refused;

Process &rt::process() { return onnxc_process_13; }

ModelState *rt::firstModel() { return first; }

static Message explainInterface(const OnnxcModel &model, const char *name) {
  Message message;
  message.set(
      "%s was made for runtime interface %lld, and the runtime that it "
      "is linked with has %d: compile it again with the onnx-compile of "
      "this runtime",
      name, (long long)model.abi, ONNXC_RT_ABI);
  return message;
}

bool rt::isForThisRuntime(const OnnxcModel &model) {
  if (model.abi == ONNXC_RT_ABI)
    return true;
  setLastError(explainInterface(model, "the model").text);
  return false;
}

/// The dynamic linker runs constructors and destructors one after the other.
void onnxc_rt_register(const OnnxcModel *model) {
  if (model->abi != ONNXC_RT_ABI) {
    refused = model; // its descriptor has another layout
    return;
  }
  ModelState &state = stateOf(*model);
  state.model = model;
  state.level = chooseLevel(*model, nullptr);
  state.createContext = createContext;
  state.run = run;
  state.runTensors = runTensors;
  state.prepare = prepare;
  ModelState **last = &first;
  while (*last)
    last = &(*last)->next;
  *last = &state;
  std::atomic<ModelState *> &shared = process().models;
  state.nextShared.store(shared.load(std::memory_order_relaxed),
                         std::memory_order_relaxed);
  shared.store(&state, std::memory_order_release);
}

static void removeShared(ModelState &state) {
  std::atomic<ModelState *> *position = &process().models;
  while (ModelState *known = position->load(std::memory_order_relaxed)) {
    if (known == &state) {
      position->store(state.nextShared.load(std::memory_order_relaxed),
                      std::memory_order_release);
      return;
    }
    position = &known->nextShared;
  }
}

void rt::unregisterModels() {
  for (ModelState *state = first; state; state = state->next)
    removeShared(*state);
  first = nullptr;
  if (!process().models.load(std::memory_order_relaxed))
    freeLastErrors();
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

static bool isMainName(const char *name) {
  return !name || strcmp(name, "run_main_graph") == 0;
}

static const OnnxcEntry *findExactly(const OnnxcModel &model,
                                     const char *name) {
  for (int64_t i = 0; name && i < model.numEntries; ++i)
    if (strcmp(entriesOf(model)[i].name, name) == 0)
      return &entriesOf(model)[i];
  return nullptr;
}

const OnnxcEntry *rt::findEntry(const OnnxcModel &model, const char *name) {
  const OnnxcEntry *entry = findExactly(model, name);
  return !entry && isMainName(name) ? entriesOf(model) : entry;
}

/// Adds a text to the message, cut off when too long.
static void append(Message &message, const char *text) {
  size_t length = strlen(message.text);
  snprintf(message.text + length, sizeof message.text - length, "%s", text);
}

/// Adds the names of omQueryEntryPoints, as far as there is room for them and
/// for what follows.
static void appendNames(Message &message) {
  constexpr size_t room = 320;
  const char *separator = "";
  for (ModelState *state = first; state; state = state->next)
    for (int64_t i = 0; i < state->model->numEntries; ++i) {
      const char *name = entriesOf(*state->model)[i].name;
      if (strlen(message.text) + strlen(name) > room)
        return append(message, *separator ? ", ..." : "...");
      append(message, separator);
      append(message, name);
      separator = ", ";
    }
}

/// The main entry of the only model.
static FoundEntry findMain() {
  if (first && !first->next)
    return {first->model, entriesOf(*first->model)};
  if (!first && refused && !isForThisRuntime(*refused))
    return {};
  Message message;
  message.set("the program has %s",
              first ? "several models: name one of the entry points "
                    : "no model");
  appendNames(message);
  append(message, first ? "; --tag distinguishes models" : "");
  setLastError(message.text);
  return {};
}

FoundEntry rt::findEntry(const char *name) {
  if (isMainName(name))
    return findMain();
  for (ModelState *state = first; state; state = state->next)
    if (const OnnxcEntry *entry = findExactly(*state->model, name))
      return {state->model, entry};
  for (ModelState *state = process().models.load(std::memory_order_acquire);
       state; state = state->nextShared.load(std::memory_order_acquire))
    if (const OnnxcEntry *entry = findExactly(*state->model, name))
      return {state->model, entry};
  Message message;
  message.set("the %s has no entry point '%.100s'",
              first && !first->next ? "model" : "program", name);
  append(message, first ? "; it has: " : "");
  appendNames(message);
  if (refused) {
    append(message, "; ");
    append(message, explainInterface(*refused, "another model").text);
  }
  setLastError(message.text);
  return {};
}
