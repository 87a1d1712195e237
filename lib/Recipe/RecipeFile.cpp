//===- RecipeFile.cpp - Recipes as a text to edit -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Recipe/RecipeFile.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

#include "mlir/IR/Diagnostics.h"
#include "onnxc/Support/NodeLocations.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

//===----------------------------------------------------------------------===//
// Keys and hashes
//===----------------------------------------------------------------------===//

uint64_t structuralHash(KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto loop : kernel.getLoops().getAsRange<LoopAttr>())
    os << loop.getName() << '=' << loop.getExtent() << ';';
  llvm::interleaveComma(kernel->getOperandTypes(), os);
  OpPrintingFlags flags;
  flags.useLocalScope().printGenericOpForm();
  for (Operation &op : kernel.getBody().front()) {
    op.print(os, flags);
    os << '\n';
  }
  return llvm::xxh3_64bits(text);
}

SmallVector<std::string> kernelKeys(ArrayRef<KernelOp> kernels) {
  SmallVector<std::string> keys;
  llvm::StringMap<unsigned> count;
  for (KernelOp kernel : kernels) {
    SmallVector<StringRef> names = namesOf(kernel.getLoc());
    keys.push_back(names.empty() ? kernel.getName().str()
                                 : llvm::join(names, "+"));
    ++count[keys.back()];
  }
  llvm::StringMap<unsigned> next;
  for (auto [key, each] : llvm::zip_equal(keys, kernels)) {
    if (count[key] == 1)
      continue;
    KernelOp kernel = each;
    std::string own =
        key == kernel.getName() ? key : key + "/" + kernel.getName().str();
    unsigned number = ++next[own];
    key = number == 1 ? own : own + "#" + std::to_string(number);
  }
  return keys;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
class Parser {
public:
  Parser(StringRef text, StringRef fileName, MLIRContext *context)
      : text(text), fileName(StringAttr::get(context, fileName)) {}

  FailureOr<SmallVector<RecipeEntry, 0>> parse();

private:
  Location locOf(size_t at) {
    StringRef before = text.take_front(at);
    size_t line = before.count('\n') + 1;
    size_t start = before.rfind('\n');
    size_t column = start == StringRef::npos ? at + 1 : at - start;
    return FileLineColLoc::get(fileName, line, column);
  }
  InFlightDiagnostic error() { return emitError(locOf(at)); }
  void skipSpace();
  StringRef takeWhile(llvm::function_ref<bool(char)> wanted);
  FailureOr<std::string> parseString();
  LogicalResult parseEntry(SmallVectorImpl<RecipeEntry> &entries);
  struct StepText {
    /// Where it begins in the file.
    size_t at = 0;
    std::string text;
  };
  FailureOr<SmallVector<StepText, 0>> splitSteps();
  LogicalResult parseRecipe(RecipeEntry &entry);

  StringRef text;
  StringAttr fileName;
  size_t at = 0;
};
} // namespace

void Parser::skipSpace() {
  while (at < text.size()) {
    if (text.substr(at).starts_with("//"))
      at = std::min(text.find('\n', at), text.size());
    else if (llvm::isSpace(text[at]))
      ++at;
    else
      return;
  }
}

StringRef Parser::takeWhile(llvm::function_ref<bool(char)> wanted) {
  size_t start = at;
  while (at < text.size() && wanted(text[at]))
    ++at;
  return text.slice(start, at);
}

FailureOr<std::string> Parser::parseString() {
  if (at >= text.size() || text[at] != '"')
    return error() << "expected the key of the kernel in quotes";
  size_t start = at;
  std::string value;
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text.substr(at).starts_with("\\\\"))
      ++at;
    else if (text[at] == '\\' && at + 2 < text.size() &&
             llvm::isHexDigit(text[at + 1]) && llvm::isHexDigit(text[at + 2])) {
      value += char(llvm::hexFromNibbles(text[at + 1], text[at + 2]));
      at += 2;
      continue;
    }
    value += text[at];
  }
  if (at >= text.size()) {
    at = start;
    return error() << "the key of the kernel does not end";
  }
  ++at;
  return value;
}

/// The steps up to the closing bracket, without comments. Commas in brackets or
/// parentheses do not divide steps.
FailureOr<SmallVector<Parser::StepText, 0>> Parser::splitSteps() {
  if (at >= text.size() || text[at] != '[')
    return error() << "expected '[' and the steps of the recipe";
  SmallVector<StepText, 0> steps(1);
  size_t start = at++;
  for (int brackets = 1, parentheses = 0; at < text.size(); ++at) {
    if (text.substr(at).starts_with("//"))
      at = text.find('\n', at);
    if (at == StringRef::npos)
      break;
    if (steps.back().text.empty())
      steps.back().at = at;
    char c = text[at];
    brackets += int(c == '[') - int(c == ']');
    parentheses += int(c == '(') - int(c == ')');
    if (brackets == 0) {
      if (parentheses != 0)
        return emitError(locOf(steps.back().at))
               << "the parentheses of the step are not balanced";
      ++at;
      if (steps.size() == 1 && steps[0].text.empty())
        steps.clear();
      return steps;
    }
    if (c == ',' && brackets == 1 && parentheses == 0) {
      steps.emplace_back();
      continue;
    }
    StepText &step = steps.back();
    if (!step.text.empty() || !llvm::isSpace(c))
      step.text += c;
  }
  at = start;
  return error() << "expected ']' after the steps of the recipe";
}

LogicalResult Parser::parseRecipe(RecipeEntry &entry) {
  FailureOr<SmallVector<StepText, 0>> steps = splitSteps();
  if (failed(steps))
    return failure();
  SmallVector<Attribute> parsed;
  for (const StepText &step : *steps) {
    auto stepError = [&] { return emitError(locOf(step.at)); };
    if (step.text.empty())
      return stepError() << "expected a step of the recipe";
    FailureOr<ArrayAttr> one = parseRecipeText(
        "[" + step.text + "]", fileName.getContext(), stepError);
    if (failed(one))
      return failure();
    llvm::append_range(parsed, *one);
    entry.stepLocs.append(one->size(), locOf(step.at));
  }
  entry.recipe = ArrayAttr::get(fileName.getContext(), parsed);
  return success();
}

LogicalResult Parser::parseEntry(SmallVectorImpl<RecipeEntry> &entries) {
  RecipeEntry entry{"", 0, nullptr, locOf(at), {}};
  size_t start = at;
  if (takeWhile(llvm::isAlpha) != "kernel") {
    at = start;
    return error() << "expected 'kernel'";
  }
  skipSpace();
  FailureOr<std::string> key = parseString();
  if (failed(key))
    return failure();
  entry.key = *key;
  skipSpace();
  size_t hashAt = at;
  if (takeWhile(llvm::isHexDigit).getAsInteger(16, entry.hash)) {
    at = hashAt;
    return error() << "expected the hash of the kernel";
  }
  skipSpace();
  if (failed(parseRecipe(entry)))
    return failure();
  for (const RecipeEntry &other : entries)
    if (other.key == entry.key) {
      InFlightDiagnostic diagnostic =
          emitError(entry.loc) << "a second recipe for '" << entry.key << "'";
      diagnostic.attachNote(other.loc) << "the first one is here";
      return diagnostic;
    }
  entries.push_back(entry);
  return success();
}

FailureOr<SmallVector<RecipeEntry, 0>> Parser::parse() {
  SmallVector<RecipeEntry, 0> entries;
  for (skipSpace(); at < text.size(); skipSpace())
    if (failed(parseEntry(entries)))
      return failure();
  return entries;
}

FailureOr<SmallVector<RecipeEntry, 0>>
parseRecipes(StringRef text, StringRef fileName, MLIRContext *context) {
  return Parser(text, fileName, context).parse();
}

//===----------------------------------------------------------------------===//
// Applying and writing
//===----------------------------------------------------------------------===//

static LogicalResult applyRecipe(const RecipeEntry &entry, KernelOp kernel) {
  uint64_t hash = structuralHash(kernel);
  if (hash != entry.hash) {
    InFlightDiagnostic diagnostic =
        emitError(entry.loc)
        << "the recipe for '" << entry.key
        << "' was written for another kernel: its hash is "
        << llvm::utohexstr(entry.hash, true, 16) << ", the kernel's is "
        << llvm::utohexstr(hash, true, 16);
    diagnostic.attachNote(kernel.getLoc()) << "the kernel is here";
    return diagnostic;
  }
  ArrayAttr old = kernel.getRecipeAttr();
  kernel.setRecipeAttr(entry.recipe);
  auto stepError = [&](size_t step) {
    InFlightDiagnostic diagnostic = emitError(entry.stepLocs[step]);
    diagnostic << "'" << entry.key << "': ";
    diagnostic.attachNote(kernel.getLoc()) << "the kernel is here";
    return diagnostic;
  };
  if (succeeded(LoopNest::replay(kernel, stepError, /*findsCause=*/true)))
    return success();
  kernel.setRecipeAttr(old);
  return failure();
}

LogicalResult applyRecipes(ArrayRef<RecipeEntry> entries,
                           ArrayRef<KernelOp> kernels) {
  SmallVector<std::string> keys = kernelKeys(kernels);
  bool valid = true;
  for (const RecipeEntry &entry : entries) {
    const auto *it = llvm::find(keys, entry.key);
    if (it == keys.end()) {
      emitError(entry.loc) << "there is no kernel '" << entry.key << "'";
      valid = false;
      continue;
    }
    valid &= succeeded(applyRecipe(entry, kernels[it - keys.begin()]));
  }
  return success(valid);
}

void printRecipes(raw_ostream &os, ArrayRef<KernelOp> kernels) {
  for (auto [key, each] : llvm::zip_equal(kernelKeys(kernels), kernels)) {
    KernelOp kernel = each;
    os << "kernel \"";
    llvm::printEscapedString(key, os);
    os << "\" " << llvm::utohexstr(structuralHash(kernel), true, 16) << " [";
    llvm::interleave(
        kernel.getRecipe(), os,
        [&](Attribute step) { os << "\n  " << stepText(step); }, ",");
    os << (kernel.getRecipe().empty() ? "]\n" : "\n]\n");
  }
}

} // namespace onnxc
