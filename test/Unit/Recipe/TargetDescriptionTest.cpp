//===- TargetDescriptionTest.cpp - Processors by name -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/TargetDescription.h"

#include "gtest/gtest.h"

using onnxc::target::TargetDescription;

namespace {

struct Processor {
  const char *triple, *cpu, *features;
  int64_t vectorBytes;
  unsigned vectorRegs;
};

constexpr Processor processors[] = {
    {"x86_64-linux-gnu", "znver4", "", 64, 32},
    {"x86_64-linux-gnu", "znver4", "-avx512f", 32, 16},
    {"x86_64-linux-gnu", "haswell", "", 32, 16},
    {"x86_64-linux-gnu", "haswell", "+avx512f", 64, 32},
    {"x86_64-linux-gnu", "x86-64", "", 16, 16},
    {"x86_64-linux-gnu", "no-such-cpu", "", 16, 16},
    {"aarch64-linux-gnu", "neoverse-n1", "", 16, 32},
};

TEST(TargetDescriptionTest, ByName) {
  for (const Processor &p : processors) {
    TargetDescription target =
        TargetDescription::get(p.triple, p.cpu, p.features);
    EXPECT_EQ(target.vectorBytes, p.vectorBytes) << p.cpu << p.features;
    EXPECT_EQ(target.vectorRegs, p.vectorRegs) << p.cpu << p.features;
    EXPECT_EQ(target.triple, p.triple);
  }
}

TEST(TargetDescriptionTest, Lanes) {
  TargetDescription target =
      TargetDescription::get("x86_64-linux-gnu", "haswell", "");
  EXPECT_EQ(target.lanes(32), 8);
  EXPECT_EQ(target.lanes(64), 4);
  EXPECT_EQ(target.lanes(8), 32);
  EXPECT_EQ(target.lanes(1), 32);
}

TEST(TargetDescriptionTest, ThisMachineHasCachesAndCores) {
  TargetDescription target = TargetDescription::host();
  EXPECT_FALSE(target.cpu.empty());
  EXPECT_GE(target.l1, 4096);
  EXPECT_GE(target.l2, target.l1);
  EXPECT_GE(target.cores, 1u);
}

} // namespace
