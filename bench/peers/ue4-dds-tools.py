"""Times UE4-DDS-Tools on cooked packages of Unreal Engine 4.15."""
import io
import sys

import loop

sys.path.insert(0, sys.argv[1] + "/src")
from unreal import uasset  # noqa: E402


def decode(name, data):
    # The reader opens its file by name; it gets the bytes in memory instead.
    uasset.open = lambda *args: io.BytesIO(data)
    uasset.Uasset(name, "4.15")


loop.run(decode)
