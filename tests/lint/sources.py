"""Rules on what stands in the sources: no SQL in C++, no floating point near money, no locale, nothing unfinished."""
import re

from tree import code_of, files, finish, line_of, literals_of, read, sql_code_of

# Why a file may name a floating-point type all the same.
FLOATS = {
    "core/base/json.cpp": "Boost.JSON's handler has a parameter of that type; the number's text is used instead",
}

SQL = re.compile(
    r"^\s*(select|SELECT)\s+(\*|\d|[\w.]+\s*\(|[\s\S]*\b(from|FROM)\b)|^\s*(with|WITH)\s+\w+\s+(as|AS)\s*\("
    r"|\b(insert\s+into|INSERT\s+INTO|delete\s+from|DELETE\s+FROM|merge\s+into|MERGE\s+INTO)\b"
    r"|\b(update|UPDATE)\s+[\w.]+\s+(\w+\s+)?(set|SET)\b"
    r"|^\s*(create|CREATE|alter|ALTER|drop|DROP)\s+(or|OR|table|TABLE|role|ROLE|user|USER|database|DATABASE|function|FUNCTION"
    r"|view|VIEW|schema|SCHEMA|index|INDEX)\b"
    r"|^\s*(truncate|TRUNCATE|grant|GRANT|revoke|REVOKE)\s+\w+|^\s*(copy|COPY|call|CALL|lock|LOCK)\s+[\w.]+\s*\(")
# What only a connection itself says; core/db and ui/db are the doors.
SESSION = re.compile(r"^\s*((begin|commit|rollback)( work| transaction)?|(un)?listen \w+|set (local |session )?\w+ ?(=|to)\b.*);?\s*$",
                     re.I)
DOORS = ("core/db/", "ui/db/")

FLOAT = re.compile(r"\b(float|double)\b")
SQL_FLOAT = re.compile(r"\b(double\s+precision|float[48]?|real)\b|::\s*money\b", re.I)
LOCALE = re.compile(r"\b(sto(d|f|ld)|strto(d|f|ld)|atof|toDouble|toFloat|imbue|sscanf|fscanf)\s*\("
                    r"|\bstd::locale\b|\b(std::)?(is(alpha|alnum|digit|space|upper|lower|punct|print)|to(lower|upper))\s*\(")
SET_LOCALE = re.compile(r"\bsetlocale\s*\(")
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b"
                        r"|[Nn]ot implemented|\b([Ff]or now|[Ss]implified|[Pp]laceholders?|[Ss]tubs?)\b")
# Qt's and ISO 4217's own words.
FINISHED = re.compile(r"\.simplified\(|setPlaceholderText|[\"'\\ ]XXX[\"'\\ ]")



def sql_in_cpp(path: str, text: str):
    for at, literal in literals_of(text):
        if SQL.search(literal):
            yield at, "SQL lives in sql/queries or sql/console, one statement a file: \"%s…\"" % literal.strip()[:50]
        elif SESSION.search(literal) and not path.startswith(DOORS):
            yield at, "only %s say \"%s\"" % (" and ".join(DOORS), literal.strip()[:50])


def floating_point(path: str, text: str):
    if path.endswith(".sql"):
        for m in SQL_FLOAT.finditer(sql_code_of(text)):
            yield m.start(), "money and what is near it is exact: %s" % m[0]
    elif path not in FLOATS:
        for m in FLOAT.finditer(code_of(text)):
            yield m.start(), "money and what is near it is exact: %s" % m[0]


def locale_dependent(path: str, text: str):
    code = code_of(text)
    for m in LOCALE.finditer(code):
        yield m.start(), "the answer depends on the locale: %s" % m[0]
    if not path.endswith("/main.cpp"):
        for m in SET_LOCALE.finditer(code):
            yield m.start(), "only a main sets the locale"


def unfinished(_path: str, text: str):
    for m in UNFINISHED.finditer(FINISHED.sub(lambda f: " " * len(f[0]), text)):
        yield m.start(), "finish it or take it out: %s" % m[0]


def first_line(_path: str, text: str):
    if not re.match(r"-- \S", text):
        yield 0, "the first line says in a comment what the statement is for"


ENGINE = files(".cpp", ".h", under=("core", "app"))
RULES = {
    "sql-in-cpp": (sql_in_cpp, ENGINE + files(".cpp", ".h", under=("ui",))),
    "floating-point": (floating_point, ENGINE + files(".sql", under=("sql",))),
    "locale": (locale_dependent, ENGINE + files(".cpp", ".h", under=("ui",))),
    "unfinished": (unfinished, files(".cpp", ".h", ".sql", ".sh") + files("", under=("packaging",))),
    "first-line": (first_line, files(".sql", under=("sql",))),
}

problems = []
for rule, (find, paths) in RULES.items():
    for name in sorted(set(paths)):
        content = read(name)
        problems += [(name, line_of(content, at), rule, what) for at, what in find(name, content)]
finish(problems)
