"""Proves that each rule can fail: plants one breach a rule in a small tree and expects it named, and nothing else."""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CORE = """tekil_room(tekil_base core/base)
tekil_room(tekil_db core/db tekil_base)
tekil_room(tekil_http core/http tekil_base)
tekil_room(tekil_payments core/payments tekil_db tekil_http)
"""
UI = "tekil_ui_room(tekil_widgets ui/widgets tekil_base)\ntekil_ui_room(tekil_shell ui/shell tekil_widgets)\n"
BEASTS = {"core/http/b%d.cpp" % i: "#include <boost/beast/http.hpp>\n" for i in range(7)}

# script, rule, the breach as {path: text}
BREACHES = [
    ("layers", "arrows", {"core/db/a.h": '#include "core/http/b.h"\n'}),
    ("layers", "arrows", {"core/db/a.cpp": '#include "core/payments/b.h"\n'}),
    ("layers", "arrows", {"ui/widgets/a.h": '#include "core/db/b.h"\n'}),
    ("layers", "arrows", {"ui/widgets/a.h": '#include "ui/shell/b.h"\n'}),
    ("layers", "arrows", {"core/payments/a.cpp": '#include "ui/widgets/b.h"\n'}),
    ("layers", "arrows", {"core/http/a.cpp": '#include "sql_queries.h"\n'}),
    ("layers", "arrows", {"tests/ui/shell/a.cpp": '#include "core/db/b.h"\n'}),
    ("layers", "arrows", {"tests/db/x/a.cpp": '#include "ui/widgets/b.h"\n'}),
    ("layers", "arrows", {"core/CMakeLists.txt": CORE.replace("core/db tekil_base", "core/db tekil_payments")}),
    ("layers", "root", {"core/db/a.cpp": '#include "b.h"\n'}),
    ("layers", "light-headers", {"core/http/a.h": "#include <boost/asio/io_context.hpp>\n"}),
    ("layers", "light-headers", {"ui/shell/a.h": "#include <QtWidgets>\n"}),
    ("layers", "no-qt", {"core/db/a.cpp": "#include <QString>\n"}),
    ("layers", "few-beasts", BEASTS),
    ("layers", "links", {"tests/CMakeLists.txt": "tekil_tests(db shell tekil_ui tekil_db)\n"}),
    ("sources", "sql-in-cpp", {"core/db/a.cpp": 'auto a = "select 1 " "from b";\n'}),
    ("sources", "sql-in-cpp", {"ui/shell/a.cpp": 'auto a = R"(update tekil.account set b = 1)";\n'}),
    ("sources", "sql-in-cpp", {"app/daemon/a.cpp": 'auto a = "delete from tekil.account";\n'}),
    ("sources", "sql-in-cpp", {"core/payments/a.cpp": 'auto a = "commit";\n'}),
    ("sources", "floating-point", {"core/base/a.h": "double a;\n"}),
    ("sources", "floating-point", {"sql/routines/x/a.sql": "-- A view.\nselect 1::double precision\n"}),
    ("sources", "locale", {"core/base/a.cpp": "auto a = std::stod(b);\n"}),
    ("sources", "locale", {"ui/shell/a.cpp": "auto a = b.toDouble(&c);\n"}),
    ("sources", "locale", {"core/base/a.cpp": 'setlocale(0, "C");\n'}),
    ("sources", "unfinished", {"core/base/a.cpp": "// TO" "DO later\n"}),
    ("sources", "unfinished", {"packaging/run": "# good enough for" " now\n"}),
    ("sources", "first-line", {"sql/queries/x/a.sql": "select 1\n"}),
    ("paths", "paths", {"README.md": "See core/base/nowhere.h.\n"}),
    ("paths", "paths", {"core/db/a.cpp": "// As ui/shell/nowhere says.\n"}),
    ("paths", "paths", {"core/db/README.md": "`nowhere.h` waits.\n"}),
]
# What looks like a breach and is none.
INNOCENT = {
    "core/payments/a.cpp": '#include "core/base/b.h"\n#include "sql_queries.h"\n'
                           '// a double select from the words; stod( and #include "ui/shell/a.h"\n'
                           'auto a = "begins with"; auto b = "select a payment".size(); auto c = \'"\'; auto d = "double";\n',
    "ui/shell/a.h": '#include "ui/widgets/b.h"\n#include "core/base/b.h"\n#include <QWidget>\n',
    "ui/shell/a.cpp": "auto a = edit->setPlaceholderText(b.simplified());\n",
    "sql/queries/x/a.sql": "-- A double real thing.\nselect 'real'\n",
    "README.md": "`core/payments/a.cpp`, `core/*/a.cpp` and [x](ui/shell/a.h)\n",
}


def run(script: str, tree: dict) -> str:
    with tempfile.TemporaryDirectory() as root:
        for path, text in ({"core/CMakeLists.txt": CORE, "ui/CMakeLists.txt": UI} | tree).items():
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        return subprocess.run([sys.executable, "-B", os.path.join(HERE, script + ".py"), root],
                              capture_output=True, text=True, check=False).stdout


failed = 0
for name, rule, breach in BREACHES:
    said = run(name, breach)
    if "[%s]" % rule not in said:
        failed += 1
        print("%s does not see %s in %s: %r" % (name, rule, breach, said))
for name in ("layers", "sources", "paths"):
    if said := run(name, INNOCENT):
        failed += 1
        print("%s finds what is none: %s" % (name, said))
sys.exit(1 if failed else 0)
