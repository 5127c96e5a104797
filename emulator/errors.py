"""Refusals, each with the body the contract gives it (1.2, 10)."""

from typing import Any

JsonObject = dict[str, Any]


class ApiError(Exception):
    """An answer that is not a success."""

    def __init__(
        self, status: int, body: JsonObject, *, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(f"{status} {body.get('error')}")
        self.status = status
        self.body = body
        self.headers = headers or {}


def bad_request(message: str, *, field: str | None = None) -> ApiError:
    body: JsonObject = {"error": message, "code": "VALIDATION_ERROR"}
    if field is not None:
        body["fields"] = {field: message}
    return ApiError(400, body)


def unauthorized(message: str = "The API key is missing, unknown, expired or revoked.") -> ApiError:
    return ApiError(401, {"error": message, "code": "UNAUTHORIZED"})


def forbidden(message: str) -> ApiError:
    return ApiError(403, {"error": "forbidden", "message": message, "code": "FORBIDDEN"})


def not_found(kind: str, resource_id: str) -> ApiError:
    return ApiError(
        404,
        {
            "error": f"{kind} not found",
            "code": "NOT_FOUND",
            "resourceType": kind,
            "resourceId": resource_id,
        },
    )


def wrong_state(message: str, *, current: str, required: str | None = None) -> ApiError:
    body: JsonObject = {"error": message, "code": "INVALID_STATE", "currentState": current}
    if required is not None:
        body["requiredState"] = required
    return ApiError(409, body)


def budget_exceeded(message: str) -> ApiError:
    """Contract 10, row 16."""
    error = {"message": message, "type": "insufficient_funds", "code": "budget_exceeded"}
    return ApiError(402, {"error": error})


def rate_limited(*, current: int, limit: int, retry_after_s: int) -> ApiError:
    """Contract 10, row 22."""
    body: JsonObject = {
        "error": "Too many requests.",
        "code": "QUOTA_EXCEEDED",
        "retryAfter": retry_after_s,
        "quotaType": "requests_per_minute",
        "current": current,
        "limit": limit,
    }
    return ApiError(429, body, headers={"Retry-After": str(retry_after_s)})


def not_supported(message: str) -> ApiError:
    return ApiError(501, {"error": message, "code": "NOT_SUPPORTED"})


def over_quota(kind: str, *, current: object, limit: int, status: int) -> ApiError:
    """An account's limit other than its rate: 403 or 429 with the figures (contract 9)."""
    return ApiError(
        status,
        {
            "error": f"The account's limit of {kind} is {limit}.",
            "code": "QUOTA_EXCEEDED",
            "quotaType": kind,
            "current": current,
            "limit": limit,
        },
    )
