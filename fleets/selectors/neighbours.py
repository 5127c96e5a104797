"""The agents that stand beside one in its fleet, for going from one to the next."""

from fleets.models import Agent


def neighbours(agent: Agent) -> tuple[str, str]:
    """The agents before and after it, "" at the ends. Two queries."""
    others = Agent.objects.filter(fleet=agent.fleet_id).values_list("agent_id", flat=True)
    before = others.filter(position__lt=agent.position).order_by("-position").first()
    after = others.filter(position__gt=agent.position).order_by("position").first()
    return before or "", after or ""
