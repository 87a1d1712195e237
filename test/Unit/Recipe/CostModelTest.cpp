//===- CostModelTest.cpp - Which register tile is chosen ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Recipe/ChooseRecipe.h"
#include "onnxc/Target/Target.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace onnxc;
using onnxc::target::Processor;

namespace {

constexpr int64_t dynamic = mlir::ShapedType::kDynamic;

Processor processorOf(const char *cpu) {
  mlir::MLIRContext context;
  context.loadDialect<krnl::KrnlDialect>();
  return llvm::cantFail(
             target::resolveTarget(&context, "x86_64-linux-gnu", cpu, ""))
      .getProcessor();
}

RegisterTile chooseRegisterTile(const Processor &target, int64_t rows,
                                int64_t columns, int64_t lanes,
                                int64_t maxRows = INT64_MAX,
                                ColumnWork work = {}) {
  llvm::SmallVector<RegisterTile> tiles =
      registerTiles(target, rows, columns, lanes, maxRows, work);
  llvm::SmallVector<double> cycles;
  for (RegisterTile tile : tiles)
    cycles.push_back(resultCycles(target, tile, rows, columns, lanes, work));
  return tiles[findCheapest(cycles)];
}

RegisterTile chooseWindowTile(const Processor &target, int64_t rows,
                              int64_t columns, int64_t lanes) {
  llvm::SmallVector<RegisterTile> tiles =
      windowTiles(target, rows, columns, lanes);
  llvm::SmallVector<double> cycles;
  for (RegisterTile tile : tiles)
    cycles.push_back(resultCycles(target, tile, rows, columns, lanes));
  return tiles[findCheapest(cycles)];
}

/// A core without vectors: seven registers for integers beside addresses.
Processor scalarCore() {
  Processor target;
  target.vectorBytes = 1;
  target.vectorRegs = 32;
  target.scalarCopies = 8;
  target.threadRegisters = 10;
  target.addressRegisters = 3;
  return target;
}

// Six sums with two columns and an element of a row are too many.
TEST(CostModelTest, TilesOfSingleIntegersFitTheirRegisters) {
  auto tiles = scalarTiles(scalarCore(), 6, 8, {/*areIntegers=*/true, 1});
  ASSERT_FALSE(tiles.empty());
  for (RegisterTile tile : tiles) {
    EXPECT_LE(tile.rows * tile.vectors + std::min(tile.rows, tile.vectors) + 1,
              7);
    EXPECT_EQ(6 % tile.rows, 0);
    EXPECT_EQ(8 % tile.vectors, 0);
  }
  // Floats have the others.
  auto floats = scalarTiles(scalarCore(), 6, 8, {/*areIntegers=*/false, 1});
  EXPECT_GT(floats.size(), tiles.size());
  for (RegisterTile tile : floats)
    EXPECT_LE(tile.rows * tile.vectors, 8);
}

// Factors in vectors leave the registers of integers to sums; columns are
// multiples of the lanes of results.
TEST(CostModelTest, TilesOfSumsWithFactorsInVectors) {
  auto tiles = scalarTiles(scalarCore(), 6, 8,
                           {/*areIntegers=*/true, /*registers=*/0,
                            /*columns=*/4});
  ASSERT_FALSE(tiles.empty());
  for (RegisterTile tile : tiles) {
    EXPECT_EQ(tile.vectors % 4, 0);
    EXPECT_LE(tile.rows * tile.vectors, 7);
  }
  auto few = scalarTiles(scalarCore(), 1, 2, {true, 0, 4});
  ASSERT_EQ(few.size(), 1u);
  EXPECT_EQ(few.front().vectors, 4);
  Processor target = scalarCore();
  target.vectorRegs = 2;
  for (RegisterTile tile : scalarTiles(target, 6, 8, {true, 0, 1}))
    EXPECT_EQ(std::min(tile.rows, tile.vectors), 1);
}

// Eleven rows of thirteen columns have a rest in every tile but that of one
// element; no tile has more than there is.
TEST(CostModelTest, TilesOfSingleElementsMayLeaveARest) {
  auto tiles = scalarTiles(scalarCore(), 11, 13, {});
  EXPECT_GT(tiles.size(), 1u);
  auto single = scalarTiles(scalarCore(), 1, 1, {});
  ASSERT_EQ(single.size(), 1u);
  EXPECT_EQ(single.front().rows * single.front().vectors, 1);
}

// One instruction after the other: loads, what is done to a factor, products.
TEST(CostModelTest, CoresWithoutVectorsAddUp) {
  Processor target = scalarCore();
  target.scalarLoadsPerCycle = target.fmaPerCycle = 1;
  ColumnWork pairs;
  pairs.ofFactor = pairs.ofProduct = 2;
  EXPECT_EQ(tileCycles(target, {2, 2}, 1, pairs) -
                tileCycles(target, {2, 2}, 1),
            4 * 2 + 4);
  EXPECT_EQ(tileCycles(target, {3, 2}, 1) - tileCycles(target, {2, 2}, 1),
            1 + 2);
}

// A later candidate has to be clearly cheaper.
TEST(CostModelTest, PreferredCandidatesWinTies) {
  EXPECT_EQ(findCheapest({100, 99.5, 99.2}), 0u);
  EXPECT_EQ(findCheapest({100, 98, 97.5}), 1u);
  EXPECT_EQ(findCheapest({100, 98, 97}), 2u);
}

/// Bytes looked up in a table.
constexpr const char *lookup = R"(
module attributes {{krnl.target = {0}} {{
func.func @f(%x: tensor<4096xi8>, %o: tensor<4096xi8>) -> tensor<4096xi8> {{
  %y = krnl.kernel "lookup" loops [i = 4096]
      ins(%x : tensor<4096xi8>) outs(%o : tensor<4096xi8>) {{
  ^bb0(%a: tensor<4096xi8>, %b: tensor<4096xi8>):
    %s = krnl.compute [i] (%p = %a[i]) -> (%q = %b[i])
        : (tensor<4096xi8>) -> tensor<4096xi8> {{
      %t = krnl.lookup %p in [{1}] : i8
      linalg.yield %t : i8
    }
    krnl.yield %s : tensor<4096xi8>
  } -> tensor<4096xi8>
  return %y : tensor<4096xi8>
}
})";

// Cycles for a byte measured on an AMD EPYC (Zen 4) at 3 GHz.
TEST(CostModelTest, LookupsTakeAllOfTheirOperations) {
  mlir::MLIRContext context;
  context.loadDialect<mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
                      krnl::KrnlDialect>();
  std::string table = llvm::join(std::vector<std::string>(256, "1"), ", ");
  for (auto [cpu, measured] :
       {std::pair("x86-64-v2", 0.81), std::pair("x86-64-v3", 0.39),
        std::pair("x86-64-v4", 0.32)}) {
    auto target = llvm::cantFail(
        target::resolveTarget(&context, "x86_64-linux-gnu", cpu, ""));
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        llvm::formatv(lookup, target, table).str(), &context);
    ASSERT_TRUE(module);
    module->walk([&, cpu = cpu, measured = measured](krnl::KernelOp kernel) {
      Processor processor = target.getProcessor();
      kernel.setRecipeAttr(chooseRecipe(kernel, processor));
      double cycles =
          nestCost(kernel, krnl::LoopNest::replay(kernel), processor).cycles /
          4096;
      EXPECT_GT(cycles, measured / 2) << cpu;
      EXPECT_LT(cycles, measured * 2) << cpu;
    });
  }
}

struct TileCase {
  const char *cpu;
  int64_t rows, columns;
  RegisterTile expected;
};

// Large results get the measured tiles; small ones what fits them.
constexpr TileCase tileCases[] = {
    {"znver4", 128, 3072, {8, 3}},   {"znver4", 512, 512, {8, 3}},
    {"znver4", dynamic, 48, {8, 3}}, {"znver4", 1, 1024, {1, 12}},
    {"znver4", 14, 64, {14, 2}},     {"znver4", 8, 16, {8, 1}},
    {"haswell", 96, 3072, {6, 2}},   {"haswell", 128, 3072, {4, 3}},
    {"haswell", 4, 24, {4, 3}},
};

TEST(CostModelTest, RegisterTiles) {
  for (const TileCase &c : tileCases) {
    Processor target = processorOf(c.cpu);
    RegisterTile tile =
        chooseRegisterTile(target, c.rows, c.columns, target.lanes(32));
    EXPECT_EQ(tile.rows, c.expected.rows)
        << c.cpu << ' ' << c.rows << 'x' << c.columns;
    EXPECT_EQ(tile.vectors, c.expected.vectors)
        << c.cpu << ' ' << c.rows << 'x' << c.columns;
  }
}

TEST(CostModelTest, EveryTileFitsTheRegisters) {
  for (const char *cpu : {"znver4", "haswell", "x86-64"}) {
    Processor target = processorOf(cpu);
    for (int64_t rows = 1; rows < 40; ++rows)
      for (int64_t columns = 1; columns < 300; columns += 7) {
        RegisterTile tile =
            chooseRegisterTile(target, rows, columns, target.lanes(32));
        EXPECT_LE(tile.rows * tile.vectors + tile.vectors + 1,
                  target.vectorRegs);
        EXPECT_LE(tile.rows, rows);
      }
  }
}

TEST(CostModelTest, RowsOfATileAreLimited) {
  Processor target = processorOf("znver4");
  EXPECT_EQ(chooseRegisterTile(target, 14, 64, target.lanes(32)).rows, 14);
  for (int64_t rowLimit = 1; rowLimit < 14; ++rowLimit)
    EXPECT_LE(
        chooseRegisterTile(target, 14, 64, target.lanes(32), rowLimit).rows,
        rowLimit);
}

// Vectors that are computed and not just loaded take registers from the sums,
// and time that more rows share.
TEST(CostModelTest, ComputedColumns) {
  Processor target = processorOf("znver5");
  int64_t lanes = target.lanes(32);
  ColumnWork work{/*operations=*/5, /*registers=*/4};
  for (int64_t rows = 1; rows < 40; ++rows) {
    RegisterTile tile = chooseRegisterTile(target, rows, 2048, lanes,
                                           /*maxRows=*/INT64_MAX, work);
    EXPECT_LT(tile.vectors * (tile.rows + work.registers), target.vectorRegs);
  }
  RegisterTile few{4, 2}, many{8, 2};
  EXPECT_EQ(tileCycles(target, few, lanes),
            tileCycles(target, few, lanes, ColumnWork()));
  EXPECT_GT(
      tileCycles(target, few, lanes, work) / tileCycles(target, few, lanes),
      tileCycles(target, many, lanes, work) / tileCycles(target, many, lanes));
}

// With rows of unknown number many vectors are better than many rows: they keep
// the processor busy where few rows are left.
TEST(CostModelTest, UnknownRowsPreferVectors) {
  Processor target = processorOf("znver5");
  int64_t lanes = target.lanes(32);
  EXPECT_GE(chooseRegisterTile(target, dynamic, 256, lanes).vectors, 4);
  // One row alone waits for its sums in a tile of two vectors, not in one of
  // four: dynamic rows cost more than as many known ones.
  RegisterTile narrow{14, 2}, wide{6, 4};
  double known = resultCycles(target, narrow, 140, 128, lanes) /
                 resultCycles(target, wide, 140, 128, lanes);
  double unknown = resultCycles(target, narrow, dynamic, 128, lanes) /
                   resultCycles(target, wide, dynamic, 128, lanes);
  EXPECT_GT(unknown, known);
}

// Few rows of unknown number take as long as their mean, and no part of the
// time of many.
TEST(CostModelTest, AssumedRows) {
  Processor target = processorOf("znver5");
  int64_t lanes = target.lanes(32);
  RegisterTile tile{8, 3};
  auto cycles = [&](int64_t assumed) {
    return resultCycles(target, tile, dynamic, 512, lanes, {}, assumed);
  };
  EXPECT_LT(cycles(15) * 20, cycles(guessedExtent));
  EXPECT_LT(cycles(2) * 4, cycles(15));
  // A row of few costs more than one of many.
  EXPECT_GT(cycles(15) / 15, cycles(guessedExtent) / guessedExtent);
}

// Results take half of the registers, at most two vectors of each row.
TEST(CostModelTest, WindowTiles) {
  for (const char *cpu : {"znver4", "haswell"}) {
    Processor target = processorOf(cpu);
    int64_t lanes = target.lanes(32);
    for (int64_t rows : {int64_t(1), int64_t(7), int64_t(112), dynamic})
      for (int64_t columns : {int64_t(3), int64_t(96), dynamic}) {
        RegisterTile tile = chooseWindowTile(target, rows, columns, lanes);
        EXPECT_EQ(tile.vectors, columns == 3 ? 1 : 2);
        EXPECT_LE(tile.rows * tile.vectors, target.vectorRegs / 2);
        EXPECT_GE(tile.rows, 1);
        if (rows != dynamic)
          EXPECT_LE(tile.rows, rows);
      }
    EXPECT_EQ(chooseWindowTile(target, 112, 96, lanes).rows,
              target.vectorRegs / 4);
  }
}

// 768 * 240 * 4 bytes are the most whole panels of 48 in 3/4 of a megabyte.
TEST(CostModelTest, ColumnBlocksStayInTheSecondCache) {
  Processor target;
  target.l2 = 1 << 20;
  EXPECT_EQ(chooseColumnBlock(target, 3072, 768, 48, 4), 240);
  EXPECT_EQ(chooseColumnBlock(target, 240, 768, 48, 4), 0);
  EXPECT_EQ(chooseColumnBlock(target, 3072, 1 << 20, 48, 4), 48);
  EXPECT_EQ(chooseColumnBlock(target, dynamic, 768, 48, 4), 0);
}

} // namespace
