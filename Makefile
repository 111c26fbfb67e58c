# The two commands of the README are `make demo` and `make test`; each target sets up what it needs first.
.PHONY: demo run test test-slow check eval train train-scans conformance limits bench clean lock documents docs screenshots sizing storm soak monitoring sbom
PY := .venv/bin/python
# Byte code is kept: a run of the tests starts hundreds of processes, and each would compile what it imports.
unexport PYTHONDONTWRITEBYTECODE

demo:  ## the whole tour on sample documents, in embedded mode
	@scripts/setup run
	@$(PY) -m examples.demo

run:  ## serve dashboard and API on http://127.0.0.1:8000 in embedded mode; PORT=9000 chooses another port
	@scripts/setup run
	@.venv/bin/masker serve --port $(or $(PORT),8000)

# Files in the order of their folders: what a package's tests share is made once. Three at a time on two cores, because
# tests wait: for servers, browsers and limits.
test:  ## the test suite, against real servers that it starts itself
	@scripts/setup test
	@$(PY) -m pytest -n 4 --dist loadfile --no-loadscope-reorder

test-slow:  ## corpora and fault matrices
	@scripts/setup slow
	@scripts/setup checkers
	@scripts/setup sbom
	@$(PY) -m pytest -n 2 --dist loadfile -m slow --timeout 1800

check:  ## format, lint, types, import walls
	@scripts/setup check
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy
	.venv/bin/lint-imports

# For the peers: the service itself switches the reports of ONNX Runtime off.
eval: export ORT_DISABLE_TELEMETRY := 1
eval:  ## score the detector on labelled messages and corpora beside others, write docs/accuracy.md
	@scripts/setup check
	@scripts/setup bench
	@scripts/setup rampart
	@$(PY) -m benchmarks.accuracy

conformance:  ## match contract tests with the specification, write docs/conformance.md
	@scripts/setup check
	@$(PY) -m scripts.conformance

limits:  ## write docs/limits.md from the tables of bounds in the code
	@scripts/setup check
	@$(PY) -m scripts.limits

bench:  ## speed and memory, each as a ratio against a peer or a floor of the same run
	@scripts/setup test
	@scripts/setup scans
	@scripts/setup bench
	@$(PY) -m benchmarks.report

sizing:  ## measure documents on a running system, simulate large ones, write docs/sizing.md
	@scripts/setup test
	@$(PY) -m benchmarks.sizing

storm:  ## kill, freeze and cut off all parts under load, twice ten minutes, write docs/reliability.md
	@scripts/setup test
	@$(PY) -m benchmarks.storm

soak:  ## thirty minutes of even load, write its section of docs/reliability.md: memory, descriptors, connections, objects, p99 by route
	@scripts/setup test
	@$(PY) -m benchmarks.storm.soak

train:  ## train the name taggers anew from ../shared/data (minutes on a GPU, days else), write their weights and how they are combined
	@scripts/setup check
	@scripts/setup train
	@scripts/names/run

train-scans:  ## train the line recognizers and the text detector anew on lines and pages that it draws (an hour on a GPU and 16 cores, days else), write their weights
	@scripts/setup scans
	@scripts/setup train
	@scripts/scans/run

docs:  ## build the documentation as a site that needs no network, into build/site; a dead link fails
	@scripts/setup check
	@scripts/setup docs
	@$(PY) -m scripts.documentation

screenshots:  ## take the pictures of README and docs anew, as the browser tests see them
	@scripts/setup test
	@$(PY) -m pytest -m "slow or not slow" tests/contract/dashboard/test_journeys.py
	cp build/screenshots/try.png docs/images/dashboard.png
	cp build/screenshots/before-and-after-residence-permit-form-png.png docs/images/before-after.png

monitoring:  ## watch a running system with a real Prometheus by examples/monitoring, take docs/images/metrics.png
	@scripts/setup slow
	@$(PY) -m scripts.monitoring

sbom:  ## list every package that the service needs, with versions, hashes, licences and where from, in build/sbom.json (CycloneDX)
	@scripts/setup check
	@scripts/setup sbom
	@$(PY) -m scripts.sbom

documents:  ## make the sample documents of examples/documents anew
	@scripts/setup slow
	@$(PY) -m examples.make_documents

lock:  ## rewrite requirements/*.txt from pyproject.toml (needs uv)
	@scripts/lock

clean:  ## remove everything that the targets made
	rm -rf .venv .venv-bench .venv-rampart .venv-checkers .venv-train .venv-docs .venv-sbom build demo-output *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage*
