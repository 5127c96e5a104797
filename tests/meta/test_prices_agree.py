"""The emulator and the dashboard know nothing of each other, and still bill the same figures."""

from emulator import prices as billed
from fleets.domain import prices as shown


def test_both_price_tables_are_of_the_same_day() -> None:
    assert shown.PRICES_AS_OF.isoformat() == billed.AS_OF


def test_every_model_is_billed_at_the_price_that_is_shown() -> None:
    assert set(shown.MODEL_PRICES) == set(billed.MODELS)
    for name, price in shown.MODEL_PRICES.items():
        other = billed.MODELS[name]
        assert (price.input_nusd, price.cached_nusd, price.output_nusd) == (
            other.input_nusd,
            other.cached_input_nusd,
            other.output_nusd,
        )
        assert price.largest_output_tokens == other.largest_output


def test_every_machine_is_billed_at_the_price_that_is_shown() -> None:
    assert set(shown.MACHINE_SIZES) == set(billed.PRESETS)
    for name, size in shown.MACHINE_SIZES.items():
        preset = billed.PRESETS[name]
        assert preset == {
            "cpuCores": size.vcpus,
            "memoryMB": size.memory_mib,
            "diskGB": size.disk_gib,
        }
        assert billed.compute_nusd_per_s(preset) == size.nusd_per_s
