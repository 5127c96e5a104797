"""Bounded queues, and who hears what."""

from fleets.live import frames
from fleets.live.subscribers import QUEUE_SIZE, Subscriber, Subscribers
from fleets.live.tokens import Ticket


def someone(*topics: str, page: str = "fleets", user_id: int = 7) -> Subscriber:
    return Subscriber(Ticket(page, topics, user_id, rights_number=1, session="s"))


def test_a_slow_client_is_emptied_and_told_to_fetch_everything() -> None:
    slow = someone("fleets")
    for number in range(QUEUE_SIZE + 1):
        slow.offer(frames.frame(str(number)))
    assert slow.queue.qsize() == 1
    assert slow.queue.get_nowait() == frames.resync()


def test_ending_a_stream_goes_before_what_waits() -> None:
    one = someone("fleets")
    one.offer(b"waits")
    one.end()
    assert one.queue.get_nowait() is None
    assert one.queue.empty()


def test_a_topic_is_heard_by_page() -> None:
    house = Subscribers()
    board, page = someone("fleets"), someone("fleet:a", "fleets", page="fleet")
    house.add(board)
    house.add(page)
    assert set(house.pages_of("fleets")) == {"fleets", "fleet"}
    assert house.hearing("fleet:a", "fleet") == (page,)
    assert house.hearing("fleet:a", "fleets") == ()


def test_a_topic_that_nobody_hears_is_forgotten() -> None:
    house = Subscribers()
    one = someone("fleet:a")
    house.add(one)
    house.discard(one)
    house.discard(one)
    assert house.pages_of("fleet:a") == ()
    assert len(house) == 0


def test_all_streams_of_a_user_are_found() -> None:
    house = Subscribers()
    mine, other = someone("fleets", user_id=7), someone("fleets", user_id=8)
    house.add(mine)
    house.add(other)
    assert list(house.of_user(7)) == [mine]
