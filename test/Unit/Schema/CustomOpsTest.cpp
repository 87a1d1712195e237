//===- CustomOpsTest.cpp - Tests of custom operators -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Schema/CustomOps.h"

#include "onnxc/Dialect/ONNX/IR/ONNXDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <random>
#include <stdexcept>

using namespace mlir;
using namespace onnxc::schema;

namespace {

const OMCustomParameter plain = {"x", "T", 0, OM_PARAMETER_SINGLE, 0};

int nothing(OMCustomCall *) { return 0; }

/// An operator that is right; tests spoil it.
OMCustomOp makeOp(const char *name, int (*infer)(OMCustomCall *) = nullptr) {
  return {sizeof(OMCustomOp),
          "my.domain",
          name,
          1,
          0,
          &plain,
          1,
          &plain,
          1,
          nullptr,
          0,
          infer,
          nothing,
          nullptr,
          nullptr};
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

TEST(CustomDeclarationTest, RightOneHasNoProblem) {
  EXPECT_EQ(checkDeclaration(makeOp("A")), "");
}

TEST(CustomDeclarationTest, NamesWhatIsWrongWithAnOperator) {
  OMCustomOp op = makeOp("A");
  op.size = 8;
  EXPECT_NE(checkDeclaration(op).find("8 bytes"), std::string::npos);
  op = makeOp("");
  EXPECT_EQ(checkDeclaration(op), "it has no domain or no name");
  op = makeOp("A\n");
  EXPECT_EQ(checkDeclaration(op), "it has no domain or no name");
  op = makeOp("A");
  op.sinceVersion = 0;
  EXPECT_NE(checkDeclaration(op).find("version 0"), std::string::npos);
  op = makeOp("A");
  op.flags = 128;
  EXPECT_EQ(checkDeclaration(op), "it has flags that this compiler does not "
                                  "know");
  op = makeOp("A");
  op.destroy = [](void *) {};
  EXPECT_EQ(checkDeclaration(op),
            "it has a function 'destroy', but none that creates");
  op = makeOp("A");
  op.numOutputs = 0;
  EXPECT_EQ(checkDeclaration(op), "it has no outputs");
}

/// Declarations of odd values, most of them wrong somewhere.
struct RandomDeclaration {
  std::mt19937 random;
  OMCustomParameter parameters[2][3];
  OMCustomAttribute attributes[3];

  template <typename T>
  T one(std::initializer_list<T> choices) {
    return choices.begin()[random() % choices.size()];
  }
  const char *name() {
    return one<const char *>(
        {"A", "B", "x", "x", "T of x", "", "a\nb", nullptr});
  }
  int64_t odd() {
    return one<int64_t>({0, 0, 0, 1, 1, 2, -1, INT64_MIN, INT64_MAX, 1 << 20});
  }
  int64_t count() { return one<int64_t>({0, 1, 1, 2, 3, -1, INT64_MAX}); }

  OMCustomOp draw() {
    static const int64_t values[4] = {1, 2, 3, 4};
    static const char *const texts[4] = {"a", nullptr, "b", "c"};
    for (auto &each : parameters)
      for (OMCustomParameter &parameter : each)
        parameter = {name(), one<const char *>({"T", nullptr, "", "T of x"}),
                     one<uint64_t>({0, 2, 6, UINT64_MAX}), odd(), odd()};
    for (OMCustomAttribute &attribute : attributes) {
      int64_t kind = random() % 10;
      bool isText = kind == OM_ATTRIBUTE_STRING || kind == OM_ATTRIBUTE_STRINGS;
      const void *held = isText ? static_cast<const void *>(texts) : values;
      attribute = {name(), kind, one<int64_t>({1, 1, 0, 4, -1, INT64_MAX}),
                   random() % 2 ? held : nullptr};
    }
    OMCustomOp op = makeOp(random() % 4 ? "A" : name());
    op.sinceVersion = one<int64_t>({1, 1, 1, 2, 0, INT64_MAX});
    op.flags = one<uint64_t>({0, 1, 3, UINT64_MAX});
    op.inputs = parameters[0], op.numInputs = count();
    op.outputs = parameters[1], op.numOutputs = count();
    op.attributes = random() % 8 ? attributes : nullptr;
    op.numAttributes = count();
    return op;
  }
};

TEST(CustomDeclarationTest, RandomOnesHaveAProblemOrASchema) {
  RandomDeclaration random;
  unsigned right = 0, wrong = 0;
  for (int i = 0; i < 100000; ++i) {
    OMCustomOp op = random.draw();
    if (!checkDeclaration(op).empty()) {
      ++wrong;
      continue;
    }
    ++right;
    EXPECT_NE(makeSchema(op, "random.so"), nullptr);
  }
  EXPECT_GT(right, 20u);
  EXPECT_GT(wrong, 20u);
}

TEST(CustomDeclarationTest, NamesWhatIsWrongWithAParameter) {
  OMCustomOp op = makeOp("A");
  op.inputs = nullptr;
  EXPECT_EQ(checkDeclaration(op), "it declares 1 inputs");
  op.numInputs = -4;
  EXPECT_EQ(checkDeclaration(op), "it declares -4 inputs");
  OMCustomParameter two[] = {plain, plain};
  op.inputs = two;
  op.numInputs = 2;
  EXPECT_EQ(checkDeclaration(op), "input 1 ('x') has no name of its own");
  two[1].name = "y";
  EXPECT_EQ(checkDeclaration(op), "");
  two[0].kind = OM_PARAMETER_VARIADIC;
  EXPECT_EQ(checkDeclaration(op),
            "input 0 ('x') is variadic, but not the last one");
  two[0] = plain;
  two[1].kind = 3;
  EXPECT_EQ(checkDeclaration(op), "input 1 ('y') is of no known kind");
  two[1].kind = 0;
  two[1].types = 1;
  EXPECT_EQ(checkDeclaration(op),
            "input 1 ('y') has element types that do not exist");
  two[1].types = uint64_t(1) << 63;
  EXPECT_EQ(checkDeclaration(op),
            "input 1 ('y') has element types that do not exist");
}

TEST(CustomDeclarationTest, NamesWhatIsWrongWithAnAttribute) {
  OMCustomOp op = makeOp("A");
  const char *texts[] = {"a", nullptr};
  OMCustomAttribute attribute = {"a", 5, 1, texts};
  op.attributes = &attribute;
  op.numAttributes = 1;
  EXPECT_EQ(checkDeclaration(op), "attribute 'a': it is of no known kind");
  attribute.kind = OM_ATTRIBUTE_STRING;
  EXPECT_EQ(checkDeclaration(op), "");
  attribute.count = 2;
  EXPECT_EQ(checkDeclaration(op), "attribute 'a': its default has 2 values");
  attribute.kind = OM_ATTRIBUTE_STRINGS;
  EXPECT_EQ(checkDeclaration(op),
            "attribute 'a': its default has a string that is null");
  attribute.kind = OM_ATTRIBUTE_TENSOR;
  EXPECT_EQ(checkDeclaration(op),
            "attribute 'a': a tensor cannot have a default");
  attribute.count = OM_ATTRIBUTE_REQUIRED;
  EXPECT_EQ(checkDeclaration(op), "");
}

//===----------------------------------------------------------------------===//
// Libraries and inference
//===----------------------------------------------------------------------===//

/// What the entry function of the test returns.
OMCustomLibrary library;
const OMCustomLibrary *getLibrary() { return &library; }

/// Names for the dynamic sizes of the first operand.
struct NamedSizes : ValueFacts {
  std::string dimSymbol(Value, unsigned dim) const override {
    return dim == 0 ? "batch" : "";
  }
};

class CustomOpsTest : public ::testing::Test {
protected:
  CustomOpsTest() {
    context.loadDialect<onnxc::onnx::ONNXDialect, func::FuncDialect>();
    auto *dialect = context.getLoadedDialect<onnxc::onnx::ONNXDialect>();
    ops = &dialect->addInterface<CustomOps>();
  }

  std::string add(ArrayRef<const OMCustomOp *> operators) {
    library = {sizeof(OMCustomLibrary), OM_CUSTOM_VERSION, "test",
               static_cast<int64_t>(operators.size()), operators.data()};
    return llvm::toString(
        ops->add("test.so", "onnxc_custom_ops_t", getLibrary));
  }

  /// The types of a node of operator A with an operand of the type `operand`;
  /// an error is kept.
  FailureOr<SmallVector<InferredValue>> infer(const std::string &operand,
                                              const ValueFacts &facts = {}) {
    std::string text = "func.func @f(%x: " + operand +
                       R"() { %y = onnx.Custom "A" of "my.domain"
        in "onnxc_custom_ops_t"(%x) {input_slots = array<i1: true>,
        output_slots = array<i1: true>, version = 1 : i64} : ()" +
                       operand + ") -> none return }";
    module = parseSourceString<ModuleOp>(text, &context);
    Operation *op = nullptr;
    module->walk([&](Operation *each) {
      if (each->getName().getStringRef() == "onnx.Custom")
        op = each;
    });
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      error = diagnostic.str();
      return success();
    });
    return inferResults(op, facts, [&] { return emitError(op->getLoc()); });
  }

  MLIRContext context;
  CustomOps *ops;
  OwningOpRef<ModuleOp> module;
  std::string error;
};

TEST_F(CustomOpsTest, FindsTheNewestVersionThatADomainHas) {
  OMCustomOp first = makeOp("A"), second = makeOp("A");
  second.sinceVersion = 3;
  const OMCustomOp *both[] = {&first, &second};
  EXPECT_EQ(add(both), "");
  EXPECT_EQ(ops->find("my.domain", "A", 0), nullptr);
  EXPECT_EQ(ops->find("my.domain", "A", 2)->declared, &first);
  EXPECT_EQ(ops->find("my.domain", "A", 9)->declared, &second);
  EXPECT_EQ(ops->find("my.domain", "B", 9), nullptr);
  EXPECT_TRUE(ops->hasDomain("my.domain"));
  EXPECT_FALSE(ops->hasDomain("domain"));
}

TEST_F(CustomOpsTest, RefusesTheSameOperatorTwice) {
  OMCustomOp op = makeOp("A");
  const OMCustomOp *both[] = {&op, &op};
  EXPECT_EQ(add(both), "custom operator library 'test.so': operator "
                       "'my.domain::A': it is declared twice, here and in "
                       "'onnxc_custom_ops_t'");
  const OMCustomOp *none[] = {nullptr};
  EXPECT_EQ(add(none),
            "custom operator library 'test.so': an operator is null");
}

TEST_F(CustomOpsTest, WithoutInferOnlyElementTypesAreKnown) {
  OMCustomOp op = makeOp("A");
  EXPECT_EQ(add(&op), "");
  auto found = infer("tensor<2xf64>");
  ASSERT_TRUE(succeeded(found));
  EXPECT_EQ(found->front().type,
            UnrankedTensorType::get(Float64Type::get(&context)));
}

TEST_F(CustomOpsTest, NamedSizesStayEqual) {
  OMCustomOp op = makeOp(
      "A", [](OMCustomCall *call) { return omCustomSameAs(call, 0, 0); });
  EXPECT_EQ(add(&op), "");
  auto found = infer("tensor<?x?x4xf32>", NamedSizes());
  ASSERT_TRUE(succeeded(found));
  EXPECT_EQ(found->front().type,
            module->lookupSymbol<func::FuncOp>("f").getArgument(0).getType());
  ASSERT_EQ(found->front().dimSymbols.size(), 3u);
  EXPECT_EQ(found->front().dimSymbols[0], "batch");
  EXPECT_EQ(found->front().dimSymbols[1], "");
}

TEST_F(CustomOpsTest, ComputingWithAnUnknownSizeIsAnError) {
  OMCustomOp op = makeOp("A", [](OMCustomCall *call) {
    int64_t twice = 2 * call->inputs[0].dims[0];
    return call->setOutput(call, 0, 0, 1, &twice);
  });
  EXPECT_EQ(add(&op), "");
  EXPECT_TRUE(failed(infer("tensor<?xf32>", NamedSizes())));
  EXPECT_NE(error.find("'infer' gives output 'x' the size -"),
            std::string::npos);
}

TEST_F(CustomOpsTest, UnknownRankIsMinusOne) {
  OMCustomOp op = makeOp("A", [](OMCustomCall *call) {
    return call->inputs[0].rank == -1 && !call->inputs[0].dims
               ? call->setOutput(call, 0, ONNX_TYPE_FLOAT, -1, nullptr)
               : call->fail(call, "rank %d", int(call->inputs[0].rank));
  });
  EXPECT_EQ(add(&op), "");
  EXPECT_TRUE(succeeded(infer("tensor<*xf32>"))) << error;
  EXPECT_TRUE(failed(infer("tensor<2xf32>")));
  EXPECT_EQ(error, "rank 1");
}

TEST_F(CustomOpsTest, ExceptionsBecomeErrors) {
  OMCustomOp op = makeOp("A", [](OMCustomCall *) -> int {
    throw std::runtime_error("out of order");
  });
  EXPECT_EQ(add(&op), "");
  EXPECT_TRUE(failed(infer("tensor<2xf32>")));
  EXPECT_EQ(error, "'infer' throws: out of order");
}

TEST_F(CustomOpsTest, AnOpenElementTypeHasToBeSaid) {
  OMCustomOp op = makeOp("A", nothing);
  OMCustomParameter open = {"y", nullptr, 0, 0, 0};
  op.outputs = &open;
  EXPECT_EQ(add(&op), "");
  EXPECT_TRUE(failed(infer("tensor<2xf32>")));
  EXPECT_EQ(error, "'infer' reports no element type for output 'y', and "
                   "the declaration leaves it open");
}

TEST_F(CustomOpsTest, InferMayOnlySetOutputs) {
  OMCustomOp op = makeOp("A", [](OMCustomCall *call) {
    int64_t size = 1;
    return call->allocate(call, 0, 1, &size) ? 0 : -1;
  });
  EXPECT_EQ(add(&op), "");
  EXPECT_TRUE(failed(infer("tensor<2xf32>")));
  EXPECT_EQ(error, "'infer' allocates output 0, which only 'compute' may");
}

} // namespace
