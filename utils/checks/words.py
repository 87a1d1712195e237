# ===- words.py - Words of texts -------------------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Checks of the words of sources, comments and documents."""

import bisect
import itertools
import re

from .tree import CXX


def check_documents_tell_no_times(tree):
    """Documents name commands that measure, and no times, which are those of one machine."""
    for name in tree.of(".md"):
        for number, line in enumerate(tree.texts[name].split("\n"), 1):
            if found := re.search(r"\b\d[\d.,]* ?(?:ms|µs|microseconds|milliseconds|GFLOP/s)\b", line):
                yield f"{name}:{number} tells '{found[0]}': name the command that measures it"


# Words that the sources no longer use, and those that replace them, of docs/Glossary.md.
RETIRED = {
    r"krnl\.place\b": "krnl.scatter_store",
    r"krnl\.current\b": "krnl.scatter_load",
    r"krnl\.region\b": "krnl.parallel_region",
    r"(?<![\w.>])together\(": "compute_at(",
    r"\bk?[Mm]ost[A-Z]\w*": "maxX",
    r"\bk?[Ll]east[A-Z]\w*": "minX",
    r"\bcomputed places?\b": "computed index",
    r"\bwalks? memory\b": "access memory",
    r"\bturned in registers\b": "transposed in registers",
    r"\bopen (?:size|dimension|loop|number|length)s?\b": "dynamic",
    r"\bonly (?:the|a) run knows\b": "dynamic",
    r"(?:\.|->|::)most\b": "max",
    r"(?:\.|->|::)least\b": "min",
    r"(?<!left )(?<!nothing )\b[Bb]ehind\b": "after",
    r"\b[Ii]n front of\b": "before",
    r"\b[Ww]hole numbers?\b": "integer, or a multiple",
    r"\b[Ww]ritten out\b": "expanded",
    r"(?<!by )\b[Hh]and(?:s|ed|ing)? on\b": "pass",
    r"\b[Pp]ictures?\b": "image",
    r"\b[Cc]ompanions?\b": "scale",
    r"\bheirs?\b": "alias",
    r"\bkin\b": "the other functions",
    r"\babsurd\b": "excessive",
    r"\b[Pp]ays?\b": "is profitable",
    r"(?<!nearest )\b[Nn]eighbour(?:s|ing)?\b": "adjacent",
    r"\b[Tt]ells\b": "reports, says",
    r"(?<!round )\btrips\b": "iterations",
    r"\b[Ss]harp(?:er|est)\b": "more precise",
    r"\b(?:habits?|patience|blamed?|BLAMED)\b": "a term of docs/Glossary.md",
}


COMMENT = re.compile(r"^\s*(?://+[!<]*|#+|\*+|;+)(?=\s|$)")


def check_private_words(tree):
    """Code and documents use the words of docs/Glossary.md."""
    pattern = re.compile("|".join(f"({old})" for old in RETIRED))
    words = list(RETIRED.values())
    for name in sorted({*tree.of(*CXX, ".td", ".md", ".mlir", ".test", ".py"), *tree.scripts("python")}):
        if name in ("test/Utils/check.test", "utils/checks/words.py"):  # have them, to be found
            continue
        # One text without the ends of lines, which divide words of comments.
        lines = [" ".join(COMMENT.sub("", line).split()) for line in tree.texts[name].split("\n")]
        starts = [0, *itertools.accumulate(len(line) + 1 for line in lines)]
        for found in pattern.finditer(" ".join(lines)):
            number = bisect.bisect(starts, found.start())
            yield f"{name}:{number} says '{found[0]}': the word is '{words[found.lastindex - 1]}'"


QUESTION = re.compile(r"(?:Is|Has|Does|Are|Do|Can|May|Must|Should|Was|Will)\b[^.?]*\?(?=\s|$)")


def check_docstrings_state(tree):
    """Documentation comments say what a function returns, and ask nothing."""
    for name in tree.of(*CXX, ".td"):
        if not name.startswith(("include/", "lib/", "runtime/", "tools/")):
            continue
        for block in re.finditer(r"(?:^ *///(?!/).*\n)+", tree.texts[name], re.MULTILINE):
            if QUESTION.match(re.sub(r"\s*///\s*", " ", block[0]).strip()):
                number = tree.texts[name].count("\n", 0, block.start()) + 1
                yield f"{name}:{number} asks a question: say what is returned ('Returns true if ...')"
