"""What may be turned while the emulator runs."""

from dataclasses import dataclass

from emulator.config import PACE_FACTORS, Config


@dataclass
class Dials:
    """Each field is a name that `POST /_emulator/dials` accepts."""

    failure_share: float
    machine_failure_share: float
    rate_per_minute: int
    turn_time_factor: float
    create_time_factor: float
    event_retention_s: float
    memory_model: int
    cold_start_race: int
    failing_harnesses: dict[str, float]

    @classmethod
    def of(cls, config: Config) -> "Dials":
        factor = PACE_FACTORS[config.pace]
        return cls(
            failure_share=config.failure_share,
            machine_failure_share=0.0,
            rate_per_minute=config.rate_per_minute,
            turn_time_factor=factor,
            create_time_factor=factor,
            event_retention_s=config.event_retention_s,
            memory_model=1,
            cold_start_race=0,
            failing_harnesses={},
        )
