"""What every lint script shares: the tree's files, C++ without its comments or literals, and the way to end."""
import os
import re
import sys

ROOT = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", ".."))
FOLDERS = ("app", "core", "ui", "sql", "tests", "cmake", "packaging", "docs", "resources")

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<raw>R"(?P<tag>[^\s()\\]{0,16})\(.*?\)(?P=tag)")
      | (?P<string>"(?:\\.|[^"\\\n])*")
      | (?P<char>(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+')""", re.S | re.X)


def files(*suffixes: str, under: tuple = FOLDERS) -> list:
    """Paths below the root, sorted, of the files that end so."""
    found = []
    for folder in under:
        for where, folders, names in os.walk(os.path.join(ROOT, folder)):
            folders[:] = [f for f in folders if f != "__pycache__"]
            found += [os.path.relpath(os.path.join(where, n), ROOT) for n in names if n.endswith(suffixes)]
    return sorted(found)


def read(path: str) -> str:
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def exists(path: str) -> bool:
    return os.path.exists(os.path.join(ROOT, path))


def line_of(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def code_of(text: str) -> str:
    """C++ with comments and the inside of literals blanked; offsets and lines stay."""
    return TOKEN.sub(lambda m: _blank(m[0]), text)


def comments_of(text: str) -> list:
    """(offset, text) of each C++ comment."""
    return [(m.start(), m[0]) for m in TOKEN.finditer(text) if m["comment"]]


def literals_of(text: str) -> list:
    """(offset, text) of each string literal; neighbours that the compiler joins are joined."""
    joined, end = [], None
    for m in TOKEN.finditer(text):
        if m["raw"]:
            part = m[0][m[0].index("(") + 1:m[0].rindex(")")]
        elif m["string"]:
            part = m[0][1:-1]
        else:
            continue
        if end is not None and re.fullmatch(r"\s*", text[end:m.start()]):
            joined[-1] = (joined[-1][0], joined[-1][1] + part)
        else:
            joined.append((m.start(), part))
        end = m.end()
    return joined


def sql_code_of(text: str) -> str:
    return re.sub(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'", lambda m: _blank(m[0]), text, flags=re.S)


def finish(problems: list) -> None:
    """Prints each (path, line, rule, what) and ends the script."""
    for path, line, rule, what in sorted(problems):
        print("%s:%d: [%s] %s" % (path, line, rule, what))
    sys.exit(1 if problems else 0)
