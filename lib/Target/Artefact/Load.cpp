//===- Load.cpp - Running objects in this process --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/Artefact/Load.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/MapperJITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/Orc/MemoryMapper.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace llvm::orc;

namespace onnxc::target {

using object::ObjectFile;
using object::SectionRef;
using object::SymbolRef;

namespace {

/// The symbols that functions of the runtime need: the linker of artefacts
/// drops functions without calls; here they are only determined.
class RuntimeObject {
public:
  explicit RuntimeObject(const ObjectFile &file) : file(file) {}

  Error read();

  /// Names that are to be found elsewhere.
  const StringSet<> &undefined() const { return allUndefined; }
  /// The undefined names that `names` reach by references.
  StringSet<> undefinedFrom(const StringSet<> &names) const;

private:
  /// The name and the section of a symbol; undefined symbols have no section.
  struct Name {
    StringRef text;
    std::optional<uint64_t> section;
  };

  Expected<Name> readName(const SymbolRef &symbol) const;
  Error readReferences(const SectionRef &relocations, uint64_t from);

  const ObjectFile &file;
  /// By section its references: other sections, and names elsewhere.
  DenseMap<uint64_t, SmallVector<uint64_t>> references;
  DenseMap<uint64_t, SmallVector<StringRef>> foreign;
  StringMap<uint64_t> definedIn;
  StringSet<> allUndefined;
};

} // namespace

Expected<RuntimeObject::Name>
RuntimeObject::readName(const SymbolRef &symbol) const {
  Expected<StringRef> name = symbol.getName();
  Expected<object::section_iterator> section = symbol.getSection();
  Expected<uint32_t> flags = symbol.getFlags();
  if (!name || !section || !flags)
    return joinErrors(joinErrors(name.takeError(), section.takeError()),
                      flags.takeError());
  Name result{*name, std::nullopt};
  if (!(*flags & SymbolRef::SF_Undefined))
    result.section =
        *section == file.section_end() ? ~uint64_t(0) : (*section)->getIndex();
  return result;
}

Error RuntimeObject::readReferences(const SectionRef &relocations,
                                    uint64_t from) {
  for (const object::RelocationRef &relocation : relocations.relocations()) {
    if (relocation.getSymbol() == file.symbol_end())
      continue;
    Expected<Name> name = readName(*relocation.getSymbol());
    if (!name)
      return name.takeError();
    if (name->section)
      references[from].push_back(*name->section);
    else
      foreign[from].push_back(name->text);
  }
  return Error::success();
}

Error RuntimeObject::read() {
  for (const SymbolRef &symbol : file.symbols()) {
    Expected<Name> name = readName(symbol);
    if (!name)
      return name.takeError();
    if (name->section)
      definedIn[name->text] = *name->section;
    else if (!name->text.empty())
      allUndefined.insert(name->text);
  }
  for (const SectionRef &section : file.sections()) {
    Expected<object::section_iterator> target = section.getRelocatedSection();
    if (!target)
      return target.takeError();
    if (*target == file.section_end())
      continue;
    if (Error error = readReferences(section, (*target)->getIndex()))
      return error;
  }
  return Error::success();
}

StringSet<> RuntimeObject::undefinedFrom(const StringSet<> &names) const {
  DenseSet<uint64_t> seen;
  SmallVector<uint64_t> worklist;
  auto add = [&](uint64_t section) {
    if (seen.insert(section).second)
      worklist.push_back(section);
  };
  for (StringRef name : names.keys())
    if (auto found = definedIn.find(name); found != definedIn.end())
      add(found->second);
  StringSet<> needed;
  while (!worklist.empty()) {
    uint64_t section = worklist.pop_back_val();
    llvm::for_each(references.lookup(section), add);
    for (StringRef name : foreign.lookup(section))
      needed.insert(name);
  }
  return needed;
}

/// All objects are in one reservation: hidden symbols of another object are
/// reached by 32-bit offsets.
static Expected<std::unique_ptr<ObjectLayer>>
makeLinkingLayer(ExecutionSession &session) {
  constexpr size_t reservation = size_t(64) << 20;
  auto memory =
      MapperJITLinkMemoryManager::CreateWithMapper<InProcessMemoryMapper>(
          reservation);
  if (!memory)
    return memory.takeError();
  return std::make_unique<ObjectLinkingLayer>(session, std::move(*memory));
}

static Error add(LLJIT &session, StringRef name, ArrayRef<char> bytes) {
  return session.addObjectFile(MemoryBuffer::getMemBufferCopy(
      StringRef(bytes.data(), bytes.size()), name));
}

LoadedModel::LoadedModel(std::unique_ptr<LLJIT> session)
    : session(std::move(session)) {}
LoadedModel::LoadedModel(LoadedModel &&) = default;
LoadedModel::~LoadedModel() = default;

/// Names that the objects of a model do not define themselves.
static Expected<StringSet<>> undefinedNames(ArrayRef<CodeFile> objects) {
  StringSet<> names;
  for (const CodeFile &object : objects) {
    StringRef bytes(object.bytes.data(), object.bytes.size());
    auto file = ObjectFile::createELFObjectFile({bytes, object.name});
    if (!file)
      return file.takeError();
    RuntimeObject contents(**file);
    if (Error error = contents.read())
      return error;
    for (StringRef name : contents.undefined().keys())
      names.insert(name);
  }
  return names;
}

/// Returns true for names that every artefact may call: those of the libraries
/// that this process has loaded itself.
static bool isInBaseLibrary(StringRef name) {
  static const char *const sonames[] = {
#define ONNXC_BASE_LIBRARY(SONAME) SONAME,
#include "onnxc/rt/Libraries.def"
  };
  return llvm::any_of(sonames, [&](const char *soname) {
    auto library = sys::DynamicLibrary::getPermanentLibrary(soname);
    return library.isValid() &&
           library.getAddressOfSymbol(name.str().c_str()) != nullptr;
  });
}

/// Defines as null the symbols of other libraries that the runtime needs, which
/// may be absent. Fails if `objects` reach a call of one.
static Error defineMissing(LLJIT &session, MemoryBufferRef runtime,
                           ArrayRef<CodeFile> objects) {
  Expected<StringSet<>> called = undefinedNames(objects);
  if (!called)
    return called.takeError();
  auto file = ObjectFile::createELFObjectFile(runtime);
  if (!file)
    return file.takeError();
  RuntimeObject contents(**file);
  if (Error error = contents.read())
    return error;
  StringSet<> needed = contents.undefinedFrom(*called);
  SymbolMap missing;
  for (StringRef name : contents.undefined().keys()) {
    if (isInBaseLibrary(name))
      continue;
    if (needed.contains(name))
      return createStringError("it calls '" + name +
                               "' of a library that only some models need");
    missing[session.mangleAndIntern(name)] = {ExecutorAddr(),
                                              JITSymbolFlags::Exported};
  }
  if (missing.empty())
    return Error::success();
  return session.getMainJITDylib().define(absoluteSymbols(std::move(missing)));
}

static Error
defineFunctions(LLJIT &session,
                ArrayRef<std::pair<std::string, const void *>> functions) {
  SymbolMap symbols;
  for (const auto &[name, function] : functions)
    symbols[session.mangleAndIntern(name)] = {ExecutorAddr::fromPtr(function),
                                              JITSymbolFlags::Exported |
                                                  JITSymbolFlags::Callable};
  if (symbols.empty())
    return Error::success();
  return session.getMainJITDylib().define(absoluteSymbols(std::move(symbols)));
}

Expected<LoadedModel>
LoadedModel::load(ArrayRef<CodeFile> objects, StringRef runtimeDir,
                  ArrayRef<std::pair<std::string, const void *>> functions) {
  SmallString<128> path(runtimeDir);
  sys::path::append(path, "onnxc_rt.o");
  ErrorOr<std::unique_ptr<MemoryBuffer>> runtime = MemoryBuffer::getFile(
      path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!runtime)
    return createStringError("cannot read '" + path +
                             "': " + runtime.getError().message());
  Expected<std::unique_ptr<LLJIT>> session =
      LLJITBuilder()
          .setPlatformSetUp(setUpInactivePlatform)
          .setObjectLinkingLayerCreator(makeLinkingLayer)
          .create();
  if (!session)
    return session.takeError();
  // The lookup returns errors as well.
  (*session)->getExecutionSession().setErrorReporter(consumeError);
  for (const CodeFile &object : objects)
    if (Error error = add(**session, object.name, object.bytes))
      return error;
  if (Error error = defineMissing(**session, **runtime, objects))
    return error;
  if (Error error = defineFunctions(**session, functions))
    return error;
  if (Error error = (*session)->addObjectFile(std::move(*runtime)))
    return error;
  return LoadedModel(std::move(*session));
}

Expected<void *> LoadedModel::lookup(StringRef name) {
  Expected<ExecutorAddr> address = session->lookup(name);
  if (!address)
    return address.takeError();
  return address->toPtr<void *>();
}

} // namespace onnxc::target
