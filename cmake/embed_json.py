"""Writes a header with a JSON file as a C++ constant (see cmake/TekilJson.cmake); breaks off where it is no valid JSON."""
import json
import os
import sys

PIECE = 12000  # keeps the header readable


def once(pairs: list) -> dict:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member comes twice among: " + ", ".join(name for name, _ in pairs))
    return members


def main() -> None:
    source, name, target = sys.argv[1:4]
    with open(source, encoding="utf-8", newline="") as f:
        text = f.read()
    try:
        json.loads(text, object_pairs_hook=once)
    except ValueError as fault:
        raise SystemExit("%s: %s" % (os.path.basename(source), fault))
    literal = "\n".join('R"~json~(' + text[i:i + PIECE] + ')~json~"' for i in range(0, len(text), PIECE))
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "w", encoding="utf-8", newline="") as f:
        f.write("// Made from resources/%s.json.\n#pragma once\n#include <string_view>\nnamespace tekil::resources {\n"
                "inline constexpr std::string_view %s = %s;\n}\n" % (name, name, literal))


main()
