//===- Clusters.h - Loops of the blocks of clusters -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// map(l, cluster): tiles that the blocks of a cluster have, or parts of a sum.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_LOOPNEST_CLUSTERS_H
#define ONNXC_DIALECT_KRNL_IR_LOOPNEST_CLUSTERS_H

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

namespace onnxc::krnl {

/// The parallel loop whose iterations are the blocks of a cluster.
std::optional<unsigned> clusterLoop(const LoopNest &nest);

/// The loop over the parts of a sum of which each block of a cluster has one,
/// map(k.u, cluster), and the loop of which each of them has an iteration in
/// the ops after it, map(m.f, cluster, as=k.u).
std::optional<unsigned> clusterParts(const LoopNest &nest);
std::optional<unsigned> clusterShares(const LoopNest &nest);

/// Returns true if the loop is clusterShares() and the op the sum over
/// clusterParts(), which has all shares in registers until the blocks exchange
/// its parts.
bool isSharedOut(const LoopNest &nest, unsigned loop, const BodyOp &op);

/// The size of the memory by which the blocks of a cluster exchange parts of
/// the op's sum, in results of a thread; a vector counts as its number of
/// lanes. 0 if the op has no such sum.
int64_t exchangedResults(const LoopNest &nest, unsigned op);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_LOOPNEST_CLUSTERS_H
