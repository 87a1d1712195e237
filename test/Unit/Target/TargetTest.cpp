//===- TargetTest.cpp - Processors by name ---------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/Target.h"

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Recipe/CostModel.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace onnxc;
using namespace onnxc::target;
using llvm::Triple;

namespace {

class TargetTest : public ::testing::Test {
protected:
  TargetTest() { context.loadDialect<krnl::KrnlDialect>(); }

  krnl::TargetAttr resolve(llvm::StringRef triple, llvm::StringRef cpu,
                           llvm::StringRef features,
                           const ProcessorTable &table = processorTable()) {
    auto target = resolveTarget(&context, triple, cpu, features, table);
    EXPECT_TRUE(bool(target)) << llvm::toString(target.takeError());
    return target ? *target : krnl::TargetAttr();
  }

  mlir::MLIRContext context;
};

struct Row {
  const char *triple, *cpu, *features;
  int64_t vectorBytes, vectorRegs;
};

constexpr Row rows[] = {
    {"x86_64-linux-gnu", "znver4", "", 64, 32},
    {"x86_64-linux-gnu", "znver4", "-avx512f", 32, 16},
    {"x86_64-linux-gnu", "haswell", "", 32, 16},
    {"x86_64-linux-gnu", "haswell", "+avx512f", 64, 32},
    {"x86_64-linux-gnu", "sandybridge", "", 32, 16},
    {"x86_64-linux-gnu", "x86-64-v2", "", 16, 16},
    {"x86_64-linux-gnu", "x86-64", "", 16, 16},
    {"aarch64-linux-gnu", "neoverse-n1", "", 16, 32},
    {"riscv64-linux-gnu", "generic", "+v", 16, 32},
    {"riscv64-linux-gnu", "generic", "", 16, 16},
    {"thumbv7em-none-eabi", "cortex-m4", "", 1, 32},
    {"thumbv6m-none-eabi", "cortex-m0", "", 1, 10},
    {"thumbv8.1m.main-none-eabi", "cortex-m55", "", 16, 8},
    {"thumbv8.1m.main-none-eabi", "cortex-m55", "-mve.fp,-mve", 1, 32},
};

TEST_F(TargetTest, ByName) {
  for (const Row &row : rows) {
    krnl::TargetAttr target = resolve(row.triple, row.cpu, row.features);
    const Processor &processor = target.getProcessor();
    EXPECT_EQ(processor.vectorBytes, row.vectorBytes) << row.cpu;
    EXPECT_EQ(processor.vectorRegs, row.vectorRegs) << row.cpu;
    EXPECT_EQ(target.getTriple(), Triple::normalize(row.triple));
    EXPECT_EQ(target.getCpu(), row.cpu);
  }
}

TEST_F(TargetTest, NamesThatLLVMDoesNotKnowAreRefused) {
  for (auto [triple, cpu] :
       {std::pair("x86_64-linux-gnu", "no-such-cpu"),
        std::pair("no-such-triple", ""), std::pair("i386-linux-gnu", "")}) {
    auto target = resolveTarget(&context, triple, cpu, "");
    EXPECT_FALSE(bool(target)) << triple << ' ' << cpu;
    llvm::consumeError(target.takeError());
  }
}

TEST_F(TargetTest, Lanes) {
  Processor processor;
  processor.vectorBytes = 32;
  EXPECT_EQ(processor.lanes(32), 8);
  EXPECT_EQ(processor.lanes(64), 4);
  EXPECT_EQ(processor.lanes(8), 32);
  EXPECT_EQ(processor.lanes(1), 32);
}

TEST_F(TargetTest, ThisMachineHasANameAndCode) {
  krnl::TargetAttr target = resolve("", "native", "");
  EXPECT_FALSE(target.getCpu().empty());
  EXPECT_TRUE(createTargetMachine(target, 2) != nullptr);
}

TEST_F(TargetTest, RequiredFeaturesAreInstructionSets) {
  std::string features =
      requiredFeatures(resolve("x86_64-linux-gnu", "haswell", "-avx2"));
  EXPECT_NE(features.find("+sse4.2"), std::string::npos);
  EXPECT_EQ(features.find("avx2"), std::string::npos);
  EXPECT_EQ(features.find("tuning"), std::string::npos);
}

// No two rows of the table have one name, and no row is hidden by one before.
TEST_F(TargetTest, EveryRowIsReached) {
  for (const ProcessorFamily &family : processorTable().families) {
    std::string arch = Triple::getArchTypeName(family.kind.arch).str();
    bool isWide = Triple(arch).isArch64Bit();
    krnl::TargetAttr target =
        resolve(arch + (isWide ? "-linux-gnu" : "-none-eabi"), "generic",
                family.kind.features);
    EXPECT_EQ(target.getFamily(), family.name);
    Processor processor = family.processor;
    processor.indexBits = isWide ? 64 : 32;
    EXPECT_TRUE(target.getProcessor() == processor);
  }
}

// docs/HowTo/AddATarget.md has these rows.
constexpr ProcessorFamily toyFamilies[] = {
    {{Triple::riscv64, "+zvl256b"},
     "toy",
     {.vectorBytes = 32, .vectorRegs = 8, .l1 = 16 << 10, .l2 = 64 << 10}},
};
constexpr TargetInstruction toyInstructions[] = {
    {{Triple::riscv64, "+zvl256b"}, "dot_us_x8", "llvm.riscv.toy.dot"},
};

TEST_F(TargetTest, ARowIsAllThatATargetNeeds) {
  krnl::TargetAttr target =
      resolve("riscv64-linux-gnu", "generic", "+v,+zvl256b",
              {toyFamilies, toyInstructions});
  EXPECT_EQ(target.getFamily(), "toy");
  EXPECT_EQ(target.getInstruction("dot_us", 8), "llvm.riscv.toy.dot");
  EXPECT_EQ(target.getInstruction("dot_us", 16), "");
  const Processor &toy = target.getProcessor();
  for (RegisterTile tile : registerTiles(toy, 512, 512, toy.lanes(32)))
    EXPECT_LE(tile.rows * tile.vectors + tile.vectors + 1, toy.vectorRegs);
  EXPECT_EQ(chooseColumnBlock(toy, 512, 256, 16, 4), 48);
  krnl::TargetAttr other =
      resolve("riscv64-linux-gnu", "generic", "+v", {toyFamilies, {}});
  EXPECT_EQ(other.getFamily(), "riscv64");
}

} // namespace
