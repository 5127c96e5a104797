"""The tables, one subject per file."""

from fleets.models.agents import Agent, AgentProfile
from fleets.models.audit import AuditEvent
from fleets.models.catalog_orders import CatalogAct, CatalogOrder
from fleets.models.connections import Connection
from fleets.models.definitions import (
    Definition,
    DefinitionDraft,
    DefinitionRevision,
    StoredRows,
)
from fleets.models.drafts import Draft, Syntax
from fleets.models.events import FleetEvent, TurnEvent
from fleets.models.fleets import Fleet
from fleets.models.machines import Machine
from fleets.models.operations import NodeKind, Operation, OperationNode
from fleets.models.people import Team, Theme, User
from fleets.models.profile_bulk import BulkOutcome, ProfileBulkChange, ProfileBulkItem
from fleets.models.profile_follows import ProfileFollow
from fleets.models.profile_imports import ProfileImport
from fleets.models.profile_texts import ProfileText
from fleets.models.profile_trials import ProfileTrial
from fleets.models.profiles import (
    Catalog,
    Profile,
    ProfileDraft,
    ProfileExample,
    ProfileLabel,
    ProfileRevision,
    RemoteProfile,
)
from fleets.models.runs import Run, Task, Turn
from fleets.models.sealed import SealedSecret

__all__ = [
    "Agent",
    "AgentProfile",
    "AuditEvent",
    "BulkOutcome",
    "Catalog",
    "CatalogAct",
    "CatalogOrder",
    "Connection",
    "Definition",
    "DefinitionDraft",
    "DefinitionRevision",
    "Draft",
    "Fleet",
    "FleetEvent",
    "Machine",
    "NodeKind",
    "Operation",
    "OperationNode",
    "Profile",
    "ProfileBulkChange",
    "ProfileBulkItem",
    "ProfileDraft",
    "ProfileExample",
    "ProfileFollow",
    "ProfileImport",
    "ProfileLabel",
    "ProfileRevision",
    "ProfileText",
    "ProfileTrial",
    "RemoteProfile",
    "Run",
    "SealedSecret",
    "StoredRows",
    "Syntax",
    "Task",
    "Team",
    "Theme",
    "Turn",
    "TurnEvent",
    "User",
]
