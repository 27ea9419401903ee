//! Co-association constructors of enclust: EAC, LWCA, PTS and bipartite graphs.
