//===- Link.cpp - Objects to a shared object, in process -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// lld reads files, so each object is an anonymous one in memory. Its output is
// written to the artefact, the weights after it.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/Artefact/Link.h"
#include "onnxc/Target/Artefact/Weights.h"

#include "WeightsSegment.h"
#include "onnxc/Target/Code/Linker.h"
#include "onnxc/Target/IR/Target.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <unistd.h>

using namespace llvm;

namespace onnxc::target {

/// A file for the linker, which takes paths.
static Expected<NewFile> putInMemory(StringRef name, ArrayRef<char> bytes) {
  NewFile file = NewFile::inMemory(name);
  if (Error error = file.create())
    return std::move(error);
  if (Error error = file.append(StringRef(bytes.data(), bytes.size())))
    return std::move(error);
  return std::move(file);
}

/// The names an artefact exports, which the model defines with the tag as well.
static std::string exportScript(const LinkOptions &options) {
  SmallVector<StringRef> plain, tagged;
#define ONNXC_EXPORT_SHARED(NAME) plain.push_back(#NAME);
#define ONNXC_EXPORT(NAME) plain.push_back(#NAME);
#define ONNXC_EXPORT_TAGGED(NAME) tagged.push_back(#NAME);
#include "onnxc/rt/Exports.def"
  if (options.profile)
    plain.append({"omContextSetLaunchObserver", "omContextSetSizeObserver",
                  "omContextSetDeviceObserver"});
  std::string script;
  raw_string_ostream os(script);
  os << "{ global:\n";
  for (StringRef name : plain)
    os << name << ";\n";
  for (StringRef name : tagged) {
    os << name << ";\n";
    if (!options.tag.empty())
      os << name << '_' << options.tag << ";\n"
         << name << '_' << options.tag << "_of_header_*;\n";
  }
  os << "local: *; };\n";
  return script;
}

/// The symbols that the dynamic linker binds. All else is bound when the
/// artefact is linked, as by -Bsymbolic, which would make the dynamic linker
/// prefer the artefact's own data as well.
static std::string sharedList() {
  std::string list = "{\n";
#define ONNXC_EXPORT_SHARED(NAME) list += #NAME ";\n";
#include "onnxc/rt/Exports.def"
  return list + "};\n";
}

Error checkRuntime(StringRef runtimeDir, krnl::TargetAttr target) {
  SmallString<128> path(runtimeDir);
  sys::path::append(path, "onnxc_rt.o");
  auto refuse = [&](const Twine &message) {
    return createStringError(std::make_error_code(std::errc::invalid_argument),
                             message);
  };
  auto runtime = object::ObjectFile::createObjectFile(path);
  if (!runtime)
    return refuse("cannot read '" + path + "': " +
                  toString(runtime.takeError()) + "; use --runtime-dir");
  Triple triple(target.getTriple());
  Triple::ArchType arch = runtime->getBinary()->getArch();
  if (arch == triple.getArch())
    return Error::success();
  return refuse("'" + path + "' is the runtime for " +
                Triple::getArchTypeName(arch) + ": name the one for " +
                triple.getArchName() + " is, or stop at --emit=obj");
}

/// Writes the output of the linker, and the weights after it.
static Error writeParts(MutableArrayRef<char> linked,
                        const LinkOptions &options, NewFile &output) {
  StringRef code(linked.data(), linked.size());
  if (options.weightsBytes == 0)
    return output.append(code);
  Expected<int64_t> offset = growWeightsSegment(linked, options.weightsBytes);
  if (!offset)
    return offset.takeError();
  if (Error error = output.append(code))
    return error;
  if (Error error = output.reserve(*offset + options.weightsBytes))
    return error;
  if (failed(options.writeWeights(output.handle(), *offset)))
    return output.failed(std::make_error_code(std::errc::io_error));
  return Error::success();
}

/// Writes all of the file, with its hash in the place of the seal.
static Error writeLinked(MutableArrayRef<char> linked,
                         const LinkOptions &options, NewFile &output) {
  size_t seal = StringRef(linked.data(), linked.size()).find(options.seal);
  if (options.seal.empty() || seal == StringRef::npos)
    return writeParts(linked, options, output);
  llvm::fill(linked.slice(seal, options.seal.size()), '0');
  if (Error error = writeParts(linked, options, output))
    return error;
  uint64_t size = 0;
  if (std::error_code code = sys::fs::file_size(output.path(), size))
    return output.failed(code);
  Expected<WeightsDigest> digest = digestOf(output.handle(), size);
  if (!digest)
    return digest.takeError();
  std::string text = toHex(*digest, /*LowerCase=*/true);
  ssize_t written = ::pwrite(output.handle(), text.data(), text.size(), seal);
  return written == static_cast<ssize_t>(text.size())
             ? Error::success()
             : output.failed(errnoAsErrorCode());
}

/// The artefact has no SONAME: the same model gives the same bytes for every
/// name of the artefact, and two models may have files of one name.
static std::vector<std::string> fixedArguments(const LinkOptions &options) {
  std::vector<std::string> arguments = {
      "-shared",
      "--gc-sections",
      "--hash-style=gnu",
      "-z",
      "now",
      "-z",
      "noexecstack",
      ("--compress-sections=" + nodesSection + "=zlib").str()};
  // The runtime has tables of its frames.
  if (options.strip || !options.debug)
    arguments.push_back(options.strip ? "--strip-all" : "--strip-debug");
  // Code of the user's may call more of libc and libm than the stubs have; that
  // there is such a function was seen to when it was loaded.
  if (llvm::all_of(options.customLibraries,
                   [](const CustomLibraryFile &file) { return file.isShared; }))
    arguments.push_back("--no-undefined");
  return arguments;
}

/// The way from one folder to another, empty if they are the same.
static std::string relativePath(StringRef from, StringRef to) {
  SmallVector<StringRef> ups(sys::path::begin(from), sys::path::end(from));
  SmallVector<StringRef> downs(sys::path::begin(to), sys::path::end(to));
  size_t common = 0;
  while (common < ups.size() && common < downs.size() &&
         ups[common] == downs[common])
    ++common;
  std::string way;
  for (size_t i = common; i < ups.size(); ++i)
    way += way.empty() ? ".." : "/..";
  for (size_t i = common; i < downs.size(); ++i)
    way += (way.empty() ? "" : "/") + downs[i].str();
  return way;
}

/// The runtime and the stubs of the libraries it may call. Of the optional ones
/// those stay whose functions are called by code that is not left out.
static void addRuntime(const LinkOptions &options,
                       std::vector<std::string> &arguments) {
  auto add = [&](StringRef name) {
    SmallString<128> path(options.runtimeDir);
    sys::path::append(path, name);
    arguments.push_back(path.str().str());
  };
  add("onnxc_rt.o");
#define ONNXC_BASE_LIBRARY(SONAME) add(SONAME);
#include "onnxc/rt/Libraries.def"
  arguments.push_back("--as-needed");
#define ONNXC_OPTIONAL_LIBRARY(SONAME) add(SONAME);
#include "onnxc/rt/Libraries.def"
}

/// Libraries of the user's. A shared one is looked for beside the artefact, and
/// where it is now as seen from there: both may move together.
static void addCustomLibraries(const LinkOptions &options,
                               std::vector<std::string> &arguments) {
  SmallString<128> outputFolder(options.output);
  (void)sys::fs::make_absolute(outputFolder);
  sys::path::remove_filename(outputFolder);
  sys::path::remove_dots(outputFolder, /*remove_dot_dot=*/true);
  bool anyShared = false;
  for (const CustomLibraryFile &library : options.customLibraries) {
    if (!library.isShared) {
      arguments.push_back(library.path);
      continue;
    }
    SmallString<128> folder(sys::path::parent_path(library.path));
    sys::path::remove_dots(folder, /*remove_dot_dot=*/true);
    // By its name: one without a soname of its own would be needed by its path.
    llvm::append_range(arguments,
                       std::vector<std::string>{
                           "--as-needed", ("-L" + folder).str(),
                           ("-l:" + sys::path::filename(library.path)).str(),
                           "-rpath", "$ORIGIN"});
    std::string way = relativePath(outputFolder, folder);
    if (!way.empty() && !StringRef(way).contains(':'))
      llvm::append_range(arguments,
                         std::vector<std::string>{"-rpath", "$ORIGIN/" + way});
    anyShared = true;
  }
  if (anyShared)
    arguments.push_back("--no-as-needed");
}

/// A copy of an object with the changes of `config`.
static Expected<SmallVector<char, 0>>
copyObject(ArrayRef<char> linked, const objcopy::ConfigManager &config) {
  MemoryBufferRef buffer(StringRef(linked.data(), linked.size()), "model.o");
  auto object = object::ObjectFile::createObjectFile(buffer);
  if (!object)
    return object.takeError();
  SmallVector<char, 0> bytes;
  raw_svector_ostream os(bytes);
  if (Error error = objcopy::executeObjcopyOnBinary(config, **object, os))
    return std::move(error);
  return bytes;
}

/// Makes symbols local that no other object is to see: names of kernels are the
/// same in many models.
static Expected<SmallVector<char, 0>> localizeHidden(ArrayRef<char> linked) {
  objcopy::ConfigManager config;
  config.ELF.LocalizeHidden = true;
  return copyObject(linked, config);
}

Error addSection(CodeFile &object, StringRef name, StringRef contents) {
  objcopy::ConfigManager config;
  config.Common.AddSection.emplace_back(
      name, MemoryBuffer::getMemBuffer(contents, name,
                                       /*RequiresNullTerminator=*/false));
  Expected<SmallVector<char, 0>> bytes = copyObject(object.bytes, config);
  if (bytes)
    object.bytes = std::move(*bytes);
  return bytes.takeError();
}

Error joinObjects(ArrayRef<CodeFile> objects, const LinkOptions &options,
                  NewFile &output) {
  std::vector<std::string> arguments = {"-r"};
  std::vector<NewFile> files;
  for (const CodeFile &object : objects) {
    Expected<NewFile> file = putInMemory(object.name, object.bytes);
    if (!file)
      return file.takeError();
    files.push_back(std::move(*file));
    arguments.push_back(files.back().path().str());
  }
  Expected<SmallVector<char, 0>> joined = runLinker(arguments);
  if (!joined)
    return joined.takeError();
  Expected<SmallVector<char, 0>> object = localizeHidden(*joined);
  if (!object)
    return object.takeError();
  return writeLinked(*object, options, output);
}

/// Adds the objects of the runtime's archive, which `file` and `archive` hold.
static Error addRuntimeMembers(StringRef folder,
                               std::unique_ptr<MemoryBuffer> &file,
                               std::unique_ptr<object::Archive> &archive,
                               std::vector<NewArchiveMember> &members) {
  SmallString<128> path(folder);
  sys::path::append(path, "libonnxc_rt.a");
  auto read = MemoryBuffer::getFile(path);
  if (!read)
    return createStringError(read.getError(), "cannot read '" + path + "': " +
                                                  read.getError().message());
  file = std::move(*read);
  auto opened = object::Archive::create(file->getMemBufferRef());
  if (!opened)
    return opened.takeError();
  archive = std::move(*opened);
  Error error = Error::success();
  for (const object::Archive::Child &child : archive->children(error)) {
    auto member = NewArchiveMember::getOldMember(child, /*Deterministic=*/true);
    if (!member)
      return joinErrors(std::move(error), member.takeError());
    members.push_back(std::move(*member));
  }
  return error;
}

Error archiveObjects(ArrayRef<CodeFile> objects, const LinkOptions &options,
                     NewFile &output) {
  NewFile joined = NewFile::inMemory("object");
  if (Error error = joined.create())
    return error;
  if (Error error = joinObjects(objects, options, joined))
    return error;
  auto object = joined.read();
  if (!object)
    return object.takeError();
  std::string name = options.tag + ".o";
  std::vector<NewArchiveMember> members;
  members.emplace_back(MemoryBufferRef(
      StringRef((*object)->getBufferStart(), (*object)->getBufferSize()),
      name));
  std::unique_ptr<MemoryBuffer> runtime;
  std::unique_ptr<object::Archive> archive;
  if (!options.runtimeDir.empty())
    if (Error error =
            addRuntimeMembers(options.runtimeDir, runtime, archive, members))
      return error;
  auto bytes = writeArchiveToBuffer(members, SymtabWritingMode::NormalSymtab,
                                    object::Archive::K_GNU,
                                    /*Deterministic=*/true, /*Thin=*/false);
  return bytes ? output.append((*bytes)->getBuffer()) : bytes.takeError();
}

/// Links all but the weights.
static Expected<SmallVector<char, 0>> linkCode(ArrayRef<CodeFile> objects,
                                               const LinkOptions &options) {
  std::vector<std::string> arguments = fixedArguments(options);
  std::vector<NewFile> files;
  auto addFile = [&](StringRef name, ArrayRef<char> bytes) -> Error {
    Expected<NewFile> file = putInMemory(name, bytes);
    if (!file)
      return file.takeError();
    files.push_back(std::move(*file));
    return Error::success();
  };
  for (const CodeFile &object : objects) {
    if (Error error = addFile(object.name, object.bytes))
      return std::move(error);
    arguments.push_back(files.back().path().str());
  }
  std::string exports = exportScript(options), shared = sharedList();
  if (Error error =
          addFile("exports", ArrayRef(exports.data(), exports.size())))
    return std::move(error);
  arguments.push_back(("--version-script=" + files.back().path()).str());
  if (Error error = addFile("shared", ArrayRef(shared.data(), shared.size())))
    return std::move(error);
  arguments.push_back(("--dynamic-list=" + files.back().path()).str());
  if (options.weightsBytes) {
    if (Error error = addFile(
            "weights", ArrayRef(weightsScript.data(), weightsScript.size())))
      return std::move(error);
    arguments.push_back(files.back().path().str());
  }
  addCustomLibraries(options, arguments);
  addRuntime(options, arguments);
  return runLinker(arguments);
}

/// The libraries that a linked file needs where it is loaded.
static Expected<std::vector<std::string>> neededLibraries(StringRef linked) {
  auto file = object::ELF64LEFile::create(linked);
  if (!file)
    return file.takeError();
  auto entries = file->dynamicEntries();
  if (!entries)
    return entries.takeError();
  uint64_t strings = 0;
  for (const auto &entry : *entries)
    if (entry.getTag() == ELF::DT_STRTAB)
      strings = entry.getPtr();
  auto table = file->toMappedAddr(strings);
  if (!table)
    return table.takeError();
  std::vector<std::string> names;
  for (const auto &entry : *entries)
    if (entry.getTag() == ELF::DT_NEEDED)
      names.emplace_back(reinterpret_cast<const char *>(*table) +
                         entry.getVal());
  return names;
}

Expected<std::vector<std::string>> linkArtefact(ArrayRef<CodeFile> objects,
                                                const LinkOptions &options,
                                                NewFile &output) {
  Expected<SmallVector<char, 0>> linked = linkCode(objects, options);
  if (!linked)
    return linked.takeError();
  auto libraries = neededLibraries(StringRef(linked->data(), linked->size()));
  if (!libraries)
    return libraries.takeError();
  if (Error error = writeLinked(*linked, options, output))
    return std::move(error);
  return std::move(*libraries);
}

} // namespace onnxc::target
