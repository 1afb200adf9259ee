"""Where faults can be put into a header, and what its text is with them.

A fault is a small change of one expression or statement inside the body of a function, made when the program runs:
`if (a < b)` becomes `if ((warpkit_mutant(17) ? (a <= b) : (a < b)))`.
"""

from dataclasses import dataclass

from cpp import Source, bodies

# Lists of members and parameters, and texts: declarations in the form of functions.
_DECLARATIONS = {"each_member", "each_parameter", "name", "hardware_cost", "what"}
_NEIGHBOUR = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_OPPOSITE = {"+=": "-=", "-=": "+=", "|=": "&=", "&=": "|=", "*=": "+=", "<<=": ">>=", ">>=": "<<="}
_ASSIGNMENTS = {"=", "/=", "%=", "^="} | set(_OPPOSITE)
_KEYWORDS = set(
    """if else for while do switch case default return break continue throw using typedef static constexpr const auto
    try catch goto struct class enum template typename static_assert co_return requires delete new friend""".split()
)


@dataclass
class Site:
    kind: str
    line: int
    begin: int  # of the text that is replaced
    end: int
    pattern: str  # {n}: the fault's number
    change: str  # in words, for the list

    def text(self, n):
        return self.pattern.replace("{n}", f"warpkit_mutant({n})")


def _short(text):
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."


def _bumped(number):
    """A whole number written out, and the next one in the same type; None for others."""
    digits = number.rstrip("uUlL")
    if not digits.isdigit() or len(digits) > 6:
        return None
    return f"{int(digits) + 1}{number[len(digits):]}"


class _Finder:
    def __init__(self, source):
        self.source = source
        self.sites = []

    def add(self, kind, first, last, pattern, change):
        s = self.source
        begin, end = s.tokens[first].begin, s.tokens[last - 1].end
        if kind != "skipped" and "//" in s.text[begin:end]:
            return  # it would become part of the comment
        if "\n" in pattern and kind != "skipped":  # what is written twice must not move lines
            pattern = " ".join(pattern.split())
        pattern += "\n" * (s.text.count("\n", begin, end) - pattern.count("\n"))
        self.sites.append(Site(kind, s.line(first), begin, end, pattern, change))

    # ---- conditions
    def condition(self, first, last, negate=True):
        """A condition as a whole, and each of its parts."""
        s = self.source
        if first >= last:
            return
        top = [s[i] for i in s.top(first, last)]
        if any(t in _ASSIGNMENTS or t in (";", ",", "?") for t in top):
            return
        text = s.part(first, last)
        if negate:
            self.add("negated", first, last, f"({{n}} != static_cast<bool>({text}))", f"{_short(text)} negated")
        self.conjuncts(first, last)

    def conjuncts(self, first, last):
        s = self.source
        between = [i for i in s.top(first, last) if s[i] in ("&&", "||") and s.behind_blank(i)]
        edges = [first - 1, *between, last]
        for left, right in zip(edges, edges[1:]):
            b, e = left + 1, right
            if between:
                joint = "&&" if any(i in between and s[i] == "&&" for i in (left, right)) else "||"
                part = s.part(b, e)
                dropped = "{n} ||" if joint == "&&" else "!{n} &&"
                self.add("dropped", b, e, f"({dropped} static_cast<bool>({part}))", f"{joint} {_short(part)} dropped")
            self.part(b, e)

    def part(self, b, e):
        s = self.source
        while s[b] == "!" and s[b + 1] == "(" and s.match[b + 1] == e - 1:
            b += 1
        if s[b] == "(" and s.match[b] == e - 1:
            inner = [s[i] for i in s.top(b + 1, e - 1)]
            if "&&" in inner or "||" in inner:
                return self.condition(b + 1, e - 1, negate=False)
        self.relation(b, e)

    def relation(self, b, e):
        s = self.source
        signs = [i for i in s.top(b, e) if s[i] in ("<", "<=", ">", ">=", "==", "!=") and s.behind_blank(i)]
        if len(signs) != 1 or signs[0] == b:
            return
        at = signs[0]
        left, sign, right = s.part(b, at), s[at], s.part(at + 1, e)
        if sign in _NEIGHBOUR:
            other = _NEIGHBOUR[sign]
            self.add("relation", b, e, f"({{n}} ? ({left} {other} {right}) : ({left} {sign} {right}))",
                     f"{_short(s.part(b, e))}: {sign} is {other}")
        else:
            self.add("negated", b, e, f"({{n}} != ({left} {sign} {right}))", f"{_short(s.part(b, e))} negated")
        if e == at + 2:
            self.constant(at + 1, f"{_short(s.part(b, e))}")

    # ---- numbers
    def constant(self, i, where):
        number = self.source[i]
        if self.source.tokens[i].kind == "number" and (next_one := _bumped(number)):
            self.add("constant", i, i + 1, f"({{n}} ? {next_one} : {number})", f"{where}: {number} is {next_one}")

    def summands(self, first, last):
        """`+ 1` and `- 1` left out."""
        s = self.source
        for i in range(first + 1, last - 1):
            if s[i] in ("+", "-") and s.behind_blank(i) and s.tokens[i + 1].kind == "number" and _bumped(s[i + 1]):
                number = s[i + 1]
                if s[i + 2] not in ("*", "/", "%", "<<", ">>"):
                    none = "0" + number.lstrip("0123456789")
                    self.add("constant", i + 1, i + 2, f"({{n}} ? {none} : {number})",
                             f"{_short(s.part(max(first, i - 3), i + 2))}: {s[i]} {number} left out")
            if s[i] == "std" and s[i + 1] == "::" and s[i + 2] in ("min", "max"):
                self.extreme(i, last)

    def extreme(self, i, last):
        s = self.source
        paren = s.angle(i + 3, last)
        paren += s[paren] == ">"
        if s[paren] != "(":
            return
        end = s.match[paren] + 1
        text = s.part(i, end)
        other = text.replace("min" if s[i + 2] == "min" else "max", "max" if s[i + 2] == "min" else "min", 1)
        self.add("extreme", i, end, f"({{n}} ? {other} : {text})", f"{_short(text)}: the other extreme")

    # ---- statements
    def statement(self, i, end, body, in_lambda):
        """The statement from token i to the semicolon `end`."""
        s = self.source
        if s[i] == "return":
            return self.returned(i, end, body.returns_bool and not in_lambda)
        self.chosen(i, end)
        if s[i] in _KEYWORDS:
            return
        at = i + (s[i] in ("++", "--", "*"))
        sign = self.chain(at, end)
        if sign is None or (s[i] == "*" and sign == end):
            return
        text = s.part(i, end + 1)
        if sign == end and at == i and s[end - 1] != ")" or s[sign] not in _ASSIGNMENTS | {";", "++", "--"}:
            return
        self.add("skipped", i, end + 1, f"{{ if (!{{n}}) {text} }}", f"{_short(text)} left out")
        if s[sign] in _OPPOSITE:
            other = s.part(i, sign) + f" {_OPPOSITE[s[sign]]} " + s.part(sign + 1, end)
            self.add("operator", i, end + 1, f"{{ if ({{n}}) {other}; else {text} }}",
                     f"{_short(text)} {s[sign]} is {_OPPOSITE[s[sign]]}")
        if s[sign] == "=" and end == sign + 2:
            self.constant(sign + 1, _short(text))
        if s[i] in ("++", "--"):
            other = ("--" if s[i] == "++" else "++") + s.part(i + 1, end)
            self.add("operator", i, end + 1, f"{{ if ({{n}}) {other}; else {text} }}", f"{_short(text)} the other way")

    def chain(self, at, end):
        """Behind a name with its members, calls and subscripts; None where something else is there."""
        s = self.source
        if s.tokens[at].kind != "word" or s[at] in _KEYWORDS:
            return None
        at += 1
        while at < end:
            if s[at] in (".", "->", "::") and s.tokens[at + 1].kind == "word":
                at += 2 + (s[at + 1] == "template")
            elif s[at] in ("(", "["):
                at = s.match[at] + 1
            elif s.angle(at, end) != at:
                at = s.angle(at, end) + 1
            else:
                break
        return at

    def chosen(self, i, end):
        """`x = CONDITION ? a : b`, and `return` of the same."""
        s = self.source
        top = list(s.top(i, end))
        question = [k for k in top if s[k] == "?"]
        begin = i + 1 if s[i] == "return" else next((k + 1 for k in top if s[k] in _ASSIGNMENTS), None)
        if question and begin and begin < question[0] and not self.is_extreme(begin, question[0], top, end):
            self.condition(begin, question[0])

    def is_extreme(self, begin, question, top, end):
        """Whether it is `a < b ? a : b`, of which it is all the same what comes of equal ones."""
        s = self.source
        colon = next((k for k in top if k > question and s[k] == ":"), question)
        sign = next((k for k in s.top(begin, question) if s[k] in _NEIGHBOUR), question)
        if question in (colon, sign):
            return False
        return {s.part(begin, sign), s.part(sign + 1, question)} == {s.part(question + 1, colon), s.part(colon + 1, end)}

    def returned(self, i, end, is_bool):
        s = self.source
        if end == i + 2 and s[i + 1] in ("true", "false"):
            self.add("returned", i + 1, end, f"({{n}} != {s[i + 1]})", f"return {s[i + 1]} flipped")
        elif end == i + 2:
            self.constant(i + 1, "return")
        elif any(s[k] == "?" for k in s.top(i, end)):
            self.chosen(i, end)
        elif is_bool and s[i + 1] != "{" and end > i + 1:
            self.condition(i + 1, end)

    # ---- a body
    def body(self, body):
        if body.name not in _DECLARATIONS and not body.is_fixed:
            self.block(body.first, body.last, body, False)

    def block(self, at, last, body, in_lambda):
        """Statements one behind the other, and what lies in their brackets."""
        s = self.source
        while at < last:
            at = self.one(at, last, body, in_lambda)

    def one(self, at, last, body, in_lambda):
        """Reads what begins at a token, and says where the next statement begins."""
        s = self.source
        word = s[at]
        if word in ("case", "default"):
            while s[at] != ":":
                at += 1
            return at + 1
        if word in ("else", "do", "try", ";"):
            return at + 1
        if word == "{":
            self.block(at + 1, s.match[at], body, in_lambda)
            return s.match[at] + 1
        if word in ("if", "while", "for", "switch", "catch"):
            return self.controlled(at)
        end = at
        while end < last and s[end] != ";":
            end = s.match.get(end, end) + 1
        end = min(end, last)
        if word in ("static_assert", "using", "throw", "struct", "class", "enum", "static", "template", "[") \
                or "constexpr" in (word, s[at + 1]) or end == at:
            return end + 1
        if end < last:
            self.statement(at, end, body, in_lambda)
        self.inside(at, end, body)
        self.summands(at, end)
        return end + 1

    def controlled(self, at):
        s = self.source
        paren = at + 1
        fixed = s[paren] == "constexpr"
        paren += fixed
        if s[paren] != "(":
            return at + 1
        close = s.match[paren]
        if not fixed and s[at] in ("if", "while", "for"):
            cuts = [i for i in s.top(paren + 1, close) if s[i] == ";"]
            if s[at] == "for":
                if len(cuts) == 2:
                    self.condition(cuts[0] + 1, cuts[1], negate=False)
            else:
                self.condition(cuts[0] + 1 if cuts else paren + 1, close, negate=s[at] == "if")
            self.summands(paren, close)
        return close + 1

    def inside(self, first, last, body):
        """The bodies of lambdas in a statement."""
        s = self.source
        for i in range(first, last):
            if s[i] == "{" and s[i - 1] in (")", "]", "mutable", "noexcept") and self.is_lambda(i):
                self.block(i + 1, s.match[i], body, True)

    def is_lambda(self, brace):
        s = self.source
        at = brace - 1
        while s[at] in ("mutable", "noexcept"):
            at -= 1
        if s[at] == ")":
            at = next(k for k, m in s.match.items() if m == at) - 1
        return s[at] == "]"


def sites_of(text):
    """All sites of a header."""
    source = Source(text)
    finder = _Finder(source)
    for body in bodies(source):
        finder.body(body)
    unique = {}
    for site in finder.sites:
        unique.setdefault((site.begin, site.end, site.kind), site)
    return sorted(unique.values(), key=lambda s: (s.begin, s.end))


def with_faults(text, chosen):
    """The text with sites in it, by number; they must not overlap."""
    for n, site in sorted(chosen.items(), key=lambda entry: -entry[1].begin):
        text = text[: site.begin] + site.text(n) + text[site.end :]
    return text
