"""Which family a request belongs to."""

from collections.abc import Callable

from policies.model import FamilyPolicy, PolicySet


def classify(
    policies: PolicySet,
    *,
    path: str,
    model: str,
    tenant: str | None,
    header: str | None,
    prompt_text: Callable[[], str],
    system_text: Callable[[], str],
) -> FamilyPolicy:
    """The first family that matches, else the default one.

    Args:
        tenant: name under `tenants:` in the settings, None for everyone else.
        header: the value of `x-askonce-family`, if sent.
        prompt_text: the last user message, or the prompt; called only if a family asks for it.
        system_text: the system and developer messages, joined by newlines; called only if a family asks for it.
    """
    position = policies.matchers.first(path, model, tenant, header, prompt_text, system_text)
    return policies.defaults if position is None else policies.families[position]
