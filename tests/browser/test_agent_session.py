"""An agent's session as people read it: it grows under their eyes and follows until they scroll."""

from playwright.sync_api import Page, expect

from fleets.domain.status import TaskState, TurnOutcome, TurnState
from fleets.live import publish
from fleets.models import Agent, Fleet, Machine, Run, Task, Turn
from tests.agent_frames import FrameBody, part, store, text, tool
from tests.browser.conftest import OpenPage
from tests.browser.world import World, make_world
from tests.factories import TurnFactory
from tests.integration.cast import Cast
from tests.support.site import Site

LONG = "\n\n".join(f"Paragraph {number} of a long answer." for number in range(60))


def working(world: World) -> Turn:
    """A turn of `agent-2` that runs, with a page of text already said."""
    agent = Agent.objects.get(fleet=world.fleet, agent_id="agent-2")
    task = Task.objects.get(agent=agent)
    turn: Turn = TurnFactory(task=task, state=TurnState.RUNNING, execution_id="execution-9")
    store(turn, [part(2, "reasoning", "p-think", text="Let me look."), text(3, LONG, "p-long")])
    return turn


def opened(app: Site, page: Page, turn: Turn, query: str = "") -> None:
    names = (turn.agent.fleet.public_id, turn.agent.agent_id)
    page.goto(app.address("fleets:fleet_agent", *names) + query)
    expect(page.locator("#live-status")).to_contain_text("Live")
    page.evaluate("window.untouched = true")


def say(turn: Turn, *frames: FrameBody) -> None:
    """As a follower would: stored first, then the doorbell."""
    store(turn, frames)
    publish(f"session:{turn.agent_id}", {"kind": "events", "turn": turn.pk})


def is_at_end(page: Page) -> bool:
    return bool(
        page.evaluate(
            "(() => { const m = document.getElementById('main');"
            " return m.scrollHeight - m.scrollTop - m.clientHeight < 80; })()"
        )
    )


def test_what_an_agent_says_and_does_is_appended_and_grows_in_place(
    app: Site, cast: Cast, page: Page
) -> None:
    turn = working(make_world(cast.team, cast.operator))
    opened(app, page, turn)

    say(turn, tool(4, "p-run", "pytest -q", status="running"), text(5, "Half", "p-end"))
    expect(page.locator(".items")).to_contain_text("Half")
    say(turn, text(6, "Half a sentence, now **whole**.", "p-end"), tool(7, "p-run", "pytest -q"))

    expect(page.locator(".items strong")).to_have_text("whole")
    expect(page.locator("details.tool")).to_have_count(1)
    expect(page.locator("details.tool summary")).to_contain_text("Finished")
    expect(page.get_by_text("Half a sentence")).to_have_count(1)
    assert page.evaluate("window.untouched") is True


def test_the_page_follows_until_its_reader_scrolls_up_and_then_counts(
    app: Site, cast: Cast, page: Page
) -> None:
    turn = working(make_world(cast.team, cast.operator))
    opened(app, page, turn)
    assert is_at_end(page)
    say(turn, text(4, LONG, "p-more"))
    expect(page.get_by_text("Paragraph 59")).to_have_count(2)
    page.wait_for_function("document.querySelector('[data-jump]').hidden")
    assert is_at_end(page)

    page.locator("#main").hover()
    page.mouse.wheel(0, -4000)
    expect(page.get_by_role("button", name="Latest")).to_be_visible()
    say(turn, text(5, "One more thing.", "p-last"))
    button = page.get_by_role("button", name="Latest, 1 new")
    expect(button).to_be_visible()
    assert not is_at_end(page)

    button.click()
    expect(page.get_by_text("One more thing.")).to_be_in_viewport()
    expect(button).to_be_hidden()


def test_an_opened_call_shows_its_output_and_stays_open_while_the_turn_goes_on(
    app: Site, cast: Cast, page: Page
) -> None:
    turn = working(make_world(cast.team, cast.operator))
    store(turn, [tool(4, "p-run", "make", output="\x1b[32mall green\x1b[0m <b>bold</b>")])
    opened(app, page, turn)
    page.locator("details.tool summary").click()
    output = page.get_by_label("Call output")
    expect(output).to_have_text("all green <b>bold</b>")
    expect(output.locator(".ansi32")).to_have_text("all green")

    say(turn, text(5, "Green.", "p-end"))
    expect(page.get_by_text("Green.", exact=True)).to_be_visible()
    expect(output).to_be_visible()


def test_a_failed_call_is_open_and_five_equal_ones_are_flagged(
    app: Site, cast: Cast, page: Page
) -> None:
    turn = working(make_world(cast.team, cast.operator))
    calls = [tool(number, f"p{number}", "pytest -q") for number in range(4, 8)]
    store(turn, [*calls, tool(8, "p8", "pytest -q", status="error", output="killed")])
    opened(app, page, turn)

    expect(page.get_by_text("killed")).to_be_visible()
    expect(page.get_by_text("loop? 5 equal calls")).to_be_visible()


def test_hostile_text_is_only_text_in_a_real_browser(app: Site, cast: Cast, page: Page) -> None:
    turn = working(make_world(cast.team, cast.operator))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    evil = (
        "<script>window.owned = 1</script><img src=x onerror='window.owned = 1'>"
        " ![p](https://evil.invalid/p.png) <hx-partial hx-target='#main'>gone</hx-partial>"
        " [x](javascript:window.owned=1)"
    )
    opened(app, page, turn)
    say(turn, text(4, evil, "p-evil"), tool(5, "p-e", evil, output=evil, status="error"))

    expect(page.get_by_text("window.owned = 1").first).to_be_visible()
    expect(page.locator("#main")).to_contain_text("Let me look.")
    assert page.evaluate("window.owned") is None
    assert [url for url in asked if "evil" in url] == []


def test_when_the_turn_ends_the_page_says_so_without_being_fetched_whole(
    app: Site, cast: Cast, page: Page
) -> None:
    world = make_world(cast.team, cast.operator)
    turn = working(world)
    opened(app, page, turn)
    expect(page.get_by_text("At work")).to_be_visible()

    Turn.objects.filter(pk=turn.pk).update(
        state=TurnState.ENDED,
        outcome=TurnOutcome.FAILED,
        error="tool timeout",
        cost_nusd=14_000_000,
    )
    Agent.objects.filter(pk=turn.agent_id).update(state=TaskState.FAILED)
    publish(f"fleet:{world.fleet.public_id}", {"kind": "agents", "ids": [turn.agent_id]})

    expect(page.locator(".turn > header")).to_contain_text("Failed")
    expect(page.locator(".turn > header")).to_contain_text("$0.014")
    expect(page.get_by_text("Failed: tool timeout")).to_be_visible()
    expect(page.get_by_text("At work")).to_be_hidden()
    assert page.evaluate("window.untouched") is True


def ready_for_prompts(world: World) -> Agent:
    Fleet.objects.filter(pk=world.fleet.pk).update(
        created_on_platform_at=world.fleet.created_at, remaining_nusd=1_000_000_000
    )
    Run.objects.filter(fleet=world.fleet).update(ended_at=world.fleet.created_at)
    Machine.objects.filter(fleet=world.fleet).update(status="running")
    return Agent.objects.get(fleet=world.fleet, agent_id="agent-0")


def test_an_agent_is_prompted_again_by_keyboard(app: Site, cast: Cast, page: Page) -> None:
    world = make_world(cast.team, cast.operator)
    agent = ready_for_prompts(world)
    page.goto(app.address("fleets:fleet_agent", world.fleet.public_id, agent.agent_id))
    field = page.get_by_label("Send another prompt to agent-0")
    expect(page.locator("#composer")).to_contain_text("estimate ~ $0.0")
    field.fill("And the tests?")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    expect(page.locator("#composer")).to_contain_text("agent-0 is at work")
    task = Task.objects.filter(agent=agent).order_by("-pk")[0]
    assert (task.prompt, task.run.number, task.state) == ("And the tests?", 2, "queued")


def test_an_empty_prompt_is_answered_beside_the_field_and_loses_nothing(
    app: Site, cast: Cast, page: Page
) -> None:
    world = make_world(cast.team, cast.operator)
    agent = ready_for_prompts(world)
    page.goto(app.address("fleets:fleet_agent", world.fleet.public_id, agent.agent_id))
    page.get_by_role("button", name="Send").click()

    expect(page.get_by_role("alert")).to_contain_text("The prompt is missing")
    assert Task.objects.filter(agent=agent).count() == 1


def test_a_viewer_reads_and_is_offered_no_prompt(
    app: Site, cast: Cast, open_page: OpenPage
) -> None:
    page = open_page("viewer")
    turn = working(make_world(cast.team, cast.operator))
    opened(app, page, turn)

    expect(page.get_by_text("Let me look.")).to_be_visible()
    expect(page.get_by_label("Send another prompt")).to_be_hidden()


def test_a_stream_that_comes_back_shows_what_was_missed_and_nothing_twice(
    app: Site, cast: Cast, page: Page
) -> None:
    turn = working(make_world(cast.team, cast.operator))
    opened(app, page, turn)
    say(turn, text(4, "Before the break.", "p-1"))
    expect(page.get_by_text("Before the break.")).to_be_visible()
    page.context.set_offline(True)
    page.evaluate("document.getElementById('live')._htmx?.sse?.reader?.cancel()")
    store(turn, [text(5, "During the break.", "p-2")])
    page.context.set_offline(False)

    expect(page.get_by_text("During the break.")).to_be_visible()
    expect(page.get_by_text("Before the break.")).to_have_count(1)
