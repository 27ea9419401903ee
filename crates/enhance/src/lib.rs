//! Enhancers of enclust: high-confidence pairs, the ADMM of EC-CMS, stopping rules.
