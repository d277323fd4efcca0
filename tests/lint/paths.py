"""What documents and comments name exists: paths from the root everywhere, and files of its own folder in a README."""
import glob
import os
import re

from tree import FOLDERS, ROOT, comments_of, exists, files, finish, line_of, read

PATH = re.compile(r"(?<![\w/.$}~-])(?:%s)/[\w./*-]*[\w*]" % "|".join(FOLDERS))
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)\s#]+)")
OWN_FILE = re.compile(r"`([\w/]+\.(?:h|cpp|sql|py|json))`")
SUFFIXES = ("", ".h", ".cpp", ".sql", ".py", ".md")


def stands(path: str) -> bool:
    if "*" in path:
        return bool(glob.glob(os.path.join(ROOT, path)))
    return any(exists(path + suffix) for suffix in SUFFIXES)


def passages(path: str, text: str) -> list:
    if path.endswith(".md"):
        return [(0, text)]
    if path.endswith((".cpp", ".h")):
        return comments_of(text)
    return [(m.start(), m[0]) for m in re.finditer(r"--[^\n]*" if path.endswith(".sql") else r"#[^\n]*", text)]


problems = []
documents = [name for name in ("README.md", "ARCHITECTURE.md", "CHANGELOG.md") if exists(name)]
# The selftest names what does not exist, on purpose.
checked = [name for name in files(".md", ".cpp", ".h", ".sql", ".py", "CMakeLists.txt", ".cmake")
           if name != "tests/lint/selftest.py"]
for name in documents + checked:
    content = read(name)
    for start, passage in passages(name, content):
        for m in PATH.finditer(passage):
            if not stands(m[0]):
                problems.append((name, line_of(content, start + m.start()), "paths", "there is no %s" % m[0]))
    if name.endswith(".md"):
        folder = os.path.dirname(name)
        # A page of the guide links to another one in its own language: payments.md is payments.en.md there.
        language = re.search(r"\.[a-z]{2}\.md$", name)
        for m in list(LINK.finditer(content)) + list(OWN_FILE.finditer(content)):
            target = m[1].removesuffix(".md") + language[0] if language else m[1]
            if not exists(os.path.join(folder, target)) and not exists(target):
                problems.append((name, line_of(content, m.start()), "paths", "there is no %s" % m[1]))
finish(list(set(problems)))
