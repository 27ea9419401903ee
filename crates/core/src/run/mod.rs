//! Runs: questions, services and reports.

pub(crate) mod context;
pub(crate) mod iterate;
pub(crate) mod quantities;
pub(crate) mod question;
pub(crate) mod report;
pub(crate) mod watch;
