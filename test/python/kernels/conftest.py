import pytest
from examples_support import TARGETS


@pytest.fixture(params=TARGETS)
def each_target(request):
    return request.param
