//===- BlobStoreTest.cpp - Tests of the store of blobs ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/IR/BlobStore.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace mlir;
using onnxc::onnx::BlobStore;
using Blob = onnxc::onnx::BlobAttr;

namespace {

/// A context and a file of 16 bytes in a folder of its own.
class BlobStoreTest : public ::testing::Test {
protected:
  BlobStoreTest() {
    llvm::sys::fs::createUniqueDirectory("blob-store", folder);
    file = path("weights.bin");
    std::error_code code;
    llvm::raw_fd_ostream os(file, code);
    os << "0123456789abcdef";
  }
  ~BlobStoreTest() override { llvm::sys::fs::remove_directories(folder); }

  std::string path(StringRef name) const {
    SmallString<128> result(folder);
    llvm::sys::path::append(result, name);
    return std::string(result);
  }

  RankedTensorType bytesType(int64_t count) {
    return RankedTensorType::get(count, IntegerType::get(&context, 8));
  }

  MLIRContext context;
  BlobStore &store = BlobStore::get(&context);
  SmallString<128> folder;
  std::string file;
};

std::vector<char> text(StringRef value) { return {value.begin(), value.end()}; }

StringRef asText(ArrayRef<char> bytes) { return {bytes.data(), bytes.size()}; }

TEST_F(BlobStoreTest, KeepsBytesThatTheCompilerMade) {
  Blob blob = store.add(text("abcd"), bytesType(4));
  ASSERT_TRUE(blob);
  EXPECT_EQ(asText(store.bytes(blob)), "abcd");
  EXPECT_EQ(blob.getFile(), "");
  EXPECT_TRUE(store.contains(blob));
}

TEST_F(BlobStoreTest, RefusesTypesWithoutARawForm) {
  std::string error;
  auto type = RankedTensorType::get(2, onnxc::onnx::StringType::get(&context));
  EXPECT_FALSE(store.addMapped(file, 0, 2, type, &error));
  EXPECT_EQ(error, "the type has no raw form, so it cannot be a blob");
}

TEST_F(BlobStoreTest, HoldsEqualBytesOnce) {
  Blob mapped = store.addMapped(file, 4, 4, bytesType(4));
  ASSERT_TRUE(mapped);
  Blob made = store.add(text("4567"), bytesType(4));
  EXPECT_EQ(made, mapped);
  EXPECT_EQ(store.bytes(made).data(), store.bytes(mapped).data());
  Blob other = store.add(text("4567"),
                         RankedTensorType::get({}, Float32Type::get(&context)));
  EXPECT_NE(other, mapped);
  EXPECT_EQ(other.getHash(), mapped.getHash());
}

TEST_F(BlobStoreTest, MapsRangesOfAFile) {
  Blob blob = store.addMapped(file, 10, 6, bytesType(6));
  ASSERT_TRUE(blob);
  EXPECT_EQ(asText(store.bytes(blob)), "abcdef");
  EXPECT_EQ(blob.getFile(), file);
  EXPECT_EQ(blob.getOffset(), 10u);
}

TEST_F(BlobStoreTest, KeepsABufferThatTheCallerMapped) {
  std::shared_ptr<llvm::MemoryBuffer> buffer =
      llvm::MemoryBuffer::getMemBufferCopy("wxyz");
  Blob blob = store.addMapped(buffer, "side.bin", 1, 2, bytesType(2));
  buffer.reset();
  ASSERT_TRUE(blob);
  EXPECT_EQ(asText(store.bytes(blob)), "xy");
  EXPECT_EQ(blob.getFile(), "side.bin");
}

TEST_F(BlobStoreTest, ForgottenBytesAreReadAgain) {
  constexpr uint64_t size = 1 << 20;
  {
    std::error_code code;
    llvm::raw_fd_ostream os(path("large.bin"), code);
    for (uint64_t i = 0; i < size; ++i)
      os << static_cast<char>(i / 4096);
  }
  Blob mapped = store.addMapped(path("large.bin"), 0, size, bytesType(size));
  std::vector<char> before = store.bytes(mapped).vec();
  Blob made = store.add(std::vector<char>(size, 'x'), bytesType(size));
  for (Blob blob : {mapped, made}) {
    store.forget(blob, 4096, size);
    store.forget(blob, size + 1, 1);
  }
  EXPECT_EQ(store.bytes(mapped).vec(), before);
  // What is nowhere else stays.
  EXPECT_EQ(store.bytes(made).vec(), std::vector<char>(size, 'x'));
}

TEST_F(BlobStoreTest, RefusesWhatDoesNotFit) {
  std::string error;
  EXPECT_FALSE(store.addMapped(file, 12, 8, bytesType(8), &error));
  EXPECT_NE(error.find("has 16 bytes, but the blob needs 8 at 12"),
            std::string::npos);
  EXPECT_FALSE(store.addMapped(file, ~0ull, 2, bytesType(2), &error));
  EXPECT_FALSE(store.addMapped(file, 0, 4, bytesType(5), &error));
  EXPECT_EQ(error, "the type takes 5 bytes, but there are 4");
  EXPECT_FALSE(store.addMapped(path("absent"), 0, 4, bytesType(4), &error));
  EXPECT_NE(error.find("cannot map"), std::string::npos);
  EXPECT_FALSE(store.add(text("abcd"), bytesType(ShapedType::kDynamic)));
}

TEST_F(BlobStoreTest, HoldsEmptyTensors) {
  Blob blob = store.add(std::vector<char>(), bytesType(0));
  ASSERT_TRUE(blob);
  EXPECT_TRUE(store.contains(blob));
  EXPECT_TRUE(store.bytes(blob).empty());
}

TEST_F(BlobStoreTest, SavedBlobsAreFoundByAnotherContext) {
  Blob first = store.add(text("first"), bytesType(5));
  Blob second = store.add(text("2nd"), bytesType(3));
  Blob mapped = store.addMapped(file, 0, 4, bytesType(4));
  ASSERT_FALSE(llvm::errorToBool(store.save(path("blobs.bin"))));
  // Nothing is left to be written.
  ASSERT_FALSE(llvm::errorToBool(store.save(path("none"))));
  EXPECT_FALSE(llvm::sys::fs::exists(path("none")));
  // What is in a file already is not written again.
  uint64_t size = 0;
  ASSERT_FALSE(llvm::sys::fs::file_size(path("blobs.bin"), size));
  EXPECT_EQ(size, 8u);

  MLIRContext reader;
  BlobStore &readerStore = BlobStore::get(&reader);
  for (Blob blob : {first, second, mapped}) {
    std::string printed;
    llvm::raw_string_ostream(printed) << blob;
    auto read = dyn_cast_or_null<Blob>(parseAttribute(printed, &reader));
    ASSERT_TRUE(read) << printed;
    EXPECT_EQ(asText(readerStore.bytes(read)), asText(store.bytes(blob)));
  }
}

TEST_F(BlobStoreTest, TextWithoutFileHasUnknownBytes) {
  Attribute attribute = parseAttribute(
      "#onnx.blob<\"absent\", 0, 2, \"00000000000000aa\"> : tensor<2xi8>",
      &context);
  auto blob = dyn_cast_or_null<Blob>(attribute);
  ASSERT_TRUE(blob);
  EXPECT_FALSE(store.contains(blob));
  EXPECT_TRUE(store.bytes(blob).empty());
}

} // namespace
