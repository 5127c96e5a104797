# One image, four commands: web, worker, beat, emulator (see docker-compose.yml).
# Checked statically by tests/meta/test_compose.py; no Docker engine runs where this is developed.
FROM python:3.11-slim

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 FLEETDASH_VAR=/srv/var
WORKDIR /srv/fleetdash

COPY requirements.lock ./
RUN pip install --require-hashes -r requirements.lock

COPY manage.py ./
COPY fleetdash fleetdash
COPY fleets fleets
COPY emulator emulator
COPY templates templates
COPY static static
# The static files need no secret and no database: these two words are for this step alone.
RUN useradd --system --uid 10001 --home-dir /srv fleetdash \
 && mkdir -p /srv/var \
 && SECRET_KEY=build FLEETDASH_KEY_RING=build DATABASE_URL=postgres://build/build REDIS_URL=redis://build \
    python manage.py collectstatic --noinput \
 && chown -R fleetdash /srv/var

USER fleetdash
EXPOSE 8000
CMD ["python", "-m", "uvicorn", "fleetdash.asgi:application", "--host", "0.0.0.0", "--port", "8000", "--timeout-graceful-shutdown", "3", "--no-access-log"]
