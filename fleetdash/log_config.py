"""Structured logs: text for people, JSON lines for machines. Secrets are never given to a
logger.
"""

import logging
import logging.config
from typing import Any

import structlog


def without_refusals(record: logging.LogRecord) -> bool:
    """A refusal is an answer and no breakdown: its line stays, the way through the code goes."""
    if record.levelno < logging.ERROR:
        record.exc_info = None
    return True


_SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def logging_config(*, level: str, output: str) -> None:
    """Set up logging. `level` is a logging level name, `output` is `text` or `json`."""
    renderer: Any = (
        structlog.processors.JSONRenderer()
        if output == "json"
        else structlog.dev.ConsoleRenderer(colors=False)
    )
    structlog.configure(
        processors=[*_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {
                "main": {
                    "()": structlog.stdlib.ProcessorFormatter,
                    "processors": [
                        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                        structlog.processors.format_exc_info,
                        renderer,
                    ],
                    "foreign_pre_chain": _SHARED,
                }
            },
            "filters": {"without_refusals": {"()": lambda: without_refusals}},
            "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "main"}},
            "root": {"handlers": ["console"], "level": level},
            "loggers": {
                "django.request": {"filters": ["without_refusals"]},
                "httpx": {"level": "WARNING"},
                "celery.app.trace": {"level": "WARNING"},
                "celery.worker.strategy": {"level": "WARNING"},
                "uvicorn.access": {"level": "WARNING"},
            },
        }
    )
