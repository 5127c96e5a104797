"""Whether the platform ran what was asked for: it may serve another model and says so."""


def is_same_model(asked: str, ran: str) -> bool:
    """Whether both ids name one model; a provider counts only where both name one."""
    asked_provider, _, asked_name = asked.rpartition("/")
    ran_provider, _, ran_name = ran.rpartition("/")
    if asked_provider and ran_provider and asked_provider != ran_provider:
        return False
    return asked_name == ran_name
