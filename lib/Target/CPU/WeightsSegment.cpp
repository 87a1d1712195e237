//===- WeightsSegment.cpp - Where an artefact has its weights --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "WeightsSegment.h"

#include "llvm/Object/ELF.h"

using namespace llvm;
using File = object::ELF64LEFile;
using Section = object::ELF64LE::Shdr;
using Segment = object::ELF64LE::Phdr;

namespace onnxc::target {

static Expected<const Section *> findSection(const File &file) {
  auto sections = file.sections();
  if (!sections)
    return sections.takeError();
  for (const Section &section : *sections) {
    Expected<StringRef> name = file.getSectionName(section);
    if (!name)
      return name.takeError();
    if (*name == ".onnxc_weights")
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

Expected<int64_t> growWeightsSegment(MutableArrayRef<char> linked,
                                     int64_t bytes) {
  auto file = File::create(StringRef(linked.data(), linked.size()));
  if (!file)
    return file.takeError();
  Expected<const Section *> section = findSection(*file);
  if (!section)
    return section.takeError();
  // Both are in the buffer, which may be written.
  auto &grownSection = const_cast<Section &>(**section);
  if (file->getHeader().e_type == ELF::ET_REL) {
    grownSection.sh_offset = alignTo(linked.size(), grownSection.sh_addralign);
    grownSection.sh_size = bytes;
    return static_cast<int64_t>(grownSection.sh_offset);
  }
  Expected<const Segment *> segment = findSegment(*file, **section);
  if (!segment)
    return segment.takeError();
  uint64_t page = (*segment)->p_align;
  uint64_t offset = alignTo(linked.size(), page) + (*segment)->p_vaddr % page;
  auto &grownSegment = const_cast<Segment &>(**segment);
  grownSection.sh_offset = offset;
  grownSection.sh_size = bytes;
  grownSegment.p_offset = offset;
  grownSegment.p_filesz = bytes;
  grownSegment.p_memsz = bytes;
  return static_cast<int64_t>(offset);
}

} // namespace onnxc::target
