#!/usr/bin/env python3
"""Renders the case tables of this folder with Python's Jinja2 and writes cases.json and model_cases.json.

Needs python3-jinja2 (3.1 or newer). Run it by hand after a change to case_table.py, model_conversations.py or templates/;
the C++ tests read only its output. `--extra FOLDER` renders further *.jinja files from FOLDER into extra_cases.json beside
them, for templates that are not part of this repository.
"""
import json
import pathlib
import sys

import jinja2
import jinja2.ext
import jinja2.nodes
import jinja2.sandbox

from case_table import CASES, V
from model_conversations import conversations

HERE = pathlib.Path(__file__).parent


class Raised(jinja2.exceptions.TemplateError):
    """What raise_exception raises."""


class Generation(jinja2.ext.Extension):
    """{% generation %} … {% endgeneration %}: prints its body."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_print"), [], [], body).set_lineno(line)

    def _print(self, caller):
        return caller()


def raise_exception(message):
    raise Raised(message)


def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def environment():
    env = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols]
    )
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = lambda fmt: fmt  # no clock in golden data
    return env


def outcome(env, source, variables):
    try:
        return {"expected": env.from_string(source).render(**variables)}
    except Raised as error:
        return {"raised": str(error)}
    except Exception as error:  # whatever Python does, the engine must fail too
        return {"fails": f"{type(error).__name__}: {error}"}


def main():
    env = environment()
    table = []
    for name, source, variables in CASES:
        table.append({"name": name, "template": source, **outcome(env, source, variables)})
    names = [case["name"] for case in table]
    assert len(names) == len(set(names)), "case names repeat"
    assert not [case["name"] for case in table if " at 0x" in case.get("expected", "")], "an address is no golden data"
    write(HERE / "cases.json", {"jinja2": jinja2.__version__, "variables": V, "cases": table})
    write_models(env, HERE / "templates", HERE / "model_cases.json")
    if len(sys.argv) == 3 and sys.argv[1] == "--extra":
        folder = pathlib.Path(sys.argv[2])
        write_models(env, folder, folder / "extra_cases.json")


def write_models(env, folder, path):
    templates = {file.stem: file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.jinja"))}
    cases = []
    for template, source in templates.items():
        for name, variables in conversations():
            cases.append({"template": template, "name": name, "variables": variables, **outcome(env, source, variables)})
    write(path, {"jinja2": jinja2.__version__, "templates": templates, "cases": cases})


def write(path, value):
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    cases = value["cases"]
    print(f"{path}: {len(cases)} cases, {sum('expected' in case for case in cases)} render")


if __name__ == "__main__":
    main()
