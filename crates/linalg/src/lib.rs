//! Iterative linear algebra of enclust: leading eigenpairs of symmetric operators.
