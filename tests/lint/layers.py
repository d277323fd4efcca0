"""Who may include whom. The arrows are those of core/CMakeLists.txt and ui/CMakeLists.txt; app alone sees both sides."""
import re

from tree import ROOT, code_of, exists, files, finish, line_of, read

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.M)
QT_MODULES = re.compile(r"Qt(Charts|Concurrent|Core|DBus|Gui|Network|OpenGL|PrintSupport|Sql|Svg|Test|Widgets|Xml)(/Qt\w+)?")
MAX_BEAST_FILES = 6
# Headers made from sql/ and resources/, and who may see them.
GENERATED = {"sql_queries.h": "core", "sql_schema.h": "core", "sql_bench.h": "core", "sql_console.h": "ui", "openapi_json.h": "core"}
# core/ is free of Qt, except where it may serve behind a reader.
QT_IN_CORE = ("core/reconciliation",)


def rooms(path: str, command: str) -> dict:
    """target -> (folder, the targets it links directly)"""
    if not exists(path):
        return {}
    text = re.sub(r"#[^\n]*", "", read(path))
    calls = re.findall(r"\b%s\(\s*(\w+)\s+([\w/]+)([^)]*)\)" % command, text)
    return {target: (folder, libraries.split()) for target, folder, libraries in calls}


def reach(all_rooms: dict) -> dict:
    """folder -> the folders it may include; breaks off where the arrows make a circle."""
    done = {}

    def walk(target: str, way: tuple) -> set:
        if target in way:
            problems.append(("core/CMakeLists.txt", 1, "arrows", "a circle: " + " -> ".join(way + (target,))))
            return set()
        folder, libraries = all_rooms[target]
        if folder not in done:
            seen = {folder}
            for library in libraries:
                if library in all_rooms:
                    seen |= walk(library, way + (target,))
            done[folder] = seen
        return done[folder]

    for name in all_rooms:
        walk(name, ())
    return done


def folder_of(path: str) -> str:
    return "/".join(path.split("/")[:2])


def allowed(path: str, included: str, arrows: dict) -> bool:
    top, folder, target = path.split("/")[0], folder_of(path), folder_of(included)
    if included in GENERATED:
        return GENERATED[included] == top and folder not in ("core/base", "core/http") or top == "tests"
    if top in ("core", "ui"):
        return target in arrows.get(folder, {folder})
    if top == "app":
        return target == folder or target.startswith(("core/", "ui/"))
    if target in ("tests/support", folder):
        return True
    if folder == "tests/support":
        return target == "core/base" or path.startswith("tests/support/ui_") and target.startswith("ui/") \
            or path.startswith("tests/support/template/") and target == "core/db"
    return target == "core/base" or target.startswith("ui/" if folder == "tests/ui" else "core/")


def check_includes(path: str, text: str, arrows: dict) -> None:
    is_header = path.endswith(".h")
    for m in INCLUDE.finditer(text):
        line = line_of(text, m.start())
        own, system = m[1], m[2]
        if own and own.endswith(".moc"):
            continue
        if own and "/" not in own and own not in GENERATED:
            problems.append((path, line, "root", '"%s" must start at the root, as in "core/base/money.h"' % own))
        elif own and not allowed(path, own, arrows):
            problems.append((path, line, "arrows", "%s may not include %s" % (folder_of(path), own)))
        elif system and is_header and re.match(r"boost/(asio|beast)", system):
            problems.append((path, line, "light-headers", "no header includes <%s>" % system))
        elif system and is_header and QT_MODULES.fullmatch(system):
            problems.append((path, line, "light-headers", "<%s> is a whole module; include the class" % system))
        elif system and re.match(r"Q[A-Zt]", system) and path.startswith(("core/", "app/daemon/", "app/bank/")) \
                and (is_header or folder_of(path) not in QT_IN_CORE):
            problems.append((path, line, "no-qt", "the engine's side is free of Qt: <%s>" % system))


def check_links() -> None:
    for path in files("CMakeLists.txt", under=("core", "ui", "tests")):
        text = re.sub(r"#[^\n]*", "", read(path))
        for m in re.finditer(r"\w+\([^)]*\)", text):
            ui = re.search(r"\btekil_(ui\w*|widgets|shell)\b", m[0])
            core = re.search(r"\btekil_(core|engine|payments|ledger|people|providers|http|db|sandbox)\b", m[0])
            if ui and core:
                problems.append((path, line_of(text, m.start()), "links", "only app links %s with %s" % (ui[0], core[0])))


problems = []
all_rooms = rooms("core/CMakeLists.txt", "tekil_room") | rooms("ui/CMakeLists.txt", "tekil_ui_room")
all_rooms |= {"tekil_base": all_rooms.get("tekil_base", ("core/base", []))}
may_include = reach(all_rooms)
beast = []
for name in files(".cpp", ".h", under=("app", "core", "ui", "tests")):
    content = read(name)
    # Comments are blanked, but an include's own name is a literal and must stay.
    bare = code_of(re.sub(r'(#[ \t]*include[ \t]*)"([^"\n]+)"', r"\1@\2@", content)).replace("@", '"')
    check_includes(name, bare, may_include)
    if re.search(r"#[ \t]*include[ \t]*<boost/beast", bare):
        beast.append(name)
if len(beast) > MAX_BEAST_FILES:
    problems.append((beast[-1], 1, "few-beasts", "%d files include Boost.Beast, at most %d may: %s"
                     % (len(beast), MAX_BEAST_FILES, ", ".join(beast))))
check_links()
finish(problems)
