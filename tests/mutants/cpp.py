"""C++ as the headers of warpkit are written, read as far as a place for a fault has to be known.

Tokens, brackets that belong together, and the bodies of functions. It leans on the house's format: a `<` behind a
blank is an operator, one without begins template arguments.
"""

import bisect
import re
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
      | (?P<preprocessor>\#(?:\\\n|[^\n])*)
      | (?P<string>(?:u8|[uUL])?R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|(?:u8|[uUL])?"(?:\\.|[^"\\])*")
      | (?P<number>\.?\d(?:'?[\w.]|(?<=[eEpP])[+-])*)
      | (?P<character>'(?:\\.|[^'\\])+')
      | (?P<word>[A-Za-z_]\w*)
      | (?P<sign><=>|<<=|>>=|->\*|\.\.\.|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""",
    re.X | re.S,
)
_CLOSING = {"(": ")", "[": "]", "{": "}"}


@dataclass
class Token:
    kind: str
    text: str
    begin: int
    end: int


@dataclass
class Body:
    """The tokens between a function's braces, and what its head says."""

    name: str
    returns_bool: bool
    is_fixed: bool  # computed by the compiler: constexpr, of no arguments
    first: int
    last: int  # one past the end: the closing brace


@dataclass
class Source:
    text: str
    tokens: list = field(default_factory=list)
    match: dict = field(default_factory=dict)  # of each opening bracket, by index
    ends: list = field(default_factory=list)  # of lines, as offsets

    def __post_init__(self):
        self.ends = [i for i, c in enumerate(self.text) if c == "\n"]
        for found in _TOKEN.finditer(self.text):
            if found.lastgroup not in ("space", "preprocessor"):
                kind = "string" if found["string"] else found.lastgroup
                self.tokens.append(Token(kind, found.group(), found.start(), found.end()))
        open_at = []
        for i, token in enumerate(self.tokens):
            if token.text in _CLOSING:
                open_at.append(i)
            elif token.text in ")]}" and token.kind == "sign":
                self.match[open_at.pop()] = i

    def __getitem__(self, i):
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def part(self, first, last):
        """The text of tokens first to last, without it."""
        return self.text[self.tokens[first].begin : self.tokens[last - 1].end]

    def behind_blank(self, i):
        return self.text[self.tokens[i].begin - 1].isspace()

    def line(self, i):
        return bisect.bisect_left(self.ends, self.tokens[i].begin) + 1

    def angle(self, i, last):
        """Where the template arguments end that begin at token i, or i where none do."""
        if self[i] != "<" or self.behind_blank(i):
            return i
        depth = 0
        at = i
        while at < last:
            text = self[at]
            depth += {"<": 1, ">": -1, ">>": -2}.get(text, 0)
            if depth <= 0:
                return at
            if text in (";", "{"):
                return i
            at = self.match.get(at, at) + 1
        return i

    def top(self, first, last):
        """The tokens from first to last that lie in no bracket and in no template arguments; of brackets the opening
        one."""
        at = first
        while at < last:
            end = self.angle(at, last)
            if end == at:
                yield at
            at = max(end, self.match.get(at, at)) + 1

    def without_template(self, first, last):
        while first < last and self[first] == "template" and self[first + 1] == "<":
            depth = 0
            at = first + 1
            while at < last:
                depth += {"<": 1, ">": -1, ">>": -2}.get(self[at], 0)
                at = self.match.get(at, at) + 1
                if depth <= 0:
                    break
            first = at
        return first


def _scope_or_body(source, first, brace):
    """What the brace opens whose head begins at token first: "namespace", "class", "body", or "" where it is part of
    the head."""
    first = source.without_template(first, brace)
    head = list(source.top(first, brace))
    words = [source[i] for i in head]
    if "namespace" in words or (words[:1] == ["extern"] and len(words) == 2):
        return "namespace"
    if "enum" in words or "concept" in words or "consteval" in words or source[brace - 1] == "requires":
        return ""
    if any(w in ("class", "struct", "union") for w in words):
        return "class"
    if "(" not in words:
        return ""
    if any(w == "=" and words[k - 1] != "operator" for k, w in enumerate(words)):
        return ""
    parameters = words.index("(")
    if ":" in words[parameters:] and source[brace - 1] not in (")", "}"):
        return ""
    return "body"


def _body(source, first, brace, in_class):
    first = source.without_template(first, brace)
    head = list(source.top(first, brace))
    paren = next(k for k, i in enumerate(head) if source[i] == "(")
    before = [source[i] for i in head[:paren]]
    is_fixed = "constexpr" in before and source[head[paren] + 1] == ")" and (
        "static" in before or not (in_class or "::" in before[-2:]))
    return Body(before[-1] if before else "", "bool" in before[:-1], is_fixed, brace + 1, source.match[brace])


def bodies(source, first=0, last=None, in_class=False):
    """The functions that are defined between two tokens."""
    last = len(source.tokens) if last is None else last
    head = at = first
    while at < last:
        text = source[at]
        if text == ";" or (text == ":" and source[at - 1] in ("public", "private", "protected")):
            head = at + 1
        elif text == "{":
            kind = _scope_or_body(source, head, at)
            if kind == "body":
                yield _body(source, head, at, in_class)
            elif kind:
                yield from bodies(source, at + 1, source.match[at], kind == "class")
            if kind:
                head = source.match[at] + 1
        at = source.match.get(at, at) + 1
