//===- ContainerMemoryTest.cpp - The memory that a container allows -------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Support/ContainerMemory.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace fs = std::filesystem;

namespace {

class ContainerMemoryTest : public ::testing::Test {
protected:
  ContainerMemoryTest()
      : root(fs::path(::testing::TempDir()) /
             ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(root);
  }
  ~ContainerMemoryTest() override { fs::remove_all(root); }

  void write(const std::string &name, const std::string &text) const {
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name) << text;
  }
  std::optional<uint64_t> limitOf(const std::string &groups) const {
    write("groups", groups);
    return onnxc::containerMemory((root / "groups").string(), root.string());
  }

  fs::path root;
};

TEST_F(ContainerMemoryTest, TheLeastOfTheGroupsAbove) {
  write("a/b/memory.max", "max\n");
  write("a/memory.max", "3000\n");
  write("memory.max", "5000\n");
  EXPECT_EQ(limitOf("0::/a/b\n"), 3000u);
  EXPECT_EQ(limitOf("0::/c\n"), 5000u);
}

TEST_F(ContainerMemoryTest, TheRootOfAContainer) {
  write("memory.max", "4096\n");
  EXPECT_EQ(limitOf("0::/\n"), 4096u);
}

TEST_F(ContainerMemoryTest, FoldersOfTheFirstVersion) {
  write("memory/docker/x/memory.limit_in_bytes", "2048\n");
  EXPECT_EQ(limitOf("5:cpu:/docker/x\n4:memory:/docker/x\n"), 2048u);
  // What the kernel writes for no limit.
  write("memory/docker/x/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(limitOf("4:memory:/docker/x\n"), std::nullopt);
}

TEST_F(ContainerMemoryTest, ControllersThatAreMountedTogether) {
  write("memory/docker/x/memory.limit_in_bytes", "2048\n");
  EXPECT_EQ(limitOf("4:cpu,memory:/docker/x\n"), 2048u);
  EXPECT_EQ(limitOf("4:memory,cpuacct:/docker/x\n"), 2048u);
  EXPECT_EQ(limitOf("4:cpu,memory2:/docker/x\n"), std::nullopt);
}

TEST_F(ContainerMemoryTest, NoLimit) {
  EXPECT_EQ(limitOf("0::/a\n"), std::nullopt);
  EXPECT_EQ(limitOf("nonsense\n:\n"), std::nullopt);
  EXPECT_EQ(limitOf(""), std::nullopt);
  EXPECT_EQ(onnxc::containerMemory("/absent", root.string()), std::nullopt);
  write("a/memory.max", "-7\n");
  EXPECT_EQ(limitOf("0::/a\n"), std::nullopt);
}

} // namespace
