//! Protocols of enclust: how ensembles are drawn and runs are summarised.
