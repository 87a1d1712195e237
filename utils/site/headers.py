# ===- headers.py - A page of reference for a C or C++ header ---------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Makes Markdown of a header: its declarations under their names, with the comments before them."""

import re
import textwrap

COMMENT = re.compile(r"/\*.*?\*/|(?:^[ \t]*//[^\n]*\n)+", re.S | re.M)
SKIPPED = re.compile(r"#(?!define)(?:\\\n|[^\n])*\n|#define \w+_(?:H|HPP|API|VISIBILITY)\b(?:\\\n|[^\n])*\n|extern \"C\" \{|namespace \w+ \{|\}|[A-Z_]+\([^)\n]*\)\n")
DEFINE = re.compile(r"#define(?:\\\n|[^\n])*\n")
VISIBILITY = re.compile(r"\b(?:OM_EXTERNAL_VISIBILITY|OM_COMPILER_API)\s+")
NAMES = [
    re.compile(r"^#define (\w+)"),
    re.compile(r"^typedef .*\(\*(\w+)\)\(", re.S),
    re.compile(r"^typedef .*?(\w+);$", re.S),
    re.compile(r"^(?:template <[^>]*>\s*)?(?:struct|class|enum) (\w+)", re.S),
    re.compile(r"^(?:[^({]*?)\b(\w+)\("),
    re.compile(r"(\w+)(?:\[\])?;$"),
]


def prose(comment):
    """The text of a comment without its signs; indented lines stay code."""
    lines = [re.sub(r"^\s*(?:/\*+|\*/|\*|///?)? ?", "", line) for line in re.sub(r"\s*\*/\s*$", "", comment.strip()).split("\n")]
    lines = [line for line in lines if not re.match(r"^=+|.*-\*-|^Part of onnx-compile", line)]
    lines = [line if line.startswith("  ") else line.replace("<", "&lt;") for line in lines]
    text = re.sub(r"^  (?=\S| )", "    ", "\n".join(lines).strip("\n"), flags=re.M)
    text = re.sub(r"^([^-\s].*)\n(?=- )", r"\1\n\n", text, flags=re.M)
    return re.sub(r"^(- .*(?:\n    .*)*)\n(?=[^-\s])", r"\1\n\n", text, flags=re.M)


def end_of_statement(text, at):
    """After the `;` or `}` that ends the declaration at `at`."""
    depth, i = 0, at
    while i < len(text):
        inner = COMMENT.match(text, i) if text[i] == "/" else None
        if inner:
            i = inner.end()
            continue
        depth += (text[i] in "{(") - (text[i] in "})")
        i += 1
        if depth == 0 and (text[i - 1] == ";" or (text[i - 1] == "}" and not re.match(r"\s*\w*\s*;", text[i:]))):
            break
    return i


def name_of(statement):
    return next((found[1] for found in (name.search(statement) for name in NAMES) if found), None)


def declarations(text):
    """Yields (comment or None, declaration or None) from the beginning to the end."""
    at, comment = 0, None
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        found = COMMENT.match(text, at)
        if found:
            if comment:
                yield comment, None
            comment, at = found[0], found.end()
            continue
        found = SKIPPED.match(text, at)
        if found:
            if comment:
                yield comment, None
            comment, at = None, found.end()
            continue
        found = DEFINE.match(text, at)
        end = found.end() if found else end_of_statement(text, at)
        yield comment, text[at:end].strip()
        at, comment = end, None


def visible(statement):
    """A declaration as users see it: without private parts and attributes of linkage."""
    statement = re.sub(r"\nprivate:.*\n\}", "\n}", VISIBILITY.sub("", statement), flags=re.S)
    if "{" in statement or statement.startswith("#"):
        return textwrap.dedent(statement)
    return textwrap.fill(" ".join(statement.split()), 100, subsequent_indent="    ")


def as_page(name, text):
    """The page of the header `name` with the contents `text`."""
    parts, code = [f"# {name}"], []

    def flush():
        if code:
            parts.append("```cpp\n" + "\n".join(code) + "\n```")
            code.clear()

    for comment, statement in declarations(text):
        section = re.match(r"/\* --- (.*?) -+\s*", comment or "")
        if comment:
            flush()
        if section:
            parts += [f"## {section[1]}", prose("/*" + comment[section.end() :])]
            comment = None
        if statement and statement.startswith("class "):
            flush()
        if statement and not code:
            parts.append(f"### {name_of(statement) or 'Declarations'}")
        if comment and prose(comment):
            parts.append(prose(comment))
        if statement:
            code.append(visible(statement))
    flush()
    return "\n\n".join(part for part in parts if part) + "\n"
