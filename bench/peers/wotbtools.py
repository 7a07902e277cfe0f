"""Times wotbtools (map-semanticizer) on keyed archives."""
import sys

import loop

sys.path.insert(0, sys.argv[1] + "/map-semanticizer")
from map_semanticizer import Reader, read_archive  # noqa: E402

loop.run(lambda name, data: read_archive(Reader(data)))
