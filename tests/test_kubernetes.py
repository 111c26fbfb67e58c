"""The Kubernetes manifests of examples/kubernetes: their schema, and that they fit this version of the service."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from api.http.server import GRACE_SECONDS
from schemas.settings import Settings
from schemas.stages import Queue
from schemas.version import VERSION
from workers.processes import DRAIN_SECONDS

FOLDER = Path(__file__).parents[1] / "examples" / "kubernetes"
MONITORING = FOLDER.parent / "monitoring"
KUBERNETES = "1.31"


def manifests() -> Iterator[dict[str, Any]]:
    for path in sorted(FOLDER.glob("*.yaml")):
        if path.name != "kustomization.yaml":
            yield from yaml.safe_load_all(path.read_text())


def pods() -> Iterator[tuple[str, dict[str, Any]]]:
    for manifest in manifests():
        if manifest["kind"] in ("Deployment", "Job"):
            yield manifest["metadata"]["name"], manifest["spec"]["template"]


def identity(manifest: dict[str, Any]) -> str:
    return f"{manifest['kind']}/{manifest['metadata']['name']}"


@pytest.mark.parametrize("manifest", manifests(), ids=identity)
def test_it_is_a_resource_of_kubernetes(manifest: dict[str, Any]) -> None:
    kubernetes_validate.validate(manifest, KUBERNETES, strict=True)


def test_the_schema_is_strict() -> None:
    wrong = {"apiVersion": "v1", "kind": "Service", "spec": {"port": 80}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, KUBERNETES, strict=True)


def test_the_kustomization_names_every_file_and_this_version() -> None:
    kustomization = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())
    assert set(kustomization["resources"]) == {path.name for path in FOLDER.glob("*.yaml")} - {"kustomization.yaml"}
    assert [image["newTag"] for image in kustomization["images"]] == [VERSION]
    assert {container["image"] for _, pod in pods() for container in pod["spec"]["containers"]} == {"masker"}


def test_every_queue_has_workers() -> None:
    commands = [pod["spec"]["containers"][0]["command"] for _, pod in pods()]
    served = [command[command.index("--queues") + 1] for command in commands if "worker" in command]
    assert sorted(",".join(served).split(",")) == sorted(Queue)


def test_every_variable_is_a_setting_and_no_secret_is_written() -> None:
    for manifest in manifests():
        assert manifest["kind"] != "Secret"
        for name in manifest.get("data", {}):
            field = Settings.model_fields[name.removeprefix("MASKER_").lower()]
            assert "Secret" not in str(field.annotation)


def test_no_pod_has_more_rights_than_it_needs() -> None:
    for name, pod in pods():
        spec = pod["spec"]
        assert spec["securityContext"]["runAsNonRoot"] is True, name
        assert spec["automountServiceAccountToken"] is False, name
        (container,) = spec["containers"]
        security = container["securityContext"]
        assert security["readOnlyRootFilesystem"] is True and security["allowPrivilegeEscalation"] is False, name
        assert security["capabilities"] == {"drop": ["ALL"]}, name
        assert container["resources"]["limits"].keys() == {"cpu", "memory"}, name
        assert {mount["mountPath"] for mount in container["volumeMounts"]} == {"/tmp", "/var/lib/masker"}, name
        assert all(volume["emptyDir"]["medium"] == "Memory" for volume in spec["volumes"]), name


def external_metrics() -> Iterator[tuple[str, dict[str, Any]]]:
    """By the name of what is scaled."""
    for manifest in manifests():
        if manifest["kind"] == "HorizontalPodAutoscaler":
            for metric in manifest["spec"]["metrics"]:
                if metric["type"] == "External":
                    yield manifest["spec"]["scaleTargetRef"]["name"], metric["external"]


def test_an_autoscaler_gets_one_series_for_each_of_its_queues() -> None:
    """Its value is the sum of the series that it gets, and each API pod tells the same age."""
    rules = yaml.safe_load((MONITORING / "prometheus-adapter.yaml").read_text())
    (rule,) = rules.pop("externalRules")
    assert rules == {} and rule.keys() == {"seriesQuery", "resources", "metricsQuery"}
    assert rule["metricsQuery"] == "max by (queue) (<<.Series>>{<<.LabelMatchers>>})"
    for name, external in external_metrics():
        assert re.findall(r'__name__="(\w+)"', rule["seriesQuery"]) == [external["metric"]["name"]], name
        assert external["metric"]["selector"]["matchLabels"].keys() == {"queue"}, name
        assert external["target"]["type"] == "Value", name  # AverageValue would divide it by the number of pods


def test_every_deployment_has_an_autoscaler() -> None:
    """And names no number of pods, to which each apply would set it back."""
    kinds: dict[str, set[str]] = {"Deployment": set(), "HorizontalPodAutoscaler": set()}
    for manifest in manifests():
        kinds.setdefault(manifest["kind"], set()).add(manifest["metadata"]["name"])
        assert manifest["kind"] != "Deployment" or "replicas" not in manifest["spec"]
    assert kinds["Deployment"] == kinds["HorizontalPodAutoscaler"]


def test_pods_that_are_stopped_have_time_to_end_what_they_do() -> None:
    for name, pod in pods():
        needed = {"api": GRACE_SECONDS, "migrate": 0}.get(name, DRAIN_SECONDS)
        assert pod["spec"]["terminationGracePeriodSeconds"] >= needed + 30, name


def test_the_threads_of_a_pod_do_not_follow_the_processors_of_its_node() -> None:
    """As they do by default, whatever the pod may use of them."""
    for name, pod in pods():
        (container,) = pod["spec"]["containers"]
        names = {variable["name"] for variable in container.get("env", ())}
        assert name == "migrate" or "--threads" in container["command"] or "MASKER_DETECT_MAX_CONCURRENCY" in names, (
            name
        )


def test_selectors_and_scales_name_what_exists() -> None:
    by_name = {manifest["metadata"]["name"]: manifest for manifest in manifests() if manifest["kind"] == "Deployment"}
    components = {name: manifest["spec"]["template"]["metadata"]["labels"] for name, manifest in by_name.items()}
    for manifest in manifests():
        spec = manifest.get("spec", {})
        if manifest["kind"] == "HorizontalPodAutoscaler":
            assert spec["scaleTargetRef"]["name"] in by_name
            metrics = [metric["external"]["metric"] for metric in spec["metrics"] if metric["type"] == "External"]
            queues = [metric["selector"]["matchLabels"]["queue"] for metric in metrics]
            command = by_name[spec["scaleTargetRef"]["name"]]["spec"]["template"]["spec"]["containers"][0]["command"]
            assert queues == (command[command.index("--queues") + 1].split(",") if "worker" in command else [])
        if manifest["kind"] == "Service":
            assert any(spec["selector"].items() <= labels.items() for labels in components.values())
        if manifest["kind"] == "Deployment":
            assert spec["selector"]["matchLabels"] == components[manifest["metadata"]["name"]]
