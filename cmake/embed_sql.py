"""Writes the SQL files of one kind as C++ constants (see cmake/TekilSql.cmake)."""
import hashlib
import os
import re
import sys

CPP_KEYWORDS = {"default", "delete", "new", "operator", "register", "switch", "union", "export"}


def literal(text: str) -> str:
    """A string literal; g++ has no length limit, but pieces keep the header readable."""
    pieces = [text[i:i + 12000] for i in range(0, len(text), 12000)] or [""]
    return "\n".join('R"~sql~(' + p + ')~sql~"' for p in pieces)


def identifier(name: str) -> str:
    head, *tail = re.split(r"[^A-Za-z0-9]+", name)
    word = head + "".join(t[:1].upper() + t[1:] for t in tail)
    return word + "Rows" if word in CPP_KEYWORDS else word


def read(path: str) -> str:
    with open(path, encoding="utf-8", newline="") as f:
        return f.read()


def statements(root: str, kind: str, header: str) -> tuple:
    """A header that names them and a source that holds them: a changed text compiles one file, not all that use one."""
    names = ["// Made from sql/%s: one constant a statement." % kind, "#pragma once", "#include \"core/base/statement.h\""]
    texts = ["// Made from sql/%s." % kind, "#include \"%s\"" % header]
    base = os.path.join(root, kind)
    scope = "" if kind == "queries" else "::" + kind
    for noun in sorted(os.listdir(base)) if os.path.isdir(base) else []:
        for out in (names, texts):
            out.append("namespace tekil::sql%s::%s {" % (scope, noun))
        for file in sorted(os.listdir(os.path.join(base, noun))):
            name = file.removesuffix(".sql")
            names.append("extern const Statement %s;" % identifier(name))
            texts.append("constinit const Statement %s{\"%s.%s\", %s};" % (
                identifier(name), noun, name, literal(read(os.path.join(base, noun, file)))))
        for out in (names, texts):
            out.append("}")
    return "\n".join(names) + "\n", "\n".join(texts) + "\n"


def schema(root: str) -> str:
    out = ["// Made from sql/migrations, sql/routines and sql/bootstrap.", "#pragma once", "#include <array>",
           "#include \"core/base/statement.h\"", "namespace tekil::sql {"]
    migrations = []
    folder = os.path.join(root, "migrations")
    for file in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        match = re.fullmatch(r"V(\d{4})__([a-z0-9_]+)\.sql", file)
        if not match:
            raise SystemExit("sql/migrations/%s: the name must be V0001__words.sql" % file)
        text = read(os.path.join(folder, file))
        digest = hashlib.sha256(text.encode()).hexdigest()
        migrations.append('{%d, "%s", "%s", %s}' % (int(match[1]), match[2], digest, literal(text)))
    routines, digest = [], hashlib.sha256()
    for folder, _, files in sorted(os.walk(os.path.join(root, "routines"))):
        for file in sorted(f for f in files if f.endswith(".sql")):
            path = os.path.join(folder, file)
            name = os.path.relpath(path, os.path.join(root, "routines")).removesuffix(".sql")
            text = read(path)
            digest.update(name.encode() + b"\0" + text.encode() + b"\0")
            routines.append((name, text))
    # A routine names what it needs in a first line "-- needs: a/b c/d", so that the order of files is no accident.
    needs = {n: re.findall(r"\S+", m[1]) if (m := re.search(r"^-- needs: (.*)$", t, re.M)) else [] for n, t in routines}
    text_of, done, order = dict(routines), set(), []

    def place(name: str, way: tuple) -> None:
        if name in done:
            return
        if name in way:
            raise SystemExit("sql/routines: a circle of needs: " + " -> ".join(way + (name,)))
        if name not in text_of:
            raise SystemExit("sql/routines: %s needs %s, which does not exist" % (way[-1], name))
        for other in needs[name]:
            place(other, way + (name,))
        done.add(name)
        order.append(name)

    for name, _ in routines:
        place(name, ())
    out.append("inline constexpr std::array<Migration, %d> kMigrations{{" % len(migrations))
    out.append(",\n".join(migrations) + "}};")
    out.append("inline constexpr std::array<Routine, %d> kRoutines{{" % len(order))
    out.append(",\n".join('{"%s", %s}' % (n, literal(text_of[n])) for n in order) + "}};")
    out.append('inline constexpr std::string_view kRoutinesDigest = "%s";' % digest.hexdigest())
    roles = os.path.join(root, "bootstrap", "roles.sql")
    out.append("inline constexpr std::string_view kBootstrapRoles = %s;" % literal(read(roles) if os.path.exists(roles) else ""))
    out.append("}")
    return "\n".join(out) + "\n"


def write(target: str, text: str) -> None:
    if not os.path.exists(target) or read(target) != text:
        with open(target, "w", encoding="utf-8", newline="") as f:
            f.write(text)


def main() -> None:
    root, kind, folder = sys.argv[1:4]
    os.makedirs(folder, exist_ok=True)
    header = "sql_%s.h" % kind
    if kind == "schema":
        write(os.path.join(folder, header), schema(root))
    else:
        names, texts = statements(root, kind, header)
        write(os.path.join(folder, header), names)
        write(os.path.join(folder, "sql_%s.cpp" % kind), texts)


main()
