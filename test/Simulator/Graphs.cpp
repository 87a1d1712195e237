//===- Graphs.cpp - Graphs of the simulated driver --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The functions that drivers before CUDA 11.4 lack.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace onnxc::simulator;

static int run(const Node &node) {
  return node.event ? record(node.event) : launch(node.launch);
}

/// Adds a node if it is behind the last one.
static int addNode(void **handle, void *graphHandle, void *const *dependencies,
                   size_t numDependencies, Node node) {
  auto *graph = static_cast<Graph *>(graphHandle);
  bool isBehindLast =
      machine.graphs.count(graph) &&
      numDependencies == (graph->nodes.empty() ? 0 : 1) &&
      (graph->nodes.empty() || dependencies[0] == graph->nodes.back().get());
  if (!isBehindLast)
    return InvalidValue;
  graph->nodes.push_back(std::make_unique<Node>(std::move(node)));
  *handle = graph->nodes.back().get();
  return Success;
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
  if (machine.executables.count(executable) == 0)
    return InvalidValue;
  ++machine.counters.nodeUpdates;
  for (auto &[known, task] : executable->nodes)
    if (known == node && !task.event)
      return prepare(*parameters, task.launch) ? Success : InvalidValue;
  return InvalidValue;
}

int cuGraphLaunch(void *handle, void *stream) {
  ONNXC_ENTER(true);
  auto *executable = static_cast<Executable *>(handle);
  if (machine.executables.count(executable) == 0)
    return InvalidValue;
  ++machine.counters.graphLaunches;
  for (const auto &[node, task] : executable->nodes) {
    if (task.event)
      task.event->isOver = false;
    if (int error = add(stream, [task = task] { return run(task); }))
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
