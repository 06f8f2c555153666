"""Constants of kernels that are chosen by timing."""

from tilewright.tuning.autotuner import Autotuner, autotune
from tilewright.tuning.config import Config
from tilewright.tuning.results import Trial, Tuning

__all__ = ["Autotuner", "Config", "Trial", "Tuning", "autotune"]
