# One image for every service of compose.yaml; the command chooses what it is. Build tools stay in the first stage.
FROM debian:12-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /srv/masker
COPY requirements/runtime.txt requirements/assets.txt requirements/
RUN python3 -m venv .venv && .venv/bin/pip install --no-cache-dir --require-hashes -r requirements/runtime.txt \
    && .venv/bin/pip install --no-cache-dir --require-hashes --no-deps -r requirements/assets.txt
COPY pyproject.toml README.md LICENSE ./
COPY schemas schemas
COPY storage storage
COPY pipeline pipeline
COPY workers workers
COPY masker masker
COPY api api
RUN .venv/bin/pip install --no-cache-dir --no-deps --no-build-isolation --editable . \
    && .venv/bin/python -m compileall -q schemas storage pipeline workers api \
    && .venv/bin/pip uninstall --yes --quiet setuptools pip

FROM debian:12-slim
RUN apt-get update && apt-get install -y --no-install-recommends python3 libseccomp2 \
    tesseract-ocr tesseract-ocr-eng tesseract-ocr-ara libzbar0 libdmtx0b \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --home-dir /srv/masker --shell /usr/sbin/nologin masker
COPY --from=build /srv/masker /srv/masker
WORKDIR /srv/masker
ENV PATH=/srv/masker/.venv/bin:$PATH PYTHONUNBUFFERED=1 MASKER_DATA_DIR=/var/lib/masker
RUN install -d -o masker -g masker -m 0700 /var/lib/masker
USER masker
EXPOSE 8000
CMD ["masker", "serve", "--host", "0.0.0.0"]
