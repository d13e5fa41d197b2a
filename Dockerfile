# The dashboard and its worker, without root, for many visitors; docs/hosting.md says how to run it.
FROM python:3.11-slim-bookworm

# tini reaps the processes that the app and the worker start and leave behind.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends tini=0.19.* \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 1000 --no-create-home --home-dir /tmp s2s \
    && install --directory --owner=s2s --group=s2s /data

WORKDIR /app

# Where pip looks for torch. Empty is pip's default, whose build for Linux brings about 2.2 GB of libraries for GPUs; the index
# with the CPU builds is on PyTorch's page "Start locally".
ARG TORCH_INDEX=""
COPY requirements.txt ./
RUN grep '^torch==' requirements.txt > /tmp/torch.txt \
    && pip install --no-cache-dir ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} --requirement /tmp/torch.txt \
    && pip install --no-cache-dir --requirement requirements.txt 'psycopg[binary]>=3.2' \
    && rm /tmp/torch.txt

COPY .streamlit .streamlit
COPY pages pages
COPY pyproject.toml ./
COPY s2s s2s
COPY streamlit_app.py ./
# The files keep the modes that they have here, and may be closed to others.
RUN python -m compileall -q pages s2s streamlit_app.py \
    && chmod -R a+rX .

ENV HOME=/tmp \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    S2S_HOME=/data \
    S2S_HOSTED=1 \
    S2S_WORKER=inside \
    STREAMLIT_SERVER_ADDRESS=0.0.0.0 \
    STREAMLIT_SERVER_HEADLESS=true \
    STREAMLIT_SERVER_PORT=8501

USER 1000:1000
VOLUME /data
EXPOSE 8501
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "from os import environ; from urllib.request import urlopen; urlopen(f'http://127.0.0.1:{environ[\"STREAMLIT_SERVER_PORT\"]}/ready', timeout=4)"]
ENTRYPOINT ["tini", "--"]
CMD ["python", "-m", "streamlit", "run", "streamlit_app.py"]
