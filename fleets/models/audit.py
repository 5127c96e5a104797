"""Who did what: append-only, guarded by a trigger."""

import pgtrigger
from django.conf import settings
from django.db import models


class AuditEvent(models.Model):
    """One act, with what was before and after. Rows are never changed and never deleted."""

    at = models.DateTimeField()
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True)
    act = models.CharField(max_length=60)
    object_type = models.CharField(max_length=40)
    object_id = models.CharField(max_length=80)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    reason = models.CharField(max_length=300, blank=True, default="")
    door = models.CharField(max_length=20)
    request_id = models.CharField(max_length=40, blank=True, default="")

    class Meta:
        ordering = ["-at", "-pk"]
        indexes = [models.Index(fields=["object_type", "object_id"], name="audit_object")]
        triggers = [
            pgtrigger.Protect(name="append_only", operation=pgtrigger.Update | pgtrigger.Delete)
        ]

    def __str__(self) -> str:
        return f"{self.act} {self.object_type} {self.object_id}"
