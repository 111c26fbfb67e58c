"""Watches a running system with Prometheus, by the rules and dashboard of examples/monitoring, and takes its picture.

    python -m scripts.monitoring [--seconds 90] [--picture FILE]

Needs Debian's packages `prometheus` (its service need not run) and `chromium`. Starts `masker serve` in embedded mode
and a Prometheus that asks it every second, makes calls and redacts files, good and bad ones, and then asks Prometheus
for every panel of the Grafana dashboard and for what the adapter's rule gives each autoscaler. Exit status 1 when
promtool or Prometheus refuses one. Prometheus's own page with two of the panels is the picture, docs/images/metrics.png
if no other file is named.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlencode

import httpx
import yaml
from playwright.sync_api import sync_playwright

from examples.server import Server, embedded_server, free_port
from schemas.stages import Queue

ROOT = Path(__file__).parents[1]
MONITORING = ROOT / "examples" / "monitoring"
TARGET = ROOT / "docs" / "images" / "metrics.png"
_STEP = "15s"  # Grafana's $__rate_interval at so short a scrape interval
_SHOWN = ("Calls by status", "Stages by outcome")
_TEXT = "Reem Alharbi, ID 1012345672, call 0501234567, reem@example.com."


def panels() -> dict[str, list[str]]:
    """The expressions of each panel of the dashboard, by its title, as Prometheus takes them."""
    board = json.loads((MONITORING / "grafana.json").read_text())
    return {
        panel["title"]: [target["expr"].replace("$__rate_interval", _STEP) for target in panel["targets"]]
        for panel in board["panels"]
    }


@contextmanager
def prometheus(metrics_port: int) -> Iterator[str]:
    """The address of a Prometheus that watches the port, gone with its data at the end."""
    with tempfile.TemporaryDirectory(prefix="masker-prometheus-") as folder:
        settings = {
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": [str(MONITORING / "alerts.yaml")],
            "scrape_configs": [{"job_name": "masker", "static_configs": [{"targets": [f"127.0.0.1:{metrics_port}"]}]}],
        }
        file = Path(folder) / "prometheus.yml"
        file.write_text(json.dumps(settings))  # JSON is YAML
        address = f"127.0.0.1:{free_port()}"
        process = subprocess.Popen(
            [
                "prometheus",
                f"--config.file={file}",
                f"--storage.tsdb.path={folder}/data",
                f"--web.listen-address={address}",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            for _ in range(100):
                with suppress(httpx.TransportError):
                    if httpx.get(f"http://{address}/-/ready").is_success:
                        break
                time.sleep(0.1)
            else:
                raise SystemExit("Prometheus was not ready after 10 s")
            yield f"http://{address}"
        finally:
            process.terminate()
            process.wait(timeout=30)


def load(server: Server, seconds: float) -> None:
    """Calls of every kind for some seconds, and files beside them: two in good order, one that breaks off."""
    ended = time.monotonic() + seconds
    documents = ROOT / "examples" / "documents"
    files = [
        ("letter.pdf", (documents / "customer-letter.pdf").read_bytes()),
        ("form.png", (documents / "residence-permit-form.png").read_bytes()),
        ("broken.png", (documents / "residence-permit-form.png").read_bytes()[:5000]),
    ]

    def upload() -> None:
        with httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {server.key}"}, timeout=60) as client:
            while time.monotonic() < ended:
                for file in files:
                    client.post("/api/v1/files/redact", files={"file": file})
                time.sleep(10)

    uploads = threading.Thread(target=upload)
    uploads.start()
    with httpx.Client(base_url=server.url, timeout=60) as client:
        number = 0
        while time.monotonic() < ended:
            number += 1
            bearer = server.key if number % 10 else "mk_live_wrong"
            path, body = ("mask", {"text": _TEXT}) if number % 3 else ("redact", {"text": _TEXT * 20})
            client.post(f"/api/v1/{path}", json=body, headers={"Authorization": f"Bearer {bearer}"})
            time.sleep(0.05)
    uploads.join()


def scaled_by(queue: str) -> str:
    """The expression by which the adapter's rule gives an autoscaler the age of a queue's oldest work."""
    (rule,) = yaml.safe_load((MONITORING / "prometheus-adapter.yaml").read_text())["externalRules"]
    (name,) = re.findall(r'__name__="(\w+)"', rule["seriesQuery"])
    query: str = rule["metricsQuery"]
    return query.replace("<<.Series>>", name).replace("<<.LabelMatchers>>", f'queue="{queue}"')


def series(address: str, expression: str) -> int:
    """How many series Prometheus has for an expression. SystemExit when it refuses it."""
    answer = httpx.get(f"{address}/api/v1/query", params={"query": expression}).json()
    if answer["status"] != "success":
        raise SystemExit(f"Prometheus refuses {expression}: {answer['error']}")
    return len(answer["data"]["result"])


def picture(address: str, target: Path) -> None:
    """Prometheus's own page with some of the panels."""
    asked = {}
    for number, title in enumerate(_SHOWN):
        asked |= {f"g{number}.expr": panels()[title][0], f"g{number}.tab": "0", f"g{number}.range_input": "2m"}
        asked |= {f"g{number}.step_input": "1", f"g{number}.stacked": "0"}
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        page = browser.new_page(viewport={"width": 1200, "height": 1680})
        page.goto(f"{address}/classic/graph?{urlencode(asked)}")
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(1000)
        page.screenshot(path=target)
        browser.close()


def main() -> None:
    """Watch, ask, take the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=90, help="of load")
    parser.add_argument("--picture", type=Path, default=TARGET, help="where the picture is written")
    chosen = parser.parse_args()
    for program in ("prometheus", "promtool", "chromium"):
        if shutil.which(program) is None:
            sys.exit(f"{program} is not installed")
    subprocess.run(["promtool", "check", "rules", MONITORING / "alerts.yaml"], check=True)
    port = free_port()
    settings = {"METRICS_PORT": str(port), "RATE_LIMIT_PER_MINUTE": "100000", "CONCURRENT_JOBS": "10"}
    with embedded_server("operator@example.com", paid_tokens=10**9, **settings) as server, prometheus(port) as address:
        load(server, chosen.seconds)
        time.sleep(2)
        for title, expressions in panels().items():
            print(f"{title}: {', '.join(str(series(address, one)) for one in expressions)} series")
        for queue in Queue:
            print(f"Autoscaler of {queue.value}: {series(address, scaled_by(queue.value))} series")
        groups = httpx.get(f"{address}/api/v1/rules").json()["data"]["groups"]
        rules = [rule for group in groups for rule in group["rules"]]
        sick = [rule["name"] for rule in rules if rule["health"] != "ok"]
        print(f"{len(rules)} rules, firing: {', '.join(r['name'] for r in rules if r['state'] == 'firing') or 'none'}")
        picture(address, chosen.picture)
    if sick:
        sys.exit(f"Prometheus cannot evaluate {', '.join(sick)}")


if __name__ == "__main__":
    main()
