//===- ImporterTest.cpp - What lit cannot see of the importer --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Importer/Importer.h"

#include "onnxc/Dialect/ONNX/IR/BlobStore.h"
#include "onnxc/Support/Budget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"

#include "onnx/defs/parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::importer;

namespace {
/// Imports models given as text, and keeps what is said about them.
class ImporterTest : public ::testing::Test {
protected:
  ImporterTest() {
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      messages += diagnostic.str() + "\n";
      return success();
    });
  }

  static ::onnx::ModelProto parse(const char *text) {
    ::onnx::ModelProto model;
    ::onnx::OnnxParser parser(text);
    EXPECT_TRUE(parser.Parse(model).IsOK());
    return model;
  }

  FailureOr<OwningOpRef<ModuleOp>> import(const ::onnx::ModelProto &model,
                                          const std::string &folder = "") {
    std::string bytes = model.SerializeAsString();
    return importModel(
        context, ImportSource::memory(bytes, "in-memory", folder), options);
  }

  void expectError(const ::onnx::ModelProto &model,
                   const std::string &message) {
    EXPECT_TRUE(failed(import(model)));
    EXPECT_NE(messages.find(message), std::string::npos) << messages;
  }

  MLIRContext context;
  ImportOptions options;
  std::string messages;
};
} // namespace

static const char *const twoNodes = R"(
  <ir_version: 8, opset_import: ["" : 17]>
  two (float[2] x) => (float[2] y) { a = Relu (x) y = Neg (a) })";

TEST_F(ImporterTest, ReadsFromMemory) {
  FailureOr<OwningOpRef<ModuleOp>> module = import(parse(twoNodes));
  ASSERT_TRUE(succeeded(module)) << messages;
  EXPECT_TRUE((*module)->lookupSymbol<func::FuncOp>("main_graph"));
  EXPECT_EQ(messages, "");
}

TEST_F(ImporterTest, LimitsBytes) {
  options.limits.bytes = 10;
  expectError(parse(twoNodes), "more than the limit of 10");
}

TEST_F(ImporterTest, LimitsNodes) {
  options.limits.nodes = 1;
  expectError(parse(twoNodes), "more than 1 nodes");
}

TEST_F(ImporterTest, LimitsSeconds) {
  options.limits.seconds = 0;
  expectError(parse(twoNodes), "takes more than 0 seconds");
}

TEST_F(ImporterTest, BudgetsBeginAnew) {
  Limits none;
  none.seconds = 0;
  none.nodes = 2;
  for (int i = 0; i < 2; ++i) {
    Budget::start(&context, none);
    messages.clear();
    expectError(parse(twoNodes), "takes more than 0 seconds");
  }
  Limits one = none;
  one.seconds = 3600;
  for (int i = 0; i < 2; ++i) {
    Budget::start(&context, one);
    messages.clear();
    EXPECT_TRUE(succeeded(import(parse(twoNodes)))) << messages;
  }
}

TEST_F(ImporterTest, LimitsRank) {
  options.limits.rank = 0;
  expectError(parse(twoNodes), "rank 1 exceeds 0");
}

TEST_F(ImporterTest, LimitsErrors) {
  options.limits.errors = 2;
  expectError(parse(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    bad (float[2] x) => (float[2] y) {
      y = A (x) z = B (x) u = C (x) v = D (x)
    })"),
              "(A)");
  EXPECT_EQ(llvm::StringRef(messages).count('\n'), 2u) << messages;
}

TEST_F(ImporterTest, LimitsNesting) {
  options.limits.nesting = 1;
  expectError(parse(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    deep (bool c, float[2] x) => (float[2] y) {
      y = If (c) <
        then_branch = t () => (float[2] o) { o = Relu (x) },
        else_branch = e () => (float[2] o) {
          o = If (c) <then_branch = t2 () => (float[2] p) { p = Abs (x) },
                      else_branch = e2 () => (float[2] p) { p = Neg (x) }>
        }>
    })"),
              "nested more than 1 deep");
}

/// A caller may free its bytes: blobs of a model in memory own theirs.
TEST_F(ImporterTest, KeepsBytesOfModelsInMemory) {
  ::onnx::ModelProto model = parse(twoNodes);
  ::onnx::TensorProto &weight = *model.mutable_graph()->add_initializer();
  weight.set_name("w");
  weight.set_data_type(::onnx::TensorProto::UINT8);
  weight.add_dims(5000);
  weight.set_raw_data(std::string(5000, 'w'));
  model.mutable_graph()->add_output()->set_name("w");
  FailureOr<OwningOpRef<ModuleOp>> module = import(model);
  ASSERT_TRUE(succeeded(module)) << messages;
  int found = 0;
  (*module)->walk([&](Operation *op) {
    auto blob = dyn_cast_or_null<onnxc::onnx::BlobAttr>(
        op->getInherentAttr("value").value_or(Attribute()));
    if (!blob)
      return;
    ++found;
    ArrayRef<char> bytes = onnxc::onnx::BlobStore::get(&context).bytes(blob);
    EXPECT_EQ(std::string(bytes.begin(), bytes.end()), std::string(5000, 'w'));
    EXPECT_EQ(blob.getFile(), "");
  });
  EXPECT_EQ(found, 1);
}

/// Without a folder there is nothing that external data could lie beneath.
TEST_F(ImporterTest, RefusesExternalDataWithoutFolder) {
  ::onnx::ModelProto model = parse(twoNodes);
  ::onnx::TensorProto &weight = *model.mutable_graph()->add_initializer();
  weight.set_name("w");
  weight.set_data_type(::onnx::TensorProto::UINT8);
  weight.add_dims(1);
  weight.set_data_location(::onnx::TensorProto::EXTERNAL);
  auto &entry = *weight.add_external_data();
  entry.set_key("location");
  entry.set_value("weights.bin");
  expectError(model, "a model in memory has no folder");
}
