#!/usr/bin/env python3
"""Runs the benchmark programs one after the other and prints one table: what `--target benchmarks` does."""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

WINDOW_STARTS = 5
DEMO_TOKENS = 128
TIMEOUT_S = 1800


def output_of(command):
    """Standard output; the program's own progress goes to our stderr."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=TIMEOUT_S).stdout


def kernel_rows(program):
    report = json.loads(output_of([program, "--benchmark_filter=^ReadBandwidth/", "--benchmark_format=json"]))
    rows = []
    for run in report["benchmarks"]:
        threads = run["name"].split("/")[1]
        rows.append(("memory", f"read bandwidth, {threads} thread{'' if threads == '1' else 's'}",
                     f"{run['bytes_per_second'] / 1e9:.2f}", "GB/s"))
    return list(dict.fromkeys(rows))  # a machine of one core has the same line twice


def decode_rows(program, arguments):
    report = json.loads(output_of([program, "--json", *arguments]))
    rows = [(row["subject"], row["what"], f"{row['value']:.{row['decimals']}f}", row["unit"]) for row in report["rows"]]
    return report["device"], rows


def demo_rows(program):
    """The model is so small that most of a token's time is the engine's own."""
    command = [program, "generate", "demo", "--prompt", "Hello", "--max-tokens", str(DEMO_TOKENS), "--ignore-eos",
               "--temperature", "0", "--json"]
    timings = min((json.loads(output_of(command))["timings"] for _ in range(3)), key=lambda times: times["tpot_ms"])
    return [("demo", "first token after", f"{timings['ttft_ms']:.1f}", "ms"),
            ("demo", f"tandem-node generate, {DEMO_TOKENS} tokens", f"{timings['tokens_per_s']:.0f}", "tok/s"),
            ("demo", "time per token", f"{timings['tpot_ms']:.2f}", "ms")]


def first_paint_ms(program, home):
    environment = dict(os.environ, TANDEM_HOME=home)
    if not (environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")):
        environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    process = subprocess.Popen([program, "--print-startup-time"], env=environment, stderr=subprocess.PIPE, text=True)
    try:
        for line in process.stderr:
            if found := re.match(r"start to first paint: (\d+) ms", line):
                return int(found[1])
            sys.stderr.write(line)
        raise RuntimeError(f"{program} ended without a first paint, exit status {process.wait(timeout=60)}")
    finally:
        process.terminate()
        process.communicate(timeout=60)


def window_rows(program):
    with tempfile.TemporaryDirectory(prefix="tandem-benchmark-") as home:
        times = [first_paint_ms(program, home) for _ in range(WINDOW_STARTS)]
    return [("window", "first start to first paint", str(times[0]), "ms"),
            ("window", f"later starts, median of {len(times) - 1}", f"{statistics.median(times[1:]):.0f}", "ms")]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernels", required=True, help="the program kernels_benchmark")
    parser.add_argument("--decode", required=True, help="the program decode_benchmark")
    parser.add_argument("--node", required=True, help="the program tandem-node")
    parser.add_argument("--window", help="the program tandem; left out: the window is not measured")
    parser.add_argument("decode_arguments", nargs="*", help="after --: arguments of decode_benchmark")
    arguments = parser.parse_args()

    device, rows = decode_rows(arguments.decode, arguments.decode_arguments)
    rows += kernel_rows(arguments.kernels) + demo_rows(arguments.node)
    rows += window_rows(arguments.window) if arguments.window else []

    print(f"\n{device}. Q8_0 and Q4_K: shape of Qwen3-0.6B, random weights.")
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    for subject, what, value, unit in rows:
        print(f"{subject:<{widths[0]}}  {what:<{widths[1]}}  {value:>{widths[2]}} {unit}".rstrip())


if __name__ == "__main__":
    try:
        main()
    except (subprocess.SubprocessError, RuntimeError, OSError) as error:
        sys.exit(f"benchmarks: {error}")
