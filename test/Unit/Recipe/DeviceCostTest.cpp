//===- DeviceCostTest.cpp - Predicted times of kernels of GPUs --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Recipe/ChooseRecipe.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Recipe/Occupancy.h"
#include "onnxc/Target/Target.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace onnxc;
using onnxc::target::Processor;

namespace {

/// Twice a tensor of so many elements.
constexpr const char *elementwise = R"(
func.func @f(%x: tensor<{0}xf32>, %o: tensor<{0}xf32>) -> tensor<{0}xf32> {{
  %y = krnl.kernel "twice" loops [i = {0}]
      ins(%x : tensor<{0}xf32>) outs(%o : tensor<{0}xf32>) {{
  ^bb0(%a: tensor<{0}xf32>, %b: tensor<{0}xf32>):
    %s = krnl.compute [i] (%p = %a[i]) -> (%q = %b[i])
        : (tensor<{0}xf32>) -> tensor<{0}xf32> {{
      %t = arith.addf %p, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<{0}xf32>
  } -> tensor<{0}xf32>
  return %y : tensor<{0}xf32>
})";

/// The product of so many rows with a square matrix, of elements of a type.
constexpr const char *product = R"(
func.func @f(%x: tensor<{0}x1024x{1}>, %w: tensor<1024x1024x{1}>,
             %o: tensor<{0}x1024x{1}>) -> tensor<{0}x1024x{1}> {{
  %y = krnl.kernel "product" loops [m = {0}, n = 1024, k = 1024]
      ins(%x, %w : tensor<{0}x1024x{1}>, tensor<1024x1024x{1}>)
      outs(%o : tensor<{0}x1024x{1}>) {{
  ^bb0(%a: tensor<{0}x1024x{1}>, %b: tensor<1024x1024x{1}>, %c: tensor<{0}x1024x{1}>):
    %zero = arith.constant 0.0 : {1}
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<{0}x1024x{1}> {{
      linalg.yield %zero : {1}
    }
    %r = krnl.compute [m, n | k] (%lhs = %a[m, k], %rhs = %b[k, n]) -> (%sum = %f[m, n])
        : (tensor<{0}x1024x{1}>, tensor<1024x1024x{1}>) -> tensor<{0}x1024x{1}> {{
      %times = arith.mulf %lhs, %rhs : {1}
      %next = arith.addf %sum, %times : {1}
      linalg.yield %next : {1}
    }
    krnl.yield %r : tensor<{0}x1024x{1}>
  } -> tensor<{0}x1024x{1}>
  return %y : tensor<{0}x1024x{1}>
})";

class DeviceCostTest : public testing::Test {
protected:
  DeviceCostTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect,
                        linalg::LinalgDialect, tensor::TensorDialect,
                        krnl::KrnlDialect>();
  }

  Processor processorOf(const char *name) {
    return llvm::cantFail(target::resolveDevices(&context, name))
        .front()
        .getProcessor();
  }

  struct Microseconds {
    double predicted, roofline;
  };
  /// With the recipe that the planner writes.
  Microseconds timesOf(const std::string &text, const Processor &target) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    Microseconds times = {0, 0};
    if (!module) {
      ADD_FAILURE() << "the program is wrong";
      return times;
    }
    module->walk([&](krnl::KernelOp kernel) {
      kernel.setRecipeAttr(chooseRecipe(kernel, target));
      times.predicted =
          nestCost(kernel, krnl::LoopNest::replay(kernel), target).cycles /
          double(target.megahertz);
      times.roofline =
          rooflineCycles(kernel, target) / double(target.megahertz);
    });
    return times;
  }

  /// Calls the function with the kernel of the program, in a module for the
  /// GPU, and its processor.
  void
  withKernel(const char *gpu, const std::string &program,
             llvm::function_ref<void(krnl::KernelOp, const Processor &)> use) {
    auto target = llvm::cantFail(target::resolveDevices(&context, gpu)).front();
    std::string text = llvm::formatv(
        "module attributes {{krnl.target = {0}} {{{1}}", target, program);
    auto module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      ADD_FAILURE() << "the program is wrong";
    else
      module->walk(
          [&](krnl::KernelOp kernel) { use(kernel, target.getProcessor()); });
  }
  static double cyclesOfNest(krnl::KernelOp kernel, const Processor &target) {
    return nestCost(kernel, krnl::LoopNest::replay(kernel), target).cycles;
  }

  MLIRContext context;
};

// NVIDIA's occupancy calculator has the same numbers.
TEST_F(DeviceCostTest, OccupancyFollowsFromTheScarcestResource) {
  Processor a100 = processorOf("cuda:sm_80"), h200 = processorOf("cuda:sm_90a");
  EXPECT_EQ(occupancyOf(a100, {256, 32, 0}).tiles, 8);
  EXPECT_EQ(occupancyOf(a100, {256, 32, 0}).share, 1);
  EXPECT_EQ(occupancyOf(a100, {256, 64, 0}).tiles, 4);
  EXPECT_EQ(occupancyOf(a100, {256, 255, 0}).share, 0.125);
  EXPECT_EQ(occupancyOf(a100, {64, 16, 0}).tiles, 32);
  EXPECT_EQ(occupancyOf(a100, {128, 32, 48 << 10}).tiles, 3);
  EXPECT_EQ(occupancyOf(h200, {128, 32, 48 << 10}).tiles, 4);
  EXPECT_EQ(occupancyOf(h200, {1024, 65, 0}).tiles, 0);
  EXPECT_EQ(occupancyOf(h200, {128, 32, h200.sharedBytes}).tiles, 1);
  EXPECT_EQ(occupancyOf(h200, {128, 32, h200.sharedBytes + 1024}).tiles, 0);
  // A block of more threads has fewer registers for each, in units of a warp.
  EXPECT_EQ(maxRegisters(a100, 128), 255);
  EXPECT_EQ(maxRegisters(a100, 288), 224);
  EXPECT_EQ(maxRegisters(a100, 512), 128);
  EXPECT_EQ(maxRegisters(a100, 1024), 64);
}

// PTX runs on later GPUs, unless it is for sm_90a.
TEST_F(DeviceCostTest, SharedMemoryIsThatOfAllGPUsThatRunTheCode) {
  EXPECT_EQ(processorOf("cuda:sm_80").sharedBytes, 99 << 10);
  EXPECT_EQ(processorOf("cuda:sm_90").sharedBytes, 99 << 10);
  EXPECT_EQ(processorOf("cuda:sm_90a").sharedBytes, 227 << 10);
}

/// Two warpgroups have 64 by 256 columns each, and slices of 64 products.
constexpr const char *pipelined = R"(
func.func @f(%x: tensor<4096x1024xf16>, %w: tensor<1024x4096xf16>, %o: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {{
  %y = krnl.kernel "product" loops [m = 4096, n = 4096, k = 1024]
      ins(%x, %w : tensor<4096x1024xf16>, tensor<1024x4096xf16>)
      outs(%o : tensor<4096x4096xf32>)
      recipe [block(m, 128) -> (m.o, m.b), block(m.b, 64) -> (m.v, m.p), block(m.p, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g),
              block(n, 256) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, {1}) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.v, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.v, m.w, m.g, n.t), parallel(m.o, n.o), {4}
              map(m.v, thread), map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 32), vectorize(n.c, 2), unroll(k.s, {2}),
              cache(0, at=k.o, in=shared{3}), cache(1, at=k.o, in=shared{3}), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i), pipeline(k.o, {0})] {{
  ^bb0(%a: tensor<4096x1024xf16>, %b: tensor<1024x4096xf16>, %c: tensor<4096x4096xf32>):
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<4096x1024xf16>, tensor<1024x4096xf16>) -> tensor<4096x4096xf32> {{
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<4096x4096xf32>
  } -> tensor<4096x4096xf32>
  return %y : tensor<4096x4096xf32>
})";

class PipelineCostTest : public DeviceCostTest {
protected:
  double cyclesWith(const char *stages, const char *gpu = "cuda:sm_90a",
                    int64_t depth = 64, const char *way = "",
                    const char *grid = "") {
    double cycles = 0;
    withKernel(gpu,
               llvm::formatv(pipelined, stages, depth, depth / 16, way, grid),
               [&](krnl::KernelOp kernel, const Processor &processor) {
                 cycles = cyclesOfNest(kernel, processor);
               });
    return cycles;
  }
};

// Slices that are copied one iteration ahead come too late; three ahead do not,
// and then threads wait for products unless these are in flight.
TEST_F(PipelineCostTest, DeepPipelinesHideWaiting) {
  double two = cyclesWith("2"), four = cyclesWith("4"),
         inFlight = cyclesWith("4, in_flight=1");
  EXPECT_LT(four, two);
  EXPECT_LT(inFlight, four);
  EXPECT_GT(inFlight, 0);
  // Without the instruction nothing is in flight.
  double waiting = cyclesWith("3", "cuda:sm_80", 32);
  EXPECT_GE(cyclesWith("3, in_flight=1", "cuda:sm_80", 32), waiting);
  EXPECT_GT(waiting, 0);
}

// Only the first one of the four tiles of a block waits for its first slice.
TEST_F(PipelineCostTest, ProducersGoOnToTheNextTile) {
  auto boxes = [&](const char *stages, const char *grid) {
    return cyclesWith(stages, "cuda:sm_90a", 64, ", by=tma", grid);
  };
  double alone = boxes("4, in_flight=1", ""),
         first = boxes("4, in_flight=1, producer", ""),
         several = boxes("4, in_flight=1, producer", "grid(132),");
  double waiting = processorOf("cuda:sm_90a").memoryLatency;
  EXPECT_EQ(first, alone);
  EXPECT_NEAR(alone - several, 3 * waiting, 1);
  // Without such copies there is none, but blocks that go on are no slower.
  EXPECT_EQ(
      cyclesWith("4, in_flight=1, producer", "cuda:sm_80", 16, ", by=tma"),
      cyclesWith("4, in_flight=1", "cuda:sm_80", 16, ", by=tma"));
}

/// A product by a factor at indices {0}, of a tensor of the sizes {1}.
constexpr const char *scaled = R"(
func.func @f(%x: tensor<4096x1024xf16>, %w: tensor<1024x4096xf16>, %v: tensor<{1}xf32>, %o: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {{
  %y = krnl.kernel "scaled" loops [m = 4096, n = 4096, k = 1024]
      ins(%x, %w, %v : tensor<4096x1024xf16>, tensor<1024x4096xf16>, tensor<{1}xf32>)
      outs(%o : tensor<4096x4096xf32>) recipe [] {{
  ^bb0(%a: tensor<4096x1024xf16>, %b: tensor<1024x4096xf16>, %e: tensor<{1}xf32>, %c: tensor<4096x4096xf32>):
    %t = krnl.temporary : tensor<4096x4096xf32>
    %zero = arith.constant 0.0 : f32
    %z = krnl.compute [m, n] () -> (%_ = %t[m, n]) : () -> tensor<4096x4096xf32> {{ linalg.yield %zero : f32 }
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %z[m, n])
        : (tensor<4096x1024xf16>, tensor<1024x4096xf16>) -> tensor<4096x4096xf32> {{
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    %u = krnl.compute [m, n] (%p = %r[m, n], %q = %e[{0}]) -> (%s = %c[m, n])
        : (tensor<4096x4096xf32>, tensor<{1}xf32>) -> tensor<4096x4096xf32> {{
      %0 = arith.mulf %p, %q : f32
      linalg.yield %0 : f32
    }
    krnl.yield %u : tensor<4096x4096xf32>
  } -> tensor<4096x4096xf32>
  return %y : tensor<4096x4096xf32>
})";

class EarlyReadsTest : public DeviceCostTest {
protected:
  /// Cycles by the planner's recipe, and without its prefetches; no prefetch
  /// is no difference.
  std::pair<double, double> cyclesOf(const char *index, const char *sizes,
                                     const char *gpu = "cuda:sm_90a") {
    std::pair<double, double> cycles;
    withKernel(gpu, llvm::formatv(scaled, index, sizes),
               [&](krnl::KernelOp kernel, const Processor &processor) {
                 kernel.setRecipeAttr(chooseRecipe(kernel, processor));
                 cycles.first = cyclesOfNest(kernel, processor);
                 SmallVector<Attribute> steps(kernel.getRecipe().getValue());
                 llvm::erase_if(steps, [](Attribute step) {
                   return isa<krnl::PrefetchStepAttr>(step);
                 });
                 kernel.setRecipeAttr(ArrayAttr::get(&context, steps));
                 cycles.second = cyclesOfNest(kernel, processor);
               });
    return cycles;
  }
};

// Each of the four tiles of a block waits for memory after the sums, or reads
// what has arrived.
TEST_F(EarlyReadsTest, ReadsAfterSumsArriveBeforeThem) {
  auto [early, late] = cyclesOf("n", "4096");
  double waiting = processorOf("cuda:sm_90a").memoryLatency;
  EXPECT_GT(late - early, 3 * waiting);
  EXPECT_LT(late - early, 4 * waiting);
}

// What only one thread reads takes as many instructions as it does later.
TEST_F(EarlyReadsTest, WhatEachThreadHasOfItsOwnIsReadLate) {
  auto [early, late] = cyclesOf("m, n", "4096x4096");
  EXPECT_EQ(early, late);
  EXPECT_GT(early, 0);
}

// Each tile of 64 by 32 reads its slices again: their bytes alone take longer
// than another recipe does.
TEST_F(DeviceCostTest, TilesThatCannotBeCheapestAreLeftOut) {
  SmallVector<RecipeCandidate, 0> candidates;
  withKernel("cuda:sm_90a", llvm::formatv(pipelined, "4", 64, 4, "", ""),
             [&](krnl::KernelOp kernel, const Processor &processor) {
               candidates = enumerateRecipes(kernel, processor);
             });
  auto count = [&](StringRef tile) {
    return llvm::count_if(candidates, [&](const RecipeCandidate &candidate) {
      return StringRef(candidate.choices).contains(tile);
    });
  };
  EXPECT_GT(count("of 64 x 256 each"), 0);
  EXPECT_EQ(count("of 64 x 32 each"), 0);
  // The tile of the cheapest one is copied in all ways.
  const RecipeCandidate &best = candidates[rankRecipes(candidates).front()];
  EXPECT_GT(count(StringRef(best.choices).split(" each").first), 5);
}

// The recipe that is taken is one that was compared, with all of its steps.
TEST_F(DeviceCostTest, ContendersKeepTheStepsThatCompleteThem) {
  bool isCompared = false;
  withKernel(
      "cuda:sm_90a", llvm::formatv(pipelined, "4", 64, 4, "", ""),
      [&](krnl::KernelOp kernel, const Processor &processor) {
        auto candidates = enumerateRecipes(kernel, processor);
        RecipeCandidate best = candidates[rankRecipes(candidates).front()];
        ArrayAttr completed = best.completed;
        isCompared = bool(completed);
        EXPECT_EQ(completed, chooseRecipe(kernel, processor));
        best.completed = {};
        EXPECT_EQ(completed, completedRecipe(kernel, processor, {}, best));
      });
  EXPECT_TRUE(isCompared);
}

TEST_F(DeviceCostTest, LargeCopiesTakeTheTimeOfTheirBytes) {
  for (auto [name, terabytes] :
       {std::pair("cuda:sm_80", 2.039), std::pair("cuda:sm_90a", 4.8)}) {
    Processor target = processorOf(name);
    double bytes = 2.0 * 65536 * 1024 * 4;
    auto times = timesOf(llvm::formatv(elementwise, 65536 * 1024), target);
    EXPECT_NEAR(times.roofline, bytes / terabytes * 1e-6,
                0.01 * times.roofline);
    EXPECT_LT(times.predicted, 1.1 * times.roofline);
  }
}

// Pairs of elements that lie one after the other are read by whole sectors.
TEST_F(DeviceCostTest, ShortRowsAreAdjacent) {
  constexpr const char *transposed = R"(
func.func @f(%x: tensor<2x8388608xf32>, %o: tensor<8388608x2xf32>) -> tensor<8388608x2xf32> {
  %y = krnl.kernel "pairs" loops [i = 8388608, j = 2]
      ins(%x : tensor<2x8388608xf32>) outs(%o : tensor<8388608x2xf32>) {
  ^bb0(%a: tensor<2x8388608xf32>, %b: tensor<8388608x2xf32>):
    %s = krnl.compute [i, j] (%p = %a[j, i]) -> (%q = %b[i, j])
        : (tensor<2x8388608xf32>) -> tensor<8388608x2xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s : tensor<8388608x2xf32>
  } -> tensor<8388608x2xf32>
  return %y : tensor<8388608x2xf32>
})";
  auto times = timesOf(transposed, processorOf("cuda:sm_90a"));
  EXPECT_LT(times.predicted, 1.2 * times.roofline);
}

// Four threads store half of a sector of 32 bytes in each of two steps, so that
// it is stored twice, besides being read once. Threads that have both halves in
// registers exchange parts, and store it once.
TEST_F(DeviceCostTest, SectorsAreStoredAsOftenAsTheyAreTouched) {
  constexpr const char *halves = R"(
func.func @f(%x: tensor<65536x16xf16>, %o: tensor<65536x16xf16>) -> tensor<65536x16xf16> {{
  %y = krnl.kernel "halves" loops [i = 65536, j = 16]
      ins(%x : tensor<65536x16xf16>) outs(%o : tensor<65536x16xf16>)
      recipe [block(i, 64) -> (i.o, i.b), block(j, 8) -> (j.f, j.s), block(j.s, 2) -> (j.t, j.c),
              order(i.o, i.b, j.t, j.f, j.c), fuse_outer(i.o, i.b, j.t), parallel(i.o),
              map(i.b, thread), map(j.t, thread), {0}vectorize(j.c, 2)] {{
  ^bb0(%a: tensor<65536x16xf16>, %b: tensor<65536x16xf16>):
    %s = krnl.compute [i, j] (%p = %a[i, j]) -> (%q = %b[i, j])
        : (tensor<65536x16xf16>) -> tensor<65536x16xf16> {{
      %t = arith.addf %p, %p : f16
      linalg.yield %t : f16
    }
    krnl.yield %s : tensor<65536x16xf16>
  } -> tensor<65536x16xf16>
  return %y : tensor<65536x16xf16>
})";
  auto cyclesWith = [&](const char *steps) {
    double cycles = 0;
    withKernel("cuda:sm_90a", llvm::formatv(halves, steps),
               [&](krnl::KernelOp kernel, Processor processor) {
                 processor.l3BytesPerCycle = 1;
                 cycles =
                     cyclesOfNest(kernel, processor) - processor.launchCycles();
               });
    return cycles;
  };
  EXPECT_NEAR(cyclesWith("") / cyclesWith("unroll(j.f, 2), "), 1.5, 0.05);
}

TEST_F(DeviceCostTest, TheStartOfASmallKernelCounts) {
  Processor target = processorOf("cuda:sm_90a");
  auto times = timesOf(llvm::formatv(elementwise, 4096), target);
  EXPECT_GT(times.predicted, double(target.launchNanoseconds) / 1000);
  EXPECT_LT(times.predicted, double(target.launchNanoseconds) / 1000 + 2);
  EXPECT_LT(times.roofline, 0.1);
}

// 2 * 4096 * 1024 * 1024 operations at 67 TFLOP/s, or 989 by tensor cores.
TEST_F(DeviceCostTest, ProductsHaveThePeakOfTheirType) {
  Processor target = processorOf("cuda:sm_90a");
  auto wide = timesOf(llvm::formatv(product, 4096, "f32"), target);
  auto half = timesOf(llvm::formatv(product, 4096, "f16"), target);
  EXPECT_NEAR(wide.roofline, 8.59e9 / 67e6, 0.01 * wide.roofline);
  EXPECT_NEAR(half.roofline, 8.59e9 / 989e6, 0.01 * half.roofline);
  EXPECT_GT(wide.predicted, wide.roofline);
  EXPECT_LT(wide.predicted, 20 * wide.roofline);
}

// 156 TFLOP/s of floats whose precision may be less; of vectors 19.5.
TEST_F(DeviceCostTest, ProductsOfReducedFloatsHaveThePeakOfMatrices) {
  auto device =
      llvm::cantFail(target::resolveDevices(&context, "cuda:sm_80")).front();
  std::string text = llvm::formatv(product, 4096, "f32");
  auto timesFor = [&](krnl::TargetAttr target) {
    return timesOf(
        llvm::formatv("module attributes {{krnl.target = {0}} {{{1}}", target,
                      text),
        target.getProcessor());
  };
  auto full = timesFor(device);
  auto reduced = timesFor(target::withReducedProducts(device));
  EXPECT_NEAR(full.roofline, 8.59e9 / 19.5e6, 0.01 * full.roofline);
  EXPECT_NEAR(reduced.roofline, 8.59e9 / 156e6, 0.01 * reduced.roofline);
  EXPECT_GT(reduced.predicted, reduced.roofline);
}

// Blocks for a half of the multiprocessors take as long as for all of them.
TEST_F(DeviceCostTest, IdleMultiprocessorsDoNotHelp) {
  Processor target = processorOf("cuda:sm_90a"), half = target;
  half.cores /= 2;
  auto few = timesOf(llvm::formatv(product, 16, "f32"), target);
  auto same = timesOf(llvm::formatv(product, 16, "f32"), half);
  EXPECT_DOUBLE_EQ(few.predicted, same.predicted);
}

/// Each thread has 16 by 32 results, which are more than it has registers.
constexpr const char *largeTiles = R"(
func.func @f(%x: tensor<512x512xf32>, %w: tensor<512x4096xf32>, %o: tensor<512x4096xf32>) -> tensor<512x4096xf32> {
  %y = krnl.kernel "product" loops [m = 512, n = 4096, k = 512]
      ins(%x, %w : tensor<512x512xf32>, tensor<512x4096xf32>)
      outs(%o : tensor<512x4096xf32>)
      recipe [block(m, 16) -> (m.o, m.t), block(n, 1024) -> (n.o, n.b), block(n.b, 32) -> (n.t, n.i),
              order(m.o, n.o, n.t, m.t, n.i, k), fuse_outer(m.o, n.o, n.t), parallel(m.o, n.o), map(n.t, thread),
              unroll(m.t, 16), unroll(n.i, 32)] {
  ^bb0(%a: tensor<512x512xf32>, %b: tensor<512x4096xf32>, %c: tensor<512x4096xf32>):
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<512x512xf32>, tensor<512x4096xf32>) -> tensor<512x4096xf32> {
      %2 = arith.mulf %p, %q : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<512x4096xf32>
  } -> tensor<512x4096xf32>
  return %y : tensor<512x4096xf32>
})";

// What a thread has no registers for goes to memory and back in each step.
TEST_F(DeviceCostTest, SpillsTakeAccesses) {
  withKernel("cuda:sm_90a", largeTiles,
             [&](krnl::KernelOp kernel, const Processor &target) {
               Processor larger = target;
               larger.threadRegisters = 1024;
               larger.coreRegisters *= 16;
               double spilled = 16 * 32 + 20 - 255;
               double steps = 512.0 * (512 / 16) * (4096 / 1024) / 128;
               EXPECT_GT(cyclesOfNest(kernel, target),
                         cyclesOfNest(kernel, larger) + spilled * steps);
             });
}

/// e to the power of e to the power of the element, and so on.
constexpr const char *exponentials = R"(
func.func @f(%x: tensor<262144x{0}>, %o: tensor<262144x{0}>) -> tensor<262144x{0}> {{
  %y = krnl.kernel "exps" loops [i = 262144]
      ins(%x : tensor<262144x{0}>) outs(%o : tensor<262144x{0}>) {{
  ^bb0(%a: tensor<262144x{0}>, %b: tensor<262144x{0}>):
    %s = krnl.compute [i] (%p0 = %a[i]) -> (%q = %b[i])
        : (tensor<262144x{0}>) -> tensor<262144x{0}> {{
      {1}
      linalg.yield %p64 : {0}
    }
    krnl.yield %s : tensor<262144x{0}>
  } -> tensor<262144x{0}>
  return %y : tensor<262144x{0}>
})";

// The units for functions have 16 results in a cycle. Those of 16 bits take
// little else, those of 32 take operations as well, and those of 64 are
// computed without the units, in whatever they are rounded to.
TEST_F(DeviceCostTest, FunctionsTakeTheirUnits) {
  const char *plain = "%p{0} = math.exp %p{1} : {2}\n";
  const char *rounded = "%e{0} = math.exp %p{1} : {2}\n"
                        "%h{0} = arith.truncf %e{0} : {2} to f16\n"
                        "%p{0} = arith.extf %h{0} : f16 to {2}\n";
  auto cyclesOf = [&](const char *gpu, const char *type, const char *step) {
    std::string payload;
    for (int i = 0; i < 64; ++i)
      payload += llvm::formatv(step, i + 1, i, type);
    double cycles = 0;
    withKernel(gpu, llvm::formatv(exponentials, type, payload),
               [&](krnl::KernelOp kernel, const Processor &target) {
                 kernel.setRecipeAttr(chooseRecipe(kernel, target));
                 cycles = cyclesOfNest(kernel, target) - target.launchCycles();
               });
    return cycles;
  };
  for (const char *gpu : {"cuda:sm_80", "cuda:sm_90a"}) {
    Processor target = processorOf(gpu);
    double units = 64.0 * 262144 / 16 / double(target.cores);
    EXPECT_GE(cyclesOf(gpu, "f16", plain), units);
    EXPECT_LT(cyclesOf(gpu, "f16", plain), 1.5 * units);
    EXPECT_GT(cyclesOf(gpu, "f32", plain), cyclesOf(gpu, "f16", plain));
    EXPECT_GE(cyclesOf(gpu, "f64", rounded), cyclesOf(gpu, "f64", plain));
  }
}

// Integers become floats by an ordinary instruction on the later GPU, floats
// become integers in the units for functions on both, and 16 bits need none.
TEST_F(DeviceCostTest, ConversionsTakeTheUnitsOfFunctions) {
  const char *integers = "%i{0} = arith.fptosi %p{1} : f32 to i32\n"
                         "%p{0} = arith.sitofp %i{0} : i32 to f32\n";
  const char *halves = "%i{0} = arith.truncf %p{1} : f32 to f16\n"
                       "%p{0} = arith.extf %i{0} : f16 to f32\n";
  auto cyclesOf = [&](const char *gpu, const char *step) {
    std::string payload;
    for (int i = 0; i < 64; ++i)
      payload += llvm::formatv(step, i + 1, i);
    double cycles = 0;
    withKernel(gpu, llvm::formatv(exponentials, "f32", payload),
               [&](krnl::KernelOp kernel, const Processor &target) {
                 kernel.setRecipeAttr(chooseRecipe(kernel, target));
                 cycles = cyclesOfNest(kernel, target) - target.launchCycles();
               });
    return cycles;
  };
  for (auto [gpu, conversions] :
       {std::pair("cuda:sm_80", 2), std::pair("cuda:sm_90a", 1)}) {
    Processor target = processorOf(gpu);
    double units = conversions * 64.0 * 262144 / 16 / double(target.cores);
    EXPECT_GE(cyclesOf(gpu, integers), units);
    EXPECT_LT(cyclesOf(gpu, integers), 1.5 * units);
    EXPECT_LT(cyclesOf(gpu, halves), units);
  }
}

} // namespace
