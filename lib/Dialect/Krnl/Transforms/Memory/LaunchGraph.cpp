//===- LaunchGraph.cpp - Launches that wait for each other -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "LaunchGraph.h"

#include "llvm/ADT/STLExtras.h"

using namespace onnxc::krnl;
using llvm::SmallVector;

unsigned LaunchGraph::add(double cycles) {
  unsigned number = size();
  if (!isOpen || number - parts.back().begin == ONNXC_DEVICE_GRAPH_LAUNCHES) {
    parts.push_back({number, number});
    isOpen = true;
  }
  Launch &launch = launches.emplace_back();
  launch.part = unsigned(parts.size() - 1);
  launch.cycles = cycles;
  parts.back().end = number + 1;
  return number;
}

bool LaunchGraph::isBefore(unsigned first, unsigned second) const {
  if (first >= second)
    return false;
  const Launch &launch = launches[second];
  return launches[first].part != launch.part ||
         launch.before[first - parts[launch.part].begin];
}

void LaunchGraph::order(unsigned first, unsigned second) {
  assert(first < second && "the program has them in this order");
  if (isBefore(first, second))
    return;
  Launch &launch = launches[second];
  const Part &part = parts[launch.part];
  launch.waitsFor.push_back(first);
  launch.before |= launches[first].before;
  launch.before.set(first - part.begin);
  for (unsigned later = second + 1; later < part.end; ++later)
    if (launches[later].before[second - part.begin])
      launches[later].before |= launch.before;
}

void LaunchGraph::measure() {
  for (Launch &launch : launches) {
    launch.to = launch.from = launch.cycles;
    for (unsigned earlier : launch.waitsFor)
      launch.to = std::max(launch.to, launches[earlier].to + launch.cycles);
    double &longest = parts[launch.part].cycles;
    longest = std::max(longest, launch.to);
  }
  for (Launch &launch : llvm::reverse(launches))
    for (unsigned earlier : launch.waitsFor) {
      Launch &its = launches[earlier];
      its.from = std::max(its.from, its.cycles + launch.from);
    }
}

double LaunchGraph::growth(unsigned first, unsigned second) const {
  return std::max(launches[first].to + launches[second].from -
                      parts[launches[first].part].cycles,
                  0.0);
}

double LaunchGraph::cycles() const {
  double sum = 0;
  for (const Part &part : parts)
    sum += part.cycles;
  return sum;
}

/// The launch at which the longest chain ends; of equal ones the first.
unsigned LaunchGraph::longest(llvm::ArrayRef<unsigned> ends) const {
  return *llvm::max_element(ends, [&](unsigned a, unsigned b) {
    return std::pair(launches[a].to, b) < std::pair(launches[b].to, a);
  });
}

SmallVector<unsigned> LaunchGraph::longestChain() const {
  SmallVector<unsigned> chain;
  for (const Part &part : llvm::reverse(parts)) {
    auto ends = llvm::to_vector(llvm::seq(part.begin, part.end));
    for (llvm::ArrayRef<unsigned> last = ends; !last.empty();
         last = launches[chain.back()].waitsFor)
      chain.push_back(longest(last));
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}
