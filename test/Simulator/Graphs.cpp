//===- Graphs.cpp - Graphs of the simulated driver --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The functions that drivers before CUDA 11.4 lack. Nodes run in a random order
// of those that their dependencies allow.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <algorithm>
#include <map>

using namespace onnxc::simulator;

static int run(const Node &node) {
  return node.event        ? record(node.event)
         : node.copy.bytes ? copy(node.copy)
                           : launch(node.launch);
}

/// Adds a node after others of the graph, each of which is named once.
static int addNode(void **handle, void *graphHandle, void *const *dependencies,
                   size_t numDependencies, Node node) {
  auto *graph = static_cast<Graph *>(graphHandle);
  if (machine.graphs.count(graph) == 0 ||
      (numDependencies > 0) != (dependencies != nullptr))
    return InvalidValue;
  for (size_t i = 0; i < numDependencies; ++i) {
    auto *before = static_cast<const Node *>(dependencies[i]);
    bool isKnown =
        std::any_of(graph->nodes.begin(), graph->nodes.end(),
                    [&](const auto &known) { return known.get() == before; });
    if (!isKnown || std::count(node.dependencies.begin(),
                               node.dependencies.end(), before) > 0)
      return InvalidValue;
    node.dependencies.push_back(before);
  }
  machine.counters.graphEdges += int64_t(numDependencies);
  graph->nodes.push_back(std::make_unique<Node>(std::move(node)));
  *handle = graph->nodes.back().get();
  return Success;
}

/// The nodes in a random order of those that their dependencies allow.
static std::vector<const Node *> orderOf(const Executable &executable,
                                         uint64_t seed) {
  Random random(seed);
  std::map<const Node *, size_t> numWaiting;
  std::map<const Node *, std::vector<const Node *>> followers;
  std::map<const Node *, const Node *> tasks;
  std::vector<const Node *> ready, order;
  for (const auto &[node, task] : executable.nodes) {
    tasks[node] = &task;
    numWaiting[node] = task.dependencies.size();
    for (const Node *before : task.dependencies)
      followers[before].push_back(node);
    if (task.dependencies.empty())
      ready.push_back(node);
  }
  while (!ready.empty()) {
    std::swap(ready[random.below(ready.size())], ready.back());
    const Node *node = ready.back();
    ready.pop_back();
    order.push_back(tasks[node]);
    for (const Node *follower : followers[node])
      if (--numWaiting[follower] == 0)
        ready.push_back(follower);
  }
  return order;
}

#pragma GCC visibility push(default)
extern "C" {

int cuGraphCreate(void **graph, unsigned flags) {
  ONNXC_ENTER(true);
  ++machine.counters.graphs;
  *graph = *machine.graphs.insert(new Graph).first;
  return flags ? InvalidValue : Success;
}

int cuGraphDestroy(void *handle) {
  ONNXC_ENTER(true);
  auto *graph = static_cast<Graph *>(handle);
  if (machine.graphs.erase(graph) == 0)
    return InvalidValue;
  --machine.counters.graphs;
  delete graph;
  return Success;
}

int cuGraphAddKernelNode(void **node, void *handle, void *const *dependencies,
                         size_t numDependencies, const KernelNode *parameters) {
  ONNXC_ENTER(true);
  Node kernel;
  return prepare(*parameters, kernel.launch)
             ? addNode(node, handle, dependencies, numDependencies, kernel)
             : int(InvalidValue);
}

int cuGraphAddMemcpyNode(void **node, void *handle, void *const *dependencies,
                         size_t numDependencies, const MemoryCopy *parameters,
                         void *context) {
  ONNXC_ENTER(true);
  Node copying;
  copying.copy = *parameters;
  return deviceOf(context) == currentDevice() && isValid(*parameters)
             ? addNode(node, handle, dependencies, numDependencies, copying)
             : int(InvalidValue);
}

int cuGraphExecMemcpyNodeSetParams(void *handle, void *node,
                                   const MemoryCopy *parameters,
                                   void *context) {
  ONNXC_ENTER(true);
  auto *executable = static_cast<Executable *>(handle);
  if (machine.executables.count(executable) == 0 || !isValid(*parameters) ||
      deviceOf(context) != currentDevice() || machine.settings.refusesUpdates)
    return InvalidValue;
  ++machine.counters.nodeUpdates;
  for (auto &[known, task] : executable->nodes)
    if (known == node && task.copy.bytes) {
      task.copy = *parameters;
      return Success;
    }
  return InvalidValue;
}

int cuGraphAddEventRecordNode(void **node, void *handle,
                              void *const *dependencies, size_t numDependencies,
                              void *event) {
  ONNXC_ENTER(true);
  Node recording;
  recording.event = static_cast<Event *>(event);
  return machine.events.count(recording.event)
             ? addNode(node, handle, dependencies, numDependencies, recording)
             : int(InvalidHandle);
}

int cuGraphInstantiateWithFlags(void **handle, void *from,
                                unsigned long long flags) {
  ONNXC_ENTER(true);
  auto *graph = static_cast<Graph *>(from);
  if (machine.graphs.count(graph) == 0 || flags)
    return InvalidValue;
  auto *executable = new Executable;
  for (const auto &node : graph->nodes)
    executable->nodes.push_back({node.get(), *node});
  ++machine.counters.graphs;
  *handle = *machine.executables.insert(executable).first;
  return Success;
}

int cuGraphExecKernelNodeSetParams(void *handle, void *node,
                                   const KernelNode *parameters) {
  ONNXC_ENTER(true);
  auto *executable = static_cast<Executable *>(handle);
  if (machine.executables.count(executable) == 0 ||
      machine.settings.refusesUpdates)
    return InvalidValue;
  ++machine.counters.nodeUpdates;
  for (auto &[known, task] : executable->nodes)
    if (known == node && !task.event && !task.copy.bytes)
      return prepare(*parameters, task.launch) ? Success : InvalidValue;
  return InvalidValue;
}

int cuGraphLaunch(void *handle, void *stream) {
  ONNXC_ENTER(true);
  auto *executable = static_cast<Executable *>(handle);
  if (machine.executables.count(executable) == 0)
    return InvalidValue;
  ++machine.counters.graphLaunches;
  for (const Node *task : orderOf(*executable, machine.settings.seed)) {
    if (task->event)
      task->event->isOver = false;
    if (int error = add(stream, [task = *task] { return run(task); }))
      return error;
  }
  return Success;
}

int cuGraphExecDestroy(void *handle) {
  ONNXC_ENTER(true);
  auto *executable = static_cast<Executable *>(handle);
  if (machine.executables.erase(executable) == 0)
    return InvalidValue;
  --machine.counters.graphs;
  delete executable;
  return Success;
}

} // extern "C"
#pragma GCC visibility pop
