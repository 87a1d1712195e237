//===- WeightsSegment.cpp - Where an artefact has its weights --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "WeightsSegment.h"

#include "onnxc/Target/Artefact/Weights.h"

#include "llvm/Object/ELF.h"

using namespace llvm;
using File = object::ELF64LEFile;
using Section = object::ELF64LE::Shdr;
using Segment = object::ELF64LE::Phdr;

namespace onnxc::target {

template <typename ELFT>
static Expected<const typename ELFT::Shdr *>
findSection(const object::ELFFile<ELFT> &file) {
  auto sections = file.sections();
  if (!sections)
    return sections.takeError();
  for (const typename ELFT::Shdr &section : *sections) {
    Expected<StringRef> name = file.getSectionName(section);
    if (!name)
      return name.takeError();
    if (name->ends_with(".onnxc_weights"))
      return &section;
  }
  return createStringError("the linked file has no section for weights");
}

/// The last segment, if the section has it for itself.
static Expected<const Segment *> findSegment(const File &file,
                                             const Section &section) {
  auto segments = file.program_headers();
  if (!segments)
    return segments.takeError();
  const Segment *last = nullptr;
  for (const Segment &segment : *segments)
    if (segment.p_type == ELF::PT_LOAD &&
        (!last || segment.p_vaddr > last->p_vaddr))
      last = &segment;
  if (last && last->p_vaddr == section.sh_addr &&
      last->p_memsz == section.sh_size)
    return last;
  return createStringError("the linked file has no segment for weights");
}

/// The section of an object, which has no segments.
template <typename ELFT>
static Expected<int64_t> growSection(const object::ELFFile<ELFT> &file,
                                     size_t end, int64_t bytes) {
  Expected<const typename ELFT::Shdr *> section = findSection(file);
  if (!section)
    return section.takeError();
  // It is in the buffer, which may be written.
  auto &grown = const_cast<typename ELFT::Shdr &>(**section);
  grown.sh_offset = alignTo(end, grown.sh_addralign);
  grown.sh_size = bytes;
  return static_cast<int64_t>(grown.sh_offset);
}

Expected<int64_t> findEmbeddedWeights(StringRef linked) {
  auto file = object::ELF64LEFile::create(linked);
  if (!file)
    return file.takeError();
  auto section = findSection(*file);
  if (!section)
    return section.takeError();
  return static_cast<int64_t>((*section)->sh_offset);
}

Expected<int64_t> growWeightsSegment(MutableArrayRef<char> linked,
                                     int64_t bytes) {
  StringRef contents(linked.data(), linked.size());
  if (linked.size() > ELF::EI_CLASS &&
      linked[ELF::EI_CLASS] == char(ELF::ELFCLASS32)) {
    auto narrow = object::ELF32LEFile::create(contents);
    return narrow ? growSection(*narrow, linked.size(), bytes)
                  : narrow.takeError();
  }
  auto file = File::create(contents);
  if (!file)
    return file.takeError();
  if (file->getHeader().e_type == ELF::ET_REL)
    return growSection(*file, linked.size(), bytes);
  Expected<const Section *> section = findSection(*file);
  if (!section)
    return section.takeError();
  Expected<const Segment *> segment = findSegment(*file, **section);
  if (!segment)
    return segment.takeError();
  uint64_t page = (*segment)->p_align;
  uint64_t offset = alignTo(linked.size(), page) + (*segment)->p_vaddr % page;
  // Both are in the buffer, which may be written.
  auto &grownSection = const_cast<Section &>(**section);
  auto &grownSegment = const_cast<Segment &>(**segment);
  grownSection.sh_offset = offset;
  grownSection.sh_size = bytes;
  grownSegment.p_offset = offset;
  grownSegment.p_filesz = bytes;
  grownSegment.p_memsz = bytes;
  return static_cast<int64_t>(offset);
}

} // namespace onnxc::target
