#!/usr/bin/env python3
"""Checks the direction of dependency: gui -> cluster -> engine -> kernels -> base. Nothing points back.

Also: no Qt below gui/, no CUDA header outside kernels/cuda and the NCCL communicator, no sockets in engine/ except
engine/server and engine/benchmark (which measures servers), and no file of a layer includes tests/.
usage: check_layers.py [ROOT]; prints every offending line and exits 1 when there is one.
"""
import pathlib
import re
import sys

LAYERS = ["base", "kernels", "engine", "cluster", "gui"]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SOCKETS = re.compile(r"^(sys/socket|netinet/|arpa/|httplib)")
CUDA = re.compile(r"^(cuda|cublas|nccl|curand)")


def problems_of(root: pathlib.Path, path: pathlib.Path):
    relative = path.relative_to(root)
    layer = relative.parts[0]
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        kind, target = match.groups()
        first = target.split("/")[0]
        problem = None
        if kind == '"' and first in LAYERS and LAYERS.index(first) > LAYERS.index(layer):
            problem = f"{layer}/ must not include {first}/"
        elif kind == '"' and first == "tests":
            problem = f"{layer}/ must not include tests/"
        elif kind == "<" and re.match(r"^Q[A-Z]|^Qt", target) and layer != "gui":
            problem = "Qt is for gui/ only"
        elif SOCKETS.match(target) and layer != "cluster" and relative.parts[:2] != ("engine", "server") and relative.parts[:2] != ("engine", "benchmark"):
            problem = "sockets are for engine/server/, engine/benchmark/ and cluster/ only"
        elif CUDA.match(target) and relative.parts[:2] != ("kernels", "cuda") and layer != "cluster":
            problem = "CUDA headers are for kernels/cuda/ and cluster/ only"
        if problem:
            yield f"{relative}:{number}: {problem}: {line.strip()}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]).resolve()
    files = [p for layer in LAYERS for p in sorted((root / layer).rglob("*")) if p.suffix in {".h", ".cpp", ".cu", ".cuh"}]
    if not files:
        sys.exit(f"{root}: no source file found")
    problems = [problem for path in files for problem in problems_of(root, path)]
    for problem in problems:
        print(problem)
    print(f"{len(files)} files checked, {len(problems)} includes against the direction of dependency")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
