//===- LaunchGraphTest.cpp - Launches that wait -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Memory/LaunchGraph.h"

#include "gtest/gtest.h"

using namespace onnxc::krnl;
using Numbers = llvm::SmallVector<unsigned>;

/// 0 -> 1 -> 3 and 0 -> 2 -> 3, of which 2 takes longer.
static LaunchGraph diamond() {
  LaunchGraph graph;
  for (double cycles : {1, 2, 5, 3})
    graph.add(cycles);
  for (auto [first, second] : {std::pair(0, 1), {0, 2}, {1, 3}, {2, 3}})
    graph.order(first, second);
  graph.measure();
  return graph;
}

TEST(LaunchGraph, FindsTheLongestChain) {
  LaunchGraph graph = diamond();
  EXPECT_EQ(graph.cycles(), 1 + 5 + 3);
  EXPECT_EQ(graph.longestChain(), (Numbers{0, 2, 3}));
}

TEST(LaunchGraph, KnowsWhatWaitsForWhat) {
  LaunchGraph graph = diamond();
  EXPECT_TRUE(graph.isBefore(0, 3));
  EXPECT_FALSE(graph.isBefore(3, 0));
  EXPECT_FALSE(graph.isBefore(0, 0));
  EXPECT_FALSE(graph.isBefore(1, 2));
}

TEST(LaunchGraph, TellsByHowMuchAnOrderLengthensTheChain) {
  LaunchGraph graph = diamond();
  EXPECT_EQ(graph.growth(1, 2), 2);
  // 4 takes no longer after 1 than the other branch does.
  unsigned last = graph.add(4);
  graph.measure();
  EXPECT_EQ(graph.growth(1, last), 0);
  EXPECT_EQ(graph.growth(3, last), 4);
}

TEST(LaunchGraph, OrdersWhatWaitsForALaterOne) {
  LaunchGraph graph = diamond();
  unsigned fourth = graph.add(1), fifth = graph.add(1);
  graph.order(fourth, fifth);
  EXPECT_FALSE(graph.isBefore(0, fifth));
  graph.order(3, fourth);
  EXPECT_TRUE(graph.isBefore(0, fifth));
}

TEST(LaunchGraph, ChainsItsParts) {
  LaunchGraph graph = diamond();
  graph.endPart();
  unsigned a = graph.add(7), b = graph.add(4);
  graph.measure();
  EXPECT_TRUE(graph.isBefore(1, a));
  EXPECT_FALSE(graph.isBefore(a, b));
  EXPECT_EQ(graph.cycles(), 9 + 7);
  EXPECT_EQ(graph.longestChain(), (Numbers{0, 2, 3, a}));
}

/// As many launches as one CUDA graph has at most.
TEST(LaunchGraph, BeginsAPartWhereTheRuntimeDoes) {
  LaunchGraph graph;
  for (int i = 0; i <= ONNXC_DEVICE_GRAPH_LAUNCHES; ++i)
    graph.add(1);
  graph.measure();
  EXPECT_EQ(graph.numParts(), 2u);
  EXPECT_EQ(graph.cycles(), 2);
  EXPECT_TRUE(graph.isBefore(0, ONNXC_DEVICE_GRAPH_LAUNCHES));
}

TEST(LaunchGraph, MayBeEmpty) {
  LaunchGraph graph;
  graph.measure();
  EXPECT_EQ(graph.cycles(), 0);
  EXPECT_TRUE(graph.longestChain().empty());
}
