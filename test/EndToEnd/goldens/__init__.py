"""What generate.py writes, a module per group of layers. Each adds its variants
to common.VARIANTS when it is imported."""

from . import (attention, convolutions, distances, edges, embeddings,
               graph_transformers, heterogeneous, locality, molecules,
               neighbours, points, readouts, relational, rows, sparse,
               transformers)
from .batches import BATCHES, SMALL
from .common import (BIPARTITE, BLOCKS, CLUSTERED, GRAPHS, NO_BATCH, SLOPES,
                     TOKENS, VARIANTS, rng)
from .heterogeneous import NUMBERED, TYPED_GRAPHS
from .molecules import MOLECULES
from .graph_transformers import PATHS, SPECTRA, TOKEN_PATHS
from .sparse import (SPARSE_BIPARTITE, SPARSE_GRAPHS, SPARSE_TYPED, densify)
