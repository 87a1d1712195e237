//===- ModelKernels.cpp - Kernels of the model by hand ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ModelKernels.h"

#include "DeviceModel.h"

#include <iterator>

namespace {

/// 12 lines of 8 elements of 4 bytes, and boxes of 16 lines.
const OnnxcTensorMap map = {0, 4, 32, 2, {8, 12}, {8, 16}};

/// The same in boxes of 8 lines.
const OnnxcTensorMap halfMap = {0, 4, 32, 2, {8, 12}, {8, 8}};

/// As many lines as the third parameter says.
const OnnxcTensorMap sizedMap = {0, 4, 32, 2, {8, ~2}, {8, 16}};

/// Elements, lines, dimensions, an address and a size that no map has.
const OnnxcTensorMap unknownMaps[] = {{0, 3, 32, 2, {8, 12}, {8, 16}},
                                      {0, 4, 48, 2, {8, 12}, {8, 16}},
                                      {0, 4, 32, 6, {8, 12}, {8, 16}},
                                      {2, 4, 32, 2, {8, 12}, {8, 16}},
                                      {0, 4, 32, 2, {8, ~2}, {8, 16}}};

} // namespace

constinit const OnnxcDeviceKernel modelKernels[] = {
    {"add", "the sum", 4, 2, 1, 128, 0, 0, nullptr},
    {"softmax", "the softmax", 4, 1, 1, 96, 0, 0, nullptr},
    {"transpose", "the transposition", 3, 1, 1, 256, 0, 0, nullptr},
    {"transpose_directly", "the transposition", 3, 1, 1, 64, 0, 0, nullptr},
    {"reverse", "the reversal", 2, 0, 1, kThreads, kSharedBytes, 0, nullptr},
    {"reverse", "the reversal", 2, 0, 1, kThreads, kSharedBytes / 2, 0,
     nullptr},
    {"race", "the race", 1, 0, 1, kThreads, 0, 0, nullptr},
    {"missing_barrier", "the barrier", 1, 0, 1, kThreads, 0, 0, nullptr},
    {"beyond", "the store", 2, 0, 1, kThreads, 0, 0, nullptr},
    {"misaligned", "the vector", 1, 0, 1, 1, 0, 0, nullptr},
    {"uninitialised", "the load", 1, 0, 1, 32, 0, 0, nullptr},
    {"warpgroup", "the products", 1, 0, 1, 128, 0, 0, nullptr},
    {"warpgroup_rows", "the products", 1, 0, 1, 128, 0, 0, nullptr},
    {"in_flight", "the products", 1, 0, 1, 128, 0, 0, nullptr},
    {"written_in_flight", "the products", 1, 0, 1, 128, 0, 0, nullptr},
    {"missing_proxy_fence", "the products", 1, 0, 1, 128, 0, 0, nullptr},
    {"missing_fence", "the products", 1, 0, 1, 128, 0, 0, nullptr},
    {"report", "the report", 2, 0, 0, 1, 0, 0, nullptr},
    {"boxes", "the boxes", 2, 1, 1, 64, 0, 1, &map},
    {"sized_boxes", "the boxes", 3, 1, 1, 64, 0, 1, &sizedMap},
    {"early_box", "the boxes", 2, 1, 1, 64, 0, 1, &map},
    {"short_box", "the boxes", 2, 1, 1, 64, 0, 1, &map},
    {"unfenced_box", "the boxes", 2, 1, 1, 64, 0, 1, &map},
    {"boxes", "the boxes", 2, 1, 1, 64, 0, 1, &unknownMaps[0]},
    {"boxes", "the boxes", 2, 1, 1, 64, 0, 1, &unknownMaps[1]},
    {"boxes", "the boxes", 2, 1, 1, 64, 0, 1, &unknownMaps[2]},
    {"boxes", "the boxes", 2, 1, 1, 64, 0, 1, &unknownMaps[3]},
    {"boxes", "the boxes", 2, 1, 1, 64, 0, 1, &unknownMaps[4]},
    {"cluster_boxes", "the cluster", 2, 1, 1, 64, 0, 1, &halfMap},
    {"leaving_block", "the cluster", 2, 1, 1, 64, 0, 1, &halfMap},
    {"unfenced_cluster", "the cluster", 2, 1, 1, 64, 0, 1, &halfMap},
    {"early_cluster", "the cluster", 2, 1, 1, 64, 0, 1, &halfMap},
    {"ended_block", "the cluster", 2, 1, 1, 64, 0, 1, &halfMap},
    {"missing_block", "the cluster", 2, 1, 1, 64, 0, 1, &halfMap},
    {"cluster_sums", "the cluster", 2, 1, 1, 64, 0, 1, &halfMap},
    {"kept_sums", "the cluster", 2, 1, 1, 64, 0, 1, &halfMap},
    {"early_sums", "the cluster", 2, 1, 1, 64, 0, 1, &halfMap},
    {"leaving_sums", "the cluster", 2, 1, 1, 64, 0, 1, &halfMap},
    {"produced_boxes", "the producer", 2, 1, 1, 96, 0, 1, &map},
    {"early_arrival", "the producer", 2, 1, 1, 96, 0, 1, &map},
    {"missing_arrival", "the producer", 2, 1, 1, 96, 0, 1, &map},
};
static_assert(std::size(modelKernels) == kNumKernels);

const OnnxcDeviceError modelErrors[] = {
    {ONNXC_ERR_MEMORY, "node 'a': too much", -1},
    {ONNXC_ERR_VALUE, "node 'b': an index is out of range", 1}};
static_assert(std::size(modelErrors) == kNumErrors);
